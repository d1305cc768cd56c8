#include "markup_checker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace tensorette::pictures::testing {
namespace {

constexpr std::array<std::string_view, 4> void_elements{"meta", "input", "br", "link"};
constexpr std::array<std::string_view, 2> raw_elements{"style", "script"};
constexpr std::array<std::string_view, 5> references{"amp;", "lt;", "gt;", "quot;", "#39;"};

bool is_one_of(std::string_view name, const auto& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Reader {
 public:
  explicit Reader(std::string_view markup) : rest_(markup), size_(markup.size()) {}

  std::string fault() {
    while (fault_.empty() && !rest_.empty()) read_next();
    if (fault_.empty() && !open_.empty()) fail(fmt::format("<{}> is never closed", open_.back()));
    return fault_;
  }

 private:
  void fail(const std::string& what) {
    fault_ = fmt::format("{} at byte {}: {}", what, size_ - rest_.size(), rest_.substr(0, 60));
  }
  void skip_past(std::string_view end) {
    const std::size_t found = rest_.find(end);
    if (found == rest_.npos) return fail(fmt::format("no {}", end));
    rest_.remove_prefix(found + end.size());
  }
  void read_next() {
    if (rest_.starts_with("<!DOCTYPE html>")) return skip_past(">");
    if (rest_.starts_with("<![CDATA[")) return skip_past("]]>");
    if (rest_.starts_with("</")) return read_end();
    if (rest_.starts_with('<')) return read_start();
    check_text(rest_.substr(0, rest_.find('<')));
    if (fault_.empty()) rest_.remove_prefix(std::min(rest_.find('<'), rest_.size()));
  }
  void check_text(std::string_view text) {
    for (std::size_t at = text.find('&'); at != text.npos; at = text.find('&', at + 1)) {
      const std::string_view after = text.substr(at + 1);
      const auto matches = [&](std::string_view name) { return after.starts_with(name); };
      if (std::none_of(references.begin(), references.end(), matches)) return fail("bare &");
    }
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 && c != '\n' && c != '\t' && c != '\r') return fail("control character");
    }
  }
  std::string read_name() {
    std::size_t length = 0;
    while (length < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[length])) ||
                                     rest_[length] == '-' || rest_[length] == ':')) {
      ++length;
    }
    std::string name(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return name;
  }
  void skip_space() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front()))) {
      rest_.remove_prefix(1);
    }
  }
  void read_end() {
    rest_.remove_prefix(2);
    const std::string name = read_name();
    if (open_.empty() || open_.back() != name)
      return fail(fmt::format("</{}> closes nothing", name));
    open_.pop_back();
    skip_past(">");
  }
  void read_start() {
    rest_.remove_prefix(1);
    const std::string name = read_name();
    if (name.empty()) return fail("bare <");
    std::vector<std::string> seen;
    for (skip_space(); fault_.empty() && !rest_.empty() && rest_.front() != '>'; skip_space()) {
      if (rest_.starts_with("/>")) return rest_.remove_prefix(2);
      read_attribute(seen);
    }
    if (!fault_.empty()) return;
    rest_.remove_prefix(std::min<std::size_t>(1, rest_.size()));
    if (is_one_of(name, void_elements)) return;
    open_.push_back(name);
    if (is_one_of(name, raw_elements) && !rest_.starts_with("<![CDATA[")) {
      const std::size_t end = rest_.find(fmt::format("</{}", name));
      if (end == rest_.npos) return fail("raw text is never closed");
      rest_.remove_prefix(end);
    }
  }
  void read_attribute(std::vector<std::string>& seen) {
    const std::string name = read_name();
    if (name.empty()) return fail("no attribute name");
    if (is_one_of(name, seen)) return fail(fmt::format("attribute {} twice", name));
    seen.push_back(name);
    if (!rest_.starts_with('=')) return;  // HTML's `checked`
    if (!rest_.starts_with("=\"")) return fail("attribute without quotes");
    rest_.remove_prefix(2);
    const std::string_view value = rest_.substr(0, rest_.find('"'));
    if (value.find('<') != value.npos) return fail("bare < in an attribute");
    check_text(value);
    if (fault_.empty()) skip_past("\"");
  }

  std::string_view rest_;
  std::size_t size_;
  std::vector<std::string> open_;
  std::string fault_;
};

}  // namespace

std::string markup_fault(std::string_view markup) {
  return Reader(markup).fault();
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) {
    ++times;
  }
  return times;
}

}  // namespace tensorette::pictures::testing
