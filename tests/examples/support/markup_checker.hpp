/// \file
/// Reads HTML and XML strictly enough to say whether tags are balanced and texts are escaped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tensorette::pictures::testing {

/// Empty when `markup` is well formed, else what is wrong and where: tags that do not match,
/// attributes without quotes or twice, a bare `<` or `&`, a reference that does not exist. HTML's
/// void elements, doctype, `<style>` and `<script>` are known; CDATA sections too.
[[nodiscard]] std::string markup_fault(std::string_view markup);

/// How often `part` stands in `text`.
[[nodiscard]] std::size_t count(std::string_view text, std::string_view part);

}  // namespace tensorette::pictures::testing
