#pragma once

#include <string>
#include <vector>

namespace tensorette::translation::testing {

/// The words with one blank between them.
inline std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace tensorette::translation::testing
