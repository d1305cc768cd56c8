#include "progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <tensorette/tensor/error.hpp>
#include <utility>

#include "utf8.hpp"

namespace tensorette::pictures {
namespace {

constexpr std::size_t widest_bar = 30;
constexpr std::size_t narrowest_bar = 8;

constexpr std::string_view hide_cursor = "\x1b[?25l";
constexpr std::string_view show_cursor = "\x1b[?25h";
constexpr std::string_view clear_to_end = "\x1b[K";

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

/// 950, 12.3k, 1.2M.
std::string rate_text(double rate) {
  if (rate < 1e3) return fmt::format("{:.0f}", rate);
  if (rate < 1e6) return fmt::format("{:.1f}k", rate / 1e3);
  return fmt::format("{:.1f}M", rate / 1e6);
}

}  // namespace

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0.0 || seconds > 3.6e8) return "?";
  const auto whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

ProgressBar::ProgressBar(ProgressOptions options) : options_(std::move(options)) {
  if (options_.total <= 0) {
    throw Error(fmt::format("progress_bar: total must be positive, got {}", options_.total));
  }
  if (options_.first < 0 || options_.first > options_.total) {
    throw Error(fmt::format("progress_bar: first must be in [0, {}], got {}", options_.total,
                            options_.first));
  }
  if (!options_.output) options_.output = &std::cerr;
  if (options_.terminal) {
    terminal_ = *options_.terminal;
  } else if (options_.output == &std::cerr) {
    terminal_ = detect_terminal(STDERR_FILENO);
    detect_columns_ = true;
  }
  done_ = options_.first;
  started_ = options_.now();
}

ProgressBar::~ProgressBar() {
  try {
    if (!finished_ && line_open_) write("\n");
  } catch (...) {
    // A stream that throws on failure must not end the program from a destructor.
  }
}

void ProgressBar::update(std::int64_t done, const ProgressValues& values) {
  if (done < 0 || done > options_.total) {
    throw Error(fmt::format("progress_bar: done must be in [0, {}], got {}", options_.total, done));
  }
  if (finished_) return;
  done_ = done;
  values_ = values;
  const Clock::time_point now = options_.now();
  const auto pause = terminal_.interactive ? options_.redraw_every : options_.plain_every;
  const bool first_on_terminal = !drawn_ && terminal_.interactive;
  const bool due = now - drawn_.value_or(started_) >= pause;
  if (first_on_terminal || due || done == options_.total) draw();
}

void ProgressBar::print_line(std::string_view text) {
  if (!terminal_.interactive) {
    write(std::string(text).append("\n"));
    return;
  }
  write(fmt::format("\r{}{}\n", clear_to_end, text));
  if (line_open_ && !finished_) draw();
}

void ProgressBar::finish() {
  if (finished_) return;
  if (drawn_done_ != done_ || terminal_.interactive) draw();
  if (line_open_) write("\n");
  line_open_ = false;
  finished_ = true;
}

void ProgressBar::draw() {
  if (detect_columns_) terminal_.columns = detect_terminal(STDERR_FILENO).columns;
  drawn_ = options_.now();
  drawn_done_ = done_;
  if (!terminal_.interactive) {
    write(line() + '\n');
    return;
  }
  line_open_ = true;
  write(fmt::format("{}\r{}{}{}", hide_cursor, line(), clear_to_end, show_cursor));
}

void ProgressBar::write(std::string_view text) {
  *options_.output << text << std::flush;
}

std::string ProgressBar::figures() const {
  const double elapsed = seconds_between(started_, options_.now());
  const std::int64_t here = done_ - options_.first;
  std::string text;
  if (values_.loss) text += fmt::format("loss {:.4f}  ", *values_.loss);
  if (values_.tokens > 0 && elapsed > 0.0) {
    text += fmt::format("{} tokens/s  ", rate_text(static_cast<double>(values_.tokens) / elapsed));
  }
  if (done_ == options_.total || finished_) return text + "took " + duration_text(elapsed);
  if (here <= 0 || elapsed <= 0.0) return text + "? left";
  const double left =
      elapsed * static_cast<double>(options_.total - done_) / static_cast<double>(here);
  return text + duration_text(left) + " left";
}

std::string ProgressBar::bar(std::size_t columns) const {
  static constexpr std::array<std::string_view, 8> eighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double share = static_cast<double>(done_) / static_cast<double>(options_.total);
  const std::size_t parts = terminal_.unicode ? 8 : 1;
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(columns * parts));
  std::string text;
  for (std::size_t i = 0; i < filled / parts; ++i) text += terminal_.unicode ? "█" : "#";
  text += terminal_.unicode ? eighths[filled % parts] : std::string_view();
  text = pad_columns(text, columns, Align::left);
  if (terminal_.colours != Colours::none) {
    text = fmt::format("\x1b[38;2;140;100;240m{}\x1b[0m", text);
  }
  return terminal_.unicode ? "▕" + text + "▏" : "[" + text + "]";
}

std::string ProgressBar::line() const {
  const double share = static_cast<double>(done_) / static_cast<double>(options_.total);
  const std::string steps =
      fmt::format("{:3.0f} %  {}/{}  ", std::floor(100.0 * share), done_, options_.total);
  const std::string after = steps + figures();
  const std::string before = options_.label.empty() ? std::string() : options_.label + ' ';
  if (!terminal_.interactive) return before + after;
  // The last column stays free: some terminals break the line when it is filled.
  const std::size_t room = terminal_.columns > 0 ? terminal_.columns - 1 : 0;
  const std::size_t taken = column_width(before) + column_width(after) + 3;
  if (taken + narrowest_bar > room) {
    return fit_columns(before + after, room, terminal_.unicode ? "…" : "~");
  }
  return before + bar(std::min(widest_bar, room - taken)) + ' ' + after;
}

}  // namespace tensorette::pictures
