#include "sentencepiece_model.hpp"

#include <fmt/format.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <tensorette/tensor/error.hpp>
#include <unordered_map>
#include <utility>

#include "text_file.hpp"
#include "utf8.hpp"
#include "vocabulary.hpp"

namespace tensorette::translation {
namespace {

using sentencepiece::SentencePieceProcessor;

class Lines final : public sentencepiece::SentenceIterator {
 public:
  explicit Lines(std::span<const std::string> lines) : lines_(lines) {}
  [[nodiscard]] bool done() const override { return at_ == lines_.size(); }
  void Next() override { ++at_; }
  [[nodiscard]] const std::string& value() const override { return lines_[at_]; }
  [[nodiscard]] sentencepiece::util::Status status() const override { return {}; }

 private:
  std::span<const std::string> lines_;
  std::size_t at_ = 0;
};

std::unordered_map<std::string, std::string> arguments_of(const PieceOptions& options) {
  return {{"model_type", options.method == PieceMethod::bpe ? "bpe" : "unigram"},
          {"vocab_size", std::to_string(options.count)},
          {"hard_vocab_limit", "false"},
          {"character_coverage", "1.0"},
          {"max_sentence_length", "1000000"},
          // One thread: sums of probabilities then have one order.
          {"num_threads", "1"},
          {"pad_id", std::to_string(kPad)},
          {"bos_id", std::to_string(kBegin)},
          {"eos_id", std::to_string(kEnd)},
          {"unk_id", std::to_string(kUnknown)},
          {"minloglevel", "3"}};
}

// The trainer's messages begin with a place in its sources, "Internal: ./src/x.cc(5) [a <= b] Why",
// and may end with advice on its own options.
std::string reason_of(const sentencepiece::util::Status& status) {
  std::string message = status.ToString();
  if (const std::size_t place = message.rfind("] "); place != std::string::npos) {
    message.erase(0, place + 2);
  }
  if (const std::size_t advice = message.find(". Increase "); advice != std::string::npos) {
    message.erase(advice);
  }
  return message;
}

}  // namespace

struct SentencePieceModel::Loaded {
  std::string bytes;
  SentencePieceProcessor processor;
};

SentencePieceModel SentencePieceModel::train(std::span<const std::string> lines,
                                             const PieceOptions& options) {
  if (options.count <= kSpecialTokens) {
    throw Error(fmt::format("subwords: there must be more than {} pieces, got {}", kSpecialTokens,
                            options.count));
  }
  const auto refuse = [&](const std::string& reason) {
    throw Error(fmt::format("subwords: {} pieces can't be learned from {} lines: {}", options.count,
                            lines.size(), reason));
  };
  if (lines.empty()) refuse("there are none");
  Lines iterator(lines);
  std::string bytes;
  const auto status =
      sentencepiece::SentencePieceTrainer::Train(arguments_of(options), &iterator, &bytes);
  if (!status.ok()) refuse(reason_of(status));
  return from_bytes(std::move(bytes));
}

SentencePieceModel SentencePieceModel::load(const std::string& path) {
  try {
    return from_bytes(read_bytes(path));
  } catch (const FormatError& error) {
    throw FormatError(fmt::format("'{}': {}", path, error.what()));
  }
}

SentencePieceModel SentencePieceModel::from_bytes(std::string bytes) {
  auto loaded = std::make_shared<Loaded>();
  loaded->bytes = std::move(bytes);
  const auto status = loaded->processor.LoadFromSerializedProto(loaded->bytes);
  if (!status.ok() || loaded->processor.GetPieceSize() == 0) {
    throw FormatError(
        fmt::format("subwords: {} bytes are no model of SentencePiece", loaded->bytes.size()));
  }
  return SentencePieceModel(std::move(loaded));
}

const std::string& SentencePieceModel::bytes() const {
  return loaded_->bytes;
}

std::vector<std::string> SentencePieceModel::pieces() const {
  const SentencePieceProcessor& processor = loaded_->processor;
  std::vector<std::string> pieces;
  for (int id = 0; id < processor.GetPieceSize(); ++id) {
    const bool special = processor.IsUnknown(id) || processor.IsControl(id);
    if (!special && !processor.IsUnused(id)) pieces.push_back(processor.IdToPiece(id));
  }
  return pieces;
}

std::vector<std::string> SentencePieceModel::encode(std::string_view line) const {
  require_utf8(line);
  std::vector<std::string> pieces;
  const auto status = loaded_->processor.Encode(line, &pieces);
  if (!status.ok()) throw Error(fmt::format("subwords: {}", reason_of(status)));
  return pieces;
}

std::string SentencePieceModel::decode(std::span<const std::string> pieces) const {
  std::string line;
  const auto status =
      loaded_->processor.Decode(std::vector<std::string>(pieces.begin(), pieces.end()), &line);
  if (!status.ok()) throw Error(fmt::format("subwords: {}", reason_of(status)));
  return line;
}

}  // namespace tensorette::translation
