// Two operands: every layout of the second one against a contiguous first one.
#include <fmt/format.h>

#include <tensorette/autograd/ops/arithmetic.hpp>
#include <utility>

#include "register.hpp"
#include "sizes.hpp"

namespace tensorette::bench {
namespace {

using BinaryFunction = Variable (*)(const Variable&, const Variable&);
using ScalarFunction = Variable (*)(const Variable&, Scalar);

constexpr std::array<std::pair<std::string_view, BinaryFunction>, 7> binary_functions{{
    {"add", add},
    {"subtract", subtract},
    {"multiply", multiply},
    {"divide", divide},
    {"pow", pow},
    {"maximum", maximum},
    {"minimum", minimum},
}};

constexpr std::array<std::pair<std::string_view, ScalarFunction>, 3> scalar_functions{{
    {"add_scalar", add},
    {"multiply_scalar", multiply},
    {"pow_scalar", pow},
}};

}  // namespace

void register_arithmetic() {
  for (const NamedSize& size : sizes) {
    for (const auto& [name, function] : binary_functions) {
      for (const Layout layout : {Layout::contiguous, Layout::transposed, Layout::every_second,
                                  Layout::broadcast_row, Layout::broadcast_column}) {
        register_benchmark(
            {.name = fmt::format("{}/{}/{}", name, size.name, name_of(layout)),
             .make_inputs =
                 [size, layout] {
                   return Inputs{parameter(make_operand(size.shape(), Layout::contiguous)),
                                 parameter(make_operand(size.shape(), layout))};
                 },
             .operation = [function](const Inputs& in) { return function(in[0], in[1]); },
             .elements = size.elements()});
      }
    }
    for (const auto& [name, function] : scalar_functions) {
      register_benchmark(
          {.name = fmt::format("{}/{}/contiguous", name, size.name),
           .make_inputs =
               [size] { return Inputs{parameter(make_operand(size.shape(), Layout::contiguous))}; },
           .operation = [function](const Inputs& in) { return function(in[0], Scalar(1.5)); },
           .elements = size.elements()});
    }
  }
}

}  // namespace tensorette::bench
