// Single elements: every index is checked, and their number too.
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "compare.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("no index past an axis, and no index too many, goes through", "[tensor][field][C09]") {
  const Tensor x = tensor({{1}, {2}, {3}});
  CHECK_THAT(error_text<IndexError>([&] { (void)x.at<float>(0, 2); }),
             ContainsSubstring("index 2 is outside axis 1 of shape [3, 1]"));
  CHECK_THAT(error_text<IndexError>([&] { (void)x.at<float>(3, 0); }),
             ContainsSubstring("index 3 is outside axis 0 of shape [3, 1]"));
  CHECK_THAT(error_text<IndexError>([&] { (void)x.at<float>(0, 0, 0); }),
             ContainsSubstring("3 indices for a tensor of shape [3, 1]"));
  CHECK_THAT(error_text<IndexError>([&] { (void)x.at<float>(0); }),
             ContainsSubstring("1 indices for a tensor of shape [3, 1]"));
  CHECK_THAT(error_text<IndexError>([&] { (void)x.at<float>(-4, 0); }),
             ContainsSubstring("index -4 is outside axis 0"));
  CHECK_THAT(error_text<IndexError>([&] { (void)x.at<float>(); }),
             ContainsSubstring("0 indices for a tensor of shape [3, 1]"));
  CHECK_THAT(error_text<DTypeError>([&] { (void)x.at<double>(0, 0); }), ContainsSubstring("f32"));
}

TEST_CASE("negative indices count from the end", "[tensor][field][C09]") {
  const Tensor x = tensor({{1}, {2}, {3}});
  CHECK(x.at<float>(-1, 0) == 3.0F);
  CHECK(x.at<float>(-3, -1) == 1.0F);
  CHECK(scalar(7.0).at<float>() == 7.0F);
}

TEST_CASE("elements of views are those of the view", "[tensor][field][C09]") {
  const Tensor x = reshape(arange(12), {3, 4});
  const Tensor part = slice(transpose(x), 0, 1, 4, 2);
  CHECK(part.at<Index>(1, 2) == 11);
  CHECK(part.at<Index>(-1, 0) == 3);
  CHECK_THROWS_AS(part.at<Index>(2, 0), IndexError);
  const Tensor none = zeros({0, 3}, DType::i64);
  CHECK_THROWS_AS(none.at<Index>(0, 0), IndexError);
  CHECK_THROWS_AS(none.at<Index>(-1, 0), IndexError);
}
