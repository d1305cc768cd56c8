// Measuring and handing on a trained model: evaluate, score, compare, export.
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "tensorette_test.hpp"
#include "translation_program.hpp"

using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;

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

TEST_CASE("output that can't be written is an error", "[translation]") {
  const Trained trained;
  const std::vector<std::string> arguments =
      trained.with_checkpoint({"evaluate", "--json", "--pairs", corpus});
  std::string line;
  for (const std::string& argument : arguments) line += "'" + argument + "' ";
  const Outcome full = run({"/bin/sh", "-c", line + "> /dev/full"});
  CHECK(full.exit_code == 1);
  CHECK_THAT(full.errors, ContainsSubstring("can't write to standard output: No space left"));
  const std::string translate =
      command({"translate"})[0] + " translate --checkpoint " + trained.checkpoint + " the cat";
  const Outcome line_by_line = run({"/bin/sh", "-c", translate + " > /dev/full"});
  CHECK(line_by_line.exit_code == 1);
  CHECK_THAT(line_by_line.errors,
             ContainsSubstring("can't write to standard output: No space left"));
  const std::string pipe = trained.folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  check_refusal(trained.with_checkpoint({"attention", "the cat", "--html", pipe}),
                "it is no regular file");
  CHECK(std::filesystem::is_fifo(pipe));
}

TEST_CASE("a training can't go on from weights alone", "[translation]") {
  const Trained trained;
  const std::string weights = trained.folder / "weights.safetensors";
  REQUIRE(run(trained.with_checkpoint({"export", "--output", weights})).exit_code == 0);
  check_refusal(command({"train", "--resume", weights}),
                "weights.safetensors: these are weights alone");
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
