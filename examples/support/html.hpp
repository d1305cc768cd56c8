/// \file
/// One HTML page in one file: escaping, the page around a body, tabs. The page needs no network,
/// reads well in light and dark, and everything in it can be reached by keyboard.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tensorette::pictures {

/// `text` safe as content or as a quoted attribute of HTML and XML: `& < > " '` as references;
/// control characters that XML forbids and bytes that are not UTF-8 as U+FFFD.
[[nodiscard]] std::string escape(std::string_view text);

/// A number for readers: `digits` significant digits, no needless zeros; `NaN`, `∞`, `−∞` and a
/// real minus sign. number_text(0.01234, 3) is "0.0123".
[[nodiscard]] std::string number_text(double value, int digits = 4);

/// A number with a fixed count of decimals, thousands apart: fixed_text(20480.5, 1) is "20 480.5"
/// with narrow no-break spaces.
[[nodiscard]] std::string fixed_text(double value, int decimals);

struct Page {
  std::string title{};          ///< plain text; escaped here
  std::string language = "en";  ///< of the page's own words
  std::string body{};           ///< HTML, placed as it is
};

/// A complete HTML document with its style sheet and script inside; opens without a network.
/// Throws Error when the title is empty (it is what a screen reader says first).
[[nodiscard]] std::string html_page(const Page& page);

struct Tab {
  std::string label{};    ///< plain text; escaped here
  std::string content{};  ///< HTML
};

/// Tabs by the ARIA pattern: arrow keys, Home and End move among them. Without a script every panel
/// is shown, each under its label. `id` must be unique in the page and made of letters, digits,
/// `-`. Throws Error when there is no tab, a label is empty, or the id is not of that form.
[[nodiscard]] std::string tabs(std::string_view id, std::string_view label,
                               std::span<const Tab> items);

/// The style sheet of a picture that stands alone: the part of the page's style that pictures use.
[[nodiscard]] std::string picture_style();

}  // namespace tensorette::pictures
