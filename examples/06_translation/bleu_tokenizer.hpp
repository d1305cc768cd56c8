/// \file
/// The tokenisation of the WMT evaluations. Next: bleu.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tensorette::translation {

/// Words of a line, split at white space (ASCII).
[[nodiscard]] std::vector<std::string> split_at_spaces(std::string_view line);

/// The rules of NIST's mteval-v13a for Western languages: entities read as the characters they
/// stand for; every ASCII symbol and punctuation mark a word of its own, except apostrophes, and
/// except full stops, commas and hyphens that a digit keeps.
[[nodiscard]] std::vector<std::string> tokenize_13a(std::string_view line);

}  // namespace tensorette::translation
