// Products: square, tall and thin, batched, and with transposed operands, with their rate.
#include <fmt/format.h>

#include <tensorette/autograd/ops/matmul.hpp>
#include <tensorette/autograd/ops/shaping.hpp>
#include <tensorette/tensor/random.hpp>

#include "register.hpp"

namespace tensorette::bench {
namespace {

struct ProductShape {
  std::string_view name;
  Index batch, rows, columns, depth;
  // 2 · m · n · k for each product
  [[nodiscard]] double flops() const {
    return 2.0 * double(batch) * double(rows) * double(columns) * double(depth);
  }
};

constexpr std::array product_shapes{
    ProductShape{"small", 1, 4, 4, 4},
    ProductShape{"square", 1, 1024, 1024, 1024},
    ProductShape{"tall", 1, 4096, 64, 64},
    ProductShape{"vocabulary", 1, 1024, 8000, 256},
    ProductShape{"short_heads", 128, 16, 16, 16},
    ProductShape{"long_heads", 64, 512, 512, 64},
};

Shape with_batch(Index batch, Index rows, Index columns) {
  return batch == 1 ? Shape{rows, columns} : Shape{batch, rows, columns};
}

}  // namespace

void register_matmul() {
  for (const ProductShape& shape : product_shapes) {
    for (const bool transposed : {false, true}) {
      register_benchmark(
          {.name =
               fmt::format("matmul/{}/{}", shape.name, transposed ? "transposed" : "contiguous"),
           .make_inputs =
               [shape, transposed] {
                 Generator generator(1);
                 const auto [name, batch, rows, columns, depth] = shape;
                 const Tensor a = generator.normal(with_batch(batch, rows, depth));
                 const Tensor b =
                     transposed ? transpose(generator.normal(with_batch(batch, columns, depth)))
                                : generator.normal(with_batch(batch, depth, columns));
                 return Inputs{parameter(a), parameter(b)};
               },
           .operation = [](const Inputs& in) { return matmul(in[0], in[1]); },
           .flops = shape.flops()});
    }
  }
}

}  // namespace tensorette::bench
