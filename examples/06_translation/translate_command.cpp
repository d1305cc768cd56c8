#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <limits>
#include <tensorette/tensor/parallel.hpp>

#include "commands.hpp"
#include "saved_model.hpp"
#include "support/program.hpp"

namespace tensorette::translation {
namespace {

// So many lines are worth a word on how fast they went.
constexpr Index many_lines = 100;

// Translates lines, writes at least one line for each, whatever it holds, and keeps count.
class LinePrinter {
 public:
  /// `names_words`: tells of each line which of its words are unknown; otherwise of how many lines.
  LinePrinter(const Translator& translator, const TranslateCommand& command, bool names_words)
      : translator_(translator), command_(command), names_words_(names_words) {}

  void print(const std::vector<std::string>& lines) {
    const auto start = std::chrono::steady_clock::now();
    const auto translated = translator_.translate_lines(lines, command_.options);
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const Translation none{.score = std::numeric_limits<double>::quiet_NaN()};
    for (const TranslatedLine& line : translated) {
      ++lines_;
      report(line);
      if (line.ranked.empty()) print(none);
      for (const Translation& translation : line.ranked) print(translation);
    }
    pictures::flush_output();
  }

  /// Whether every line was translated.
  [[nodiscard]] bool all_went_well() const { return !has_failed_; }

  void report_unknown_words() const {
    if (names_words_ || lines_with_unknown_ == 0) return;
    fmt::print(stderr, "{} of {} lines have words that the model does not know\n",
               lines_with_unknown_, lines_);
  }

  void report_speed() const {
    if (lines_ == 0 || (lines_ < many_lines && !command_.speed)) return;
    fmt::print(stderr, "{} lines, {} tokens in {:.2f} s: {:.1f} lines/s, {:.0f} tokens/s\n", lines_,
               tokens_, seconds_, static_cast<double>(lines_) / seconds_,
               static_cast<double>(tokens_) / seconds_);
  }

 private:
  // What the user should know of a line, on standard error.
  void report(const TranslatedLine& line) {
    if (line.ranked.empty()) {
      fmt::print(stderr, "line {}: {}\n", lines_, line.problem);
      has_failed_ = true;
      return;
    }
    const Translation& best = line.ranked.front();
    tokens_ += static_cast<Index>(best.tokens.size());
    const auto length = static_cast<Index>(best.source_tokens.size());
    const Index known = translator_.longest_source;
    if (known > 0 && length > known) {
      fmt::print(stderr,
                 "line {}: {} tokens, more than the {} of the longest sentence in training: the "
                 "translation may be poor\n",
                 lines_, length, known);
    }
    if (const std::string unknown = translator_.unknown_tokens(best.source_tokens);
        !unknown.empty()) {
      ++lines_with_unknown_;
      if (names_words_) {
        fmt::print(stderr, "line {}: the model does not know: {}\n", lines_, unknown);
      }
    }
    if (best.is_cut_off) {
      fmt::print(stderr, "line {}: the translation was cut off after {} tokens\n", lines_,
                 best.tokens.size());
    }
  }

  void print(const Translation& translation) const {
    if (command_.options.best > 1) fmt::print("{}\t", lines_);
    if (command_.scores) fmt::print("{:.4f}\t", translation.score);
    fmt::print("{}\n", translation.text);
  }

  const Translator& translator_;
  const TranslateCommand& command_;
  bool names_words_;
  Index lines_ = 0;
  Index lines_with_unknown_ = 0;
  Index tokens_ = 0;
  double seconds_ = 0;
  bool has_failed_ = false;
};

bool read_line(std::string& line, bool is_first) {
  if (!std::getline(std::cin, line)) return false;
  if (is_first && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);  // byte order mark
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return true;
}

}  // namespace

int translate(const TranslateCommand& command) {
  set_num_threads(command.threads);
  const Translator translator = load_translator(command.checkpoint);
  // Many lines together find others of their length; who types wants an answer to each.
  const bool at_once = command.options.batch_size == 1 || isatty(STDIN_FILENO) == 1;
  LinePrinter printer(translator, command, at_once || !command.lines.empty());
  if (!command.lines.empty()) {
    printer.print(command.lines);
  } else {
    const std::size_t together =
        at_once ? 1 : 32 * static_cast<std::size_t>(command.options.batch_size);
    std::vector<std::string> lines;
    bool is_first = true;
    for (std::string line; read_line(line, is_first); is_first = false) {
      lines.push_back(line);
      if (lines.size() < together) continue;
      printer.print(lines);
      lines.clear();
    }
    printer.print(lines);
  }
  printer.report_unknown_words();
  printer.report_speed();
  return printer.all_went_well() ? 0 : 1;
}

}  // namespace tensorette::translation
