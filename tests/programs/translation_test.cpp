// The translation program as a user meets it: exit codes, messages, what it leaves behind.
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/io/safetensors.hpp>

#include "program.hpp"
#include "tensorette_test.hpp"

using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string corpus = TENSORETTE_SMALL_CORPUS;

/// The program with these arguments.
std::vector<std::string> command(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), TENSORETTE_TRANSLATION_PROGRAM);
  return arguments;
}

/// `train` with a model that takes little time.
std::vector<std::string> training(const std::string& pairs, const std::string& output,
                                  const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{
      "train", "--pairs",  pairs, "--output",         output, "--threads",
      "1",     "--dim",    "32",  "--heads",          "2",    "--encoder-layers",
      "1",     "--hidden", "32",  "--decoder-layers", "1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return command(arguments);
}

std::ptrdiff_t line_count(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

/// A run that ends with this code and one line on standard error that says this.
void check_refusal(const std::vector<std::string>& arguments, const std::string& text) {
  const Outcome outcome = run(arguments);
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.errors, ContainsSubstring(text));
  CHECK(line_count(outcome.errors) == 1);
}

/// A model that has been trained for one epoch.
struct Trained {
  TemporaryFolder folder{};
  std::string output = folder / "run";
  std::string checkpoint = output + "/model.safetensors";

  Trained() { REQUIRE(run(training(corpus, output, {"--epochs", "1"})).exit_code == 0); }

  [[nodiscard]] std::vector<std::string> with_checkpoint(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--checkpoint", checkpoint});
    return command(arguments);
  }
};

}  // namespace

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
  check({"train", "--learning-rate", "inf"}, "--learning-rate: must be positive, got inf");
  check({"train", "--seed", "99999999999999999999"}, "--seed: is too large");
  check({"train", "--test-pairs", "x"}, "--test-pairs: needs training pairs");
  check({"train", "--pairs", corpus, "--guidance", "1"},
        "--guidance: is for the built-in corpus alone");
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
  check_refusal(
      command({"train", "--pairs", corpus, "--output", output, "--dim", "7", "--heads", "2"}),
      "2 heads do not divide qkv_dim = 7");
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

TEST_CASE("a small corpus is learned with the default number of epochs", "[translation]") {
  const TemporaryFolder folder;
  const std::string output = folder / "run";
  const Outcome outcome = run(training(corpus, output));
  INFO(outcome.errors);
  REQUIRE(outcome.exit_code == 0);
  CHECK_THAT(outcome.output, ContainsSubstring("38 training pairs"));
  const auto metrics = nlohmann::json::parse(read_bytes(output + "/metrics.json"));
  CHECK(metrics.at("token_accuracy").get<double>() >= 0.95);
  CHECK(metrics.at("sentences") == 38);
  CHECK(metrics.at("pairs") == "training");
  const Outcome translated =
      run(command({"translate", "--checkpoint", output + "/model.safetensors"}),
          {.input = "the cat sleeps\n"});
  CHECK(translated.output == "Le chat dort\n");
}

TEST_CASE("evaluation says which pairs it measured", "[translation]") {
  const TemporaryFolder folder;
  const std::string held_out = folder.file("test.tsv", "the cow eats\tla vache mange\n");
  const std::string output = folder / "run";
  const Outcome outcome =
      run(training(corpus, output, {"--epochs", "1", "--test-pairs", held_out}));
  CHECK_THAT(outcome.output, ContainsSubstring("1 held-out pairs"));
  const auto evaluated = [&](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"evaluate", "--json", "--checkpoint", output + "/model.safetensors"});
    const Outcome result = run(command(more));
    REQUIRE(result.exit_code == 0);
    return nlohmann::json::parse(result.output);
  };
  CHECK(evaluated({}).at("pairs") == "held-out");
  CHECK(evaluated({}).at("sentences") == 1);
  CHECK(evaluated({"--pairs", corpus}).at("pairs") == "given");
  CHECK(evaluated({"--pairs", corpus}).at("sentences") == 38);
}

TEST_CASE("a checkpoint that can't be used is refused with the reason", "[translation]") {
  const Trained trained;
  const std::string whole = read_bytes(trained.checkpoint);
  for (const char* subcommand : {"translate", "evaluate", "attention"}) {
    INFO(subcommand);
    const auto check = [&](const std::string& path, const std::string& text) {
      check_refusal(command({subcommand, "--checkpoint", path}), text);
    };
    check(trained.folder / "missing", "No such file");
    check(trained.folder.file("truncated", whole.substr(0, whole.size() / 2)), "truncated");
    check(trained.folder.file("garbled", std::string(1000, 'x')), "garbled");
    check(trained.folder.file("empty", ""), "empty");
  }
  check_refusal(command({"translate", "--checkpoint", trained.folder / "missing", "hello"}),
                "run train (or ./dev demo) first");
  check_refusal(command({"train", "--resume", trained.folder / "missing"}), "No such file");
  check_refusal(command({"train", "--resume", trained.folder / "garbled"}), "garbled");
}

TEST_CASE("a full disk is reported and the last checkpoint kept", "[translation][field][D31]") {
  const Trained trained;
  const std::string before = read_bytes(trained.checkpoint);
  const Outcome outcome = run(training(corpus, trained.output, {"--epochs", "1", "--seed", "2"}),
                              {.largest_file = before.size() / 2});
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.errors, ContainsSubstring("can't write"));
  CHECK(read_bytes(trained.checkpoint) == before);
  for (const auto& entry : std::filesystem::directory_iterator(trained.output)) {
    const std::string name = entry.path().filename().string();
    CHECK((name == "model.safetensors" || name == "report.html" || name == "metrics.json" ||
           name == "log.jsonl"));
  }
}

TEST_CASE("an interrupt saves and stops, and the run goes on from there", "[translation]") {
  const TemporaryFolder folder;
  const std::string output = folder / "run";
  const std::string checkpoint = output + "/model.safetensors";
  Program program(training(corpus, output, {"--epochs", "1000000"}));
  REQUIRE(appears(checkpoint));
  program.send(SIGINT);
  const Outcome stopped = program.wait();
  CHECK(stopped.exit_code == 0);
  CHECK_THAT(stopped.output, ContainsSubstring("stopped after update") &&
                                 ContainsSubstring("--resume " + checkpoint));
  // There is one batch an epoch.
  const std::size_t number = stopped.output.find("stopped after update ") + 21;
  const int updates = std::stoi(stopped.output.substr(number));
  REQUIRE(updates > 0);
  const Outcome resumed = run(command({"train", "--resume", checkpoint, "--epochs",
                                       std::to_string(updates + 1), "--output", output}));
  INFO(resumed.errors);
  CHECK(resumed.exit_code == 0);
  CHECK_THAT(resumed.output, ContainsSubstring("38 training pairs"));
  CHECK(std::filesystem::exists(output + "/report.html"));
}

TEST_CASE("a resumed run stays in its folder and counts the epochs it has done", "[translation]") {
  const TemporaryFolder folder;
  const std::string output = folder / "run";
  const std::string checkpoint = output + "/model.safetensors";
  REQUIRE(run(training(corpus, output, {"--epochs", "2"})).exit_code == 0);
  const std::string before = read_bytes(checkpoint);
  check_refusal(command({"train", "--resume", checkpoint, "--epochs", "1"}),
                "2 epochs already: --epochs must be at least that, got 1");
  CHECK(read_bytes(checkpoint) == before);
  const Outcome resumed = run(command({"train", "--resume", checkpoint, "--epochs", "3"}));
  CHECK(resumed.exit_code == 0);
  CHECK_THAT(resumed.output, ContainsSubstring("written: " + checkpoint));
  CHECK(read_bytes(checkpoint) != before);
}

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

TEST_CASE("output that can't be written is an error", "[translation]") {
  const Trained trained;
  const std::vector<std::string> arguments =
      trained.with_checkpoint({"evaluate", "--json", "--pairs", corpus});
  std::string line;
  for (const std::string& argument : arguments) line += "'" + argument + "' ";
  const Outcome full = run({"/bin/sh", "-c", line + "> /dev/full"});
  CHECK(full.exit_code == 1);
  CHECK_THAT(full.errors, ContainsSubstring("can't write to standard output"));
  const std::string pipe = trained.folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  check_refusal(trained.with_checkpoint({"attention", "the cat", "--html", pipe}),
                "it is no regular file");
  CHECK(std::filesystem::is_fifo(pipe));
}

TEST_CASE("a model without sound numbers is neither used nor left behind", "[translation]") {
  const Trained trained;
  const std::string sound = read_bytes(trained.checkpoint);
  const Outcome diverged = run(training(corpus, trained.output, {"--learning-rate", "1e300"}));
  CHECK(diverged.exit_code == 1);
  CHECK_THAT(diverged.errors, ContainsSubstring("the training has diverged"));
  CHECK(read_bytes(trained.checkpoint) == sound);

  tensorette::Safetensors file = tensorette::load_safetensors(trained.checkpoint);
  tensorette::Tensor weight = file.tensors.at("model.output.bias");
  tensorette::fill_(weight, std::nan(""));
  tensorette::save_safetensors(trained.checkpoint, file);
  check_refusal(trained.with_checkpoint({"translate", "the cat"}),
                trained.checkpoint + ": parameter \"output.bias\" has numbers that are");
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

TEST_CASE("an export is smaller and translates alike", "[translation]") {
  const TemporaryFolder folder;
  const std::string output = folder / "run";
  REQUIRE(run(training(corpus, output, {"--epochs", "150"})).exit_code == 0);
  const std::string checkpoint = output + "/model.safetensors";
  const auto translated = [](const std::string& path) {
    return run(command({"translate", "--checkpoint", path}),
               {.input = "the cat sleeps\nthe dog eats\n"})
        .output;
  };
  const std::string expected = translated(checkpoint);
  std::size_t last_size = read_bytes(checkpoint).size();
  for (const char* type : {"f32", "bf16", "f16"}) {
    const std::string path = folder / (std::string(type) + ".safetensors");
    const Outcome outcome =
        run(command({"export", "--checkpoint", checkpoint, "--output", path, "--type", type}));
    INFO(type << outcome.errors);
    REQUIRE(outcome.exit_code == 0);
    CHECK_THAT(outcome.output, ContainsSubstring("written: " + path));
    const std::size_t size = read_bytes(path).size();
    CHECK(size <= last_size);
    last_size = size;
    CHECK(translated(path) == expected);
    CHECK(run(command({"evaluate", "--checkpoint", path, "--pairs", corpus, "--json"})).exit_code ==
          0);
  }
  CHECK(last_size < read_bytes(checkpoint).size() / 4);
  CHECK(run(command({"export", "--checkpoint", checkpoint})).exit_code == 2);
  check_refusal(command({"export", "--checkpoint", folder / "missing", "--output", folder / "x"}),
                "No such file");
}

TEST_CASE("files of translations are scored and compared", "[translation]") {
  const TemporaryFolder folder;
  const std::string reference = folder.file("reference", "the dog bit the man\nit was not so\n");
  const std::string same = folder.file("same", "the dog bit the man\nit was not so\n");
  const std::string worse = folder.file("worse", "the dog bit a man\nit was so\n");
  const std::string lower = folder.file("lower", "THE dog bit the man\nit was NOT so\n");
  const auto scored = [&](const std::string& file, std::vector<std::string> more) {
    more.insert(more.begin(), {"score", file, reference, "--json"});
    const Outcome outcome = run(command(more));
    INFO(outcome.errors);
    REQUIRE(outcome.exit_code == 0);
    return nlohmann::json::parse(outcome.output);
  };
  CHECK(scored(same, {}).at("bleu").at("score").get<double>() == Catch::Approx(100));
  CHECK(scored(same, {}).at("chrf").at("score").get<double>() == Catch::Approx(100));
  CHECK(scored(lower, {}).at("bleu").at("score").get<double>() < 100);
  const auto lower_case =
      scored(lower, {"--bleu-lower-case", "--bleu-tokenizer", "none", "--bleu-smoothing", "none"});
  CHECK(lower_case.at("bleu").at("score").get<double>() == Catch::Approx(100));
  CHECK(lower_case.at("bleu").at("signature") == "nrefs:1|case:lc|eff:no|tok:none|smooth:none");
  // 7 of 8 words; 3 of 6, 1 of 4 and 0 of 2 sequences.
  CHECK(scored(worse, {}).at("bleu").at("matches") == nlohmann::json{7, 3, 1, 0});

  const auto compared = [&](const std::string& first, const std::string& second) {
    const Outcome outcome =
        run(command({"compare", reference, first, second, "--samples", "200", "--json"}));
    INFO(outcome.errors);
    REQUIRE(outcome.exit_code == 0);
    return nlohmann::json::parse(outcome.output);
  };
  CHECK(compared(same, same).at("bleu").at("p_value") == 1.0);
  const auto better = compared(worse, same);
  CHECK(better.at("bleu").at("difference").at("low").get<double>() > 0);
  CHECK(better.at("bleu").at("p_value").get<double>() < 1);
  CHECK(better == compared(worse, same));
  check_refusal(command({"score", folder.file("short", "one line\n"), reference}),
                "has 1 lines, " + reference + " has 2");
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

TEST_CASE("a training that diverges says so", "[translation]") {
  const TemporaryFolder folder;
  const Outcome outcome =
      run(training(corpus, folder / "run", {"--epochs", "500", "--learning-rate", "1e30"}));
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.errors, ContainsSubstring("--learning-rate"));
}

TEST_CASE("a run is not resumed with other data", "[translation]") {
  const TemporaryFolder folder;
  const std::string pairs = folder.file("corpus.tsv", "go\tva\nstop\tarrête\n");
  const std::string output = folder / "run";
  // Pieces stay those of the run; what differs is what they are joined to.
  const std::string kind = GENERATE("words", "bpe");
  REQUIRE(run(training(pairs, output,
                       {"--epochs", "1", "--tokenizer", kind, "--vocabulary-size", "16"}))
              .exit_code == 0);
  (void)folder.file("corpus.tsv",
                    kind == "bpe" ? "stop\tva\ngo\tarrête\n" : "go\tva\nrun\tcours\n");
  check_refusal(command({"train", "--resume", output + "/model.safetensors", "--epochs", "2",
                         "--output", output}),
                "other training data");
}
