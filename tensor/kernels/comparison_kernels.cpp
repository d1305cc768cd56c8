#include <functional>
#include <tensorette/tensor/kernels/arithmetic_kernels.hpp>
#include <tensorette/tensor/kernels/elementwise_loops.hpp>

namespace tensorette::kernels {

namespace {

template <class Compare>
constexpr Operation comparison(const char* name) {
  return {.name = name,
          .takes = "any dtype",
          .kernels = {plain_binary_kernel<float, bool, Compare>,
                      plain_binary_kernel<double, bool, Compare>,
                      plain_binary_kernel<std::int64_t, bool, Compare>,
                      plain_binary_kernel<bool, bool, Compare>},
          .gives_boolean = true};
}

// Bitwise on 0 and 1, so that the loops need no branches.
struct And {
  bool operator()(bool a, bool b) const { return (a & b) != 0; }
};
struct Or {
  bool operator()(bool a, bool b) const { return (a | b) != 0; }
};
struct Xor {
  bool operator()(bool a, bool b) const { return a != b; }
};
struct Not {
  bool operator()(bool a) const { return !a; }
};

template <class Function>
constexpr Operation logical(const char* name) {
  return {name, "boolean", {nullptr, nullptr, nullptr, plain_binary_kernel<bool, bool, Function>}};
}

}  // namespace

constexpr Operation equal_operation = comparison<std::equal_to<>>("equal");
constexpr Operation not_equal_operation = comparison<std::not_equal_to<>>("not_equal");
constexpr Operation less_operation = comparison<std::less<>>("less");
constexpr Operation less_equal_operation = comparison<std::less_equal<>>("less_equal");
constexpr Operation greater_operation = comparison<std::greater<>>("greater");
constexpr Operation greater_equal_operation = comparison<std::greater_equal<>>("greater_equal");

constexpr Operation logical_and_operation = logical<And>("logical_and");
constexpr Operation logical_or_operation = logical<Or>("logical_or");
constexpr Operation logical_xor_operation = logical<Xor>("logical_xor");
constexpr Operation logical_not_operation{
    "logical_not", "boolean", {nullptr, nullptr, nullptr, plain_unary_kernel<bool, bool, Not>}};

}  // namespace tensorette::kernels
