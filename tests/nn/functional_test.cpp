// Models as functions of their parameters.
#include <tensorette_test.hpp>

#include <compare.hpp>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/activation.hpp>
#include <tensorette/nn/functional.hpp>
#include <tensorette/nn/linear.hpp>
#include <tensorette/nn/loss.hpp>
#include <tensorette/nn/transformer.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/reduce.hpp>

namespace tensorette::testing {
namespace {

nn::Transformer small_transformer(nn::TiedEmbeddings tied) {
  Generator generator(1);
  nn::Transformer model({.source_vocabulary = 6,
                         .target_vocabulary = 6,
                         .dim = 8,
                         .heads = 2,
                         .encoder_layers = 1,
                         .decoder_layers = 1,
                         .hidden = 8,
                         .dropout = 0,
                         .tied = tied},
                        generator);
  model.to(DType::f64);
  return model;
}

const Tensor source = from_vector(std::vector<Index>{1, 2, 3, 4, 5, 0}, {2, 3});
const Tensor target = from_vector(std::vector<Index>{2, 1, 5, 3}, {2, 2});

TEST_CASE("the gradient of a function of parameters is that of backward", "[nn][functional]") {
  for (const auto tied : {nn::TiedEmbeddings::none, nn::TiedEmbeddings::all}) {
    nn::Transformer model = small_transformer(tied);
    const auto loss = nn::function_of_parameters(
        model, [&] { return nn::cross_entropy(model.forward(source, target), target); });
    const std::vector<Variable> parameters = model.parameters();
    const auto found = value_and_grad(loss)(parameters);
    loss(parameters).backward();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (!parameters[i].grad().is_defined()) continue;
      CHECK(distance(found.gradients[i].value(), parameters[i].grad().value()) < 1e-12);
    }
    // The model has its own parameters again.
    const std::vector<Variable> after = model.parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      CHECK(after[i].node() == parameters[i].node());
    }
  }
}

TEST_CASE("Hessian products of a Transformer are differences of its gradients",
          "[nn][functional]") {
  nn::Transformer model = small_transformer(nn::TiedEmbeddings::output);
  const auto loss = nn::function_of_parameters(
      model, [&] { return nn::cross_entropy(model.forward(source, target), target); });
  const NoGrad no_grad;
  const std::vector<Variable> parameters = model.parameters();
  Generator generator(5);
  std::vector<Variable> direction;
  std::vector<Variable> ahead;
  std::vector<Variable> behind;
  const double h = 1e-5;
  for (const Variable& p : parameters) {
    const Tensor v = generator.normal(p.shape(), 0, 1, DType::f64);
    direction.emplace_back(v);
    ahead.emplace_back(p.value() + v * h);
    behind.emplace_back(p.value() - v * h);
  }
  const auto forward_over_reverse = hvp(loss, parameters, direction);
  const auto reverse_over_reverse = vhp(loss, parameters, direction);
  const auto above = grad(loss)(ahead);
  const auto below = grad(loss)(behind);
  double slope = 0;
  const auto gradients = grad(loss)(parameters);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Tensor measured = (above[i].value() - below[i].value()) * (0.5 / h);
    CHECK(distance(forward_over_reverse[i].value(), measured) < 1e-6);
    CHECK(distance(reverse_over_reverse[i].value(), forward_over_reverse[i].value()) < 1e-10);
    slope += sum(gradients[i].value() * direction[i].value()).item();
  }
  CHECK(jvp(loss, parameters, direction).tangent.item() == Catch::Approx(slope).epsilon(1e-10));
}

TEST_CASE("values of parameters may be results: a step of learning to learn", "[nn][functional]") {
  // The loss after one gradient step, differentiated with respect to the step's size.
  Generator generator(2);
  nn::Linear model({.in = 3, .out = 1}, generator);
  model.to(DType::f64);
  const Tensor x = generator.normal({5, 3}, 0, 1, DType::f64);
  const Tensor y = generator.normal({5, 1}, 0, 1, DType::f64);
  const auto loss = nn::function_of_parameters(model, [&] { return nn::mse(model.forward(x), y); });
  const auto after_step = [&](const Variable& rate) {
    const std::vector<Variable> parameters = model.parameters();
    const std::vector<Variable> gradients = grad(loss)(parameters);
    std::vector<Variable> stepped;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      stepped.push_back(parameters[i] - rate * gradients[i]);
    }
    return loss(stepped);
  };
  const double h = 1e-4;
  const double measured = (after_step(scalar(0.1 + h, DType::f64)).item() -
                           after_step(scalar(0.1 - h, DType::f64)).item()) /
                          (2 * h);
  CHECK(grad(after_step)(scalar(0.1, DType::f64)).item() == Catch::Approx(measured).epsilon(1e-7));
}

TEST_CASE("a function of parameters refuses values that do not fit", "[nn][functional]") {
  Generator generator(2);
  nn::Linear model({.in = 3, .out = 2}, generator);
  const Tensor x = ones({1, 3});
  const auto output = nn::function_of_parameters(model, [&] { return model.forward(x); });
  const std::vector<Variable> own = model.parameters();
  CHECK(error_text<Error>([&] { (void)output(std::vector<Variable>{own[0]}); }) ==
        "function_of_parameters: Linear has 2 parameters, got 1 values");
  CHECK(error_text<ShapeError>([&] {
          (void)output(std::vector<Variable>{own[1], own[1]});
        }) == "function_of_parameters: weight has shape [2, 3], its value [2]");
  CHECK(error_text<DTypeError>([&] {
          (void)output(std::vector<Variable>{own[0], zeros({2}, DType::f64)});
        }) == "function_of_parameters: bias is f32, its value f64");
  // An error inside leaves the model as it was.
  const auto fails = nn::function_of_parameters(model, [&] { return model.forward(ones({1, 4})); });
  CHECK_THROWS_AS(fails(std::vector<Variable>{zeros({2, 3}), zeros({2})}), ShapeError);
  CHECK(model.weight.node() == own[0].node());
}

}  // namespace
}  // namespace tensorette::testing
