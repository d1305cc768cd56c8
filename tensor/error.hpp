/// \file
/// The one family of exceptions. Each text says what was asked, what was got, and both shapes or
/// values, e.g. `matmul: inner sizes differ: [2, 3] · [4, 5] (3 vs 4)`.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace tensorette {

/// Root of every error this library throws; thrown itself for values out of their domain
/// (a dropout probability of 1.1, a heads count that does not divide, ...).
class Error : public std::runtime_error {
 public:
  explicit Error(std::string text) : std::runtime_error(text), text_(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

  /// Appends where it happened, e.g. the path of a module; a later call replaces the place.
  void set_place(const std::string& place) {
    if (length_without_place_ == 0) length_without_place_ = text_.size();
    text_.resize(length_without_place_);
    text_ += "\n  in " + place;
  }
  /// The innermost object that the error left on its way out, for finding its path.
  [[nodiscard]] const void* origin() const noexcept { return origin_; }
  void set_origin(const void* origin) noexcept { origin_ = origin; }

 private:
  std::string text_;
  std::size_t length_without_place_ = 0;
  const void* origin_ = nullptr;
};

/// Shapes, sizes or axes that do not fit.
class ShapeError : public Error {
 public:
  using Error::Error;
};

/// A dtype that the operation does not take, or a mix of dtypes.
class DTypeError : public Error {
 public:
  using Error::Error;
};

/// An index or id outside its range.
class IndexError : public Error {
 public:
  using Error::Error;
};

/// Misuse of the autograd graph: released twice, changed after saving, no gradient defined.
class GraphError : public Error {
 public:
  using Error::Error;
};

/// A file or text that is missing, damaged or foreign.
class FormatError : public Error {
 public:
  using Error::Error;
};

}  // namespace tensorette
