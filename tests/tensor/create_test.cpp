// Making tensors: values, shapes, dtypes, and what is refused.
#include <cmath>
#include <limits>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/memory.hpp>

#include "tensorette_test.hpp"

using namespace tensorette;
using Catch::Matchers::Message;

TEST_CASE("zeros, ones and full", "[create]") {
  CHECK(zeros({2, 2}).to_vector<float>() == std::vector<float>(4, 0));
  CHECK(ones({3}, DType::f64).to_vector<double>() == std::vector<double>(3, 1));
  CHECK(full({2}, 7, DType::i64).to_vector<Index>() == std::vector<Index>(2, 7));
  CHECK(full({2}, true, DType::boolean).to_vector<bool>() == std::vector<bool>(2, true));
  CHECK(full({}, 0.5).item<float>() == 0.5F);
  CHECK(ones({2, 0, 3}).shape() == Shape{2, 0, 3});
  CHECK(zeros({0}, DType::boolean).to_vector<bool>().empty());
  CHECK(scalar(3, DType::i64).item<Index>() == 3);
  CHECK(scalar(1.5).shape() == Shape{});

  const Tensor like = ones({2, 3}, DType::f64);
  CHECK(zeros_like(like).dtype() == DType::f64);
  CHECK(empty_like(like).shape() == like.shape());
  CHECK(ones_like(like).to_vector<double>() == std::vector<double>(6, 1));
  CHECK(full_like(like, 2.5).at<double>(1, 2) == 2.5);
  CHECK_FALSE(zeros_like(like).shares_storage_with(like));

  CHECK_THROWS_MATCHES(full({2}, 0.5, DType::i64), DTypeError,
                       Message("full: the number 0.5 is not an integer and the tensor is i64"));
  CHECK_THROWS_MATCHES(zeros_like(Tensor()), Error, Message("zeros_like: got an undefined tensor"));
}

TEST_CASE("impossible shapes throw before memory is asked for", "[create][field][C05]") {
  const Index big = Index{1} << 33;
  CHECK_THROWS_AS(zeros({big, Index{1} << 31}), ShapeError);
  CHECK_THROWS_AS(zeros({1 << 16, 1 << 16, 1 << 16, 1 << 16}), ShapeError);
  CHECK_THROWS_AS(zeros({-1, 3}), ShapeError);
  CHECK_THROWS_AS(ones({0, -3}), ShapeError);
}

TEST_CASE("sizes beyond all memory are named in the error", "[create]") {
  for (const int power : {45, 50, 58}) {
    const Index count = Index{1} << power;
    const std::string size = std::to_string(count);
    const std::string bytes = std::to_string(4 * count);
    CHECK_THROWS_MATCHES(
        zeros({count}), Error,
        Message("tensor: no memory for shape [" + size + "] of f32: " + bytes + " bytes"));
  }
  CHECK_THROWS_AS(memory::allocate(std::size_t{1} << 60), std::bad_alloc);
}

TEST_CASE("arange counts like NumPy", "[create]") {
  using Integers = std::vector<Index>;
  CHECK(arange(4).to_vector<Index>() == Integers{0, 1, 2, 3});
  CHECK(arange(2, 11, 3).to_vector<Index>() == Integers{2, 5, 8});
  CHECK(arange(5, 0, -2).to_vector<Index>() == Integers{5, 3, 1});
  CHECK(arange(3, 3).to_vector<Index>().empty());
  CHECK(arange(3, 1).shape() == Shape{0});
  CHECK(arange(0).shape() == Shape{0});
  CHECK(arange(3, 0, 1).shape() == Shape{0});
  CHECK(arange(0, 1, 0.25).to_vector<float>() == std::vector<float>{0, 0.25F, 0.5F, 0.75F});
  CHECK(arange(3, 0, -1.5).to_vector<float>() == std::vector<float>{3, 1.5F});
  CHECK(arange(0, 3, 1, DType::f64).to_vector<double>() == std::vector<double>{0, 1, 2});
  // Each number comes from its own product, so that a long range does not drift.
  const Tensor tenths = arange(0, 1000, 0.1, DType::f64);
  CHECK(tenths.size(0) == 10000);
  CHECK(tenths.at<double>(9999) == 9999 * 0.1);
  constexpr auto highest = std::numeric_limits<Index>::max();
  CHECK(arange(highest - 2, highest, 1).to_vector<Index>() == Integers{highest - 2, highest - 1});
  CHECK(arange(-highest - 1, highest, highest).to_vector<Index>() ==
        Integers{-highest - 1, -1, highest - 1});

  CHECK_THROWS_MATCHES(arange(0, 3, 0), Error, Message("arange: the step is 0"));
  CHECK_THROWS_AS(arange(0.0, 3.0, 0.0), Error);
  CHECK_THROWS_AS(arange(0.0, INFINITY), Error);
  CHECK_THROWS_AS(arange(0, 3, 0.5, DType::i64), DTypeError);
  CHECK_THROWS_AS(arange(0, 2, 1, DType::boolean), DTypeError);
  CHECK_THROWS_AS(arange(0.0, 1e300), ShapeError);
}

TEST_CASE("linspace includes both ends", "[create]") {
  CHECK(linspace(0, 1, 5).to_vector<float>() == std::vector<float>{0, 0.25F, 0.5F, 0.75F, 1});
  CHECK(linspace(2, -2, 3, DType::f64).to_vector<double>() == std::vector<double>{2, 0, -2});
  CHECK(linspace(3, 9, 1).to_vector<float>() == std::vector<float>{3});
  CHECK(linspace(3, 9, 0).shape() == Shape{0});
  const Tensor x = linspace(0.1, 0.7, 1001, DType::f64);
  CHECK(x.at<double>(0) == 0.1);
  CHECK(x.at<double>(-1) == 0.7);
  CHECK(x.at<double>(500) == Catch::Approx(0.4).epsilon(1e-15));
  CHECK_THROWS_MATCHES(linspace(0, 1, -1), Error, Message("linspace: -1 numbers asked for"));
  CHECK_THROWS_AS(linspace(0, INFINITY, 3), Error);
  CHECK_THROWS_MATCHES(linspace(0, 1, 3, DType::i64), DTypeError,
                       Message("linspace: takes f32 or f64, got i64"));
}

TEST_CASE("eye has ones on its diagonal", "[create]") {
  CHECK(eye(2).to_vector<float>() == std::vector<float>{1, 0, 0, 1});
  CHECK(eye(2, 3, DType::i64).to_vector<Index>() == std::vector<Index>{1, 0, 0, 0, 1, 0});
  CHECK(eye(3, 1).to_vector<float>() == std::vector<float>{1, 0, 0});
  CHECK(eye(0).shape() == Shape{0, 0});
  CHECK_THROWS_AS(eye(-2), ShapeError);
}

TEST_CASE("tensors from spans and vectors are copies", "[create]") {
  std::vector<float> values{1, 2, 3, 4, 5, 6};
  const Tensor x = from_vector(values, {2, 3});
  values[0] = 9;
  CHECK(x.at<float>(0, 0) == 1);
  CHECK(x.at<float>(1, 2) == 6);
  const bool flags[] = {true, false};
  CHECK(from_span<bool>(flags, {2, 1}).to_vector<bool>() == std::vector<bool>{true, false});
  CHECK(from_vector<bool>({true, false}).dtype() == DType::boolean);
  CHECK(from_vector<Index>({}).shape() == Shape{0});
  CHECK_THROWS_MATCHES(from_vector(values, {2, 2}), ShapeError,
                       Message("from_vector: 6 values do not fill shape [2, 2]"));
  CHECK_THROWS_MATCHES(from_span<float>(values, {7}), ShapeError,
                       Message("from_span: 6 values do not fill shape [7]"));
}

TEST_CASE("tensors from nested lists", "[create]") {
  CHECK(tensor({1, 2, 3}).shape() == Shape{3});
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  CHECK(x.shape() == Shape{2, 3});
  CHECK(x.dtype() == DType::f32);
  CHECK(x.to_vector<float>() == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(tensor({{{1}, {2}}, {{3}, {4}}}, DType::f64).shape() == Shape{2, 2, 1});
  CHECK(tensor({1, 0}, DType::boolean).to_vector<bool>() == std::vector<bool>{true, false});
  CHECK(tensor({}).shape() == Shape{0});
  CHECK_THROWS_AS(tensor({{1, 2}, {3}}), ShapeError);
  CHECK_THROWS_AS(tensor({{1, 2}, 3}), ShapeError);
  CHECK_THROWS_AS(tensor({1, {2, 3}}), ShapeError);
  CHECK_THROWS_MATCHES(tensor({1, 0.5}, DType::i64), DTypeError,
                       Message("tensor: the number 0.5 is not an integer and the tensor is i64"));
}
