#include "parameter_matches.hpp"

#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "golden.hpp"

namespace tensorette::testing {
namespace {

void match_feed_forward(std::vector<Match>& matches, const nn::FeedForward& feed_forward) {
  matches.push_back({feed_forward.first.weight, "linear1.weight"});
  matches.push_back({feed_forward.first.bias, "linear1.bias"});
  matches.push_back({feed_forward.second.weight, "linear2.weight"});
  matches.push_back({feed_forward.second.bias, "linear2.bias"});
}

void match_norm(std::vector<Match>& matches, const nn::LayerNorm& norm, const std::string& name) {
  matches.push_back({norm.weight, name + ".weight"});
  matches.push_back({norm.bias, name + ".bias"});
}

void match_self(std::vector<Match>& matches, const nn::MultiHeadSelfAttention& attention) {
  matches.push_back({attention.qkv_projection.weight, "self_attn.in_proj_weight"});
  matches.push_back({attention.qkv_projection.bias, "self_attn.in_proj_bias"});
  matches.push_back({attention.output_projection.weight, "self_attn.out_proj.weight"});
  matches.push_back({attention.output_projection.bias, "self_attn.out_proj.bias"});
}

void match_cross(std::vector<Match>& matches, const nn::MultiHeadAttention& attention) {
  Index first = 0;
  for (const nn::Linear* projection :
       {&attention.query_projection, &attention.key_projection, &attention.value_projection}) {
    matches.push_back({projection->weight, "multihead_attn.in_proj_weight", first});
    matches.push_back({projection->bias, "multihead_attn.in_proj_bias", first});
    first += projection->weight.size(0);
  }
  matches.push_back({attention.output_projection.weight, "multihead_attn.out_proj.weight"});
  matches.push_back({attention.output_projection.bias, "multihead_attn.out_proj.bias"});
}

}  // namespace

std::vector<Match> matches_of(const nn::LayerNorm& norm, const std::string& name) {
  std::vector<Match> matches;
  match_norm(matches, norm, name);
  return matches;
}

std::vector<Match> matches_of(const nn::TransformerEncoderLayer& layer) {
  std::vector<Match> matches;
  match_self(matches, layer.self_attention);
  match_feed_forward(matches, layer.feed_forward);
  match_norm(matches, layer.norm1, "norm1");
  match_norm(matches, layer.norm2, "norm2");
  return matches;
}

std::vector<Match> matches_of(const nn::TransformerDecoderLayer& layer) {
  std::vector<Match> matches;
  match_self(matches, layer.self_attention);
  match_cross(matches, layer.cross_attention);
  match_feed_forward(matches, layer.feed_forward);
  match_norm(matches, layer.norm1, "norm1");
  match_norm(matches, layer.norm2, "norm2");
  match_norm(matches, layer.norm3, "norm3");
  return matches;
}

Tensor matching(const nlohmann::json& c, const std::string& prefix, const Match& match) {
  return narrow(golden_tensor(c.at(prefix + match.name)), 0, match.first, match.parameter.size(0));
}

void load(const std::vector<Match>& matches, const nlohmann::json& c) {
  for (const Match& match : matches) {
    Tensor target = match.parameter.value();
    copy_(target, matching(c, "param_", match).to(target.dtype()));
  }
}

}  // namespace tensorette::testing
