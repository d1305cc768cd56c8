#include <cmath>
#include <tensorette/nn/optim/clipping.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/elementwise.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>

namespace tensorette::optim {
namespace {

double sum_of_squares(const Tensor& gradient) {
  const Tensor dense = gradient.contiguous();
  return kernels::dispatch_floating("gradient_norm", gradient.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* element = dense.data<T>();
    const Index count = dense.element_count();
    // Independent partial sums let the compiler use all lanes; their order is fixed.
    constexpr Index lanes = 8;
    double partial[lanes] = {};
    Index i = 0;
    for (; i + lanes <= count; i += lanes) {
      for (Index lane = 0; lane < lanes; ++lane) {
        const double value = static_cast<double>(element[i + lane]);
        partial[lane] += value * value;
      }
    }
    double total = 0;
    for (const double part : partial) total += part;
    for (; i < count; ++i) {
      total += static_cast<double>(element[i]) * static_cast<double>(element[i]);
    }
    return total;
  });
}

}  // namespace

double gradient_norm(std::span<const Variable> parameters) {
  double total = 0;
  for (const Variable& parameter : parameters) {
    const Variable gradient = parameter.grad();
    if (gradient.is_defined()) total += sum_of_squares(gradient.value());
  }
  return std::sqrt(total);
}

double clip_gradient_norm(std::span<const Variable> parameters, double max_norm) {
  detail::require<Error>(max_norm > 0, "clip_gradient_norm: max_norm must be positive, got {}",
                         max_norm);
  const double norm = gradient_norm(parameters);
  if (!std::isfinite(norm) || norm <= max_norm) return norm;
  for (const Variable& parameter : parameters) {
    Variable gradient = parameter.grad();
    if (gradient.is_defined()) multiply_(gradient.mutable_value(), max_norm / norm);
  }
  return norm;
}

void clip_gradient_value(std::span<const Variable> parameters, double limit) {
  detail::require<Error>(limit > 0, "clip_gradient_value: the limit must be positive, got {}",
                         limit);
  for (const Variable& parameter : parameters) {
    const Variable gradient = parameter.grad();
    if (gradient.is_defined()) parameter.set_grad(clamp(gradient.value(), -limit, limit));
  }
}

}  // namespace tensorette::optim
