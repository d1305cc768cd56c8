// Numbers of the counter-based generator: numbers a second.
#include <fmt/format.h>

#include <memory>
#include <tensorette/tensor/random.hpp>

#include "register.hpp"
#include "sizes.hpp"

namespace tensorette::bench {

void register_random() {
  const auto generator = std::make_shared<Generator>(1);
  for (const NamedSize& size : sizes) {
    const auto register_one = [&](std::string_view name, auto draw) {
      register_benchmark({.name = fmt::format("{}/{}", name, size.name),
                          .make_inputs = [] { return Inputs{}; },
                          .operation = [=](const Inputs&) -> Variable { return draw(*generator); },
                          .differentiable = false,
                          .elements = size.elements()});
    };
    const Shape shape = size.shape();
    register_one("uniform", [shape](Generator& g) { return g.uniform(shape); });
    register_one("normal", [shape](Generator& g) { return g.normal(shape); });
    register_one("bernoulli", [shape](Generator& g) { return g.bernoulli(shape, 0.1); });
  }
}

}  // namespace tensorette::bench
