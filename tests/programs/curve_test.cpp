// The subcommand that draws how a training went.

#include "tensorette_test.hpp"
#include "translation_program.hpp"

using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string log_lines =
    R"({"update":50,"epoch":0,"seconds":60,"loss":4.0,"learning_rate":0.001})"
    "\n"
    R"({"update":60,"epoch":1,"seconds":90,"validation_loss":3.0,"validation_bleu":12.5})"
    "\n"
    R"({"update":100,"epoch":1,"seconds":120,"loss":null,"learning_rate":0.002})"
    "\n"
    R"({"update":150,"epoch":1,"seconds":240,"loss":2.0,"learning_rate":0.003})"
    "\n";

}  // namespace

TEST_CASE("a log is drawn along the minutes or the updates", "[translation]") {
  const TemporaryFolder folder;
  const std::string log = folder.file("log.jsonl", log_lines);
  const Outcome minutes = run(command({"curve", log}));
  INFO(minutes.errors);
  CHECK(minutes.exit_code == 0);
  CHECK_THAT(minutes.output,
             ContainsSubstring("Training loss") && ContainsSubstring("minutes of training"));
  const Outcome updates = run(command({"curve", log, "--of", "validation-bleu", "--by-update"}));
  CHECK(updates.exit_code == 0);
  CHECK_THAT(updates.output, ContainsSubstring("BLEU") && ContainsSubstring("update"));
}

TEST_CASE("several logs become one picture, each with its own name", "[translation]") {
  const TemporaryFolder folder;
  const std::string first = folder.file("first.jsonl", log_lines);
  const std::string second = folder.file("second.jsonl", log_lines);
  const std::string svg = folder / "curve.svg";
  const Outcome outcome =
      run(command({"curve", first, second, "--of", "learning-rate", "--svg", svg}));
  INFO(outcome.errors);
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(read_bytes(svg), ContainsSubstring("first.jsonl") &&
                                  ContainsSubstring("second.jsonl") &&
                                  ContainsSubstring("Learning rate"));
}

TEST_CASE("a log that can't be drawn is refused by line", "[translation]") {
  const TemporaryFolder folder;
  check_refusal(command({"curve", folder / "none.jsonl"}), "none.jsonl': No such file");
  check_refusal(command({"curve", folder.file("text", "hello\nworld\n")}),
                "text:1: this is no line of a training's log");
  check_refusal(command({"curve", folder.file("other", log_lines + "{\"update\":1}\n")}),
                "other:5: this is no line");
  check_refusal(command({"curve", folder.file("log", log_lines), "--of", "speed"}),
                "log: no line has tokens_per_second");
  check_refusal(command({"curve", folder.file("empty", "")}), "empty: no line has loss");
}

TEST_CASE("a last line that was cut off is left out", "[translation]") {
  const TemporaryFolder folder;
  const std::string log = folder.file("log.jsonl", log_lines + R"({"update":200,"ep)");
  CHECK(run(command({"curve", log})).exit_code == 0);
}
