/// \file
/// Reductions over any set of axes, and scans along one.
#pragma once

#include <optional>
#include <tensorette/tensor/tensor.hpp>

namespace tensorette {

/// Sum; of booleans, the i64 count. Of nothing: 0.
[[nodiscard]] Tensor sum(const Tensor& x, const Axes& axes = Axes::all(),
                         KeepDims keepdims = KeepDims::no);
/// Product. Of nothing: 1.
[[nodiscard]] Tensor prod(const Tensor& x, const Axes& axes = Axes::all(),
                          KeepDims keepdims = KeepDims::no);
/// Mean of floating elements. Of nothing: NaN.
[[nodiscard]] Tensor mean(const Tensor& x, const Axes& axes = Axes::all(),
                          KeepDims keepdims = KeepDims::no);
/// Mean squared distance from the mean, in two passes; divides by count − correction.
[[nodiscard]] Tensor variance(const Tensor& x, const Axes& axes = Axes::all(),
                              KeepDims keepdims = KeepDims::no, Index correction = 0);
// In parentheses, so that macros named max and min, which some platforms define, leave them alone.

/// Largest element; NaN if any is NaN. \throws ShapeError over nothing.
[[nodiscard]] Tensor(max)(const Tensor& x, const Axes& axes = Axes::all(),
                          KeepDims keepdims = KeepDims::no);
/// Smallest element; NaN if any is NaN. \throws ShapeError over nothing.
[[nodiscard]] Tensor(min)(const Tensor& x, const Axes& axes = Axes::all(),
                          KeepDims keepdims = KeepDims::no);
/// log Σ eˣ, shifted by the largest element; −∞ where all are −∞ or there are none.
[[nodiscard]] Tensor logsumexp(const Tensor& x, const Axes& axes = Axes::all(),
                               KeepDims keepdims = KeepDims::no);
/// Euclidean norm √Σx².
[[nodiscard]] Tensor norm(const Tensor& x, const Axes& axes = Axes::all(),
                          KeepDims keepdims = KeepDims::no);
/// Booleans only.
[[nodiscard]] Tensor any(const Tensor& x, const Axes& axes = Axes::all(),
                         KeepDims keepdims = KeepDims::no);
[[nodiscard]] Tensor all(const Tensor& x, const Axes& axes = Axes::all(),
                         KeepDims keepdims = KeepDims::no);

/// Position (i64) of the largest element along `axis`, the first among ties; a NaN counts as the
/// largest, and as the smallest for argmin. Without an axis: its position in row-major order.
/// \throws ShapeError over nothing.
[[nodiscard]] Tensor argmax(const Tensor& x, std::optional<int> axis = std::nullopt,
                            KeepDims keepdims = KeepDims::no);
[[nodiscard]] Tensor argmin(const Tensor& x, std::optional<int> axis = std::nullopt,
                            KeepDims keepdims = KeepDims::no);

/// Running sum along `axis`; of booleans, running i64 counts.
[[nodiscard]] Tensor cumsum(const Tensor& x, int axis);

/// eˣ / Σeˣ along `axis`, shifted by the largest element. A row that is all −∞ gives zeros; an
/// empty axis stays empty.
[[nodiscard]] Tensor softmax(const Tensor& x, int axis = -1);
/// x − logsumexp(x) along `axis`. A row that is all −∞ stays −∞.
[[nodiscard]] Tensor log_softmax(const Tensor& x, int axis = -1);

}  // namespace tensorette
