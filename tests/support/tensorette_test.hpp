/// \file
/// What every test includes: Catch2 in version 2 or 3. Where the two disagree, the tests write what
/// version 3 calls it: Catch::Approx and everything else from Catch::Matchers.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>

namespace Catch {
using Detail::Approx;

namespace Matchers {
using Impl::MatcherBase;

inline StdString::ContainsMatcher ContainsSubstring(
    const std::string& text, CaseSensitive::Choice sensitivity = CaseSensitive::Yes) {
  return Contains(text, sensitivity);
}
}  // namespace Matchers
}  // namespace Catch
#endif
