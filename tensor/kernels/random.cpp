#include <algorithm>
#include <cmath>
#include <limits>
#include <tensorette/tensor/kernels/random.hpp>
#include <tensorette/tensor/kernels/random_chunks.hpp>
#include <tensorette/tensor/kernels/random_math.hpp>

namespace tensorette::kernels {
namespace {

// Uniform in [0, 1): all multiples of 2⁻²⁴ or 2⁻⁵³.
template <class T>
double unit_from_bits(std::uint64_t bits) noexcept {
  if constexpr (numbers_per_block<T> == 2)
    return static_cast<double>(static_cast<std::int64_t>(bits >> 11)) * 0x1p-53;
  else
    return static_cast<double>(static_cast<std::int32_t>(bits >> 8)) * 0x1p-24;
}

// The smallest T that is not below x, and the largest T that is below x.
template <class T>
T first_from(double x) noexcept {
  const T rounded = static_cast<T>(x);
  return static_cast<double>(rounded) < x
             ? std::nextafter(rounded, std::numeric_limits<T>::infinity())
             : rounded;
}
template <class T>
T last_before(double x) noexcept {
  const T rounded = static_cast<T>(x);
  return static_cast<double>(rounded) >= x
             ? std::nextafter(rounded, -std::numeric_limits<T>::infinity())
             : rounded;
}

// The least and the greatest T of an interval; twice `otherwise` if it holds no T.
template <class T>
struct Limits {
  T least;
  T most;
};
template <class T>
Limits<T> limits(T least, T most, double otherwise) noexcept {
  if (least <= most) return {least, most};
  return {static_cast<T>(otherwise), static_cast<T>(otherwise)};
}

}  // namespace

// The loops below stand in functions of their own so that their operands are in registers: read
// through a lambda's captures they could change with every store, and nothing would vectorise.
namespace {

template <class T>
void uniform_loop(const std::uint32_t* words, double low, double span, Limits<T> limit, T* out,
                  Index count) noexcept {
  for (Index i = 0; i < count; ++i) {
    const T value = static_cast<T>(low + span * unit_from_bits<T>(bits_of<T>(words, i)));
    const T not_below = value < limit.least ? limit.least : value;
    out[i] = not_below > limit.most ? limit.most : not_below;
  }
}

// Each pair's two uniform numbers: the first in (0, 1], the second in [0, 1).
template <class T>
void units_of_pairs(const std::uint32_t* words, double* first, double* second,
                    Index pairs) noexcept {
  for (Index i = 0; i < pairs; ++i) {
    if constexpr (numbers_per_block<T> == 2) {
      first[i] = unit_from_bits<double>(join_words(words[4 * i], words[4 * i + 1])) + 0x1p-53;
      second[i] = unit_from_bits<double>(join_words(words[4 * i + 2], words[4 * i + 3]));
    } else {
      first[i] = (static_cast<double>(words[2 * i]) + 1) * 0x1p-32;
      second[i] = static_cast<double>(words[2 * i + 1]) * 0x1p-32;
    }
  }
}

// Box and Muller, "A note on the generation of random normal deviates" (1958): for independent
// uniform u and v, √(−2 log u)·(cos 2πv, sin 2πv) are two independent normal numbers.
void box_muller(double* first, double* second, Index pairs) noexcept {
  for (Index i = 0; i < pairs; ++i) first[i] = std::sqrt(-2 * log_of_unit(first[i]));
  for (Index i = 0; i < pairs; ++i) {
    const SineCosine angle = sine_cosine_of_turn(second[i]);
    second[i] = first[i] * angle.sine;
    first[i] = first[i] * angle.cosine;
  }
}

template <class T>
void interleave(const double* first, const double* second, double mean, double deviation, T* out,
                Index count) noexcept {
  for (Index i = 0; i < count / 2; ++i) {
    out[2 * i] = static_cast<T>(mean + deviation * first[i]);
    out[2 * i + 1] = static_cast<T>(mean + deviation * second[i]);
  }
  if (count % 2 == 1) out[count - 1] = static_cast<T>(mean + deviation * first[count / 2]);
}

}  // namespace

template <class T>
void fill_uniform(const Generator::State& state, double low, double high, T* out, Index count) {
  const Limits<T> limit = limits(first_from<T>(low), last_before<T>(high), low);
  for_each_chunk(state, count, numbers_per_block<T>,
                 [=](const std::uint32_t* words, Index begin, Index number) {
                   uniform_loop(words, low, high - low, limit, out + begin, number);
                 });
}

template <class T>
void fill_normal(const Generator::State& state, double mean, double deviation, T* out,
                 Index count) {
  for_each_chunk(state, count, numbers_per_block<T>,
                 [=](const std::uint32_t* words, Index begin, Index number) {
                   double first[chunk_words / 2];
                   double second[chunk_words / 2];
                   const Index pairs = (number + 1) / 2;
                   units_of_pairs<T>(words, first, second, pairs);
                   box_muller(first, second, pairs);
                   interleave(first, second, mean, deviation, out + begin, number);
                 });
}

template <class T>
void fill_truncated_normal(const Generator::State& state, double mean, double deviation,
                           double bound, T* out, Index count) {
  const double below = lower_normal_cdf(-bound);
  const double inside = 1 - 2 * below;
  const double reach = bound * deviation;
  const Limits<T> limit = limits(first_from<T>(mean - reach), -first_from<T>(-mean - reach), mean);
  // The middle of each of 2³² or 2⁵² cells: never 0 or 1, and symmetric about 1/2.
  constexpr int bits = numbers_per_block<T> == 2 ? 52 : 32;
  const double cell = std::ldexp(1.0, -bits);
  for_each_chunk(state, count, numbers_per_block<T>,
                 [=](const std::uint32_t* words, Index begin, Index number) {
                   for (Index i = 0; i < number; ++i) {
                     const std::uint64_t k =
                         bits_of<T>(words, i) >> (numbers_per_block<T> == 2 ? 64 - bits : 0);
                     const double u = (static_cast<double>(k) + 0.5) * cell;
                     const double lower = std::min(u, 1 - u);
                     const double x = inverse_normal_cdf(below + inside * lower);
                     const double value = mean + deviation * (u < 0.5 ? x : -x);
                     out[begin + i] =
                         std::min(std::max(static_cast<T>(value), limit.least), limit.most);
                   }
                 });
}

template void fill_uniform(const Generator::State&, double, double, float*, Index);
template void fill_uniform(const Generator::State&, double, double, double*, Index);
template void fill_normal(const Generator::State&, double, double, float*, Index);
template void fill_normal(const Generator::State&, double, double, double*, Index);
template void fill_truncated_normal(const Generator::State&, double, double, double, float*, Index);
template void fill_truncated_normal(const Generator::State&, double, double, double, double*,
                                    Index);

}  // namespace tensorette::kernels
