// Prints the picture of one of the eleven steps in docs/attention.md, with the page's own numbers:
// attention_step_pictures 5 > docs/images/attention-step-5.svg
#include <array>
#include <iostream>
#include <string>
#include <support/matrix_equation.hpp>
#include <tensorette/tensorette.hpp>
#include <vector>

namespace tt = tensorette;
using tt::pictures::MatrixEquation;
using tt::pictures::MatrixTerm;

namespace {

using Line = std::vector<MatrixTerm>;

const std::vector<std::string> words = {"Hello", "world", "!"};

struct Page {
  tt::Generator generator{7};
  tt::nn::MultiHeadSelfAttention attention{{.embedding_dim = 4, .heads = 2}, generator};
  tt::Tensor x = generator.normal({1, 3, 4});
  tt::nn::AttentionSteps steps = attention.steps(x);
};

// A matrix whose rows are the words of the sentence, or nameless ones.
MatrixTerm term(const std::string& operation, const std::string& name, const tt::Tensor& matrix,
                std::vector<std::string> rows = words) {
  const tt::Tensor numbers = matrix.to(tt::DType::f64);
  return {
      .operation = operation,
      .name = name,
      .shape = "[" + std::to_string(matrix.size(0)) + ", " + std::to_string(matrix.size(1)) + "]",
      .rows = std::move(rows),
      .values = numbers.to_vector<double>()};
}

MatrixTerm weight(const std::string& operation, const std::string& name, const tt::Tensor& matrix) {
  return term(operation, name, matrix, std::vector<std::string>(std::size_t(matrix.size(0))));
}

// The only sentence of a batch; and one of its heads.
tt::Tensor sentence(const tt::Variable& batch) {
  return tt::select(batch.value(), 0, 0);
}
tt::Tensor head(const tt::Variable& batch, tt::Index number) {
  return tt::select(sentence(batch), 0, number);
}

std::string of_head(const std::string& name, tt::Index number) {
  return name + ", head " + std::to_string(number + 1);
}

// [3, 4] read as three tokens, two heads, two numbers.
MatrixTerm in_pieces(const std::string& operation, const std::string& name,
                     const tt::Tensor& matrix) {
  MatrixTerm result = term(operation, name, matrix);
  result.shape = "[3, 2, 2]";
  result.pieces = 2;
  return result;
}

MatrixEquation input(const Page& page) {
  return {"1. A row of numbers for each token", {{term("", "x", sentence(page.x))}}};
}

MatrixEquation projections(const Page& page) {
  MatrixEquation equation{"2. Query, key and value of each token", {}};
  const std::array<std::string, 3> names = {"queries", "keys", "values"};
  const std::array<std::string, 3> weights = {"W_Q", "W_K", "W_V"};
  const std::array<tt::Variable, 3> results = {page.steps.queries, page.steps.keys,
                                               page.steps.values};
  for (tt::Index i = 0; i < 3; ++i) {
    const auto place = static_cast<std::size_t>(i);
    const tt::Tensor block = tt::narrow(page.attention.qkv_projection.weight.value(), 0, 4 * i, 4);
    equation.lines.push_back({term("", "x", sentence(page.x)),
                              weight("·", weights[place], tt::transpose(block, 0, 1)),
                              term("=", names[place], sentence(results[place]))});
  }
  return equation;
}

MatrixEquation pieces(const Page& page) {
  const tt::Tensor queries = sentence(page.steps.queries);
  return {"3. A piece of every row for each head",
          {{term("", "queries", queries), in_pieces("→", "queries in pieces", queries)}}};
}

MatrixEquation heads_in_front(const Page& page) {
  const tt::Variable& heads = page.steps.query_heads;
  return {"4. The pieces of one head make a matrix",
          {{in_pieces("", "queries in pieces", sentence(page.steps.queries)),
            term("→", of_head("queries", 0), head(heads, 0)),
            term("", of_head("queries", 1), head(heads, 1))}}};
}

// One line for each head.
template <class LineOfHead>
MatrixEquation by_head(const std::string& title, LineOfHead line_of_head) {
  return {title, {line_of_head(0), line_of_head(1)}};
}

MatrixTerm table(const std::string& operation, const std::string& name, const tt::Tensor& matrix) {
  MatrixTerm result = term(operation, name, matrix);
  result.columns = words;
  return result;
}

MatrixEquation dot_products(const Page& page) {
  const tt::nn::AttentionSteps& steps = page.steps;
  return by_head("5. Every query meets every key", [&](tt::Index h) {
    MatrixTerm keys =
        weight("·", of_head("keysᵀ", h), tt::transpose(head(steps.key_heads, h), 0, 1));
    keys.columns = words;
    return Line{term("", of_head("queries", h), head(steps.query_heads, h)), keys,
                table("=", "dot products", head(steps.dot_products, h))};
  });
}

MatrixEquation scores(const Page& page) {
  const tt::nn::AttentionSteps& steps = page.steps;
  return by_head("6. Divided by √2, then softmax of each row", [&](tt::Index h) {
    return Line{table("", of_head("dot products", h), head(steps.dot_products, h)),
                table("÷ √2 =", "raw attention scores", head(steps.raw_scores, h)),
                table("softmax", "attention scores", head(steps.scores, h))};
  });
}

MatrixEquation mixing(const Page& page) {
  const tt::nn::AttentionSteps& steps = page.steps;
  return by_head("7. The values, mixed as the scores say", [&](tt::Index h) {
    return Line{table("", of_head("attention scores", h), head(steps.scores, h)),
                term("·", of_head("values", h), head(steps.value_heads, h)),
                term("=", "attention weights", head(steps.weights, h))};
  });
}

MatrixEquation tokens_in_front(const Page& page) {
  const tt::Variable& heads = page.steps.weights;
  return {"8. Back to a row for each token",
          {{term("", of_head("weights", 0), head(heads, 0)),
            term("", of_head("weights", 1), head(heads, 1)),
            in_pieces("→", "weights in pieces", sentence(page.steps.context))}}};
}

MatrixEquation side_by_side(const Page& page) {
  const tt::Tensor context = sentence(page.steps.context);
  return {"9. The heads side by side",
          {{in_pieces("", "weights in pieces", context), term("→", "context", context)}}};
}

MatrixEquation output_projection(const Page& page) {
  const tt::Tensor output_weight = page.attention.output_projection.weight.value();
  return {"10. The heads learn of each other",
          {{term("", "context", sentence(page.steps.context)),
            weight("·", "W_O", tt::transpose(output_weight, 0, 1)),
            term("=", "output", sentence(page.steps.output))}}};
}

MatrixEquation result(const Page& page) {
  return {"11. Beside the old vectors: what a block does with the result",
          {{term("", "x", sentence(page.x)), term("+", "output", sentence(page.steps.output)),
            term("=", "sum", sentence(tt::Variable(page.x) + page.steps.output))}}};
}

using Picture = MatrixEquation (*)(const Page&);
constexpr std::array<Picture, 11> pictures = {
    input,  projections,     pieces,       heads_in_front,    dot_products, scores,
    mixing, tokens_in_front, side_by_side, output_projection, result};

}  // namespace

int main(int argc, char** argv) {
  const std::size_t step = argc == 2 ? std::stoul(argv[1]) : 0;
  if (step < 1 || step > pictures.size()) {
    std::cerr << "attention_step_pictures: expected a step from 1 to " << pictures.size() << "\n";
    return 2;
  }
  std::cout << tt::pictures::matrix_equation_svg(pictures[step - 1](Page()));
}
