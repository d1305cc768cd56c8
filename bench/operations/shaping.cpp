// What copies elements from one place to another, by shape or by index.
#include <fmt/format.h>

#include <tensorette/autograd/ops/index.hpp>
#include <tensorette/autograd/ops/shaping.hpp>
#include <tensorette/tensor/random.hpp>

#include "register.hpp"
#include "sizes.hpp"

namespace tensorette::bench {
namespace {

void register_one(std::string_view name, const NamedSize& size, Operation operation) {
  register_benchmark(
      {.name = fmt::format("{}/{}", name, size.name),
       .make_inputs =
           [size] { return Inputs{parameter(make_operand(size.shape(), Layout::contiguous))}; },
       .operation = std::move(operation),
       .elements = size.elements()});
}

void register_copies(const NamedSize& size) {
  // A view whose elements are then brought into their own order.
  register_one("transpose_then_copy", size,
               [size](const Inputs& in) { return reshape(transpose(in[0]), {size.elements()}); });
  register_one("permute_heads_then_copy", size, [size](const Inputs& in) {
    const Variable split = reshape(in[0], {size.rows, 4, size.columns / 4});
    return reshape(permute(split, {1, 0, 2}), {size.elements()});
  });
  register_one("concat", size, [](const Inputs& in) { return concat({in[0], in[0]}, 1); });
  register_one("stack", size, [](const Inputs& in) { return stack({in[0], in[0]}); });
  register_one("repeat", size, [](const Inputs& in) { return repeat(in[0], {2, 1}); });
  register_one("flip", size, [](const Inputs& in) { return flip(in[0], Axes{1}); });
  register_one("tril", size, [](const Inputs& in) { return tril(in[0]); });
}

void register_indexed(const NamedSize& size) {
  Generator generator(1);
  const Tensor rows = generator.integers({size.rows}, 0, size.rows);
  const Tensor places = generator.integers(size.shape(), 0, size.columns);
  register_one("take_rows", size, [rows](const Inputs& in) { return take_rows(in[0], rows); });
  register_one("index_select", size,
               [rows](const Inputs& in) { return index_select(in[0], 0, rows); });
  register_one("gather", size, [places](const Inputs& in) { return gather(in[0], 1, places); });
  register_one("scatter_add", size,
               [places](const Inputs& in) { return scatter_add(in[0], 1, places, in[0]); });
  register_one("topk", size, [](const Inputs& in) { return topk(in[0], 4).values; });
  register_one("sort", size, [](const Inputs& in) { return sort(in[0]).values; });
}

}  // namespace

void register_shaping() {
  for (const NamedSize& size : sizes) {
    register_copies(size);
    register_indexed(size);
  }
}

}  // namespace tensorette::bench
