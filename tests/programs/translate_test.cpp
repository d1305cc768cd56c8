// Translating with the program: one line for each line, in batches, n-best, in pieces of words.
#include <algorithm>
#include <set>
#include <sstream>

#include "tensorette_test.hpp"
#include "translation_program.hpp"

using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("every line gets one line back, whatever it holds", "[translation]") {
  const Trained trained;
  std::string long_line;
  for (int word = 0; word < 2000; ++word) long_line += "cat ";
  const std::vector<std::string> lines{"\xEF\xBB\xBFthe cat sleeps",
                                       "",
                                       "xylophone zzyzx",
                                       "   ",
                                       long_line,
                                       "bad \xFF byte",
                                       "\xF0\x9F\x90\x88 \xE2\x80\xA8 cat\r",
                                       "the dog eats"};
  std::string input;
  for (const std::string& line : lines) input += line + "\n";
  const Outcome outcome = run(trained.with_checkpoint({"translate"}), {.input = input});
  CHECK(outcome.exit_code == 1);
  CHECK(line_count(outcome.output) == static_cast<std::ptrdiff_t>(lines.size()));
  CHECK_THAT(outcome.errors, ContainsSubstring("line 5: a sentence of 2000 tokens is longer"));
  CHECK_THAT(outcome.errors, ContainsSubstring("line 6: not UTF-8: byte 5"));
  const Outcome beam = run(trained.with_checkpoint({"translate", "the cat", "--beam", "100"}));
  CHECK(beam.exit_code == 0);
  CHECK(line_count(beam.output) == 1);
  CHECK(run(trained.with_checkpoint({"translate"})).output.empty());
}

TEST_CASE("n-best translations come numbered, sorted and with their scores", "[translation]") {
  const Trained trained;
  const Outcome outcome = run(trained.with_checkpoint({"translate", "--beam", "4", "--n-best", "3",
                                                       "--scores", "--max-length", "6"}),
                              {.input = "the cat sleeps\nbad \xFF byte\n\nthe dog eats\n"});
  INFO(outcome.output << outcome.errors);
  CHECK(outcome.exit_code == 1);
  std::istringstream lines(outcome.output);
  std::vector<int> count(5);
  std::set<std::string> seen;
  int last_number = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find('\t');
    const std::size_t second = line.find('\t', first + 1);
    REQUIRE(second != std::string::npos);
    const int number = std::stoi(line.substr(0, first));
    REQUIRE((number >= last_number && number <= 4));
    last_number = number;
    ++count[static_cast<std::size_t>(number)];
    CHECK_NOTHROW(std::stod(line.substr(first + 1, second - first - 1)));
  }
  CHECK(count == std::vector<int>{0, 3, 1, 1, 3});
  CHECK_THAT(outcome.output, ContainsSubstring("\n2\tnan\t\n3\t0.0000\t\n"));
  CHECK_THAT(outcome.errors, ContainsSubstring("line 2: not UTF-8"));
  const Outcome wrong = run(trained.with_checkpoint({"translate", "a", "--n-best", "2"}));
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.errors,
             ContainsSubstring("--n-best: must be at most --beam, which is 1, got 2"));
}

TEST_CASE("lines may be translated in batches of any size", "[translation]") {
  const Trained trained;
  std::string input;
  for (int i = 0; i < 30; ++i) {
    input += i % 3 == 0 ? "the cat\n" : i % 3 == 1 ? "the dog eats\n" : "\n";
  }
  const auto translated = [&](const char* batch_size, const char* beam) {
    return run(trained.with_checkpoint({"translate", "--batch-size", batch_size, "--beam", beam}),
               {.input = input});
  };
  for (const char* beam : {"1", "5"}) {
    const Outcome one = translated("1", beam);
    CHECK(line_count(one.output) == 30);
    CHECK(one.errors.find("lines/s") == std::string::npos);
    CHECK(translated("7", beam).output == one.output);
    CHECK(translated("64", beam).output == one.output);
  }
  const Outcome fast = run(trained.with_checkpoint({"translate", "--speed"}), {.input = input});
  CHECK_THAT(fast.errors, ContainsSubstring("30 lines, ") && ContainsSubstring(" lines/s, ") &&
                              ContainsSubstring(" tokens/s"));
}

TEST_CASE("a line longer than any in training is translated, and reported", "[translation]") {
  const Trained trained;
  std::string line;
  for (int word = 0; word < 60; ++word) line += "cat ";
  const Outcome outcome =
      run(trained.with_checkpoint({"translate", "--max-length", "5"}), {.input = line + "\n"});
  CHECK(outcome.exit_code == 0);
  CHECK(line_count(outcome.output) == 1);
  CHECK_THAT(outcome.errors, ContainsSubstring("line 1: 60 tokens, more than the "));
}

TEST_CASE("words that the model does not know are told", "[translation]") {
  const Trained trained;
  const Outcome one = run(trained.with_checkpoint({"translate", "the zebra saw the gnu zebra"}));
  CHECK(one.exit_code == 0);
  CHECK_THAT(one.errors, ContainsSubstring("line 1: the model does not know: zebra, saw, gnu\n"));
  const Outcome known = run(trained.with_checkpoint({"translate", "the cat"}));
  CHECK(known.errors.find("know") == std::string::npos);
  const Outcome many =
      run(trained.with_checkpoint({"translate"}), {.input = "the zebra\nthe cat\nthe gnu\n"});
  CHECK_THAT(many.errors,
             ContainsSubstring("2 of 3 lines have words that the model does not know"));
}

TEST_CASE("subword pieces are learned, stored and used", "[translation]") {
  const std::string kind = GENERATE("bpe", "unigram");
  const TemporaryFolder folder;
  const std::string output = folder / "run";
  const std::string held_out = folder.file("test.tsv", "the cow eats\tla vache mange\n");
  const Outcome outcome =
      run(training(corpus, output,
                   {"--epochs", "2", "--tokenizer", kind, "--vocabulary-size", "60",
                    "--joint-vocabulary", "--test-pairs", held_out, "--valid-pairs", held_out}));
  INFO(outcome.errors);
  REQUIRE(outcome.exit_code == 0);
  CHECK_THAT(outcome.output, ContainsSubstring("38 training pairs, 60 and 60 words") &&
                                 ContainsSubstring("1 held-out pairs"));
  const std::string checkpoint = output + "/model.safetensors";
  CHECK(run(command({"train", "--resume", checkpoint, "--epochs", "3"})).exit_code == 0);
  // The checkpoint alone translates, wherever it lies.
  const std::string moved = folder / "moved.safetensors";
  std::filesystem::rename(checkpoint, moved);
  const Outcome translated = run(command({"translate", "--checkpoint", moved}),
                                 {.input = "the cat sleeps\n\n\xF0\x9F\x90\x88 zzyzx\n"});
  CHECK(translated.exit_code == 0);
  CHECK(line_count(translated.output) == 3);
}

TEST_CASE("text that is tokenized already comes back without its joins", "[translation]") {
  const TemporaryFolder folder;
  const std::string source = folder.file("s", "the ca@@ t\nthe do@@ g\n");
  const std::string target = folder.file("t", "der Ka@@ ter\nder Hu@@ nd\n");
  const std::string output = folder / "run";
  const Outcome outcome = run(command({"train",
                                       "--source",
                                       source,
                                       "--target",
                                       target,
                                       "--tokenizer",
                                       "none",
                                       "--join-bpe",
                                       "--joint-vocabulary",
                                       "--epochs",
                                       "150",
                                       "--dim",
                                       "16",
                                       "--heads",
                                       "2",
                                       "--hidden",
                                       "16",
                                       "--encoder-layers",
                                       "1",
                                       "--decoder-layers",
                                       "1",
                                       "--dropout",
                                       "0",
                                       "--threads",
                                       "1",
                                       "--output",
                                       output}));
  INFO(outcome.errors);
  REQUIRE(outcome.exit_code == 0);
  const Outcome translated =
      run(command({"translate", "--checkpoint", output + "/model.safetensors", "the do@@ g"}));
  CHECK(translated.output == "der Hund\n");
}
