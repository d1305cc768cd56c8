/// \file
/// The bridge to xtensor: a Tensor seen as an xtensor expression, and an expression evaluated into
/// a Tensor. The only public header that brings xtensor along; link xtensor yourself to use it.
///
/// Lifetime. A view holds a pointer, not a share of the storage: it is valid as long as some Tensor
/// keeps that storage. xtensor's operations are lazy: `auto y = a + b` computes nothing yet and
/// refers to a and b, so a function that returns such an expression of its locals returns garbage.
/// Evaluate where you build: `return from_xtensor(a + b);`. What was printed or evaluated before
/// makes no difference to a Tensor, for it is never lazy.
#pragma once

#if __has_include(<xtensor/containers/xadapt.hpp>)  // 0.26 and later
#include <xtensor/containers/xadapt.hpp>
#include <xtensor/core/xexpression.hpp>
#include <xtensor/core/xnoalias.hpp>
#else
#include <xtensor/xadapt.hpp>
#include <xtensor/xexpression.hpp>
#include <xtensor/xnoalias.hpp>
#endif

#include <concepts>
#include <cstddef>
#include <string>
#include <tensorette/tensor/tensor.hpp>
#include <vector>

namespace tensorette {
namespace detail {

template <class Pointer>
auto adapt(Pointer first, const Tensor& x) {
  // xtensor wants the number of elements as the size of the memory, whatever the strides reach.
  const auto count = static_cast<std::size_t>(x.element_count());
  return xt::adapt(first, count, xt::no_ownership(),
                   std::vector<std::size_t>(x.shape().begin(), x.shape().end()),
                   std::vector<std::ptrdiff_t>(x.strides().begin(), x.strides().end()));
}

}  // namespace detail

/// x as an xtensor expression that reads x's memory, whatever its strides; nothing is copied.
/// \throws DTypeError if T is not the dtype.
template <Element T>
[[nodiscard]] auto view_as_xtensor(const Tensor& x) {
  return detail::adapt(x.data<T>(), x);
}

/// The same for reading and writing: `view_as_xtensor<float>(x) += 1`. Bumps the storage's version
/// once, here: write before you give x to an operation that autograd records, and ask for a new
/// view to write again. \throws DTypeError if T is not the dtype, ShapeError for an expanded
/// tensor, several elements of which are one in memory.
template <Element T>
[[nodiscard]] auto view_as_xtensor(Tensor& x) {
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (x.strides()[axis] == 0 && x.shape()[axis] > 1 && x.element_count() > 0)
      throw ShapeError("view_as_xtensor: an expanded tensor can't be written to: shape " +
                       to_string(x.shape()) + ", strides " + to_string(x.strides()));
  }
  return detail::adapt(x.mutable_data<T>(), x);
}

/// A view of a temporary would outlive what it looks at.
template <Element T>
void view_as_xtensor(Tensor&&) = delete;
template <Element T>
void view_as_xtensor(const Tensor&&) = delete;

/// The values of an expression in a Tensor of their own. float, double and bool keep their type,
/// other integers become i64. \throws ShapeError for more than max_rank axes.
template <class Expression>
[[nodiscard]] Tensor from_xtensor(const xt::xexpression<Expression>& expression) {
  using Value = typename Expression::value_type;
  constexpr bool is_narrow_integer =
      std::integral<Value> && (std::signed_integral<Value> || sizeof(Value) < sizeof(Index));
  static_assert(
      Element<Value> || is_narrow_integer,
      "from_xtensor takes float, double, bool and integers that fit into 64 bits, signed");
  using T = std::conditional_t<Element<Value>, Value, Index>;

  const Expression& values = expression.derived_cast();
  std::vector<Index> sizes;
  for (const auto size : values.shape()) sizes.push_back(static_cast<Index>(size));
  Tensor result(Shape(sizes), dtype_of<T>);
  if (result.element_count() > 0) {
    auto target = detail::adapt(result.mutable_data<T>(), result);
    xt::noalias(target) = values;
  }
  return result;
}

}  // namespace tensorette
