#include "data_options.hpp"

#include <nlohmann/json.hpp>

namespace tensorette::translation {
namespace {

template <class Value>
void get_if_there(const nlohmann::json& json, const char* name, Value& value) {
  if (const auto found = json.find(name); found != json.end()) found->get_to(value);
}

}  // namespace

nlohmann::json to_json(const DataOptions& o) {
  nlohmann::json json{{"pairs", o.pairs},
                      {"source", o.source},
                      {"target", o.target},
                      {"valid_pairs", o.valid_pairs},
                      {"valid_source", o.valid_source},
                      {"valid_target", o.valid_target},
                      {"test_pairs", o.test_pairs},
                      {"test_source", o.test_source},
                      {"test_target", o.test_target},
                      {"corpus_seed", o.corpus_seed},
                      {"train_pairs", o.train_pairs},
                      {"test_size", o.test_size},
                      {"tokenizer", name_of(o.tokenizer)},
                      {"source_language", name_of(o.source_language)},
                      {"target_language", name_of(o.target_language)},
                      {"join_bpe", o.join_bpe},
                      {"vocabulary_size", o.vocabulary_size},
                      {"pieces_model", o.pieces_model},
                      {"joint_vocabulary", o.joint_vocabulary},
                      {"min_frequency", o.min_frequency},
                      {"max_tokens", o.max_tokens},
                      {"max_length_ratio", o.max_length_ratio}};
  if (o.lower_case) json["lower_case"] = *o.lower_case;
  return json;
}

DataOptions data_options_from_json(const nlohmann::json& json) {
  DataOptions o;
  json.at("pairs").get_to(o.pairs);
  json.at("source").get_to(o.source);
  json.at("target").get_to(o.target);
  get_if_there(json, "valid_pairs", o.valid_pairs);
  get_if_there(json, "valid_source", o.valid_source);
  get_if_there(json, "valid_target", o.valid_target);
  json.at("test_pairs").get_to(o.test_pairs);
  get_if_there(json, "test_source", o.test_source);
  get_if_there(json, "test_target", o.test_target);
  json.at("corpus_seed").get_to(o.corpus_seed);
  json.at("train_pairs").get_to(o.train_pairs);
  json.at("test_size").get_to(o.test_size);
  std::string name(name_of(o.tokenizer));
  get_if_there(json, "tokenizer", name);
  o.tokenizer = tokenizer_from_name(name);
  name = name_of(o.source_language);
  get_if_there(json, "source_language", name);
  o.source_language = language_from_name(name);
  name = name_of(o.target_language);
  get_if_there(json, "target_language", name);
  o.target_language = language_from_name(name);
  if (json.contains("lower_case")) o.lower_case = json.at("lower_case").get<bool>();
  get_if_there(json, "join_bpe", o.join_bpe);
  get_if_there(json, "vocabulary_size", o.vocabulary_size);
  get_if_there(json, "pieces_model", o.pieces_model);
  get_if_there(json, "joint_vocabulary", o.joint_vocabulary);
  json.at("min_frequency").get_to(o.min_frequency);
  json.at("max_tokens").get_to(o.max_tokens);
  get_if_there(json, "max_length_ratio", o.max_length_ratio);
  return o;
}

}  // namespace tensorette::translation
