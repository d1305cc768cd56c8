// Functions that cost no more than a few instructions.
#include <cmath>
#include <limits>
#include <tensorette/tensor/kernels/elementwise_loops.hpp>
#include <tensorette/tensor/kernels/function_kernels.hpp>

namespace tensorette::kernels {

namespace {

template <class B>
using ValueOf = typename B::value_type;

constexpr std::int64_t wrapped_product(std::int64_t a, std::int64_t b) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

struct Negate {
  static constexpr bool is_cheap = true;
  template <class B>
  B operator()(const B& x) const {
    return x ^ B(ValueOf<B>(-0.0));  // flips the sign bit, of zeros and NaN as well
  }
  std::int64_t operator()(std::int64_t x) const { return wrapped_product(x, -1); }
};

struct Abs {
  static constexpr bool is_cheap = true;
  template <class B>
  B operator()(const B& x) const {
    return xsimd::abs(x);
  }
  std::int64_t operator()(std::int64_t x) const { return x < 0 ? wrapped_product(x, -1) : x; }
};

struct Sign {
  static constexpr bool is_cheap = true;
  template <class B>
  B operator()(const B& x) const {
    const B zero(ValueOf<B>(0));
    const B one(ValueOf<B>(1));
    return xsimd::select(x > zero, one, xsimd::select(x < zero, -one, x));
  }
  std::int64_t operator()(std::int64_t x) const { return (x > 0) - (x < 0); }
};

struct Square {
  static constexpr bool is_cheap = true;
  template <class B>
  B operator()(const B& x) const {
    return x * x;
  }
  std::int64_t operator()(std::int64_t x) const { return wrapped_product(x, x); }
};

struct Cube {
  static constexpr bool is_cheap = true;
  template <class B>
  B operator()(const B& x) const {
    return x * x * x;
  }
};

struct Reciprocal {
  static constexpr bool is_cheap = true;
  template <class B>
  B operator()(const B& x) const {
    return B(ValueOf<B>(1)) / x;
  }
};

struct SquareRoot {
  static constexpr bool is_cheap = true;
  template <class B>
  B operator()(const B& x) const {
    return xsimd::sqrt(x);
  }
};

struct ReciprocalSquareRoot {
  static constexpr bool is_cheap = true;
  template <class B>
  B operator()(const B& x) const {
    return B(ValueOf<B>(1)) / xsimd::sqrt(x);
  }
};

struct Relu {
  static constexpr bool is_cheap = true;
  template <class B>
  B operator()(const B& x) const {
    const B zero(ValueOf<B>(0));
    return xsimd::select(x <= zero, zero, x);  // false for NaN
  }
};

template <class T>
struct Clamp {
  static constexpr bool is_cheap = true;
  Bounds<T> bounds;
  xsimd::batch<T> operator()(const xsimd::batch<T>& x) const {
    const xsimd::batch<T> low(bounds.low);
    const xsimd::batch<T> high(bounds.high);
    return xsimd::select(x < low, low, xsimd::select(x > high, high, x));
  }
};
template <>
struct Clamp<std::int64_t> {
  Bounds<std::int64_t> bounds;
  std::int64_t operator()(std::int64_t x) const { return std::clamp(x, bounds.low, bounds.high); }
};

struct IsNan {
  template <class T>
  bool operator()(T x) const {
    return x != x;
  }
};

struct IsFinite {
  template <class T>
  bool operator()(T x) const {
    return std::abs(x) <= std::numeric_limits<T>::max();
  }
};

template <class Function>
constexpr Operation floating_operation(const char* name) {
  return {name,
          "f32 or f64",
          {batch_kernel<float, 1, Function>, batch_kernel<double, 1, Function>, nullptr, nullptr}};
}

template <class Function>
constexpr Operation numeric_operation(const char* name) {
  Operation operation = floating_operation<Function>(name);
  operation.takes = "f32, f64 or i64";
  operation.kernels[static_cast<std::size_t>(DType::i64)] =
      plain_unary_kernel<std::int64_t, std::int64_t, Function>;
  return operation;
}

template <class Function>
constexpr Operation question(const char* name) {
  return {.name = name,
          .takes = "f32 or f64",
          .kernels = {plain_unary_kernel<float, bool, Function>,
                      plain_unary_kernel<double, bool, Function>, nullptr, nullptr},
          .gives_boolean = true};
}

}  // namespace

constexpr Operation negate_operation = numeric_operation<Negate>("negate");
constexpr Operation abs_operation = numeric_operation<Abs>("abs");
constexpr Operation sign_operation = numeric_operation<Sign>("sign");
constexpr Operation square_operation = numeric_operation<Square>("square");
constexpr Operation reciprocal_operation = floating_operation<Reciprocal>("reciprocal");
constexpr Operation sqrt_operation = floating_operation<SquareRoot>("sqrt");
constexpr Operation rsqrt_operation = floating_operation<ReciprocalSquareRoot>("rsqrt");
constexpr Operation relu_operation = floating_operation<Relu>("relu");
constexpr Operation pow_2_operation = floating_operation<Square>("pow");
constexpr Operation pow_3_operation = floating_operation<Cube>("pow");
constexpr Operation pow_minus_1_operation = floating_operation<Reciprocal>("pow");
constexpr Operation isnan_operation = question<IsNan>("isnan");
constexpr Operation isfinite_operation = question<IsFinite>("isfinite");

constexpr Operation clamp_operation{
    "clamp",
    "f32, f64 or i64",
    {batch_kernel<float, 1, Clamp<float>>, batch_kernel<double, 1, Clamp<double>>,
     plain_unary_kernel<std::int64_t, std::int64_t, Clamp<std::int64_t>>, nullptr}};

}  // namespace tensorette::kernels
