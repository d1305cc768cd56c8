#include <cmath>
#include <tensorette/autograd/ops/arithmetic.hpp>
#include <tensorette/autograd/ops/shaping.hpp>
#include <tensorette/nn/position.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette::nn {
namespace {

using detail::require;

void check_options(const char* type, const PositionOptions& options) {
  require<Error>(options.max_length > 0 && options.dim > 0,
                 "{}: max_length and dim must be positive, got {} and {}", type, options.max_length,
                 options.dim);
}

void check_input(const char* type, const Variable& x, Index first, const Shape& table) {
  require(x.rank() == 3 && x.size(2) == table[1], "{}: takes [batch, tokens, {}], got {}", type,
          table[1], x.shape());
  require(first >= 0 && first + x.size(1) <= table[0],
          "{}: a sequence of {} tokens from position {} is longer than max_length = {}", type,
          x.size(1), first, table[0]);
}

}  // namespace

Tensor sinusoidal_positions(Index length, Index dim, DType dtype) {
  require<Error>(length > 0 && dim > 0,
                 "sinusoidal_positions: length and dim must be positive, got {} and {}", length,
                 dim);
  std::vector<double> table(static_cast<std::size_t>(length * dim));
  for (Index position = 0; position < length; ++position) {
    for (Index column = 0; column < dim; ++column) {
      const double exponent = static_cast<double>(column / 2 * 2) / static_cast<double>(dim);
      const double angle = static_cast<double>(position) / std::pow(10000.0, exponent);
      table[static_cast<std::size_t>(position * dim + column)] =
          column % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
  }
  return from_vector(table, {length, dim}).to(dtype);
}

SinusoidalPosition::SinusoidalPosition(const PositionOptions& options) {
  check_options("SinusoidalPosition", options);
  table_f64_ = sinusoidal_positions(options.max_length, options.dim, DType::f64);
  table_ = table_f64_.to(DType::f32);
}

Variable SinusoidalPosition::forward(const Variable& x, Index first) const {
  return in_module(*this, [&] {
    check_input("SinusoidalPosition", x, first, table_.shape());
    const Tensor& table = x.dtype() == DType::f64 ? table_f64_ : table_;
    return x + Variable(narrow(table, 0, first, x.size(1)));
  });
}

LearnedPosition::LearnedPosition(const PositionOptions& options, Generator& generator) {
  check_options("LearnedPosition", options);
  weight = parameter(generator.normal({options.max_length, options.dim}, 0.0,
                                      1.0 / std::sqrt(static_cast<double>(options.dim))));
}

Variable LearnedPosition::forward(const Variable& x, Index first) const {
  return in_module(*this, [&] {
    check_input("LearnedPosition", x, first, weight.shape());
    return x + narrow(weight, 0, first, x.size(1));
  });
}

}  // namespace tensorette::nn
