#include <cmath>
#include <tensorette/tensor/kernels/arithmetic_kernels.hpp>
#include <tensorette/tensor/kernels/elementwise_loops.hpp>
#include <tensorette/tensor/kernels/multiply_add.hpp>

namespace tensorette::kernels {

namespace {

// Integers wrap around, as unsigned ones do by definition.
constexpr std::uint64_t bits(std::int64_t x) noexcept {
  return static_cast<std::uint64_t>(x);
}

struct Add {
  static constexpr bool is_cheap = true;
  template <class B>
  B operator()(const B& a, const B& b) const {
    return a + b;
  }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return static_cast<std::int64_t>(bits(a) + bits(b));
  }
};

struct Subtract {
  static constexpr bool is_cheap = true;
  template <class B>
  B operator()(const B& a, const B& b) const {
    return a - b;
  }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return static_cast<std::int64_t>(bits(a) - bits(b));
  }
};

struct Multiply {
  static constexpr bool is_cheap = true;
  template <class B>
  B operator()(const B& a, const B& b) const {
    return a * b;
  }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return static_cast<std::int64_t>(bits(a) * bits(b));
  }
};

struct Divide {
  static constexpr bool is_cheap = true;
  template <class B>
  B operator()(const B& a, const B& b) const {
    return a / b;
  }
};

// a is chosen where it is larger or NaN, else b, which may be NaN itself.
struct Maximum {
  static constexpr bool is_cheap = true;
  template <class B>
  B operator()(const B& a, const B& b) const {
    return xsimd::select((a > b) | xsimd::isnan(a), a, b);
  }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a > b ? a : b; }
};

struct Minimum {
  static constexpr bool is_cheap = true;
  template <class B>
  B operator()(const B& a, const B& b) const {
    return xsimd::select((a < b) | xsimd::isnan(a), a, b);
  }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a < b ? a : b; }
};

template <class T>
struct AddScaled {
  static constexpr bool is_cheap = true;
  T scale;
  xsimd::batch<T> operator()(const xsimd::batch<T>& target, const xsimd::batch<T>& source) const {
    return multiply_add(xsimd::batch<T>(scale), source, target);
  }
};
template <>
struct AddScaled<std::int64_t> {
  std::int64_t scale;
  std::int64_t operator()(std::int64_t target, std::int64_t source) const {
    return static_cast<std::int64_t>(bits(target) + bits(scale) * bits(source));
  }
};

struct Power {
  template <class T>
  T operator()(T a, T b) const {
    return std::pow(a, b);
  }
};

constexpr const char* numbers = "f32, f64 or i64";
constexpr const char* floating = "f32 or f64";

// Functions of batches for f32 and f64, of plain numbers for i64.
template <class Function>
constexpr Operation numeric_operation(const char* name) {
  return {name,
          numbers,
          {batch_kernel<float, 2, Function>, batch_kernel<double, 2, Function>,
           plain_binary_kernel<std::int64_t, std::int64_t, Function>, nullptr}};
}

template <class T>
void second_input_kernel(const void*, const Run& run) {
  const T* const source = reinterpret_cast<const T*>(run.input[1]);
  T* const output = reinterpret_cast<T*>(run.output);
  if (run.step[1] == 1) {
    std::copy(source, source + run.count, output);
  } else {
    std::fill_n(output, run.count, *source);
  }
}

constexpr Operation writing_operation(const char* name) {
  return {name,
          "any dtype",
          {second_input_kernel<float>, second_input_kernel<double>,
           second_input_kernel<std::int64_t>, second_input_kernel<bool>}};
}

}  // namespace

constexpr Operation add_operation = numeric_operation<Add>("add");
constexpr Operation subtract_operation = numeric_operation<Subtract>("subtract");
constexpr Operation multiply_operation = numeric_operation<Multiply>("multiply");
constexpr Operation divide_operation{
    "divide",
    floating,
    {batch_kernel<float, 2, Divide>, batch_kernel<double, 2, Divide>, nullptr, nullptr}};
constexpr Operation pow_operation{
    .name = "pow",
    .takes = floating,
    .kernels = {plain_binary_kernel<float, float, Power>,
                plain_binary_kernel<double, double, Power>, nullptr, nullptr},
    .grain = elements_per_thread / 16};
constexpr Operation maximum_operation = numeric_operation<Maximum>("maximum");
constexpr Operation minimum_operation = numeric_operation<Minimum>("minimum");

constexpr Operation add_scaled_operation{
    "add_",
    numbers,
    {batch_kernel<float, 2, AddScaled<float>>, batch_kernel<double, 2, AddScaled<double>>,
     plain_binary_kernel<std::int64_t, std::int64_t, AddScaled<std::int64_t>>, nullptr}};
constexpr Operation subtract_in_place_operation = numeric_operation<Subtract>("subtract_");
constexpr Operation multiply_in_place_operation = numeric_operation<Multiply>("multiply_");

constexpr Operation copy_operation = writing_operation("copy_");
constexpr Operation fill_operation = writing_operation("fill_");

}  // namespace tensorette::kernels
