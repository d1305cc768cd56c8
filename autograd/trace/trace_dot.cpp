#include <algorithm>
#include <tensorette/autograd/op_table.hpp>
#include <tensorette/autograd/trace/detail/figures.hpp>
#include <tensorette/autograd/trace/trace_dot.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + '"';
}

class Dot {
 public:
  Dot(const Trace& trace, const TraceDotOptions& options)
      : trace_(trace), cut_(detail::cut_to(trace.nodes.size(), options.node_limit)) {}

  std::string write() {
    text_ =
        "digraph trace {\n"
        "  rankdir=TB; ranksep=0.35; nodesep=0.25; bgcolor=transparent;\n"
        "  node [fontname=\"Helvetica,Arial,sans-serif\", fontsize=11, style=\"filled,rounded\", "
        "shape=box, color=\"#8d86a0\", fillcolor=\"#ffffff\", margin=\"0.12,0.06\"];\n"
        "  edge [color=\"#8d86a0\", arrowsize=0.6];\n";
    members_.resize(trace_.scopes.size());
    children_.resize(trace_.scopes.size());
    for (std::size_t i = 0; i < trace_.nodes.size(); ++i) {
      if (!is_shown(i)) continue;
      const std::int64_t scope = trace_.nodes[i].scope;
      (scope < 0 ? outside_ : members_[static_cast<std::size_t>(scope)]).push_back(i);
    }
    for (std::size_t i = 0; i < trace_.scopes.size(); ++i) {
      const std::int64_t parent = trace_.scopes[i].parent;
      (parent < 0 ? roots_ : children_[static_cast<std::size_t>(parent)]).push_back(i);
    }
    clusters();
    for (const std::size_t i : outside_) node(i);
    gap();
    edges();
    return std::move(text_) + "}\n";
  }

 private:
  [[nodiscard]] bool is_shown(std::size_t i) const noexcept {
    return i < cut_.head || i >= cut_.tail;
  }
  [[nodiscard]] std::size_t omitted() const noexcept {
    return trace_.omitted_nodes() + cut_.tail - cut_.head;
  }

  // Depth first with a list of open clusters: modules may nest as deeply as they like.
  void clusters() {
    struct Open {
      std::size_t scope;
      std::size_t next_child;
    };
    std::vector<Open> open;
    const auto begin = [&](std::size_t scope) {
      text_ += fmt::format(
          "  subgraph cluster_{} {{\n  label={}; fontname=\"Helvetica,Arial,sans-serif\"; "
          "fontsize=10; fontcolor=\"#655f72\"; color=\"#cfc8dc\"; style=rounded; labeljust=l;\n",
          scope, quoted(label_of(scope)));
      for (const std::size_t i : members_[scope]) node(i);
      open.push_back({scope, 0});
    };
    for (const std::size_t root : roots_) {
      begin(root);
      while (!open.empty()) {
        Open& top = open.back();
        if (top.next_child < children_[top.scope].size()) {
          begin(children_[top.scope][top.next_child++]);
        } else {
          text_ += "  }\n";
          open.pop_back();
        }
      }
    }
  }

  // The path below the module around it.
  [[nodiscard]] std::string label_of(std::size_t scope) const {
    const TraceScope& inner = trace_.scopes[scope];
    if (inner.parent < 0) return inner.path;
    const std::string& outer = trace_.scopes[static_cast<std::size_t>(inner.parent)].path;
    const bool is_inside = inner.path.starts_with(outer + ".");
    return is_inside ? inner.path.substr(outer.size() + 1) : inner.path;
  }

  void node(std::size_t i) {
    const TraceNode& entry = trace_.nodes[i];
    const bool is_leaf = entry.op == Op::leaf;
    std::string title = is_leaf ? "parameter" : entry.operation;
    if (!entry.name.empty()) title = entry.name;
    std::string label = quoted(title + " " + to_string(entry.shape));
    label.insert(label.size() - 1,
                 fmt::format("\\nvalue {}   grad {}", detail::size_text(entry.value),
                             detail::size_text(entry.gradient)));
    text_ += fmt::format("  n{} [label={}{}];\n", i, label,
                         is_leaf ? ", style=filled, fillcolor=\"#f1ecfb\"" : "");
  }

  void gap() {
    if (omitted() == 0) return;
    text_ += fmt::format("  gap [label=\"… {} more …\", style=dashed];\n", omitted());
  }

  void edges() {
    bool into_gap = false;
    for (std::size_t i = 0; i < trace_.nodes.size(); ++i) {
      if (!is_shown(i)) continue;
      bool from_gap = false;
      for (const TraceInput& input : trace_.nodes[i].inputs) {
        if (input.node == TraceInput::constant) continue;
        const auto source = static_cast<std::size_t>(input.node);
        if (input.node == TraceInput::not_shown || !is_shown(source)) {
          from_gap = true;
        } else {
          text_ += fmt::format("  n{} -> n{};\n", source, i);
        }
      }
      if (from_gap) text_ += fmt::format("  gap -> n{} [style=dashed];\n", i);
      into_gap = into_gap || from_gap;
    }
    // What the first part made goes on in the gap.
    const std::size_t head =
        trace_.omitted_nodes() > 0 && trace_.gap < cut_.head ? trace_.gap : cut_.head;
    if (into_gap && head > 0) text_ += fmt::format("  n{} -> gap [style=dashed];\n", head - 1);
  }

  const Trace& trace_;
  detail::Cut cut_;
  std::vector<std::size_t> roots_;
  std::vector<std::size_t> outside_;
  std::vector<std::vector<std::size_t>> members_;
  std::vector<std::vector<std::size_t>> children_;
  std::string text_;
};

}  // namespace

std::string to_dot(const Trace& trace, const TraceDotOptions& options) {
  return Dot(trace, options).write();
}

}  // namespace tensorette
