#include <xtensor/xarray.hpp>

#include <tensorette/tensorette.hpp>

static_assert(__cplusplus > 202002L, "the consumer's choice of language was overridden");

double sum_of_tensor(int n);

int main() {
  const xt::xarray<double> x = xt::arange(4.0);
  return sum_of_tensor(4) == x(0) + x(1) + x(2) + x(3) ? 0 : 1;
}
