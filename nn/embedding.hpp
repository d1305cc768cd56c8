/// \file
/// Vectors for token ids.
#pragma once

#include <optional>
#include <tensorette/nn/module.hpp>

namespace tensorette::nn {

/// Options of Embedding.
struct EmbeddingOptions {
  Index vocabulary = 0;            ///< number of ids
  Index dim = 0;                   ///< width of a vector
  std::optional<Index> padding{};  ///< an id whose vector is 0 and stays 0
};

/// ids [..] -> vectors [.., dim]
///
/// First values: normal with deviation 1/√dim; the padding vector is 0 and gets no gradient.
class Embedding final : public Module {
 public:
  /// \throws Error for sizes that are not positive; IndexError for a padding id outside the table
  Embedding(const EmbeddingOptions& options, Generator& generator);

  /// \throws IndexError naming an id outside the vocabulary; DTypeError unless ids are i64
  [[nodiscard]] Variable forward(const Tensor& ids) const;
  [[nodiscard]] std::string type_name() const override { return "Embedding"; }

  Variable weight;  ///< [vocabulary, dim]

 protected:
  void list_parts(Parts& parts) override { parts("weight", weight); }

 private:
  std::optional<Index> padding_;
};

}  // namespace tensorette::nn
