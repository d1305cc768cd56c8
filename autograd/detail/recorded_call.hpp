// One call of a function with its graph: what every transformation of functional.hpp starts from.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tensorette/autograd/functional.hpp>
#include <vector>

namespace tensorette::detail {

/// A function called once, recorded, on inputs of its own: aliases of variables that require a
/// gradient, so that results stay connected to them, and new leaves for constants.
class RecordedCall {
 public:
  /// `operation` names the transformation in error messages.
  RecordedCall(std::string operation, const FunctionsOfMany& f, std::span<const Variable> inputs);

  [[nodiscard]] std::span<const Variable> inputs() const noexcept { return inputs_; }
  /// What the function gave, connected to this call. An output that is not floating, or undefined,
  /// has no derivatives.
  [[nodiscard]] std::span<const Variable> outputs() const noexcept { return outputs_; }
  /// The outputs as the caller gets them.
  [[nodiscard]] std::vector<Variable> values() const;

  /// One gradient per input, of Σ cotangent · output; undefined for inputs that are not floating.
  [[nodiscard]] std::vector<Variable> pull_back(std::span<const Variable> cotangents) const;

  /// The vjp as a linear function of cotangents of its own: what tangents are pushed through.
  struct Linear {
    std::vector<Variable> cotangents;  ///< leaves; undefined for outputs without derivatives
    std::vector<Variable> gradients;   ///< one per input; undefined if they depend on no cotangent
  };
  [[nodiscard]] Linear linearized() const;
  /// One tangent per output; undefined for outputs without derivatives.
  [[nodiscard]] std::vector<Variable> push_forward(const Linear& linear,
                                                   std::span<const Variable> tangents) const;

  /// Results are part of the caller's graph.
  [[nodiscard]] bool is_connected() const noexcept { return is_connected_; }

 private:
  [[nodiscard]] Variable settled(const Variable& result) const;
  [[nodiscard]] bool stays_connected(std::span<const Variable> arguments) const;
  void check(const char* what, const char* whose, std::span<const Variable> given,
             std::span<const Variable> like) const;

  std::string operation_;
  bool is_recording_;
  bool is_connected_ = false;
  std::uint64_t first_id_ = ~std::uint64_t{0};  // of the inputs' own nodes: the call begins here
  std::vector<Variable> inputs_;
  std::vector<Variable> outputs_;
};

/// True for variables that can have a derivative.
[[nodiscard]] bool is_differentiable(const Variable& variable) noexcept;

}  // namespace tensorette::detail
