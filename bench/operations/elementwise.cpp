// One operand, and selections by a mask.
#include <fmt/format.h>

#include <tensorette/autograd/ops/elementwise.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <utility>

#include "register.hpp"
#include "sizes.hpp"

namespace tensorette::bench {
namespace {

using UnaryFunction = Variable (*)(const Variable&);

constexpr std::array<std::pair<std::string_view, UnaryFunction>, 21> unary_functions{{
    {"negate", negate},
    {"abs", abs},
    {"sign", sign},
    {"square", square},
    {"reciprocal", reciprocal},
    {"exp", exp},
    {"expm1", expm1},
    {"log", log},
    {"log1p", log1p},
    {"sqrt", sqrt},
    {"rsqrt", rsqrt},
    {"sin", sin},
    {"cos", cos},
    {"tanh", tanh},
    {"sigmoid", sigmoid},
    {"erf", erf},
    {"relu", relu},
    {"gelu", gelu},
    {"gelu_tanh", gelu_tanh},
    {"silu", silu},
    {"softplus", softplus},
}};

void register_one(std::string_view name, const NamedSize& size, Layout layout,
                  Operation operation) {
  register_benchmark(
      {.name = fmt::format("{}/{}/{}", name, size.name, name_of(layout)),
       .make_inputs = [size,
                       layout] { return Inputs{parameter(make_operand(size.shape(), layout))}; },
       .operation = std::move(operation),
       .elements = size.elements()});
}

}  // namespace

void register_elementwise() {
  for (const NamedSize& size : sizes) {
    for (const auto& [name, function] : unary_functions) {
      for (const Layout layout : {Layout::contiguous, Layout::transposed, Layout::every_second}) {
        register_one(name, size, layout, [function](const Inputs& in) { return function(in[0]); });
      }
    }
    const Tensor mask = greater(make_operand(size.shape(), Layout::contiguous), Scalar(1.0));
    register_one("clamp", size, Layout::contiguous,
                 [](const Inputs& in) { return clamp(in[0], 0.75, 1.25); });
    register_one("masked_fill", size, Layout::contiguous,
                 [mask](const Inputs& in) { return masked_fill(in[0], mask, 0.0); });
    register_one("where", size, Layout::contiguous,
                 [mask](const Inputs& in) { return where(mask, in[0], Scalar(0.0)); });
  }
}

}  // namespace tensorette::bench
