/// \file
/// The parameters of Transformer layers under the names that PyTorch has for them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <tensorette/nn/transformer.hpp>
#include <vector>

namespace tensorette::testing {

/// A parameter and what it is called there: the rows from `first` on of that tensor.
struct Match {
  Variable parameter;
  std::string name;
  Index first = 0;
};

[[nodiscard]] std::vector<Match> matches_of(const nn::LayerNorm& norm, const std::string& name);
[[nodiscard]] std::vector<Match> matches_of(const nn::TransformerEncoderLayer& layer);
[[nodiscard]] std::vector<Match> matches_of(const nn::TransformerDecoderLayer& layer);

/// The rows that belong to a match in `c[prefix + match.name]`.
[[nodiscard]] Tensor matching(const nlohmann::json& c, const std::string& prefix,
                              const Match& match);
/// Sets the parameters to what the case has under "param_" and their names.
void load(const std::vector<Match>& matches, const nlohmann::json& c);

}  // namespace tensorette::testing
