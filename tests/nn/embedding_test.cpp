// Token vectors: look-up, padding, gradients, ids out of range.
#include <cmath>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/embedding.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "compare.hpp"
#include "tensorette_test.hpp"

namespace tt = tensorette;
using namespace tensorette::nn;
using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;
using tt::DType;
using tt::Generator;
using tt::Shape;
using tt::Tensor;
using tt::Variable;

TEST_CASE("embedding gives the rows of the ids", "[embedding]") {
  Generator generator(71);
  const Embedding embedding({.vocabulary = 5, .dim = 3}, generator);
  const Tensor ids = tt::tensor({{4, 0}, {2, 4}, {1, 1}}, DType::i64);
  const Tensor y = embedding.forward(ids).value();
  REQUIRE(y.shape() == Shape{3, 2, 3});
  for (tt::Index i = 0; i < 3; ++i) {
    for (tt::Index j = 0; j < 2; ++j) {
      CHECK(same_bits(tt::select(tt::select(y, 0, i), 0, j),
                      tt::select(embedding.weight.value(), 0, ids.at<tt::Index>(i, j))));
    }
  }
  CHECK(same_bits(embedding.forward(tt::transpose(ids)).value(), tt::transpose(y, 0, 1)));
  CHECK(embedding.forward(tt::zeros({2, 0}, DType::i64)).shape() == Shape{2, 0, 3});
}

TEST_CASE("repeated ids add up their gradients", "[embedding]") {
  Generator generator(72);
  const Embedding embedding({.vocabulary = 4, .dim = 2}, generator);
  const Variable y = embedding.forward(tt::tensor({3, 1, 3}, DType::i64));
  y.backward(Variable(tt::tensor({{1, 2}, {3, 4}, {10, 20}})));
  CHECK(distance(embedding.weight.grad().value(), tt::tensor({{0, 0}, {3, 4}, {0, 0}, {11, 22}})) ==
        0.0);
}

TEST_CASE("the padding vector is 0 and gets no gradient", "[embedding]") {
  Generator generator(73);
  const Embedding embedding({.vocabulary = 4, .dim = 2, .padding = 1}, generator);
  CHECK(distance(tt::select(embedding.weight.value(), 0, 1), {0, 0}) == 0.0);
  const Variable y = embedding.forward(tt::tensor({1, 2, 1}, DType::i64));
  CHECK(distance(tt::select(y.value(), 0, 0), {0, 0}) == 0.0);
  tt::sum(y).backward();
  CHECK(distance(embedding.weight.grad().value(), tt::tensor({{0, 0}, {0, 0}, {1, 1}, {0, 0}})) ==
        0.0);
}

TEST_CASE("first values of an embedding have deviation 1/√dim", "[embedding]") {
  Generator generator(74);
  const Embedding embedding({.vocabulary = 500, .dim = 16}, generator);
  double squares = 0;
  for (const double x : numbers(embedding.weight.value())) squares += x * x;
  CHECK(squares / 8000 == Catch::Approx(1.0 / 16).epsilon(0.05));
}

TEST_CASE("an id outside the vocabulary is named", "[embedding]") {
  Generator generator(75);
  const Embedding embedding({.vocabulary = 5, .dim = 3}, generator);
  CHECK_THAT(error_text<tt::IndexError>([&] {
               (void)embedding.forward(tt::tensor({0, 5}, DType::i64));
             }),
             ContainsSubstring("5") && ContainsSubstring("Embedding"));
  CHECK_THAT(
      error_text<tt::IndexError>([&] { (void)embedding.forward(tt::tensor({-1}, DType::i64)); }),
      ContainsSubstring("-1"));
  CHECK_THAT(error_text<tt::DTypeError>([&] { (void)embedding.forward(tt::ones({2})); }),
             ContainsSubstring("f32"));
  CHECK_THAT(error_text<tt::IndexError>(
                 [&] { (void)Embedding({.vocabulary = 5, .dim = 3, .padding = 5}, generator); }),
             ContainsSubstring("5"));
  CHECK_THAT(
      error_text<tt::Error>([&] { (void)Embedding({.vocabulary = 0, .dim = 3}, generator); }),
      ContainsSubstring("must be positive"));
}
