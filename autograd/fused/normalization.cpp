#include <tensorette/autograd/fused/normalization.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/normalization.hpp>

namespace tensorette {
namespace {

using detail::require;

void check(const char* operation, const Variable& x, const Variable& gain, const Variable& bias) {
  require<Error>(x.is_defined() && gain.is_defined(), "{}: got an undefined tensor", operation);
  require(x.rank() >= 1 && gain.shape() == Shape{x.size(-1)},
          "{}: the gain has shape {}, x {}: it must be as wide as the last axis", operation,
          gain.shape(), x.shape());
  require(!bias.is_defined() || bias.shape() == gain.shape(),
          "{}: the bias has shape {}, the gain {}", operation, bias.shape(), gain.shape());
  require<DTypeError>(
      x.dtype() == gain.dtype() && (!bias.is_defined() || bias.dtype() == x.dtype()),
      "{}: dtypes differ: x is {}, the gain {}", operation, x.dtype(), gain.dtype());
}

Shape row_shape(const Shape& shape) {
  Shape rows = shape;
  rows.erase(shape.rank() - 1);
  return rows;
}

template <class T>
T* data_or_null(Tensor& tensor) {
  return tensor.is_defined() ? tensor.mutable_data<T>() : nullptr;
}

}  // namespace

Variable layer_norm_reference(const Variable& x, const Variable& gain, const Variable& bias,
                              double epsilon) {
  const Variable centred = x - mean(x, -1, KeepDims::yes);
  const Variable spread = mean(square(centred), -1, KeepDims::yes);
  const Variable scaled = centred * rsqrt(spread + epsilon) * gain;
  return bias.is_defined() ? scaled + bias : scaled;
}

Variable layer_norm(const Variable& x, const Variable& gain, const Variable& bias, double epsilon) {
  check("layer_norm", x, gain, bias);
  const Tensor dense = x.value().contiguous();
  const Tensor dense_gain = gain.value().contiguous();
  const Tensor dense_bias = bias.value().contiguous();
  const Shape rows = row_shape(x.shape());
  Tensor y(x.shape(), x.dtype());
  Tensor mean(rows, x.dtype());
  Tensor rstd(rows, x.dtype());
  kernels::dispatch_floating("layer_norm", x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    kernels::layer_norm_rows<T>(dense.data<T>(), dense_gain.data<T>(),
                                dense_bias.is_defined() ? dense_bias.data<T>() : nullptr, epsilon,
                                y.mutable_data<T>(), mean.mutable_data<T>(), rstd.mutable_data<T>(),
                                rows.element_count(), x.size(-1));
  });
  // y = n w + b, n = (x - mean) rstd; h = g w:
  // dx = rstd (h - mean h - n mean(h n)); dw = sum g n; db = sum g
  return record(Op::layer_norm, {x, gain, bias}, std::move(y),
                Save::input(0) | Save::input(1) | Save::input(2),
                [epsilon](const VjpContext& c) {
                  if (is_recording()) {
                    return vjp_of_reference(c, [epsilon](std::span<const Variable> in) {
                      return layer_norm_reference(in[0], in[1], in[2], epsilon);
                    });
                  }
                  const Tensor input = c.input(0).value().contiguous();
                  const Tensor weight = c.input(1).value().contiguous();
                  const Tensor upstream = c.grad().value().contiguous();
                  Tensor dx = c.needs(0) ? Tensor(input.shape(), input.dtype()) : Tensor();
                  Tensor dgain = c.needs(1) ? Tensor(weight.shape(), input.dtype()) : Tensor();
                  Tensor dbias = c.needs(2) ? Tensor(weight.shape(), input.dtype()) : Tensor();
                  kernels::dispatch_floating("layer_norm", input.dtype(), [&](auto tag) {
                    using T = typename decltype(tag)::type;
                    kernels::layer_norm_backward_rows<T>(
                        input.data<T>(), weight.data<T>(), c.extra(0).data<T>(),
                        c.extra(1).data<T>(), upstream.data<T>(), data_or_null<T>(dx),
                        data_or_null<T>(dgain), data_or_null<T>(dbias), c.extra(0).element_count(),
                        input.size(-1));
                  });
                  return Grads(std::move(dx), std::move(dgain), std::move(dbias));
                },
                {mean, rstd});
}

Variable rms_norm_reference(const Variable& x, const Variable& gain, double epsilon) {
  return x * rsqrt(mean(square(x), -1, KeepDims::yes) + epsilon) * gain;
}

Variable rms_norm(const Variable& x, const Variable& gain, double epsilon) {
  check("rms_norm", x, gain, Variable());
  const Tensor dense = x.value().contiguous();
  const Tensor dense_gain = gain.value().contiguous();
  const Shape rows = row_shape(x.shape());
  Tensor y(x.shape(), x.dtype());
  Tensor rstd(rows, x.dtype());
  kernels::dispatch_floating("rms_norm", x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    kernels::rms_norm_rows<T>(dense.data<T>(), dense_gain.data<T>(), epsilon, y.mutable_data<T>(),
                              rstd.mutable_data<T>(), rows.element_count(), x.size(-1));
  });
  // y = n w, n = x rstd; h = g w:  dx = rstd (h - n mean(h n)); dw = sum g n
  return record(Op::rms_norm, {x, gain}, std::move(y), Save::input(0) | Save::input(1),
                [epsilon](const VjpContext& c) {
                  if (is_recording()) {
                    return vjp_of_reference(c, [epsilon](std::span<const Variable> in) {
                      return rms_norm_reference(in[0], in[1], epsilon);
                    });
                  }
                  const Tensor input = c.input(0).value().contiguous();
                  const Tensor weight = c.input(1).value().contiguous();
                  const Tensor upstream = c.grad().value().contiguous();
                  Tensor dx = c.needs(0) ? Tensor(input.shape(), input.dtype()) : Tensor();
                  Tensor dgain = c.needs(1) ? Tensor(weight.shape(), input.dtype()) : Tensor();
                  kernels::dispatch_floating("rms_norm", input.dtype(), [&](auto tag) {
                    using T = typename decltype(tag)::type;
                    kernels::rms_norm_backward_rows<T>(input.data<T>(), weight.data<T>(),
                                                       c.extra(0).data<T>(), upstream.data<T>(),
                                                       data_or_null<T>(dx), data_or_null<T>(dgain),
                                                       c.extra(0).element_count(), input.size(-1));
                  });
                  return Grads(std::move(dx), std::move(dgain));
                },
                {rstd});
}

}  // namespace tensorette
