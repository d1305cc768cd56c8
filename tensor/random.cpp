#include <cmath>
#include <limits>
#include <numeric>
#include <tensorette/tensor/detail/draws.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/philox.hpp>
#include <tensorette/tensor/kernels/random.hpp>
#include <tensorette/tensor/random.hpp>

namespace tensorette {
namespace {

// Words that one number of this type is made from.
Index words_per_number(DType dtype) noexcept {
  return dtype == DType::f64 ? 2 : 1;
}

void require_deviation(const char* operation, double mean, double deviation) {
  detail::require<Error>(std::isfinite(mean) && std::isfinite(deviation) && deviation >= 0,
                         "{}: needs a finite mean and a finite deviation of at least 0, got {} "
                         "and {}",
                         operation, mean, deviation);
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) noexcept {
  return kernels::philox_block(counter, key);
}

Generator Generator::split() {
  const kernels::Block block = kernels::block_at(reserve(1), 0);
  return Generator(kernels::join_words(block[0], block[1]),
                   kernels::join_words(block[2], block[3]));
}

Generator::State Generator::reserve(Index count) {
  if (detail::DrawScope* scope = detail::DrawScope::current()) return scope->draw(*this, count);
  const State begin = state();
  position_ += (static_cast<std::uint64_t>(count) + 3) / 4;
  return begin;
}

Tensor Generator::uniform(const Shape& shape, double low, double high, DType dtype) {
  detail::require<Error>(std::isfinite(high - low) && low <= high,
                         "uniform: needs finite bounds with low <= high, got {} and {}", low, high);
  return kernels::dispatch_floating("uniform", dtype, [&]<class T>(kernels::TypeTag<T>) {
    Tensor result(shape, dtype);
    const Index count = result.element_count();
    kernels::fill_uniform(reserve(count * words_per_number(dtype)), low, high,
                          result.mutable_data<T>(), count);
    return result;
  });
}

Tensor Generator::normal(const Shape& shape, double mean, double deviation, DType dtype) {
  require_deviation("normal", mean, deviation);
  return kernels::dispatch_floating("normal", dtype, [&]<class T>(kernels::TypeTag<T>) {
    Tensor result(shape, dtype);
    const Index count = result.element_count();
    kernels::fill_normal(reserve(count * words_per_number(dtype)), mean, deviation,
                         result.mutable_data<T>(), count);
    return result;
  });
}

Tensor Generator::truncated_normal(const Shape& shape, double mean, double deviation, double bound,
                                   DType dtype) {
  require_deviation("truncated_normal", mean, deviation);
  detail::require<Error>(std::isfinite(bound) && bound > 0,
                         "truncated_normal: needs a finite bound above 0, got {}", bound);
  return kernels::dispatch_floating("truncated_normal", dtype, [&]<class T>(kernels::TypeTag<T>) {
    Tensor result(shape, dtype);
    const Index count = result.element_count();
    kernels::fill_truncated_normal(reserve(count * words_per_number(dtype)), mean, deviation, bound,
                                   result.mutable_data<T>(), count);
    return result;
  });
}

Tensor Generator::integers(const Shape& shape, Index low, Index high) {
  detail::require<Error>(low < high, "integers: needs low < high, got {} and {}", low, high);
  Tensor result(shape, DType::i64);
  const Index count = result.element_count();
  const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  const Index words = range > std::uint64_t{1} << 32 ? 2 : 1;
  kernels::fill_integers(reserve(count * words), low, range, result.mutable_data<Index>(), count);
  return result;
}

Tensor Generator::permutation(Index count) {
  detail::require<Error>(count >= 0, "permutation: needs a count of at least 0, got {}", count);
  Tensor result({count}, DType::i64);
  auto* order = result.mutable_data<Index>();
  std::iota(order, order + count, Index{0});
  const State begin = reserve(2 * count);
  for (Index last = count - 1; last > 0; --last) {
    const auto place = static_cast<std::uint64_t>(last);
    std::swap(order[last], order[kernels::integer_below(begin, place, place + 1)]);
  }
  return result;
}

Tensor Generator::bernoulli(const Shape& shape, double probability) {
  detail::require<Error>(probability >= 0 && probability <= 1,
                         "bernoulli: needs a probability in [0, 1], got {}", probability);
  Tensor result(shape, DType::boolean);
  const Index count = result.element_count();
  kernels::fill_bernoulli(reserve(count), probability, result.mutable_data<bool>(), count);
  return result;
}

std::uint64_t Generator::next_below(std::uint64_t bound) {
  detail::require<Error>(bound > 0, "next_below: needs a bound above 0");
  return kernels::integer_below(reserve(1), 0, bound);
}

double Generator::next_uniform() {
  double value = 0;
  kernels::fill_uniform(reserve(1), 0.0, 1.0, &value, 1);
  return value;
}

}  // namespace tensorette
