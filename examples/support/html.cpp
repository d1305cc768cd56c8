#include "html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tensorette/tensor/error.hpp>

#include "assets.hpp"
#include "colour_scale.hpp"
#include "utf8.hpp"

namespace tensorette::pictures {
namespace {

/// XML 1.0 allows no control character but tab, line feed and carriage return.
bool forbidden_in_xml(char32_t code_point) {
  const bool control =
      code_point < 0x20 && code_point != '\t' && code_point != '\n' && code_point != '\r';
  return control || code_point == 0xFFFE || code_point == 0xFFFF;
}

void append_escaped(std::string& escaped, char32_t code_point) {
  switch (code_point) {
    case '&':
      escaped += "&amp;";
      return;
    case '<':
      escaped += "&lt;";
      return;
    case '>':
      escaped += "&gt;";
      return;
    case '"':
      escaped += "&quot;";
      return;
    case '\'':
      escaped += "&#39;";
      return;
    default:
      append_utf8(escaped, forbidden_in_xml(code_point) ? U'\uFFFD' : code_point);
  }
}

std::string not_finite_text(double value) {
  if (std::isnan(value)) return "NaN";
  return value > 0 ? "∞" : "−∞";
}

std::string with_minus_sign(std::string text) {
  const bool only_zeros = text.find_first_of("123456789") == std::string::npos;
  if (text.front() != '-') return text;
  return only_zeros ? text.substr(1) : "−" + text.substr(1);
}

bool is_identifier(std::string_view id) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !id.empty() && std::all_of(id.begin(), id.end(), fits);
}

}  // namespace

std::string escape(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size() + text.size() / 8);
  for (const char32_t code_point : decode_utf8(text)) append_escaped(escaped, code_point);
  return escaped;
}

std::string number_text(double value, int digits) {
  if (!std::isfinite(value)) return not_finite_text(value);
  return with_minus_sign(fmt::format("{:.{}g}", value, digits));
}

std::string fixed_text(double value, int decimals) {
  if (!std::isfinite(value)) return not_finite_text(value);
  std::string text = fmt::format("{:.{}f}", value, decimals);
  const std::size_t first = text.front() == '-' ? 1 : 0;
  std::size_t end = std::min(text.find('.'), text.size());
  if (end - first <= 4) return with_minus_sign(text);
  while (end - first > 3) {
    end -= 3;
    text.insert(end, "\u202F");
  }
  return with_minus_sign(text);
}

std::string html_page(const Page& page) {
  if (page.title.empty()) throw Error("html_page: the title is empty");
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>\n",
      escape(page.language), escape(page.title));
  html.append(picture_style())
      .append(colour_scale_style())
      .append(assets::page_css)
      .append("</style>\n</head>\n<body>\n");
  html.append("<a class=\"skip\" href=\"#content\">Skip to the content</a>\n");
  html.append(page.body).append("\n<script>\n").append(assets::page_js);
  return html.append("</script>\n</body>\n</html>\n");
}

std::string tabs(std::string_view id, std::string_view label, std::span<const Tab> items) {
  if (!is_identifier(id)) {
    throw Error(fmt::format("tabs: the id \"{}\" is not made of letters, digits and '-'", id));
  }
  if (items.empty()) throw Error(fmt::format("tabs: \"{}\" has no tab", label));

  std::string list = fmt::format("<div role=\"tablist\" aria-label=\"{}\">\n", escape(label));
  std::string panels;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].label.empty()) throw Error(fmt::format("tabs: tab {} has no label", i));
    const std::string name = escape(items[i].label);
    list += fmt::format(
        "<button type=\"button\" role=\"tab\" id=\"{0}-tab-{1}\" aria-controls=\"{0}-panel-{1}\""
        " aria-selected=\"{2}\">{3}</button>\n",
        id, i, i == 0, name);
    panels += fmt::format(
        "<div class=\"panel\" role=\"tabpanel\" id=\"{0}-panel-{1}\""
        " aria-labelledby=\"{0}-tab-{1}\">\n<h3 class=\"panel-label\">{2}</h3>\n{3}\n</div>\n",
        id, i, name, items[i].content);
  }
  return fmt::format("<div class=\"tabs\" id=\"{}\">\n{}</div>\n{}</div>\n", id, list, panels);
}

std::string picture_style() {
  return std::string(assets::picture_css);
}

}  // namespace tensorette::pictures
