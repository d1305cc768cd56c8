/// \file
/// How far a training is, on one line of the terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "terminal.hpp"

namespace tensorette::pictures {

using Clock = std::chrono::steady_clock;

struct ProgressOptions {
  std::string label{};                 ///< what is being done: "epoch 3/8"
  std::int64_t total = 0;              ///< count of steps; positive
  std::int64_t first = 0;              ///< steps already done before (a resumed training)
  std::ostream* output = nullptr;      ///< standard error when null
  std::optional<Terminal> terminal{};  ///< what `output` can show; found out for standard error, a
                                       ///< plain file for any other output
  std::chrono::milliseconds redraw_every{80};     ///< on a terminal
  std::chrono::milliseconds plain_every{10'000};  ///< elsewhere: one line so often
  std::function<Clock::time_point()> now = Clock::now;
};

struct ProgressValues {
  std::optional<double> loss{};
  std::int64_t tokens = 0;  ///< processed since the bar began
};

/// A bar with loss, tokens/s and time left. On a terminal it redraws one line; the cursor is hidden
/// only within a redraw, so that no way of ending the program leaves it hidden. Elsewhere (a file,
/// a CI log) it prints a plain line now and then.
///
///     ProgressBar bar({.label = "train", .total = steps});
///     for (…) bar.update(step, {.loss = loss, .tokens = tokens});
///     bar.finish();
class ProgressBar {
 public:
  /// Throws Error when total is not positive or first is not in [0, total].
  explicit ProgressBar(ProgressOptions options);

  /// Ends the line where finish() was not called, so that an error message begins on its own.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// `done` steps of total are done. Cheap when it is not yet time to draw; it is always time for
  /// the last step. Throws Error when done is not in [0, total].
  void update(std::int64_t done, const ProgressValues& values);

  /// Changes the label from the next drawing on.
  void relabel(std::string label) { options_.label = std::move(label); }

  /// Prints `text` on a line of its own above the bar.
  void print_line(std::string_view text);

  /// Draws the last state and ends the line. Later updates do nothing.
  void finish();

 private:
  void draw();
  void write(std::string_view text);
  std::string line() const;
  std::string figures() const;
  std::string bar(std::size_t columns) const;

  ProgressOptions options_;
  Terminal terminal_;
  bool detect_columns_ = false;  // the window may be resized
  Clock::time_point started_;
  std::optional<Clock::time_point> drawn_;
  std::int64_t done_ = 0;
  std::int64_t drawn_done_ = -1;
  ProgressValues values_;
  bool finished_ = false;
  bool line_open_ = false;
};

/// A span of time for readers: `8 s`, `2:05`, `1:02:03`; `?` when not finite or negative.
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace tensorette::pictures
