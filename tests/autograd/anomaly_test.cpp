#include <tensorette_test.hpp>

#include <compare.hpp>
#include <tensorette/autograd/anomaly.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/elementwise.hpp>

namespace tensorette::testing {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST_CASE("the guard names the forward operation that made NaN", "[autograd][anomaly]") {
  const Variable x = parameter(from_vector<double>({1, 2, 3}, {3}), "x");
  const DetectAnomaly guard;
  const std::string text = error_text<AnomalyError>([&] {
    const ObservedScope scope("Model.head");
    static_cast<void>(exp(log(x - 2.0)));
  });
  CHECK_THAT(text, ContainsSubstring("anomaly: log in Model.head gave NaN in 1 of 3 elements: "
                                     "[3] -> [3]; its inputs are finite"));
  CHECK_THAT(text,
             ContainsSubstring("forward came through:\n    log [3] in Model.head\n    add [3] "
                               "in Model.head\n    parameter \"x\" [3]"));
}

TEST_CASE("the guard names the operation that made an infinity, unless told otherwise",
          "[autograd][anomaly]") {
  const Variable x = parameter(from_vector<double>({0, 1}, {2}));
  {
    const DetectAnomaly guard;
    CHECK_THAT(error_text<AnomalyError>([&] { static_cast<void>(log(x)); }),
               ContainsSubstring("anomaly: log gave infinity in 1 of 2 elements"));
  }
  const DetectAnomaly guard({.infinities = false});
  CHECK(log(x).element_count() == 2);
}

TEST_CASE("the guard names the backward operation that made a bad gradient",
          "[autograd][anomaly]") {
  // d sqrt(x)/dx is infinite at 0; the value is not.
  const Variable x = parameter(from_vector<double>({0, 4}, {2}), "x");
  const DetectAnomaly guard;
  const Variable loss = [&] {
    const ObservedScope scope("Model");
    return sum(sqrt(x) * 3.0);
  }();
  const std::string text = error_text<AnomalyError>([&] { loss.backward(); });
  CHECK_THAT(text,
             ContainsSubstring("anomaly: backward of sqrt [2] in Model gave infinity in 1 of 2 "
                               "elements in the gradient of input 0, parameter \"x\" [2]; "
                               "dx = g / (2 y)"));
  CHECK_THAT(text,
             ContainsSubstring("the gradient came through:\n    sqrt [2] in Model\n    multiply "
                               "[2] in Model\n    sum [] in Model"));
  CHECK_FALSE(x.grad().is_defined());
}

TEST_CASE("the guard says that a NaN was there before", "[autograd][anomaly]") {
  const Variable x = parameter(from_vector<double>({1, std::nan("")}, {2}), "damaged");
  const DetectAnomaly guard;
  CHECK_THAT(error_text<AnomalyError>([&] { static_cast<void>(x * 2.0); }),
             ContainsSubstring("input 0, parameter \"damaged\" [2] has NaN in 1 of 2 elements "
                               "already"));
}

TEST_CASE("the guard lets masks and sound computations through", "[autograd][anomaly]") {
  const Variable x = parameter(from_vector<double>({1, 2, 3, 4}, {2, 2}));
  const Tensor mask = from_vector<bool>({true, false, false, true}, {2, 2});
  const DetectAnomaly guard;
  const Variable scores = softmax(masked_fill(x, mask, -infinity), -1);
  sum(square(scores)).backward();
  const Variable bias(from_vector<double>({0, -infinity}, {2}));
  sum(square(softmax(x + bias, -1))).backward();
  CHECK(is_finite(x.grad().value()));
}

TEST_CASE("after the guard nothing is looked at", "[autograd][anomaly]") {
  const Variable x = parameter(scalar(-1, DType::f64));
  { const DetectAnomaly guard; }
  CHECK(std::isnan(log(x).item()));
}

}  // namespace
}  // namespace tensorette::testing
