#include <tensorette_test.hpp>

#include <cmath>
#include <compare.hpp>
#include <tensorette/nn/attention_analysis.hpp>
#include <tensorette/tensor/create.hpp>

namespace tensorette::nn {
namespace {

using Catch::Matchers::ContainsSubstring;
using testing::distance;
using testing::error_text;

TEST_CASE("entropy tells how widely a head looks", "[nn][attention]") {
  // One head looks at one key each; one at both alike; one has a query with no key left.
  const Tensor scores =
      from_vector<double>({1, 0, 0, 1, .5, .5, .5, .5, .25, .75, 0, 0}, {1, 3, 2, 2});
  const double quarter = -(0.25 * std::log(0.25) + 0.75 * std::log(0.75));
  CHECK(distance(attention_entropy(scores), {0, std::log(2.0), quarter}) < 1e-15);
  CHECK(attention_entropy(scores).shape() == Shape{1, 3});
  CHECK(distance(attention_entropy(zeros({1, 1, 2, 2})), {0}) == 0);
  CHECK_THAT(
      error_text<ShapeError>([] {
        static_cast<void>(attention_entropy(zeros({2, 2})));
      }),
      ContainsSubstring("attention_entropy: scores are [batch, heads, queries, keys], got [2, 2]"));
}

TEST_CASE("rollout multiplies the layers, each mixed with the residual", "[nn][attention]") {
  // Two heads whose mean is [[1, 0], [0.5, 0.5]]; with the residual: [[1, 0], [0.25, 0.75]].
  const Tensor first = from_vector<double>({1, 0, 1, 0, 1, 0, 0, 1}, {1, 2, 2, 2});
  // Both heads look at the second token: with the residual [[0.5, 0.5], [0, 1]].
  const Tensor second = from_vector<double>({0, 1, 0, 1, 0, 1, 0, 1}, {1, 2, 2, 2});
  CHECK(distance(attention_rollout({first}), {1, 0, .25, .75}) < 1e-15);
  // [[0.5, 0.5], [0, 1]] · [[1, 0], [0.25, 0.75]]
  CHECK(distance(attention_rollout({first, second}), {.625, .375, .25, .75}) < 1e-15);
  // A query with no key left keeps what it is.
  CHECK(distance(attention_rollout({zeros({1, 1, 2, 2}, DType::f64)}), {1, 0, 0, 1}) < 1e-15);
  CHECK_THAT(error_text<Error>([] { static_cast<void>(attention_rollout({})); }),
             ContainsSubstring("no layer"));
  CHECK_THAT(error_text<ShapeError>([&] {
               static_cast<void>(attention_rollout({first, zeros({1, 2, 3, 3})}));
             }),
             ContainsSubstring("of one shape, got [1, 2, 3, 3] after [1, 2, 2, 2]"));
}

}  // namespace
}  // namespace tensorette::nn
