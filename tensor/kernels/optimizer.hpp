// Updates of parameters, one pass over memory each.
#pragma once

#include <tensorette/tensor/shape.hpp>

namespace tensorette::kernels {

/// Numbers of one Adam step; see nn/optim/adam.hpp.
struct AdamStep {
  double learning_rate;
  double beta1;
  double beta2;
  double epsilon;
  double mean_correction;    ///< 1 − β₁^t
  double square_correction;  ///< 1 − β₂^t
  double gradient_decay;     ///< added to the gradient, times the parameter
  double parameter_decay;    ///< the parameter shrinks by learning_rate · this
};
template <class T>
void adam_update(const AdamStep& step, const T* gradient, T* value, T* mean, T* mean_square,
                 Index count);

/// Numbers of one SGD step; see nn/optim/sgd.hpp.
struct SgdStep {
  double learning_rate;
  double momentum;
  bool nesterov;
  double gradient_decay;
};
/// `velocity` is null without momentum.
template <class T>
void sgd_update(const SgdStep& step, const T* gradient, T* value, T* velocity, Index count);

/// Numbers of one RMSprop step; see nn/optim/rmsprop.hpp.
struct RmspropStep {
  double learning_rate;
  double alpha;
  double epsilon;
  double momentum;
  bool centered;
  double gradient_decay;
};
template <class T>
void rmsprop_update(const RmspropStep& step, const T* gradient, T* value, T* mean_square,
                    T* velocity, T* mean, Index count);

/// average += fresh · (value − average), the step of a moving average.
template <class T>
void average_update(double fresh, const T* value, T* average, Index count);

}  // namespace tensorette::kernels
