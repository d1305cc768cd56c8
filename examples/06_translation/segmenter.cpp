#include "segmenter.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <tensorette/tensor/error.hpp>
#include <utility>

#include "base64.hpp"
#include "utf8.hpp"

namespace tensorette::translation {
namespace {

constexpr std::string_view kJoin = "@@";

std::vector<std::string> between_spaces(std::string_view line) {
  std::vector<std::string> tokens;
  std::u32string token;
  const auto finish = [&] {
    if (!token.empty()) tokens.push_back(encode_utf8(token));
    token.clear();
  };
  for (const char32_t point : decode_utf8(line)) {
    if (is_space(point)) {
      finish();
    } else {
      token += point;
    }
  }
  finish();
  return tokens;
}

std::string with_spaces(std::span<const std::string> tokens, bool join_bpe) {
  std::string line;
  bool glue = true;
  for (const std::string_view token : tokens) {
    if (!glue) line += ' ';
    glue = join_bpe && token.ends_with(kJoin);
    line += glue ? token.substr(0, token.size() - kJoin.size()) : token;
  }
  return line;
}

}  // namespace

std::string_view name_of(TokenizerKind kind) {
  switch (kind) {
    case TokenizerKind::bpe:
      return "bpe";
    case TokenizerKind::unigram:
      return "unigram";
    case TokenizerKind::none:
      return "none";
    case TokenizerKind::words:
      break;
  }
  return "words";
}

TokenizerKind tokenizer_from_name(std::string_view name) {
  using enum TokenizerKind;
  for (const TokenizerKind kind : {words, bpe, unigram, none}) {
    if (name == name_of(kind)) return kind;
  }
  throw FormatError(fmt::format("unknown tokenizer \"{}\"", name));
}

Segmenter::Segmenter(const SegmenterOptions& options) : options_(options) {
  if (has_pieces(options.tokenizer)) {
    throw Error(fmt::format("segmenter: {} needs a model of pieces", name_of(options.tokenizer)));
  }
  if (options.join_bpe && options.tokenizer != TokenizerKind::none) {
    throw Error(
        fmt::format("segmenter: joins of \"{}\" are for text that is tokenized already, not for {}",
                    kJoin, name_of(options.tokenizer)));
  }
}

Segmenter::Segmenter(const SegmenterOptions& options, SentencePieceModel pieces)
    : options_(options), pieces_(std::move(pieces)) {
  if (!has_pieces(options.tokenizer) || options.join_bpe) {
    throw Error(fmt::format("segmenter: {} has no model of pieces", name_of(options.tokenizer)));
  }
}

std::vector<std::string> Segmenter::tokens(std::string_view line) const {
  if (options_.tokenizer == TokenizerKind::words) {
    return tokenize(line, {.language = options_.language, .lower_case = options_.lower_case});
  }
  if (options_.lower_case) {
    const std::string lower = lower_cased(line);
    return pieces_ ? pieces_->encode(lower) : between_spaces(lower);
  }
  return pieces_ ? pieces_->encode(line) : between_spaces(line);
}

std::string Segmenter::text(std::span<const std::string> tokens) const {
  if (pieces_) return pieces_->decode(tokens);
  if (options_.tokenizer == TokenizerKind::none) return with_spaces(tokens, options_.join_bpe);
  return detokenize(tokens, {.language = options_.language, .capitalize = options_.lower_case});
}

nlohmann::json to_json(const Segmenter& segmenter) {
  const SegmenterOptions& options = segmenter.options();
  nlohmann::json json{{"tokenizer", name_of(options.tokenizer)},
                      {"language", name_of(options.language)},
                      {"lower_case", options.lower_case},
                      {"join_bpe", options.join_bpe}};
  if (segmenter.pieces()) json["pieces"] = base64_encode(segmenter.pieces()->bytes());
  return json;
}

Segmenter segmenter_from_json(const nlohmann::json& json) {
  const SegmenterOptions options{
      .tokenizer = tokenizer_from_name(json.at("tokenizer").get<std::string>()),
      .language = language_from_name(json.at("language").get<std::string>()),
      .lower_case = json.at("lower_case").get<bool>(),
      .join_bpe = json.at("join_bpe").get<bool>()};
  if (!has_pieces(options.tokenizer)) return Segmenter(options);
  return {options,
          SentencePieceModel::from_bytes(base64_decode(json.at("pieces").get<std::string>()))};
}

}  // namespace tensorette::translation
