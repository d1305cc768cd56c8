// The matrix product of tensors: NumPy's rules for ranks, layouts read in place, errors.
#include <cmath>
#include <limits>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/matmul.hpp>
#include <tensorette/tensor/parallel.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "layouts.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::testing;
using Catch::Matchers::Message;

namespace {

/// One element of the product by a plain loop; `indices` count from the full, unsqueezed result.
template <class T>
double element(const Tensor& a, const Tensor& b, const std::vector<Index>& indices) {
  const auto at = [&](const Tensor& x, Index row, Index column) {
    std::vector<Index> place(indices.begin(), indices.end() - 2);
    place.push_back(row);
    place.push_back(column);
    return static_cast<double>(broadcast_at<T>(x, place));
  };
  const Index row = indices[indices.size() - 2], column = indices.back();
  double sum = 0;
  for (Index i = 0; i < a.size(-1); ++i) sum += at(a, row, i) * at(b, i, column);
  return sum;
}

/// matmul(a, b) for operands of rank 2 or more equals the plain loops. Elements are quarters of
/// small integers, so that all sums are exact.
template <class T>
bool equals_loops(const Tensor& product, const Tensor& a, const Tensor& b) {
  bool equal = product.is_contiguous();
  for_each_index(product.shape(), [&](const std::vector<Index>& indices, Index position) {
    equal = equal && static_cast<double>(product.data<T>()[position]) == element<T>(a, b, indices);
  });
  return equal;
}

template <class T>
Tensor random_dense(RandomEngine& engine, const Shape& shape) {
  Tensor x(shape, dtype_of<T>);
  T* elements = x.mutable_data<T>();
  for (Index i = 0; i < x.element_count(); ++i) elements[i] = random_element<T>(engine);
  return x;
}

}  // namespace

TEST_CASE("every pair of ranks follows NumPy", "[matmul][field][C04]") {
  const auto shape_of = [](const Shape& a, const Shape& b) {
    return matmul(ones(a), ones(b)).shape();
  };
  CHECK(shape_of({3}, {3}) == Shape{});
  CHECK(shape_of({2, 3}, {3}) == Shape{2});
  CHECK(shape_of({3}, {3, 4}) == Shape{4});
  CHECK(shape_of({5, 2, 3}, {3}) == Shape{5, 2});
  CHECK(shape_of({3}, {5, 3, 4}) == Shape{5, 4});
  CHECK(shape_of({7, 1, 2, 3}, {5, 3, 4}) == Shape{7, 5, 2, 4});
  CHECK_THROWS_MATCHES(shape_of({2, 3}, {2, 3}), ShapeError,
                       Message("matmul: inner sizes differ: [2, 3] · [2, 3] (3 vs 2)"));
  CHECK_THROWS_MATCHES(shape_of({3}, {4}), ShapeError,
                       Message("matmul: inner sizes differ: [3] · [4] (3 vs 4)"));
  CHECK_THROWS_MATCHES(shape_of({}, {3}), ShapeError,
                       Message("matmul: a scalar is not a matrix: [] · [3]"));
  CHECK_THROWS_MATCHES(
      shape_of({2, 2, 3}, {4, 3, 2}), ShapeError,
      Message("matmul: batch axes do not broadcast: [2, 2, 3] · [4, 3, 2] (2 vs 4)"));
}

TEST_CASE("vectors have the values of NumPy's products", "[matmul][field][C04]") {
  const Tensor a = tensor({{1, 2, 3}, {4, 5, 6}}), v = tensor({1, 10, 100});
  CHECK(matmul(v, v).item<float>() == 10101);
  CHECK(matmul(a, v).to_vector<float>() == std::vector<float>{321, 654});
  CHECK(matmul(v, transpose(a)).to_vector<float>() == std::vector<float>{321, 654});
  const Tensor batch = stack({a, a, a});
  CHECK(matmul(batch, v).to_vector<float>() == std::vector<float>{321, 654, 321, 654, 321, 654});
  CHECK(matmul(v, transpose(batch)).to_vector<float>() ==
        std::vector<float>{321, 654, 321, 654, 321, 654});
  const Tensor every_other = slice(tensor({1, 0, 10, 0, 100}), 0, 0, 5, 2);
  CHECK(matmul(a, every_other).to_vector<float>() == std::vector<float>{321, 654});
}

TEMPLATE_TEST_CASE("transposed operands need not be square", "[matmul][field][E06]", float,
                   double) {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}}, dtype_of<TestType>);
  const Tensor y = tensor({{1}, {-1}}, dtype_of<TestType>);
  const Tensor xt = transpose(x);
  CHECK(matmul(xt, x).to_vector<TestType>() ==
        std::vector<TestType>{17, 22, 27, 22, 29, 36, 27, 36, 45});
  CHECK(matmul(x, xt).to_vector<TestType>() == std::vector<TestType>{14, 32, 32, 77});
  CHECK(matmul(xt, y).to_vector<TestType>() == std::vector<TestType>{-3, -3, -3});
}

TEMPLATE_TEST_CASE("sizes of 1 and expanded axes have no leading dimension of their own",
                   "[matmul][field][E07]", float, double) {
  using T = TestType;
  RandomEngine engine(3);
  const auto check = [&](const Tensor& a, const Tensor& b) {
    CAPTURE(to_string(a.shape()), to_string(a.strides()), to_string(b.shape()),
            to_string(b.strides()));
    CHECK(equals_loops<T>(matmul(a, b), a, b));
    const Tensor at = transpose(a), bt = transpose(b);
    CHECK(equals_loops<T>(matmul(bt, at), bt, at));
  };
  check(random_dense<T>(engine, {3, 1}), random_dense<T>(engine, {1, 3}));
  check(random_dense<T>(engine, {1, 3}), random_dense<T>(engine, {3, 1}));
  check(random_dense<T>(engine, {1, 1}), random_dense<T>(engine, {1, 1}));
  check(expand(random_dense<T>(engine, {1, 2}), {3, 2}), random_dense<T>(engine, {2, 2}));
  check(random_dense<T>(engine, {2, 2}), expand(random_dense<T>(engine, {2, 1}), {2, 5}));
  check(expand(random_dense<T>(engine, {}), {3, 4}), expand(random_dense<T>(engine, {}), {4, 2}));
  check(slice(random_dense<T>(engine, {6, 1}), 0, 0, 6, 2),
        slice(random_dense<T>(engine, {1, 9}), 1, 0, 9, 3));
}

TEMPLATE_TEST_CASE("any batches and layouts equal plain loops", "[matmul]", float, double) {
  using T = TestType;
  RandomEngine engine(4);
  for (int round = 0; round < 300; ++round) {
    Shape batch;
    const int batch_rank = static_cast<int>(random_index(engine, 0, 3));
    for (int axis = 0; axis < batch_rank; ++axis)
      batch.push_back(random_index(engine, 0, 19) == 0 ? 0 : random_index(engine, 1, 4));
    const auto size = [&] {
      return random_index(engine, 0, 29) == 0 ? 0 : random_index(engine, 1, 20);
    };
    const Index m = size(), n = size(), k = size();
    Shape shape_a = batch, shape_b = random_part(engine, batch);
    if (random_index(engine, 0, 1) == 0) std::swap(shape_a, shape_b);
    shape_a.push_back(m);
    shape_a.push_back(k);
    shape_b.push_back(k);
    shape_b.push_back(n);
    const Tensor a = random_tensor<T>(engine, shape_a), b = random_tensor<T>(engine, shape_b);
    CAPTURE(to_string(a.shape()), to_string(a.strides()), to_string(b.shape()),
            to_string(b.strides()));
    const Tensor product = matmul(a, b);
    Shape expected = batch;
    expected.push_back(m);
    expected.push_back(n);
    REQUIRE(product.shape() == expected);
    REQUIRE(equals_loops<T>(product, a, b));
  }
}

TEMPLATE_TEST_CASE("heads are multiplied where they lie", "[matmul]", float, double) {
  using T = TestType;
  RandomEngine engine(5);
  // [batch, time, heads, head_dim] seen as [batch, heads, time, head_dim].
  const auto heads = [&] { return permute(random_dense<T>(engine, {2, 7, 3, 5}), {0, 2, 1, 3}); };
  const Tensor queries = heads(), keys = heads(), values = heads();
  const Tensor keys_t = transpose(keys);
  const Tensor raw = matmul(queries, keys_t);
  CHECK(equals_loops<T>(raw, queries, keys_t));
  CHECK(equals_loops<T>(matmul(raw, values), raw, values));
}

TEST_CASE("empty matrices and empty sums", "[matmul]") {
  CHECK(matmul(ones({0, 3}), ones({3, 4})).shape() == Shape{0, 4});
  CHECK(matmul(ones({2, 3}), ones({3, 0})).shape() == Shape{2, 0});
  CHECK(matmul(ones({2, 0}), ones({0, 3})).to_vector<float>() == std::vector<float>(6, 0));
  CHECK(matmul(ones({0}), ones({0})).item<float>() == 0);
  CHECK(matmul(ones({0, 2, 3}), ones({3, 4})).shape() == Shape{0, 2, 4});
}

TEST_CASE("NaN and infinity are not lost in zeros", "[matmul]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor a = tensor({{nan, 1}, {1, 1}});
  const Tensor product = matmul(a, zeros({2, 2}));
  CHECK(std::isnan(product.at<float>(0, 0)));
  CHECK(std::isnan(product.at<float>(0, 1)));
  CHECK(product.at<float>(1, 1) == 0);
  CHECK(std::isnan(matmul(zeros({2, 2}), a).at<float>(1, 0)));
}

TEST_CASE("only equal floating dtypes are multiplied", "[matmul]") {
  const Tensor f32 = ones({2, 2}), f64 = ones({2, 2}, DType::f64);
  const Tensor i64 = ones({2, 2}, DType::i64);
  CHECK_THROWS_MATCHES(matmul(f32, f64), DTypeError, Message("matmul: dtypes differ: f32 and f64"));
  CHECK_THROWS_MATCHES(matmul(i64, i64), DTypeError, Message("matmul: takes f32 or f64, got i64"));
  CHECK_THROWS_MATCHES(matmul(f32, Tensor()), Error, Message("matmul: got an undefined tensor"));
}

TEMPLATE_TEST_CASE("a product has the same bits for any number of threads", "[matmul]", float,
                   double) {
  RandomEngine engine(6);
  const std::pair<Shape, Shape> list[] = {{{8, 40, 64}, {64, 64}},
                                          {{6, 8, 33, 16}, {6, 8, 16, 33}},
                                          {{310, 330}, {330, 290}},
                                          {{64, 3000}, {3000, 64}},
                                          {{2000}, {2000, 300}}};
  for (const auto& [shape_a, shape_b] : list) {
    Tensor a = random_dense<TestType>(engine, shape_a), b = random_dense<TestType>(engine, shape_b);
    // Thirds, so that sums are rounded.
    for (Tensor* x : {&a, &b}) {
      TestType* elements = x->template mutable_data<TestType>();
      for (Index i = 0; i < x->element_count(); ++i) elements[i] /= TestType(3);
    }
    set_num_threads(1);
    const auto one = matmul(a, b).template to_vector<TestType>();
    set_num_threads(2);
    const auto two = matmul(a, b).template to_vector<TestType>();
    set_num_threads(0);
    CAPTURE(to_string(shape_a), to_string(shape_b));
    CHECK(one == two);
  }
}

TEMPLATE_TEST_CASE("matmul_into writes or adds in any layout of the target", "[matmul]", float,
                   double) {
  using T = TestType;
  RandomEngine engine(7);
  for (int round = 0; round < 200; ++round) {
    const auto size = [&] { return random_index(engine, 1, 14); };
    const Index count = random_index(engine, 1, 3), m = size(), n = size(), k = size();
    const Tensor a = random_tensor<T>(engine, {count, m, k});
    const Tensor b = random_tensor<T>(engine, round % 2 == 0 ? Shape{k, n} : Shape{count, k, n});
    Tensor target = random_tensor<T>(engine, {count, m, n}, false);
    const bool accumulate = round % 3 != 0;
    const Tensor before = target.clone();
    matmul_into(target, a, b, accumulate);
    CAPTURE(to_string(a.strides()), to_string(b.shape()), to_string(b.strides()),
            to_string(target.shape()), to_string(target.strides()), accumulate);
    bool equal = true;
    for_each_index(target.shape(), [&](const std::vector<Index>& indices, Index position) {
      const double old = accumulate ? static_cast<double>(before.data<T>()[position]) : 0;
      const auto got = static_cast<double>(broadcast_at<T>(target, indices));
      equal = equal && got == old + element<T>(a, b, indices);
    });
    REQUIRE(equal);
  }
}

TEST_CASE("matmul_into takes vectors and scalar targets", "[matmul]") {
  const Tensor v = tensor({1, 2, 3}), a = tensor({{1, 0, 0}, {0, 1, 1}});
  Tensor dot = ones({});
  matmul_into(dot, v, v, true);
  CHECK(dot.item<float>() == 15);
  Tensor column = select(zeros({2, 2}), 1, 1);
  matmul_into(column, a, v);
  CHECK(column.to_vector<float>() == std::vector<float>{1, 5});
  Tensor row = ones({2});
  matmul_into(row, v, transpose(a), true);
  CHECK(row.to_vector<float>() == std::vector<float>{2, 6});
}

TEST_CASE("matmul_into may overlap its operands", "[matmul][field][E09]") {
  Tensor x = tensor({{1, 2}, {3, 4}});
  matmul_into(x, x, x);
  CHECK(x.to_vector<float>() == std::vector<float>{7, 10, 15, 22});
  Tensor y = tensor({{1, 2}, {3, 4}});
  matmul_into(y, y, transpose(y), true);
  CHECK(y.to_vector<float>() == std::vector<float>{6, 13, 14, 29});
}

TEST_CASE("matmul_into refuses a target that does not fit, and leaves it alone",
          "[matmul][field][C10]") {
  const Tensor a = ones({2, 3}), b = ones({3, 4});
  Tensor target = ones({1, 2, 4});
  CHECK_THROWS_MATCHES(
      matmul_into(target, a, b), ShapeError,
      Message("matmul_into: [2, 3] · [3, 4] has shape [2, 4], the target has [1, 2, 4]"));
  CHECK(target.to_vector<float>() == std::vector<float>(8, 1));
  Tensor wrong_dtype = ones({2, 4}, DType::f64);
  CHECK_THROWS_MATCHES(matmul_into(wrong_dtype, a, b), DTypeError,
                       Message("matmul_into: dtypes differ: f64 and f32"));
}
