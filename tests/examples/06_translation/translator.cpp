// A translator keeps in its checkpoint how it cuts text, whatever its tokens are.
#include "06_translation/translator.hpp"

#include <tensorette/tensor/error.hpp>
#include <tensorette_test.hpp>

#include "06_translation/training_data.hpp"
#include "temporary_folder.hpp"

using namespace tensorette::translation;
using tensorette::Generator;
using tensorette::testing::TemporaryFolder;
namespace nn = tensorette::nn;

namespace {

const nn::TransformerOptions tiny{
    .dim = 8, .heads = 2, .encoder_layers = 1, .decoder_layers = 1, .hidden = 8};

Translator untrained(const DataOptions& options) {
  const TrainingData data = load_data(options);
  Vocabularies vocabularies = vocabularies_of(data, options);
  Generator generator(1);
  nn::TransformerOptions model = tiny;
  if (options.joint_vocabulary) model.tied = nn::TiedEmbeddings::all;
  return Translator(std::move(vocabularies.source), std::move(vocabularies.target),
                    data.source_segmenter, data.target_segmenter, model, generator);
}

nn::Checkpoint checkpoint_of(const Translator& translator) {
  nn::Checkpoint checkpoint;
  translator.put_into(checkpoint);
  return checkpoint;
}

}  // namespace

TEST_CASE("a checkpoint alone cuts and joins as the training did", "[translation]") {
  const TemporaryFolder folder;
  DataOptions options{.source = folder.file("s", "The cat sleeps.\nThe d@@ og eats.\n"),
                      .target = folder.file("t", "Le chat dort.\nLe ch@@ ien mange.\n"),
                      .vocabulary_size = 40};
  options.tokenizer = GENERATE(TokenizerKind::words, TokenizerKind::bpe, TokenizerKind::unigram,
                               TokenizerKind::none);
  options.joint_vocabulary = GENERATE(true, false);
  options.join_bpe = options.tokenizer == TokenizerKind::none;
  const Translator translator = untrained(options);
  checkpoint_of(translator).save(folder / "model.safetensors");
  const auto loaded = nn::Checkpoint::load(folder / "model.safetensors");
  const Translator back = Translator::from_checkpoint(loaded);
  CHECK(back.source_segmenter == translator.source_segmenter);
  CHECK(back.target_segmenter == translator.target_segmenter);
  CHECK(back.source_vocabulary == translator.source_vocabulary);
  CHECK(back.target_vocabulary == translator.target_vocabulary);
  CHECK(Translator::segmenters_in(loaded).target == translator.target_segmenter);
  // What two languages share is written once.
  CHECK(loaded.metadata.contains("target_segmenter") !=
        (translator.source_segmenter == translator.target_segmenter));
  for (const char* line : {"The cat eats.", "d@@ og", "", "zzyzx 😀"}) {
    CHECK(back.source_tokens(line) == translator.source_tokens(line));
    CHECK(back.translate({line})[0].text == translator.translate({line})[0].text);
  }
}

TEST_CASE("a checkpoint that names languages is read as one of words", "[translation]") {
  const Translator translator = untrained({.train_pairs = 20, .test_size = 1});
  nn::Checkpoint checkpoint = checkpoint_of(translator);
  checkpoint.metadata.erase("source_segmenter");
  checkpoint.metadata.erase("target_segmenter");
  checkpoint.metadata["source_language"] = "english";
  checkpoint.metadata["target_language"] = "french";
  const Translator back = Translator::from_checkpoint(checkpoint);
  CHECK(back.source_segmenter == translator.source_segmenter);
  CHECK(back.target_segmenter == translator.target_segmenter);
}

TEST_CASE("a checkpoint whose segmenter is damaged is refused", "[translation]") {
  const Translator translator = untrained({.train_pairs = 20, .test_size = 1});
  nn::Checkpoint checkpoint = checkpoint_of(translator);
  checkpoint.metadata["source_segmenter"] = "{}";
  CHECK_THROWS_AS(Translator::from_checkpoint(checkpoint), tensorette::FormatError);
  CHECK_THROWS_WITH(Translator::from_checkpoint(checkpoint),
                    Catch::Matchers::ContainsSubstring(
                        "checkpoint: how text is cut into tokens can't be read: "));
}
