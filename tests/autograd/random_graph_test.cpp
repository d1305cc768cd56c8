// Graphs nobody thought of: random operations on randomly chosen earlier values.
#include <tensorette_test.hpp>

#include <op_samples.hpp>
#include <tensorette/autograd/gradcheck.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/tensor/random.hpp>
#include <vector>

namespace tensorette::testing {
namespace {

// One more value made from two others, all of them small enough to be chained.
Variable random_step(std::uint64_t kind, const Variable& a, const Variable& b) {
  switch (kind) {
    case 0:
      return a + b;
    case 1:
      return a * b * 0.5;
    case 2:
      return tanh(a - b);
    case 3:
      return sin(a) / (square(b) + 1);
    case 4:
      return softmax(a) - b;
    case 5:
      return mean(a, -1, KeepDims::yes) * sigmoid(b);
    case 6:
      return sum(a * 0.3, 0, KeepDims::yes) + b;
    case 7:
      return flip(a, 0) * b;
    case 8:
      return matmul(a * 0.5, transpose(expand(b, {1, 3}))) + a;
    default:
      return narrow(concat({a, a * 2}, 1), 1, 1, a.size(1));
  }
}

// The same graph for every call with one seed.
Variable random_graph(std::uint64_t seed, std::span<const Variable> inputs) {
  Generator generator(seed);
  std::vector<Variable> wide{inputs[0], inputs[1]};  // [2, 3]
  const Variable& row = inputs[2];                   // [1, 3]
  for (int step = 0; step < 12; ++step) {
    const Variable a = wide[generator.next_below(wide.size())];
    const std::uint64_t kind = generator.next_below(10);
    const bool takes_row = kind == 8 || generator.next_below(4) == 0;
    const Variable b = takes_row ? row : wide[generator.next_below(wide.size())];
    wide.push_back(expand(random_step(kind, a, b), {2, 3}));
  }
  Variable total = wide[2];
  for (std::size_t i = 3; i < wide.size(); ++i) total = total + wide[i] * 0.25;
  return total;
}

TEST_CASE("gradients of random graphs are right, first and second", "[autograd][random]") {
  const std::int64_t before = live_nodes();
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const auto function = [seed](std::span<const Variable> in) { return random_graph(seed, in); };
    const std::vector<Variable> inputs{
        values_between(-1, 1, {2, 3}, seed),
        laid_out(values_between(-1, 1, {2, 3}, seed + 100), Layout::transposed),
        values_between(-1, 1, {1, 3}, seed + 200)};
    const GradcheckReport first = gradcheck(function, inputs);
    INFO("seed " << seed << ": " << first.to_string());
    CHECK(first.ok());
    const GradcheckReport second = gradgradcheck(function, inputs);
    INFO(second.to_string());
    CHECK(second.ok());
  }
  CHECK(live_nodes() == before);
}

}  // namespace
}  // namespace tensorette::testing
