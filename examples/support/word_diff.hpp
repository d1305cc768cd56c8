/// \file
/// Where two sentences differ, word by word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tensorette::pictures {

struct DiffWord {
  std::string word;
  bool common = true;  ///< stands in the other sentence too, in the same order
};

/// The words of `sentence` (parted by white space); those outside a longest common subsequence with
/// `other` are not common.
[[nodiscard]] std::vector<DiffWord> word_diff(std::string_view sentence, std::string_view other);

}  // namespace tensorette::pictures
