#include "gpt.hpp"

#include <tensorette/autograd/ops/arithmetic.hpp>
#include <tensorette/nn/attention_mask.hpp>

namespace tensorette::character_gpt {
namespace {

std::vector<Block> make_blocks(const GptOptions& options, Generator& generator) {
  if (options.blocks < 1) throw Error("Gpt: it needs a block at least");
  std::vector<Block> blocks;
  for (Index i = 0; i < options.blocks; ++i) blocks.emplace_back(options, generator);
  return blocks;
}

}  // namespace

Block::Block(const GptOptions& options, Generator& generator)
    : attention_norm({.dim = options.dim}),
      attention({.embedding_dim = options.dim, .heads = options.heads}, generator),
      feed_forward_norm({.dim = options.dim}),
      feed_forward(
          {.dim = options.dim, .hidden = 4 * options.dim, .activation = nn::Activation::gelu},
          generator),
      attention_dropout({.probability = options.dropout}, generator),
      feed_forward_dropout({.probability = options.dropout}, generator) {}

void Block::list_parts(nn::Parts& parts) {
  parts("attention_norm", attention_norm);
  parts("attention", attention);
  parts("feed_forward_norm", feed_forward_norm);
  parts("feed_forward", feed_forward);
  parts("attention_dropout", attention_dropout);
  parts("feed_forward_dropout", feed_forward_dropout);
}

template <class Attend>
Variable Block::run(const Variable& x, const Attend& attend) const {
  const Variable informed = x + attention_dropout.forward(attend(attention_norm.forward(x)));
  const Variable thought = feed_forward.forward(feed_forward_norm.forward(informed));
  return informed + feed_forward_dropout.forward(thought);
}

Variable Block::forward(const Variable& x) const {
  return nn::in_module(*this, [&] {
    return run(x, [&](const Variable& input) {
      return attention.forward(input, nn::AttentionMask::causal());
    });
  });
}

Variable Block::forward_cached(const Variable& x, nn::KeyValueCache& cache) const {
  return nn::in_module(*this, [&] {
    const NoGrad no_grad;
    return run(x, [&](const Variable& input) { return attention.forward_cached(input, cache); });
  });
}

Gpt::Gpt(const GptOptions& options, Generator& generator)
    : embedding({.vocabulary = options.characters, .dim = options.dim}, generator),
      position({.max_length = options.context, .dim = options.dim}, generator),
      dropout({.probability = options.dropout}, generator),
      blocks(make_blocks(options, generator)),
      norm({.dim = options.dim}),
      output({.in = options.dim, .out = options.characters}, generator),
      options_(options) {
  // A character is expected where its own vector is pointed at (Press and Wolf 2017).
  output.weight = embedding.weight;
}

void Gpt::list_parts(nn::Parts& parts) {
  parts("embedding", embedding);
  parts("position", position);
  parts("dropout", dropout);
  parts("blocks", blocks);
  parts("norm", norm);
  parts("output", output);
}

Variable Gpt::forward(const Tensor& ids) const {
  return nn::in_module(*this, [&] {
    Variable x = dropout.forward(position.forward(embedding.forward(ids)));
    for (const Block& block : blocks) x = block.forward(x);
    return output.forward(norm.forward(x));
  });
}

Variable Gpt::forward_cached(const Tensor& ids, GptCache& cache) const {
  return nn::in_module(*this, [&] {
    const NoGrad no_grad;
    const Index seen = cache.empty() ? 0 : cache.front().length();
    Variable x = position.forward(embedding.forward(ids), seen);
    for (std::size_t i = 0; i < blocks.size(); ++i) x = blocks[i].forward_cached(x, cache[i]);
    return output.forward(norm.forward(x));
  });
}

}  // namespace tensorette::character_gpt
