// Views and copies that change the shape, against NumPy's rules and plain loops.
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/parallel.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "layouts.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::testing;
using Catch::Matchers::Message;

namespace {

/// 0, 1, 2, ... in row-major order.
Tensor counted(const Shape& shape) {
  return reshape(arange(shape.element_count()), shape);
}

std::vector<std::int64_t> elements(const Tensor& x) {
  return x.to_vector<std::int64_t>();
}

using Numbers = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("reshape checks the shape it is given", "[shaping][field][C03]") {
  const Tensor x = zeros({4, 4, 4});
  CHECK(reshape(x, {-1}).shape() == Shape{64});
  CHECK(reshape(x, {2, -1, 8}).shape() == Shape{2, 4, 8});
  CHECK_THROWS_MATCHES(reshape(x, {63}), ShapeError,
                       Message("reshape: [4, 4, 4] has 64 elements, they do not fit [63]"));
  CHECK_THROWS_MATCHES(
      reshape(x, {-2, 4}), ShapeError,
      Message("reshape: negative size -2 in [-2, 4], asked for a tensor of shape [4, 4, 4]"));
  CHECK_THROWS_MATCHES(reshape(x, {4, 16, 2}), ShapeError,
                       Message("reshape: [4, 4, 4] has 64 elements, they do not fit [4, 16, 2]"));
  CHECK_THROWS_MATCHES(
      reshape(x, {-1, -1}), ShapeError,
      Message(
          "reshape: more than one size is -1 in [-1, -1], asked for a tensor of shape [4, 4, 4]"));
  CHECK_THROWS_MATCHES(reshape(x, {-1, 5}), ShapeError,
                       Message("reshape: [4, 4, 4] has 64 elements, no size for -1 fits [-1, 5]"));
}

TEST_CASE("reshape of empty tensors and of sizes no tensor can have", "[shaping]") {
  const Tensor x = zeros({0, 3});
  CHECK(reshape(x, {-1, 3}).shape() == Shape{0, 3});
  CHECK(reshape(x, {5, 0, 2}).shape() == Shape{5, 0, 2});
  CHECK_THROWS_MATCHES(
      reshape(x, {-1, 0}), ShapeError,
      Message("reshape: any size would do for -1 in [-1, 0], asked for a tensor of shape [0, 3]"));
  const Index huge = Index{1} << 40;
  CHECK_THROWS_AS(reshape(zeros({2}), {huge, huge}), ShapeError);
  CHECK_THROWS_AS(reshape(zeros({2}), {-1, huge, huge}), ShapeError);
}

TEST_CASE("reshape is a view wherever the strides allow it", "[shaping]") {
  const auto is_view = [](const Tensor& x, const Shape& shape) {
    const Tensor result = reshape(x, shape);
    CHECK(elements(result) == elements(x));
    return result.shares_storage_with(x);
  };
  const Tensor x = counted({4, 6});
  CHECK(is_view(x, {2, 2, 3, 2}));
  CHECK(is_view(transpose(x), {2, 3, 2, 2}));  // each old axis splits alone
  CHECK(is_view(transpose(x), {6, 1, 4, 1}));
  CHECK_FALSE(is_view(transpose(x), {24}));
  CHECK_FALSE(is_view(transpose(x), {4, 6}));
  CHECK(is_view(slice(x, 0, 0, 4, 2), {2, 3, 2}));
  CHECK(is_view(slice(x, 1, 0, 6, 2), {12}));  // evenly spaced across rows
  CHECK_FALSE(is_view(narrow(x, 1, 0, 5), {20}));
  CHECK(is_view(expand(counted({1, 6}), {4, 6}), {2, 2, 6}));
  CHECK_FALSE(is_view(expand(counted({1, 6}), {4, 6}), {24}));
  CHECK(is_view(expand(counted({1, 1}), {4, 6}), {24}));
  CHECK(is_view(expand(counted({1}), {1}), {}));
}

TEST_CASE("reshape keeps the order of elements for any layout", "[shaping]") {
  RandomEngine engine(21);
  for (int round = 0; round < 500; ++round) {
    const Tensor x = random_tensor<std::int64_t>(engine, random_shape(engine));
    // The factors of the number of elements, dealt out over new axes.
    Shape shape;
    Index rest = x.element_count();
    while (rest > 1 && shape.rank() < max_rank - 1) {
      Index factor = random_index(engine, 1, rest);
      while (rest % factor != 0) --factor;
      shape.push_back(factor);
      rest /= factor;
    }
    shape.push_back(rest);
    CAPTURE(to_string(x.shape()), to_string(x.strides()), to_string(shape));
    const Tensor result = reshape(x, shape);
    REQUIRE(result.shape() == shape);
    Numbers expected;
    for_each_index(x.shape(), [&](const std::vector<Index>& indices, Index) {
      expected.push_back(broadcast_at<std::int64_t>(x, indices));
    });
    REQUIRE(elements(result) == expected);
  }
}

TEST_CASE("flatten merges a run of axes", "[shaping]") {
  const Tensor x = counted({2, 3, 4, 5});
  CHECK(flatten(x).shape() == Shape{120});
  CHECK(flatten(x, 1, 2).shape() == Shape{2, 12, 5});
  CHECK(flatten(x, -2).shape() == Shape{2, 3, 20});
  CHECK(flatten(x, 1, 1).shape() == Shape{2, 3, 4, 5});
  CHECK(flatten(scalar(3)).shape() == Shape{1});
  CHECK_THROWS_MATCHES(
      flatten(x, 2, 1), ShapeError,
      Message("flatten: the first axis 2 lies behind the last 1, shape [2, 3, 4, 5]"));
}

TEST_CASE("transpose and permute move axes without touching elements", "[shaping]") {
  const Tensor x = counted({2, 3, 4});
  const Tensor t = transpose(x);
  CHECK(t.shape() == Shape{2, 4, 3});
  CHECK(t.shares_storage_with(x));
  CHECK(t.at<std::int64_t>(1, 3, 2) == x.at<std::int64_t>(1, 2, 3));
  CHECK(transpose(x, 0, -1).at<std::int64_t>(3, 2, 1) == 23);
  CHECK(permute(x, {2, 0, 1}).shape() == Shape{4, 2, 3});
  CHECK(permute(x, {-1, 0, 1}).at<std::int64_t>(3, 1, 2) == 23);
  CHECK(elements(permute(counted({2, 3}), {1, 0})) == Numbers{0, 3, 1, 4, 2, 5});
  CHECK_THROWS_MATCHES(transpose(counted({3})), ShapeError,
                       Message("transpose: axis -2 is outside [-1, 1) of a tensor of rank 1"));
  CHECK_THROWS_MATCHES(permute(x, {0, 1}), ShapeError,
                       Message("permute: order [0, 1] names 2 axes, shape [2, 3, 4] has 3"));
  CHECK_THROWS_MATCHES(permute(x, {0, 1, -2}), ShapeError,
                       Message("permute: axis -2 is named twice in [0, 1, -2]"));
}

TEST_CASE("squeeze and unsqueeze drop and insert axes of size 1", "[shaping]") {
  const Tensor x = counted({1, 3, 1, 2});
  CHECK(squeeze(x).shape() == Shape{3, 2});
  CHECK(squeeze(x, 0).shape() == Shape{3, 1, 2});
  CHECK(squeeze(x, {0, -2}).shape() == Shape{3, 2});
  CHECK(squeeze(counted({1, 1})).shape() == Shape{});
  CHECK_THROWS_MATCHES(squeeze(x, 1), ShapeError,
                       Message("squeeze: axis 1 of shape [1, 3, 1, 2] has size 3, not 1"));
  const Tensor y = counted({3, 2});
  CHECK(unsqueeze(y, 0).shape() == Shape{1, 3, 2});
  CHECK(unsqueeze(y, 1).shape() == Shape{3, 1, 2});
  CHECK(unsqueeze(y, -1).shape() == Shape{3, 2, 1});
  CHECK(unsqueeze(y, -1).is_contiguous());
  CHECK(elements(unsqueeze(y, 1)) == elements(y));
  CHECK_THROWS_AS(unsqueeze(y, 3), ShapeError);
  CHECK_THROWS_AS(unsqueeze(zeros(Shape::filled(max_rank, 1)), 0), ShapeError);
}

TEST_CASE("expand repeats without copying", "[shaping]") {
  const Tensor x = counted({2, 1});
  const Tensor y = expand(x, {3, 2, 2});
  CHECK(y.shares_storage_with(x));
  CHECK(elements(y) == Numbers{0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1});
  CHECK(expand(x, {-1, 4}).shape() == Shape{2, 4});
  CHECK(expand(x, {2, 0}).shape() == Shape{2, 0});
  CHECK(expand(scalar(7, DType::i64), {2, 2}).to_vector<std::int64_t>() == Numbers{7, 7, 7, 7});
  CHECK_THROWS_MATCHES(expand(x, {3, 4}), ShapeError,
                       Message("expand: [2, 1] does not broadcast to [3, 4]"));
  CHECK_THROWS_MATCHES(expand(x, {2}), ShapeError,
                       Message("expand: [2, 1] has more axes than [2]"));
  CHECK_THROWS_MATCHES(expand(x, {-1, 2, 1}), ShapeError,
                       Message("expand: negative size -1 on axis 0, [2, 1] to [-1, 2, 1]"));
}

TEST_CASE("slice cuts bounds as NumPy does", "[shaping]") {
  const Tensor x = counted({5});
  CHECK(elements(slice(x, 0, 1, 3)) == Numbers{1, 2});
  CHECK(elements(slice(x, 0, -2)) == Numbers{3, 4});
  CHECK(elements(slice(x, 0, 0, -1)) == Numbers{0, 1, 2, 3});
  CHECK(elements(slice(x, 0, 0, std::nullopt, 2)) == Numbers{0, 2, 4});
  CHECK(elements(slice(x, 0, 1, 100, 3)) == Numbers{1, 4});
  CHECK(elements(slice(x, 0, -100, 2)) == Numbers{0, 1});
  CHECK(elements(slice(x, 0, 3, 2)).empty());
  CHECK(elements(slice(x, 0, 7)).empty());
  constexpr Index most = std::numeric_limits<Index>::max();
  CHECK(elements(slice(x, 0, 1, most, most)) == Numbers{1});
  CHECK(elements(slice(x, 0, std::numeric_limits<Index>::min(), most)) == elements(x));
  CHECK(elements(slice(counted({2, 4}), -1, 1, 4, 2)) == Numbers{1, 3, 5, 7});
  CHECK(slice(x, 0, 1).shares_storage_with(x));
  CHECK_THROWS_MATCHES(slice(x, 0, 0, 5, 0), Error,
                       Message("slice: the step must be at least 1, got 0"));
  CHECK_THROWS_AS(slice(x, 1, 0), ShapeError);
}

TEST_CASE("narrow and select want elements that exist", "[shaping]") {
  const Tensor x = counted({2, 4});
  CHECK(elements(narrow(x, 1, 1, 2)) == Numbers{1, 2, 5, 6});
  CHECK(narrow(x, 1, 4, 0).shape() == Shape{2, 0});
  CHECK_THROWS_MATCHES(
      narrow(x, 1, 3, 2), IndexError,
      Message("narrow: 2 elements from 3 along axis 1 of shape [2, 4], which has 4"));
  CHECK_THROWS_AS(narrow(x, 1, 1, std::numeric_limits<Index>::max()), IndexError);
  CHECK_THROWS_AS(narrow(x, 1, -1, 1), IndexError);
  CHECK(elements(select(x, 0, 1)) == Numbers{4, 5, 6, 7});
  CHECK(elements(select(x, -1, -1)) == Numbers{3, 7});
  CHECK_THROWS_MATCHES(select(x, 1, 4), IndexError,
                       Message("select: index 4 is outside axis 1 of shape [2, 4]"));
}

TEST_CASE("split gives pieces that share storage", "[shaping]") {
  const Tensor x = counted({5, 2});
  const auto pieces = split(x, 2);
  REQUIRE(pieces.size() == 3);
  CHECK(elements(pieces[1]) == Numbers{4, 5, 6, 7});
  CHECK(elements(pieces[2]) == Numbers{8, 9});
  CHECK(pieces[2].shares_storage_with(x));
  CHECK(split(x, 100, 1).size() == 1);
  CHECK(split(zeros({0, 2}), 3).size() == 1);
  CHECK(split(x, std::numeric_limits<Index>::max()).size() == 1);
  CHECK_THROWS_MATCHES(split(x, 0), Error,
                       Message("split: the size of a piece must be at least 1, got 0"));
}

TEST_CASE("concat and stack join any layouts", "[shaping]") {
  const Tensor x = counted({2, 2}), y = transpose(counted({3, 2}));
  CHECK(elements(concat({x, y}, 1)) == Numbers{0, 1, 0, 2, 4, 2, 3, 1, 3, 5});
  CHECK(elements(concat({x, x}, -2)) == Numbers{0, 1, 2, 3, 0, 1, 2, 3});
  CHECK(concat({zeros({0, 2}), zeros({3, 2})}).shape() == Shape{3, 2});
  CHECK(elements(stack({x, transpose(x)})) == Numbers{0, 1, 2, 3, 0, 2, 1, 3});
  CHECK(elements(stack({x, transpose(x)}, -1)) == Numbers{0, 0, 1, 2, 2, 1, 3, 3});
  CHECK(stack({scalar(1), scalar(2)}).to_vector<float>() == std::vector<float>{1, 2});
  CHECK_FALSE(concat({x}).shares_storage_with(x));
}

TEST_CASE("concat and stack say which shapes differ", "[shaping]") {
  const Tensor x = zeros({2, 3});
  CHECK_THROWS_MATCHES(concat({x, zeros({2, 4})}), ShapeError,
                       Message("concat: shapes differ outside axis 0: [2, 3] and [2, 4]"));
  CHECK_THROWS_MATCHES(concat({x, zeros({3})}), ShapeError,
                       Message("concat: shapes differ outside axis 0: [2, 3] and [3]"));
  CHECK_THROWS_MATCHES(stack({x, zeros({2, 4})}), ShapeError,
                       Message("stack: shapes differ: [2, 3] and [2, 4]"));
  CHECK_THROWS_MATCHES(concat({x, zeros({2, 3}, DType::f64)}), DTypeError,
                       Message("concat: dtypes differ: f32 and f64"));
  CHECK_THROWS_MATCHES(concat(std::span<const Tensor>()), Error, Message("concat: got no tensors"));
  CHECK_THROWS_AS(concat({scalar(1), scalar(2)}), ShapeError);
}

TEST_CASE("repeat tiles as NumPy's tile", "[shaping]") {
  const Tensor x = counted({2, 2});
  CHECK(elements(repeat(x, {2, 1})) == Numbers{0, 1, 2, 3, 0, 1, 2, 3});
  CHECK(elements(repeat(x, {1, 2})) == Numbers{0, 1, 0, 1, 2, 3, 2, 3});
  CHECK(elements(repeat(transpose(x), {2, 2})) ==
        Numbers{0, 2, 0, 2, 1, 3, 1, 3, 0, 2, 0, 2, 1, 3, 1, 3});
  CHECK(repeat(x, {3, 1, 2}).shape() == Shape{3, 2, 4});
  CHECK(repeat(x, {0, 2}).shape() == Shape{0, 4});
  CHECK(repeat(zeros({0, 2}), {2, 3}).shape() == Shape{0, 6});
  CHECK_FALSE(repeat(x, {1, 1}).shares_storage_with(x));
  const Shape eight = Shape::filled(max_rank, 2);
  CHECK(repeat(ones(eight), eight).shape() == Shape::filled(max_rank, 4));
  CHECK_THROWS_MATCHES(repeat(x, {2}), ShapeError,
                       Message("repeat: counts [2] for shape [2, 2]: an axis has no count"));
  CHECK_THROWS_MATCHES(repeat(x, {2, -1}), ShapeError,
                       Message("repeat: negative count in [2, -1] for shape [2, 2]"));
  CHECK_THROWS_AS(repeat(x, {1, std::numeric_limits<Index>::max()}), ShapeError);
  CHECK_THROWS_AS(repeat(x, {Index{1} << 40, Index{1} << 40}), ShapeError);
}

TEST_CASE("flip reverses the named axes of any layout", "[shaping]") {
  const Tensor x = counted({2, 3});
  CHECK(elements(flip(x, 0)) == Numbers{3, 4, 5, 0, 1, 2});
  CHECK(elements(flip(x, -1)) == Numbers{2, 1, 0, 5, 4, 3});
  CHECK(elements(flip(x, Axes::all())) == Numbers{5, 4, 3, 2, 1, 0});
  CHECK(flip(zeros({0, 3}), 0).shape() == Shape{0, 3});
  RandomEngine engine(22);
  for (int round = 0; round < 100; ++round) {
    const Tensor y = random_tensor<float>(engine, random_shape(engine));
    const Tensor flipped = flip(y, Axes::all());
    auto backwards = y.to_vector<float>();
    std::reverse(backwards.begin(), backwards.end());
    REQUIRE(flipped.to_vector<float>() == backwards);
  }
}

TEST_CASE("tril and triu keep one side of a diagonal", "[shaping]") {
  RandomEngine engine(23);
  for (const Index diagonal :
       {Index{-100}, Index{-4}, Index{-1}, Index{0}, Index{1}, Index{3},
        std::numeric_limits<Index>::max(), std::numeric_limits<Index>::min()}) {
    for (const Shape& shape : {Shape{3, 5}, Shape{5, 3}, Shape{2, 4, 4}, Shape{2, 0, 4}}) {
      const Tensor x = random_tensor<float>(engine, shape);
      const Tensor lower = tril(x, diagonal), upper = triu(x, diagonal);
      bool equal = true;
      for_each_index(shape, [&](const std::vector<Index>& indices, Index position) {
        const Index distance = indices.back() - indices[indices.size() - 2];
        const float value = broadcast_at<float>(x, indices);
        equal = equal && lower.data<float>()[position] == (distance <= diagonal ? value : 0) &&
                upper.data<float>()[position] == (distance >= diagonal ? value : 0);
      });
      CAPTURE(diagonal, to_string(shape));
      CHECK(equal);
    }
  }
  CHECK(tril(ones({2, 2}, DType::boolean)).to_vector<bool>() ==
        std::vector<bool>{true, false, true, true});
  CHECK_THROWS_MATCHES(tril(ones({3})), ShapeError,
                       Message("tril: needs at least 2 axes, got shape [3]"));
}

TEST_CASE("shaping refuses undefined tensors", "[shaping]") {
  CHECK_THROWS_MATCHES(reshape(Tensor(), {1}), Error, Message("reshape: got an undefined tensor"));
  CHECK_THROWS_MATCHES(transpose(Tensor()), Error, Message("transpose: got an undefined tensor"));
  CHECK_THROWS_MATCHES(concat({Tensor()}), Error, Message("concat: got an undefined tensor"));
}
