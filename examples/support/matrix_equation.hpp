/// \file
/// Matrices with their numbers in a row, and between them what makes the next one of the last: how
/// a step of a computation is drawn. As SVG.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tensorette::pictures {

/// A matrix, and what stands between it and its neighbour on the left.
struct MatrixTerm {
  std::string operation{};             ///< "·", "=", "softmax"; empty for the first of a line
  std::string name{};                  ///< above the matrix: "queries, head 1"
  std::string shape{};                 ///< below the name: "[3, 2]"
  std::vector<std::string> rows{};     ///< one word a row; their number is the number of rows
  std::vector<std::string> columns{};  ///< one word a column, or none
  std::vector<double> values{};  ///< [rows, columns], row by row; NaN and ±∞ have no colour
  std::size_t pieces = 1;        ///< the columns stand in this many pieces, one beside the other
};

struct MatrixEquation {
  std::string title{};
  std::vector<std::vector<MatrixTerm>> lines{};  ///< one above the other
};

/// The equation as SVG, a file of its own. Positive and negative numbers have colours of their own,
/// the stronger the larger they are in their matrix. Throws Error when there is no title or an
/// empty line, and ShapeError when values are no multiple of the rows, when column words or pieces
/// do not fit.
[[nodiscard]] std::string matrix_equation_svg(const MatrixEquation& equation);

}  // namespace tensorette::pictures
