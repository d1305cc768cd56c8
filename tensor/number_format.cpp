#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <tensorette/tensor/detail/number_format.hpp>

namespace tensorette::detail {
namespace {

// Splits "-1.25e+08".
NumberParts split(std::string_view text) {
  NumberParts parts;
  if (const std::size_t e = text.find('e'); e != std::string_view::npos) {
    parts.exponent = text.substr(e + 1);
    text = text.substr(0, e);
  }
  const std::size_t point = std::min(text.find('.'), text.size());
  parts.integer = text.substr(0, point);
  if (point < text.size()) parts.fraction = text.substr(point + 1);
  return parts;
}

std::chars_format chars_format_of(Notation notation) noexcept {
  return notation == Notation::decimal ? std::chars_format::fixed : std::chars_format::scientific;
}

constexpr std::size_t longest_integer = 330;  // characters: 309 digits and a sign fit

}  // namespace

template <class T>
NumberParts rounded_parts(T value, Notation notation, int precision) {
  std::string text(static_cast<std::size_t>(precision) + longest_integer, '\0');
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 chars_format_of(notation), precision)
                       .ptr;
  return split(std::string_view(text.data(), end));
}

std::string pad_left(std::string text, std::size_t width, char filler) {
  if (text.size() < width) text.insert(0, width - text.size(), filler);
  return text;
}

template <class T>
NumberParts number_parts(T value, Notation notation, int precision) {
  std::array<char, 2 * longest_integer> text;  // the smallest numbers have as many digits behind
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, chars_format_of(notation)).ptr;
  NumberParts parts = split(std::string_view(text.data(), end));
  if (parts.fraction.size() > static_cast<std::size_t>(precision)) {
    parts = rounded_parts(value, notation, precision);
    parts.fraction.erase(parts.fraction.find_last_not_of('0') + 1);
  }
  return parts;
}

template <class T>
FloatingFormat<T>::FloatingFormat(const std::vector<T>& shown, int precision)
    : precision_(precision) {
  std::vector<T> finite;
  std::copy_if(shown.begin(), shown.end(), std::back_inserter(finite),
               [](T x) { return std::isfinite(x); });
  fit(finite);
  if (finite.size() < shown.size()) {
    const bool has_minus_infinity =
        std::any_of(shown.begin(), shown.end(), [](T x) { return x < 0 && std::isinf(x); });
    const std::size_t widest = has_minus_infinity ? 4 : 3;  // "-inf", "nan"
    const std::size_t point_and_behind = right_ + 1;
    if (widest > point_and_behind) left_ = std::max(left_, widest - point_and_behind);
  }
}

template <class T>
void FloatingFormat<T>::fit(const std::vector<T>& finite) {
  T largest = 0;
  T smallest = std::numeric_limits<T>::infinity();
  for (const T value : finite) {
    if (value == 0) continue;
    largest = std::max(largest, std::abs(value));
    smallest = std::min(smallest, std::abs(value));
  }
  if (largest > 0 && (largest >= T(1e8) || smallest < T(1e-4) || largest / smallest > T(1000)))
    notation_ = Notation::scientific;

  std::size_t fraction_digits = 0;
  for (const T value : finite) {
    const NumberParts parts = number_parts(value, notation_, precision_);
    left_ = std::max(left_, parts.integer.size());
    fraction_digits = std::max(fraction_digits, parts.fraction.size());
    if (!parts.exponent.empty())
      exponent_digits_ = std::max(exponent_digits_, parts.exponent.size() - 1);
  }
  right_ = fraction_digits;
  if (notation_ == Notation::scientific) {
    precision_ = static_cast<int>(fraction_digits);
    right_ += exponent_digits_ + 2;  // "e" and the sign
  }
}

template <class T>
std::string FloatingFormat<T>::operator()(T value) const {
  if (std::isfinite(value)) return finite_word(value);
  const char* name = std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  return pad_left(name, left_ + 1 + right_);
}

template <class T>
std::string FloatingFormat<T>::finite_word(T value) const {
  if (notation_ == Notation::decimal) {
    NumberParts parts = number_parts(value, notation_, precision_);
    parts.fraction.resize(right_, ' ');
    return pad_left(parts.integer, left_) + '.' + parts.fraction;
  }
  const NumberParts parts = rounded_parts(value, notation_, precision_);
  return pad_left(parts.integer, left_) + '.' + parts.fraction + 'e' + parts.exponent[0] +
         pad_left(parts.exponent.substr(1), exponent_digits_, '0');
}

IntegerFormat::IntegerFormat(const std::vector<std::int64_t>& shown) {
  for (const std::int64_t value : shown) width_ = std::max(width_, std::to_string(value).size());
}

std::string IntegerFormat::operator()(std::int64_t value) const {
  return pad_left(std::to_string(value), width_);
}

template NumberParts number_parts(float, Notation, int);
template NumberParts number_parts(double, Notation, int);
template NumberParts rounded_parts(float, Notation, int);
template NumberParts rounded_parts(double, Notation, int);
template class FloatingFormat<float>;
template class FloatingFormat<double>;

}  // namespace tensorette::detail
