#include "svg.hpp"

#include <fmt/format.h>

#include <cmath>

#include "html.hpp"
#include "utf8.hpp"

namespace tensorette::pictures {
namespace {

/// Advance of a character in units of the font size, generous for DejaVu and close for the rest.
double advance(char32_t code_point) {
  constexpr std::u32string_view narrow = U"ijl.,:;'|!I()[]{}";
  constexpr std::u32string_view middle = U"frt-\"/\\ ";
  constexpr std::u32string_view broad = U"mwMW@%—";
  if (narrow.find(code_point) != narrow.npos) return 0.36;
  if (middle.find(code_point) != middle.npos) return 0.44;
  if (broad.find(code_point) != broad.npos) return 0.95;
  if (code_point >= 'A' && code_point <= 'Z') return 0.72;
  const std::size_t columns = column_width(code_point);
  return columns == 2 ? 1.05 : 0.61 * static_cast<double>(columns);
}

}  // namespace

std::string coordinate(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

double text_width(std::string_view text, double font_size) {
  double width = 0.0;
  for (const char32_t code_point : decode_utf8(text)) width += advance(code_point);
  return width * font_size;
}

std::string fit_width(std::string_view text, double room, double font_size) {
  if (text_width(text, font_size) <= room) return std::string(text);
  std::size_t columns = column_width(text);
  std::string fitted;
  do {
    fitted = fit_columns(text, --columns);
  } while (columns > 1 && text_width(fitted, font_size) > room);
  return fitted;
}

std::string open_svg(const SvgFrame& frame) {
  const std::string name = escape(frame.name);
  const std::string width = coordinate(frame.width);
  const std::string height = coordinate(frame.height);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture {}\" width=\"{}\" height=\"{}\""
      " viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n",
      escape(frame.css_class), width, height, width, height, name);
  if (frame.placement == Placement::standalone) {
    svg += fmt::format("<title>{}</title>\n<style><![CDATA[\n{}{}]]></style>\n", name,
                       picture_style(), frame.extra_style);
    svg += fmt::format("<rect class=\"ground\" width=\"{}\" height=\"{}\" rx=\"12\"/>\n", width,
                       height);
  }
  return svg;
}

}  // namespace tensorette::pictures
