/// \file
/// Derivatives of functions: transformations that take a function of variables and give its
/// gradient, products with its Jacobian and Hessian, or those matrices themselves.
/// Before: engine.hpp. Next: recompute.hpp, custom_operation.hpp.
///
/// Nothing here uses differences of values: all derivatives are exact up to rounding. Functions are
/// ordinary callables, and the results are differentiable in turn, so that transformations compose:
///
///     const auto cube = [](const Variable& x) { return x * x * x; };
///     grad(cube)(x);                    // 3x²
///     grad(grad(cube))(x);              // 6x
///     jvp(grad(cube), x, v).tangent;    // 6x v
///
/// Rules that hold for all of them:
/// - The function is called with recording on, once. It must be a function of its arguments: two
///   calls with the same values give the same value.
/// - A result is connected to the graph of an argument that requires a gradient, and to that of
///   variables which the function captures, unless the caller is inside NoGrad; otherwise it is a
///   constant. Nothing is collected in the grad() of any variable.
/// - Where an output does not depend on an input, the derivative is zero, not an error.
/// - Of several inputs, those that are not floating (token ids, masks) are handed through; their
///   derivatives are undefined Variables, and so are the tangents that belong to them.
/// - An undefined tangent or cotangent stands for zero.
/// - Parameter types choose between functions of one variable and of many, so generic lambdas
///   (`auto`) are ambiguous: write `const Variable&` or `std::span<const Variable>`.
///
/// All throw Error for an undefined input, DTypeError for one that can't have a derivative,
/// ShapeError where shapes do not fit, and whatever the function throws.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/variable.hpp>
#include <vector>

namespace tensorette {

/// One variable to one.
using Function = std::function<Variable(const Variable&)>;
/// Many variables to one.
using FunctionOfMany = std::function<Variable(std::span<const Variable>)>;
/// Many variables to many.
using FunctionsOfMany = std::function<std::vector<Variable>(std::span<const Variable>)>;

/// f(x) and uᵀ J.
struct ValueAndGradient {
  Variable value{};
  Variable gradient{};
};
struct ValueAndGradients {
  Variable value{};
  std::vector<Variable> gradients{};  ///< one per input
};
struct ValuesAndGradients {
  std::vector<Variable> values{};     ///< one per output
  std::vector<Variable> gradients{};  ///< one per input
};

/// f(x) and J v.
struct ValueAndTangent {
  Variable value{};
  Variable tangent{};
};
struct ValuesAndTangents {
  std::vector<Variable> values{};    ///< one per output
  std::vector<Variable> tangents{};  ///< one per output
};

/// The gradient of a function that gives one number, as a function: x -> df/dx, in the shape of x.
[[nodiscard]] Function grad(Function f);
/// Gradients with respect to every input.
[[nodiscard]] FunctionsOfMany grad(FunctionOfMany f);
/// The gradient with respect to one of the inputs: again a function of all of them.
[[nodiscard]] FunctionOfMany grad(FunctionOfMany f, std::size_t input);

/// The same with the value that f gave on the way.
[[nodiscard]] std::function<ValueAndGradient(const Variable&)> value_and_grad(Function f);
[[nodiscard]] std::function<ValueAndGradients(std::span<const Variable>)> value_and_grad(
    FunctionOfMany f);

/// Vector-Jacobian product uᵀ J, by one walk back: x's share in u · f(x), in the shape of x. The
/// cotangent u has the shape of f(x).
[[nodiscard]] ValueAndGradient vjp(const Function& f, const Variable& x, const Variable& cotangent);
[[nodiscard]] ValueAndGradients vjp(const FunctionOfMany& f, const std::vector<Variable>& inputs,
                                    const Variable& cotangent);
[[nodiscard]] ValuesAndGradients vjp(const FunctionsOfMany& f, const std::vector<Variable>& inputs,
                                     const std::vector<Variable>& cotangents);

/// Jacobian-vector product J v, the derivative of f along v, in the shape of f(x). The tangent v
/// has the shape of x.
///
/// uᵀ J is linear in u, and its derivative with respect to u, contracted with v, is J v: two walks
/// back through vjp formulas, which every operation has, make a walk forward. It costs about three
/// times a vjp.
[[nodiscard]] ValueAndTangent jvp(const Function& f, const Variable& x, const Variable& tangent);
[[nodiscard]] ValueAndTangent jvp(const FunctionOfMany& f, const std::vector<Variable>& inputs,
                                  const std::vector<Variable>& tangents);
[[nodiscard]] ValuesAndTangents jvp(const FunctionsOfMany& f, const std::vector<Variable>& inputs,
                                    const std::vector<Variable>& tangents);

/// All derivatives of all outputs: shape f(x).shape + x.shape, of rank 8 at most. Goes by rows (a
/// vjp per output element) or by columns (a jvp per input element), whichever are clearly fewer.
[[nodiscard]] Variable jacobian(const Function& f, const Variable& x);
/// One per input.
[[nodiscard]] std::vector<Variable> jacobian(const FunctionOfMany& f,
                                             const std::vector<Variable>& inputs);
/// By output, then by input.
[[nodiscard]] std::vector<std::vector<Variable>> jacobian(const FunctionsOfMany& f,
                                                          const std::vector<Variable>& inputs);

/// All second derivatives of a function that gives one number: shape x.shape + x.shape.
[[nodiscard]] Variable hessian(const Function& f, const Variable& x);
/// Block [i][j] is d²f / dx_i dx_j, of shape x_i.shape + x_j.shape.
[[nodiscard]] std::vector<std::vector<Variable>> hessian(const FunctionOfMany& f,
                                                         const std::vector<Variable>& inputs);

/// Hessian-vector product H v of a function that gives one number, without the Hessian: the
/// derivative of the gradient along v.
[[nodiscard]] Variable hvp(const Function& f, const Variable& x, const Variable& vector);
[[nodiscard]] std::vector<Variable> hvp(const FunctionOfMany& f,
                                        const std::vector<Variable>& inputs,
                                        const std::vector<Variable>& vectors);
/// vᵀ H: the gradient of v · grad f. Equal to H v wherever second derivatives are continuous, and
/// cheaper.
[[nodiscard]] Variable vhp(const Function& f, const Variable& x, const Variable& vector);
[[nodiscard]] std::vector<Variable> vhp(const FunctionOfMany& f,
                                        const std::vector<Variable>& inputs,
                                        const std::vector<Variable>& vectors);

}  // namespace tensorette
