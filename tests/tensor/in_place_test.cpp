// Operations that write into their first argument.
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>

#include "layouts.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::testing;
using Catch::Matchers::Message;

namespace {

// A view of `x`: for tests of overlapping memory.
Tensor view(const Tensor& x, const Shape& shape, const Strides& strides, Index offset = 0) {
  return Tensor(x.storage(), shape, strides, x.offset() + offset, x.dtype());
}

template <class T, class Operation, class Expected>
void check_in_place(Operation operation, Expected expected, std::uint32_t seed) {
  RandomEngine engine(seed);
  for (int round = 0; round < 60; ++round) {
    const Shape shape = random_shape(engine);
    Tensor target = random_tensor<T>(engine, shape, false);
    const Tensor source = random_tensor<T>(engine, random_part(engine, shape));
    const std::vector<T> before = target.to_vector<T>();
    operation(target, source);
    CAPTURE(to_string(shape), to_string(target.strides()), to_string(source.shape()));
    bool all_same = true;
    for_each_index(shape, [&](const std::vector<Index>& i, Index position) {
      const T old = before[static_cast<std::size_t>(position)];
      all_same =
          all_same && broadcast_at<T>(target, i) == expected(old, broadcast_at<T>(source, i));
    });
    REQUIRE(all_same);
  }
}

}  // namespace

TEMPLATE_TEST_CASE("writing into any layout equals plain loops", "[in_place]", float, double,
                   std::int64_t) {
  using T = TestType;
  check_in_place<T>([](auto& t, auto& s) { add_(t, s); }, [](T t, T s) { return t + s; }, 1);
  check_in_place<T>([](auto& t, auto& s) { add_(t, s, -2); }, [](T t, T s) { return t - 2 * s; },
                    2);
  check_in_place<T>([](auto& t, auto& s) { subtract_(t, s); }, [](T t, T s) { return t - s; }, 3);
  check_in_place<T>([](auto& t, auto& s) { multiply_(t, s); }, [](T t, T s) { return t * s; }, 4);
  check_in_place<T>([](auto& t, auto&) { multiply_(t, 3); }, [](T t, T) { return t * 3; }, 5);
  check_in_place<T>([](auto& t, auto& s) { copy_(t, s); }, [](T, T s) { return s; }, 6);
  check_in_place<T>([](auto& t, auto&) { fill_(t, 7); }, [](T, T) { return T{7}; }, 7);
}

TEST_CASE("writing leaves the memory around a view alone", "[in_place]") {
  Tensor x = zeros({4, 5});
  Tensor middle = view(x, {2, 3}, {5, 1}, 6);
  fill_(middle, 1);
  add_(middle, tensor({1, 2, 3}));
  CHECK(x.to_vector<float>() == std::vector<float>{0, 0, 0, 0, 0, 0, 2, 3, 4, 0,  //
                                                   0, 2, 3, 4, 0, 0, 0, 0, 0, 0});
  Tensor column = view(x, {4}, {5}, 4);
  copy_(column, tensor({1, 2, 3, 4}));
  CHECK(x.at<float>(0, 4) == 1);
  CHECK(x.at<float>(3, 4) == 4);
  CHECK(x.at<float>(3, 3) == 0);
}

TEST_CASE("a source may overlap the target", "[in_place][field][E09]") {
  Tensor x = tensor({{1, 2}, {3, 4}});
  add_(x, view(x, {2, 2}, {1, 2}));
  CHECK(x.to_vector<float>() == std::vector<float>{2, 5, 5, 8});

  Tensor rows = tensor({{1, 1}, {2, 2}, {3, 3}, {4, 4}});
  Tensor first = view(rows, {3, 2}, {2, 1}, 0);
  Tensor last = view(rows, {3, 2}, {2, 1}, 2);
  copy_(first, last);
  CHECK(rows.to_vector<float>() == std::vector<float>{2, 2, 3, 3, 4, 4, 4, 4});
  copy_(last, first);
  CHECK(rows.to_vector<float>() == std::vector<float>{2, 2, 2, 2, 3, 3, 4, 4});

  Tensor self = tensor({1, 2, 3});
  add_(self, self);
  multiply_(self, self);
  subtract_(self, view(self, {}, {}, 1));
  CHECK(self.to_vector<float>() == std::vector<float>{-12, 0, 20});
}

TEST_CASE("booleans are copied and filled", "[in_place]") {
  Tensor mask = zeros({2, 2}, DType::boolean);
  copy_(mask, from_vector<bool>({true, false}));
  CHECK(mask.to_vector<bool>() == std::vector<bool>{true, false, true, false});
  fill_(mask, 2);
  CHECK(mask.to_vector<bool>() == std::vector<bool>(4, true));
}

TEST_CASE("each write counts as one", "[in_place]") {
  Tensor x = ones({300, 300});
  const auto version = x.version();
  add_(x, x);
  CHECK(x.version() == version + 1);
  Tensor transposed = view(x, {300, 300}, {1, 300});
  fill_(transposed, 2);
  CHECK(x.version() == version + 2);
}

TEST_CASE("what can't be written changes nothing", "[in_place][field][C10]") {
  Tensor x = ones({2, 2});
  Tensor ids = ones({2}, DType::i64);
  Tensor mask = ones({2}, DType::boolean);
  Tensor undefined;
  const auto version = x.version();
  CHECK_THROWS_MATCHES(copy_(x, zeros({1, 2, 2})), ShapeError,
                       Message("copy_: [1, 2, 2] does not broadcast to [2, 2]"));
  CHECK_THROWS_MATCHES(add_(x, zeros({3})), ShapeError,
                       Message("add_: [3] does not broadcast to [2, 2]"));
  CHECK_THROWS_MATCHES(add_(x, zeros({2}, DType::f64)), DTypeError,
                       Message("add_: dtypes differ: f32 and f64"));
  CHECK_THROWS_MATCHES(add_(ids, ids, 0.5), DTypeError,
                       Message("add_: the number 0.5 is not an integer and the tensor is i64"));
  CHECK_THROWS_AS(multiply_(ids, 0.5), DTypeError);
  CHECK_THROWS_AS(fill_(ids, 1.5), DTypeError);
  CHECK_THROWS_MATCHES(subtract_(mask, mask), DTypeError,
                       Message("subtract_: takes f32, f64 or i64, got boolean"));
  CHECK_THROWS_MATCHES(copy_(x, undefined), Error, Message("copy_: got an undefined tensor"));
  CHECK_THROWS_AS(fill_(undefined, 1), Error);
  Tensor expanded = view(x, {3, 2}, {0, 1});
  CHECK_THROWS_MATCHES(
      fill_(expanded, 5), Error,
      Message("fill_: the target of shape [3, 2] repeats its elements along axis 0"));
  CHECK(x.version() == version);
  CHECK(x.to_vector<float>() == std::vector<float>(4, 1));
  CHECK(ids.to_vector<Index>() == std::vector<Index>(2, 1));
}
