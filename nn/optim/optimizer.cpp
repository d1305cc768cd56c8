#include <algorithm>
#include <cmath>
#include <tensorette/nn/optim/optimizer.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/kernels/parallel.hpp>
#include <unordered_set>

namespace tensorette::optim {
namespace {

using detail::require;

void check_learning_rate(double rate) {
  require<Error>(std::isfinite(rate) && rate >= 0,
                 "optimizer: the learning rate must be finite and not negative, got {}", rate);
}

}  // namespace

std::vector<ParameterGroup> decay_groups(const nn::Module& module, double weight_decay) {
  ParameterGroup decayed{.weight_decay = weight_decay};
  ParameterGroup spared{};
  for (const Variable& parameter : module.parameters()) {
    (parameter.rank() >= 2 ? decayed : spared).parameters.push_back(parameter);
  }
  std::vector<ParameterGroup> groups;
  for (ParameterGroup* group : {&decayed, &spared}) {
    if (!group->parameters.empty()) groups.push_back(std::move(*group));
  }
  return groups;
}

Optimizer::Optimizer(std::vector<ParameterGroup> groups, double learning_rate,
                     std::vector<std::string> moment_names)
    : groups_(std::move(groups)),
      learning_rate_(learning_rate),
      moment_names_(std::move(moment_names)) {
  check_learning_rate(learning_rate);
  std::unordered_set<const Node*> seen;
  for (ParameterGroup& group : groups_) {
    require<Error>(group.weight_decay >= 0, "optimizer: the weight decay is negative: {}",
                   group.weight_decay);
    for (const Variable& parameter : group.parameters) {
      require<GraphError>(parameter.requires_grad() && parameter.is_leaf(),
                          "optimizer: a tensor of shape {} is not a parameter", parameter.shape());
    }
    std::erase_if(group.parameters, [&](const Variable& parameter) {
      return !seen.insert(parameter.node().get()).second;
    });
  }
  require<Error>(!seen.empty(), "optimizer: got no parameters");
  moments_.resize(seen.size());
}

void Optimizer::set_learning_rate(double rate) {
  check_learning_rate(rate);
  learning_rate_ = rate;
}

std::vector<Variable> Optimizer::parameters() const {
  std::vector<Variable> list;
  for (const ParameterGroup& group : groups_) {
    list.insert(list.end(), group.parameters.begin(), group.parameters.end());
  }
  return list;
}

void Optimizer::zero_grad() const {
  for (const ParameterGroup& group : groups_) {
    for (const Variable& parameter : group.parameters) parameter.zero_grad();
  }
}

void Optimizer::step() {
  ++steps_;
  due_.clear();
  collect_due();
  if (due_.empty()) return;
  // Shared out by elements: a part updates the parameters that begin within it. A large parameter
  // is worth all threads by itself.
  const Index total = due_.back().begin + due_.back().value->element_count();
  const auto is_large = [](const Due& due) {
    return due.value->element_count() > 4 * kernels::elements_per_thread;
  };
  const bool in_parallel = updates_in_parallel();
  for (const Due& due : due_) {
    if (!in_parallel || is_large(due)) update(due);
  }
  if (in_parallel) {
    kernels::parallel_for(total, kernels::elements_per_thread, [&](Index begin, Index end) {
      const auto by_begin = [](const Due& due, Index place) { return due.begin < place; };
      auto due = std::lower_bound(due_.begin(), due_.end(), begin, by_begin);
      for (; due != due_.end() && due->begin < end; ++due) {
        if (!is_large(*due)) update(*due);
      }
    });
  }
  due_.clear();
}

// The updates of this step, each with its moments in place.
void Optimizer::collect_due() {
  std::size_t index = 0;
  Index begin = 0;
  for (ParameterGroup& group : groups_) {
    const double rate = learning_rate_ * group.learning_rate_factor;
    for (Variable& parameter : group.parameters) {
      std::vector<Tensor>& moments = moments_[index++];
      const Variable gradient = parameter.grad();
      if (!gradient.is_defined()) continue;
      if (moments.empty()) {
        for (std::size_t i = 0; i < moment_names_.size(); ++i) {
          moments.push_back(zeros(parameter.shape(), parameter.dtype()));
        }
      }
      // Moments count their own steps where a parameter begins to get gradients late; the
      // published methods count steps of the whole, and so does this.
      due_.push_back({&parameter.mutable_value(), gradient.value().contiguous(), rate,
                      group.weight_decay, moments, begin});
      begin += parameter.element_count();
    }
  }
}

void Optimizer::update(const Due& due) {
  update(*due.value, due.gradient, due.learning_rate, due.weight_decay, due.moments);
}

std::map<std::string, Tensor> Optimizer::state_dict() const {
  std::map<std::string, Tensor> state;
  state.emplace("steps", scalar(steps_, DType::i64));
  state.emplace("learning_rate", scalar(learning_rate_, DType::f64));
  for (std::size_t i = 0; i < moments_.size(); ++i) {
    for (std::size_t k = 0; k < moments_[i].size(); ++k) {
      state.emplace(fmt::format("{}.{}", moment_names_[k], i), moments_[i][k]);
    }
  }
  return state;
}

void Optimizer::load_state_dict(const std::map<std::string, Tensor>& state) {
  const auto number = [&](const std::string& name, DType dtype) -> const Tensor& {
    const auto found = state.find(name);
    require<FormatError>(found != state.end() && found->second.dtype() == dtype &&
                             found->second.element_count() == 1,
                         "optimizer: the state has no number \"{}\"", name);
    return found->second;
  };
  const Index steps = number("steps", DType::i64).item<Index>();
  const double rate = number("learning_rate", DType::f64).item<double>();
  const std::vector<Variable> list = parameters();
  std::vector<std::vector<Tensor>> moments(list.size());
  std::size_t used = 2;
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (const std::string& name : moment_names_) {
      const auto found = state.find(fmt::format("{}.{}", name, i));
      if (found == state.end()) continue;
      const Tensor& moment = found->second;
      require<FormatError>(moment.shape() == list[i].shape() && moment.dtype() == list[i].dtype(),
                           "optimizer: {} is {} {}, its parameter {} {}", found->first,
                           moment.dtype(), moment.shape(), list[i].dtype(), list[i].shape());
      moments[i].push_back(moment.clone());
      ++used;
    }
    require<FormatError>(moments[i].empty() || moments[i].size() == moment_names_.size(),
                         "optimizer: the state of parameter {} is incomplete", i);
  }
  require<FormatError>(used == state.size(),
                       "optimizer: the state holds {} entries that this optimizer does not know",
                       state.size() - used);
  steps_ = steps;
  learning_rate_ = rate;
  moments_ = std::move(moments);
}

}  // namespace tensorette::optim
