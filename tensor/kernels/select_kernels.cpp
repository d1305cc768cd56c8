#include <tensorette/tensor/kernels/function_kernels.hpp>

namespace tensorette::kernels {

namespace {

template <Index step_a, Index step_b, class T>
void select_run(const std::uint8_t* condition, const T* a, const T* b, T* output, Index count) {
  const T same_a = *a;
  const T same_b = *b;
  for (Index i = 0; i < count; ++i) {
    // Both are read, so that the choice needs no branch.
    const T on_true = step_a == 0 ? same_a : a[i];
    const T on_false = step_b == 0 ? same_b : b[i];
    output[i] = condition[i] != 0 ? on_true : on_false;
  }
}

template <class T>
void run_select(const void*, const Run& run) {
  const auto* const condition = reinterpret_cast<const std::uint8_t*>(run.input[0]);
  const T* const a = reinterpret_cast<const T*>(run.input[1]);
  const T* const b = reinterpret_cast<const T*>(run.input[2]);
  T* const output = reinterpret_cast<T*>(run.output);
  const auto [step, step_a, step_b] = run.step;
  if (step == 0) {
    const T* const chosen = *condition != 0 ? a : b;
    const Index chosen_step = *condition != 0 ? step_a : step_b;
    for (Index i = 0; i < run.count; ++i) output[i] = chosen[i * chosen_step];
  } else if (step_a == 1 && step_b == 1) {
    select_run<1, 1>(condition, a, b, output, run.count);
  } else if (step_a == 1) {
    select_run<1, 0>(condition, a, b, output, run.count);
  } else if (step_b == 1) {
    select_run<0, 1>(condition, a, b, output, run.count);
  } else {
    select_run<0, 0>(condition, a, b, output, run.count);
  }
}

}  // namespace

RunKernel select_kernel(DType dtype) noexcept {
  switch (dtype) {
    case DType::f32:
      return run_select<float>;
    case DType::f64:
      return run_select<double>;
    case DType::i64:
      return run_select<std::int64_t>;
    case DType::boolean:
      break;
  }
  return run_select<bool>;
}

}  // namespace tensorette::kernels
