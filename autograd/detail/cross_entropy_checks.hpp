// What cross entropy asks of its targets, with logits in memory or without. Included by .cpp files
// of autograd/fused only.
#pragma once

#include <optional>
#include <tensorette/tensor/kernels/softmax.hpp>
#include <tensorette/tensor/tensor.hpp>

namespace tensorette::detail {

/// \throws ShapeError unless the logits are [.., classes] for targets [..]; DTypeError, IndexError
void check_cross_entropy(const char* operation, const Shape& logits, DType dtype,
                         const Tensor& targets, std::optional<Index> ignore_index,
                         double label_smoothing);

/// The same options as the kernels take them; for ids that have been checked.
[[nodiscard]] kernels::CrossEntropyOptions cross_entropy_options(std::optional<Index> ignore_index,
                                                                 double label_smoothing) noexcept;

}  // namespace tensorette::detail
