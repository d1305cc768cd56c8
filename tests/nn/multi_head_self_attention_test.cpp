// Multi-head self-attention against plain loops and against its own steps: values, scores, caches,
// weights per head, options. Gradients are in multi_head_self_attention_gradient_test.cpp.
#include <cmath>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/multi_head_self_attention.hpp>
#include <tensorette/nn/sequential.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "attention_oracle.hpp"
#include "compare.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::nn;
using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

MultiHeadSelfAttention make(const SelfAttentionOptions& options, DType dtype,
                            std::uint64_t seed = 5) {
  Generator generator(seed);
  MultiHeadSelfAttention attention(options, generator);
  attention.to(dtype);
  randomize(attention, generator);
  return attention;
}

/// Queries, keys, values and output as the input is, one head's worth or several.
MultiHeadSelfAttention identity(Index dim, Index heads) {
  Generator generator(1);
  MultiHeadSelfAttention attention({.embedding_dim = dim, .heads = heads, .bias = false},
                                   generator);
  Tensor packed = attention.qkv_projection.weight.value();
  Tensor output = attention.output_projection.weight.value();
  const Tensor one = eye(dim);
  for (Index part = 0; part < 3; ++part) {
    Tensor block = narrow(packed, 0, part * dim, dim);
    copy_(block, one);
  }
  copy_(output, one);
  return attention;
}

}  // namespace

TEST_CASE("self-attention equals plain loops for every mask", "[attention]") {
  const Index batch = 3, heads = 2, tokens = 5;
  for (const DType dtype : {DType::f32, DType::f64}) {
    const double tolerance = dtype == DType::f32 ? 1e-5 : 1e-12;
    for (const bool bias : {true, false}) {
      // qkv_dim above, equal to and below embedding_dim
      for (const Index qkv_dim : {8, 6, 4}) {
        const auto attention =
            make({.embedding_dim = 6, .heads = heads, .qkv_dim = qkv_dim, .bias = bias}, dtype);
        Generator generator(11);
        const Tensor x = generator.normal({batch, tokens, 6}, 0, 1, dtype);
        for (const MaskCase& c : mask_cases(batch, heads, tokens, tokens, dtype)) {
          INFO(c.name << ", qkv_dim " << qkv_dim << ", bias " << bias);
          const std::vector<double> plain_x = numbers(x);
          const PlainResult expected =
              plain_attention(plain_copy(attention), batch, plain_x, plain_x, plain_x, c.plain);
          CHECK(distance(attention.forward(x, c.mask).value(), expected.output) < tolerance);
          CHECK(distance(attention.scores(x, c.mask).value(), expected.scores) < tolerance);
          const AttentionSteps steps = attention.steps(x, c.mask);
          CHECK(distance(steps.output.value(), expected.output) < tolerance);
          CHECK(distance(steps.scores.value(), expected.scores) < tolerance);
        }
      }
    }
  }
}

TEST_CASE("the steps have the shapes that are written beside their names", "[attention]") {
  const auto attention = make({.embedding_dim = 6, .heads = 4, .qkv_dim = 12}, DType::f64);
  Generator generator(2);
  const Tensor x = generator.normal({2, 5, 6}, 0, 1, DType::f64);
  const AttentionSteps s = attention.steps(x);
  for (const Variable* part : {&s.queries, &s.keys, &s.values, &s.context}) {
    CHECK(part->shape() == Shape{2, 5, 12});
  }
  for (const Variable* part : {&s.query_heads, &s.key_heads, &s.value_heads, &s.weights}) {
    CHECK(part->shape() == Shape{2, 4, 5, 3});
  }
  for (const Variable* part : {&s.dot_products, &s.raw_scores, &s.scores}) {
    CHECK(part->shape() == Shape{2, 4, 5, 5});
  }
  CHECK(s.output.shape() == Shape{2, 5, 6});
  CHECK(distance(s.raw_scores.value(), (s.dot_products / std::sqrt(3.0)).value()) < 1e-14);
  CHECK(distance(merge_heads(split_heads(s.queries, 4)).value(), s.queries.value()) == 0.0);
  CHECK(mean_over_heads(s.scores).shape() == Shape{2, 5, 5});
}

TEST_CASE("one token, one sample, an empty batch and a strided input", "[attention]") {
  const auto attention = make({.embedding_dim = 6, .heads = 3}, DType::f64);
  Generator generator(3);
  const Tensor x = generator.normal({4, 6, 6}, 0, 1, DType::f64);
  const auto expect_loops = [&](const Tensor& input) {
    const std::vector<double> plain = numbers(input);
    return distance(
        attention.forward(input).value(),
        plain_attention(plain_copy(attention), input.size(0), plain, plain, plain, {}).output);
  };
  CHECK(expect_loops(narrow(x, 1, 2, 1)) < 1e-12);
  CHECK(expect_loops(narrow(x, 0, 3, 1)) < 1e-12);
  CHECK(expect_loops(transpose(x, 0, 1)) < 1e-12);
  CHECK(expect_loops(transpose(x, 1, 2)) < 1e-12);
  CHECK(attention.forward(zeros({0, 5, 6}, DType::f64)).shape() == Shape{0, 5, 6});
  CHECK(attention.forward(zeros({2, 0, 6}, DType::f64)).shape() == Shape{2, 0, 6});
}

TEST_CASE("weights per head say the same as the packed ones", "[attention]") {
  const Index heads = 2, width = 3, dim = 5;
  auto attention =
      make({.embedding_dim = dim, .heads = heads, .qkv_dim = heads * width}, DType::f64);
  const PerHeadWeights weights = attention.per_head_weights();
  REQUIRE(weights.query.shape() == Shape{heads, dim, width});
  REQUIRE(weights.output.shape() == Shape{heads, width, dim});
  for (Index h = 0; h < heads; ++h) {
    for (Index e = 0; e < dim; ++e) {
      for (Index d = 0; d < width; ++d) {
        const Index row = h * width + d;
        const Tensor& packed = attention.qkv_projection.weight.value();
        CHECK(weights.query.at<double>(h, e, d) == packed.at<double>(row, e));
        CHECK(weights.key.at<double>(h, e, d) == packed.at<double>(heads * width + row, e));
        CHECK(weights.value.at<double>(h, e, d) == packed.at<double>(2 * heads * width + row, e));
        CHECK(weights.output.at<double>(h, d, e) ==
              attention.output_projection.weight.value().at<double>(e, row));
      }
    }
  }

  SECTION("and back") {
    auto other =
        make({.embedding_dim = dim, .heads = heads, .qkv_dim = heads * width}, DType::f64, 99);
    other.set_per_head_weights(weights);
    CHECK(same_bits(other.qkv_projection.weight.value(), attention.qkv_projection.weight.value()));
    CHECK(same_bits(other.output_projection.weight.value(),
                    attention.output_projection.weight.value()));
  }
  SECTION("the output is the sum over the heads") {
    auto plain =
        make({.embedding_dim = dim, .heads = heads, .qkv_dim = heads * width, .bias = false},
             DType::f64);
    plain.set_per_head_weights(weights);
    Generator generator(4);
    const Tensor x = generator.normal({3, 4, dim}, 0, 1, DType::f64);
    Variable sum = zeros({3, 4, dim}, DType::f64);
    for (Index h = 0; h < heads; ++h) {
      const auto of_head = [&](const Tensor& part) { return Variable(select(part, 0, h)); };
      const Variable q = matmul(Variable(x), of_head(weights.query));
      const Variable k = matmul(Variable(x), of_head(weights.key));
      const Variable v = matmul(Variable(x), of_head(weights.value));
      const Variable scores =
          softmax(matmul(q, transpose(k)) / std::sqrt(static_cast<double>(width)));
      sum = sum + matmul(matmul(scores, v), of_head(weights.output));
    }
    CHECK(distance(plain.forward(x).value(), sum.value()) < 1e-12);
  }
  SECTION("wrong shapes change nothing") {
    const Tensor before = attention.qkv_projection.weight.value().clone();
    PerHeadWeights wrong = weights;
    wrong.output = zeros({heads, dim, width}, DType::f64);
    wrong.query = zeros_like(weights.query);
    CHECK_THAT(error_text<ShapeError>([&] { attention.set_per_head_weights(wrong); }),
               ContainsSubstring("[2, 5, 3]") && ContainsSubstring("[2, 3, 5]"));
    CHECK(same_bits(attention.qkv_projection.weight.value(), before));
  }
}

TEST_CASE("a cache gives what attending to all tokens at once gives", "[attention]") {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const auto attention = make({.embedding_dim = 6, .heads = 2, .qkv_dim = 8}, dtype);
    Generator generator(6);
    const Tensor x = generator.normal({3, 40, 6}, 0, 1, dtype);  // longer than a first cache
    const Tensor whole = attention.forward(x, AttentionMask::causal()).value();
    KeyValueCache cache;
    Index first = 0;
    for (const Index count : {1, 1, 3, 20, 1, 14}) {
      const Tensor part = attention.forward_cached(narrow(x, 1, first, count), cache).value();
      INFO("tokens " << first << " to " << first + count);
      CHECK(distance(part, narrow(whole, 1, first, count)) < (dtype == DType::f32 ? 1e-5 : 1e-12));
      first += count;
      CHECK(cache.length() == first);
    }
    CHECK(cache.keys().shape() == Shape{3, 2, 40, 4});
  }
}

TEST_CASE("dropout acts on attention scores in training only", "[attention][field][A09]") {
  Generator generator(7);
  const Tensor x = generator.normal({2, 4, 6}, 0, 1, DType::f64);
  auto dropping = make({.embedding_dim = 6, .heads = 2, .dropout = 0.9}, DType::f64);
  const auto plain = make({.embedding_dim = 6, .heads = 2}, DType::f64);
  dropping.load_state_dict(plain.state_dict());
  const Tensor expected = plain.forward(x).value();

  CHECK(distance(dropping.forward(x).value(), expected) > 1e-3);
  CHECK_FALSE(same_bits(dropping.forward(x).value(), dropping.forward(x).value()));
  const auto states = dropping.generator_states();
  const Tensor once = dropping.forward(x).value();
  dropping.set_generator_states(states);
  CHECK(same_bits(dropping.forward(x).value(), once));
  CHECK(distance(dropping.scores(x).value(), plain.scores(x).value()) == 0.0);

  // The mode reaches every nested dropout from the outermost module.
  Sequential outer(std::move(dropping), Dropout({.probability = 0.5}, generator));
  outer.eval();
  const Tensor first = outer.forward(x).value();
  CHECK(same_bits(first, outer.forward(x).value()));
  CHECK(same_bits(first, expected));
}

TEST_CASE("dropped scores keep their mean", "[attention]") {
  auto attention = make({.embedding_dim = 4, .heads = 2, .dropout = 0.3}, DType::f64);
  Generator generator(8);
  const Tensor x = generator.normal({1, 5, 4}, 0, 1, DType::f64);
  Tensor sum = zeros({1, 5, 4}, DType::f64);
  const int draws = 4000;
  for (int i = 0; i < draws; ++i) sum = sum + attention.forward(x).value();
  attention.eval();
  const Tensor mean = sum / static_cast<double>(draws);
  CHECK(distance(mean, attention.forward(x).value()) < 0.05);
}

TEST_CASE("a query without keys gives the output bias", "[attention][field][A01]") {
  auto attention = identity(2, 1);
  const Tensor x = tensor({{{1, 0}, {0, 1}}});
  const AttentionMask mask = AttentionMask::allow(tensor({{0, 0}, {1, 1}}, DType::boolean));
  CHECK(distance(attention.scores(x, mask).value(), {0, 0, 0.3302385, 0.6697615}) < 1e-6);
  CHECK(distance(attention.forward(x, mask).value(), {0, 0, 0.3302385, 0.6697615}) < 1e-6);

  const auto biased = make({.embedding_dim = 2}, DType::f64);
  const Tensor y = biased.forward(x.to(DType::f64), mask).value();
  CHECK(distance(select(select(y, 0, 0), 0, 0), biased.output_projection.bias.value()) == 0.0);
}

TEST_CASE("heads that do not divide are refused by number", "[attention][field][A11]") {
  Generator generator;
  CHECK_THAT(error_text<Error>(
                 [&] { MultiHeadSelfAttention({.embedding_dim = 10, .heads = 3}, generator); }),
             ContainsSubstring("10") && ContainsSubstring("3"));
  CHECK_THAT(
      error_text<Error>([&] { MultiHeadAttention({.embedding_dim = 10, .heads = 3}, generator); }),
      ContainsSubstring("10") && ContainsSubstring("3"));
  for (const SelfAttentionOptions& wrong :
       {SelfAttentionOptions{.embedding_dim = 0}, SelfAttentionOptions{.embedding_dim = -4},
        SelfAttentionOptions{.embedding_dim = 4, .heads = 0},
        SelfAttentionOptions{.embedding_dim = 4, .heads = 2, .qkv_dim = -2}}) {
    CHECK_THAT(error_text<Error>([&] { MultiHeadSelfAttention(wrong, generator); }),
               ContainsSubstring("must be positive"));
  }
}

TEST_CASE("a wrong input is refused with both widths", "[attention]") {
  const auto attention = make({.embedding_dim = 6, .heads = 2}, DType::f32);
  CHECK_THAT(error_text<ShapeError>([&] {
               (void)attention.forward(zeros({2, 3, 5}));
             }),
             ContainsSubstring("embedding_dim = 6") && ContainsSubstring("[2, 3, 5]") &&
                 ContainsSubstring("MultiHeadSelfAttention"));
  CHECK_THAT(error_text<ShapeError>([&] {
               (void)attention.steps(zeros({3, 6}));
             }),
             ContainsSubstring("[3, 6]"));
  CHECK_THAT(error_text<DTypeError>([&] {
               (void)attention.forward(zeros({2, 3, 6}, DType::f64));
             }),
             ContainsSubstring("f32") && ContainsSubstring("f64"));
}

TEST_CASE("without bias there is none anywhere", "[attention][field][A14]") {
  Generator generator(9);
  const MultiHeadSelfAttention with({.embedding_dim = 4, .heads = 2}, generator);
  const MultiHeadSelfAttention without({.embedding_dim = 4, .heads = 2, .bias = false}, generator);
  CHECK(with.parameter_count() == 80);
  CHECK(without.parameter_count() == 64);
  CHECK(distance(without.forward(zeros({2, 3, 4})).value(), zeros({2, 3, 4})) == 0.0);
}

TEST_CASE("first values are the same for the same seed", "[attention][field][A16]") {
  Generator first(7), second(7);
  const MultiHeadSelfAttention a({.embedding_dim = 8, .heads = 2, .qkv_dim = 12}, first);
  const MultiHeadSelfAttention b({.embedding_dim = 8, .heads = 2, .qkv_dim = 12}, second);
  const auto of_a = a.named_parameters();
  const auto of_b = b.named_parameters();
  REQUIRE(of_a.size() == 4);
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    CHECK(is_finite(of_a[i].parameter.value()));
    CHECK(of_a[i].name == of_b[i].name);
    CHECK(same_bits(of_a[i].parameter.value(), of_b[i].parameter.value()));
  }
  // Xavier by the fan of each matrix: W_Q, W_K, W_V [12, 8] and Wᴼ [8, 12]; biases 0.
  const double bound = std::sqrt(6.0 / 20.0);
  for (const Variable& weight : {a.qkv_projection.weight, a.output_projection.weight}) {
    double largest = 0;
    for (const double value : numbers(weight.value())) largest = std::max(largest, std::abs(value));
    CHECK(largest <= bound + 1e-6);
    CHECK(largest > 0.8 * bound);
  }
  CHECK(distance(a.qkv_projection.bias.value(), zeros({36})) == 0.0);
  CHECK(distance(a.output_projection.bias.value(), zeros({8})) == 0.0);
}

TEST_CASE("scores are scaled once by the width of a head", "[attention][field][A21]") {
  const auto attention = identity(9, 1);
  Tensor x = zeros({1, 2, 9});
  // token 0 · token 0 = 6, token 0 · token 1 = 0
  x.mutable_data<float>()[0] = std::sqrt(6.0F);
  const Tensor scores = attention.scores(x).value();
  CHECK(scores.at<float>(0, 0, 0, 0) == Catch::Approx(0.8807971).epsilon(1e-6));
}

TEST_CASE("a sample does not depend on its batch mates", "[attention][field][A23]") {
  const auto attention = make({.embedding_dim = 8, .heads = 2}, DType::f32);
  Generator generator(10);
  const Tensor x = generator.normal({3, 4, 8});
  const std::vector<Index> lengths{4, 2, 3};
  const Tensor together = attention.forward(x, AttentionMask::key_lengths(lengths, 4)).value();
  const std::vector<Index> order{2, 0, 1};
  const Tensor shuffled =
      attention
          .forward(index_select(x, 0, from_vector(order)),
                   AttentionMask::key_lengths({lengths[2], lengths[0], lengths[1]}, 4))
          .value();
  for (Index sample = 0; sample < 3; ++sample) {
    const Tensor alone =
        attention
            .forward(narrow(x, 0, sample, 1),
                     AttentionMask::key_lengths({lengths[static_cast<std::size_t>(sample)]}, 4))
            .value();
    CHECK(distance(alone, narrow(together, 0, sample, 1)) < 1e-6);
    CHECK(distance(narrow(shuffled, 0, sample, 1),
                   narrow(together, 0, order[static_cast<std::size_t>(sample)], 1)) < 1e-6);
  }
}
