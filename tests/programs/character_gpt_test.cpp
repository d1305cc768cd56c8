// The character-level GPT as a user meets it: what it learns, exit codes, messages.
#include <algorithm>
#include <regex>

#include "program.hpp"
#include "tensorette_test.hpp"

using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

/// The program with these arguments.
std::vector<std::string> command(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), TENSORETTE_CHARACTER_GPT_PROGRAM);
  return arguments;
}

/// A model that takes little time.
std::vector<std::string> small(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"--steps",   "20",       "--batch",  "2",       "--dim",
                                     "8",         "--blocks", "1",        "--heads", "2",
                                     "--context", "16",       "--length", "40"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return command(arguments);
}

// The last line of standard error says this; before it there may be lines of progress.
void check_refusal(const std::vector<std::string>& arguments, const std::string& text,
                   int exit_code = 1) {
  const Outcome outcome = run(arguments);
  INFO(outcome.errors);
  CHECK(outcome.exit_code == exit_code);
  if (exit_code == 2) {
    CHECK_THAT(outcome.errors, ContainsSubstring(text));
    return;
  }
  REQUIRE(outcome.errors.ends_with('\n'));
  const std::size_t end = outcome.errors.size() - 1;
  const std::size_t begin = outcome.errors.find_last_of('\n', end - 1) + 1;
  CHECK_THAT(outcome.errors.substr(begin), ContainsSubstring(text));
}

}  // namespace

TEST_CASE("the loss falls, and what is written has words of the text", "[gpt]") {
  const Outcome outcome = run(command({"--steps", "700"}));
  INFO(outcome.output);
  REQUIRE(outcome.exit_code == 0);
  const std::regex row(R"(\n +(\d+) +([\d.]+)? +([\d.]+))");
  std::vector<double> held_out;
  for (std::sregex_iterator i(outcome.output.begin(), outcome.output.end(), row), end; i != end;
       ++i) {
    held_out.push_back(std::stod((*i)[3]));
  }
  REQUIRE(held_out.size() == 11);
  CHECK(held_out.front() > 3);
  CHECK(*std::min_element(held_out.begin(), held_out.end()) < 2.0);
  std::smatch words;
  REQUIRE(std::regex_search(outcome.output, words,
                            std::regex(R"((\d+) of its (\d+) words are words of the text)")));
  CHECK(std::stod(words[2]) > 60);
  CHECK(std::stod(words[1]) > 0.5 * std::stod(words[2]));
}

TEST_CASE("a model is kept, and writes on without training", "[gpt]") {
  const TemporaryFolder folder;
  const std::string model = folder / "gpt.safetensors";
  const std::string text =
      folder.file("text.txt", std::string(50, 'x') + "yäy\n" + std::string(50, 'z') + "\n");
  const Outcome trained =
      run(small({"--text", text, "--save", model, "--prompt", "yä", "--seed", "3"}));
  INFO(trained.errors);
  REQUIRE(trained.exit_code == 0);
  CHECK_THAT(trained.output, ContainsSubstring("105 characters, 5 different ones"));
  CHECK_THAT(trained.output, ContainsSubstring("\nyä"));
  CHECK_THAT(trained.output, ContainsSubstring("written: " + model));
  const auto loaded = [&](const std::string& seed) {
    return run(command(
        {"--load", model, "--prompt", "yä", "--length", "40", "--seed", seed, "--top-k", "3"}));
  };
  CHECK(loaded("3").exit_code == 0);
  CHECK_THAT(loaded("3").output, ContainsSubstring("\nyä"));
  CHECK(loaded("3").output == loaded("3").output);
  CHECK(loaded("3").output != loaded("4").output);
  check_refusal(command({"--load", model, "--prompt", "Q"}), "the character \"Q\" does not occur");
  check_refusal(command({"--load", model, "--dim", "8"}), "--load", 2);
  check_refusal(command({"--load", folder / "missing"}), "missing");
  check_refusal(command({"--load", text}), "text.txt");
}

TEST_CASE("a text that can't be learned is refused in clear words", "[gpt]") {
  const TemporaryFolder folder;
  check_refusal(small({"--text", folder / "missing.txt"}), "missing.txt: No such file");
  check_refusal(small({"--text", folder.path()}), "is a folder, not a text");
  check_refusal(small({"--text", folder.file("empty.txt", "")}), "empty.txt: the file is empty");
  check_refusal(small({"--text", folder.file("bytes.txt", "good\nbad \xFF\n")}),
                "bytes.txt: line 2 is not UTF-8");
  check_refusal(small({"--text", folder.file("short.txt", "too short")}),
                "the text is too short: it has 9 characters");
  check_refusal(small({"--text", folder.file("abc.txt", std::string(100, 'a')), "--prompt", "b"}),
                "the character \"b\" does not occur");
  check_refusal(command({"--heads", "3"}), "3 heads do not divide qkv_dim = 64");
  check_refusal(small({"--learning-rate", "1e30"}), "the training has diverged");
  check_refusal(small({"--save", folder / "nowhere/gpt"}), "nowhere/gpt");
}

TEST_CASE("a wrong use of the program exits with 2", "[gpt]") {
  check_refusal(command({"--steps", "0"}), "--steps: must be positive, got 0", 2);
  check_refusal(command({"--temperature", "-1"}), "--temperature: must be 0 or positive", 2);
  check_refusal(command({"--temperature", "inf"}), "--temperature", 2);
  check_refusal(command({"--colour"}), "--colour", 2);
  const Outcome help = run(command({"--help"}));
  CHECK(help.exit_code == 0);
  CHECK_THAT(help.output, ContainsSubstring("--temperature") && ContainsSubstring("fables"));
}
