#include <cmath>
#include <tensorette/autograd/ops/arithmetic.hpp>
#include <tensorette/nn/transformer_layers.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette::nn {
namespace {

// One part of a block around the residual stream x:
//   post-norm: norm(x + dropout(f(x)))        pre-norm: x + dropout(f(norm(x)))
template <class Function>
Variable residual(const Variable& x, const LayerNorm& norm, const Dropout& dropout, bool norm_first,
                  Function&& function) {
  if (norm_first) return x + dropout.forward(function(norm.forward(x)));
  return norm.forward(x + dropout.forward(function(x)));
}

SelfAttentionOptions self_attention_options(const TransformerLayerOptions& options) {
  return {.embedding_dim = options.dim,
          .heads = options.heads,
          .qkv_dim = options.qkv_dim,
          .dropout = options.attention_dropout};
}

FeedForwardOptions feed_forward_options(const TransformerLayerOptions& options) {
  return {.dim = options.dim,
          .hidden = options.hidden,
          .activation = options.activation,
          .dropout = options.activation_dropout};
}

NormOptions norm_options(const TransformerLayerOptions& options) {
  return {.dim = options.dim, .epsilon = options.epsilon};
}

void scale_writers(const TransformerLayerOptions& options, std::initializer_list<Linear*> writers) {
  detail::require<Error>(std::isfinite(options.residual_gain) && options.residual_gain >= 0,
                         "Transformer layer: residual_gain must be finite and not negative, got {}",
                         options.residual_gain);
  if (options.residual_gain == 1) return;
  for (Linear* writer : writers) multiply_(writer->weight.mutable_value(), options.residual_gain);
}

}  // namespace

TransformerEncoderLayer::TransformerEncoderLayer(const TransformerLayerOptions& options,
                                                 Generator& generator)
    : self_attention(self_attention_options(options), generator),
      feed_forward(feed_forward_options(options), generator),
      norm1(norm_options(options)),
      norm2(norm_options(options)),
      dropout1({.probability = options.dropout}, generator),
      dropout2({.probability = options.dropout}, generator),
      norm_first_(options.norm_first) {
  scale_writers(options, {&self_attention.output_projection, &feed_forward.second});
}

void TransformerEncoderLayer::list_parts(Parts& parts) {
  parts("self_attention", self_attention);
  parts("feed_forward", feed_forward);
  parts("norm1", norm1);
  parts("norm2", norm2);
  parts("dropout1", dropout1);
  parts("dropout2", dropout2);
}

Variable TransformerEncoderLayer::forward(const Variable& x, const AttentionMask& mask,
                                          Variable* scores) const {
  return in_module(*this, [&] {
    const Variable attended = residual(x, norm1, dropout1, norm_first_, [&](const Variable& input) {
      if (scores != nullptr) *scores = self_attention.scores(input, mask);
      return self_attention.forward(input, mask);
    });
    return residual(attended, norm2, dropout2, norm_first_,
                    [&](const Variable& input) { return feed_forward.forward(input); });
  });
}

TransformerDecoderLayer::TransformerDecoderLayer(const TransformerLayerOptions& options,
                                                 Generator& generator)
    : self_attention(self_attention_options(options), generator),
      cross_attention({.embedding_dim = options.dim,
                       .heads = options.heads,
                       .qkv_dim = options.qkv_dim,
                       .dropout = options.attention_dropout},
                      generator),
      feed_forward(feed_forward_options(options), generator),
      norm1(norm_options(options)),
      norm2(norm_options(options)),
      norm3(norm_options(options)),
      dropout1({.probability = options.dropout}, generator),
      dropout2({.probability = options.dropout}, generator),
      dropout3({.probability = options.dropout}, generator),
      norm_first_(options.norm_first) {
  scale_writers(options, {&self_attention.output_projection, &cross_attention.output_projection,
                          &feed_forward.second});
}

void TransformerDecoderLayer::list_parts(Parts& parts) {
  parts("self_attention", self_attention);
  parts("cross_attention", cross_attention);
  parts("feed_forward", feed_forward);
  parts("norm1", norm1);
  parts("norm2", norm2);
  parts("norm3", norm3);
  parts("dropout1", dropout1);
  parts("dropout2", dropout2);
  parts("dropout3", dropout3);
}

template <class SelfAttention, class CrossAttention>
Variable TransformerDecoderLayer::run(const Variable& x, SelfAttention&& attend_self,
                                      CrossAttention&& attend_memory) const {
  const Variable own = residual(x, norm1, dropout1, norm_first_, attend_self);
  const Variable informed = residual(own, norm2, dropout2, norm_first_, attend_memory);
  return residual(informed, norm3, dropout3, norm_first_,
                  [&](const Variable& input) { return feed_forward.forward(input); });
}

Variable TransformerDecoderLayer::forward(const Variable& x, const Variable& memory,
                                          const AttentionMask& self_mask,
                                          const AttentionMask& memory_mask,
                                          DecoderLayerScores* scores) const {
  return in_module(*this, [&] {
    return run(
        x,
        [&](const Variable& input) {
          if (scores != nullptr) scores->self = self_attention.scores(input, self_mask);
          return self_attention.forward(input, self_mask);
        },
        [&](const Variable& input) {
          if (scores != nullptr) {
            scores->cross = cross_attention.scores(input, memory, memory_mask);
          }
          return cross_attention.forward(input, memory, memory, memory_mask);
        });
  });
}

Variable TransformerDecoderLayer::forward_cached(const Variable& x,
                                                 const AttentionMask& memory_mask,
                                                 DecoderLayerCache& cache,
                                                 const MemoryGroups& groups) const {
  return in_module(*this, [&] {
    const NoGrad no_grad;
    return run(
        x, [&](const Variable& input) { return self_attention.forward_cached(input, cache.self); },
        [&](const Variable& input) {
          return groups.apart(
              cross_attention.forward(groups.together(input), cache.memory, memory_mask));
        });
  });
}

}  // namespace tensorette::nn
