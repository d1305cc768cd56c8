#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "attention_summary.hpp"
#include "commands.hpp"
#include "demo_report.hpp"
#include "saved_model.hpp"
#include "support/atomic_file.hpp"
#include "support/attention_arcs.hpp"
#include "support/attention_grid.hpp"
#include "support/heat_map_text.hpp"
#include "support/html.hpp"

namespace tensorette::translation {
namespace {

// A range of layers or heads; `said` counts from 1.
struct Chosen {
  std::size_t first;
  std::size_t last;
};

Chosen chosen(const std::optional<Index>& said, std::size_t count, const char* what) {
  if (!said) return {0, count};
  if (*said < 1 || *said > static_cast<Index>(count)) {
    throw Error(fmt::format("there is no {} {}: the model has {}", what, *said, count));
  }
  return {static_cast<std::size_t>(*said) - 1, static_cast<std::size_t>(*said)};
}

// The strongest score that `query` gives to another word in the head.
double strongest_score(const pictures::AttentionScores& a, std::size_t layer, std::size_t head,
                       std::size_t query) {
  const std::size_t keys = a.keys.size();
  double strongest = 0;
  for (std::size_t key = 0; key < keys; ++key) {
    if (key == query) continue;
    const std::size_t row = (layer * a.heads + head) * a.queries.size() + query;
    strongest = std::max(strongest, a.scores[row * keys + key]);
  }
  return strongest;
}

void draw_word(const AttentionCommand& command, const SentencePicture& picture, Chosen heads) {
  const pictures::AttentionScores& encoder = picture.encoder;
  const auto& words = encoder.queries;
  const auto found = std::find(words.begin(), words.end(), command.word);
  if (found == words.end()) {
    throw Error(
        fmt::format("\"{}\" is no word of the sentence: {}", command.word, fmt::join(words, " ")));
  }
  const auto query = static_cast<std::size_t>(found - words.begin());
  const Chosen layers = chosen(command.layer, encoder.layers, "layer");
  const std::size_t layer = layers.last - 1;
  std::size_t head = heads.first;
  for (std::size_t other = heads.first; other < heads.last; ++other) {
    if (strongest_score(encoder, layer, other, query) >
        strongest_score(encoder, layer, head, query)) {
      head = other;
    }
  }
  pictures::write_file_atomically(
      command.svg,
      pictures::attention_arcs_svg({.caption = fmt::format("Where “{}” looks: layer {}, head {}",
                                                           command.word, layer + 1, head + 1),
                                    .attention = encoder,
                                    .query = query,
                                    .layer = layer,
                                    .head = head}));
  fmt::print("written: {}\n", command.svg);
}

void write_page(const AttentionCommand& command, const SentencePicture& picture, std::size_t layer,
                std::size_t head) {
  const pictures::HeatMap rollout = rollout_map(picture.encoder);
  std::string body =
      pictures::attention_grid_html(picture.encoder, "encoder", {.layer = layer, .head = head});
  body += fmt::format("<pre>{}</pre>\n", entropy_table(picture.encoder));
  body += fmt::format("<h2>{}</h2>\n<div class=\"scroll\">{}</div>\n", rollout.title,
                      heat_map_svg(rollout, {.placement = pictures::Placement::in_page}));
  body += pictures::attention_grid_html(picture.decoder, "decoder");
  body += pictures::attention_grid_html(picture.cross, "cross");
  pictures::write_file_atomically(command.html,
                                  pictures::html_page({.title = command.line, .body = body}));
  fmt::print("written: {}\n", command.html);
}

void draw_all_heads(const AttentionCommand& command, const SentencePicture& picture) {
  pictures::write_file_atomically(command.grid, pictures::attention_grid_svg(picture.encoder));
  fmt::print("written: {}\n", command.grid);
}

void print_heads(const pictures::AttentionScores& encoder, Chosen layers, Chosen heads) {
  const pictures::Terminal terminal = pictures::detect_terminal(STDOUT_FILENO);
  for (std::size_t layer = layers.first; layer < layers.last; ++layer) {
    for (std::size_t head = heads.first; head < heads.last; ++head) {
      fmt::print("{}\n",
                 pictures::heat_map_text(pictures::head_map(encoder, layer, head), terminal));
    }
  }
  fmt::print("{}\n", entropy_table(encoder));
}

void print_rollout(const pictures::AttentionScores& encoder) {
  fmt::print("{}\n", pictures::heat_map_text(rollout_map(encoder),
                                             pictures::detect_terminal(STDOUT_FILENO)));
}

}  // namespace

int attention(const AttentionCommand& command) {
  const Translator translator = command.untrained ? load_untrained_translator(command.checkpoint)
                                                  : load_translator(command.checkpoint);
  const SentencePicture picture = picture_of(translator, command.line);
  if (const std::string unknown = translator.unknown_tokens(translator.source_tokens(command.line));
      !unknown.empty()) {
    fmt::print(stderr, "the model does not know: {}\n", unknown);
  }
  const Chosen layers = chosen(command.layer, picture.encoder.layers, "layer");
  const Chosen heads = chosen(command.head, picture.encoder.heads, "head");
  if (!command.svg.empty()) {
    draw_word(command, picture, heads);
  } else if (!command.grid.empty()) {
    draw_all_heads(command, picture);
  } else if (!command.html.empty()) {
    write_page(command, picture, layers.first, heads.first);
  } else {
    if (command.rollout) {
      print_rollout(picture.encoder);
    } else {
      print_heads(picture.encoder, layers, heads);
    }
    fmt::print("→ {}\n", picture.translation.text);
  }
  return 0;
}

}  // namespace tensorette::translation
