#include <cmath>
#include <tensorette/tensor/kernels/optimizer.hpp>
#include <tensorette/tensor/kernels/parallel.hpp>

namespace tensorette::kernels {

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
  parallel_for(count, elements_per_thread, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const T g = gradient[i] + gradient_decay * value[i];
      const T m = beta1 * mean[i] + fresh1 * g;
      const T v = beta2 * mean_square[i] + fresh2 * g * g;
      mean[i] = m;
      mean_square[i] = v;
      value[i] = keep * value[i] - rate * m / (std::sqrt(v) * root + epsilon);
    }
  });
}

template <class T>
void sgd_update(const SgdStep& step, const T* gradient, T* value, T* velocity, Index count) {
  const T rate = static_cast<T>(step.learning_rate);
  const T momentum = static_cast<T>(step.momentum);
  const T decay = static_cast<T>(step.gradient_decay);
  parallel_for(count, elements_per_thread, [&](Index begin, Index end) {
    if (velocity == nullptr) {
      for (Index i = begin; i < end; ++i) value[i] -= rate * (gradient[i] + decay * value[i]);
      return;
    }
    // The velocity begins at 0, so that the first step makes it the gradient.
    const T ahead = step.nesterov ? T(1) : T(0);
    const T along = step.nesterov ? momentum : T(1);
    for (Index i = begin; i < end; ++i) {
      const T g = gradient[i] + decay * value[i];
      velocity[i] = momentum * velocity[i] + g;
      value[i] -= rate * (ahead * g + along * velocity[i]);
    }
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
  parallel_for(count, elements_per_thread, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const T g = gradient[i] + decay * value[i];
      mean_square[i] = alpha * mean_square[i] + fresh * g * g;
      mean[i] = centre * (alpha * mean[i] + fresh * g);
      const T scaled = g / (std::sqrt(mean_square[i] - mean[i] * mean[i]) + epsilon);
      velocity[i] = momentum * velocity[i] + scaled;
      value[i] -= rate * velocity[i];
    }
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

}  // namespace tensorette::kernels
