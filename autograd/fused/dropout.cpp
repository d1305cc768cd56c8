#include <tensorette/autograd/fused/dropout.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/parallel.hpp>
#include <tensorette/tensor/kernels/random.hpp>

namespace tensorette {
namespace {

void check(double probability) {
  detail::require<Error>(probability >= 0 && probability <= 1,
                         "dropout: the probability is {}, it must be in [0, 1]", probability);
}

Tensor masked(const Tensor& x, double probability, const Generator::State& state) {
  const Tensor dense = x.contiguous();
  Tensor y(x.shape(), x.dtype());
  kernels::dispatch_floating("dropout", x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const double kept = 1.0 - probability;
    const T scale = static_cast<T>(kept > 0 ? 1.0 / kept : 0.0);
    const T* from = dense.data<T>();
    T* to = y.mutable_data<T>();
    kernels::parallel_for(y.element_count(), kernels::elements_per_thread,
                          [&](Index begin, Index end) {
                            kernels::dropout<T>(state, begin, probability, scale, from + begin,
                                                to + begin, end - begin);
                          });
  });
  return y;
}

}  // namespace

Variable dropout(const Variable& x, double probability, const Generator::State& state) {
  check(probability);
  // y = x m / (1 - p), m random:  dx = g m / (1 - p)
  return record(Op::dropout, {x}, masked(x.value(), probability, state), Save::nothing(),
                [probability, state](const VjpContext& c) -> Grads {
                  return dropout(c.grad(), probability, state);
                });
}

Variable dropout(const Variable& x, double probability, Generator& generator) {
  check(probability);
  return dropout(x, probability, generator.reserve(x.element_count()));
}

}  // namespace tensorette
