// 01: tensors. What a tensor is: numbers, a shape, and strides that say how to walk them.
//
// Run     bin/01_tensors
// Shows   creation, views, broadcasting, matmul, reductions, random numbers, errors
#include <fmt/format.h>

#include <iostream>
#include <tensorette/tensorette.hpp>

namespace tt = tensorette;

namespace {

void show(const char* what, const tt::Tensor& x) {
  std::cout << what << "  " << tt::to_string(x.shape()) << "\n" << x << "\n\n";
}

int failures = 0;
void expect(bool holds, const char* what) {
  if (!holds) {
    std::cout << "NOT TRUE: " << what << "\n";
    ++failures;
  }
}

}  // namespace

int main() {
  const tt::Tensor a = tt::tensor({{1, 2, 3}, {4, 5, 6}});
  show("a", a);

  // A view: the same six numbers, walked in another order. Nothing is copied.
  const tt::Tensor turned = tt::transpose(a);
  show("transpose(a), a view", turned);
  expect(turned.shares_storage_with(a), "a transposed tensor shares storage");

  // Broadcasting: a column and a row meet in a table.
  const tt::Tensor column = tt::tensor({{10}, {20}});
  show("a + column", a + column);

  show("matmul(a, transpose(a))", tt::matmul(a, turned));
  show("sum over axis 0", tt::sum(a, 0));
  show("softmax of each row", tt::softmax(a, -1));
  show("a > 2", a > 2);

  // The same seed gives the same numbers on every machine.
  tt::Generator generator(7);
  show("three normal numbers", generator.normal({3}));
  expect(tt::identical(tt::Generator(7).normal({3}), tt::Generator(7).normal({3})),
         "equal seeds give equal numbers");

  try {
    (void)tt::matmul(a, a);
  } catch (const tt::ShapeError& error) {
    std::cout << "An error says what was wrong:\n  " << error.what() << "\n";
  }
  expect(tt::sum(tt::matmul(a, turned)).item() == 155, "the product adds up to 155");
  return failures;
}

// Output
//
//     a  [2, 3]
//     [[1., 2., 3.],
//      [4., 5., 6.]]
//
//     transpose(a), a view  [3, 2]
//     [[1., 4.],
//      [2., 5.],
//      [3., 6.]]
//
//     a + column  [2, 3]
//     [[11., 12., 13.],
//      [24., 25., 26.]]
//
//     matmul(a, transpose(a))  [2, 2]
//     [[14., 32.],
//      [32., 77.]]
//
//     sum over axis 0  [3]
//     [5., 7., 9.]
//
//     softmax of each row  [2, 3]
//     [[0.09  , 0.2447, 0.6652],
//      [0.09  , 0.2447, 0.6652]]
//
//     a > 2  [2, 3]
//     [[False, False,  True],
//      [ True,  True,  True]]
//
//     three normal numbers  [3]
//     [ 2.9157e-04, -3.0485e-01,  1.7888e+00]
//
//     An error says what was wrong:
//       matmul: inner sizes differ: [2, 3] · [2, 3] (3 vs 2)
