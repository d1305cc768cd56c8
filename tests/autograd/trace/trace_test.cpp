#include <tensorette_test.hpp>

#include <compare.hpp>
#include <nlohmann/json.hpp>
#include <small_stack.hpp>
#include <temporary_folder.hpp>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/autograd/trace/recording.hpp>
#include <tensorette/autograd/trace/trace.hpp>
#include <tensorette/autograd/trace/trace_dot.hpp>
#include <tensorette/autograd/trace/trace_page.hpp>
#include <tensorette/autograd/trace/trace_text.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/random.hpp>

namespace tensorette::testing {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

// sum(tanh(x w)) with x = [[1, 2]] and w = [[0.5], [-0.25]]: the product is 0, tanh 0 has slope 1.
struct SmallGraph {
  Variable x{from_vector<double>({1, 2}, {1, 2})};
  Variable w = parameter(from_vector<double>({0.5, -0.25}, {2, 1}), "w");
  [[nodiscard]] Variable loss() const { return sum(tanh(matmul(x, w))); }
};

TEST_CASE("a trace lists every node with its inputs, formulas and gradients", "[autograd][trace]") {
  const SmallGraph graph;
  const Trace t = trace(graph.loss());
  REQUIRE(t.nodes.size() == 4);
  CHECK(t.total_nodes == 4);
  CHECK(t.omitted_nodes() == 0);
  CHECK(t.note.empty());
  CHECK(t.nodes[0].op == Op::leaf);
  CHECK(t.nodes[0].name == "w");
  CHECK(t.nodes[1].operation == "matmul");
  CHECK(t.nodes[2].operation == "tanh");
  CHECK(t.nodes[3].operation == "sum");
  CHECK(t.nodes[1].shape == Shape{1, 1});
  CHECK(t.nodes[1].dtype == DType::f64);
  REQUIRE(t.nodes[1].inputs.size() == 2);
  CHECK(t.nodes[1].inputs[0].node == TraceInput::constant);
  CHECK(t.nodes[1].inputs[0].shape == Shape{1, 2});
  CHECK(t.nodes[1].inputs[1].node == 0);
  CHECK(t.nodes[3].inputs[0].node == 2);
  CHECK(t.nodes[1].formula == "y [1, 1] = a [1, 2] b [2, 1]");
  CHECK(t.nodes[1].vjp == "da [1, 2] = g [1, 1] bᵀ [1, 2]; db [2, 1] = aᵀ [2, 1] g [1, 1]");
  CHECK(t.nodes[2].vjp == "dx [1, 1] = g [1, 1] (1 − y² [1, 1])");

  // d loss/d w = x: through tanh at 0 the gradient passes unchanged.
  for (const TraceNode& node : t.nodes) REQUIRE(node.gradient);
  CHECK(t.nodes[0].gradient->elements == std::vector<double>{1, 2});
  CHECK(t.nodes[0].gradient->norm == Approx(std::sqrt(5.0)));
  CHECK(t.nodes[1].backward_seconds.value_or(-1) >= 0);
  CHECK_FALSE(t.nodes[0].backward_seconds);
  // Without a recording: values that something saved, no times.
  CHECK(t.nodes[2].value->elements == std::vector<double>{0});
  CHECK_FALSE(t.nodes[1].forward_seconds);
}

TEST_CASE("what is kept for backward counts once, parameters not at all", "[autograd][trace]") {
  const SmallGraph graph;
  const Trace t = trace(graph.loss());
  // matmul keeps x for w's gradient (w itself is a parameter or not kept); tanh keeps its output.
  CHECK(t.nodes[1].kept_bytes == 2 * 8);
  CHECK(t.nodes[2].kept_bytes == 8);
  CHECK(t.kept_bytes() == 24);
  const Variable y = exp(graph.w);
  CHECK(trace(sum(y * y)).kept_bytes() == 2 * 8);
}

TEST_CASE("tracing changes no gradient and leaves the graph for backward", "[autograd][trace]") {
  const SmallGraph graph;
  const Variable loss = graph.loss();
  static_cast<void>(trace(loss));
  CHECK_FALSE(graph.w.grad().is_defined());
  loss.backward();
  CHECK(numbers(graph.w.grad().value()) == std::vector<double>{1, 2});
}

TEST_CASE("a recording knows values, times and scopes, also after backward", "[autograd][trace]") {
  const SmallGraph graph;
  const Recording recording;
  const Variable loss = [&] {
    const ObservedScope outer("Model");
    const Variable product = [&] {
      const ObservedScope inner("Model.layer");
      return matmul(graph.x, graph.w);
    }();
    return sum(tanh(product));
  }();
  loss.backward();
  const Trace t = trace(loss);
  REQUIRE(t.nodes.size() == 4);
  for (const TraceNode& node : t.nodes) {
    REQUIRE(node.value);
    REQUIRE(node.gradient);
    if (node.op != Op::leaf) CHECK(node.forward_seconds.value_or(-1) >= 0);
  }
  CHECK(t.nodes[0].value->elements == std::vector<double>{0.5, -0.25});
  CHECK(t.nodes[0].gradient->elements == std::vector<double>{1, 2});
  REQUIRE(t.scopes.size() == 2);
  CHECK(t.scopes[0].path == "Model");
  CHECK(t.scopes[1].path == "Model.layer");
  CHECK(t.scopes[1].parent == 0);
  CHECK(t.nodes[1].scope == 1);
  CHECK(t.nodes[0].scope == 1);  // where the parameter is used first
  CHECK(t.nodes[3].scope == 0);
}

TEST_CASE("a parameter that was stepped is looked at again", "[autograd][trace]") {
  SmallGraph graph;
  const Recording recording;
  static_cast<void>(graph.loss());
  graph.w.mutable_value().mutable_data<double>()[0] = 7;
  CHECK(trace(graph.loss()).nodes[0].value->elements == std::vector<double>{7, -0.25});
}

TEST_CASE("a released graph and a constant can't be traced", "[autograd][trace]") {
  const SmallGraph graph;
  const Variable loss = graph.loss();
  loss.backward();
  CHECK_THAT(error_text<GraphError>([&] { static_cast<void>(trace(loss)); }),
             ContainsSubstring("trace: the graph at sum (shape []) was released by backward"));
  CHECK_THAT(error_text<GraphError>([&] { static_cast<void>(trace(graph.x)); }),
             ContainsSubstring("trace: the variable of shape [1, 2] is a constant"));
  CHECK_THAT(error_text<Error>([&] { static_cast<void>(trace(graph.w, {.node_limit = 1})); }),
             ContainsSubstring("a node_limit of 1 is below 2"));
}

TEST_CASE("a vjp's own operations are no part of the trace", "[autograd][trace]") {
  const SmallGraph graph;
  const Recording recording;
  const Variable loss = graph.loss();
  const Variable slope = grad(loss, graph.w, {.create_graph = true});
  CHECK(trace(loss).nodes.size() == 4);
  // The gradient's own graph is a graph like any other.
  const Trace second = trace(sum(square(slope)));
  CHECK(second.nodes.size() > 5);
  CHECK(second.nodes[0].gradient);
}

TEST_CASE("summaries count what is not finite apart", "[autograd][trace]") {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const TensorSummary s = summarize(from_vector<double>({3, -4, 0, nan, inf, -inf}, {6}), 6);
  CHECK(s.nan_count == 1);
  CHECK(s.infinite_count == 2);
  CHECK(s.zero_count == 1);
  CHECK(s.norm == 5);
  CHECK(s.minimum == -4);
  CHECK(s.maximum == 3);
  CHECK(s.mean == Approx(-1.0 / 3));
  CHECK(s.elements.size() == 6);
  CHECK_FALSE(s.is_finite());
  const TensorSummary large = summarize(arange(48).to(DType::f32), 8);
  CHECK(large.elements.empty());
  CHECK(large.histogram == std::vector<std::uint32_t>(24, 2));
  CHECK(summarize(zeros({0, 3})).elements.empty());
}

TEST_CASE("a trace as text has a line for each node", "[autograd][trace]") {
  const SmallGraph graph;
  const std::string text = to_string(trace(graph.loss()), {.formulas = true});
  CHECK_THAT(text, ContainsSubstring("3 operations on 1 parameters; 24 B kept for backward"));
  CHECK_THAT(text, ContainsSubstring("    0 parameter w"));
  CHECK_THAT(text, ContainsSubstring("    1 matmul"));
  CHECK_THAT(text, ContainsSubstring("constant, 0"));
  CHECK_THAT(text, ContainsSubstring("dx [1, 1] = g [1, 1] (1 − y² [1, 1])"));
  const std::string cut = to_string(trace(graph.loss()), {.line_limit = 2});
  CHECK_THAT(cut, ContainsSubstring("… 2 more …"));
  CHECK(cut.find("tanh") == std::string::npos);
}

TEST_CASE("a trace in the language of Graphviz", "[autograd][trace]") {
  const SmallGraph graph;
  graph.w.set_name("the \"w\"");
  const Recording recording;
  const Variable loss = [&] {
    const ObservedScope scope("Model");
    return graph.loss();
  }();
  const Trace t = trace(loss);
  const std::string dot = to_dot(t);
  CHECK_THAT(dot, ContainsSubstring("n0 -> n1;"));
  CHECK_THAT(dot, ContainsSubstring("n2 -> n3;"));
  CHECK_THAT(dot, ContainsSubstring("the \\\"w\\\""));
  CHECK_THAT(dot, ContainsSubstring("subgraph cluster_0"));
  CHECK(std::count(dot.begin(), dot.end(), '{') == std::count(dot.begin(), dot.end(), '}'));
  const TemporaryFolder folder;
  const bool drawn = write_trace_svg(folder / "graph.svg", t);
  CHECK(folder.file_count() == (drawn ? 1U : 0U));
  if (drawn) CHECK_THAT(read_bytes(folder / "graph.svg"), ContainsSubstring("</svg>"));
}

TEST_CASE("the page of a trace holds all of it and needs no network", "[autograd][trace]") {
  const SmallGraph graph;
  graph.w.set_name("</script><b>");
  const std::string page = to_html(trace(graph.loss()), {.title = "a < b"});
  CHECK_THAT(page, ContainsSubstring("<title>a &lt; b</title>"));
  CHECK(page.find("http") == std::string::npos);
  CHECK(page.find("src=") == std::string::npos);
  CHECK(page.find("</script><b>") == std::string::npos);
  const std::string open = "<script type=\"application/json\" id=\"trace\">";
  const std::size_t begin = page.find(open) + open.size();
  const auto data =
      nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  CHECK(data["nodes"].size() == 4);
  CHECK(data["nodes"][0]["name"] == "</script><b>");
  CHECK(data["nodes"][0]["gradient"]["elements"] == std::vector<double>{1, 2});
  CHECK(data["nodes"][1]["inputs"] == std::vector<int>{-1, 0});
}

TEST_CASE("a chain of a million nodes is traced with a small stack and cut off readably",
          "[autograd][trace][deep]") {
  constexpr int length = 1000000;
  std::size_t total = 0;
  std::string text;
  std::string dot;
  with_small_stack([&] {
    const Variable x = parameter(scalar(1, DType::f64));
    Variable y = x;
    for (int i = 0; i < length; ++i) y = y + 1.0;
    const Trace t = trace(y, {.node_limit = 1000});
    total = t.total_nodes;
    text = to_string(t, {.line_limit = 20});
    dot = to_dot(t, {.node_limit = 20});
  });
  CHECK(total == length + 1);
  CHECK_THAT(text,
             ContainsSubstring("1000001 nodes, the first and the last 1000 of them looked at"));
  CHECK_THAT(text, ContainsSubstring("… 999981 more …"));
  CHECK_THAT(text, ContainsSubstring("1000000 add"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 23);
  CHECK_THAT(dot, ContainsSubstring("… 999981 more …"));
  CHECK(dot.size() < 10000);
}

}  // namespace
}  // namespace tensorette::testing
