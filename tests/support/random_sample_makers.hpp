/// \file
/// What makers of random samples are built from: choices, and a function with its inputs.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <op_sample_lists.hpp>
#include <tensorette/tensor/random.hpp>
#include <vector>

namespace tensorette::testing {

inline constexpr Index largest_size = 3;

// Random choices of one sample.
class Dice {
 public:
  explicit Dice(Generator& generator) : generator_(generator) {}

  [[nodiscard]] Index below(Index bound) {
    return static_cast<Index>(generator_.next_below(static_cast<std::uint64_t>(bound)));
  }
  [[nodiscard]] bool coin() { return below(2) == 1; }
  [[nodiscard]] Index size() { return 1 + below(largest_size); }
  [[nodiscard]] Shape shape(Index least_rank = 0, Index most_rank = 4) {
    std::vector<Index> sizes;
    const Index rank = least_rank + below(most_rank - least_rank + 1);
    for (Index i = 0; i < rank; ++i) sizes.push_back(size());
    return Shape(sizes);
  }
  // A shape that broadcasts to another: leading axes may be missing, others may have size 1.
  [[nodiscard]] Shape broadcast_from(const Shape& full) {
    std::vector<Index> sizes(full.begin() + below(full.rank() + 1), full.end());
    for (Index& axis : sizes) axis = coin() ? 1 : axis;
    return Shape(sizes);
  }
  [[nodiscard]] int axis_of(const Shape& shape) {
    const Index axis = below(shape.rank());
    return static_cast<int>(coin() ? axis : axis - shape.rank());
  }
  [[nodiscard]] Tensor values(double low, double high, const Shape& shape) {
    return generator_.uniform(shape, low, high, DType::f64);
  }
  // Apart from each other and from kinks at multiples of 0.1.
  [[nodiscard]] Tensor apart(const Shape& shape) {
    return distinct_values(shape, generator_.next_below(1000) + 1);
  }
  [[nodiscard]] Tensor ids(const Shape& shape, Index bound) {
    return generator_.integers(shape, 0, bound);
  }
  [[nodiscard]] Tensor flags(const Shape& shape) { return generator_.bernoulli(shape, 0.6); }
  [[nodiscard]] Generator::State numbers() { return generator_.reserve(1000); }
  [[nodiscard]] Layout layout(bool must_differ = false) {
    constexpr std::array all{Layout::contiguous, Layout::transposed, Layout::sliced,
                             Layout::expanded};
    return all[static_cast<std::size_t>(below(must_differ ? 3 : 4))];
  }

 private:
  Generator& generator_;
};

// What a maker gives: a function and its inputs.
struct Made {
  std::function<Variable(Inputs)> function;
  std::vector<Variable> inputs;
};
using Maker = std::function<Made(Dice&)>;
using Makers = std::map<Op, Maker>;
// A function of x that is made for x's shape.
template <class Make>
Maker shaped(Make make, Index least_rank = 0, Index most_rank = 4) {
  return [=](Dice& dice) {
    const Shape shape = dice.shape(least_rank, most_rank);
    return Made{make(dice, shape), {laid_out(dice.values(-2, 2, shape), dice.layout())}};
  };
}

/// The makers of fused operations, and of graphs as one operation.
void add_fused_makers(Makers& makers);

}  // namespace tensorette::testing
