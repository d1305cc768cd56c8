/// \file
/// Formulas of the op table with the shapes of the case at hand.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <tensorette/autograd/op_table.hpp>
#include <tensorette/tensor/shape.hpp>

namespace tensorette {

/// What the symbols of a formula stand for. An input of unknown shape is left without one.
struct FormulaShapes {
  Shape output{};
  std::span<const std::optional<Shape>> inputs{};
};

/// `formula` of the op table with a shape behind each symbol where it first stands in a clause:
/// "y = a b" of a matmul becomes "y [2, 4] = a [2, 3] b [3, 4]". A symbol with ᵀ gets the shape of
/// the transpose.
[[nodiscard]] std::string formula_with_shapes(Op op, const FormulaShapes& shapes);

/// The same for `vjp`: "da [2, 3] = g [2, 4] bᵀ [4, 3]; db [3, 4] = aᵀ [3, 2] g [2, 4]".
[[nodiscard]] std::string vjp_with_shapes(Op op, const FormulaShapes& shapes);

}  // namespace tensorette
