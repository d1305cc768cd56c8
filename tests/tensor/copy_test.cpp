// Copies between layouts and dtypes against reading element by element.
#include <cmath>
#include <limits>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/kernels/copy.hpp>
#include <tensorette/tensor/parallel.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "layouts.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::testing;

namespace {

/// Every element of `a` equals that of `b` at the same indices.
template <class T>
bool equal_elements(const Tensor& a, const Tensor& b) {
  bool equal = true;
  for_each_index(a.shape(), [&](const std::vector<Index>& indices, Index) {
    equal = equal && broadcast_at<T>(a, indices) == broadcast_at<T>(b, indices);
  });
  return equal;
}

template <class T>
std::vector<T> memory_of(const Tensor& x) {
  const T* first = reinterpret_cast<const T*>(x.storage()->data());
  return std::vector<T>(first, first + x.storage()->bytes() / sizeof(T));
}

/// Elements 0, 1, 2, ... in row-major order.
template <class T>
Tensor counted(const Shape& shape) {
  Tensor x(shape, dtype_of<T>);
  T* elements = x.mutable_data<T>();
  for (Index i = 0; i < x.element_count(); ++i) elements[i] = static_cast<T>(i % 251);
  return x;
}

template <class T>
void check_dense_copies(const Tensor& view) {
  for (const int threads : {1, 2}) {
    set_num_threads(threads);
    Tensor target(view.shape(), view.dtype());
    kernels::copy_elements(view, target);
    CAPTURE(to_string(view.shape()), to_string(view.strides()), threads);
    CHECK(equal_elements<T>(view, target));
  }
  set_num_threads(0);
}

}  // namespace

TEMPLATE_TEST_CASE("copies reach every element of the target and nothing beside it", "[copy]",
                   float, double, std::int64_t, bool) {
  using T = TestType;
  RandomEngine engine(11);
  for (int round = 0; round < 300; ++round) {
    const Shape shape = random_shape(engine);
    const Tensor source = random_tensor<T>(engine, shape);
    Tensor target = random_tensor<T>(engine, shape, false);
    const std::vector<T> before = memory_of<T>(target);
    kernels::copy_elements(source, target);
    CAPTURE(to_string(shape), to_string(source.strides()), to_string(target.strides()));
    REQUIRE(equal_elements<T>(source, target));
    std::vector<T> expected = before;
    for_each_index(shape, [&](const std::vector<Index>& indices, Index) {
      Index position = target.offset();
      for (std::size_t axis = 0; axis < indices.size(); ++axis)
        position += indices[axis] * target.strides()[static_cast<int>(axis)];
      expected[static_cast<std::size_t>(position)] = broadcast_at<T>(source, indices);
    });
    REQUIRE(memory_of<T>(target) == expected);
  }
}

TEMPLATE_TEST_CASE("large copies of every pattern, on one thread and two", "[copy]", float, double,
                   std::int64_t, bool) {
  using T = TestType;
  check_dense_copies<T>(counted<T>({200003}));
  check_dense_copies<T>(transpose(counted<T>({257, 300})));
  check_dense_copies<T>(transpose(counted<T>({2, 70001})));
  check_dense_copies<T>(transpose(counted<T>({70001, 2})));
  check_dense_copies<T>(permute(counted<T>({9, 65, 4, 33}), {0, 2, 1, 3}));
  check_dense_copies<T>(permute(counted<T>({9, 65, 4, 33}), {3, 1, 0, 2}));
  check_dense_copies<T>(permute(counted<T>({9, 65, 4, 33}), {0, 1, 3, 2}));
  check_dense_copies<T>(expand(counted<T>({90000, 1}), {90000, 3}));
  check_dense_copies<T>(expand(counted<T>({333}), {300, 333}));
  check_dense_copies<T>(slice(counted<T>({100, 2000}), 1, 3, 1999, 2));
  check_dense_copies<T>(narrow(counted<T>({300, 400}), 1, 7, 350));
}

TEST_CASE("conversions follow C++ for numbers and truth for booleans", "[copy]") {
  const Tensor x = tensor({-2.75, -0.5, 0, 0.5, 3.99}, DType::f64);
  CHECK(x.to(DType::f32).to_vector<float>() == std::vector<float>{-2.75f, -0.5f, 0, 0.5f, 3.99f});
  CHECK(x.to(DType::i64).to_vector<std::int64_t>() == std::vector<std::int64_t>{-2, 0, 0, 0, 3});
  CHECK(x.to(DType::boolean).to_vector<bool>() == std::vector<bool>{true, true, false, true, true});
  const Tensor mask = tensor({1, 0, 1}, DType::boolean);
  CHECK(mask.to(DType::f32).to_vector<float>() == std::vector<float>{1, 0, 1});
  CHECK(mask.to(DType::i64).to_vector<std::int64_t>() == std::vector<std::int64_t>{1, 0, 1});
}

TEMPLATE_TEST_CASE("numbers no integer can hold saturate, NaN becomes 0", "[copy]", float, double) {
  using T = TestType;
  using Limits = std::numeric_limits<std::int64_t>;
  const T infinity = std::numeric_limits<T>::infinity();
  const std::vector<T> values{infinity,
                              -infinity,
                              T(1e30),
                              T(-1e30),
                              T(9223372036854775808.0),
                              T(-9223372036854775808.0),
                              std::numeric_limits<T>::quiet_NaN()};
  const Tensor x = from_vector(values);
  CHECK(x.to(DType::i64).to_vector<std::int64_t>() ==
        std::vector<std::int64_t>{Limits::max(), Limits::min(), Limits::max(), Limits::min(),
                                  Limits::max(), Limits::min(), 0});
  CHECK(x.to(DType::boolean).to_vector<bool>() == std::vector<bool>(values.size(), true));
}

TEST_CASE("conversions read any layout", "[copy]") {
  RandomEngine engine(12);
  for (int round = 0; round < 200; ++round) {
    const Tensor source = random_tensor<float>(engine, random_shape(engine));
    const Tensor converted = source.to(DType::f64);
    REQUIRE(converted.is_contiguous());
    REQUIRE(converted.shape() == source.shape());
    bool equal = true;
    for_each_index(source.shape(), [&](const std::vector<Index>& indices, Index position) {
      equal = equal && converted.data<double>()[position] ==
                           static_cast<double>(broadcast_at<float>(source, indices));
    });
    CAPTURE(to_string(source.shape()), to_string(source.strides()));
    REQUIRE(equal);
  }
}
