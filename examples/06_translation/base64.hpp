/// \file
/// Bytes as text, for places that take text alone (RFC 4648, section 4, padded).
#pragma once

#include <string>
#include <string_view>

namespace tensorette::translation {

[[nodiscard]] std::string base64_encode(std::string_view bytes);

/// The bytes that base64_encode() was given. Throws FormatError for anything that it does not
/// write, line breaks included.
[[nodiscard]] std::string base64_decode(std::string_view text);

}  // namespace tensorette::translation
