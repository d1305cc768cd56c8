#include <algorithm>
#include <tensorette/autograd/detail/cross_entropy_checks.hpp>
#include <tensorette/autograd/fused/cross_entropy.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/softmax.hpp>

namespace tensorette {
Variable cross_entropy_reference(const Variable& logits, const Tensor& targets,
                                 std::optional<Index> ignore_index, double label_smoothing) {
  const Tensor counts = ignore_index ? not_equal(targets, *ignore_index) : equal(targets, targets);
  const Tensor ids = where(counts, targets, Scalar(0));
  const Variable log_probabilities = log_softmax(logits, -1);
  const Variable picked = squeeze(gather(log_probabilities, -1, unsqueeze(ids, -1)), -1);
  const auto classes = static_cast<double>(std::max<Index>(logits.size(-1), 1));
  const Variable loss = negate(picked * (1.0 - label_smoothing) +
                               sum(log_probabilities, -1) * (label_smoothing / classes));
  return where(counts, loss, Scalar(0));
}

Variable cross_entropy(const Variable& logits, const Tensor& targets,
                       std::optional<Index> ignore_index, double label_smoothing) {
  detail::require<Error>(logits.is_defined(), "cross_entropy: got an undefined tensor");
  detail::check_cross_entropy("cross_entropy", logits.shape(), logits.dtype(), targets,
                              ignore_index, label_smoothing);
  const Tensor dense = logits.value().contiguous();
  const Tensor ids = targets.contiguous();
  Tensor losses(targets.shape(), logits.dtype());
  Tensor logsumexp(targets.shape(), logits.dtype());
  kernels::dispatch_floating("cross_entropy", logits.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    kernels::cross_entropy_rows<T>(dense.data<T>(), ids.data<Index>(), losses.mutable_data<T>(),
                                   logsumexp.mutable_data<T>(), ids.element_count(),
                                   logits.size(-1),
                                   detail::cross_entropy_options(ignore_index, label_smoothing));
  });
  // y = -sum q log softmax(x):  dx = g (softmax(x) - q)
  return record(
      Op::cross_entropy, {logits}, std::move(losses), Save::input(0),
      [ignore_index, label_smoothing](const VjpContext& c) -> Grads {
        if (is_recording()) {
          const Tensor& saved_targets = c.extra(0);
          return vjp_of_reference(c, [&](std::span<const Variable> in) {
            return cross_entropy_reference(in[0], saved_targets, ignore_index, label_smoothing);
          });
        }
        const Tensor input = c.input(0).value().contiguous();
        const Tensor upstream = c.grad().value().contiguous();
        Tensor gradient(input.shape(), input.dtype());
        kernels::dispatch_floating("cross_entropy", input.dtype(), [&](auto tag) {
          using T = typename decltype(tag)::type;
          kernels::cross_entropy_backward_rows<T>(
              input.data<T>(), c.extra(0).data<Index>(), c.extra(1).data<T>(), upstream.data<T>(),
              1, gradient.mutable_data<T>(), upstream.element_count(), input.size(-1),
              detail::cross_entropy_options(ignore_index, label_smoothing));
        });
        return gradient;
      },
      {ids, logsumexp});
}

}  // namespace tensorette
