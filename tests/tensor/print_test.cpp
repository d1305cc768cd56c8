// Tensors as text. The literals are what NumPy 1.24 gives for
// numpy.array2string(x, separator=', ', precision=4).
#include <cmath>
#include <iomanip>
#include <limits>
#include <numeric>
#include <sstream>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/print.hpp>
#include <tensorette/tensor/random.hpp>
#include <tensorette/tensor/shaping.hpp>
#include <tensorette_test.hpp>

using namespace tensorette;

namespace {

const double not_a_number = std::nan("");
const double infinity = std::numeric_limits<double>::infinity();

std::string print(const std::vector<double>& values) {
  return to_string(from_vector(values));
}
std::string print_floats(const std::vector<float>& values) {
  return to_string(from_vector(values));
}

}  // namespace

TEST_CASE("printing lays out like NumPy", "[tensor][print][field][C14]") {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  CHECK(to_string(x) == "[[1., 2., 3.],\n [4., 5., 6.]]");
  CHECK(to_string(zeros({2, 2, 2})) == "[[[0., 0.],\n  [0., 0.]],\n\n [[0., 0.],\n  [0., 0.]]]");
  CHECK(to_string(scalar(3.5)) == "3.5");
  CHECK(to_string(scalar(2)) == "2.");
  CHECK(to_string(scalar(7, DType::i64)) == "7");
}

TEST_CASE("views print the elements that they show", "[tensor][print][field][C14]") {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  CHECK(to_string(transpose(x)) == "[[1., 4.],\n [2., 5.],\n [3., 6.]]");
  CHECK(to_string(slice(x, 1, 1, 2)) == "[[2.],\n [5.]]");
  CHECK(to_string(select(x, 1, 2)) == "[3., 6.]");
  CHECK(to_string(expand(tensor({7, 8}), {2, 2})) == "[[7., 8.],\n [7., 8.]]");
  CHECK(to_string(slice(x, 1, 0, 3, 2)) == "[[1., 3.],\n [4., 6.]]");
}

TEST_CASE("empty tensors show their shape", "[tensor][print][field][C14]") {
  CHECK(to_string(zeros({0, 3})) == "[], shape [0, 3]");
  CHECK(to_string(zeros({0})) == "[], shape [0]");
  CHECK(to_string(zeros({2, 0, 4}, DType::boolean)) == "[], shape [2, 0, 4]");
  CHECK(to_string(Tensor()) == "undefined tensor");
}

TEST_CASE("numbers share one width and notation", "[tensor][print][field][C14]") {
  CHECK(print_floats({0.1F, 0.25F, 1.0F / 3}) == "[0.1   , 0.25  , 0.3333]");
  CHECK(print({1, not_a_number, infinity, -infinity}) == "[  1.,  nan,  inf, -inf]");
  CHECK(print({not_a_number, not_a_number}) == "[nan, nan]");
  CHECK(print({infinity}) == "[inf]");
  CHECK(print({-infinity}) == "[-inf]");
  CHECK(print({-0.0, 0.0}) == "[-0.,  0.]");
  CHECK(print({123456.789, 1000.5}) == "[123456.789,   1000.5  ]");
  CHECK(print({0.001, 1.0}) == "[0.001, 1.   ]");
}

TEST_CASE("a wide range prints in powers of ten", "[tensor][print][field][C14]") {
  CHECK(print({1e-5, 1}) == "[1.e-05, 1.e+00]");
  CHECK(print({1e8, 1}) == "[1.e+08, 1.e+00]");
  CHECK(print({1e100, 1}) == "[1.e+100, 1.e+000]");
  CHECK(print({0.001, 1.5}) == "[1.0e-03, 1.5e+00]");
  CHECK(print({1e-5, not_a_number, -infinity}) == "[1.e-05,    nan,   -inf]");
  CHECK(print_floats({123456.789F, 1}) == "[1.2346e+05, 1.0000e+00]");
  // The shortest digits of the largest and smallest double.
  CHECK(print({1.7976931348623157e308}) == "[1.7977e+308]");
  CHECK(print({5e-324}) == "[5.e-324]");
}

TEST_CASE("integers are aligned to the right, booleans to each other",
          "[tensor][print][field][C14]") {
  CHECK(to_string(from_vector<Index>({-5, 10, 123456})) == "[    -5,     10, 123456]");
  CHECK(to_string(from_vector<Index>({std::numeric_limits<Index>::min()})) ==
        "[-9223372036854775808]");
  CHECK(to_string(tensor({1, 0}, DType::boolean)) == "[ True, False]");
  CHECK(to_string(scalar(1, DType::boolean)) == "True");
}

TEST_CASE("rows are wrapped at the width", "[tensor][print]") {
  std::vector<float> sevenths;
  for (int i = 0; i < 30; ++i) sevenths.push_back(static_cast<float>(i) / 7);
  CHECK(print_floats(sevenths) ==
        "[0.    , 0.1429, 0.2857, 0.4286, 0.5714, 0.7143, 0.8571, 1.    , 1.1429,\n"
        " 1.2857, 1.4286, 1.5714, 1.7143, 1.8571, 2.    , 2.1429, 2.2857, 2.4286,\n"
        " 2.5714, 2.7143, 2.8571, 3.    , 3.1429, 3.2857, 3.4286, 3.5714, 3.7143,\n"
        " 3.8571, 4.    , 4.1429]");
  // A word wider than the line still gets one line.
  CHECK(to_string(from_vector<Index>({1234567, 7654321}), {.line_width = 3}) ==
        "[1234567,\n 7654321]");
}

TEST_CASE("long tensors are shortened along every long axis", "[tensor][print][field][C14]") {
  CHECK(to_string(arange(0, 2000, 1, DType::f32)) ==
        "[0.000e+00, 1.000e+00, 2.000e+00, ..., 1.997e+03, 1.998e+03, 1.999e+03]");
  CHECK(to_string(reshape(arange(1200), {3, 400})) ==
        "[[   0,    1,    2, ...,  397,  398,  399],\n"
        " [ 400,  401,  402, ...,  797,  798,  799],\n"
        " [ 800,  801,  802, ..., 1197, 1198, 1199]]");
  CHECK(to_string(arange(1001), {.threshold = 10, .edge_items = 1}) == "[   0, ..., 1000]");
  CHECK(to_string(reshape(arange(21), {7, 3}), {.threshold = 20, .edge_items = 1}) ==
        "[[ 0, ...,  2],\n ...,\n [18, ..., 20]]");
  // Exactly at the threshold nothing is left out.
  CHECK(to_string(arange(1000)).find("...") == std::string::npos);
}

TEST_CASE("precision is the number of digits behind the point", "[tensor][print]") {
  CHECK(to_string(from_vector<double>({2.0 / 3}), {.precision = 8}) == "[0.66666667]");
  CHECK(to_string(from_vector<float>({2.0F / 3, 1}), {.precision = 0}) == "[1., 1.]");
  // Halfway cases go to the even digit, by the exact binary value.
  CHECK(to_string(from_vector<double>({0.125, 0.375}), {.precision = 2}) == "[0.12, 0.38]");
  CHECK(to_string(from_vector<float>({82092792.0F})) == "[82092792.]");
}

TEST_CASE("a stream's flags neither matter nor change", "[tensor][print][field][C14]") {
  const Tensor x = tensor({{1.5, 2}, {-3, 255}});
  std::ostringstream plain;
  plain << x;
  CHECK(plain.str() == to_string(x));

  std::ostringstream flagged;
  flagged << std::hex << std::showbase << std::scientific << std::setprecision(2) << std::boolalpha
          << std::setfill('*');
  const auto flags = flagged.flags();
  flagged << x << arange(20);
  CHECK(flagged.str() == to_string(x) + to_string(arange(20)));
  CHECK(flagged.flags() == flags);
  CHECK(flagged.precision() == 2);
  CHECK(flagged.fill() == '*');
}

TEST_CASE("shapes and dtypes can be printed", "[tensor][print]") {
  std::ostringstream stream;
  stream << zeros({2, 0, 3}).shape() << " " << Shape{} << " " << DType::f64;
  CHECK(stream.str() == "[2, 0, 3] [] f64");
}

TEST_CASE("printing refuses senseless options", "[tensor][print]") {
  const Tensor x = zeros({2});
  CHECK_THROWS_WITH(to_string(x, {.precision = -1}),
                    "to_string: needs edge_items of at least 1 and other options of at least 0, "
                    "got precision -1, threshold 1000, edge_items 3, line_width 75");
  CHECK_THROWS_AS(to_string(x, {.threshold = -1}), Error);
  CHECK_THROWS_AS(to_string(x, {.edge_items = 0}), Error);
  CHECK_THROWS_AS(to_string(x, {.line_width = -1}), Error);
}

TEST_CASE("text of random tensors equals access by element", "[tensor][print][field][C14]") {
  Generator generator(3);
  const Tensor x = permute(generator.integers({3, 4, 5}, -99, 100), {2, 0, 1});
  std::string text = to_string(x);
  for (char& c : text)
    if (c == '[' || c == ']' || c == ',') c = ' ';
  std::istringstream numbers(text);
  for (Index i = 0; i < 5; ++i)
    for (Index j = 0; j < 3; ++j)
      for (Index k = 0; k < 4; ++k) {
        Index printed = 0;
        REQUIRE(numbers >> printed);
        REQUIRE(printed == x.at<Index>(i, j, k));
      }
}
