// 04: attention step by step. "Hello world !" through one self-attention, every stage by name.
//
// Run     bin/04_attention_step_by_step [--html attention.html]
// Shows   MultiHeadSelfAttention::steps, tables of every stage with shapes, the residual sum, and
//         all of it as a page
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <tensorette/tensorette.hpp>
#include <vector>

#include "support/atomic_file.hpp"
#include "support/attention_walk.hpp"
#include "support/html.hpp"
#include "support/program.hpp"

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

// ---- The page
// -------------------------------------------------------------------------------------

namespace pictures = tt::pictures;

std::vector<double> numbers(const tt::Variable& x) {
  return x.value().to(tt::DType::f64).to_vector<double>();
}

pictures::WordVectors vectors_of(const char* caption, const std::vector<std::string>& sentence,
                                 const tt::Variable& x) {
  return {.caption = caption, .words = sentence, .values = numbers(x)};
}

// What each head makes of the sentence: [1, heads, tokens, head_dim].
std::vector<pictures::WordVectors> vectors_by_head(const std::string& caption,
                                                   const std::vector<std::string>& sentence,
                                                   const tt::Variable& x) {
  std::vector<pictures::WordVectors> list;
  for (tt::Index head = 0; head < x.size(1); ++head) {
    list.push_back(vectors_of(fmt::format("{}, head {}", caption, head + 1).c_str(), sentence,
                              tt::select(x, 1, head)));
  }
  return list;
}

// A table for each head: queries in rows, keys in columns.
std::vector<pictures::HeatMap> maps_of(const tt::Variable& scores,
                                       const std::vector<std::string>& sentence, bool is_share) {
  std::vector<pictures::HeatMap> list;
  for (tt::Index head = 0; head < scores.size(1); ++head) {
    pictures::HeatMap map{.title = fmt::format("head {}", head + 1),
                          .queries = sentence,
                          .keys = sentence,
                          .values = numbers(tt::select(scores, 1, head))};
    list.push_back(is_share ? map : pictures::scaled_to_values(map));
  }
  return list;
}

pictures::AttentionWalk walk_through(const std::string& title,
                                     const std::vector<std::string>& sentence,
                                     const tt::nn::MultiHeadSelfAttention& attention,
                                     const tt::Variable& x) {
  const tt::nn::AttentionSteps s = attention.steps(x);
  const auto shape = [](const tt::Variable& y, const char* meaning) {
    return fmt::format("{} = {}", tt::to_string(y.shape()), meaning);
  };
  const auto append = [](auto list, const auto& more) {
    list.insert(list.end(), more.begin(), more.end());
    return list;
  };
  const auto query_heads = vectors_by_head("queries", sentence, s.query_heads);
  return {
      .sentence = title,
      .stages = {
          {.name = "Queries, keys, values",
           .formula = "Q = x W_Q, K = x W_K, V = x W_V",
           .shape = shape(s.queries, "[batch, tokens, qkv_dim]"),
           .text = "Each word is a vector x. Three matrices make three vectors of it: what the "
                   "word looks for, what it offers, and what it passes on.",
           .vectors = {vectors_of("x", sentence, x), vectors_of("queries", sentence, s.queries),
                       vectors_of("keys", sentence, s.keys),
                       vectors_of("values", sentence, s.values)}},
          {.name = "Heads",
           .formula = "split into heads, heads in front",
           .shape = shape(s.query_heads, "[batch, heads, tokens, head_dim]"),
           .text = "Every head gets a part of each vector and works alone from here on. Nothing is "
                   "computed: the same numbers are looked at in another order.",
           .vectors = append(query_heads, vectors_by_head("keys", sentence, s.key_heads))},
          {.name = "Raw scores",
           .formula = "Q Kᵀ / √head_dim",
           .shape = shape(s.raw_scores, "[batch, heads, queries, keys]"),
           .text = "How well does what one word looks for fit what the other offers? The dot "
                   "product says it. The root keeps its spread at 1 however wide the head.",
           .maps = maps_of(s.raw_scores, sentence, false)},
          {.name = "Scores",
           .formula = "softmax of each row",
           .shape = shape(s.scores, "[batch, heads, queries, keys]"),
           .text = "Each row becomes shares that add up to 1: how much a word in the row takes "
                   "from each word in the columns.",
           .maps = maps_of(s.scores, sentence, true)},
          {.name = "Weights",
           .formula = "scores · V",
           .shape = shape(s.weights, "[batch, heads, tokens, head_dim]"),
           .text = "Each word mixes the values of all words by its shares.",
           .vectors = vectors_by_head("weights", sentence, s.weights)},
          {.name = "Context",
           .formula = "heads side by side",
           .shape = shape(s.context, "[batch, tokens, qkv_dim]"),
           .text = "What the heads found is put into one vector for each word again.",
           .vectors = {vectors_of("context", sentence, s.context)}},
          {.name = "Output",
           .formula = "context · Wᴼ",
           .shape = shape(s.output, "[batch, tokens, embedding_dim]"),
           .text = "A last matrix mixes what the heads found. The block around the attention adds "
                   "the result to x: the word's vector, now with what it learnt from the others.",
           .vectors = {vectors_of("output", sentence, s.output),
                       vectors_of("x + output", sentence, x + s.output)}}}};
}

void write_page(const std::string& path, const tt::nn::MultiHeadSelfAttention& attention,
                const tt::Variable& hello, tt::Generator& generator) {
  const std::vector<std::string> animal{"The",     "animal", "didn't", "cross", "the",  "street",
                                        "because", "it",     "was",    "too",   "tired"};
  const auto count = static_cast<tt::Index>(animal.size());
  const tt::Variable x = generator.normal({1, count, 6});
  const std::string body =
      "<main id=\"content\"><h1>Attention in seven stages</h1>\n<p class=\"lead\">One "
      "self-attention with two "
      "heads, not trained: every number is what the library computes for the words' vectors. "
      "Choose "
      "a stage.</p>\n" +
      pictures::attention_walk_html(walk_through("Hello world !", words, attention, hello),
                                    "hello") +
      pictures::attention_walk_html(
          walk_through("The animal didn't cross the street because it was too tired", animal,
                       attention, x),
          "animal") +
      "</main>\n";
  pictures::write_file_atomically(
      path, pictures::html_page({.title = "Attention in seven stages", .body = body}));
  fmt::print("The stages as a page: {}\n", path);
}

// Prints every stage; gives 0 if the fused path agrees with them, else 1.
int show(const std::string& page) {
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
  if (!page.empty()) write_page(page, attention, x, generator);
  return same ? 0 : 1;
}

}  // namespace

int main(int argument_count, char** arguments) {
  CLI::App app("Attention step by step");
  std::string page;
  app.add_option("--html", page, "Write the stages as a page into this file");
  try {
    app.parse(argument_count, arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return pictures::run_program("04_attention_step_by_step", [&page] { return show(page); });
}

// Output
//
//     Stages, with their shapes [batch, tokens, ...] and [batch, heads, tokens, ...]
//       x              [1, 3, 6]        token vectors
//       queries        [1, 3, 6]        x W_Q: what does each word look for?
//       keys           [1, 3, 6]        x W_K: what does each word offer?
//       values         [1, 3, 6]        x W_V: what does each word pass on?
//       query_heads    [1, 2, 3, 3]     split into heads, heads in front
//       key_heads      [1, 2, 3, 3]
//       value_heads    [1, 2, 3, 3]
//       dot_products   [1, 2, 3, 3]     queries · keysᵀ
//       raw_scores     [1, 2, 3, 3]     divided by √head_dim = √3
//       scores         [1, 2, 3, 3]     softmax of each row
//       weights        [1, 2, 3, 3]     scores · values
//       context        [1, 3, 6]        heads side by side
//       output         [1, 3, 6]        context · Wᴼ
//
//     1. Dot products: is what one looks for what the other offers?, head 1
//                       key(Hello)  key(world)      key(!)
//     query(Hello)           1.708       1.317      -1.366
//     query(world)          -0.916      -0.614       0.855
//     query(!)              -0.646      -0.370       0.568
//
//     2. Raw attention scores: divided by √3, head 1
//                       key(Hello)  key(world)      key(!)
//     query(Hello)           0.986       0.760      -0.789
//     query(world)          -0.529      -0.355       0.493
//     query(!)              -0.373      -0.213       0.328
//
//     3. Attention scores: softmax by row, each row adds up to 1, head 1
//                       key(Hello)  key(world)      key(!)
//     query(Hello)           0.508       0.406       0.086
//     query(world)           0.201       0.240       0.559
//     query(!)               0.239       0.280       0.481
//
//     3. Attention scores, head 2
//                       key(Hello)  key(world)      key(!)
//     query(Hello)           0.520       0.274       0.206
//     query(world)           0.388       0.317       0.295
//     query(!)               0.393       0.352       0.255
//
//     4. Mixing values, head 1: a row's scores times the values, added up
//       Hello  = 0.508 · value(Hello) + 0.406 · value(world) + 0.086 · value(!)
//              = [ -0.409  0.251  0.172 ]
//       world  = 0.201 · value(Hello) + 0.240 · value(world) + 0.559 · value(!)
//              = [ -0.698  0.670 -0.381 ]
//       !      = 0.239 · value(Hello) + 0.280 · value(world) + 0.481 · value(!)
//              = [ -0.661  0.596 -0.294 ]
//
//     5. Heads concatenated, 6. output projection, 7. residual sum (done by the block)
//       Hello
//         context [ -0.409  0.251  0.172  0.751  0.464 -0.632 ]
//         output  [ -0.582 -0.981 -0.627 -0.111 -0.533 -0.093 ]
//         x + output [ -0.981 -2.574  0.076 -0.308 -0.915 -0.333 ]
//       world
//         context [ -0.698  0.670 -0.381  0.512  0.339 -0.621 ]
//         output  [ -0.368 -1.136 -0.518  0.131 -0.359 -0.742 ]
//         x + output [ -0.032 -1.097 -0.184 -0.197 -1.453 -0.743 ]
//       !
//         context [ -0.661  0.596 -0.294  0.593  0.347 -0.604 ]
//         output  [ -0.413 -1.117 -0.547  0.105 -0.391 -0.652 ]
//         x + output [ -1.743  0.215 -0.241  0.198 -0.908 -0.273 ]
//
//     The fused path gives the same output: true
