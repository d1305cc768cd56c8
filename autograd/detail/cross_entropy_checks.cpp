#include <limits>
#include <tensorette/autograd/detail/cross_entropy_checks.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette::detail {

void check_cross_entropy(const char* operation, const Shape& logits, DType dtype,
                         const Tensor& targets, std::optional<Index> ignore_index,
                         double label_smoothing) {
  require<Error>(targets.is_defined(), "{}: got an undefined tensor", operation);
  require<DTypeError>(is_floating(dtype), "{}: logits are f32 or f64, got {}", operation, dtype);
  require<DTypeError>(targets.dtype() == DType::i64, "{}: targets are i64, got {}", operation,
                      targets.dtype());
  bool fits = logits.rank() == targets.rank() + 1;
  for (int axis = 0; fits && axis < targets.rank(); ++axis) {
    fits = logits[axis] == targets.shape()[axis];
  }
  require(fits, "{}: logits [.., classes] need targets [..], got {} and {}", operation, logits,
          targets.shape());
  require<Error>(label_smoothing >= 0 && label_smoothing <= 1,
                 "{}: label smoothing must be in [0, 1], got {}", operation, label_smoothing);
  const Index classes = logits[logits.rank() - 1];
  const Tensor dense = targets.contiguous();
  const Index* id = dense.data<Index>();
  for (Index i = 0; i < dense.element_count(); ++i) {
    if (ignore_index && id[i] == *ignore_index) continue;
    require<IndexError>(id[i] >= 0 && id[i] < classes,
                        "{}: target {} at position {} is outside [0, {})", operation, id[i], i,
                        classes);
  }
}

kernels::CrossEntropyOptions cross_entropy_options(std::optional<Index> ignore_index,
                                                   double label_smoothing) noexcept {
  // Ids have been checked, so the lowest number stands for "none is ignored".
  return {.ignore_index = ignore_index.value_or(std::numeric_limits<Index>::min()),
          .label_smoothing = label_smoothing};
}

}  // namespace tensorette::detail
