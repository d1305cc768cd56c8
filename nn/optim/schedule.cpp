#include <algorithm>
#include <cmath>
#include <numbers>
#include <tensorette/nn/optim/schedule.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette::optim {
namespace {

// A query before the first update means the first one.
double counted(Index update) {
  return static_cast<double>(std::max<Index>(update, 1));
}

}  // namespace

double InverseSquareRootSchedule::operator()(Index update) const {
  detail::require<Error>(dim > 0 && warmup >= 0,
                         "inverse square root schedule: needs dim > 0 and warmup >= 0, got {} and "
                         "{}",
                         dim, warmup);
  const double s = counted(update);
  const double falling = 1.0 / std::sqrt(s);
  const double rising = warmup > 0 ? s * std::pow(static_cast<double>(warmup), -1.5) : falling;
  return factor / std::sqrt(static_cast<double>(dim)) * std::min(falling, rising);
}

double CosineSchedule::operator()(Index update) const {
  detail::require<Error>(warmup >= 0 && warmup <= total,
                         "cosine schedule: warmup must be in [0, total], got {} of {} updates",
                         warmup, total);
  const double s = counted(update);
  if (update < warmup) return peak * s / static_cast<double>(warmup);
  if (update >= total) return floor;
  const double progress =
      (s - static_cast<double>(warmup)) / static_cast<double>(std::max<Index>(total - warmup, 1));
  return floor + (peak - floor) * 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
}

double StepSchedule::operator()(Index update) const {
  detail::require<Error>(interval > 0, "step schedule: the interval must be positive, got {}",
                         interval);
  const Index intervals = (std::max<Index>(update, 1) - 1) / interval;
  return initial * std::pow(decay, static_cast<double>(intervals));
}

double LinearSchedule::operator()(Index update) const {
  if (update >= total) return last;
  const double progress =
      (counted(update) - 1.0) / static_cast<double>(std::max<Index>(total - 1, 1));
  return first + (last - first) * progress;
}

PlateauSchedule::PlateauSchedule(const PlateauOptions& options) : options_(options) {
  detail::require<Error>(options.decay > 0 && options.decay < 1,
                         "plateau schedule: decay must be in (0, 1), got {}", options.decay);
  state_.rate = options.initial;
}

double PlateauSchedule::report(double loss) {
  // NaN is no improvement.
  const bool improved = !state_.has_best || loss < state_.best * (1.0 - options_.threshold);
  if (improved && !std::isnan(loss)) {
    state_.best = loss;
    state_.has_best = true;
    state_.waited = 0;
  } else if (++state_.waited > options_.patience) {
    state_.rate = std::max(state_.rate * options_.decay, options_.floor);
    state_.waited = 0;
  }
  return state_.rate;
}

}  // namespace tensorette::optim
