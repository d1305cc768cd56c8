// Numbers of one tensor as words of one width, by the rules of NumPy's array formatting.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tensorette::detail {

/// A finite number taken apart: "-12", "5" and, in powers of ten, "+08".
struct NumberParts {
  std::string integer;
  std::string fraction;
  std::string exponent;  ///< sign and digits; empty in decimals
};

enum class Notation : bool { decimal, scientific };

/// The shortest digits that read back as `value`, or, where that takes more than `precision` digits
/// after the point, the value rounded to so many, ties to even, without trailing zeros.
template <class T>
[[nodiscard]] NumberParts number_parts(T value, Notation notation, int precision);

/// The value with exactly `precision` digits after the point, ties to even.
template <class T>
[[nodiscard]] NumberParts rounded_parts(T value, Notation notation, int precision);

/// Words for a tensor's elements, made to fit those that will be shown.
template <class T>
class FloatingFormat {
 public:
  FloatingFormat(const std::vector<T>& shown, int precision);
  [[nodiscard]] std::string operator()(T value) const;

 private:
  void fit(const std::vector<T>& finite);
  [[nodiscard]] std::string finite_word(T value) const;

  Notation notation_ = Notation::decimal;
  int precision_;
  std::size_t left_ = 0;             // characters before the point
  std::size_t right_ = 0;            // and behind it
  std::size_t exponent_digits_ = 0;  // of these
};

class IntegerFormat {
 public:
  explicit IntegerFormat(const std::vector<std::int64_t>& shown);
  [[nodiscard]] std::string operator()(std::int64_t value) const;

 private:
  std::size_t width_ = 0;
};

[[nodiscard]] std::string pad_left(std::string text, std::size_t width, char filler = ' ');

}  // namespace tensorette::detail
