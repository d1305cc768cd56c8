// What the translation program shows of a model's attention.
#include <algorithm>

#include "tensorette_test.hpp"
#include "translation_program.hpp"

using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

/// A model of two layers with two heads, trained until it shows.
struct TwoLayers {
  TemporaryFolder folder{};

  TwoLayers() {
    REQUIRE(run(command({"train", "--pairs", corpus, "--output", folder / "run", "--threads", "1",
                         "--dim", "16", "--heads", "2", "--encoder-layers", "2", "--hidden", "16",
                         "--decoder-layers", "1", "--epochs", "50"}))
                .exit_code == 0);
  }

  [[nodiscard]] Outcome attention(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"attention", "the cat sleeps", "--checkpoint",
                                         folder / "run/model.safetensors"});
    return run(command(arguments));
  }
};

std::ptrdiff_t count(const std::string& text, const std::string& part) {
  std::ptrdiff_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

}  // namespace

TEST_CASE("attention is shown by heads, condensed, and as pictures", "[translation][attention]") {
  const TwoLayers trained;
  const Outcome heads = trained.attention({});
  INFO(heads.errors);
  CHECK(heads.exit_code == 0);
  CHECK_THAT(heads.output,
             ContainsSubstring("layer 1, head 1") && ContainsSubstring("layer 2, head 2"));
  CHECK_THAT(heads.output, ContainsSubstring("1.10 at all 3 alike"));
  CHECK(count(trained.attention({"--layer", "2", "--head", "1"}).output, ", head ") == 1);

  const Outcome rollout = trained.attention({"--rollout"});
  CHECK(rollout.exit_code == 0);
  CHECK_THAT(rollout.output, ContainsSubstring("what came through 2 layers"));
  CHECK(count(rollout.output, ", head ") == 0);

  const std::string grid = trained.folder / "grid.svg";
  CHECK(trained.attention({"--grid", grid}).exit_code == 0);
  const std::string picture = read_bytes(grid);
  CHECK_THAT(picture, ContainsSubstring("<svg") && ContainsSubstring("2 layers of 2 heads"));

  const std::string page = trained.folder / "page.html";
  CHECK(trained.attention({"--html", page}).exit_code == 0);
  const std::string html = read_bytes(page);
  CHECK_THAT(html, ContainsSubstring("what came through 2 layers"));
  CHECK_THAT(html, ContainsSubstring("How widely each head looks"));

  for (const char* other : {"--html", "--svg", "--grid"}) {
    CHECK(trained.attention({"--rollout", other, trained.folder / "x"}).exit_code == 2);
  }
  CHECK(trained.attention({"--layer", "3"}).exit_code == 1);
}

TEST_CASE("the untrained model is the one that training began with", "[translation][attention]") {
  const TwoLayers trained;
  const Outcome after = trained.attention({});
  const Outcome before = trained.attention({"--untrained"});
  CHECK(before.exit_code == 0);
  CHECK(before.output != after.output);
  CHECK(trained.attention({"--untrained"}).output == before.output);
}
