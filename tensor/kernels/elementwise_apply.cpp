// From whole tensors to operands: checks, results, and the short way for dense tensors.
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/elementwise.hpp>
#include <utility>

namespace tensorette::kernels {

using detail::fail;
using detail::require;

namespace {

const std::byte* bytes_of(const Tensor& x) noexcept {
  const Storage* storage = x.storage().get();
  return storage->data() + x.offset() * static_cast<Index>(size_of(x.dtype()));
}

std::byte* mutable_bytes_of(Tensor& x) noexcept {
  x.storage()->bump_version();
  return const_cast<std::byte*>(bytes_of(x));
}

Index element_size(const Tensor& x) noexcept {
  return static_cast<Index>(size_of(x.dtype()));
}

[[noreturn, gnu::noinline]] void fail_dtype(const Operation& operation, DType dtype) {
  fail<DTypeError>("{}: takes {}, got {}", operation.name, operation.takes, dtype);
}

DType result_dtype(const Operation& operation, DType dtype) noexcept {
  return operation.gives_boolean ? DType::boolean : dtype;
}

// Many elements that lie far from their neighbours (a transposed matrix) are brought together
// first: the copy moves whole cache lines, element by element in another order can't.
Tensor gathered(const Tensor& x) {
  const bool is_scattered = x.rank() > 0 && x.strides()[x.rank() - 1] > 1 &&
                            x.shape()[x.rank() - 1] > 1 && x.element_count() > elements_per_thread;
  return is_scattered ? x.contiguous() : x;
}

template <class T>
void fill_splat(std::byte* target, T value) noexcept {
  constexpr Index count = static_cast<Index>(splat_bytes / sizeof(T));
  for (Index i = 0; i < count; ++i) ::new (target + i * static_cast<Index>(sizeof(T))) T(value);
}

// One of the two operands is a repeated element.
Tensor apply_splat(const Operation& operation, RunKernel kernel, const Tensor& x,
                   const Splat& number, std::size_t position_of_number) {
  const Tensor input = x.contiguous();
  Tensor result(x.shape(), result_dtype(operation, x.dtype()));
  const std::size_t position_of_x = 1 - position_of_number;
  Run run;
  run.count = x.element_count();
  run.input[position_of_x] = bytes_of(input);
  run.step[position_of_x] = 1;
  run.input[position_of_number] = number.data();
  run.step[position_of_number] = 0;
  run.output = mutable_bytes_of(result);
  run_dense(kernel, nullptr, operation.grain, run, element_size(x), element_size(result));
  return result;
}

void require_writable(const char* operation, const Tensor& target) {
  require_defined(operation, target);
  if (target.element_count() == 0) return;
  for (int axis = 0; axis < target.rank(); ++axis) {
    require<Error>(target.strides()[axis] != 0 || target.shape()[axis] <= 1,
                   "{}: the target of shape {} repeats its elements along axis {}", operation,
                   target.shape(), axis);
  }
}

}  // namespace

void require_element(const char* operation, Scalar value, DType dtype) {
  require<DTypeError>(dtype != DType::i64 || value.is_integer(),
                      "{}: the number {} is not an integer and the tensor is i64", operation,
                      value.as<double>());
}

Splat::Splat(const char* operation, Scalar value, DType dtype) {
  require_element(operation, value, dtype);
  dispatch_any(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    fill_splat(bytes_, value.as<T>());
  });
}

RunKernel checked_kernel(const Operation& operation, const Tensor& x) {
  require_defined(operation.name, x);
  const RunKernel kernel = operation.kernel(x.dtype());
  if (kernel == nullptr) [[unlikely]]
    fail_dtype(operation, x.dtype());
  return kernel;
}

Tensor apply(const Operation& operation, const Tensor& x, const void* parameters) {
  const RunKernel kernel = checked_kernel(operation, x);
  const Tensor input = x.contiguous();
  Tensor result(x.shape(), result_dtype(operation, x.dtype()));
  const Run run{{bytes_of(input)}, {1}, mutable_bytes_of(result), x.element_count()};
  run_dense(kernel, parameters, operation.grain, run, element_size(x), element_size(result));
  return result;
}

Tensor apply(const Operation& operation, const Tensor& a, const Tensor& b) {
  const RunKernel kernel = checked_kernel(operation, a);
  require_defined(operation.name, b);
  require_same_dtype(operation.name, a, b);
  const DType dtype = result_dtype(operation, a.dtype());
  if (a.shape() == b.shape() && a.is_contiguous() && b.is_contiguous()) {
    Tensor result(a.shape(), dtype);
    const Run run{{bytes_of(a), bytes_of(b)}, {1, 1}, mutable_bytes_of(result), a.element_count()};
    run_dense(kernel, nullptr, operation.grain, run, element_size(a), element_size(result));
    return result;
  }
  Tensor result(broadcast_shapes(operation.name, a.shape(), b.shape()), dtype);
  const Tensor sources[] = {gathered(a), gathered(b)};
  const Operand inputs[] = {operand_of(sources[0]), operand_of(sources[1])};
  run_elementwise(kernel, nullptr, operation.grain, inputs, result);
  return result;
}

Tensor apply(const Operation& operation, const Tensor& a, Scalar b) {
  const RunKernel kernel = checked_kernel(operation, a);
  return apply_splat(operation, kernel, a, Splat(operation.name, b, a.dtype()), 1);
}

Tensor apply(const Operation& operation, Scalar a, const Tensor& b) {
  const RunKernel kernel = checked_kernel(operation, b);
  return apply_splat(operation, kernel, b, Splat(operation.name, a, b.dtype()), 0);
}

Tensor checked_source(const char* operation, const Tensor& target, const Tensor& source) {
  require_writable(operation, target);
  require_defined(operation, source);
  require_same_dtype(operation, target, source);
  require(is_broadcastable_to(source.shape(), target.shape()), "{}: {} does not broadcast to {}",
          operation, source.shape(), target.shape());
  const bool same_elements = source.offset() == target.offset() &&
                             source.shape() == target.shape() &&
                             source.strides() == target.strides();
  if (source.shares_storage_with(target) && !same_elements) return source.clone();
  return source;
}

void apply_in_place(const Operation& operation, Tensor& target, const Tensor& source,
                    const void* parameters) {
  const RunKernel kernel = checked_kernel(operation, target);
  const Tensor input = checked_source(operation.name, target, source);
  std::byte* const memory = mutable_bytes_of(target);
  if (input.shape() == target.shape() && input.is_contiguous() && target.is_contiguous()) {
    const Run run{{memory, bytes_of(input)}, {1, 1}, memory, target.element_count()};
    run_dense(kernel, parameters, operation.grain, run, element_size(target), element_size(target));
    return;
  }
  const Operand inputs[] = {operand_of(target), operand_of(input)};
  run_elementwise(kernel, parameters, operation.grain, inputs, target);
}

void apply_in_place(const Operation& operation, Tensor& target, Scalar source) {
  const RunKernel kernel = checked_kernel(operation, target);
  const Splat number(operation.name, source, target.dtype());
  require_writable(operation.name, target);
  std::byte* const memory = mutable_bytes_of(target);
  if (target.is_contiguous()) {
    const Run run{{memory, number.data()}, {1, 0}, memory, target.element_count()};
    run_dense(kernel, nullptr, operation.grain, run, element_size(target), element_size(target));
    return;
  }
  const Operand inputs[] = {operand_of(target), operand_of(number, target.dtype())};
  run_elementwise(kernel, nullptr, operation.grain, inputs, target);
}

}  // namespace tensorette::kernels
