#include <algorithm>
#include <cmath>
#include <tensorette/autograd/fused/embedding.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/transformer.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette::nn {
namespace {

using detail::require;

template <class Layer>
std::vector<Layer> make_layers(Index depth, const TransformerLayerOptions& options,
                               Generator& generator) {
  std::vector<Layer> layers;
  layers.reserve(static_cast<std::size_t>(depth));
  for (Index i = 0; i < depth; ++i) layers.emplace_back(options, generator);
  return layers;
}

std::optional<LayerNorm> make_norm(bool wanted, const TransformerLayerOptions& options) {
  if (!wanted) return std::nullopt;
  return LayerNorm({.dim = options.dim, .epsilon = options.epsilon});
}

TransformerLayerOptions layer_options(const TransformerOptions& options, Index heads) {
  return {.dim = options.dim,
          .heads = heads,
          .qkv_dim = options.qkv_dim,
          .hidden = options.hidden,
          .dropout = options.dropout,
          .attention_dropout = options.attention_dropout,
          .activation_dropout = options.activation_dropout,
          .activation = options.activation,
          .norm_first = options.norm_first,
          .residual_gain = options.residual_gain};
}

TransformerOptions checked(const TransformerOptions& options) {
  require<Error>(options.encoder_layers >= 0 && options.decoder_layers >= 0,
                 "Transformer: layers must not be negative, got {} and {}", options.encoder_layers,
                 options.decoder_layers);
  require<Error>(
      options.tied != TiedEmbeddings::all || options.source_vocabulary == options.target_vocabulary,
      "Transformer: all embeddings can be tied only over one vocabulary, got sizes {} and "
      "{}",
      options.source_vocabulary, options.target_vocabulary);
  return options;
}

std::optional<LearnedPosition> make_position(const TransformerOptions& options,
                                             Generator& generator) {
  if (options.positions != Positions::learned) return std::nullopt;
  return LearnedPosition({.max_length = options.max_length, .dim = options.dim}, generator);
}

// Forgets the sentences that no row is about any more.
void drop_unused_memories(DecoderCache& cache) {
  std::vector<Index> kept;
  std::vector<Index> kept_sources;
  for (std::size_t memory = 0; memory < cache.memories.size(); ++memory) {
    const Index source = cache.memories[memory];
    if (std::find(cache.sources.begin(), cache.sources.end(), source) == cache.sources.end())
      continue;
    kept.push_back(static_cast<Index>(memory));
    kept_sources.push_back(source);
  }
  if (kept.size() == cache.memories.size()) return;
  const Tensor rows = from_vector(kept);
  for (DecoderLayerCache& layer : cache.layers) {
    layer.memory.keys = index_select(layer.memory.keys.value(), 0, rows);
    layer.memory.values = index_select(layer.memory.values.value(), 0, rows);
  }
  cache.memory_validity = index_select(cache.memory_validity, 0, rows);
  cache.memories = std::move(kept_sources);
}

// The memory of each row. Memories stand in the order of their sentences.
std::vector<Index> memory_of_rows(const DecoderCache& cache) {
  std::vector<Index> result;
  for (const Index source : cache.sources) {
    const auto found = std::lower_bound(cache.memories.begin(), cache.memories.end(), source);
    result.push_back(found - cache.memories.begin());
  }
  return result;
}

}  // namespace

TransformerEncoder::TransformerEncoder(Index depth, const TransformerLayerOptions& options,
                                       bool final_norm, Generator& generator)
    : layers(make_layers<TransformerEncoderLayer>(depth, options, generator)),
      norm(make_norm(final_norm, options)) {}

Variable TransformerEncoder::forward(const Variable& x, const AttentionMask& mask,
                                     std::vector<Variable>* scores) const {
  return in_module(*this, [&] {
    Variable y = x;
    if (scores != nullptr) scores->resize(layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
      y = layers[i].forward(y, mask, scores != nullptr ? &(*scores)[i] : nullptr);
    }
    return norm ? norm->forward(y) : y;
  });
}

void DecoderCache::reorder(const Tensor& rows) {
  std::vector<Index> reordered;
  for (const Index row : rows.to_vector<Index>()) {
    require<IndexError>(row >= 0 && row < static_cast<Index>(sources.size()),
                        "decoder cache: row {} is outside [0, {})", row, sources.size());
    reordered.push_back(sources[static_cast<std::size_t>(row)]);
  }
  for (DecoderLayerCache& layer : layers) layer.self.reorder(rows);
  sources = std::move(reordered);
  drop_unused_memories(*this);
  groups = MemoryGroups(memory_of_rows(*this), static_cast<Index>(memories.size()));
}

TransformerDecoder::TransformerDecoder(Index depth, const TransformerLayerOptions& options,
                                       bool final_norm, Generator& generator)
    : layers(make_layers<TransformerDecoderLayer>(depth, options, generator)),
      norm(make_norm(final_norm, options)) {}

Variable TransformerDecoder::forward(const Variable& x, const Variable& memory,
                                     const AttentionMask& self_mask,
                                     const AttentionMask& memory_mask,
                                     std::vector<DecoderLayerScores>* scores) const {
  return in_module(*this, [&] {
    Variable y = x;
    if (scores != nullptr) scores->resize(layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
      y = layers[i].forward(y, memory, self_mask, memory_mask,
                            scores != nullptr ? &(*scores)[i] : nullptr);
    }
    return norm ? norm->forward(y) : y;
  });
}

DecoderCache TransformerDecoder::start(const Variable& memory, const Tensor& validity) const {
  return in_module(*this, [&] {
    const NoGrad no_grad;
    DecoderCache cache{.memory_validity = validity};
    for (const TransformerDecoderLayer& layer : layers) {
      cache.layers.push_back({.memory = layer.cross_attention.project(memory, memory)});
    }
    for (Index row = 0; row < memory.size(0); ++row) cache.sources.push_back(row);
    cache.memories = cache.sources;
    return cache;
  });
}

Variable TransformerDecoder::forward_cached(const Variable& x, DecoderCache& cache) const {
  return in_module(*this, [&] {
    const NoGrad no_grad;
    const AttentionMask mask = AttentionMask::key_validity(cache.memory_validity);
    Variable y = x;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      y = layers[i].forward_cached(y, mask, cache.layers[i], cache.groups);
    }
    return norm ? norm->forward(y) : y;
  });
}

Transformer::Transformer(const TransformerOptions& options, Generator& generator)
    : source_embedding({.vocabulary = checked(options).source_vocabulary,
                        .dim = options.dim,
                        .padding = options.padding},
                       generator),
      target_embedding(
          {.vocabulary = options.target_vocabulary, .dim = options.dim, .padding = options.padding},
          generator),
      source_position(make_position(options, generator)),
      target_position(make_position(options, generator)),
      encoder(options.encoder_layers, layer_options(options, options.heads), options.norm_first,
              generator),
      decoder(options.decoder_layers,
              layer_options(options,
                            options.decoder_heads == 0 ? options.heads : options.decoder_heads),
              options.norm_first, generator),
      output({.in = options.dim, .out = options.target_vocabulary}, generator),
      source_dropout({.probability = options.dropout}, generator),
      target_dropout({.probability = options.dropout}, generator),
      options_(options),
      sinusoidal_({.max_length = options.max_length, .dim = options.dim}) {
  if (options.tied == TiedEmbeddings::all) source_embedding.weight = target_embedding.weight;
  if (options.tied != TiedEmbeddings::none) output.weight = target_embedding.weight;
}

void Transformer::list_parts(Parts& parts) {
  parts("source_embedding", source_embedding);
  parts("target_embedding", target_embedding);
  parts("source_position", source_position);
  parts("target_position", target_position);
  parts("encoder", encoder);
  parts("decoder", decoder);
  parts("output", output);
  parts("source_dropout", source_dropout);
  parts("target_dropout", target_dropout);
}

Variable Transformer::embed(const Embedding& table, const std::optional<LearnedPosition>& learned,
                            const Dropout& dropout, const Tensor& ids, Index first) const {
  require(ids.rank() == 2, "Transformer: ids are [batch, tokens], got {}", ids.shape());
  // √dim brings vectors of deviation 1/√dim to the size of the positions.
  const Variable vectors = table.forward(ids) * std::sqrt(static_cast<double>(options_.dim));
  return dropout.forward(learned ? learned->forward(vectors, first)
                                 : sinusoidal_.forward(vectors, first));
}

AttentionMask Transformer::source_mask(const Tensor& source) const {
  return AttentionMask::key_validity(not_equal(source, options_.padding));
}

Variable Transformer::encode(const Tensor& source, std::vector<Variable>* scores) const {
  return in_module(*this, [&] {
    const Variable x = embed(source_embedding, source_position, source_dropout, source, 0);
    return encoder.forward(x, source_mask(source), scores);
  });
}

Variable Transformer::decode(const Tensor& target, const Variable& memory,
                             const AttentionMask& memory_mask,
                             std::vector<DecoderLayerScores>* scores) const {
  return in_module(*this, [&] {
    const Variable x = embed(target_embedding, target_position, target_dropout, target, 0);
    return decoder.forward(x, memory, AttentionMask::causal(), memory_mask, scores);
  });
}

Variable Transformer::forward(const Tensor& source, const Tensor& target,
                              TransformerScores* scores) const {
  return in_module(*this, [&] {
    require(source.rank() == 2 && target.rank() == 2 && source.size(0) == target.size(0),
            "Transformer: source and target are [batch, tokens] of one batch, got {} and {}",
            source.shape(), target.shape());
    const Variable memory = encode(source, scores != nullptr ? &scores->encoder : nullptr);
    return output.forward(decode(target, memory, source_mask(source),
                                 scores != nullptr ? &scores->decoder : nullptr));
  });
}

DecoderCache Transformer::start_decoding(const Tensor& source, const Variable& memory) const {
  return decoder.start(memory, not_equal(source, options_.padding));
}

Variable Transformer::decode_cached(const Tensor& target, DecoderCache& cache) const {
  return in_module(*this, [&] {
    const NoGrad no_grad;
    const Variable x =
        embed(target_embedding, target_position, target_dropout, target, cache.length());
    return output.forward(decoder.forward_cached(x, cache));
  });
}

}  // namespace tensorette::nn
