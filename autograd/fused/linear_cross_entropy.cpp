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

// Logits of one chunk: few enough to stay in a shared cache while they are used, many enough that
// packing the weight for each product of a chunk takes little of its time.
constexpr Index chunk_elements = Index{1} << 22;
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
class Gradients {
 public:
  struct Wanted {
    bool x, weight, bias;
    [[nodiscard]] bool any() const noexcept { return x || weight || bias; }
  };

  // For x [.., in] of so many rows.
  Gradients(const Tensor& x, Index rows, const Tensor& weight, const Wanted& wanted)
      : weight_(weight),
        dx_(wanted.x ? Tensor(x.shape(), x.dtype()) : Tensor()),
        dweight_(wanted.weight ? zeros(weight.shape(), x.dtype()) : Tensor()),
        dbias_(wanted.bias ? zeros({weight.size(0)}, x.dtype()) : Tensor()) {
    if (wanted.x) dx_rows_ = reshape(dx_, {rows, weight.size(1)});
  }

  // Takes the dl of a chunk of rows.
  void add(Index first, const Tensor& x, const Tensor& dlogits) {
    if (dx_.is_defined()) {
      Tensor dx = narrow(dx_rows_, 0, first, dlogits.size(0));
      matmul_into(dx, dlogits, weight_);
    }
    if (dweight_.is_defined()) matmul_into(dweight_, transpose(dlogits), x, /*accumulate=*/true);
    if (dbias_.is_defined()) add_(dbias_, sum(dlogits, 0));
  }

  [[nodiscard]] Grads times(double factor) const {
    const auto scaled = [&](const Tensor& gradient) {
      return gradient.is_defined() ? multiply(gradient, factor) : Tensor();
    };
    return Grads(scaled(dx_), scaled(dweight_), scaled(dbias_));
  }
  [[nodiscard]] Grads taken() && {
    return Grads(std::move(dx_), std::move(dweight_), std::move(dbias_));
  }

 private:
  Tensor weight_;
  Tensor dx_;
  Tensor dx_rows_;  // [rows, in]
  Tensor dweight_;
  Tensor dbias_;
};

// Turns the logits of some rows into dl. `upstream` holds a number a row, or one for all.
void make_gradient(Tensor& logits, const Tensor& targets, const Tensor& logsumexp, Index first,
                   const Tensor& upstream, const kernels::CrossEntropyOptions& options) {
  const bool is_one_for_all = upstream.rank() == 0;
  kernels::dispatch_floating(operation, logits.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* const data = logits.mutable_data<T>();
    kernels::cross_entropy_backward_rows<T>(
        data, targets.data<Index>() + first, logsumexp.data<T>() + first,
        upstream.data<T>() + (is_one_for_all ? 0 : first), is_one_for_all ? 0 : 1, data,
        logits.size(0), logits.size(1), options);
  });
}

// The upstream gradient of all rows, if it is one number: that of a sum or a mean.
std::optional<double> common_factor(const Tensor& upstream) {
  if (upstream.element_count() == 0) return std::nullopt;
  return kernels::dispatch_floating(
      operation, upstream.dtype(), [&](auto tag) -> std::optional<double> {
        using T = typename decltype(tag)::type;
        const Tensor dense = upstream.contiguous();
        const T* const first = dense.data<T>();
        const T* const end = first + dense.element_count();
        if (std::find_if(first, end, [&](T value) { return value != *first; }) != end) {
          return std::nullopt;
        }
        return static_cast<double>(*first);
      });
}

Grads gradients(const VjpContext& c, const kernels::CrossEntropyOptions& options) {
  const Tensor x = c.input(0).value().contiguous();
  const Tensor weight = c.input(1).value();
  const Variable bias = c.input(2);
  const Tensor upstream = c.grad().value().contiguous();
  ChunkedLogits chunks(x, weight, bias.is_defined() ? bias.value() : Tensor());
  Gradients sums(x, chunks.rows(), weight, {c.needs(0), c.needs(1), c.needs(2)});
  chunks.for_each([&](Index first, const Tensor& x_chunk, Tensor& logits) {
    make_gradient(logits, c.extra(0), c.extra(1), first, upstream, options);
    sums.add(first, x_chunk, logits);
  });
  return std::move(sums).taken();
}

// Which gradients backward will be asked for.
Gradients::Wanted wanted_of(const Variable& x, const Variable& weight, const Variable& bias) {
  if (!is_recording()) return {false, false, false};
  return {x.requires_grad(), weight.requires_grad(), bias.is_defined() && bias.requires_grad()};
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
  const Tensor dense = x.value().contiguous();
  Tensor losses(targets.shape(), x.dtype());
  Tensor logsumexp(targets.shape(), x.dtype());
  ChunkedLogits chunks(dense, weight.value(), bias.is_defined() ? bias.value() : Tensor());
  const Gradients::Wanted wanted = wanted_of(x, weight, bias);
  Gradients ready(dense, chunks.rows(), weight.value(), wanted);
  const Tensor one = scalar(1.0, x.dtype());
  chunks.for_each([&](Index first, const Tensor& x_chunk, Tensor& logits) {
    kernels::dispatch_floating(operation, x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      kernels::cross_entropy_rows<T>(
          logits.data<T>(), ids.data<Index>() + first, losses.mutable_data<T>() + first,
          logsumexp.mutable_data<T>() + first, logits.size(0), logits.size(1), options);
    });
    if (!wanted.any()) return;
    make_gradient(logits, ids, logsumexp, first, one, options);
    ready.add(first, x_chunk, logits);
  });
  return record(Op::linear_cross_entropy, {x, weight, bias}, std::move(losses),
                Save::input(0) | Save::input(1) | Save::input(2),
                [ignore_index, label_smoothing, options, ready](const VjpContext& c) -> Grads {
                  if (!is_recording()) {
                    const std::optional<double> factor = common_factor(c.grad().value());
                    return factor ? ready.times(*factor) : gradients(c, options);
                  }
                  const Tensor& saved_targets = c.extra(0);
                  return vjp_of_reference(c, [&](std::span<const Variable> in) {
                    return linear_cross_entropy_reference(in[0], in[1], in[2], saved_targets,
                                                          ignore_index, label_smoothing);
                  });
                },
                {ids, logsumexp});
}

}  // namespace tensorette
