// NaN goes through attention as through plain arithmetic; zeros are for a query without keys alone.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/multi_head_self_attention.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/elementwise.hpp>
#include <tensorette/tensor/reduce.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "compare.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::nn;
using namespace tensorette::testing;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

bool all_nan(const Tensor& x) {
  const std::vector<double> values = numbers(x);
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

MultiHeadSelfAttention made(DType dtype) {
  Generator generator(3);
  MultiHeadSelfAttention attention({.embedding_dim = 8, .heads = 2, .qkv_dim = 12}, generator);
  attention.to(dtype);
  return attention;
}

/// Normal numbers [1, tokens, 8], one token NaN.
Tensor with_nan_token(Index tokens, Index token, DType dtype) {
  Generator generator(4);
  const Tensor x = generator.normal({1, tokens, 8}).to(dtype);
  Tensor broken = select(x, 1, token);
  fill_(broken, not_a_number);
  return x;
}

}  // namespace

TEST_CASE("an input of NaN gives NaN, not zeros", "[attention]") {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const auto attention = made(dtype);
    // One key, fewer keys than a SIMD register holds, several blocks of keys.
    for (const Index tokens : {1, 3, 17, 600}) {
      CAPTURE(tokens);
      const Tensor x = full({1, tokens, 8}, not_a_number, dtype);
      CHECK(all_nan(attention.forward(x).value()));
      CHECK(all_nan(attention.forward(x, AttentionMask::causal()).value()));
    }
  }
}

TEST_CASE("one token of NaN reaches who may look at it", "[attention]") {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const auto attention = made(dtype);
    for (const Index tokens : {3, 17, 300}) {
      for (const Index token : {Index{0}, tokens / 2, tokens - 1}) {
        CAPTURE(tokens, token);
        const Tensor x = with_nan_token(tokens, token, dtype);
        CHECK(all_nan(attention.forward(x).value()));
        CHECK(all_nan(attention.steps(x).output.value()));
        const Tensor causal = attention.forward(x, AttentionMask::causal()).value();
        CHECK(all_nan(narrow(causal, 1, token, tokens - token)));
      }
    }
  }
}

TEST_CASE("gradients of NaN are NaN", "[attention]") {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const auto attention = made(dtype);
    const Variable x = parameter(full({1, 5, 8}, not_a_number, dtype));
    sum(attention.forward(x)).backward();
    CHECK(all_nan(x.grad().value()));
    CHECK(all_nan(attention.qkv_projection.weight.grad().value()));
  }
}

TEST_CASE("a query without keys gives zeros beside NaN elsewhere", "[attention]") {
  Generator generator(3);
  const MultiHeadSelfAttention attention({.embedding_dim = 8, .heads = 2, .bias = false},
                                         generator);
  const Tensor x = full({1, 3, 8}, not_a_number);
  const Tensor mask = from_vector(std::vector<bool>{true, true, true, false, false, false,  //
                                                    false, true, false},
                                  {3, 3});
  const Variable fused = attention.forward(x, AttentionMask::allow(mask));
  const Variable stepwise = attention.steps(x, AttentionMask::allow(mask)).scores;
  CHECK(all_nan(select(stepwise.value(), 2, 0)));
  CHECK(distance(select(stepwise.value(), 2, 1), zeros({1, 2, 3})) == 0.0);
  CHECK(all_nan(select(fused.value(), 1, 0)));
  CHECK(all_nan(select(fused.value(), 1, 2)));
}

TEST_CASE("softmax, its logarithm and logsumexp keep NaN wherever it stands", "[attention]") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const Index width : {1, 3, 8, 19, 70}) {
      for (const double others : {1.0, -infinity, not_a_number}) {
        for (const Index place : {Index{0}, width / 2, width - 1}) {
          CAPTURE(width, others, place);
          const Tensor x = full({2, width}, others, dtype);
          Tensor broken = select(x, 1, place);
          fill_(broken, not_a_number);
          CHECK(all_nan(softmax(x, -1)));
          CHECK(all_nan(log_softmax(x, -1)));
          CHECK(all_nan(logsumexp(x, 1)));
          const Tensor columns = transpose(x, 0, 1).contiguous();
          CHECK(all_nan(softmax(columns, 0)));
          CHECK(all_nan(log_softmax(columns, 0)));
          CHECK(all_nan(logsumexp(columns, 0)));
        }
      }
    }
  }
}
