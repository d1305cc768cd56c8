// The vectors of the ONNX project, where TENSORETTE_ONNX_VECTORS names a folder that has them as
// files *.jsonl, or one such file.
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "onnx/run_file.hpp"
#include "tensorette_test.hpp"

using namespace tensorette::testing::onnx;

TEST_CASE("operators give the values of the ONNX project", "[ops][golden]") {
  const char* const place = std::getenv("TENSORETTE_ONNX_VECTORS");
  if (place == nullptr) {
    std::cout << "SKIPPED: TENSORETTE_ONNX_VECTORS names no vectors\n";
    return;
  }
  std::vector<std::string> files;
  if (std::filesystem::is_directory(place)) {
    for (const auto& entry : std::filesystem::directory_iterator(place)) {
      if (entry.path().extension() == ".jsonl") files.push_back(entry.path().string());
    }
  } else {
    files.emplace_back(place);
  }
  REQUIRE_FALSE(files.empty());
  for (const std::string& file : files) {
    const Summary summary = run_file(file);
    std::cout << file << ": " << to_string(summary);
    CHECK(summary.wrong.empty());
    CHECK(summary.right > 0);
  }
}
