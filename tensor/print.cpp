#include <algorithm>
#include <array>
#include <ostream>
#include <string_view>
#include <tensorette/tensor/detail/number_format.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/print.hpp>
#include <type_traits>

namespace tensorette {
namespace {

constexpr std::string_view separator = ", ";
constexpr std::string_view omission = "...";

// Lays words out in nested brackets. `word` gives the element at the index in `place`.
template <class Word>
class Layout {
 public:
  Layout(const Shape& shape, const PrintOptions& options, bool is_shortened, const Word& word)
      : shape_(shape), options_(options), is_shortened_(is_shortened), word_(word) {}

  std::string text() { return axis_text(0, " ", static_cast<std::size_t>(options_.line_width)); }

 private:
  // Sets place_ to each index of the axis that is shown and calls show(true), or show(false) where
  // some are left out.
  template <class Show>
  void for_each_shown(int axis, const Show& show) {
    const Index size = shape_[axis];
    const bool has_omission = is_shortened_ && size > 2 * options_.edge_items;
    for (Index i = 0; i < size; ++i) {
      if (has_omission && i == options_.edge_items) {
        show(false);
        i = size - options_.edge_items;
      }
      place_[static_cast<std::size_t>(axis)] = i;
      show(true);
    }
  }

  std::string axis_text(int axis, const std::string& indent, std::size_t width) {
    const int axes_left = shape_.rank() - axis;
    if (axes_left == 0) return word_(index());
    const std::string text =
        axes_left == 1 ? row_text(axis, indent, width) : rows_text(axis, indent, width);
    return '[' + text.substr(indent.size()) + ']';
  }

  // The last axis: words side by side, on a new line where the width is used up.
  std::string row_text(int axis, const std::string& indent, std::size_t width) {
    const std::size_t usable = width > 1 ? width - 1 : 0;  // a comma or bracket follows
    std::string text;
    std::string line = indent;
    bool is_first = true;
    for_each_shown(axis, [&](bool is_element) {
      if (!is_first) line += separator;
      is_first = false;
      const std::string word = is_element ? word_(index()) : std::string(omission);
      // A line that holds no word yet would not become shorter.
      if (line.size() + word.size() > usable && line.size() > indent.size()) {
        text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
        line = indent;
      }
      line += word;
    });
    return text + line;
  }

  // An axis before the last: one block under the other, empty lines between blocks of blocks.
  std::string rows_text(int axis, const std::string& indent, std::size_t width) {
    const std::string between =
        ',' + std::string(static_cast<std::size_t>(shape_.rank() - axis - 1), '\n');
    std::string text;
    for_each_shown(axis, [&](bool is_element) {
      if (!text.empty()) text += between;
      text += indent;
      text += is_element ? axis_text(axis + 1, indent + ' ', width > 0 ? width - 1 : 0)
                         : std::string(omission);
    });
    return text;
  }

  [[nodiscard]] std::span<const Index> index() const noexcept {
    return {place_.data(), static_cast<std::size_t>(shape_.rank())};
  }

  const Shape& shape_;
  const PrintOptions& options_;
  bool is_shortened_;
  const Word& word_;
  std::array<Index, max_rank> place_{};
};

// The elements that a layout shows, to choose width and notation from.
template <class T>
std::vector<T> shown_elements(const Tensor& tensor, const PrintOptions& options,
                              bool is_shortened) {
  std::vector<T> shown;
  const auto keep = [&](std::span<const Index> index) {
    shown.push_back(tensor.at<T>(index));
    return std::string();
  };
  (void)Layout(tensor.shape(), options, is_shortened, keep).text();
  return shown;
}

template <class T>
auto format_for(const Tensor& tensor, const PrintOptions& options, bool is_shortened) {
  if constexpr (std::is_same_v<T, bool>) {
    return [width = tensor.rank() > 0 ? std::size_t{5} : std::size_t{0}](bool value) {
      return detail::pad_left(value ? "True" : "False", width);
    };
  } else {
    const std::vector<T> shown = shown_elements<T>(tensor, options, is_shortened);
    if constexpr (std::is_same_v<T, Index>)
      return detail::IntegerFormat(shown);
    else
      return detail::FloatingFormat<T>(shown, options.precision);
  }
}

}  // namespace

std::string to_string(const Tensor& tensor, const PrintOptions& options) {
  detail::require<Error>(options.precision >= 0 && options.threshold >= 0 &&
                             options.edge_items >= 1 && options.line_width >= 0,
                         "to_string: needs edge_items of at least 1 and other options of at least "
                         "0, got precision {}, threshold {}, edge_items {}, line_width {}",
                         options.precision, options.threshold, options.edge_items,
                         options.line_width);
  if (!tensor.is_defined()) return "undefined tensor";
  if (tensor.element_count() == 0) return "[], shape " + to_string(tensor.shape());
  const bool is_shortened = tensor.element_count() > options.threshold;
  return kernels::dispatch_any(tensor.dtype(), [&]<class T>(kernels::TypeTag<T>) {
    const auto format = format_for<T>(tensor, options, is_shortened);
    const auto word = [&](std::span<const Index> index) { return format(tensor.at<T>(index)); };
    return Layout(tensor.shape(), options, is_shortened, word).text();
  });
}

std::ostream& operator<<(std::ostream& stream, const Shape& shape) {
  return stream << to_string(shape);
}

std::ostream& operator<<(std::ostream& stream, DType dtype) {
  return stream << name_of(dtype);
}

std::ostream& operator<<(std::ostream& stream, const Tensor& tensor) {
  return stream << to_string(tensor);
}

}  // namespace tensorette
