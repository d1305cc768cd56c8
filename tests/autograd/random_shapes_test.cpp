// Every operation on random shapes: value, vjp, jvp and Hessian-vector product agree with central
// differences and with each other.
#include <tensorette_test.hpp>

#include <algorithm>
#include <cmath>
#include <compare.hpp>
#include <random_samples.hpp>
#include <tensorette/autograd/functional.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/reduce.hpp>

namespace tensorette::testing {
namespace {

using Inputs = std::span<const Variable>;
using Numbers = std::vector<double>;

std::vector<Variable> random_like(Generator& generator, std::span<const Variable> variables) {
  std::vector<Variable> result;
  for (const Variable& v : variables) {
    result.emplace_back(generator.uniform(v.shape(), -1, 1, DType::f64));
  }
  return result;
}

Numbers all_numbers(std::span<const Variable> variables) {
  Numbers all;
  for (const Variable& v : variables) {
    const Numbers own = numbers(v.value());
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

double inner(const Numbers& a, const Numbers& b) {
  double total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) total += a[i] * b[i];
  return total;
}

bool are_close(const Numbers& a, const Numbers& b, double relative, double absolute) {
  if (a.size() != b.size()) return false;
  double largest = 0;
  double apart = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max({largest, std::abs(a[i]), std::abs(b[i])});
    apart = std::max(apart, std::abs(a[i] - b[i]));
  }
  return apart <= relative * largest + absolute;
}

// (8 (f(x + hv) − f(x − hv)) − (f(x + 2hv) − f(x − 2hv))) / 12h
Numbers difference_along(const FunctionsOfMany& f, std::span<const Variable> x,
                         std::span<const Variable> v, double h) {
  const NoGrad no_grad;
  const auto at = [&](double t) {
    std::vector<Variable> moved;
    for (std::size_t i = 0; i < x.size(); ++i) {
      moved.emplace_back(x[i].value() + v[i].value() * (t * h));
    }
    return all_numbers(f(moved));
  };
  const Numbers one = at(1);
  const Numbers minus_one = at(-1);
  const Numbers two = at(2);
  const Numbers minus_two = at(-2);
  Numbers slope(one.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    slope[i] = (8 * (one[i] - minus_one[i]) - (two[i] - minus_two[i])) / (12 * h);
  }
  return slope;
}

void check_sample(const OpSample& sample, Generator& generator) {
  INFO(sample.name);
  const double relative = sample.options.relative;
  const double absolute = sample.options.absolute;
  // What should be the same number, up to rounding.
  const double rounding = sample.op == Op::to_dtype ? 1e-6 : 1e-11;
  const double h = sample.options.epsilon;
  const FunctionsOfMany& f = sample.function;
  const std::vector<Variable>& x = sample.inputs;
  const auto values = [&] {
    const NoGrad no_grad;
    return f(x);
  }();
  const auto v = random_like(generator, x);
  const auto u = random_like(generator, values);

  const auto forward = jvp(f, x, v);
  const auto backward = vjp(f, x, u);
  CHECK(same_bits(forward.values[0].value(), values[0].value()));
  CHECK(same_bits(backward.values[0].value(), values[0].value()));
  CHECK(are_close(all_numbers(forward.tangents), difference_along(f, x, v, h), relative, absolute));
  const double by_jvp = inner(all_numbers(u), all_numbers(forward.tangents));
  const double by_vjp = inner(all_numbers(backward.gradients), all_numbers(v));
  const double size = inner(all_numbers(u), all_numbers(u)) + std::abs(by_jvp);
  CHECK(std::abs(by_jvp - by_vjp) <= rounding * (1 + size));

  // The Hessian of u · f, or of its sine, so that linear operations have one, too.
  const FunctionOfMany curved = [&](Inputs in) { return sin(sum(f(in)[0] * u[0])); };
  const auto product = hvp(curved, x, v);
  const auto by_differences = difference_along(grad(curved), x, v, h);
  CHECK(are_close(all_numbers(product), by_differences, relative, absolute));
  CHECK(are_close(all_numbers(vhp(curved, x, v)), all_numbers(product), rounding, rounding));
}

TEST_CASE("families cover the op table", "[autograd][shapes]") {
  std::size_t covered = 0;
  for (const Family& family : op_families()) {
    covered += static_cast<std::size_t>(family.last) - static_cast<std::size_t>(family.first) + 1;
  }
  CHECK(covered == op_table().size() - 2);  // all but leaf and custom
}

TEST_CASE("value, vjp, jvp and Hessian product agree with differences over random shapes",
          "[autograd][shapes]") {
  constexpr int samples_of_family = 220;
  for (const Family& family : op_families()) {
    Generator generator(static_cast<std::uint64_t>(family.first));
    const auto first = static_cast<int>(family.first);
    const int operations = static_cast<int>(family.last) - first + 1;
    for (int i = 0; i < samples_of_family; ++i) {
      const auto op = static_cast<Op>(first + i % operations);
      check_sample(random_sample(op, generator), generator);
    }
  }
}

}  // namespace
}  // namespace tensorette::testing
