#include <algorithm>
#include <tensorette/autograd/op_table.hpp>
#include <tensorette/autograd/trace/detail/figures.hpp>
#include <tensorette/autograd/trace/trace_text.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette {
namespace {

using detail::padded;

class Text {
 public:
  Text(const Trace& trace, const TraceTextOptions& options) : trace_(trace), options_(options) {}

  std::string write() {
    const detail::Cut cut = detail::cut_to(trace_.nodes.size(), options_.line_limit);
    for (std::size_t i = 0; i < trace_.nodes.size(); ++i) {
      if (i >= cut.head && i < cut.tail) continue;
      title_width_ = std::max(title_width_, title_of(trace_.nodes[i]).size());
    }
    summary();
    std::size_t last_number = 0;
    for (std::size_t i = 0; i < trace_.nodes.size(); ++i) {
      if (i >= cut.head && i < cut.tail) continue;
      const TraceNode& node = trace_.nodes[i];
      if (i > 0 && node.number > last_number + 1) {
        text_ += fmt::format("      … {} more …\n", node.number - last_number - 1);
        scope_ = -2;
      }
      last_number = node.number;
      heading(node);
      line(node);
    }
    return std::move(text_);
  }

 private:
  void summary() {
    const auto is_leaf = [](const TraceNode& node) { return node.op == Op::leaf; };
    const auto leaves =
        static_cast<std::size_t>(std::count_if(trace_.nodes.begin(), trace_.nodes.end(), is_leaf));
    if (trace_.omitted_nodes() > 0) {
      text_ += fmt::format("{} nodes, the first and the last {} of them looked at; ",
                           trace_.total_nodes, trace_.nodes.size());
    } else {
      text_ +=
          fmt::format("{} operations on {} parameters; ", trace_.nodes.size() - leaves, leaves);
    }
    text_ += fmt::format("{} kept for backward\n",
                         detail::bytes_text(static_cast<double>(trace_.kept_bytes())));
    if (!trace_.note.empty()) text_ += trace_.note + "\n";
    text_ += fmt::format("{}\n", row("#", "operation", "shape", "from", "value", "gradient",
                                     "forward", "backward", "kept"));
  }

  [[nodiscard]] std::string row(const std::string& number, const std::string& operation,
                                const std::string& shape, const std::string& from,
                                const std::string& value, const std::string& gradient,
                                const std::string& forward, const std::string& backward,
                                const std::string& kept) const {
    std::string text = fmt::format("{:>5} ", number);
    text += padded(operation, title_width_) + ' ' + padded(shape, 18) + ' ' + padded(from, 16) +
            ' ' + padded(value, 12) + ' ' + padded(gradient, 12) + ' ' + padded(forward, 9) + ' ' +
            padded(backward, 9) + ' ' + kept;
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

  static std::string title_of(const TraceNode& node) {
    const std::string operation = node.op == Op::leaf ? "parameter" : node.operation;
    return node.name.empty() ? operation : operation + " " + node.name;
  }

  void heading(const TraceNode& node) {
    // The names of parameters say where they belong.
    if (node.scope == scope_ || node.op == Op::leaf || trace_.scopes.empty()) return;
    scope_ = node.scope;
    text_ += node.scope < 0 ? "in no module\n"
                            : trace_.scopes[static_cast<std::size_t>(node.scope)].path + "\n";
  }

  [[nodiscard]] std::string sources(const TraceNode& node) const {
    std::string text;
    for (const TraceInput& input : node.inputs) {
      if (!text.empty()) text += ", ";
      text += input.node >= 0
                  ? std::to_string(trace_.nodes[static_cast<std::size_t>(input.node)].number)
              : input.node == TraceInput::not_shown ? "…"
                                                    : "constant";
    }
    return text;
  }

  void line(const TraceNode& node) {
    const auto time = [](const std::optional<double>& seconds) {
      return seconds ? detail::time_text(*seconds) : std::string();
    };
    const std::string kept =
        node.kept_bytes > 0 ? detail::bytes_text(static_cast<double>(node.kept_bytes)) : "";
    text_ += row(std::to_string(node.number), title_of(node), to_string(node.shape), sources(node),
                 detail::size_text(node.value), detail::size_text(node.gradient),
                 time(node.forward_seconds), time(node.backward_seconds), kept);
    text_ += '\n';
    if (options_.formulas && node.op != Op::leaf) {
      text_ += fmt::format("        {}\n        {}\n", node.formula, node.vjp);
    }
  }

  const Trace& trace_;
  const TraceTextOptions& options_;
  std::int64_t scope_ = -1;
  std::size_t title_width_ = 20;
  std::string text_;
};

}  // namespace

std::string to_string(const Trace& trace, const TraceTextOptions& options) {
  return Text(trace, options).write();
}

}  // namespace tensorette
