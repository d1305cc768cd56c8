#include <tensorette/tensorette.hpp>

#include <xtensor/xarray.hpp>

double sum_of_tensor(int n);

double sum_of_tensor(int n) {
  const xt::xarray<double> x = xt::arange(static_cast<double>(n));
  const auto y = tensorette::from_vector(std::vector<double>(x.begin(), x.end()));
  return tensorette::sum(y).item();
}
