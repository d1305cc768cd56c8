#include <tensorette_test.hpp>

#include <cmath>
#include <tensorette/autograd/fused/cross_entropy.hpp>
#include <tensorette/tensorette.hpp>

using namespace tensorette;
using Catch::Approx;

namespace {

// -sum q log softmax(logits) of each row, in plain loops.
std::vector<double> losses_by_hand(const Tensor& logits, const std::vector<Index>& targets,
                                   double smoothing) {
  const Index rows = logits.size(0);
  const Index classes = logits.size(1);
  std::vector<double> losses;
  for (Index r = 0; r < rows; ++r) {
    double total = 0;
    for (Index c = 0; c < classes; ++c) total += std::exp(logits.at<double>(r, c));
    double loss = 0;
    for (Index c = 0; c < classes; ++c) {
      const double q = smoothing / static_cast<double>(classes) +
                       (c == targets[static_cast<std::size_t>(r)] ? 1 - smoothing : 0);
      loss -= q * (logits.at<double>(r, c) - std::log(total));
    }
    losses.push_back(loss);
  }
  return losses;
}

}  // namespace

TEST_CASE("cross entropy equals plain loops", "[nn][loss]") {
  Generator generator(1);
  for (const Index classes : {1, 2, 7, 8, 33}) {
    for (const double smoothing : {0.0, 0.1, 1.0}) {
      CAPTURE(classes, smoothing);
      const Tensor logits = generator.normal({5, classes}, 0, 3, DType::f64);
      const std::vector<Index> targets = generator.integers({5}, 0, classes).to_vector<Index>();
      const auto right = losses_by_hand(logits, targets, smoothing);
      const auto got =
          nn::cross_entropy(logits, from_vector(targets),
                            {.label_smoothing = smoothing, .reduction = nn::Reduction::none})
              .value()
              .to_vector<double>();
      double mean_loss = 0;
      for (std::size_t i = 0; i < 5; ++i) {
        CHECK(got[i] == Approx(right[i]).epsilon(1e-12).margin(1e-12));
        mean_loss += right[i] / 5;
      }
      CHECK(
          nn::cross_entropy(logits, from_vector(targets), {.label_smoothing = smoothing}).item() ==
          Approx(mean_loss).epsilon(1e-12).margin(1e-12));
    }
  }
}

TEST_CASE("cross entropy has the values and gradients of the unfused form",
          "[nn][loss][field][B41]") {
  const Variable logits = parameter(tensor({{1, 2, 3}}, DType::f64));
  const Variable loss = nn::cross_entropy(logits, from_vector<Index>({0}));
  CHECK(loss.item() == Approx(2.4076060).margin(1e-7));
  loss.backward();
  const double right[] = {-0.9099694, 0.2447285, 0.6652410};
  for (int i = 0; i < 3; ++i) {
    CHECK(logits.grad().value().at<double>(0, i) == Approx(right[i]).margin(1e-7));
  }
  const Variable again = parameter(tensor({{1, 2, 3}}, DType::f64));
  nn::nll(log_softmax(again), from_vector<Index>({0})).backward();
  CHECK(all_close(again.grad().value(), logits.grad().value(), 1e-12));
}

TEST_CASE("the second derivative of cross entropy is that of its reference", "[nn][loss]") {
  Generator generator(2);
  const Tensor values = generator.normal({4, 6}, 0, 1, DType::f64);
  const Tensor targets = from_vector<Index>({0, 5, 2, 2});
  const auto second = [&](auto&& loss_of) {
    const Variable x = parameter(values.clone());
    const Variable first = grad(sum(square(loss_of(x))), x, {.create_graph = true});
    return grad(sum(square(first)), x).value();
  };
  const Tensor fused =
      second([&](const Variable& x) { return tensorette::cross_entropy(x, targets, 2, 0.1); });
  const Tensor reference = second(
      [&](const Variable& x) { return tensorette::cross_entropy_reference(x, targets, 2, 0.1); });
  CHECK(all_close(fused, reference, 1e-10, 1e-12));
}

TEST_CASE("label smoothing spreads over all classes", "[nn][loss][field][D02]") {
  const Tensor logits = tensor({{1, 0, 2, 0, 0.5}}, DType::f64);
  const double loss = nn::cross_entropy(logits, from_vector<Index>({2}),
                                        {.ignore_index = -100, .label_smoothing = 0.1})
                          .item();
  CHECK(loss == Approx(0.7514794).margin(1e-7));
}

TEST_CASE("all targets ignored: loss 0 and zero gradients", "[nn][loss][field][D03]") {
  const Variable logits = parameter(tensor({{1, 2, 3}, {4, 5, 6}}));
  const Tensor targets = from_vector<Index>({-100, -100});
  const Variable loss = nn::cross_entropy(logits, targets, {.ignore_index = -100});
  CHECK(loss.item() == 0.0);
  loss.backward();
  CHECK(identical(logits.grad().value(), zeros({2, 3})));
  CHECK(nn::counted_targets(targets, -100) == 0);
  CHECK(nn::counted_targets(targets, std::nullopt) == 2);
}

TEST_CASE("the mean counts only targets that are not ignored", "[nn][loss]") {
  const Tensor logits = tensor({{3, 3}, {2, 2}, {100, -100}}, DType::f64);
  CHECK(nn::cross_entropy(logits, from_vector<Index>({0, 1, 9}), {.ignore_index = 9}).item() ==
        Approx(0.6931472));
}

TEST_CASE("targets outside the classes are named", "[nn][loss][field][B25]") {
  const Tensor logits = zeros({2, 4});
  for (const Index bad : {Index{-1}, Index{4}, Index{1} << 31}) {
    CHECK_THROWS_AS(nn::cross_entropy(logits, from_vector<Index>({0, bad})), IndexError);
    CHECK_THROWS_WITH(nn::cross_entropy(logits, from_vector<Index>({0, bad})),
                      Catch::Matchers::ContainsSubstring(std::to_string(bad)) &&
                          Catch::Matchers::ContainsSubstring("[0, 4)"));
  }
  CHECK_THROWS_AS(nn::cross_entropy(logits, from_vector<Index>({0})), ShapeError);
  CHECK_THROWS_AS(nn::cross_entropy(logits, zeros({2})), DTypeError);
  CHECK_THROWS_AS(nn::cross_entropy(logits, from_vector<Index>({0, 1}), {.label_smoothing = 1.5}),
                  Error);
}

TEST_CASE("large logits neither overflow nor lose the gradient", "[nn][loss][field][B23]") {
  const Variable logits = parameter(tensor({{378, -250, -424}}));
  const Variable loss = nn::cross_entropy(logits, from_vector<Index>({1}));
  CHECK(loss.item() == Approx(628.0));
  loss.backward();
  CHECK(all_close(logits.grad().value(), tensor({{1, -1, 0}})));
}

TEST_CASE("losses of predictions", "[nn][loss]") {
  const Tensor prediction = tensor({0, 2, -3}, DType::f64);
  const Tensor target = tensor({0.5, 0, 1}, DType::f64);
  CHECK(nn::mse(prediction, target).item() == Approx((0.25 + 4 + 16) / 3));
  CHECK(nn::mse(prediction, target, nn::Reduction::sum).item() == Approx(20.25));
  CHECK(nn::l1(prediction, target).item() == Approx(6.5 / 3));
  CHECK(nn::huber(prediction, target, {.delta = 1.0}).item() == Approx((0.125 + 1.5 + 3.5) / 3));
  CHECK_THROWS_AS(nn::huber(prediction, target, {.delta = 0}), Error);
  CHECK_THROWS_AS(nn::mse(prediction, zeros({2}, DType::f64)), ShapeError);
}

TEST_CASE("binary cross entropy from logits is exact on both sides", "[nn][loss]") {
  const Tensor logits = tensor({0, 1000, -1000, 2}, DType::f64);
  const Tensor targets = tensor({1, 1, 0, 0.25}, DType::f64);
  const auto got =
      nn::bce_with_logits(logits, targets, nn::Reduction::none).value().to_vector<double>();
  CHECK(got[0] == Approx(std::log(2.0)));
  CHECK(got[1] == 0.0);
  CHECK(got[2] == 0.0);
  CHECK(got[3] == Approx(std::log1p(std::exp(2.0)) - 0.5));
}

TEST_CASE("KL divergence: zero for equal distributions, 0 log 0 is 0", "[nn][loss]") {
  const Tensor p = tensor({{0.5, 0.5, 0}, {0.25, 0.5, 0.25}}, DType::f64);
  const Tensor q = tensor({{0.25, 0.5, 0.25}, {0.25, 0.5, 0.25}}, DType::f64);
  const auto rows = nn::kl_divergence(log(q), p, nn::Reduction::none).value().to_vector<double>();
  CHECK(rows[0] == Approx(0.5 * std::log(2.0)));
  CHECK(rows[1] == Approx(0.0).margin(1e-15));
}
