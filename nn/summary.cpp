#include <algorithm>
#include <tensorette/autograd/grad_mode.hpp>
#include <tensorette/autograd/trace/cost.hpp>
#include <tensorette/nn/summary.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <unordered_map>

namespace tensorette::nn {
namespace {

// Adds what operations cost to every module that runs at the time.
class Counter final : public Observer {
 public:
  // `positions`: of the rows, by the path that observers are told.
  Counter(std::vector<SummaryRow>& rows, std::unordered_map<std::string, std::size_t> positions)
      : rows_(rows), positions_(std::move(positions)) {}

  void operation_done(Op op, std::span<const Variable* const> inputs, const Variable& output,
                      std::span<const Tensor> extra) override {
    const double flops = flops_of(op, inputs, output, extra);
    const Index bytes = new_bytes_of(inputs, output);
    for (SummaryRow* row : running_) {
      if (row == nullptr) continue;
      row->flops += flops;
      row->activation_bytes += bytes;
      row->output = output.shape();
    }
  }
  void scope_entered(const std::string& path) override {
    const auto found = positions_.find(path);
    running_.push_back(found == positions_.end() ? nullptr : &rows_[found->second]);
    if (running_.back() != nullptr) ++running_.back()->calls;
  }
  void scope_left() noexcept override {
    if (!running_.empty()) running_.pop_back();
  }

 private:
  std::vector<SummaryRow>& rows_;
  std::unordered_map<std::string, std::size_t> positions_;
  std::vector<SummaryRow*> running_;
};

// Puts the states of random generators back, also when an exception leaves the scope.
class KeptGenerators {
 public:
  explicit KeptGenerators(Module& model) : model_(model), states_(model.generator_states()) {}
  KeptGenerators(const KeptGenerators&) = delete;
  KeptGenerators& operator=(const KeptGenerators&) = delete;
  ~KeptGenerators() {
    try {
      model_.set_generator_states(states_);
    } catch (const Error&) {
      // The model has changed its parts meanwhile: there is nothing to put back.
    }
  }

 private:
  Module& model_;
  std::map<std::string, Generator::State> states_;
};

std::string text_of_count(double count) {
  static constexpr const char* prefixes[] = {"", " k", " M", " G", " T"};
  std::size_t prefix = 0;
  while (count >= 1000 && prefix + 1 < std::size(prefixes)) {
    count /= 1000;
    ++prefix;
  }
  return fmt::format("{:.4g}{}", count, prefixes[prefix]);
}

}  // namespace

ModelSummary summary(Module& model, const std::function<void()>& forward) {
  ModelSummary result;
  std::unordered_map<std::string, std::size_t> positions;
  const auto add = [&](const std::string& path, const Module& module) {
    const std::string observed = path.empty() ? module.type_name() : model.type_name() + "." + path;
    positions.emplace(observed, result.rows.size());
    result.rows.push_back(
        {.path = path, .type = module.type_name(), .parameters = module.parameter_count()});
  };
  add("", model);
  for (const NamedModule& inner : model.named_modules()) add(inner.name, *inner.module);
  const KeptGenerators kept(model);
  const NoGrad no_grad;
  const Counter counter(result.rows, std::move(positions));
  forward();
  return result;
}

std::string to_string(const ModelSummary& summary) {
  const auto name_of = [](const SummaryRow& row) {
    if (row.path.empty()) return row.type;
    const auto depth = std::count(row.path.begin(), row.path.end(), '.');
    const std::size_t indent = 2 * (1 + static_cast<std::size_t>(depth));
    return fmt::format("{:{}}{}: {}", "", indent, row.path, row.type);
  };
  std::size_t width = 6;
  for (const SummaryRow& row : summary.rows) width = std::max(width, name_of(row).size());
  std::string text = fmt::format("{:<{}}  {:<18} {:>12} {:>10} {:>12}\n", "module", width, "output",
                                 "parameters", "FLOPs", "activations");
  for (const SummaryRow& row : summary.rows) {
    const std::string output = row.calls == 0 ? "did not run"
                               : row.output   ? to_string(*row.output)
                                              : "as its input";
    text += fmt::format("{:<{}}  {:<18} {:>12} {:>10} {:>11}B\n", name_of(row), width, output,
                        row.parameters, text_of_count(row.flops),
                        text_of_count(static_cast<double>(row.activation_bytes)) +
                            (row.activation_bytes < 1000 ? " " : ""));
  }
  return text;
}

}  // namespace tensorette::nn
