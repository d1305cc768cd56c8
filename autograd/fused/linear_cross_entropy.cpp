#include <algorithm>
#include <tensorette/autograd/detail/cross_entropy_checks.hpp>
#include <tensorette/autograd/fused/cross_entropy.hpp>
#include <tensorette/autograd/fused/linear.hpp>
#include <tensorette/autograd/fused/linear_cross_entropy.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/matmul.hpp>
#include <tensorette/tensor/reduce.hpp>
#include <tensorette/tensor/shaping.hpp>

namespace tensorette {
namespace {

using detail::require;

constexpr const char* operation = "linear_cross_entropy";

// Logits of one chunk: few enough to stay in cache while they are used, many enough for products
// of full speed.
constexpr Index chunk_elements = Index{1} << 20;
constexpr Index least_rows = 64;

void check(const Variable& x, const Variable& weight, const Variable& bias, const Tensor& targets,
           std::optional<Index> ignore_index, double label_smoothing) {
  require<Error>(x.is_defined() && weight.is_defined(), "{}: got an undefined tensor", operation);
  require(weight.rank() == 2, "{}: the weight is [classes, in], got {}", operation, weight.shape());
  require(x.rank() >= 1 && x.size(-1) == weight.size(1),
          "{}: x is {}, its last axis must be {} wide: the weight is {}", operation, x.shape(),
          weight.size(1), weight.shape());
  require(!bias.is_defined() || bias.shape() == Shape{weight.size(0)},
          "{}: the bias is {}, the weight {}", operation, bias.shape(), weight.shape());
  require<DTypeError>(
      x.dtype() == weight.dtype() && (!bias.is_defined() || bias.dtype() == x.dtype()),
      "{}: dtypes differ: x is {}, the weight {}", operation, x.dtype(), weight.dtype());
  Shape logits = x.shape();
  logits[logits.rank() - 1] = weight.size(0);
  detail::check_cross_entropy(operation, logits, x.dtype(), targets, ignore_index, label_smoothing);
}

// Makes the logits of a few rows at a time, in the same memory.
class ChunkedLogits {
 public:
  ChunkedLogits(const Tensor& x, const Tensor& weight, const Tensor& bias)
      : x_(reshape(x, {rows_of(x), x.shape()[x.rank() - 1]})),
        weight_(weight),
        bias_(bias),
        memory_({std::min(rows(), rows_of_a_chunk(weight)), weight.size(0)}, x.dtype()) {}

  [[nodiscard]] Index rows() const noexcept { return x_.size(0); }

  // Calls body(first, x of the chunk, logits of the chunk); body may write to the logits.
  template <class Body>
  void for_each(Body&& body) {
    for (Index first = 0; first < rows(); first += memory_.size(0)) {
      const Index count = std::min(memory_.size(0), rows() - first);
      const Tensor x = narrow(x_, 0, first, count);
      Tensor logits = narrow(memory_, 0, 0, count);
      if (bias_.is_defined()) copy_(logits, bias_);
      matmul_into(logits, x, transpose(weight_), bias_.is_defined());
      body(first, x, logits);
    }
  }

 private:
  static Index rows_of(const Tensor& x) noexcept {
    Index rows = 1;
    for (int axis = 0; axis + 1 < x.rank(); ++axis) rows *= x.shape()[axis];
    return rows;
  }
  static Index rows_of_a_chunk(const Tensor& weight) noexcept {
    return std::max(least_rows, chunk_elements / std::max<Index>(weight.size(0), 1));
  }

  Tensor x_;       // [rows, in]
  Tensor weight_;  // [classes, in]
  Tensor bias_;    // [classes] or undefined
  Tensor memory_;  // [rows of a chunk, classes]
};

// From y = -sum q log softmax(l), l = x W^T + b:  dl = g (softmax(l) - q);
// dx = dl W, dW = dl^T x, db = sum of the rows of dl
Grads gradients(const VjpContext& c, const kernels::CrossEntropyOptions& options) {
  const Tensor x = c.input(0).value().contiguous();
  const Tensor weight = c.input(1).value();
  const Variable bias = c.input(2);
  const Tensor& targets = c.extra(0);
  const Tensor& logsumexp = c.extra(1);
  const Tensor upstream = c.grad().value().contiguous();
  ChunkedLogits chunks(x, weight, bias.is_defined() ? bias.value() : Tensor());
  Tensor dx = c.needs(0) ? Tensor(x.shape(), x.dtype()) : Tensor();
  Tensor dweight = c.needs(1) ? zeros(weight.shape(), x.dtype()) : Tensor();
  Tensor dbias = c.needs(2) ? zeros({weight.size(0)}, x.dtype()) : Tensor();
  Tensor dx_rows = c.needs(0) ? reshape(dx, {chunks.rows(), weight.size(1)}) : Tensor();
  chunks.for_each([&](Index first, const Tensor& x_chunk, Tensor& logits) {
    kernels::dispatch_floating(operation, x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      T* const data = logits.mutable_data<T>();
      kernels::cross_entropy_backward_rows<T>(
          data, targets.data<Index>() + first, logsumexp.data<T>() + first,
          upstream.data<T>() + first, 1, data, logits.size(0), logits.size(1), options);
    });
    if (c.needs(0)) {
      Tensor dx_chunk = narrow(dx_rows, 0, first, logits.size(0));
      matmul_into(dx_chunk, logits, weight);
    }
    if (c.needs(1)) matmul_into(dweight, transpose(logits), x_chunk, /*accumulate=*/true);
    if (c.needs(2)) add_(dbias, sum(logits, 0));
  });
  return Grads(std::move(dx), std::move(dweight), std::move(dbias));
}

}  // namespace

Variable linear_cross_entropy_reference(const Variable& x, const Variable& weight,
                                        const Variable& bias, const Tensor& targets,
                                        std::optional<Index> ignore_index, double label_smoothing) {
  return cross_entropy_reference(linear(x, weight, bias), targets, ignore_index, label_smoothing);
}

Variable linear_cross_entropy(const Variable& x, const Variable& weight, const Variable& bias,
                              const Tensor& targets, std::optional<Index> ignore_index,
                              double label_smoothing) {
  check(x, weight, bias, targets, ignore_index, label_smoothing);
  const kernels::CrossEntropyOptions options =
      detail::cross_entropy_options(ignore_index, label_smoothing);
  const Tensor ids = targets.contiguous();
  Tensor losses(targets.shape(), x.dtype());
  Tensor logsumexp(targets.shape(), x.dtype());
  ChunkedLogits chunks(x.value(), weight.value(), bias.is_defined() ? bias.value() : Tensor());
  chunks.for_each([&](Index first, const Tensor&, const Tensor& logits) {
    kernels::dispatch_floating(operation, x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      kernels::cross_entropy_rows<T>(
          logits.data<T>(), ids.data<Index>() + first, losses.mutable_data<T>() + first,
          logsumexp.mutable_data<T>() + first, logits.size(0), logits.size(1), options);
    });
  });
  return record(Op::linear_cross_entropy, {x, weight, bias}, std::move(losses),
                Save::input(0) | Save::input(1) | Save::input(2),
                [ignore_index, label_smoothing, options](const VjpContext& c) -> Grads {
                  if (!is_recording()) return gradients(c, options);
                  const Tensor saved_targets = c.extra(0);
                  return vjp_of_reference(c, [&](std::span<const Variable> in) {
                    return linear_cross_entropy_reference(in[0], in[1], in[2], saved_targets,
                                                          ignore_index, label_smoothing);
                  });
                },
                {ids, logsumexp});
}

}  // namespace tensorette
