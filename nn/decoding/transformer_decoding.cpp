#include <algorithm>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/decoding/decoding.hpp>
#include <tensorette/tensor/reduce.hpp>
#include <tensorette/tensor/shaping.hpp>

namespace tensorette::nn {
namespace {

class TransformerNextToken final : public NextToken {
 public:
  TransformerNextToken(const Transformer& model, const Tensor& source)
      : model_(model), cache_(model.start_decoding(source, model.encode(source))) {}

  Tensor step(const Tensor& tokens) override {
    const Variable logits = model_.decode_cached(unsqueeze(tokens, 1), cache_);
    return log_softmax(select(logits.value(), 1, 0), -1);
  }
  ValuesAndIndices best(const Tensor& tokens, Index count) override {
    const Variable logits = model_.decode_cached(unsqueeze(tokens, 1), cache_);
    return log_softmax_topk(select(logits.value(), 1, 0), std::min(count, logits.size(2)));
  }
  void reorder(const Tensor& rows) override { cache_.reorder(rows); }

 private:
  const Transformer& model_;
  DecoderCache cache_;
};

// No step goes beyond the positions that the model has; a result that needs more is cut off there.
DecodingOptions within(const Transformer& model, DecodingOptions options) {
  const Index most = model.options().max_length;
  options.max_length = std::min(options.max_length, most);
  for (Index& length : options.max_lengths) length = std::min(length, most);
  return options;
}

}  // namespace

std::vector<Hypothesis> greedy_search(const Transformer& model, const Tensor& source,
                                      const DecodingOptions& options) {
  const NoGrad no_grad;
  TransformerNextToken next(model, source);
  return greedy_search(next, source.size(0), within(model, options));
}

std::vector<std::vector<Hypothesis>> beam_search(const Transformer& model, const Tensor& source,
                                                 const DecodingOptions& options) {
  const NoGrad no_grad;
  TransformerNextToken next(model, source);
  return beam_search(next, source.size(0), within(model, options));
}

}  // namespace tensorette::nn
