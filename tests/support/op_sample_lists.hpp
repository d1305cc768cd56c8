// How the lists of samples are written; op_samples.hpp is what tests include.
#pragma once

#include <array>
#include <op_samples.hpp>
#include <string>
#include <tensorette/autograd/ops/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <vector>

namespace tensorette::testing {

using Inputs = std::span<const Variable>;
using Samples = std::vector<OpSample>;

constexpr std::array layouts{Layout::contiguous, Layout::transposed, Layout::sliced,
                             Layout::expanded};

inline const char* name_of(Layout layout) {
  constexpr std::array names{"contiguous", "transposed", "sliced", "expanded"};
  return names[static_cast<std::size_t>(layout)];
}

template <class Function>
void add_sample(Samples& samples, Op op, const std::string& what, Function function,
                std::vector<Variable> inputs) {
  GradcheckFunctions several = [function](Inputs in) {
    return std::vector<Variable>{function(in)};
  };
  samples.push_back(
      {op, std::string(info_of(op).name) + ": " + what, std::move(several), std::move(inputs), {}});
}

// A function of one tensor in every layout. Where values must differ, none is expanded.
template <class Function>
void add_unary(Samples& samples, Op op, Function function, const Tensor& values,
               const std::string& what = "", bool must_differ = false) {
  const auto one = [function](Inputs in) { return function(in[0]); };
  for (const Layout layout : layouts) {
    if (must_differ && layout == Layout::expanded) continue;
    add_sample(samples, op, what + name_of(layout), one, {laid_out(values, layout)});
  }
}

// A function of two tensors, as NumPy broadcasts them.
template <class Function>
void add_binary(Samples& samples, Op op, Function function, double low, double high) {
  const auto both = [function](Inputs in) { return function(in[0], in[1]); };
  const auto make = [&](const Shape& shape, std::uint64_t seed) {
    return low < high  ? values_between(low, high, shape, seed)
           : seed == 1 ? distinct_values(shape, seed)
                       : distinct_values(shape, seed) + 0.03;
  };
  const auto pair = [&](const char* what, const Shape& a, const Shape& b) {
    add_sample(samples, op, what, both, {make(a, 1), make(b, 2)});
  };
  pair("same shapes", {2, 3}, {2, 3});
  pair("broadcast right", {2, 3}, {3});
  pair("broadcast left", {1}, {2, 3});
  pair("broadcast both", {2, 1}, {1, 3});
  pair("ranks differ", {2, 3, 2}, {3, 1});
  pair("scalars", {}, {2, 2});
  pair("empty", {0, 3}, {3});
  add_sample(
      samples, op, "strided", both,
      {laid_out(make({3, 2}, 1), Layout::transposed), laid_out(make({3, 2}, 2), Layout::sliced)});
  add_sample(samples, op, "twice the same input",
             [function](Inputs in) { return function(in[0], in[0] * 1.25); }, {make({3}, 1)});
}

// Token ids and positions.
inline Tensor ids(const std::vector<Index>& numbers, const Shape& shape) {
  return from_vector(numbers, shape);
}

// The parts of op_samples().
void add_arithmetic(Samples& samples);
void add_elementwise(Samples& samples);
void add_reductions(Samples& samples);
void add_shaping(Samples& samples);
void add_index(Samples& samples);
void add_products(Samples& samples);
void add_fused(Samples& samples);

}  // namespace tensorette::testing
