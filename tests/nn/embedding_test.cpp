// Token vectors: look-up, padding, gradients, ids out of range.
#include <cmath>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/embedding.hpp>
#include <tensorette/nn/optim/adam.hpp>
#include <tensorette/nn/transformer.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "compare.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::nn;
using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("embedding gives the rows of the ids", "[embedding]") {
  Generator generator(71);
  const Embedding embedding({.vocabulary = 5, .dim = 3}, generator);
  const Tensor ids = tensor({{4, 0}, {2, 4}, {1, 1}}, DType::i64);
  const Tensor y = embedding.forward(ids).value();
  REQUIRE(y.shape() == Shape{3, 2, 3});
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 2; ++j) {
      CHECK(same_bits(select(select(y, 0, i), 0, j),
                      select(embedding.weight.value(), 0, ids.at<Index>(i, j))));
    }
  }
  CHECK(same_bits(embedding.forward(transpose(ids)).value(), transpose(y, 0, 1)));
  CHECK(embedding.forward(zeros({2, 0}, DType::i64)).shape() == Shape{2, 0, 3});
}

TEST_CASE("repeated ids add up their gradients", "[embedding]") {
  Generator generator(72);
  const Embedding embedding({.vocabulary = 4, .dim = 2}, generator);
  const Variable y = embedding.forward(tensor({3, 1, 3}, DType::i64));
  y.backward(Variable(tensor({{1, 2}, {3, 4}, {10, 20}})));
  CHECK(distance(embedding.weight.grad().value(), tensor({{0, 0}, {3, 4}, {0, 0}, {11, 22}})) ==
        0.0);
}

TEST_CASE("the padding vector is 0 and gets no gradient", "[embedding]") {
  Generator generator(73);
  const Embedding embedding({.vocabulary = 4, .dim = 2, .padding = 1}, generator);
  CHECK(distance(select(embedding.weight.value(), 0, 1), {0, 0}) == 0.0);
  const Variable y = embedding.forward(tensor({1, 2, 1}, DType::i64));
  CHECK(distance(select(y.value(), 0, 0), {0, 0}) == 0.0);
  sum(y).backward();
  CHECK(distance(embedding.weight.grad().value(), tensor({{0, 0}, {0, 0}, {1, 1}, {0, 0}})) == 0.0);
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
  CHECK_THAT(error_text<IndexError>([&] {
               (void)embedding.forward(tensor({0, 5}, DType::i64));
             }),
             ContainsSubstring("5") && ContainsSubstring("Embedding"));
  CHECK_THAT(error_text<IndexError>([&] { (void)embedding.forward(tensor({-1}, DType::i64)); }),
             ContainsSubstring("-1"));
  CHECK_THAT(error_text<DTypeError>([&] { (void)embedding.forward(ones({2})); }),
             ContainsSubstring("f32"));
  CHECK_THAT(error_text<IndexError>(
                 [&] { (void)Embedding({.vocabulary = 5, .dim = 3, .padding = 5}, generator); }),
             ContainsSubstring("5"));
  CHECK_THAT(error_text<Error>([&] { (void)Embedding({.vocabulary = 0, .dim = 3}, generator); }),
             ContainsSubstring("must be positive"));
}

TEST_CASE("training leaves the padding vector at 0", "[embedding][field][D06]") {
  Generator generator(76);
  const Embedding embedding({.vocabulary = 3, .dim = 4, .padding = 0}, generator);
  const Tensor ids = tensor({{1, 2, 0}, {2, 0, 0}}, DType::i64);
  const auto padding_vector = [&] { return select(embedding.weight.value(), 0, 0); };
  const std::vector<optim::ParameterGroup> groups{
      {.parameters = {embedding.weight}, .weight_decay = 0.1}};
  optim::Adam adam(groups, {.learning_rate = 0.1});
  optim::AdamW adamw(groups, {.learning_rate = 0.1});
  CHECK(same_bits(padding_vector(), zeros({4})));
  const Tensor before = embedding.weight.value().clone();
  for (int step = 0; step < 5; ++step) {
    for (optim::Optimizer* optimizer :
         {static_cast<optim::Optimizer*>(&adam), static_cast<optim::Optimizer*>(&adamw)}) {
      optimizer->zero_grad();
      sum(square(embedding.forward(ids) + 1.0)).backward();
      optimizer->step();
      CHECK(same_bits(padding_vector(), zeros({4})));
    }
  }
  CHECK(distance(embedding.weight.value(), before) > 0.1);
}

TEST_CASE("a Transformer's padding vectors are 0 and stay 0",
          "[embedding][transformer][field][D06]") {
  Generator generator(77);
  const Transformer model({.source_vocabulary = 5,
                           .target_vocabulary = 5,
                           .dim = 4,
                           .heads = 2,
                           .hidden = 8,
                           .dropout = 0.0,
                           .tied = TiedEmbeddings::none},
                          generator);
  optim::AdamW adam(optim::decay_groups(model, 0.1), {.learning_rate = 0.1});
  const Tensor source = tensor({{1, 2, 0}}, DType::i64);
  const Tensor target = tensor({{1, 4, 0, 0}}, DType::i64);
  for (int step = 0; step < 5; ++step) {
    for (const Embedding* table : {&model.source_embedding, &model.target_embedding}) {
      CHECK(same_bits(select(table->weight.value(), 0, 0), zeros({4})));
    }
    adam.zero_grad();
    sum(model.forward(source, target)).backward();
    adam.step();
  }
}

TEST_CASE("only the padding vector is 0, and only where there is one", "[embedding][field][D07]") {
  const auto zero_rows = [](std::optional<Index> padding) {
    Generator generator(78);
    const Embedding embedding({.vocabulary = 5, .dim = 3, .padding = padding}, generator);
    std::vector<Index> rows;
    for (Index row = 0; row < 5; ++row) {
      if (same_bits(select(embedding.weight.value(), 0, row), zeros({3}))) {
        rows.push_back(row);
      }
    }
    return rows;
  };
  CHECK(zero_rows(std::nullopt).empty());
  CHECK(zero_rows(2) == std::vector<Index>{2});
  CHECK_THAT(error_text<IndexError>([&] { (void)zero_rows(5); }), ContainsSubstring("5"));
  CHECK_THAT(error_text<IndexError>([&] { (void)zero_rows(-6); }), ContainsSubstring("-6"));
  CHECK_THAT(error_text<IndexError>([&] { (void)zero_rows(-1); }), ContainsSubstring("-1"));
}
