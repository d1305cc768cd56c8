#include "parallel_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <tensorette/tensor/error.hpp>
#include <utility>

#include "text_file.hpp"
#include "utf8.hpp"

namespace tensorette::translation {
namespace {

using View = std::string_view;

std::string read_text(const std::string& path) {
  std::string text = read_bytes(path);
  constexpr View kByteOrderMark = "\xEF\xBB\xBF";
  if (View(text).starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  if (text.empty()) throw FormatError(fmt::format("'{}' is empty", path));
  return text;
}

std::vector<View> columns_of(View line) {
  std::vector<View> columns;
  while (true) {
    const std::size_t tab = line.find('\t');
    columns.push_back(line.substr(0, tab));
    if (tab == View::npos) return columns;
    line.remove_prefix(tab + 1);
  }
}

/// What is wrong with the bytes of a line, if anything is.
std::optional<std::string> bad_bytes(View line) {
  if (const auto at = find_invalid_utf8(line)) {
    return fmt::format("not UTF-8: byte {} is 0x{:02X}", *at + 1,
                       static_cast<unsigned char>(line[*at]));
  }
  if (const std::size_t at = line.find('\0'); at != View::npos) {
    return fmt::format("byte {} is NUL", at + 1);
  }
  return std::nullopt;
}

/// Which columns of a table are read, and how many a line must have.
struct Layout {
  std::size_t source = 0;
  std::size_t target = 1;
  std::size_t least = 2;
  std::size_t most = 2;
  bool attribution_allowed = true;
};

bool is_header(View line) {
  return line.starts_with("# ") && line.find('\t') != View::npos;
}

std::string trimmed_lower(View text) {
  std::u32string points = decode_utf8(text);
  while (!points.empty() && is_space(points.back())) points.pop_back();
  points.erase(points.begin(), std::find_if_not(points.begin(), points.end(), is_space));
  std::transform(points.begin(), points.end(), points.begin(), to_lower);
  return encode_utf8(points);
}

/// The position, from 0, of the column called `wanted` or numbered so from 1.
std::size_t find_column(const std::string& wanted, const std::vector<View>& header,
                        const std::string& path) {
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (trimmed_lower(header[i]) == trimmed_lower(wanted)) return i;
  }
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  const bool is_number = error == std::errc() && end == wanted.data() + wanted.size();
  if (is_number && number >= 1 && (header.empty() || number <= header.size())) return number - 1;
  throw FormatError(fmt::format("'{}' has no column '{}'{}", path, wanted,
                                header.empty() ? " (it has no header; use numbers from 1)" : ""));
}

Layout layout_of(View header_line, const PairColumns& columns, const std::string& path) {
  Layout layout;
  std::vector<View> header;
  if (!header_line.empty()) {
    if (const auto problem = bad_bytes(header_line)) {
      throw FormatError(fmt::format("{}:1: header: {}", path, *problem));
    }
    header = columns_of(header_line.substr(2));
    layout.least = layout.most = header.size();
    layout.attribution_allowed = false;
  }
  if (!columns.source.empty()) layout.source = find_column(columns.source, header, path);
  if (!columns.target.empty()) layout.target = find_column(columns.target, header, path);
  if (layout.source == layout.target) {
    throw FormatError(
        fmt::format("'{}': source and target are both column {}", path, layout.source + 1));
  }
  if (header.empty() && !(columns.source.empty() && columns.target.empty())) {
    layout.least = std::max(layout.source, layout.target) + 1;
    layout.most = View::npos;
    layout.attribution_allowed = false;
  }
  return layout;
}

bool is_attribution(View column) {
  return column.starts_with("CC-BY ") && column.find("Attribution:") != View::npos;
}

std::optional<std::string> wrong_column_count(const std::vector<View>& columns,
                                              const Layout& layout) {
  if (columns.size() >= layout.least && columns.size() <= layout.most) return std::nullopt;
  if (columns.size() == 1) return "no tab";
  return fmt::format("{} columns, expected {}{}", columns.size(),
                     layout.most == View::npos ? "at least " : "", layout.least);
}

std::optional<std::string> empty_side(View source, View target) {
  if (is_blank(source)) return is_blank(target) ? "both sides are empty" : "source side is empty";
  if (is_blank(target)) return "target side is empty";
  return std::nullopt;
}

/// Throws unless some pair could be used, and says what stopped the first one.
ParallelText checked(ParallelText text, const std::string& path) {
  if (!text.pairs.empty()) return text;
  if (text.problems.empty()) throw FormatError(fmt::format("'{}' has no line but a header", path));
  throw FormatError(fmt::format("no usable pair in {} line{}; the first problem is {}", text.lines,
                                text.lines == 1 ? "" : "s", to_string(text.problems.front())));
}

}  // namespace

std::string to_string(const LineProblem& problem) {
  return fmt::format("{}:{}: {}", problem.path, problem.line, problem.reason);
}

ParallelText read_pairs(const std::string& path, const PairColumns& columns) {
  const std::string file = read_text(path);
  const std::vector<View> lines = lines_of(file);
  const bool has_header = is_header(lines.front());
  const Layout layout = layout_of(has_header ? lines.front() : View(), columns, path);

  ParallelText text;
  for (std::size_t i = has_header ? 1 : 0; i < lines.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i + 1);
    const auto report = [&](std::string reason) {
      text.problems.push_back({path, number, std::move(reason)});
    };
    ++text.lines;
    if (auto problem = bad_bytes(lines[i])) {
      report(std::move(*problem));
      continue;
    }
    if (is_blank(lines[i])) {
      report("empty line");
      continue;
    }
    std::vector<View> cells = columns_of(lines[i]);
    if (layout.attribution_allowed && cells.size() == 3 && is_attribution(cells[2])) {
      cells.pop_back();
      ++text.attributed_lines;
    }
    if (auto problem = wrong_column_count(cells, layout)) {
      report(std::move(*problem));
    } else if (auto empty = empty_side(cells[layout.source], cells[layout.target])) {
      report(std::move(*empty));
    } else {
      text.pairs.push_back(
          {std::string(cells[layout.source]), std::string(cells[layout.target]), number});
    }
  }
  return checked(std::move(text), path);
}

ParallelText read_aligned(const std::string& source_path, const std::string& target_path) {
  const std::string source_file = read_text(source_path);
  const std::string target_file = read_text(target_path);
  const std::vector<View> source = lines_of(source_file);
  const std::vector<View> target = lines_of(target_file);
  if (source.size() != target.size()) {
    throw FormatError(fmt::format("'{}' has {} lines but '{}' has {}", source_path, source.size(),
                                  target_path, target.size()));
  }
  ParallelText text;
  text.lines = static_cast<std::int64_t>(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i + 1);
    if (auto source_problem = bad_bytes(source[i])) {
      text.problems.push_back({source_path, number, std::move(*source_problem)});
    } else if (auto target_problem = bad_bytes(target[i])) {
      text.problems.push_back({target_path, number, std::move(*target_problem)});
    } else if (is_blank(source[i]) || is_blank(target[i])) {
      text.problems.push_back({is_blank(source[i]) ? source_path : target_path, number,
                               *empty_side(source[i], target[i])});
    } else {
      text.pairs.push_back({std::string(source[i]), std::string(target[i]), number});
    }
  }
  return checked(std::move(text), source_path);
}

}  // namespace tensorette::translation
