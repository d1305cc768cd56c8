// Operators by the ONNX standard, with values worked out by plain loops.
#include "onnx/run_file.hpp"
#include "tensorette_test.hpp"

using namespace tensorette::testing::onnx;

TEST_CASE("operators mean what the ONNX standard says", "[ops][golden]") {
  const Summary summary = run_file(std::string(TENSORETTE_GOLDEN_DIR) + "/operators.jsonl");
  INFO(to_string(summary));
  CHECK(summary.wrong.empty());
  CHECK(summary.not_offered.empty());
  CHECK(summary.right == 152);
}

TEST_CASE("a wrong vector is seen", "[ops][golden]") {
  const Summary summary = run_file(std::string(TENSORETTE_GOLDEN_DIR) + "/wrong_operators.jsonl");
  CHECK(summary.right == 0);
  REQUIRE(summary.wrong.size() == 3);
  CHECK_THAT(summary.wrong[0], Catch::Matchers::ContainsSubstring("value_off"));
  CHECK_THAT(summary.wrong[1], Catch::Matchers::ContainsSubstring("shape_off"));
  CHECK_THAT(summary.wrong[2], Catch::Matchers::ContainsSubstring("type_off"));
  CHECK(summary.not_offered.size() == 2);
}
