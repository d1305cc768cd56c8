// Fused operations against plain loops in double, and against their spelling in small operations.
#include <tensorette_test.hpp>

#include <cmath>
#include <op_samples.hpp>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/fused/attention.hpp>
#include <tensorette/autograd/fused/cross_entropy.hpp>
#include <tensorette/autograd/fused/normalization.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/random.hpp>
#include <vector>

namespace tensorette::testing {
namespace {

using Row = std::vector<double>;

void check_elements(const Variable& found, const Row& expected, double tolerance = 1e-12) {
  const Row elements = found.value().to_vector<double>();
  REQUIRE(elements.size() == expected.size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    INFO("element " << i);
    CHECK(elements[i] == Catch::Approx(expected[i]).epsilon(tolerance).margin(tolerance));
  }
}

Row softmax_of(const Row& row) {
  double total = 0;
  for (const double x : row) total += std::exp(x);
  Row result;
  for (const double x : row) result.push_back(std::exp(x) / total);
  return result;
}

// Applies a function of one row to every row of a matrix.
template <class Function>
Row for_each_row(const Tensor& matrix, Function function) {
  Row all;
  for (Index i = 0; i < matrix.size(0); ++i) {
    const Row result = function(select(matrix, 0, i).contiguous().to_vector<double>());
    all.insert(all.end(), result.begin(), result.end());
  }
  return all;
}

TEST_CASE("softmax and its logarithm follow their definition", "[autograd][fused]") {
  const Tensor x = values_between(-3, 3, {5, 7});
  check_elements(softmax(Variable(x)), for_each_row(x, softmax_of));
  check_elements(log_softmax(Variable(x)), for_each_row(x, [](const Row& row) {
                   Row result;
                   for (const double p : softmax_of(row)) result.push_back(std::log(p));
                   return result;
                 }));
}

TEST_CASE("norms follow their definition", "[autograd][fused]") {
  const Tensor x = values_between(-3, 3, {5, 7});
  const Tensor gain = values_between(0.5, 1.5, {7}, 2);
  const Tensor bias = values_between(-1, 1, {7}, 3);
  const Row w = gain.to_vector<double>();
  const Row b = bias.to_vector<double>();
  check_elements(layer_norm(x, gain, bias, 1e-3), for_each_row(x, [&](const Row& row) {
                   double mean = 0;
                   for (const double value : row) mean += value / 7;
                   double variance = 0;
                   for (const double value : row) variance += (value - mean) * (value - mean) / 7;
                   Row y;
                   for (std::size_t i = 0; i < 7; ++i) {
                     y.push_back((row[i] - mean) / std::sqrt(variance + 1e-3) * w[i] + b[i]);
                   }
                   return y;
                 }));
  check_elements(rms_norm(x, gain, 1e-3), for_each_row(x, [&](const Row& row) {
                   double mean_square = 0;
                   for (const double value : row) mean_square += value * value / 7;
                   Row y;
                   for (std::size_t i = 0; i < 7; ++i) {
                     y.push_back(row[i] / std::sqrt(mean_square + 1e-3) * w[i]);
                   }
                   return y;
                 }));
}

TEST_CASE("cross entropy follows its definition", "[autograd][fused]") {
  const Tensor logits = values_between(-3, 3, {4, 5});
  const std::vector<Index> targets{3, 0, -100, 4};
  const Variable losses =
      cross_entropy(logits, from_vector(targets), /*ignore_index=*/-100, /*label_smoothing=*/0.2);
  Row expected;
  for (Index i = 0; i < 4; ++i) {
    const Index target = targets[static_cast<std::size_t>(i)];
    const Row p = softmax_of(select(logits, 0, i).to_vector<double>());
    double loss = 0;
    for (std::size_t c = 0; c < 5 && target >= 0; ++c) {
      const double q = 0.2 / 5 + (static_cast<Index>(c) == target ? 0.8 : 0);
      loss -= q * std::log(p[c]);
    }
    expected.push_back(loss);
  }
  check_elements(losses, expected);
}

TEST_CASE("attention follows its definition", "[autograd][fused]") {
  const Index heads = 3;
  const Index queries = 4;
  const Index keys = 5;
  const Index dim = 2;
  const Tensor q = values_between(-2, 2, {2, heads, queries, dim}, 1);
  const Tensor k = values_between(-2, 2, {2, heads, keys, dim}, 2);
  const Tensor v = values_between(-2, 2, {2, heads, keys, 3}, 3);
  const Tensor bias = values_between(-1, 1, {1, heads, queries, keys}, 4);
  const Tensor valid = tensor({{1, 1, 1, 1, 1}, {0, 0, 1, 1, 1}}, DType::boolean);
  Row expected;
  for (Index b = 0; b < 2; ++b) {
    for (Index h = 0; h < heads; ++h) {
      for (Index i = 0; i < queries; ++i) {
        Row scores;
        for (Index j = 0; j < keys; ++j) {
          double score = bias.at<double>(0, h, i, j);
          for (Index d = 0; d < dim; ++d) {
            score += q.at<double>(b, h, i, d) * k.at<double>(b, h, j, d) / std::sqrt(2.0);
          }
          const bool is_seen = valid.at<bool>(b, j) && j <= i + (keys - queries);
          scores.push_back(is_seen ? score : -INFINITY);
        }
        const bool sees_nothing = b == 1 && i == 0;
        const Row p = softmax_of(scores);
        for (Index d = 0; d < 3; ++d) {
          double sum = 0;
          for (Index j = 0; j < keys && !sees_nothing; ++j) {
            sum += p[static_cast<std::size_t>(j)] * v.at<double>(b, h, j, d);
          }
          expected.push_back(sum);
        }
      }
    }
  }
  const AttentionRule rule{.causal = true, .key_validity = valid, .bias = bias};
  check_elements(scaled_dot_product_attention(q, k, v, rule), expected);
  check_elements(attention_reference(q, k, v, rule), expected);
}

// A fused operation and its spelling in small operations: same value, same gradients.
void check_same(const GradcheckFunction& fused, const GradcheckFunction& reference,
                const std::vector<Tensor>& values) {
  std::vector<Variable> inputs;
  for (const Tensor& value : values) inputs.push_back(parameter(value));
  const Variable a = fused(inputs);
  const Variable b = reference(inputs);
  REQUIRE(a.shape() == b.shape());
  CHECK(all_close(a.value(), b.value(), 1e-12, 1e-13));
  const Variable upstream = values_between(-1, 1, a.shape(), 9);
  const auto found = grad({&a, 1}, inputs, {&upstream, 1});
  const auto expected = grad({&b, 1}, inputs, {&upstream, 1});
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    CHECK(all_close(found[i].value(), expected[i].value(), 1e-11, 1e-12));
  }
}

TEST_CASE("fused operations and their references agree at sizes of training", "[autograd][fused]") {
  using Inputs = std::span<const Variable>;
  const Tensor x = values_between(-2, 2, {9, 33}, 1);
  const Tensor gain = values_between(0.5, 1.5, {33}, 2);
  const Tensor bias = values_between(-1, 1, {33}, 3);
  check_same([](Inputs in) { return layer_norm(in[0], in[1], in[2]); },
             [](Inputs in) { return layer_norm_reference(in[0], in[1], in[2]); }, {x, gain, bias});
  check_same([](Inputs in) { return rms_norm(in[0], in[1]); },
             [](Inputs in) { return rms_norm_reference(in[0], in[1]); }, {x, gain});
  const Tensor targets = Generator(4).integers({9}, 0, 33);
  check_same([&](Inputs in) { return cross_entropy(in[0], targets, 5, 0.1); },
             [&](Inputs in) { return cross_entropy_reference(in[0], targets, 5, 0.1); }, {x});
  for (const double dropout : {0.0, 0.25}) {
    for (const bool causal : {false, true}) {
      const AttentionRule rule{
          .causal = causal, .dropout = dropout, .dropout_state = Generator(5).state()};
      const auto with_bias = [rule](const Variable& table) {
        AttentionRule own = rule;
        own.bias = table;
        return own;
      };
      check_same(
          [&](Inputs in) {
            return scaled_dot_product_attention(in[0], in[1], in[2], with_bias(in[3]));
          },
          [&](Inputs in) { return attention_reference(in[0], in[1], in[2], with_bias(in[3])); },
          {values_between(-1, 1, {2, 3, 37, 16}, 1), values_between(-1, 1, {2, 3, 41, 16}, 2),
           values_between(-1, 1, {2, 3, 41, 8}, 3), values_between(-1, 1, {2, 1, 37, 41}, 4)});
    }
  }
}

}  // namespace
}  // namespace tensorette::testing
