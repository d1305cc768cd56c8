#include "translator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/reduce.hpp>

namespace tensorette::translation {
namespace {

constexpr const char* longest_source_key = "longest_source";

nlohmann::json to_json(const nn::TransformerOptions& o) {
  return {{"dim", o.dim},
          {"heads", o.heads},
          {"decoder_heads", o.decoder_heads},
          {"qkv_dim", o.qkv_dim},
          {"encoder_layers", o.encoder_layers},
          {"decoder_layers", o.decoder_layers},
          {"hidden", o.hidden},
          {"dropout", o.dropout},
          {"attention_dropout", o.attention_dropout},
          {"activation_dropout", o.activation_dropout},
          {"activation", static_cast<int>(o.activation)},
          {"norm_first", o.norm_first},
          {"residual_gain", o.residual_gain},
          {"tied", static_cast<int>(o.tied)},
          {"positions", static_cast<int>(o.positions)},
          {"max_length", o.max_length}};
}

// An enumerator that was written as its number.
template <class Enum>
Enum enum_from(const nlohmann::json& json, const char* name, int count) {
  const int value = json.at(name).get<int>();
  if (value < 0 || value >= count) {
    throw FormatError(
        fmt::format("checkpoint: \"{}\" is {}, it must be in [0, {})", name, value, count));
  }
  return static_cast<Enum>(value);
}

nn::TransformerOptions options_from_json(const nlohmann::json& json) {
  nn::TransformerOptions o;
  json.at("dim").get_to(o.dim);
  json.at("heads").get_to(o.heads);
  json.at("decoder_heads").get_to(o.decoder_heads);
  json.at("qkv_dim").get_to(o.qkv_dim);
  json.at("encoder_layers").get_to(o.encoder_layers);
  json.at("decoder_layers").get_to(o.decoder_layers);
  json.at("hidden").get_to(o.hidden);
  json.at("dropout").get_to(o.dropout);
  json.at("attention_dropout").get_to(o.attention_dropout);
  json.at("activation_dropout").get_to(o.activation_dropout);
  json.at("norm_first").get_to(o.norm_first);
  json.at("max_length").get_to(o.max_length);
  o.residual_gain = json.value("residual_gain", o.residual_gain);
  o.activation = enum_from<nn::Activation>(json, "activation", 6);
  o.tied = enum_from<nn::TiedEmbeddings>(json, "tied", 3);
  o.positions = enum_from<nn::Positions>(json, "positions", 2);
  return o;
}

nn::TransformerOptions sized(nn::TransformerOptions options, const Vocabulary& source,
                             const Vocabulary& target) {
  options.source_vocabulary = source.size();
  options.target_vocabulary = target.size();
  options.padding = kPad;
  return options;
}

}  // namespace

Translator::Translator(Vocabulary source, Vocabulary target, Segmenter cuts_source,
                       Segmenter cuts_target, const nn::TransformerOptions& options,
                       Generator& generator)
    : source_vocabulary(std::move(source)),
      target_vocabulary(std::move(target)),
      source_segmenter(std::move(cuts_source)),
      target_segmenter(std::move(cuts_target)),
      model(sized(options, source_vocabulary, target_vocabulary), generator) {
  model.name_parameters();
}

Segmenters Translator::segmenters_in(const nn::Checkpoint& checkpoint) {
  try {
    if (!checkpoint.metadata.contains("source_segmenter")) {
      const auto words = [&](const char* entry) {
        return Segmenter({.language = language_from_name(checkpoint.at(entry))});
      };
      return {.source = words("source_language"), .target = words("target_language")};
    }
    const auto read = [&](const char* entry) {
      return segmenter_from_json(nlohmann::json::parse(checkpoint.at(entry)));
    };
    const Segmenter source = read("source_segmenter");
    const bool is_shared = !checkpoint.metadata.contains("target_segmenter");
    return {.source = source, .target = is_shared ? source : read("target_segmenter")};
  } catch (const nlohmann::json::exception& error) {
    throw FormatError(
        fmt::format("checkpoint: how text is cut into tokens can't be read: {}", error.what()));
  }
}

Translator Translator::from_checkpoint(const nn::Checkpoint& checkpoint) {
  try {
    const auto options = nlohmann::json::parse(checkpoint.at("model_options"));
    auto [source_segmenter, target_segmenter] = segmenters_in(checkpoint);
    Generator unused(0);
    Translator translator(Vocabulary::deserialize(checkpoint.at("source_vocabulary")),
                          Vocabulary::deserialize(checkpoint.at("target_vocabulary")),
                          std::move(source_segmenter), std::move(target_segmenter),
                          options_from_json(options), unused);
    checkpoint.restore(translator.model);
    if (const auto found = checkpoint.metadata.find(longest_source_key);
        found != checkpoint.metadata.end()) {
      translator.longest_source = nlohmann::json::parse(found->second).get<Index>();
    }
    return translator;
  } catch (const nlohmann::json::exception& error) {
    throw FormatError(
        fmt::format("checkpoint: the options of the model can't be read: {}", error.what()));
  }
}

void Translator::put_into(nn::Checkpoint& checkpoint) const {
  checkpoint.put(model);
  checkpoint.metadata["model_options"] = to_json(model.options()).dump();
  if (longest_source > 0) {
    checkpoint.metadata[longest_source_key] = std::to_string(longest_source);
  }
  checkpoint.metadata["source_vocabulary"] = source_vocabulary.serialize();
  checkpoint.metadata["target_vocabulary"] = target_vocabulary.serialize();
  checkpoint.metadata["source_segmenter"] = to_json(source_segmenter).dump();
  // What both languages share is written once.
  if (target_segmenter == source_segmenter) {
    checkpoint.metadata.erase("target_segmenter");
  } else {
    checkpoint.metadata["target_segmenter"] = to_json(target_segmenter).dump();
  }
}

std::vector<std::string> Translator::source_tokens(std::string_view line) const {
  return source_segmenter.tokens(line);
}

std::vector<std::string> Translator::target_tokens(std::string_view line) const {
  return target_segmenter.tokens(line);
}

EncodedPair Translator::encode(const std::vector<std::string>& source,
                               const std::vector<std::string>& target) const {
  return {.source = source_vocabulary.encode(source), .target = target_vocabulary.encode(target)};
}

std::string Translator::unknown_tokens(const std::vector<std::string>& source) const {
  std::vector<std::string> unknown;
  for (const std::string& token : source) {
    const bool is_known = source_vocabulary.id(token) != kUnknown;
    if (is_known || std::find(unknown.begin(), unknown.end(), token) != unknown.end()) continue;
    unknown.push_back(token);
  }
  return fmt::format("{}", fmt::join(unknown, ", "));
}

void Translator::require_fits(std::size_t tokens) const {
  if (static_cast<Index>(tokens) <= model.options().max_length) return;
  throw Error(fmt::format("a sentence of {} tokens is longer than the model's {}", tokens,
                          model.options().max_length));
}

Tensor Translator::source_ids(const std::vector<std::vector<std::string>>& sentences) const {
  std::size_t longest = 1;
  for (const auto& sentence : sentences) longest = std::max(longest, sentence.size());
  require_fits(longest);
  std::vector<std::int64_t> ids(sentences.size() * longest, kPad);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const auto encoded = source_vocabulary.encode(sentences[i]);
    std::copy(encoded.begin(), encoded.end(),
              ids.begin() + static_cast<std::ptrdiff_t>(i * longest));
  }
  return from_vector(ids, {static_cast<Index>(sentences.size()), static_cast<Index>(longest)});
}

std::optional<std::string> broken_parameter(const nn::Module& model) {
  for (const auto& [name, parameter] : model.named_parameters()) {
    // A sum is finite only if all terms are; parameters are far too small to overflow it.
    if (!std::isfinite(sum(parameter.value()).item())) return name;
  }
  return std::nullopt;
}

}  // namespace tensorette::translation
