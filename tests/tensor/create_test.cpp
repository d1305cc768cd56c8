// Making tensors: values, shapes, dtypes, and what is refused.
#include <cmath>
#include <limits>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/memory.hpp>

#include "tensorette_test.hpp"

namespace tt = tensorette;
using Catch::Matchers::Message;
using tt::DType;
using tt::Index;
using tt::Shape;
using tt::Tensor;

TEST_CASE("zeros, ones and full", "[create]") {
  CHECK(tt::zeros({2, 2}).to_vector<float>() == std::vector<float>(4, 0));
  CHECK(tt::ones({3}, DType::f64).to_vector<double>() == std::vector<double>(3, 1));
  CHECK(tt::full({2}, 7, DType::i64).to_vector<Index>() == std::vector<Index>(2, 7));
  CHECK(tt::full({2}, true, DType::boolean).to_vector<bool>() == std::vector<bool>(2, true));
  CHECK(tt::full({}, 0.5).item<float>() == 0.5F);
  CHECK(tt::ones({2, 0, 3}).shape() == Shape{2, 0, 3});
  CHECK(tt::zeros({0}, DType::boolean).to_vector<bool>().empty());
  CHECK(tt::scalar(3, DType::i64).item<Index>() == 3);
  CHECK(tt::scalar(1.5).shape() == Shape{});

  const Tensor like = tt::ones({2, 3}, DType::f64);
  CHECK(tt::zeros_like(like).dtype() == DType::f64);
  CHECK(tt::empty_like(like).shape() == like.shape());
  CHECK(tt::ones_like(like).to_vector<double>() == std::vector<double>(6, 1));
  CHECK(tt::full_like(like, 2.5).at<double>(1, 2) == 2.5);
  CHECK_FALSE(tt::zeros_like(like).shares_storage_with(like));

  CHECK_THROWS_MATCHES(tt::full({2}, 0.5, DType::i64), tt::DTypeError,
                       Message("full: the number 0.5 is not an integer and the tensor is i64"));
  CHECK_THROWS_MATCHES(tt::zeros_like(Tensor()), tt::Error,
                       Message("zeros_like: got an undefined tensor"));
}

TEST_CASE("impossible shapes throw before memory is asked for", "[create][field][C05]") {
  const Index big = Index{1} << 33;
  CHECK_THROWS_AS(tt::zeros({big, Index{1} << 31}), tt::ShapeError);
  CHECK_THROWS_AS(tt::zeros({1 << 16, 1 << 16, 1 << 16, 1 << 16}), tt::ShapeError);
  CHECK_THROWS_AS(tt::zeros({-1, 3}), tt::ShapeError);
  CHECK_THROWS_AS(tt::ones({0, -3}), tt::ShapeError);
}

TEST_CASE("sizes beyond all memory are named in the error", "[create]") {
  for (const int power : {45, 50, 58}) {
    const Index count = Index{1} << power;
    const std::string size = std::to_string(count);
    const std::string bytes = std::to_string(4 * count);
    CHECK_THROWS_MATCHES(
        tt::zeros({count}), tt::Error,
        Message("tensor: no memory for shape [" + size + "] of f32: " + bytes + " bytes"));
  }
  CHECK_THROWS_AS(tt::memory::allocate(std::size_t{1} << 60), std::bad_alloc);
}

TEST_CASE("arange counts like NumPy", "[create]") {
  using Integers = std::vector<Index>;
  CHECK(tt::arange(4).to_vector<Index>() == Integers{0, 1, 2, 3});
  CHECK(tt::arange(2, 11, 3).to_vector<Index>() == Integers{2, 5, 8});
  CHECK(tt::arange(5, 0, -2).to_vector<Index>() == Integers{5, 3, 1});
  CHECK(tt::arange(3, 3).to_vector<Index>().empty());
  CHECK(tt::arange(3, 1).shape() == Shape{0});
  CHECK(tt::arange(0).shape() == Shape{0});
  CHECK(tt::arange(3, 0, 1).shape() == Shape{0});
  CHECK(tt::arange(0, 1, 0.25).to_vector<float>() == std::vector<float>{0, 0.25F, 0.5F, 0.75F});
  CHECK(tt::arange(3, 0, -1.5).to_vector<float>() == std::vector<float>{3, 1.5F});
  CHECK(tt::arange(0, 3, 1, DType::f64).to_vector<double>() == std::vector<double>{0, 1, 2});
  // Each number comes from its own product, so that a long range does not drift.
  const Tensor tenths = tt::arange(0, 1000, 0.1, DType::f64);
  CHECK(tenths.size(0) == 10000);
  CHECK(tenths.at<double>(9999) == 9999 * 0.1);
  constexpr auto highest = std::numeric_limits<Index>::max();
  CHECK(tt::arange(highest - 2, highest, 1).to_vector<Index>() ==
        Integers{highest - 2, highest - 1});
  CHECK(tt::arange(-highest - 1, highest, highest).to_vector<Index>() ==
        Integers{-highest - 1, -1, highest - 1});

  CHECK_THROWS_MATCHES(tt::arange(0, 3, 0), tt::Error, Message("arange: the step is 0"));
  CHECK_THROWS_AS(tt::arange(0.0, 3.0, 0.0), tt::Error);
  CHECK_THROWS_AS(tt::arange(0.0, INFINITY), tt::Error);
  CHECK_THROWS_AS(tt::arange(0, 3, 0.5, DType::i64), tt::DTypeError);
  CHECK_THROWS_AS(tt::arange(0, 2, 1, DType::boolean), tt::DTypeError);
  CHECK_THROWS_AS(tt::arange(0.0, 1e300), tt::ShapeError);
}

TEST_CASE("linspace includes both ends", "[create]") {
  CHECK(tt::linspace(0, 1, 5).to_vector<float>() == std::vector<float>{0, 0.25F, 0.5F, 0.75F, 1});
  CHECK(tt::linspace(2, -2, 3, DType::f64).to_vector<double>() == std::vector<double>{2, 0, -2});
  CHECK(tt::linspace(3, 9, 1).to_vector<float>() == std::vector<float>{3});
  CHECK(tt::linspace(3, 9, 0).shape() == Shape{0});
  const Tensor x = tt::linspace(0.1, 0.7, 1001, DType::f64);
  CHECK(x.at<double>(0) == 0.1);
  CHECK(x.at<double>(-1) == 0.7);
  CHECK(x.at<double>(500) == Catch::Approx(0.4).epsilon(1e-15));
  CHECK_THROWS_MATCHES(tt::linspace(0, 1, -1), tt::Error,
                       Message("linspace: -1 numbers asked for"));
  CHECK_THROWS_AS(tt::linspace(0, INFINITY, 3), tt::Error);
  CHECK_THROWS_MATCHES(tt::linspace(0, 1, 3, DType::i64), tt::DTypeError,
                       Message("linspace: takes f32 or f64, got i64"));
}

TEST_CASE("eye has ones on its diagonal", "[create]") {
  CHECK(tt::eye(2).to_vector<float>() == std::vector<float>{1, 0, 0, 1});
  CHECK(tt::eye(2, 3, DType::i64).to_vector<Index>() == std::vector<Index>{1, 0, 0, 0, 1, 0});
  CHECK(tt::eye(3, 1).to_vector<float>() == std::vector<float>{1, 0, 0});
  CHECK(tt::eye(0).shape() == Shape{0, 0});
  CHECK_THROWS_AS(tt::eye(-2), tt::ShapeError);
}

TEST_CASE("tensors from spans and vectors are copies", "[create]") {
  std::vector<float> values{1, 2, 3, 4, 5, 6};
  const Tensor x = tt::from_vector(values, {2, 3});
  values[0] = 9;
  CHECK(x.at<float>(0, 0) == 1);
  CHECK(x.at<float>(1, 2) == 6);
  const bool flags[] = {true, false};
  CHECK(tt::from_span<bool>(flags, {2, 1}).to_vector<bool>() == std::vector<bool>{true, false});
  CHECK(tt::from_vector<bool>({true, false}).dtype() == DType::boolean);
  CHECK(tt::from_vector<Index>({}).shape() == Shape{0});
  CHECK_THROWS_MATCHES(tt::from_vector(values, {2, 2}), tt::ShapeError,
                       Message("from_vector: 6 values do not fill shape [2, 2]"));
  CHECK_THROWS_MATCHES(tt::from_span<float>(values, {7}), tt::ShapeError,
                       Message("from_span: 6 values do not fill shape [7]"));
}

TEST_CASE("tensors from nested lists", "[create]") {
  CHECK(tt::tensor({1, 2, 3}).shape() == Shape{3});
  const Tensor x = tt::tensor({{1, 2, 3}, {4, 5, 6}});
  CHECK(x.shape() == Shape{2, 3});
  CHECK(x.dtype() == DType::f32);
  CHECK(x.to_vector<float>() == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(tt::tensor({{{1}, {2}}, {{3}, {4}}}, DType::f64).shape() == Shape{2, 2, 1});
  CHECK(tt::tensor({1, 0}, DType::boolean).to_vector<bool>() == std::vector<bool>{true, false});
  CHECK(tt::tensor({}).shape() == Shape{0});
  CHECK_THROWS_AS(tt::tensor({{1, 2}, {3}}), tt::ShapeError);
  CHECK_THROWS_AS(tt::tensor({{1, 2}, 3}), tt::ShapeError);
  CHECK_THROWS_AS(tt::tensor({1, {2, 3}}), tt::ShapeError);
  CHECK_THROWS_MATCHES(tt::tensor({1, 0.5}, DType::i64), tt::DTypeError,
                       Message("tensor: the number 0.5 is not an integer and the tensor is i64"));
}
