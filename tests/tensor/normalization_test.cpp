// The rows of layer norm and RMS norm, against their formulas in small operations.
#include <cmath>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/elementwise.hpp>
#include <tensorette/tensor/kernels/normalization.hpp>
#include <tensorette/tensor/parallel.hpp>
#include <tensorette/tensor/reduce.hpp>

#include "layouts.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::testing;
using Catch::Approx;

namespace {

constexpr double epsilon = 1e-5;

Tensor mean_of_rows(const Tensor& x) {
  return mean(x, 1, KeepDims::yes);
}

struct Gradients {
  Tensor dx;
  Tensor dgain;
  Tensor dbias;
};

template <class T>
Gradients layer_norm_gradients(const Tensor& x, const Tensor& gain, const Tensor& grad) {
  const Index rows = x.shape()[0];
  const Index width = x.shape()[1];
  Tensor y = empty_like(x);
  Tensor means({rows}, x.dtype());
  Tensor rstd({rows}, x.dtype());
  kernels::layer_norm_rows<T>(x.data<T>(), gain.data<T>(), nullptr, epsilon, y.mutable_data<T>(),
                              means.mutable_data<T>(), rstd.mutable_data<T>(), rows, width);
  Gradients result{empty_like(x), empty_like(gain), empty_like(gain)};
  kernels::layer_norm_backward_rows<T>(x.data<T>(), gain.data<T>(), means.data<T>(), rstd.data<T>(),
                                       grad.data<T>(), result.dx.mutable_data<T>(),
                                       result.dgain.mutable_data<T>(),
                                       result.dbias.mutable_data<T>(), rows, width);
  return result;
}

}  // namespace

TEST_CASE("layer norm of a row with a large mean", "[field][A29]") {
  const Tensor x = tensor({{2000, 2001, 2002, 2003}});
  Tensor y = empty_like(x);
  float mean = 0;
  float rstd = 0;
  kernels::layer_norm_rows<float>(x.data<float>(), nullptr, nullptr, epsilon,
                                  y.mutable_data<float>(), &mean, &rstd, 1, 4);
  const std::vector<double> expected{-1.3416354, -0.4472118, 0.4472118, 1.3416354};
  for (Index i = 0; i < 4; ++i)
    CHECK(static_cast<double>(y.at<float>(0, i)) ==
          Approx(expected[static_cast<std::size_t>(i)]).margin(1e-5));
  CHECK(mean == 2001.5F);
}

TEST_CASE("layer norm rows follow the formula, forward and back") {
  RandomEngine engine(15);
  for (const Index width : {1, 4, 7, 32, 100}) {
    const Index rows = random_index(engine, 1, 90);
    const Tensor x = random_tensor<double>(engine, {rows, width}).clone();
    const Tensor gain = random_tensor<double>(engine, {width}).clone();
    const Tensor bias = random_tensor<double>(engine, {width}).clone();
    const Tensor grad = random_tensor<double>(engine, {rows, width}).clone();
    Tensor y = empty_like(x);
    Tensor means({rows}, DType::f64);
    Tensor scales({rows}, DType::f64);
    kernels::layer_norm_rows<double>(x.data<double>(), gain.data<double>(), bias.data<double>(),
                                     epsilon, y.mutable_data<double>(),
                                     means.mutable_data<double>(), scales.mutable_data<double>(),
                                     rows, width);
    const Tensor rstd = rsqrt(variance(x, 1, KeepDims::yes) + epsilon);
    const Tensor normal = (x - mean_of_rows(x)) * rstd;
    CHECK(all_close(y, normal * gain + bias, 1e-11, 1e-11));
    const Gradients result = layer_norm_gradients<double>(x, gain, grad);
    const Tensor h = grad * gain;
    CHECK(all_close(result.dx, rstd * (h - mean_of_rows(h) - normal * mean_of_rows(h * normal)),
                    1e-9, 1e-8));
    CHECK(all_close(result.dgain, sum(grad * normal, 0), 1e-10, 1e-9));
    CHECK(all_close(result.dbias, sum(grad, 0), 1e-10, 1e-10));
  }
}

TEST_CASE("RMS norm rows follow the formula, forward and back") {
  RandomEngine engine(16);
  for (const Index width : {1, 6, 40}) {
    constexpr Index rows = 70;
    const Tensor x = random_tensor<double>(engine, {rows, width}).clone();
    const Tensor gain = random_tensor<double>(engine, {width}).clone();
    const Tensor grad = random_tensor<double>(engine, {rows, width}).clone();
    Tensor y = empty_like(x);
    Tensor scales({rows}, DType::f64);
    kernels::rms_norm_rows<double>(x.data<double>(), gain.data<double>(), epsilon,
                                   y.mutable_data<double>(), scales.mutable_data<double>(), rows,
                                   width);
    const Tensor rstd = rsqrt(mean_of_rows(square(x)) + epsilon);
    const Tensor normal = x * rstd;
    CHECK(all_close(y, normal * gain, 1e-11, 1e-11));
    Tensor dx = empty_like(x);
    Tensor dgain = empty_like(gain);
    kernels::rms_norm_backward_rows<double>(
        x.data<double>(), gain.data<double>(), scales.data<double>(), grad.data<double>(),
        dx.mutable_data<double>(), dgain.mutable_data<double>(), rows, width);
    const Tensor h = grad * gain;
    CHECK(all_close(dx, rstd * (h - normal * mean_of_rows(h * normal)), 1e-9, 1e-8));
    CHECK(all_close(dgain, sum(grad * normal, 0), 1e-10, 1e-9));
  }
}

TEST_CASE("gradients of the gain do not depend on the number of threads") {
  RandomEngine engine(17);
  const Tensor x = random_tensor<float>(engine, {2000, 65}).clone();
  const Tensor gain = random_tensor<float>(engine, {65}).clone();
  const Tensor grad = random_tensor<float>(engine, {2000, 65}).clone();
  set_num_threads(1);
  const Gradients alone = layer_norm_gradients<float>(x, gain, grad);
  set_num_threads(3);
  const Gradients together = layer_norm_gradients<float>(x, gain, grad);
  set_num_threads(0);
  CHECK(identical(alone.dx, together.dx));
  CHECK(identical(alone.dgain, together.dgain));
  CHECK(identical(alone.dbias, together.dbias));
}
