// Gradients that other libraries have got wrong, with numbers worked out by hand.
#include <tensorette_test.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/fused/cross_entropy.hpp>
#include <tensorette/autograd/fused/dropout.hpp>
#include <tensorette/autograd/fused/embedding.hpp>
#include <tensorette/autograd/fused/linear.hpp>
#include <tensorette/autograd/fused/normalization.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/tensor/create.hpp>

namespace tensorette::testing {
namespace {

using Catch::Matchers::ContainsSubstring;
using Literal = std::initializer_list<tensorette::detail::Nested>;

Variable parameter_of(Literal values) {
  return parameter(tensor(values, DType::f64));
}

void check_close(const Variable& found, const Tensor& expected, double tolerance = 1e-12) {
  REQUIRE(found.is_defined());
  CHECK(found.shape() == expected.shape());
  CHECK(all_close(found.value(), expected, tolerance, tolerance));
}

void check_gradient(const Variable& x, Literal expected, double tolerance = 1e-12) {
  check_close(x.grad(), tensor(expected, DType::f64), tolerance);
}

TEST_CASE("the gradient of a scalar operand is a scalar", "[autograd][field][B10]") {
  const Variable v = parameter(scalar(3, DType::f64));
  const Tensor c = ones({2}, DType::f64);
  sum(c * v).backward();
  check_close(v.grad(), scalar(2, DType::f64));
  v.zero_grad();
  sum(Variable(c) + v).backward();
  check_close(v.grad(), scalar(2, DType::f64));
}

TEST_CASE("both sides of an outer product get their sums", "[autograd][field][B11]") {
  const Variable a = parameter_of({{1}, {2}});
  const Variable b = parameter_of({{3, 4, 5}});
  sum(a * b).backward();
  check_gradient(a, {{12}, {12}});
  check_gradient(b, {{3, 3, 3}});
}

TEST_CASE("leading and inner broadcast axes are summed together", "[autograd][field][B12]") {
  const Variable a = parameter(ones({2, 3, 4}, DType::f64));
  const Variable b = parameter(ones({3, 1}, DType::f64));
  sum(a * b).backward();
  check_gradient(b, {{8}, {8}, {8}});
  check_close(a.grad(), ones({2, 3, 4}, DType::f64));
}

TEST_CASE("the mean of a vector along its axis", "[autograd][field][B14]") {
  const Variable x = parameter(ones({4}, DType::f64));
  const Variable loss = mean(x * x, 0);
  CHECK(loss.shape() == Shape{});
  loss.backward();
  check_gradient(x, {0.5, 0.5, 0.5, 0.5});
}

TEST_CASE("an expanded value collects the shares of all its copies", "[autograd][field][B16]") {
  const Variable x = parameter_of({{1, 2}});
  expand(x, {3, 2}).backward(tensor({{1, 2}, {3, 4}, {5, 6}}, DType::f64));
  check_gradient(x, {{9, 12}});
}

TEST_CASE("norm and absolute value have gradient 0 at 0", "[autograd][field][B18]") {
  const Variable x = parameter_of({0, 0, 0});
  norm(x).backward();
  check_gradient(x, {0, 0, 0});
  const Variable y = parameter_of({0, -2, 3});
  sum(abs(y)).backward();
  check_gradient(y, {0, -1, 1});
  const Variable z = parameter_of({3, 4});
  norm(z).backward();
  check_gradient(z, {0.6, 0.8});
}

TEST_CASE("the branch of where that is not taken gives no NaN", "[autograd][field][B19]") {
  // √x of the other branch is NaN at −1 and so is its slope; the idiom keeps it out of the root.
  const Variable x = parameter_of({-1, 4});
  const Tensor positive = x > 0;
  sum(where(positive, sqrt(where(positive, x, 1)), x)).backward();
  check_gradient(x, {1, 0.25});
  // where and masked_fill themselves select, they do not multiply: NaN times 0 is NaN.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Variable a = parameter_of({1, 2});
  const Variable b = parameter_of({3, 4});
  const Variable upstream = tensor({nan, 5}, DType::f64);
  const Tensor condition = tensor({1, 0}, DType::boolean);
  where(condition, a, b).backward(upstream);
  CHECK(std::isnan(a.grad().value().at<double>(0)));
  CHECK(a.grad().value().at<double>(1) == 0);
  check_gradient(b, {0, 5});
  const Variable c = parameter_of({1, 2});
  masked_fill(c, condition, 7).backward(upstream);
  check_gradient(c, {0, 5});
}

TEST_CASE("softmax of large logits neither overflows nor gives NaN", "[autograd][field][B23]") {
  const Variable x = parameter(tensor({378, -250, -424}, DType::f32));
  const Variable y = softmax(x);
  CHECK(all_close(y.value(), tensor({1, 0, 0})));
  y.backward(tensor({1, 2, 3}));
  CHECK(all_close(x.grad().value(), tensor({0, 0, 0})));
}

TEST_CASE("dropping everything gives zeros", "[autograd][field][B37]") {
  const Variable x = parameter_of({1, 2});
  Generator generator(1);
  const Variable y = dropout(x, 1, generator);
  check_close(y, zeros({2}, DType::f64));
  sum(y).backward();
  check_gradient(x, {0, 0});
  const Generator::State before = generator.state();
  CHECK_THROWS_AS(dropout(x, -0.1, generator), Error);
  CHECK_THROWS_WITH(dropout(x, 1.1, generator), ContainsSubstring("1.1"));
  CHECK(generator.state() == before);
}

TEST_CASE("upstream gradients need not be contiguous", "[autograd][field][B38]") {
  const Tensor values = tensor({{1, 2}, {3, 4}, {5, 6}}, DType::f64);
  const Tensor upstream = tensor({{1, 2}, {3, 4}, {5, 6}}, DType::f64);
  const Variable x = parameter(values);
  transpose(reshape(reshape(x, {6}), {2, 3})).backward(upstream);
  check_gradient(x, {{1, 3}, {5, 2}, {4, 6}});

  // The same for operations with formulas of their own: a strided gradient and a dense copy of it
  // give one result.
  const Variable weight = parameter_of({{1, -1}, {2, 0.5}, {0, 1}});
  const Variable gain = parameter_of({1.5, 0.5});
  const Tensor ids = from_vector(std::vector<Index>{2, 0, 2});
  const std::function<Variable()> functions[] = {
      [&] { return linear(x, weight); },       [&] { return softmax(x); },
      [&] { return layer_norm(x, gain, {}); }, [&] { return rms_norm(x, gain); },
      [&] { return embedding(x, ids); },
  };
  for (const auto& function : functions) {
    const Variable y = function();
    const Tensor strided =
        transpose(reshape(arange(0, y.element_count(), 1, DType::f64), {y.size(1), y.size(0)}));
    REQUIRE_FALSE(strided.is_contiguous());
    const Variable inputs[] = {x, weight, gain};
    const Variable dense_upstream = strided.clone();
    const Variable strided_upstream = strided;
    const auto expected = grad({&y, 1}, inputs, {&dense_upstream, 1}, {.retain_graph = true});
    const auto found = grad({&y, 1}, inputs, {&strided_upstream, 1});
    for (std::size_t i = 0; i < 3; ++i) check_close(found[i], expected[i].value());
  }
}

TEST_CASE("the product's gradient never divides by a zero factor", "[autograd][field][B39]") {
  const Variable one_zero = parameter_of({2, 3, 0});
  prod(one_zero).backward();
  check_gradient(one_zero, {0, 0, 6});
  const Variable two_zeros = parameter_of({2, 0, 0});
  prod(two_zeros).backward();
  check_gradient(two_zeros, {0, 0, 0});
}

TEST_CASE("an empty batch gives zero gradients", "[autograd][field][B40]") {
  const Variable x = parameter(zeros({0, 4}));
  const Variable weight = parameter(ones({2, 4}));
  const Variable bias = parameter(ones({2}));
  const Variable y = linear(x, weight, bias);
  CHECK(y.shape() == Shape{0, 2});
  const Variable loss = sum(y);
  CHECK(loss.item() == 0);
  loss.backward();
  CHECK(x.grad().shape() == Shape{0, 4});
  CHECK(identical(weight.grad().value(), zeros({2, 4})));
  CHECK(identical(bias.grad().value(), zeros({2})));
  CHECK(std::isnan(mean(linear(x, weight, bias)).item()));
}

TEST_CASE("softmax and cross entropy keep the gradient that taking log after softmax loses",
          "[autograd][field][B41]") {
  const Variable x = parameter_of({1, 2, 3});
  softmax(x).backward(tensor({1, 0, 0}, DType::f64));
  check_gradient(x, {0.0819251, -0.0220330, -0.0598920}, 1e-7);
  const Tensor target = from_vector(std::vector<Index>{0}, {1});
  const Tensor class_zero = reshape(target, {});
  const std::function<Variable()> losses[] = {
      [&] { return cross_entropy(x, class_zero); },
      [&] { return cross_entropy_reference(x, class_zero); },
      [&] { return negate(select(log_softmax(x), 0, 0)); },
  };
  for (const auto& loss : losses) {
    x.zero_grad();
    const Variable value = loss();
    CHECK(value.item() == Catch::Approx(2.4076060).margin(1e-7));
    value.backward();
    check_gradient(x, {-0.9099694, 0.2447285, 0.6652410}, 1e-7);
  }
  // Where e^x underflows, the fused loss still knows which way is down.
  const Variable far = parameter_of({0, 2000});
  const Variable loss = cross_entropy(far, class_zero);
  CHECK(loss.item() == 2000);
  loss.backward();
  check_gradient(far, {-1, 1});
}

}  // namespace
}  // namespace tensorette::testing
