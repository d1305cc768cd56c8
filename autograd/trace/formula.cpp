#include <algorithm>
#include <string_view>
#include <tensorette/autograd/trace/formula.hpp>
#include <utility>
#include <vector>

namespace tensorette {
namespace {

bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Bytes of the character of UTF-8 text that begins with `lead`.
std::size_t length_of(char lead) noexcept {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// ᵇ ⁻ ¹ ² ³ ˣ ᶜ ᵀ ᵢ ⱼ and their kind belong to the symbol that they follow.
bool is_attached(std::string_view character) {
  static constexpr std::string_view attached[] = {"ᵇ", "ˣ", "ᶜ", "ᵀ", "⁻", "¹", "²", "³", "ᵢ", "ⱼ"};
  return std::find(std::begin(attached), std::end(attached), character) != std::end(attached);
}

Shape transposed(Shape shape) {
  if (shape.rank() >= 2) std::swap(shape[shape.rank() - 2], shape[shape.rank() - 1]);
  return shape;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

class Annotator {
 public:
  Annotator(Op op, const FormulaShapes& shapes)
      : symbols_(words_of(info_of(op).operands)), shapes_(shapes) {}

  std::string operator()(std::string_view text) {
    std::string result;
    while (!text.empty()) {
      const std::size_t taken = is_letter(text[0]) ? symbol(text, result) : character(text, result);
      text.remove_prefix(taken);
    }
    return result;
  }

 private:
  std::size_t character(std::string_view text, std::string& result) {
    if (text[0] == ';') seen_.clear();
    const std::size_t length = length_of(text[0]);
    result += text.substr(0, length);
    return length;
  }

  // A run of letters with what is attached to it, and its shape if it has one.
  std::size_t symbol(std::string_view text, std::string& result) {
    std::size_t end = 0;
    while (end < text.size() && is_letter(text[end])) ++end;
    const std::string_view name = text.substr(0, end);
    bool is_transposed = false;
    while (end < text.size()) {
      const std::string_view next = text.substr(end, length_of(text[end]));
      if (!is_attached(next)) break;
      is_transposed = is_transposed || next == "ᵀ";
      end += next.size();
    }
    result += text.substr(0, end);
    // A hat makes another symbol of it.
    const bool has_hat = text.substr(end).starts_with("\u0302");
    const std::optional<Shape> shape = has_hat ? std::nullopt : shape_of(name);
    if (shape && std::find(seen_.begin(), seen_.end(), text.substr(0, end)) == seen_.end()) {
      seen_.push_back(text.substr(0, end));
      result += ' ';
      result += to_string(is_transposed ? transposed(*shape) : *shape);
    }
    return end;
  }

  [[nodiscard]] std::optional<Shape> shape_of(std::string_view name) const {
    if (name == "y" || name == "g") return shapes_.output;
    for (std::size_t i = 0; i < symbols_.size() && i < shapes_.inputs.size(); ++i) {
      const bool is_gradient = name.size() > 1 && name[0] == 'd' && name.substr(1) == symbols_[i];
      if (name == symbols_[i] || is_gradient) return shapes_.inputs[i];
    }
    return std::nullopt;
  }

  std::vector<std::string_view> symbols_;
  const FormulaShapes& shapes_;
  std::vector<std::string_view> seen_;
};

}  // namespace

std::string formula_with_shapes(Op op, const FormulaShapes& shapes) {
  return Annotator(op, shapes)(info_of(op).formula);
}

std::string vjp_with_shapes(Op op, const FormulaShapes& shapes) {
  return Annotator(op, shapes)(info_of(op).vjp);
}

}  // namespace tensorette
