// Over rows, over columns, and over everything; softmax stands here because it reduces its rows.
#include <fmt/format.h>

#include <tensorette/autograd/ops/reduce.hpp>
#include <utility>

#include "register.hpp"
#include "sizes.hpp"

namespace tensorette::bench {
namespace {

using Reduction = Variable (*)(const Variable&, const Axes&, KeepDims);
using RowFunction = Variable (*)(const Variable&, int);

constexpr std::array<std::pair<std::string_view, Reduction>, 7> reductions{{
    {"sum", sum},
    {"prod", prod},
    {"mean", mean},
    {"max", (max)},
    {"min", (min)},
    {"logsumexp", logsumexp},
    {"norm", norm},
}};

constexpr std::array<std::pair<std::string_view, RowFunction>, 3> row_functions{{
    {"softmax", softmax},
    {"log_softmax", log_softmax},
    {"cumsum", cumsum},
}};

void register_one(std::string_view name, const NamedSize& size, Layout layout,
                  std::string_view where, Operation operation) {
  register_benchmark(
      {.name = fmt::format("{}_{}/{}/{}", name, where, size.name, name_of(layout)),
       .make_inputs = [size,
                       layout] { return Inputs{parameter(make_operand(size.shape(), layout))}; },
       .operation = std::move(operation),
       .elements = size.elements()});
}

const std::array<std::pair<std::string_view, Axes>, 3>& axes_to_reduce() {
  static const std::array<std::pair<std::string_view, Axes>, 3> axes{
      {{"last_axis", Axes{-1}}, {"first_axis", Axes{0}}, {"all_axes", Axes::all()}}};
  return axes;
}

}  // namespace

void register_reductions() {
  for (const NamedSize& size : sizes) {
    for (const Layout layout : {Layout::contiguous, Layout::transposed}) {
      for (const auto& [where, axes] : axes_to_reduce()) {
        for (const auto& [name, function] : reductions) {
          register_one(name, size, layout, where, [function, axes](const Inputs& in) {
            return function(in[0], axes, KeepDims::no);
          });
        }
        register_one("variance", size, layout, where,
                     [axes](const Inputs& in) { return variance(in[0], axes); });
      }
      for (const int axis : {0, 1}) {
        for (const auto& [name, function] : row_functions) {
          register_one(name, size, layout, axis == 0 ? "first_axis" : "last_axis",
                       [function, axis](const Inputs& in) { return function(in[0], axis); });
        }
      }
    }
  }
}

}  // namespace tensorette::bench
