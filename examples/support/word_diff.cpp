#include "word_diff.hpp"

#include <algorithm>
#include <sstream>

namespace tensorette::pictures {
namespace {

std::vector<std::string> split(std::string_view sentence) {
  std::istringstream stream{std::string(sentence)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace

std::vector<DiffWord> word_diff(std::string_view sentence, std::string_view other) {
  const std::vector<std::string> a = split(sentence);
  const std::vector<std::string> b = split(other);
  // longest[i][j]: length of a longest common subsequence of a from i on and b from j on.
  std::vector<std::vector<std::size_t>> longest(a.size() + 1,
                                                std::vector<std::size_t>(b.size() + 1, 0));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      longest[i][j] =
          a[i] == b[j] ? longest[i + 1][j + 1] + 1 : std::max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  std::vector<DiffWord> diff;
  std::size_t j = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    while (j < b.size() && a[i] != b[j] && longest[i][j + 1] >= longest[i + 1][j]) ++j;
    const bool common = j < b.size() && a[i] == b[j];
    if (common) ++j;
    diff.push_back({a[i], common});
  }
  return diff;
}

}  // namespace tensorette::pictures
