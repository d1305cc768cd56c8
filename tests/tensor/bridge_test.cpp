// Tensors as xtensor expressions and back.
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/print.hpp>
#include <tensorette/tensor/shaping.hpp>
#include <tensorette/tensor/xtensor.hpp>
#include <tensorette_test.hpp>
#include <type_traits>
#if __has_include(<xtensor/containers/xarray.hpp>)
#include <xtensor/containers/xarray.hpp>
#include <xtensor/core/xmath.hpp>
#include <xtensor/views/xview.hpp>
#else
#include <xtensor/xarray.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xview.hpp>
#endif

using namespace tensorette;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a view reads the tensor's own memory", "[tensor][bridge]") {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  const auto version = x.version();
  auto view = view_as_xtensor<float>(x);
  CHECK(view.dimension() == 2);
  CHECK(view(1, 2) == 6.0F);
  CHECK(&view(0, 0) == x.data<float>());
  CHECK(xt::sum(view)() == 21.0F);
  CHECK(x.version() == version);
}

TEST_CASE("views with any strides are seen through", "[tensor][bridge]") {
  const Tensor x = reshape(arange(24), {2, 3, 4});
  const Tensor turned = permute(x, {2, 0, 1});
  const Tensor stepped = slice(slice(x, 2, 1, 4, 2), 1, 1);
  for (const Tensor& source : {x, turned, stepped}) {
    const auto view = view_as_xtensor<Index>(source);
    for (Index i = 0; i < source.size(0); ++i)
      for (Index j = 0; j < source.size(1); ++j)
        for (Index k = 0; k < source.size(2); ++k)
          REQUIRE(view(i, j, k) == source.at<Index>(i, j, k));
    CHECK(from_xtensor(view).to_vector<Index>() == source.to_vector<Index>());
  }
  const Tensor column = tensor({{1}, {2}});
  const Tensor wide = expand(column, {2, 3});
  CHECK(from_xtensor(view_as_xtensor<float>(wide) * 2).to_vector<float>() ==
        std::vector<float>{2, 2, 2, 4, 4, 4});
}

TEST_CASE("scalars, empty tensors and booleans cross the bridge", "[tensor][bridge]") {
  const Tensor number = scalar(2.5, DType::f64);
  CHECK(view_as_xtensor<double>(number)() == 2.5);
  const Tensor doubled = from_xtensor(view_as_xtensor<double>(number) * 2);
  CHECK(doubled.shape() == Shape{});
  CHECK(doubled.item<double>() == 5.0);

  const Tensor nothing = zeros({0, 3});
  CHECK(view_as_xtensor<float>(nothing).size() == 0);
  CHECK(from_xtensor(view_as_xtensor<float>(nothing) + 1).shape() == Shape{0, 3});

  const Tensor mask = from_xtensor(view_as_xtensor<double>(number) > 1);
  CHECK(mask.dtype() == DType::boolean);
  CHECK(mask.item<bool>());
  CHECK_FALSE(from_xtensor(!view_as_xtensor<bool>(mask)).item<bool>());
}

TEST_CASE("writes through a view reach the tensor and bump its version", "[tensor][bridge]") {
  Tensor x = zeros({2, 3});
  const auto before = x.version();
  Tensor turned = transpose(x);
  auto view = view_as_xtensor<float>(turned);
  CHECK(x.version() == before + 1);
  view(2, 1) = 7;
  CHECK(x.at<float>(1, 2) == 7.0F);
  view += 1;
  CHECK(x.to_vector<float>() == std::vector<float>{1, 1, 1, 1, 1, 8});
  xt::view(view, 0, xt::all()) = 5;
  CHECK(x.to_vector<float>() == std::vector<float>{5, 1, 1, 5, 1, 8});
  // An independent copy does not follow.
  const Tensor copy = from_xtensor(view);
  view(0, 0) = -1;
  CHECK(copy.at<float>(0, 0) == 5.0F);
}

TEST_CASE("an expanded tensor is read only", "[tensor][bridge]") {
  Tensor x = expand(tensor({1, 2}), {3, 2});
  CHECK_THROWS_WITH(view_as_xtensor<float>(x),
                    ContainsSubstring("an expanded tensor can't be written to: shape [3, 2]"));
  const Tensor& constant = x;
  CHECK(view_as_xtensor<float>(constant)(2, 1) == 2.0F);
}

TEST_CASE("the wrong type is refused", "[tensor][bridge]") {
  Tensor x = zeros({2});
  CHECK_THROWS_AS(view_as_xtensor<double>(x), DTypeError);
  const Tensor& constant = x;
  CHECK_THROWS_AS(view_as_xtensor<Index>(constant), DTypeError);
  CHECK_THROWS_AS(from_xtensor(xt::xarray<float>::from_shape(std::vector<std::size_t>(9, 1))),
                  ShapeError);
}

TEST_CASE("narrow integers become i64", "[tensor][bridge]") {
  const xt::xarray<int> ints = {{1, -2}, {3, 4}};
  const Tensor x = from_xtensor(ints);
  CHECK(x.dtype() == DType::i64);
  CHECK(x.to_vector<Index>() == std::vector<Index>{1, -2, 3, 4});
  const xt::xarray<std::uint8_t> bytes = {200, 255};
  CHECK(from_xtensor(bytes).to_vector<Index>() == std::vector<Index>{200, 255});
}

TEST_CASE("results own their elements", "[tensor][bridge][field][E01]") {
  // The operands are gone when the result is read: it must not be an expression over them.
  const auto compute = [] {
    const Tensor a = full({3}, 2.0);
    const Tensor b = full({3}, 3.0);
    const float local_factor = 10;
    return from_xtensor(view_as_xtensor<float>(a) * local_factor + view_as_xtensor<float>(b));
  };
  static_assert(std::is_same_v<decltype(compute()), Tensor>);
  const Tensor result = compute();
  const Tensor reused = full({3}, -1.0);  // takes the freed memory
  CHECK(result.to_vector<float>() == std::vector<float>{23, 23, 23});
  CHECK(reused.at<float>(0) == -1.0F);
}

TEST_CASE("printing operands first changes nothing", "[tensor][bridge][field][E10]") {
  const auto loss = [](bool print_first) {
    const Tensor a = tensor({0.1, 0.2, 0.3});
    const Tensor b = tensor({1.7, -2.5, 0.9});
    std::string printed;
    if (print_first) printed = to_string(a) + to_string(b);
    return from_xtensor(xt::sum(view_as_xtensor<float>(a) * view_as_xtensor<float>(b)))
        .item<float>();
  };
  CHECK(loss(true) == loss(false));
}
