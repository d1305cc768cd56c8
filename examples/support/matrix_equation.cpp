#include "matrix_equation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tensorette/tensor/error.hpp>

#include "html.hpp"
#include "svg.hpp"

namespace tensorette::pictures {
namespace {

constexpr double margin = 24;
constexpr double cell_width = 44;
constexpr double cell_height = 28;
constexpr double font = 12;
constexpr double between_pieces = 12;
constexpr double around_operation = 12;
constexpr double above_matrix = 34;  // name and shape
constexpr double between_lines = 18;

constexpr std::string_view colours =
    ".positive{fill:var(--s0)}.negative{fill:var(--s1)}.cell{fill:none;stroke:var(--line)}\n";

std::size_t columns_of(const MatrixTerm& term) {
  return term.values.size() / term.rows.size();
}

void check_term(const MatrixTerm& term) {
  if (term.rows.empty() || term.values.empty() || term.values.size() % term.rows.size() != 0) {
    throw ShapeError(fmt::format("matrix_equation: {} values for {} rows in \"{}\"",
                                 term.values.size(), term.rows.size(), term.name));
  }
  const std::size_t columns = columns_of(term);
  if (!term.columns.empty() && term.columns.size() != columns) {
    throw ShapeError(fmt::format("matrix_equation: {} words for {} columns in \"{}\"",
                                 term.columns.size(), columns, term.name));
  }
  if (term.pieces == 0 || columns % term.pieces != 0) {
    throw ShapeError(fmt::format("matrix_equation: {} columns do not make {} pieces in \"{}\"",
                                 columns, term.pieces, term.name));
  }
}

// The words of the rows stand to the left of the cells.
double row_words_width(const MatrixTerm& term) {
  double width = 0;
  for (const std::string& word : term.rows) width = std::max(width, text_width(word, font));
  return width > 0 ? width + 6 : 0;
}

double cells_width(const MatrixTerm& term) {
  return cell_width * static_cast<double>(columns_of(term)) +
         between_pieces * static_cast<double>(term.pieces - 1);
}

double term_width(const MatrixTerm& term) {
  const double heading = std::max(text_width(term.name, font + 1), text_width(term.shape, font));
  return row_words_width(term) + std::max(cells_width(term), heading);
}

double operation_width(const MatrixTerm& term) {
  return term.operation.empty() ? 0 : text_width(term.operation, 15) + 2 * around_operation;
}

double above_cells(const std::vector<MatrixTerm>& line) {
  const bool words = std::any_of(line.begin(), line.end(),
                                 [](const MatrixTerm& term) { return !term.columns.empty(); });
  return above_matrix + (words ? 20 : 0);
}

double rows_height(const std::vector<MatrixTerm>& line) {
  std::size_t rows = 0;
  for (const MatrixTerm& term : line) rows = std::max(rows, term.rows.size());
  return cell_height * static_cast<double>(rows);
}

double line_width(const std::vector<MatrixTerm>& line) {
  double width = 0;
  for (const MatrixTerm& term : line) width += operation_width(term) + term_width(term);
  return width;
}

std::string text_at(double x, double y, std::string_view css_class, std::string_view anchor,
                    double size, std::string_view text) {
  return fmt::format(
      "<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\" font-size=\"{}\">{}</text>\n",
      css_class, coordinate(x), coordinate(y), anchor, coordinate(size), escape(text));
}

std::string draw_cell(double x, double y, double value, double largest) {
  const std::string place =
      fmt::format("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", coordinate(x), coordinate(y),
                  coordinate(cell_width), coordinate(cell_height));
  std::string svg;
  if (std::isfinite(value) && largest > 0) {
    svg += fmt::format("<rect class=\"{}\" fill-opacity=\"{:.2f}\" {}/>",
                       value < 0 ? "negative" : "positive", 0.5 * std::abs(value) / largest, place);
  }
  svg += fmt::format("<rect class=\"cell\" {}/>\n", place);
  return svg + text_at(x + cell_width / 2, y + cell_height / 2 + 4, "number", "middle", font,
                       fixed_text(value, 2));
}

// The term with the left edge of its words at `x` and the upper edge of its cells at `y`.
std::string draw_term(const MatrixTerm& term, double x, double y, double above) {
  const double left = x + row_words_width(term);
  std::string svg = text_at(left, y - above + 12, "strong", "start", font, term.name);
  svg += text_at(left, y - above + 26, "quiet number", "start", font - 1, term.shape);
  double largest = 0;
  for (const double value : term.values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  const std::size_t columns = columns_of(term);
  const auto column_left = [&](std::size_t column) {
    const auto piece = static_cast<double>(column / (columns / term.pieces));
    return left + cell_width * static_cast<double>(column) + between_pieces * piece;
  };
  for (std::size_t column = 0; column < term.columns.size(); ++column) {
    svg += text_at(column_left(column) + cell_width / 2, y - 6, "quiet", "middle", font - 1,
                   fit_width(term.columns[column], cell_width, font - 1));
  }
  for (std::size_t row = 0; row < term.rows.size(); ++row) {
    const double top = y + cell_height * static_cast<double>(row);
    if (!term.rows[row].empty()) {
      svg += text_at(left - 6, top + cell_height / 2 + 4, "quiet", "end", font, term.rows[row]);
    }
    for (std::size_t column = 0; column < columns; ++column) {
      svg += draw_cell(column_left(column), top, term.values[row * columns + column], largest);
    }
  }
  return svg;
}

std::string draw_line(const std::vector<MatrixTerm>& line, double y) {
  const double above = above_cells(line);
  double x = margin;
  std::string svg;
  for (const MatrixTerm& term : line) {
    const double room = operation_width(term);
    if (room > 0) {
      svg += text_at(x + room / 2, y + above + rows_height(line) / 2 + 5, "strong", "middle", 15,
                     term.operation);
    }
    // Shorter matrices stand in the middle of the line's height.
    const double rest = rows_height(line) - cell_height * static_cast<double>(term.rows.size());
    svg += draw_term(term, x + room, y + above + rest / 2, above);
    x += room + term_width(term);
  }
  return svg;
}

}  // namespace

std::string matrix_equation_svg(const MatrixEquation& equation) {
  if (equation.title.empty()) throw Error("matrix_equation: the title is empty");
  if (equation.lines.empty()) throw Error("matrix_equation: there is nothing to draw");
  double width = text_width(equation.title, 16);
  double height = 58;
  for (const std::vector<MatrixTerm>& line : equation.lines) {
    if (line.empty()) throw Error("matrix_equation: a line has no matrix");
    for (const MatrixTerm& term : line) check_term(term);
    width = std::max(width, line_width(line));
    height += above_cells(line) + rows_height(line) + between_lines;
  }
  std::string svg = open_svg({.width = width + 2 * margin,
                              .height = height,
                              .name = equation.title,
                              .css_class = "matrix-equation",
                              .extra_style = std::string(colours)});
  svg += text_at(margin, 32, "strong", "start", 15, equation.title);
  double y = 50;
  for (const std::vector<MatrixTerm>& line : equation.lines) {
    svg += draw_line(line, y);
    y += above_cells(line) + rows_height(line) + between_lines;
  }
  return svg.append(close_svg);
}

}  // namespace tensorette::pictures
