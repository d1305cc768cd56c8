/// \file
/// What all optimisers share: groups of parameters, steps, state.
/// Before: loss.hpp. Next: sgd.hpp, adam.hpp, clipping.hpp, schedule.hpp.
#pragma once

#include <map>
#include <span>
#include <string>
#include <tensorette/autograd/variable.hpp>
#include <tensorette/nn/module.hpp>
#include <vector>

namespace tensorette::optim {

/// Parameters that are updated alike.
struct ParameterGroup {
  std::vector<Variable> parameters{};
  double learning_rate_factor = 1.0;  ///< times the optimiser's learning rate
  double weight_decay = 0.0;          ///< of this group
};

/// Two groups: matrices with `weight_decay`; biases and norm gains (all parameters with fewer
/// than two axes) without. Embeddings are matrices.
[[nodiscard]] std::vector<ParameterGroup> decay_groups(const nn::Module& module,
                                                       double weight_decay);

/// Base of optimisers. Parameters without a gradient are left as they are: neither decayed nor
/// moved. A parameter that stands twice (tied) is updated once.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Updates the parameters from their gradients.
  void step();
  /// Forgets all gradients.
  void zero_grad() const;

  [[nodiscard]] double learning_rate() const noexcept { return learning_rate_; }
  /// \throws Error unless finite and not negative
  void set_learning_rate(double rate);
  /// Number of steps taken.
  [[nodiscard]] Index steps() const noexcept { return steps_; }

  [[nodiscard]] const std::vector<ParameterGroup>& groups() const noexcept { return groups_; }
  /// All parameters, each once.
  [[nodiscard]] std::vector<Variable> parameters() const;

  /// Everything that a continued run needs: "steps", "learning_rate" and the moments of parameter
  /// i under "<name>.i". The moments are those in use, which change with the next step: clone()
  /// what is to be kept.
  [[nodiscard]] std::map<std::string, Tensor> state_dict() const;
  /// \throws FormatError if it is of another optimiser or other shapes; nothing has changed then
  void load_state_dict(const std::map<std::string, Tensor>& state);

 protected:
  /// \throws Error for an empty list or a constant among the parameters
  Optimizer(std::vector<ParameterGroup> groups, double learning_rate,
            std::vector<std::string> moment_names);

  /// The update of one parameter.
  virtual void update(Tensor& value, const Tensor& gradient, double learning_rate,
                      double weight_decay, std::span<Tensor> moments) = 0;
  /// Whether update() may be called for several parameters at the same time. It must not throw then
  /// for the parameters and gradients of a step.
  [[nodiscard]] virtual bool updates_in_parallel() const noexcept { return false; }

 private:
  /// An update that is due.
  struct Due {
    Tensor* value;
    Tensor gradient;  ///< contiguous
    double learning_rate;
    double weight_decay;
    std::span<Tensor> moments;
    Index begin;  ///< number of elements in the updates before this one
  };

  void collect_due();
  void update(const Due& due);

  std::vector<ParameterGroup> groups_;
  double learning_rate_;
  Index steps_ = 0;
  std::vector<std::string> moment_names_;
  std::vector<std::vector<Tensor>> moments_;  ///< [parameter][moment]; undefined before the first
  std::vector<Due> due_;                      ///< within a step only; kept for its memory
};

}  // namespace tensorette::optim
