#include <cmath>
#include <tensorette/tensor/kernels/optimizer.hpp>
#include <tensorette/tensor/kernels/row_passes.hpp>

namespace tensorette::kernels {
namespace {

// Calls `body(tag, i)` for all elements, a pack of them at a time.
template <class T, class Body>
void for_each_element(Index count, const Body& body) {
  parallel_for(count, elements_per_thread, [&](Index begin, Index end) {
    for_each_pack<T>(end - begin, [&](auto tag, Index i) { body(tag, begin + i); });
  });
}

}  // namespace

template <class T>
void adam_update(const AdamStep& step, const T* gradient, T* value, T* mean, T* mean_square,
                 Index count) {
  const T beta1 = static_cast<T>(step.beta1);
  const T beta2 = static_cast<T>(step.beta2);
  const T fresh1 = static_cast<T>(1.0 - step.beta1);
  const T fresh2 = static_cast<T>(1.0 - step.beta2);
  // lr (m/c1) / (sqrt(v/c2) + eps) with the two corrections taken out of the loop.
  const T rate = static_cast<T>(step.learning_rate / step.mean_correction);
  const T root = static_cast<T>(1.0 / std::sqrt(step.square_correction));
  const T epsilon = static_cast<T>(step.epsilon);
  const T gradient_decay = static_cast<T>(step.gradient_decay);
  const T keep = static_cast<T>(1.0 - step.learning_rate * step.parameter_decay);
  for_each_element<T>(count, [=](auto tag, Index i) {
    using V = typename decltype(tag)::type;
    using std::sqrt;
    using xsimd::sqrt;
    const V p = load_at<V>(value + i);
    const V g = load_at<V>(gradient + i) + V(gradient_decay) * p;
    const V m = V(beta1) * load_at<V>(mean + i) + V(fresh1) * g;
    const V v = V(beta2) * load_at<V>(mean_square + i) + V(fresh2) * g * g;
    store_at(mean + i, m);
    store_at(mean_square + i, v);
    store_at(value + i, V(keep) * p - V(rate) * m / (sqrt(v) * V(root) + V(epsilon)));
  });
}

template <class T>
void sgd_update(const SgdStep& step, const T* gradient, T* value, T* velocity, Index count) {
  const T rate = static_cast<T>(step.learning_rate);
  const T momentum = static_cast<T>(step.momentum);
  const T decay = static_cast<T>(step.gradient_decay);
  if (velocity == nullptr) {
    for_each_element<T>(count, [=](auto tag, Index i) {
      using V = typename decltype(tag)::type;
      const V p = load_at<V>(value + i);
      store_at(value + i, p - V(rate) * (load_at<V>(gradient + i) + V(decay) * p));
    });
    return;
  }
  // The velocity begins at 0, so that the first step makes it the gradient.
  const T ahead = step.nesterov ? T(1) : T(0);
  const T along = step.nesterov ? momentum : T(1);
  for_each_element<T>(count, [=](auto tag, Index i) {
    using V = typename decltype(tag)::type;
    const V p = load_at<V>(value + i);
    const V g = load_at<V>(gradient + i) + V(decay) * p;
    const V u = V(momentum) * load_at<V>(velocity + i) + g;
    store_at(velocity + i, u);
    store_at(value + i, p - V(rate) * (V(ahead) * g + V(along) * u));
  });
}

template <class T>
void rmsprop_update(const RmspropStep& step, const T* gradient, T* value, T* mean_square,
                    T* velocity, T* mean, Index count) {
  const T rate = static_cast<T>(step.learning_rate);
  const T alpha = static_cast<T>(step.alpha);
  const T fresh = static_cast<T>(1.0 - step.alpha);
  const T epsilon = static_cast<T>(step.epsilon);
  const T momentum = static_cast<T>(step.momentum);
  const T decay = static_cast<T>(step.gradient_decay);
  const T centre = step.centered ? T(1) : T(0);
  for_each_element<T>(count, [=](auto tag, Index i) {
    using V = typename decltype(tag)::type;
    using std::sqrt;
    using xsimd::sqrt;
    const V p = load_at<V>(value + i);
    const V g = load_at<V>(gradient + i) + V(decay) * p;
    const V v = V(alpha) * load_at<V>(mean_square + i) + V(fresh) * g * g;
    const V m = V(centre) * (V(alpha) * load_at<V>(mean + i) + V(fresh) * g);
    const V u = V(momentum) * load_at<V>(velocity + i) + g / (sqrt(v - m * m) + V(epsilon));
    store_at(mean_square + i, v);
    store_at(mean + i, m);
    store_at(velocity + i, u);
    store_at(value + i, p - V(rate) * u);
  });
}

template <class T>
void average_update(double fresh, const T* value, T* average, Index count) {
  const T share = static_cast<T>(fresh);
  for_each_element<T>(count, [=](auto tag, Index i) {
    using V = typename decltype(tag)::type;
    const V a = load_at<V>(average + i);
    store_at(average + i, a + V(share) * (load_at<V>(value + i) - a));
  });
}

template void adam_update<float>(const AdamStep&, const float*, float*, float*, float*, Index);
template void adam_update<double>(const AdamStep&, const double*, double*, double*, double*, Index);
template void sgd_update<float>(const SgdStep&, const float*, float*, float*, Index);
template void sgd_update<double>(const SgdStep&, const double*, double*, double*, Index);
template void rmsprop_update<float>(const RmspropStep&, const float*, float*, float*, float*,
                                    float*, Index);
template void rmsprop_update<double>(const RmspropStep&, const double*, double*, double*, double*,
                                     double*, Index);
template void average_update<float>(double, const float*, float*, Index);
template void average_update<double>(double, const double*, double*, Index);

}  // namespace tensorette::kernels
