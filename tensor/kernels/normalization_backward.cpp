#include <memory>
#include <tensorette/tensor/kernels/normalization.hpp>
#include <tensorette/tensor/kernels/row_passes.hpp>
#include <tensorette/tensor/memory.hpp>

namespace tensorette::kernels {
namespace {

// The rows in blocks, each with a row of partial sums for dgain and one for dbias.
struct RowBlocks {
  explicit RowBlocks(Index all_rows) : rows(all_rows) {
    constexpr Index most = 256;
    constexpr Index fewest_rows = 32;
    length = std::max(fewest_rows, (rows + most - 1) / most);
    count = (rows + length - 1) / length;
  }
  Index rows;
  Index length = 0;
  Index count = 0;
};

// One row on its way back; in RMS norm the mean is 0 and stays out of dx.
template <class T>
struct NormRow {
  const T* grad;
  const T* x;
  const T* gain;
  T mean;
  T rstd;
  bool is_centred;
  Index width;

  template <class V>
  [[nodiscard]] V normalized(Index i) const {
    return (load_at<V>(x + i) - V(mean)) * V(rstd);
  }
  // The gradient of x̂
  template <class V>
  [[nodiscard]] V upstream(Index i) const {
    const V g = load_at<V>(grad + i);
    return gain == nullptr ? g : g * load_at<V>(gain + i);
  }

  void write_dx(T* dx) const {
    const auto count = static_cast<double>(width);
    double average = 0;
    if (is_centred)
      average =
          sum_of_terms<T>(
              width, [&](auto tag, Index i) { return upstream<typename decltype(tag)::type>(i); }) /
          count;
    const double along = sum_of_terms<T>(width,
                                         [&](auto tag, Index i) {
                                           using V = typename decltype(tag)::type;
                                           return upstream<V>(i) * normalized<V>(i);
                                         }) /
                         count;
    for_each_pack<T>(width, [&](auto tag, Index i) {
      using V = typename decltype(tag)::type;
      store_at(dx + i, V(rstd) * (upstream<V>(i) - V(static_cast<T>(average)) -
                                  normalized<V>(i) * V(static_cast<T>(along))));
    });
  }

  void add_to(T* dgain, T* dbias) const {
    for_each_pack<T>(width, [&](auto tag, Index i) {
      using V = typename decltype(tag)::type;
      const V g = load_at<V>(grad + i);
      if (dgain != nullptr) store_at(dgain + i, load_at<V>(dgain + i) + g * normalized<V>(i));
      if (dbias != nullptr) store_at(dbias + i, load_at<V>(dbias + i) + g);
    });
  }
};

// Adds the blocks' rows in order.
template <class T>
void combine_blocks(const T* parts, Index blocks, Index width, T* result) {
  for (Index i = 0; i < width; ++i) {
    double total = 0;
    for (Index block = 0; block < blocks; ++block)
      total += static_cast<double>(parts[block * width + i]);
    result[i] = static_cast<T>(total);
  }
}

template <class T>
void norm_backward(const T* grad, const T* x, const T* gain, const T* mean, const T* rstd, T* dx,
                   T* dgain, T* dbias, Index rows, Index width) {
  const RowBlocks blocks(rows);
  const Index part = blocks.count * width;
  const Index wanted = (dgain != nullptr ? 1 : 0) + (dbias != nullptr ? 1 : 0);
  const auto bytes = static_cast<std::size_t>(wanted * part) * sizeof(T);
  const auto free = [bytes](T* block) { memory::deallocate(block, bytes); };
  const std::unique_ptr<T, decltype(free)> parts(
      wanted == 0 ? nullptr : static_cast<T*>(memory::allocate(bytes)), free);
  T* gain_parts = dgain != nullptr ? parts.get() : nullptr;
  T* bias_parts = dbias != nullptr ? parts.get() + (wanted - 1) * part : nullptr;

  for_each_row(blocks.count, blocks.length * width, elements_per_thread, [&](Index block) {
    T* dgain_part = gain_parts == nullptr ? nullptr : gain_parts + block * width;
    T* dbias_part = bias_parts == nullptr ? nullptr : bias_parts + block * width;
    if (dgain_part != nullptr) std::fill_n(dgain_part, width, T{0});
    if (dbias_part != nullptr) std::fill_n(dbias_part, width, T{0});
    const Index end = std::min(rows, (block + 1) * blocks.length);
    for (Index row = block * blocks.length; row < end; ++row) {
      const NormRow<T> norm{
          grad + row * width, x + row * width, gain, mean == nullptr ? T{0} : mean[row],
          rstd[row],          mean != nullptr, width};
      // First the sums over rows: dx may overwrite grad.
      if (wanted > 0) norm.add_to(dgain_part, dbias_part);
      if (dx != nullptr) norm.write_dx(dx + row * width);
    }
  });
  if (dgain != nullptr) combine_blocks(gain_parts, blocks.count, width, dgain);
  if (dbias != nullptr) combine_blocks(bias_parts, blocks.count, width, dbias);
}

}  // namespace

template <class T>
void layer_norm_backward_rows(const T* x, const T* gain, const T* mean, const T* rstd,
                              const T* grad, T* dx, T* dgain, T* dbias, Index rows, Index width) {
  norm_backward(grad, x, gain, mean, rstd, dx, dgain, dbias, rows, width);
}

template <class T>
void rms_norm_backward_rows(const T* x, const T* gain, const T* rstd, const T* grad, T* dx,
                            T* dgain, Index rows, Index width) {
  norm_backward<T>(grad, x, gain, nullptr, rstd, dx, dgain, nullptr, rows, width);
}

template void layer_norm_backward_rows(const float*, const float*, const float*, const float*,
                                       const float*, float*, float*, float*, Index, Index);
template void layer_norm_backward_rows(const double*, const double*, const double*, const double*,
                                       const double*, double*, double*, double*, Index, Index);
template void rms_norm_backward_rows(const float*, const float*, const float*, const float*, float*,
                                     float*, Index, Index);
template void rms_norm_backward_rows(const double*, const double*, const double*, const double*,
                                     double*, double*, Index, Index);

}  // namespace tensorette::kernels
