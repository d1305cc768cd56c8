#include <cmath>
#include <tensorette/tensor/kernels/normalization.hpp>
#include <tensorette/tensor/kernels/row_passes.hpp>
#include <vector>

namespace tensorette::kernels {
namespace {

Index row_grain(Index width) {
  return std::max<Index>(1, elements_per_thread / std::max<Index>(1, width));
}

template <class V, class T>
V splat(T value) {
  return V(value);
}

/// dgain[j] = Σ_r g·(x − mean)·rstd, dbias[j] = Σ_r g. Rows are cut into a fixed number of blocks
/// whose sums are added in order: the same bits for any number of threads.
template <class T>
void parameter_gradients(const T* x, const T* mean, const T* rstd, const T* grad, T* dgain,
                         T* dbias, Index rows, Index width) {
  constexpr Index most_blocks = 8;
  const Index length = std::max<Index>((rows + most_blocks - 1) / most_blocks, row_grain(width));
  const Index blocks = std::max<Index>(1, (rows + length - 1) / length);
  std::vector<T> parts(static_cast<std::size_t>(2 * blocks * width), T(0));
  parallel_for(blocks, 1, [&](Index begin, Index end) {
    for (Index block = begin; block < end; ++block) {
      T* gain_part = parts.data() + 2 * block * width;
      T* bias_part = gain_part + width;
      for (Index r = block * length; r < std::min(rows, (block + 1) * length); ++r) {
        const T* row = x + r * width;
        const T* g = grad + r * width;
        const T scale = rstd[r];
        const T shift = mean == nullptr ? T(0) : mean[r];
        for_each_pack<T>(width, [&](auto tag, Index j) {
          using V = typename decltype(tag)::type;
          const V up = load_at<V>(g + j);
          const V normal = (load_at<V>(row + j) - splat<V>(shift)) * splat<V>(scale);
          store_at(gain_part + j, load_at<V>(gain_part + j) + up * normal);
          store_at(bias_part + j, load_at<V>(bias_part + j) + up);
        });
      }
    }
  });
  for (Index j = 0; j < width; ++j) {
    T gain_sum = 0;
    T bias_sum = 0;
    for (Index block = 0; block < blocks; ++block) {
      const T* gain_part = parts.data() + 2 * block * width;
      gain_sum += gain_part[j];
      bias_sum += gain_part[width + j];
    }
    if (dgain != nullptr) dgain[j] = gain_sum;
    if (dbias != nullptr) dbias[j] = bias_sum;
  }
}

}  // namespace

template <class T>
void layer_norm_rows(const T* x, const T* gain, const T* bias, double epsilon, T* y, T* mean,
                     T* rstd, Index rows, Index width) {
  parallel_for(rows, row_grain(width), [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      const T* row = x + r * width;
      T* out = y + r * width;
      const auto count = static_cast<double>(width);
      const T centre =
          static_cast<T>(sum_of_terms<T>(width,
                                         [&](auto tag, Index j) {
                                           return load_at<typename decltype(tag)::type>(row + j);
                                         }) /
                         count);
      const double squares = sum_of_terms<T>(width, [&](auto tag, Index j) {
        using V = typename decltype(tag)::type;
        const V distance = load_at<V>(row + j) - splat<V>(centre);
        return V(distance * distance);
      });
      const T scale = static_cast<T>(1.0 / std::sqrt(squares / count + epsilon));
      mean[r] = centre;
      rstd[r] = scale;
      for_each_pack<T>(width, [&](auto tag, Index j) {
        using V = typename decltype(tag)::type;
        const V normal = (load_at<V>(row + j) - splat<V>(centre)) * splat<V>(scale);
        const V scaled = normal * load_at<V>(gain + j);
        store_at(out + j, bias == nullptr ? scaled : V(scaled + load_at<V>(bias + j)));
      });
    }
  });
}

template <class T>
void layer_norm_backward_rows(const T* x, const T* gain, const T* mean, const T* rstd,
                              const T* grad, T* dx, T* dgain, T* dbias, Index rows, Index width) {
  const auto count = static_cast<double>(width);
  parallel_for(dx == nullptr ? 0 : rows, row_grain(width), [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      const T* row = x + r * width;
      const T* g = grad + r * width;
      T* out = dx + r * width;
      const T centre = mean[r];
      const T scale = rstd[r];
      const double sum_h = sum_of_terms<T>(width, [&](auto tag, Index j) {
        using V = typename decltype(tag)::type;
        return V(load_at<V>(g + j) * load_at<V>(gain + j));
      });
      const double sum_hx = sum_of_terms<T>(width, [&](auto tag, Index j) {
        using V = typename decltype(tag)::type;
        const V normal = (load_at<V>(row + j) - splat<V>(centre)) * splat<V>(scale);
        return V(load_at<V>(g + j) * load_at<V>(gain + j) * normal);
      });
      const T mean_h = static_cast<T>(sum_h / count);
      const T mean_hx = static_cast<T>(sum_hx / count);
      for_each_pack<T>(width, [&](auto tag, Index j) {
        using V = typename decltype(tag)::type;
        const V normal = (load_at<V>(row + j) - splat<V>(centre)) * splat<V>(scale);
        const V h = load_at<V>(g + j) * load_at<V>(gain + j);
        store_at(out + j, V((h - splat<V>(mean_h) - normal * splat<V>(mean_hx)) * splat<V>(scale)));
      });
    }
  });
  if (dgain != nullptr || dbias != nullptr) {
    parameter_gradients(x, mean, rstd, grad, dgain, dbias, rows, width);
  }
}

template <class T>
void rms_norm_rows(const T* x, const T* gain, double epsilon, T* y, T* rstd, Index rows,
                   Index width) {
  parallel_for(rows, row_grain(width), [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      const T* row = x + r * width;
      T* out = y + r * width;
      const double squares = sum_of_terms<T>(width, [&](auto tag, Index j) {
        using V = typename decltype(tag)::type;
        const V value = load_at<V>(row + j);
        return V(value * value);
      });
      const T scale =
          static_cast<T>(1.0 / std::sqrt(squares / static_cast<double>(width) + epsilon));
      rstd[r] = scale;
      for_each_pack<T>(width, [&](auto tag, Index j) {
        using V = typename decltype(tag)::type;
        store_at(out + j, V(load_at<V>(row + j) * splat<V>(scale) * load_at<V>(gain + j)));
      });
    }
  });
}

template <class T>
void rms_norm_backward_rows(const T* x, const T* gain, const T* rstd, const T* grad, T* dx,
                            T* dgain, Index rows, Index width) {
  parallel_for(dx == nullptr ? 0 : rows, row_grain(width), [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      const T* row = x + r * width;
      const T* g = grad + r * width;
      T* out = dx + r * width;
      const T scale = rstd[r];
      const double sum_hx = sum_of_terms<T>(width, [&](auto tag, Index j) {
        using V = typename decltype(tag)::type;
        return V(load_at<V>(g + j) * load_at<V>(gain + j) * load_at<V>(row + j) * splat<V>(scale));
      });
      const T mean_hx = static_cast<T>(sum_hx / static_cast<double>(width));
      for_each_pack<T>(width, [&](auto tag, Index j) {
        using V = typename decltype(tag)::type;
        const V normal = load_at<V>(row + j) * splat<V>(scale);
        const V h = load_at<V>(g + j) * load_at<V>(gain + j);
        store_at(out + j, V((h - normal * splat<V>(mean_hx)) * splat<V>(scale)));
      });
    }
  });
  if (dgain != nullptr) {
    parameter_gradients<T>(x, nullptr, rstd, grad, dgain, nullptr, rows, width);
  }
}

template void layer_norm_rows<float>(const float*, const float*, const float*, double, float*,
                                     float*, float*, Index, Index);
template void layer_norm_rows<double>(const double*, const double*, const double*, double, double*,
                                      double*, double*, Index, Index);
template void layer_norm_backward_rows<float>(const float*, const float*, const float*,
                                              const float*, const float*, float*, float*, float*,
                                              Index, Index);
template void layer_norm_backward_rows<double>(const double*, const double*, const double*,
                                               const double*, const double*, double*, double*,
                                               double*, Index, Index);
template void rms_norm_rows<float>(const float*, const float*, double, float*, float*, Index,
                                   Index);
template void rms_norm_rows<double>(const double*, const double*, double, double*, double*, Index,
                                    Index);
template void rms_norm_backward_rows<float>(const float*, const float*, const float*, const float*,
                                            float*, float*, Index, Index);
template void rms_norm_backward_rows<double>(const double*, const double*, const double*,
                                             const double*, double*, double*, Index, Index);

}  // namespace tensorette::kernels
