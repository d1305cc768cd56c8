// What somebody else's program looks like: one include, one call that reaches the BLAS.
#include <tensorette/tensorette.hpp>

#include <iostream>
#include <vector>

int main() {
  namespace tt = tensorette;
  const tt::Tensor a = tt::from_vector(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  const tt::Tensor product = tt::matmul(a, tt::transpose(a, 0, 1));
  std::cout << product << '\n';

  // The library's exceptions are caught by type on this side of the border.
  try {
    static_cast<void>(tt::matmul(a, a));
  } catch (const tt::ShapeError& error) {
    std::cout << error.what() << '\n';
    const std::vector<float> expected{14, 32, 32, 77};
    return product.to_vector<float>() == expected ? 0 : 1;
  }
  return 1;
}
