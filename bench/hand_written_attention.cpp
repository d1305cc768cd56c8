/// \file
/// The attention rows without any framework, after a check against plain loops in double precision:
/// a yardstick that computes something else measures nothing. Ends with 1 when the check fails.
#include <fmt/format.h>
#include <omp.h>

#include <memory>
#include <random>

#include "hand_written/attention.hpp"
#include "hand_written/blocked_attention.hpp"
#include "hand_written/plain_attention.hpp"
#include "rows/row_program.hpp"
#include "rows/row_table.hpp"

namespace tensorette::bench {
namespace {

void fill(const FloatArray& array, double deviation, std::mt19937& engine) {
  std::normal_distribution<float> normal(0, float(deviation));
  for (float& element : array.span()) element = normal(engine);
}

std::shared_ptr<HandWrittenAttention> make_attention(const AttentionShape& shape, bool train) {
  auto attention = std::make_shared<HandWrittenAttention>(shape, train);
  std::mt19937 engine(1);
  const double deviation = 1 / std::sqrt(double(shape.width));
  fill(attention->parameters.qkv_weight, deviation, engine);
  fill(attention->parameters.qkv_bias, deviation, engine);
  fill(attention->parameters.output_weight, deviation, engine);
  fill(attention->parameters.output_bias, deviation, engine);
  fill(attention->input, 1, engine);
  fill(attention->upstream, 1, engine);
  return attention;
}

std::shared_ptr<BlockedAttention> make_blocked(std::int64_t heads, std::int64_t length,
                                               std::int64_t head_dim) {
  auto attention = std::make_shared<BlockedAttention>(heads, length, head_dim);
  std::mt19937 engine(1);
  for (const FloatArray* array :
       {&attention->query, &attention->key, &attention->value, &attention->upstream}) {
    fill(*array, 1, engine);
  }
  return attention;
}

// Largest difference, as a part of the largest expected value.
bool agrees(const char* what, const FloatArray& got, const std::vector<double>& expected) {
  constexpr double tolerance = 1e-5;
  double largest = 0;
  double difference = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    difference = std::max(difference, std::abs(double(got[i]) - expected[i]));
  }
  // Negated, so that a difference that is not a number fails too.
  if (!(difference <= tolerance * largest) || got.size() != expected.size()) {
    fmt::print(stderr, "hand_written_attention: {} is wrong: off by {:.3g} of {:.3g}\n", what,
               difference, largest);
    return false;
  }
  return true;
}

bool check_attention(const AttentionShape& shape) {
  const auto attention = make_attention(shape, true);
  attention->forward();
  attention->backward();
  const PlainAttention plain = plain_attention(
      shape, {attention->input.span(), attention->parameters.qkv_weight.span(),
              attention->parameters.qkv_bias.span(), attention->parameters.output_weight.span(),
              attention->parameters.output_bias.span(), attention->upstream.span()});
  const auto inference = make_attention(shape, false);
  inference->forward();
  const bool values = agrees("output", attention->output, plain.output) &&
                      agrees("output without kept scores", inference->output, plain.output);
  const AttentionParameters& gradients = attention->gradients;
  return values && agrees("input gradient", attention->input_gradient, plain.input_gradient) &&
         agrees("QKV weight gradient", gradients.qkv_weight, plain.qkv_weight_gradient) &&
         agrees("QKV bias gradient", gradients.qkv_bias, plain.qkv_bias_gradient) &&
         agrees("output weight gradient", gradients.output_weight, plain.output_weight_gradient) &&
         agrees("output bias gradient", gradients.output_bias, plain.output_bias_gradient);
}

bool check_blocked(std::int64_t heads, std::int64_t length, std::int64_t head_dim) {
  const auto attention = make_blocked(heads, length, head_dim);
  attention->forward();
  attention->backward();
  const PlainHeads plain = plain_heads(heads, length, head_dim,
                                       {attention->query.span(), attention->key.span(),
                                        attention->value.span(), attention->upstream.span()});
  return agrees("blocked output", attention->output, plain.output) &&
         agrees("blocked query gradient", attention->query_gradient, plain.query_gradient) &&
         agrees("blocked key gradient", attention->key_gradient, plain.key_gradient) &&
         agrees("blocked value gradient", attention->value_gradient, plain.value_gradient);
}

// Sizes that fill no SIMD batch and no block, batches above and below the number of threads.
bool check_everything() {
  return check_attention({5, 7, 12, 3}) && check_attention({1, 19, 24, 2}) &&
         check_attention({4, 16, 32, 4}) && check_blocked(2, 300, 20) && check_blocked(1, 256, 64);
}

std::vector<Row> hand_written_rows() {
  std::vector<Row> rows;
  for (const AttentionShape& shape : attention_shapes) {
    for (const bool train : {false, true}) {
      rows.push_back({attention_row_name(shape, train), [shape, train]() -> Step {
                        return [attention = make_attention(shape, train), train] {
                          attention->forward();
                          if (train) attention->backward();
                        };
                      }});
    }
  }
  for (const std::int64_t length : long_attention_lengths) {
    rows.push_back({long_attention_row_name(length), [length]() -> Step {
                      const auto attention =
                          make_blocked(long_attention_heads, length, long_attention_head_dim);
                      return [attention] {
                        attention->forward();
                        attention->backward();
                      };
                    }});
  }
  return rows;
}

}  // namespace
}  // namespace tensorette::bench

int main(int argc, char** argv) {
  if (!tensorette::bench::check_everything()) return 1;
  return tensorette::bench::run_row_program(tensorette::bench::hand_written_rows(), argc, argv);
}
