// 04: attention step by step. "Hello world !" through one self-attention, every stage by name.
//
// Run     bin/04_attention_step_by_step
// Shows   MultiHeadSelfAttention::steps, tables of every stage with shapes, the residual sum
#include <fmt/format.h>

#include <string>
#include <tensorette/tensorette.hpp>
#include <vector>

namespace tt = tensorette;

namespace {

const std::vector<std::string> words{"Hello", "world", "!"};

void show_shape(const char* name, const tt::Variable& x, const char* meaning) {
  fmt::print("  {:14} {:16} {}\n", name, tt::to_string(x.shape()), meaning);
}

// The table of one head: queries in rows, keys in columns.
void show_table(const char* title, const tt::Variable& scores, tt::Index head) {
  fmt::print("\n{}, head {}\n{:16}", title, head + 1, "");
  for (const std::string& word : words) fmt::print("{:>12}", "key(" + word + ")");
  fmt::print("\n");
  for (std::size_t i = 0; i < words.size(); ++i) {
    fmt::print("{:16}", "query(" + words[i] + ")");
    for (std::size_t j = 0; j < words.size(); ++j) {
      fmt::print("{:12.3f}", scores.value().at<float>(0, head, i, j));
    }
    fmt::print("\n");
  }
}

std::string vector_text(const tt::Tensor& x) {
  std::string text = "[";
  for (const float value : x.to_vector<float>()) text += fmt::format(" {:6.3f}", value);
  return text + " ]";
}

}  // namespace

int main() {
  // Each word is a vector of 6 numbers; two heads look at them with 3 numbers each.
  tt::Generator generator(4);
  const tt::nn::Embedding embedding({.vocabulary = 3, .dim = 6}, generator);
  const tt::nn::MultiHeadSelfAttention attention({.embedding_dim = 6, .heads = 2}, generator);
  const tt::Variable x = embedding.forward(tt::from_vector<tt::Index>({0, 1, 2}, {1, 3})) * 2.0;
  const tt::nn::AttentionSteps s = attention.steps(x);

  fmt::print("Stages, with their shapes [batch, tokens, ...] and [batch, heads, tokens, ...]\n");
  show_shape("x", x, "token vectors");
  show_shape("queries", s.queries, "x W_Q: what does each word look for?");
  show_shape("keys", s.keys, "x W_K: what does each word offer?");
  show_shape("values", s.values, "x W_V: what does each word pass on?");
  show_shape("query_heads", s.query_heads, "split into heads, heads in front");
  show_shape("key_heads", s.key_heads, "");
  show_shape("value_heads", s.value_heads, "");
  show_shape("dot_products", s.dot_products, "queries · keysᵀ");
  show_shape("raw_scores", s.raw_scores, "divided by √head_dim = √3");
  show_shape("scores", s.scores, "softmax of each row");
  show_shape("weights", s.weights, "scores · values");
  show_shape("context", s.context, "heads side by side");
  show_shape("output", s.output, "context · Wᴼ");

  show_table("1. Dot products: is what one looks for what the other offers?", s.dot_products, 0);
  show_table("2. Raw attention scores: divided by √3", s.raw_scores, 0);
  show_table("3. Attention scores: softmax by row, each row adds up to 1", s.scores, 0);
  show_table("3. Attention scores", s.scores, 1);

  fmt::print("\n4. Mixing values, head 1: a row's scores times the values, added up\n");
  for (std::size_t i = 0; i < words.size(); ++i) {
    fmt::print("  {:6}", words[i]);
    for (std::size_t j = 0; j < words.size(); ++j) {
      fmt::print(" {} {:.3f} · value({})", j == 0 ? "=" : "+",
                 s.scores.value().at<float>(0, 0, i, j), words[j]);
    }
    const tt::Tensor mixed = tt::select(tt::select(tt::select(s.weights.value(), 0, 0), 0, 0), 0,
                                        static_cast<tt::Index>(i));
    fmt::print("\n         = {}\n", vector_text(mixed));
  }

  fmt::print(
      "\n5. Heads concatenated, 6. output projection, 7. residual sum (done by the block)\n");
  const tt::Variable updated = x + s.output;
  for (tt::Index i = 0; i < 3; ++i) {
    const auto row = [&](const tt::Variable& y) {
      return vector_text(tt::select(tt::select(y.value(), 0, 0), 0, i));
    };
    fmt::print("  {}\n    context {}\n    output  {}\n    x + output {}\n",
               words[static_cast<std::size_t>(i)], row(s.context), row(s.output), row(updated));
  }

  // The fast path computes the same without ever holding the tables.
  const tt::Variable fast = attention.forward(x);
  const bool same = tt::all_close(fast.value(), s.output.value(), 1e-5, 1e-6);
  fmt::print("\nThe fused path gives the same output: {}\n", same);
  return same ? 0 : 1;
}
