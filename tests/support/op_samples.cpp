#include <cmath>
#include <op_sample_lists.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/random.hpp>
#include <tensorette/tensor/shaping.hpp>

namespace tensorette::testing {

Tensor laid_out(const Tensor& values, Layout layout) {
  const int rank = values.rank();
  if (rank == 0 || layout == Layout::contiguous) return values.contiguous();
  if (layout == Layout::transposed) {
    return rank < 2 ? values.contiguous() : transpose(transpose(values, 0, -1).clone(), 0, -1);
  }
  if (layout == Layout::expanded) {
    return values.size(-1) == 0 ? values : expand(narrow(values, -1, 0, 1), values.shape());
  }
  Shape wider = values.shape();
  wider[rank - 1] = 2 * wider[rank - 1] + 1;
  Tensor memory = full(wider, std::nan(""), values.dtype());
  Tensor result = slice(memory, -1, 1, std::nullopt, 2);
  copy_(result, values);
  return result;
}

Tensor distinct_values(const Shape& shape, std::uint64_t seed) {
  Generator generator(seed);
  const Index count = shape.element_count();
  const Tensor order = generator.permutation(count).to(DType::f64);
  return reshape((order - static_cast<double>(count / 2)) * 0.1 + 0.05, shape);
}

Tensor values_between(double low, double high, const Shape& shape, std::uint64_t seed) {
  return Generator(seed).uniform(shape, low, high, DType::f64);
}

const std::vector<OpSample>& op_samples() {
  static const std::vector<OpSample> samples = [] {
    Samples list;
    add_arithmetic(list);
    add_elementwise(list);
    add_reductions(list);
    add_shaping(list);
    add_index(list);
    add_products(list);
    add_fused(list);
    return list;
  }();
  return samples;
}

}  // namespace tensorette::testing
