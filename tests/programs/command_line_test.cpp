// Wrong uses of the translation program, and corpora that it can not or can only partly use.

#include "tensorette_test.hpp"
#include "translation_program.hpp"

using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a wrong use of the program exits with 2 and says what is wrong", "[translation]") {
  const auto check = [](const std::vector<std::string>& arguments, const std::string& text) {
    const Outcome outcome = run(command(arguments));
    INFO(outcome.errors);
    CHECK(outcome.exit_code == 2);
    CHECK_THAT(outcome.errors, ContainsSubstring(text));
  };
  check({"train", "--colour", "red"}, "--colour");
  check({"fly"}, "fly");
  check({}, "subcommand");
  check({}, "--help");
  check({"train", "--resume", "x", "--seed", "5"}, "--seed: can't be changed with --resume");
  check({"train", "--epochs", "0"}, "--epochs: must be positive, got 0");
  check({"train", "--epochs", "9000000000000000000"}, "--epochs");
  check({"train", "--dim", "7", "--heads", "2"}, "--heads: 2 heads do not divide --dim 7");
  check({"train", "--dim", "8", "--heads", "2", "--decoder-heads", "3"}, "--decoder-heads: 3");
  check({"train", "--seed", "-1"}, "--seed: must be 0 or positive, got -1");
  check({"translate", "--beam", "0"}, "--beam: must be positive, got 0");
  check({"translate", "--beam", "5000000000000"},
        "--beam: must be at most 1000, got 5000000000000");
  check({"export", "--output", "x", "--type", "f8"},
        "--type: must be one of f32, f16, bf16, got f8");
  check({"score", "a", "b", "--bleu-tokenizer", "zh"},
        "--bleu-tokenizer: must be one of 13a, none, got zh");
  check({"train", "--epochs", "many"}, "--epochs");
  check({"train", "--dropout", "nan"}, "--dropout: must be in [0, 1], got nan");
  check({"train", "--beta2", "1"}, "--beta2: must be in [0, 0.99999], got 1");
  check({"train", "--average", "nan"}, "--average: must be in [0, 0.99999], got nan");
  check({"train", "--average", "0.9", "--average-share", "0"},
        "--average-share: must be in (0, 1], got 0");
  check({"train", "--learning-rate", "inf"}, "--learning-rate: must be positive, got inf");
  check({"train", "--seed", "99999999999999999999"}, "--seed: is too large");
  check({"train", "--test-pairs", "x"}, "--test-pairs: needs training pairs");
  check({"train", "--pairs", corpus, "--guidance", "1"},
        "--guidance: is for the built-in corpus alone");
  check({"train", "--pairs", corpus, "--vocabulary-size", "30"},
        "--vocabulary-size: is for --tokenizer bpe or unigram");
  check({"train", "--pairs", corpus, "--batch-size", "8", "--batch-tokens", "99"},
        "--batch-size: has no effect beside --batch-tokens");
  check({"train", "--pairs", corpus, "--patience", "3"}, "--patience: needs validation pairs");
  check({"train", "--source", "only-one-side.txt"}, "--target");
  check({"train", "--pairs", "a", "--source", "b", "--target", "c"}, "--pairs");
  const Outcome help = run(command({"train", "--help"}));
  CHECK(help.exit_code == 0);
  CHECK_THAT(help.output, ContainsSubstring("--resume") && ContainsSubstring("--seed"));
}

TEST_CASE("what can't be used is refused and nothing is written", "[translation]") {
  const TemporaryFolder folder;
  const std::string output = folder / "run";
  const auto check = [&](const std::string& bytes, const std::string& text) {
    const std::string path = folder.file("corpus.tsv", bytes);
    check_refusal(training(path, output), text);
    CHECK_FALSE(std::filesystem::exists(output));
  };
  check("", "empty");
  check("\xEF\xBB\xBF", "empty");
  check("no tab here\n", "no usable pair");
  check("one\ttwo\tthree\n", "no usable pair");
  check("\xFF\xFE\t\xC3\n", "no usable pair");
  check_refusal(training(folder / "missing.tsv", output), "No such file");
  check_refusal(training(folder.path(), output), folder.path());
  CHECK_FALSE(std::filesystem::exists(output));
  check_refusal(training(corpus, "/proc/nowhere"), "can't make the folder /proc/nowhere: ");
}

TEST_CASE("bad lines of a corpus are reported by number, the others are used", "[translation]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("corpus.tsv",
                                       "\xEF\xBB\xBFgo\tva\r\n"
                                       "no tab\r\n"
                                       "a\tb\tc\r\n"
                                       "bad \xFF\tbyte\r\n"
                                       "\r\n"
                                       "stop\tarrête\r\n");
  const Outcome outcome = run(training(path, folder / "run", {"--epochs", "1"}));
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.output, ContainsSubstring("2 training pairs, 6 and 6 words"));
  for (const char* line : {":2: ", ":3: ", ":4: "}) {
    CHECK_THAT(outcome.errors, ContainsSubstring("corpus.tsv" + std::string(line)));
  }
}

TEST_CASE("options of the tokens that exclude each other are refused", "[translation]") {
  const TemporaryFolder folder;
  const std::string output = folder / "run";
  check_refusal(training(corpus, output, {"--join-bpe"}), "tokenized already, not for");
  check_refusal(training(corpus, output, {"--pieces-model", corpus}), "bpe and unigram tokens");
  check_refusal(training(corpus, output, {"--tokenizer", "bpe", "--pieces-model", corpus}),
                "small_corpus.tsv': subwords: ");
  check_refusal(training(corpus, output, {"--tokenizer", "bpe", "--vocabulary-size", "9"}),
                "9 pieces can't be learned");
  CHECK_FALSE(std::filesystem::exists(output));
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--tokenizer", "sounds"},
                                               {"--lower-case", "--keep-case"},
                                               {"--test-source", "only-one-side.txt"},
                                               {"--source-language", "latin"}}) {
    CHECK(run(training(corpus, output, more)).exit_code == 2);
  }
}

TEST_CASE("lines that are too long are left out by number", "[translation]") {
  const TemporaryFolder folder;
  std::string pairs = "go\tva\n";
  for (int word = 0; word < 10'000; ++word) pairs += "stop ";
  pairs += "\tarrête\nstop\tarrête\n";
  const std::string path = folder.file("corpus.tsv", pairs);
  const Outcome outcome = run(training(path, folder / "run", {"--epochs", "1"}));
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.errors, ContainsSubstring("corpus.tsv:2: 10000 tokens, more than 100"));
  CHECK_THAT(outcome.output, ContainsSubstring("2 training pairs"));
}
