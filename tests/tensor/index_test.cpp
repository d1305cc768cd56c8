// Picking and collecting by index, against plain loops.
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/index.hpp>
#include <tensorette/tensor/parallel.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "layouts.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::testing;
using Ids = std::vector<std::int64_t>;

namespace {

Tensor random_ids(RandomEngine& engine, const Shape& shape, Index size) {
  Tensor ids(shape, DType::i64);
  Index* id = ids.mutable_data<Index>();
  for (Index i = 0; i < ids.element_count(); ++i) id[i] = random_index(engine, 0, size - 1);
  return ids;
}

}  // namespace

TEST_CASE("take_rows picks rows for ids of any shape") {
  const Tensor table = tensor({{0, 1}, {10, 11}, {20, 21}});
  const Tensor ids = from_vector(Ids{2, 0, 2, 1}, {2, 2});
  const Tensor rows = take_rows(table, ids);
  CHECK(rows.shape() == Shape{2, 2, 2});
  CHECK(rows.to_vector<float>() == std::vector<float>{20, 21, 0, 1, 20, 21, 10, 11});
  CHECK(take_rows(transpose(tensor({{0, 10}, {1, 11}})), from_vector(Ids{1})).to_vector<float>() ==
        std::vector<float>{10, 11});
  CHECK(take_rows(table, scalar(1, DType::i64)).shape() == Shape{2});
  CHECK(take_rows(table, zeros({0}, DType::i64)).shape() == Shape{0, 2});
}

TEST_CASE("ids outside the table are named", "[field][B25]") {
  const Tensor table = ones({4, 3});
  for (const std::int64_t id : {std::int64_t{-1}, std::int64_t{4}, std::int64_t{1} << 31}) {
    CHECK_THROWS_AS(take_rows(table, from_vector(Ids{0, id})), IndexError);
    CHECK_THROWS_WITH(take_rows(table, from_vector(Ids{0, id})),
                      "take_rows: id " + std::to_string(id) + " at position [1] is outside [0, 4)");
  }
  CHECK_THROWS_WITH(take_rows(table, from_vector(Ids{0, 1, 7, 9}, {1, 4})),
                    "take_rows: id 7 at position [0, 2] is outside [0, 4)");
  CHECK_THROWS_WITH(take_rows(table, ones({2})), "take_rows: ids are i64, got f32");
  CHECK_THROWS_WITH(take_rows(ones({4}), from_vector(Ids{0})),
                    "take_rows: the table has two axes, got shape [4]");
  CHECK_THROWS_AS(one_hot(from_vector(Ids{3}), 3), IndexError);
  CHECK_THROWS_AS(gather(table, 0, from_vector(Ids{4, 0, 0}, {1, 3})), IndexError);
  CHECK_THROWS_AS(scatter_add(table, 1, from_vector(Ids{3}, {1, 1}), ones({1, 1})), IndexError);
}

TEST_CASE("sum_rows is the transpose of take_rows") {
  RandomEngine engine(3);
  for (int round = 0; round < 30; ++round) {
    const Index rows = random_index(engine, 1, 9);
    const Index width = random_index(engine, 0, 70);
    const Index count = random_index(engine, 0, 40);
    const Tensor ids = random_ids(engine, {count}, rows);
    const Tensor updates = random_tensor<float>(engine, {count, width});
    const Tensor sums = sum_rows(updates, ids, rows);
    std::vector<float> expected(static_cast<std::size_t>(rows * width), 0.0F);
    for (Index i = 0; i < count; ++i)
      for (Index c = 0; c < width; ++c)
        expected[static_cast<std::size_t>(ids.at<std::int64_t>(i) * width + c)] +=
            updates.at<float>(i, c);
    REQUIRE(sums.shape() == Shape{rows, width});
    REQUIRE(sums.to_vector<float>() == expected);
  }
  CHECK_THROWS_WITH(sum_rows(ones({3, 2}), from_vector(Ids{0, 1}), 2),
                    "sum_rows: updates have the shape of the ids and a width: updates [3, 2], "
                    "ids [2]");
}

TEST_CASE("sum_rows adds in one order for any number of threads") {
  RandomEngine engine(4);
  const Tensor ids = random_ids(engine, {3000}, 7);
  Tensor updates({3000, 40});
  float* element = updates.mutable_data<float>();
  for (Index i = 0; i < updates.element_count(); ++i)
    element[i] = 1.0F / static_cast<float>(1 + i % 977);
  set_num_threads(1);
  const Tensor alone = sum_rows(updates, ids, 7);
  set_num_threads(4);
  const Tensor together = sum_rows(updates, ids, 7);
  set_num_threads(0);
  CHECK(identical(alone, together));
}

TEST_CASE("index_select along any axis") {
  const Tensor x = reshape(arange(24), {2, 3, 4});
  const Tensor picked = index_select(x, 1, from_vector(Ids{2, 0}));
  CHECK(picked.shape() == Shape{2, 2, 4});
  CHECK(picked.at<std::int64_t>(1, 0, 3) == 23);
  CHECK(picked.at<std::int64_t>(1, 1, 0) == 12);
  CHECK(index_select(transpose(x), -1, from_vector(Ids{1})).at<std::int64_t>(1, 3, 0) == 19);
  CHECK(index_select(ones({2}, DType::boolean), 0, from_vector(Ids{1, 1, 0})).shape() == Shape{3});
  CHECK_THROWS_WITH(index_select(x, 0, from_vector(Ids{2})),
                    "index_select: id 2 at position [0] is outside [0, 2)");
  CHECK_THROWS_WITH(index_select(x, 0, zeros({1, 1}, DType::i64)),
                    "index_select: indices have one axis, got shape [1, 1]");
}

TEST_CASE("gather and scatter_add agree with plain loops") {
  RandomEngine engine(5);
  for (int round = 0; round < 200; ++round) {
    const Shape shape = random_shape(engine);
    if (shape.rank() == 0 || shape.element_count() == 0) continue;
    const int axis = static_cast<int>(random_index(engine, 0, shape.rank() - 1));
    Shape picked = shape;
    for (int i = 0; i < shape.rank(); ++i)
      picked[i] = i == axis ? random_index(engine, 0, 5) : random_index(engine, 0, shape[i]);
    const Tensor x = random_tensor<float>(engine, shape);
    const Tensor ids = random_ids(engine, picked, shape[axis]);
    const Tensor source = random_tensor<float>(engine, picked);
    const auto gathered = gather(x, axis, ids).to_vector<float>();
    std::vector<float> sums = x.to_vector<float>();
    const Strides strides = row_major_strides(shape);
    for_each_index(picked, [&](std::vector<Index> at, Index position) {
      const float update = source.at<float>(std::span<const Index>(at));
      at[static_cast<std::size_t>(axis)] = ids.data<Index>()[position];
      REQUIRE(gathered[static_cast<std::size_t>(position)] ==
              x.at<float>(std::span<const Index>(at)));
      Index target = 0;
      for (int i = 0; i < shape.rank(); ++i) target += at[static_cast<std::size_t>(i)] * strides[i];
      sums[static_cast<std::size_t>(target)] += update;
    });
    const auto before = x.to_vector<float>();
    REQUIRE(scatter_add(x, axis, ids, source).to_vector<float>() == sums);
    REQUIRE(x.to_vector<float>() == before);
  }
}

TEST_CASE("gather and scatter_add refuse shapes that do not fit") {
  const Tensor x = ones({2, 3});
  CHECK_THROWS_WITH(gather(x, 1, zeros({3, 1}, DType::i64)),
                    "gather: indices [3, 1] do not fit into [2, 3] beside axis 1");
  CHECK_THROWS_WITH(scatter_add(x, 0, zeros({1, 3}, DType::i64), ones({1, 2})),
                    "scatter_add: indices [1, 3] and source [1, 2] differ");
  CHECK_THROWS_WITH(scatter_add(x, 0, zeros({1, 3}, DType::i64), ones({1, 3}, DType::f64)),
                    "scatter_add: dtypes differ: f32 and f64");
}

TEST_CASE("one_hot marks each id") {
  const Tensor marks = one_hot(from_vector(Ids{1, 0}), 3);
  CHECK(marks.shape() == Shape{2, 3});
  CHECK(marks.to_vector<float>() == std::vector<float>{0, 1, 0, 1, 0, 0});
  CHECK(one_hot(scalar(2, DType::i64), 3, DType::i64).to_vector<std::int64_t>() == Ids{0, 0, 1});
  CHECK_THROWS_WITH(one_hot(from_vector(Ids{-1}), 3),
                    "one_hot: id -1 at position [0] is outside [0, 3)");
}
