// One engine behind all element-by-element operations: it sees to broadcasting, strides and
// threads, and hands runs of elements to a kernel. There is one kernel for each operation and
// dtype, and it only ever sees dense runs and repeated single elements.
// Next: elementwise_loops.hpp (kernels), arithmetic_kernels.hpp (who uses them).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <tensorette/tensor/kernels/parallel.hpp>
#include <tensorette/tensor/tensor.hpp>

namespace tensorette::kernels {

/// Most inputs that a kernel takes.
inline constexpr int max_inputs = 3;

/// Bytes that a repeated element fills: as long as the widest SIMD register.
inline constexpr std::size_t splat_bytes = 64;

/// Equally long runs of inputs and output. Step 1: the elements follow one another. Step 0: one
/// element for the whole run, and the pointer leads to `splat_bytes` full of copies of it.
struct Run {
  std::array<const std::byte*, max_inputs> input{};
  std::array<Index, max_inputs> step{};
  std::byte* output{};
  Index count{};
};

/// Computes one run. `parameters` are the operation's own (the bounds of a clamp); an input may be
/// the very memory of the output.
using RunKernel = void (*)(const void* parameters, const Run& run);

/// One operation: a kernel for each dtype of its inputs, null where it takes none.
struct Operation {
  const char* name;
  const char* takes;                 ///< the dtypes in words, for messages
  std::array<RunKernel, 4> kernels;  ///< by DType
  bool gives_boolean = false;
  Index grain = elements_per_thread;  ///< elements below which one thread is faster

  [[nodiscard]] RunKernel kernel(DType dtype) const noexcept {
    return kernels[static_cast<std::size_t>(dtype)];
  }
};

/// \throws DTypeError for a fraction in an i64 tensor
void require_element(const char* operation, Scalar value, DType dtype);

/// One element repeated, as kernels want it.
class Splat {
 public:
  /// The number as an element of that dtype. \throws DTypeError as require_element().
  Splat(const char* operation, Scalar value, DType dtype);
  [[nodiscard]] const std::byte* data() const noexcept { return bytes_; }

 private:
  alignas(splat_bytes) std::byte bytes_[splat_bytes];
};

/// Memory of one input or of the output.
struct Operand {
  const std::byte* data;
  Index element_size;
  const Shape* shape;
  const Strides* strides;
};
[[nodiscard]] Operand operand_of(const Tensor& x) noexcept;
/// A repeated element as an operand of shape [].
[[nodiscard]] Operand operand_of(const Splat& splat, DType dtype) noexcept;

/// output[i] = kernel(inputs[i]...) for all i. The inputs broadcast to the output's shape, which
/// the caller has checked; an input overlaps the output either not at all or element by element.
void run_elementwise(RunKernel kernel, const void* parameters, Index grain,
                     std::span<const Operand> inputs, Tensor& output);

/// The kernel of `operation` for x, after checking that x is defined and its dtype is taken.
[[nodiscard]] RunKernel checked_kernel(const Operation& operation, const Tensor& x);

/// The operation on whole tensors, with all checks.
[[nodiscard]] Tensor apply(const Operation& operation, const Tensor& x,
                           const void* parameters = nullptr);
[[nodiscard]] Tensor apply(const Operation& operation, const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor apply(const Operation& operation, const Tensor& a, Scalar b);
[[nodiscard]] Tensor apply(const Operation& operation, Scalar a, const Tensor& b);

/// target = operation(target, source); `source` may overlap the target.
void apply_in_place(const Operation& operation, Tensor& target, const Tensor& source,
                    const void* parameters = nullptr);
void apply_in_place(const Operation& operation, Tensor& target, Scalar source);

/// `source` itself, or a copy of it where writing to `target` could change what is yet to be read.
/// \throws Error, DTypeError, ShapeError unless `source` can be written to `target`.
[[nodiscard]] Tensor checked_source(const char* operation, const Tensor& target,
                                    const Tensor& source);

/// Runs the kernel on dense memory, in parallel where that pays. All inputs that step have
/// elements of one size.
inline void run_dense(RunKernel kernel, const void* parameters, Index grain, const Run& run,
                      Index input_size, Index output_size) {
  if (run.count <= grain) {
    kernel(parameters, run);
    return;
  }
  parallel_for(run.count, grain, [&](Index begin, Index end) {
    Run part = run;
    for (std::size_t i = 0; i < max_inputs; ++i) {
      if (part.step[i] != 0) part.input[i] += begin * input_size;
    }
    part.output += begin * output_size;
    part.count = end - begin;
    kernel(parameters, part);
  });
}

}  // namespace tensorette::kernels
