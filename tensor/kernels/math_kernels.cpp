// Functions made of polynomials.
#include <tensorette/tensor/kernels/elementwise_loops.hpp>
#include <tensorette/tensor/kernels/function_kernels.hpp>
#include <tensorette/tensor/kernels/math.hpp>

namespace tensorette::kernels {

namespace {

// A function of batches as a type, so that each kernel has its own inside the loop.
template <auto f32_function, auto f64_function>
struct MathFunction {
  static constexpr bool is_cheap = false;
  xsimd::batch<float> operator()(const xsimd::batch<float>& x) const { return f32_function(x); }
  xsimd::batch<double> operator()(const xsimd::batch<double>& x) const { return f64_function(x); }
};

template <auto f32_function, auto f64_function>
constexpr Operation math_operation(const char* name) {
  using Function = MathFunction<f32_function, f64_function>;
  return {.name = name,
          .takes = "f32 or f64",
          .kernels = {batch_kernel<float, 1, Function>, batch_kernel<double, 1, Function>, nullptr,
                      nullptr},
          .grain = elements_per_thread / 4};
}

template <class T>
xsimd::batch<T> sine(const xsimd::batch<T>& x) {
  return xsimd::sin(x);
}

template <class T>
xsimd::batch<T> cosine(const xsimd::batch<T>& x) {
  return xsimd::cos(x);
}

}  // namespace

constexpr Operation exp_operation = math_operation<math::exp<float>, math::exp<double>>("exp");
constexpr Operation expm1_operation =
    math_operation<math::expm1<float>, math::expm1<double>>("expm1");
constexpr Operation log_operation = math_operation<math::log<float>, math::log<double>>("log");
constexpr Operation log1p_operation =
    math_operation<math::log1p<float>, math::log1p<double>>("log1p");
constexpr Operation sin_operation = math_operation<sine<float>, sine<double>>("sin");
constexpr Operation cos_operation = math_operation<cosine<float>, cosine<double>>("cos");
constexpr Operation tanh_operation = math_operation<math::tanh<float>, math::tanh<double>>("tanh");
constexpr Operation sigmoid_operation =
    math_operation<math::sigmoid<float>, math::sigmoid<double>>("sigmoid");
constexpr Operation erf_operation = math_operation<math::erf<float>, math::erf<double>>("erf");
constexpr Operation gelu_operation = math_operation<math::gelu<float>, math::gelu<double>>("gelu");
constexpr Operation gelu_tanh_operation =
    math_operation<math::gelu_tanh<float>, math::gelu_tanh<double>>("gelu_tanh");
constexpr Operation silu_operation = math_operation<math::silu<float>, math::silu<double>>("silu");
constexpr Operation softplus_operation =
    math_operation<math::softplus<float>, math::softplus<double>>("softplus");

}  // namespace tensorette::kernels
