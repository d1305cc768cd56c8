// Numbers for readers.
#pragma once

#include <optional>
#include <string>
#include <tensorette/autograd/trace/trace.hpp>

namespace tensorette::detail {

/// "1.2 ms", "850 ns".
[[nodiscard]] std::string time_text(double seconds);
/// "1.5 KiB", "12 bytes".
[[nodiscard]] std::string bytes_text(double bytes);
/// "1.2 G", "350 k", "12": with a thousands' prefix.
[[nodiscard]] std::string count_text(double count);
/// The number itself of a tensor with one element, else its norm: "0.693", "‖1.28‖", "NaN".
[[nodiscard]] std::string size_text(const std::optional<TensorSummary>& summary);
/// `text` padded with spaces to `width` characters (not bytes).
[[nodiscard]] std::string padded(const std::string& text, std::size_t width);

/// Positions to show of `count` things when only `limit` can be: the first and the last ones.
struct Cut {
  std::size_t head;  ///< [0, head) is shown
  std::size_t tail;  ///< and [tail, count)
};
[[nodiscard]] Cut cut_to(std::size_t count, std::size_t limit) noexcept;

}  // namespace tensorette::detail
