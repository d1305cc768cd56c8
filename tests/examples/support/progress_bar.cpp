#include <cstdlib>
#include <limits>
#include <sstream>
#include <support/progress_bar.hpp>
#include <support/utf8.hpp>
#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>

#include "markup_checker.hpp"

using namespace tensorette::pictures;
using Catch::Matchers::ContainsSubstring;
using tensorette::pictures::testing::count;
using namespace std::chrono_literals;

namespace {

/// A bar that writes to a string, with a clock that stands still until moved.
struct Stage {
  std::ostringstream output;
  Clock::time_point time{};

  ProgressOptions options(Terminal terminal) {
    return {.label = "train", .total = 100, .output = &output, .terminal = terminal, .now = [this] {
              return time;
            }};
  }
};

constexpr Terminal screen{.interactive = true, .columns = 100};
constexpr Terminal log_file{.interactive = false};

std::string without_escapes(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      while (i < text.size() && !std::isalpha(static_cast<unsigned char>(text[i]))) ++i;
    } else if (text[i] != '\r') {
      plain += text[i];
    }
  }
  return plain;
}

}  // namespace

TEST_CASE("the bar shows loss, speed and time left", "[pictures][progress]") {
  Stage stage;
  ProgressBar bar(stage.options(screen));
  stage.time += 10s;
  bar.update(25, {.loss = 1.5, .tokens = 123'000});
  CHECK_THAT(stage.output.str(), ContainsSubstring("train ▕███████▌"));
  CHECK_THAT(stage.output.str(),
             ContainsSubstring("25 %  25/100  loss 1.5000  12.3k tokens/s  30 s left"));
}

TEST_CASE("the cursor is shown again after every redraw", "[pictures][progress]") {
  Stage stage;
  ProgressBar bar(stage.options(screen));
  for (int step = 1; step <= 3; ++step) {
    stage.time += 1s;
    bar.update(step, {});
    const std::string text = stage.output.str();
    CHECK(count(text, "\x1b[?25l") == static_cast<std::size_t>(step));
    CHECK(count(text, "\x1b[?25h") == static_cast<std::size_t>(step));
    CHECK(text.ends_with("\x1b[?25h"));
  }
}

TEST_CASE("the bar is not redrawn more often than asked", "[pictures][progress]") {
  Stage stage;
  ProgressBar bar(stage.options(screen));
  for (int step = 1; step < 100; ++step) {
    stage.time += 10ms;
    bar.update(step, {});
  }
  CHECK(count(stage.output.str(), "\r") == 13);  // the first, then one each 80 ms
  bar.update(100, {});
  CHECK(count(stage.output.str(), "\r") == 14);  // the last is always drawn
}

TEST_CASE("elsewhere a plain line is printed now and then", "[pictures][progress]") {
  Stage stage;
  {
    ProgressBar bar(stage.options(log_file));
    for (int step = 1; step <= 100; ++step) {
      stage.time += 250ms;
      bar.update(step, {.loss = 2.0});
    }
    bar.finish();
  }
  CHECK(stage.output.str() ==
        "train  40 %  40/100  loss 2.0000  15 s left\n"
        "train  80 %  80/100  loss 2.0000  5 s left\n"
        "train 100 %  100/100  loss 2.0000  took 25 s\n");
}

TEST_CASE("finish ends the line once", "[pictures][progress]") {
  Stage stage;
  {
    ProgressBar bar(stage.options(screen));
    stage.time += 1s;
    bar.update(50, {});
    bar.finish();
    bar.finish();
    bar.update(60, {});
  }
  CHECK(count(stage.output.str(), "\n") == 1);
  CHECK(count(stage.output.str(), "60/100") == 0);
}

TEST_CASE("a bar that is left by an exception ends its line", "[pictures][progress]") {
  Stage stage;
  try {
    ProgressBar bar(stage.options(screen));
    bar.update(1, {});
    throw std::runtime_error("stop");
  } catch (const std::runtime_error&) {
  }
  CHECK(stage.output.str().ends_with("\n"));
}

TEST_CASE("a line can be printed above the bar", "[pictures][progress]") {
  Stage stage;
  ProgressBar bar(stage.options(screen));
  bar.update(10, {});
  bar.print_line("epoch 1 done");
  CHECK_THAT(stage.output.str(), ContainsSubstring("\r\x1b[Kepoch 1 done\n"));
  CHECK_THAT(stage.output.str().substr(stage.output.str().find("done")),
             ContainsSubstring("10/100"));
}

TEST_CASE("the bar never fills the last column", "[pictures][progress]") {
  for (std::size_t columns = 0; columns <= 120; columns += 3) {
    for (const bool unicode : {true, false}) {
      Stage stage;
      ProgressBar bar(stage.options({.interactive = true, .unicode = unicode, .columns = columns}));
      stage.time += 1s;
      bar.update(77, {.loss = 0.5, .tokens = 1'234'567});
      CAPTURE(columns, unicode);
      CHECK(column_width(without_escapes(stage.output.str())) < std::max<std::size_t>(columns, 1));
    }
  }
}

TEST_CASE("colours and Unicode are used only where wanted", "[pictures][progress]") {
  const auto drawn = [](Terminal terminal) {
    Stage stage;
    ProgressBar bar(stage.options(terminal));
    bar.update(50, {});
    return stage.output.str();
  };
  CHECK(count(drawn({.interactive = true, .colours = Colours::truecolor}), "\x1b[38;2;") == 1);
  CHECK(count(drawn({.interactive = true}), "\x1b[38;2;") == 0);
  const std::string ascii =
      drawn({.interactive = true, .unicode = false, .colours = Colours::truecolor});
  CHECK_THAT(without_escapes(ascii), ContainsSubstring("[##########"));
  for (const char c : ascii) CHECK(static_cast<unsigned char>(c) < 0x80);
}

TEST_CASE("a loss that is not finite is shown as it is", "[pictures][progress]") {
  Stage stage;
  ProgressBar bar(stage.options(screen));
  bar.update(1, {.loss = std::numeric_limits<double>::quiet_NaN()});
  CHECK_THAT(stage.output.str(), ContainsSubstring("loss nan"));
}

TEST_CASE("a resumed training reckons with the steps of this run", "[pictures][progress]") {
  Stage stage;
  ProgressOptions options = stage.options(screen);
  options.first = 50;
  ProgressBar bar(options);
  stage.time += 10s;
  bar.update(60, {});
  CHECK_THAT(stage.output.str(), ContainsSubstring("60/100  40 s left"));
}

TEST_CASE("bars that cannot be are refused", "[pictures][progress]") {
  Stage stage;
  ProgressOptions options = stage.options(screen);
  options.total = 0;
  CHECK_THROWS_WITH(ProgressBar(options), "progress_bar: total must be positive, got 0");
  options.total = 5;
  options.first = 6;
  CHECK_THROWS_WITH(ProgressBar(options), "progress_bar: first must be in [0, 5], got 6");
  ProgressBar bar(stage.options(screen));
  CHECK_THROWS_WITH(bar.update(101, {}), "progress_bar: done must be in [0, 100], got 101");
  CHECK_THROWS_AS(bar.update(-1, {}), tensorette::Error);
}

TEST_CASE("spans of time for readers", "[pictures][progress]") {
  CHECK(duration_text(0) == "0 s");
  CHECK(duration_text(59.4) == "59 s");
  CHECK(duration_text(59.6) == "1:00");
  CHECK(duration_text(125) == "2:05");
  CHECK(duration_text(3723) == "1:02:03");
  CHECK(duration_text(-1) == "?");
  CHECK(duration_text(std::numeric_limits<double>::infinity()) == "?");
}

TEST_CASE("a pipe is no terminal and has no colours", "[pictures][progress]") {
  const Terminal terminal = detect_terminal(-1);
  CHECK_FALSE(terminal.interactive);
  CHECK(terminal.colours == Colours::none);
  CHECK(terminal.columns > 0);
}

TEST_CASE("the locale decides about Unicode", "[pictures][progress]") {
  const char* before = std::getenv("LC_ALL");
  const std::string saved = before ? before : "";
  const auto unicode_with = [](const char* locale) {
    ::setenv("LC_ALL", locale, 1);
    return detect_terminal(-1).unicode;
  };
  CHECK(unicode_with("fr_FR.UTF-8"));
  CHECK(unicode_with("C.utf8"));
  CHECK_FALSE(unicode_with("de_DE.ISO-8859-1"));
  CHECK_FALSE(unicode_with("POSIX"));
  if (before) {
    ::setenv("LC_ALL", saved.c_str(), 1);
  } else {
    ::unsetenv("LC_ALL");
  }
}
