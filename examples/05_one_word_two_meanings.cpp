// 05: one word, two meanings. "They stoned the witch." / "This guy got completely stoned."
//
// The word "stoned" has one embedding. After training a small encoder to tell what a sentence is
// about, the vector that stands in its place is another one in each sentence.
//
// Run     bin/05_one_word_two_meanings      (a few seconds)
// Shows   Embedding, positions, TransformerEncoder, training, cosine similarity
#include <fmt/format.h>

#include <map>
#include <sstream>
#include <string>
#include <tensorette/tensorette.hpp>
#include <vector>

namespace tt = tensorette;

namespace {

struct Example {
  const char* text;
  tt::Index meaning;  // of "stoned" or its stand-in: 0 throwing stones, 1 drugs
};

const std::vector<Example> examples{
    {"they stoned the witch .", 0},         {"this guy got completely stoned .", 1},
    {"they stoned the thief .", 0},         {"this guy got really stoned .", 1},
    {"the crowd stoned the witch .", 0},    {"my brother got completely stoned .", 1},
    {"we stoned the thief .", 0},           {"the student got stoned .", 1},
    {"the villagers stoned the king .", 0}, {"they got completely stoned .", 1},
    {"the crowd stoned this guy .", 0},     {"the witch got stoned yesterday .", 1},
    {"they stoned my brother .", 0},        {"the king got really stoned .", 1},
};

class Vocabulary {
 public:
  tt::Index id(const std::string& word) {
    return ids_.try_emplace(word, static_cast<tt::Index>(ids_.size()) + 1).first->second;
  }
  [[nodiscard]] tt::Index size() const { return static_cast<tt::Index>(ids_.size()) + 1; }

 private:
  std::map<std::string, tt::Index> ids_;  // 0 is padding
};

struct Sentence {
  std::vector<tt::Index> ids;
  tt::Index stoned = 0;  // where the word stands
};

constexpr tt::Index longest = 7;

Sentence read(const std::string& text, Vocabulary& vocabulary) {
  Sentence sentence;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    if (word == "stoned") sentence.stoned = static_cast<tt::Index>(sentence.ids.size());
    sentence.ids.push_back(vocabulary.id(word));
  }
  sentence.ids.resize(longest, 0);
  return sentence;
}

// Two encoder layers, and a classifier on the vector at the place of "stoned".
class Model final : public tt::nn::Module {
 public:
  Model(tt::Index vocabulary, tt::Generator& generator)
      : embedding({.vocabulary = vocabulary, .dim = 16, .padding = 0}, generator),
        position({.max_length = longest, .dim = 16}),
        encoder(2, {.dim = 16, .heads = 2, .hidden = 32, .dropout = 0.0}, false, generator),
        classifier({.in = 16, .out = 2}, generator) {}

  [[nodiscard]] tt::Variable contextual(const tt::Tensor& ids) const {
    const auto mask = tt::nn::AttentionMask::key_validity(tt::not_equal(ids, 0));
    return encoder.forward(position.forward(embedding.forward(ids) * 4.0), mask);
  }
  [[nodiscard]] std::string type_name() const override { return "Model"; }

  tt::nn::Embedding embedding;
  tt::nn::SinusoidalPosition position;
  tt::nn::TransformerEncoder encoder;
  tt::nn::Linear classifier;

 protected:
  void list_parts(tt::nn::Parts& parts) override {
    parts("embedding", embedding);
    parts("position", position);
    parts("encoder", encoder);
    parts("classifier", classifier);
  }
};

double cosine(const tt::Tensor& a, const tt::Tensor& b) {
  return tt::sum(a * b).item() / (tt::norm(a).item() * tt::norm(b).item());
}

}  // namespace

int main() {
  Vocabulary vocabulary;
  std::vector<tt::Index> ids;
  std::vector<tt::Index> places;
  std::vector<tt::Index> meanings;
  for (const Example& example : examples) {
    const Sentence sentence = read(example.text, vocabulary);
    ids.insert(ids.end(), sentence.ids.begin(), sentence.ids.end());
    // Row of "stoned" when all sentences are laid behind one another.
    places.push_back(static_cast<tt::Index>(meanings.size()) * longest + sentence.stoned);
    meanings.push_back(example.meaning);
  }
  const auto count = static_cast<tt::Index>(examples.size());
  const tt::Tensor batch = tt::from_vector(ids, {count, longest});

  tt::Generator generator(5);
  Model model(vocabulary.size(), generator);
  const auto stoned_vectors = [&] {
    const tt::Variable rows = tt::reshape(model.contextual(batch), {count * longest, 16});
    return tt::take_rows(rows, tt::from_vector(places));
  };
  const auto similarity = [&] {
    const tt::Tensor vectors = stoned_vectors().value();
    return cosine(tt::select(vectors, 0, 0), tt::select(vectors, 0, 1));
  };

  fmt::print("contextual vectors before training:       similarity {:.3f}\n", similarity());

  // What the encoder starts from in both sentences, looked up twice.
  const auto embedding_difference = [&] {
    const tt::Tensor rows =
        tt::reshape(model.embedding.forward(batch).value(), {count * longest, 16});
    const tt::Tensor stoned = tt::take_rows(rows, tt::from_vector(places));
    return tt::max(tt::abs(tt::select(stoned, 0, 0) - tt::select(stoned, 0, 1))).item();
  };

  tt::optim::Adam optimizer(model.parameters(), {.learning_rate = 3e-3});
  double loss_value = 0;
  for (int step = 1; step <= 150; ++step) {
    const tt::Variable loss = tt::nn::cross_entropy(model.classifier.forward(stoned_vectors()),
                                                    tt::from_vector(meanings));
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    loss_value = loss.item();
  }
  const double after = similarity();
  fmt::print("contextual vectors after training:        similarity {:.3f}   (loss {:.4f})\n", after,
             loss_value);
  const double apart = embedding_difference();
  fmt::print(
      "embeddings behind both vectors:           largest difference {} (one row of the table)\n",
      apart);

  const tt::Tensor vectors = stoned_vectors().value();
  fmt::print("\nsimilarity of \"stoned\" to that in \"{}\":\n", examples[0].text);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    fmt::print("  {:6.3f}  {}\n",
               cosine(tt::select(vectors, 0, 0), tt::select(vectors, 0, static_cast<tt::Index>(i))),
               examples[i].text);
  }
  return apart == 0.0 && after < 0.0 && loss_value < 0.05 ? 0 : 1;
}

// Output
//
//     contextual vectors before training:       similarity 0.875
//     contextual vectors after training:        similarity -0.977   (loss 0.0002)
//     embeddings behind both vectors:           largest difference 0 (one row of the table)
//
//     similarity of "stoned" to that in "they stoned the witch .":
//        1.000  they stoned the witch .
//       -0.977  this guy got completely stoned .
//        0.999  they stoned the thief .
//       -0.979  this guy got really stoned .
//        0.997  the crowd stoned the witch .
//       -0.978  my brother got completely stoned .
//        0.998  we stoned the thief .
//       -0.971  the student got stoned .
//        0.986  the villagers stoned the king .
//       -0.976  they got completely stoned .
//        0.997  the crowd stoned this guy .
//       -0.971  the witch got stoned yesterday .
//        0.959  they stoned my brother .
//       -0.978  the king got really stoned .
