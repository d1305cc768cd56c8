/// \file
/// All vectors of a file, one by one.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tensorette::testing::onnx {

/// What came of them.
struct Summary {
  std::size_t right = 0;
  std::vector<std::string> wrong{};          ///< tests, each with the reason
  std::map<std::string, int> not_offered{};  ///< by reason
};

[[nodiscard]] Summary run_file(const std::string& path);
/// A line for each reason.
[[nodiscard]] std::string to_string(const Summary& summary);

}  // namespace tensorette::testing::onnx
