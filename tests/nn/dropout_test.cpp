// The dropout layer.
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/dropout.hpp>
#include <tensorette/tensor/create.hpp>

#include "compare.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::nn;
using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("dropout zeroes a share and scales the rest", "[dropout]") {
  Generator generator(101);
  const Dropout dropout({.probability = 0.25}, generator);
  const Tensor y = dropout.forward(ones({100, 100})).value();
  int dropped = 0;
  for (const double value : numbers(y)) {
    if (value == 0) {
      ++dropped;
    } else {
      CHECK(value == Catch::Approx(1 / 0.75));
    }
  }
  CHECK(dropped == Catch::Approx(2500).margin(200));
}

TEST_CASE("the gradient passes where the value passed", "[dropout]") {
  Generator generator(102);
  const Dropout dropout({.probability = 0.5}, generator);
  const Variable x = parameter(ones({50}));
  const Variable y = dropout.forward(x);
  sum(y).backward();
  CHECK(same_bits(x.grad().value(), y.value()));
}

TEST_CASE("dropout is off in evaluation and at probability 0", "[dropout]") {
  Generator generator(103);
  Dropout dropout({.probability = 0.5}, generator);
  const Tensor x = ones({20});
  CHECK(dropout.active_probability() == 0.5);
  CHECK_FALSE(same_bits(dropout.forward(x).value(), dropout.forward(x).value()));
  dropout.eval();
  CHECK(dropout.active_probability() == 0.0);
  CHECK(same_bits(dropout.forward(x).value(), x));
  CHECK(same_bits(Dropout({.probability = 0.0}, generator).forward(x).value(), x));
  CHECK(distance(Dropout({.probability = 1.0}, generator).forward(x).value(), zeros({20})) == 0.0);
}

TEST_CASE("the state of dropout can be kept and set", "[dropout]") {
  Generator generator(104);
  Dropout dropout({.probability = 0.5}, generator);
  const Tensor x = ones({64});
  const auto states = dropout.generator_states();
  REQUIRE(states.size() == 1);
  const Tensor first = dropout.forward(x).value();
  CHECK_FALSE(same_bits(dropout.forward(x).value(), first));
  dropout.set_generator_states(states);
  CHECK(same_bits(dropout.forward(x).value(), first));
}

TEST_CASE("a probability outside [0, 1] is refused", "[dropout]") {
  Generator generator(105);
  for (const double wrong : {-0.1, 1.1}) {
    CHECK_THAT(error_text<Error>([&] { (void)Dropout({.probability = wrong}, generator); }),
               ContainsSubstring(wrong < 0 ? "-0.1" : "1.1"));
  }
}
