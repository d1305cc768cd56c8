/// \file
/// What every picture shares: where it will stand, its opening and closing tags, widths of texts.
#pragma once

#include <string>
#include <string_view>

namespace tensorette::pictures {

/// Where a picture will stand.
enum class Placement {
  standalone,  ///< a file of its own: carries its style and ground, follows light and dark itself
  in_page,     ///< inside html_page(), which has the style once for all
};

/// A coordinate with at most two decimals and no needless zeros.
[[nodiscard]] std::string coordinate(double value);

/// About how wide `text` is at `font_size`, in the same unit; a little more than true for the usual
/// sans-serif fonts, so that a label given this room does not touch its neighbour.
[[nodiscard]] double text_width(std::string_view text, double font_size);

/// `text` cut with an ellipsis until text_width() is at most `room`.
[[nodiscard]] std::string fit_width(std::string_view text, double room, double font_size);

struct SvgFrame {
  double width = 0;
  double height = 0;
  std::string name{};         ///< what the picture shows, for those who cannot see it; plain text
  std::string css_class{};    ///< beside `picture`
  std::string extra_style{};  ///< rules that only this kind of picture needs when it stands alone
  Placement placement = Placement::standalone;
};

/// `<svg …>` with accessible name, and with style and ground where it stands alone.
[[nodiscard]] std::string open_svg(const SvgFrame& frame);

inline constexpr std::string_view close_svg = "</svg>\n";

}  // namespace tensorette::pictures
