#include "06_translation/guidance.hpp"

#include <cmath>
#include <tensorette/autograd/variable.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/error.hpp>
#include <tensorette/tensor/random.hpp>
#include <tensorette/tensor/reduce.hpp>
#include <tensorette/tensor/shaping.hpp>
#include <tensorette_test.hpp>

using namespace tensorette;
using namespace tensorette::translation;

namespace {

SentencePair with_link(std::int64_t it, std::int64_t noun) {
  SentencePair pair;
  pair.pronoun = PronounNote{.it_index = it,
                             .noun_indices = {noun},
                             .antecedent_index = noun,
                             .pronoun = "il",
                             .pronoun_index = 0};
  return pair;
}

// "it" stands at 2 and means 1, nothing, stands at 1 and means 0.
std::vector<SentencePair> three_pairs() {
  return {with_link(2, 1), SentencePair{}, with_link(1, 0)};
}

}  // namespace

TEST_CASE("guidance is the mean surprise of the first head over the rows with an it") {
  const Guidance guidance(three_pairs());
  CHECK_FALSE(guidance.is_empty());
  Tensor scores = full({2, 2, 3, 3}, 0.25, DType::f64);
  double* values = scores.mutable_data<double>();  // [row, head, query, key], strides 18, 9, 3, 1
  values[3] = 0.5;                                 // row 0 is pair 2: query 1, key 0
  values[18 + 7] = 0.125;                          // row 1 is pair 0: query 2, key 1
  const auto loss = guidance.loss(Variable(scores), {2, 0});
  REQUIRE(loss);
  CHECK(loss->item() == Catch::Approx((std::log(2.0) + std::log(8.0)) / 2));

  const auto of_one = guidance.loss(Variable(scores), {1, 0});
  REQUIRE(of_one);
  CHECK(of_one->item() == Catch::Approx(std::log(8.0)));
  CHECK_FALSE(guidance.loss(Variable(narrow(scores, 0, 0, 1)), {1}));
  CHECK(Guidance({SentencePair{}}).is_empty());
}

TEST_CASE("guidance stays finite where a score vanished, and checks the shape") {
  const Guidance guidance(three_pairs());
  const auto loss = guidance.loss(Variable(zeros({1, 1, 3, 3})), {0});
  REQUIRE(loss);
  CHECK(std::isfinite(loss->item()));
  CHECK_THROWS_AS(guidance.loss(Variable(zeros({2, 1, 3, 3})), {0}), ShapeError);
  CHECK_THROWS_AS(guidance.loss(Variable(zeros({3, 3})), {0, 1, 2}), ShapeError);
}

TEST_CASE("the gradient of guidance reaches the taught score alone") {
  const Guidance guidance(three_pairs());
  Generator generator(5);
  const Variable scores = parameter(generator.uniform({2, 2, 3, 3}, 0.1, 0.9, DType::f64));
  guidance.loss(scores, {0, 2})->backward();
  const Tensor gradient = scores.grad().value();
  CHECK(sum(not_equal(gradient, 0)).item<Index>() == 2);
  CHECK(gradient.at<double>(0, 0, 2, 1) ==
        Catch::Approx(-0.5 / (scores.value().at<double>(0, 0, 2, 1) + 1e-9)));
}
