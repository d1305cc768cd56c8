#include <algorithm>
#include <tensorette/autograd/detail/older_nodes.hpp>
#include <tensorette/autograd/detail/recorded_call.hpp>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/ops/basic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette::detail {

bool is_differentiable(const Variable& variable) noexcept {
  return variable.is_defined() && is_floating(variable.dtype());
}

RecordedCall::RecordedCall(std::string operation, const FunctionsOfMany& f,
                           std::span<const Variable> inputs)
    : operation_(std::move(operation)), is_recording_(tensorette::is_recording()) {
  const EnableGrad recording;
  for (const Variable& input : inputs) {
    require<Error>(input.is_defined(), "{}: input {} is undefined", operation_, inputs_.size());
    if (!is_differentiable(input)) {
      inputs_.push_back(input);
      continue;
    }
    inputs_.push_back(is_recording_ && input.requires_grad() ? alias(input)
                                                             : parameter(input.value()));
    first_id_ = std::min(first_id_, inputs_.back().node()->id());
  }
  outputs_ = f(inputs_);
  is_connected_ = is_recording_ && reaches_older(outputs_, first_id_);
}

// A result that depends on nothing but the leaves of this call is a constant to the caller.
Variable RecordedCall::settled(const Variable& result) const {
  if (!result.requires_grad()) return result;
  if (is_recording_ && reaches_older({&result, 1}, first_id_)) return result;
  return result.detach();
}

std::vector<Variable> RecordedCall::values() const {
  std::vector<Variable> values;
  for (const Variable& output : outputs_) values.push_back(settled(output));
  return values;
}

bool RecordedCall::stays_connected(std::span<const Variable> arguments) const {
  return is_connected_ ||
         (is_recording_ && std::any_of(arguments.begin(), arguments.end(),
                                       [](const Variable& x) { return x.requires_grad(); }));
}

void RecordedCall::check(const char* what, const char* whose, std::span<const Variable> given,
                         std::span<const Variable> like) const {
  require<Error>(given.size() == like.size(), "{}: {} {}s for {} {}s", operation_, given.size(),
                 what, like.size(), whose);
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i].is_defined()) continue;
    require<DTypeError>(is_differentiable(like[i]),
                        "{}: {} {} has no derivative, so {} {} must be undefined", operation_,
                        whose, i, what, i);
    require(given[i].shape() == like[i].shape(), "{}: {} {} has shape {}, {} {} has {}", operation_,
            what, i, given[i].shape(), whose, i, like[i].shape());
    require<DTypeError>(given[i].dtype() == like[i].dtype(), "{}: {} {} is {}, {} {} is {}",
                        operation_, what, i, given[i].dtype(), whose, i, like[i].dtype());
  }
}

std::vector<Variable> RecordedCall::pull_back(std::span<const Variable> cotangents) const {
  check("cotangent", "output", cotangents, outputs_);
  std::vector<Variable> outputs;
  std::vector<Variable> upstream;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (!outputs_[i].requires_grad() || !cotangents[i].is_defined()) continue;
    outputs.push_back(outputs_[i]);
    upstream.push_back(cotangents[i]);
  }
  std::vector<Variable> wanted;
  std::copy_if(inputs_.begin(), inputs_.end(), std::back_inserter(wanted), is_differentiable);
  const auto found =
      tensorette::grad(outputs, wanted, upstream,
                       {.create_graph = stays_connected(cotangents), .retain_graph = true});
  std::vector<Variable> gradients(inputs_.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (is_differentiable(inputs_[i])) gradients[i] = settled(found[next++]);
  }
  return gradients;
}

RecordedCall::Linear RecordedCall::linearized() const {
  Linear linear;
  std::vector<Variable> outputs;
  std::vector<Variable> upstream;
  for (const Variable& output : outputs_) {
    linear.cotangents.emplace_back();
    if (!is_differentiable(output)) continue;
    // Any value does, as the vjp is linear; with 1 a vjp without a graph shows, with 0 it would
    // not.
    linear.cotangents.back() = parameter(ones(output.shape(), output.dtype()));
    if (!output.requires_grad()) continue;
    outputs.push_back(output);
    upstream.push_back(linear.cotangents.back());
  }
  std::vector<Variable> wanted;
  std::copy_if(inputs_.begin(), inputs_.end(), std::back_inserter(wanted), is_differentiable);
  const auto found = tensorette::grad(outputs, wanted, upstream, {.create_graph = true});
  linear.gradients.resize(inputs_.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (!is_differentiable(inputs_[i])) continue;
    const Variable& gradient = found[next++];
    if (gradient.requires_grad()) linear.gradients[i] = gradient;
  }
  return linear;
}

std::vector<Variable> RecordedCall::push_forward(const Linear& linear,
                                                 std::span<const Variable> tangents) const {
  check("tangent", "input", tangents, inputs_);
  std::vector<Variable> gradients;
  std::vector<Variable> upstream;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (!linear.gradients[i].is_defined() || !tangents[i].is_defined()) continue;
    gradients.push_back(linear.gradients[i]);
    upstream.push_back(tangents[i]);
  }
  std::vector<Variable> wanted;
  std::copy_if(linear.cotangents.begin(), linear.cotangents.end(), std::back_inserter(wanted),
               is_differentiable);
  const auto found =
      tensorette::grad(gradients, wanted, upstream,
                       {.create_graph = stays_connected(tangents), .retain_graph = true});
  std::vector<Variable> results(outputs_.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (is_differentiable(outputs_[i])) results[i] = settled(found[next++]);
  }
  return results;
}

}  // namespace tensorette::detail
