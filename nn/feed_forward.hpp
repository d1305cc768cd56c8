/// \file
/// The position-wise network of a Transformer block.
#pragma once

#include <tensorette/nn/activation.hpp>
#include <tensorette/nn/dropout.hpp>
#include <tensorette/nn/linear.hpp>

namespace tensorette::nn {

/// Options of FeedForward.
struct FeedForwardOptions {
  Index dim = 0;                             ///< width of input and output
  Index hidden = 0;                          ///< width in between
  Activation activation = Activation::relu;  ///< after the first map
  double dropout = 0.0;                      ///< on the activations
};

/// y = second(dropout(activation(first(x))))        [.., dim] -> [.., dim]
/// (Vaswani et al. 2017, equation 2)
class FeedForward final : public Module {
 public:
  FeedForward(const FeedForwardOptions& options, Generator& generator)
      : first({.in = options.dim, .out = options.hidden}, generator),
        second({.in = options.hidden, .out = options.dim}, generator),
        dropout({.probability = options.dropout}, generator),
        activation_(options.activation) {}

  [[nodiscard]] Variable forward(const Variable& x) const {
    return in_module(*this, [&] {
      return second.forward(dropout.forward(activate(first.forward(x), activation_)));
    });
  }
  [[nodiscard]] std::string type_name() const override { return "FeedForward"; }

  Linear first;     ///< dim -> hidden
  Linear second;    ///< hidden -> dim
  Dropout dropout;  ///< on the activations

 protected:
  void list_parts(Parts& parts) override {
    parts("first", first);
    parts("second", second);
    parts("dropout", dropout);
  }

 private:
  Activation activation_;
};

}  // namespace tensorette::nn
