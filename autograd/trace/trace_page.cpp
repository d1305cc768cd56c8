#include <cmath>
#include <nlohmann/json.hpp>
#include <tensorette/autograd/op_table.hpp>
#include <tensorette/autograd/trace/detail/figures.hpp>
#include <tensorette/autograd/trace/detail/page_assets.hpp>
#include <tensorette/autograd/trace/trace_page.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/io/atomic_file.hpp>

namespace tensorette {
namespace {

// A string of JSON that is also safe inside a script element.
std::string quoted(const std::string& text) {
  const std::string json =
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string safe;
  for (const char c : json) safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return result;
}

// Six digits are more than the page shows. JSON has neither NaN nor infinities.
std::string number(double x) {
  if (std::isnan(x)) return "\"NaN\"";
  if (std::isinf(x)) return x > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  return fmt::format("{:.6g}", x);
}

template <class List, class Write>
std::string listed(const List& list, const Write& write) {
  std::string text = "[";
  for (const auto& entry : list) {
    if (text.size() > 1) text += ',';
    text += write(entry);
  }
  return text + ']';
}

std::string json_of(const TensorSummary& summary) {
  std::string text =
      fmt::format(R"({{"sizes":{},"norm":{},"mean":{},"deviation":{},"minimum":{},"maximum":{})",
                  listed(summary.shape, [](Index size) { return std::to_string(size); }),
                  number(summary.norm), number(summary.mean), number(summary.standard_deviation),
                  number(summary.minimum), number(summary.maximum));
  if (summary.nan_count > 0) text += fmt::format(R"(,"nan":{})", summary.nan_count);
  if (summary.infinite_count > 0) text += fmt::format(R"(,"infinite":{})", summary.infinite_count);
  if (summary.zero_count > 0) text += fmt::format(R"(,"zeros":{})", summary.zero_count);
  const auto count = [](std::uint32_t x) { return std::to_string(x); };
  text += summary.histogram.empty() ? ",\"elements\":" + listed(summary.elements, number)
                                    : ",\"histogram\":" + listed(summary.histogram, count);
  return text + '}';
}

// Colours tell parameters, products, reductions and what only moves elements apart.
const char* family_of(Op op) noexcept {
  if (op == Op::leaf) return "parameter";
  if (op >= Op::add && op <= Op::masked_fill) return "arithmetic";
  if (op >= Op::sum && op <= Op::log_softmax) return "reduction";
  if (op == Op::matmul || op == Op::linear || op == Op::linear_cross_entropy ||
      op == Op::attention || op == Op::packed_attention) {
    return "product";
  }
  const bool is_reduction = op == Op::layer_norm || op == Op::rms_norm || op == Op::cross_entropy;
  return is_reduction ? "reduction" : op == Op::dropout ? "arithmetic" : "shaping";
}

std::string json_of(const TraceSaved& saved) {
  std::string text = fmt::format(R"({{"what":{},"shape":"{}","dtype":"{}")", quoted(saved.what),
                                 saved.shape, saved.dtype);
  if (saved.value) text += ",\"value\":" + json_of(*saved.value);
  return text + '}';
}

std::string json_of(const TraceNode& node) {
  std::string text = fmt::format(
      R"({{"number":{},"operation":{},"family":"{}","name":{},"shape":"{}","dtype":"{}","scope":{})",
      node.number, quoted(node.operation), family_of(node.op), quoted(node.name), node.shape,
      node.dtype, node.scope);
  text += fmt::format(
      R"(,"inputs":{},"formula":{},"vjp":{},"saved":{})",
      listed(node.inputs, [](const TraceInput& input) { return std::to_string(input.node); }),
      quoted(node.formula), quoted(node.vjp),
      listed(node.saved, [](const TraceSaved& saved) { return json_of(saved); }));
  if (node.kept_bytes > 0) text += fmt::format(R"(,"kept":{})", node.kept_bytes);
  if (node.forward_seconds) text += ",\"forward\":" + number(*node.forward_seconds);
  if (node.backward_seconds) text += ",\"backward\":" + number(*node.backward_seconds);
  if (node.value) text += ",\"value\":" + json_of(*node.value);
  if (node.gradient) text += ",\"gradient\":" + json_of(*node.gradient);
  return text + "}\n";
}

std::string summary_of(const Trace& trace) {
  std::size_t parameters = 0;
  for (const TraceNode& node : trace.nodes) parameters += node.op == Op::leaf ? 1 : 0;
  std::string text = fmt::format("{} operations, {} parameters, {} kept for backward",
                                 trace.nodes.size() - parameters, parameters,
                                 detail::bytes_text(static_cast<double>(trace.kept_bytes())));
  if (trace.omitted_nodes() > 0) {
    text += fmt::format("; {} more in the middle are not shown", trace.omitted_nodes());
  }
  return trace.note.empty() ? text : text + "; " + trace.note;
}

}  // namespace

std::string to_html(const Trace& trace, const TracePageOptions& options) {
  const auto scope_json = [](const TraceScope& scope) {
    return fmt::format(R"({{"path":{},"parent":{}}})", quoted(scope.path), scope.parent);
  };
  const std::string data =
      fmt::format(R"({{"title":{},"summary":{},"scopes":{},"nodes":{}}})", quoted(options.title),
                  quoted(summary_of(trace)), listed(trace.scopes, scope_json),
                  listed(trace.nodes, [](const TraceNode& node) { return json_of(node); }));
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n{}"
      "<script type=\"application/json\" id=\"trace\">{}</script>\n"
      "<script>\n\"use strict\";\n{}</script>\n</body>\n</html>\n",
      escaped(options.title), detail::trace_page_style, detail::trace_page_body, data,
      detail::trace_page_script);
}

void write_trace_page(const std::string& path, const Trace& trace,
                      const TracePageOptions& options) {
  AtomicFile file(path);
  file.write(to_html(trace, options));
  file.close();
}

}  // namespace tensorette
