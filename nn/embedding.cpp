#include <cmath>
#include <tensorette/autograd/fused/embedding.hpp>
#include <tensorette/nn/embedding.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/shaping.hpp>

namespace tensorette::nn {

using detail::require;

Embedding::Embedding(const EmbeddingOptions& options, Generator& generator)
    : padding_(options.padding) {
  require<Error>(options.vocabulary > 0 && options.dim > 0,
                 "Embedding: vocabulary and dim must be positive, got {} and {}",
                 options.vocabulary, options.dim);
  require<IndexError>(!padding_ || (*padding_ >= 0 && *padding_ < options.vocabulary),
                      "Embedding: the padding id {} is outside [0, {})", padding_.value_or(0),
                      options.vocabulary);
  Tensor table = generator.normal({options.vocabulary, options.dim}, 0.0,
                                  1.0 / std::sqrt(static_cast<double>(options.dim)));
  if (padding_) {
    Tensor row = narrow(table, 0, *padding_, 1);
    fill_(row, 0);
  }
  weight = parameter(table);
}

Variable Embedding::forward(const Tensor& ids) const {
  return in_module(*this, [&] { return embedding(weight, ids, 1.0, padding_); });
}

}  // namespace tensorette::nn
