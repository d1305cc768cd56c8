/// \file
/// Which code points take two columns, and which none.
#pragma once

namespace tensorette::pictures::detail {

/// East Asian Width is W or F (UAX #11).
[[nodiscard]] bool is_wide(char32_t code_point);

/// Combining marks (Mn, Me), format characters (Cf) and medial or final Hangul jamo.
[[nodiscard]] bool is_zero_width(char32_t code_point);

}  // namespace tensorette::pictures::detail
