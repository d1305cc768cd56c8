// Sinusoidal and learned positions.
#include <cmath>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/position.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "compare.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::nn;
using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("an odd width ends on a sine", "[position][field][A31]") {
  const Tensor table = sinusoidal_positions(2, 5);
  CHECK(table.shape() == Shape{2, 5});
  CHECK(distance(select(table, 0, 1), {0.8414710, 0.5403023, 0.0251162, 0.9996845, 0.0006310}) <
        1e-7);
  CHECK(distance(sinusoidal_positions(2, 1), {0, std::sin(1.0)}) < 1e-7);
}

TEST_CASE("sines and cosines alternate, by token and not by sample", "[position][field][A32]") {
  const Tensor table = sinusoidal_positions(4, 4, DType::f64);
  CHECK(distance(select(table, 0, 0), {0, 1, 0, 1}) == 0.0);
  CHECK(distance(select(table, 0, 1), {0.8414710, 0.5403023, 0.0099998, 0.9999500}) < 1e-7);
  CHECK(distance(select(table, 0, 3), {0.1411200, -0.9899925, 0.0299955, 0.9995500}) < 1e-7);

  const SinusoidalPosition position({.max_length = 4, .dim = 4});
  const Tensor y = position.forward(ones({2, 4, 4}, DType::f64)).value();
  CHECK(same_bits(select(y, 0, 0), select(y, 0, 1)));
  CHECK(same_bits(select(y, 0, 0), table + 1.0));
}

TEST_CASE("a sequence longer than the table is refused", "[position][field][A33]") {
  Generator generator(1);
  const SinusoidalPosition sinusoidal({.max_length = 4, .dim = 6});
  const LearnedPosition learned({.max_length = 4, .dim = 6}, generator);
  const auto check = [](const auto& position) {
    const auto text = [&](const Tensor& x, Index first) {
      return error_text<ShapeError>([&] { (void)position.forward(x, first); });
    };
    CHECK_THAT(text(zeros({1, 5, 6}), 0), ContainsSubstring("5") && ContainsSubstring("4"));
    CHECK_THAT(text(zeros({1, 2, 6}), 3),
               ContainsSubstring("2 tokens") && ContainsSubstring("position 3"));
    CHECK_THAT(text(zeros({1, 2, 6}), -1), ContainsSubstring("-1"));
    CHECK_THAT(text(zeros({1, 2, 5}), 0), ContainsSubstring("[1, 2, 5]"));
    CHECK_THAT(text(zeros({2, 6}), 0), ContainsSubstring("[2, 6]"));
    CHECK(position.forward(zeros({1, 4, 6})).shape() == Shape{1, 4, 6});
    CHECK(position.forward(zeros({1, 1, 6}), 3).shape() == Shape{1, 1, 6});
  };
  check(sinusoidal);
  check(learned);
  for (const PositionOptions& wrong :
       {PositionOptions{.max_length = 0, .dim = 2}, PositionOptions{.max_length = 2, .dim = 0}}) {
    CHECK_THAT(error_text<Error>([&] { (void)SinusoidalPosition(wrong); }),
               ContainsSubstring("must be positive"));
    CHECK_THAT(error_text<Error>([&] { (void)LearnedPosition(wrong, generator); }),
               ContainsSubstring("must be positive"));
  }
  CHECK_THAT(error_text<Error>([] { (void)sinusoidal_positions(0, 2); }),
             ContainsSubstring("0 and 2"));
}

TEST_CASE("positions can start anywhere", "[position]") {
  Generator generator(2);
  const Tensor x = generator.normal({2, 6, 4}, 0, 1, DType::f64);
  const SinusoidalPosition sinusoidal({.max_length = 8, .dim = 4});
  LearnedPosition learned({.max_length = 8, .dim = 4}, generator);
  learned.to(DType::f64);
  CHECK(same_bits(sinusoidal.forward(narrow(x, 1, 2, 3), 2).value(),
                  narrow(sinusoidal.forward(x).value(), 1, 2, 3)));
  CHECK(same_bits(learned.forward(narrow(x, 1, 2, 3), 2).value(),
                  narrow(learned.forward(x).value(), 1, 2, 3)));
}

TEST_CASE("learned positions collect gradients where they stood", "[position]") {
  Generator generator(3);
  const LearnedPosition learned({.max_length = 5, .dim = 2}, generator);
  CHECK(learned.parameter_count() == 10);
  CHECK(SinusoidalPosition({.max_length = 5, .dim = 2}).parameter_count() == 0);
  sum(learned.forward(zeros({3, 2, 2}), 1)).backward();
  CHECK(distance(learned.weight.grad().value(), tensor({{0, 0}, {3, 3}, {3, 3}, {0, 0}, {0, 0}})) ==
        0.0);
}
