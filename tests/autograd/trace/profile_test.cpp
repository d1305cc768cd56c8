#include <tensorette_test.hpp>

#include <compare.hpp>
#include <tensorette/autograd/fused/linear.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/autograd/trace/cost.hpp>
#include <tensorette/autograd/trace/profile.hpp>
#include <tensorette/tensor/create.hpp>

namespace tensorette::testing {
namespace {

using Catch::Matchers::ContainsSubstring;

const ProfileRow& row_of(const Profile& profile, const std::string& operation, bool is_backward) {
  for (const ProfileRow& row : profile.rows) {
    if (row.operation == operation && row.is_backward == is_backward) return row;
  }
  FAIL("no row for " << operation);
  return profile.rows.front();
}

TEST_CASE("a profile counts calls, bytes and work of each operation", "[autograd][profile]") {
  const Variable w = parameter(ones({8, 4}));
  const Variable x(ones({16, 8}));
  int runs = 0;
  const Profile p = profile(
      [&] {
        ++runs;
        sum(tanh(matmul(x, w))).backward();
      },
      {.warm_up = 2, .repeat = 3});
  CHECK(runs == 5);
  const ProfileRow& product = row_of(p, "matmul", false);
  CHECK(product.calls == 3);
  CHECK(product.bytes == 3 * 16 * 4 * 4);
  CHECK(product.flops == 3 * 2 * 16 * 8 * 4);
  CHECK(row_of(p, "matmul", true).calls == 3);
  CHECK(row_of(p, "matmul", true).bytes == 3 * 8 * 4 * 4);  // x wants no gradient
  CHECK(row_of(p, "tanh", false).flops == 3 * 16 * 4);
  // The products inside vjps are theirs, not calls of their own.
  CHECK(row_of(p, "sum", false).calls == 3);

  double shares = 0;
  double before = p.rows.front().seconds;
  for (const ProfileRow& row : p.rows) {
    shares += row.share;
    CHECK(row.seconds <= before);
    before = row.seconds;
  }
  CHECK(shares <= 1.0 + 1e-9);
  CHECK(p.other_seconds >= 0);
  const std::string table = to_string(p);
  CHECK_THAT(table, ContainsSubstring("matmul"));
  CHECK_THAT(table, ContainsSubstring("backward"));
  CHECK_THAT(table, ContainsSubstring("everything else"));
}

TEST_CASE("an exception leaves the profile, and operations work on", "[autograd][profile]") {
  CHECK_THAT(error_text<Error>([] { static_cast<void>(profile([] {}, {.repeat = 0})); }),
             ContainsSubstring("profile: repeat is 0"));
  CHECK_THROWS_AS(profile([] { throw ShapeError("inside"); }), ShapeError);
  CHECK(sum(parameter(ones({3}))).item() == 3);
}

TEST_CASE("costs follow from shapes", "[autograd][profile]") {
  const Variable a(zeros({5, 2, 3}));
  const Variable b(zeros({3, 4}));
  const Variable product = matmul(a, b);
  CHECK(flops_of(Op::matmul, std::array{&a, &b}, product) == 5 * 2 * 3 * 4 * 2);
  const Variable bias(zeros({3}));
  const Variable none;
  const Variable w(zeros({7, 3}));
  const Variable y = linear(a, w, Variable(zeros({7})));
  CHECK(flops_of(Op::linear, std::array{&a, &w, &bias}, y) == 5 * 2 * (2 * 3 * 7 + 7));
  CHECK(flops_of(Op::linear, std::array{&a, &w, &none}, y) == 5 * 2 * 2 * 3 * 7);
  const Variable view = transpose(a);
  CHECK(flops_of(Op::permute, std::array{&a}, view) == 0);
  CHECK(new_bytes_of(std::array{&a}, view) == 0);
  CHECK(new_bytes_of(std::array{&a, &b}, product) == 5 * 2 * 4 * 4);
}

}  // namespace
}  // namespace tensorette::testing
