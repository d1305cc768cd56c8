#include <algorithm>
#include <tensorette/nn/optim/moving_average.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/optimizer.hpp>
#include <unordered_set>

namespace tensorette::optim {
namespace {

using detail::require;

std::string name_of(std::size_t index) {
  return fmt::format("values.{}", index);
}

}  // namespace

ExponentialMovingAverage::ExponentialMovingAverage(std::vector<Variable> parameters,
                                                   const MovingAverageOptions& options)
    : parameters_(std::move(parameters)), options_(options) {
  require<Error>(options.decay >= 0 && options.decay < 1,
                 "moving average: the decay is {}, it must be in [0, 1)", options.decay);
  require<Error>(options.share > 0 && options.share <= 1,
                 "moving average: the share is {}, it must be in (0, 1]", options.share);
  std::unordered_set<const Node*> seen;
  std::erase_if(parameters_, [&](const Variable& parameter) {
    return !seen.insert(parameter.node().get()).second;
  });
  require<Error>(!parameters_.empty(), "moving average: got no parameters");
  averages_.reserve(parameters_.size());
  for (const Variable& parameter : parameters_) {
    require<Error>(parameter.value().is_contiguous(),
                   "moving average: a parameter of shape {} is a view with gaps",
                   parameter.shape());
    averages_.push_back(parameter.value().clone());
  }
}

void ExponentialMovingAverage::update() {
  require<Error>(!is_swapped_,
                 "moving average: update() while parameters and averages are swapped");
  ++updates_;
  const auto n = static_cast<double>(updates_);
  const double fresh = 1.0 - std::min(options_.decay, (1.0 + n) / (1.0 + n + 1.0 / options_.share));
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& value = parameters_[i].value();
    kernels::dispatch_floating("moving average", value.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      kernels::average_update<T>(fresh, value.data<T>(), averages_[i].mutable_data<T>(),
                                 value.element_count());
    });
  }
}

void ExponentialMovingAverage::swap() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    Tensor& value = parameters_[i].mutable_value();
    kernels::dispatch_floating("moving average", value.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      T* const first = value.mutable_data<T>();
      std::swap_ranges(first, first + value.element_count(), averages_[i].mutable_data<T>());
    });
  }
  is_swapped_ = !is_swapped_;
}

std::map<std::string, Tensor> ExponentialMovingAverage::state_dict() const {
  std::map<std::string, Tensor> state;
  state.emplace("updates", scalar(updates_, DType::i64));
  state.emplace("is_swapped", scalar(is_swapped_ ? 1 : 0, DType::i64));
  for (std::size_t i = 0; i < averages_.size(); ++i) state.emplace(name_of(i), averages_[i]);
  return state;
}

void ExponentialMovingAverage::load_state_dict(const std::map<std::string, Tensor>& state) {
  const auto number = [&](const std::string& name) {
    const auto found = state.find(name);
    require<FormatError>(found != state.end() && found->second.dtype() == DType::i64 &&
                             found->second.element_count() == 1,
                         "moving average: the state has no number \"{}\"", name);
    return found->second.item<Index>();
  };
  const Index updates = number("updates");
  require<FormatError>(updates >= 0, "moving average: the state has {} updates", updates);
  const bool is_swapped = number("is_swapped") != 0;
  require<FormatError>(state.size() == averages_.size() + 2,
                       "moving average: the state is of {} parameters, not of {}", state.size() - 2,
                       averages_.size());
  std::vector<Tensor> averages;
  for (std::size_t i = 0; i < averages_.size(); ++i) {
    const auto found = state.find(name_of(i));
    require<FormatError>(found != state.end(), "moving average: the state has no \"{}\"",
                         name_of(i));
    const Tensor& average = found->second;
    require<FormatError>(
        average.shape() == averages_[i].shape() && average.dtype() == averages_[i].dtype(),
        "moving average: {} is {} {}, its parameter {} {}", found->first, average.dtype(),
        average.shape(), averages_[i].dtype(), averages_[i].shape());
    averages.push_back(average.clone());
  }
  averages_ = std::move(averages);
  updates_ = updates;
  is_swapped_ = is_swapped;
}

}  // namespace tensorette::optim
