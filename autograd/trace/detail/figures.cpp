#include <fmt/format.h>

#include <array>
#include <cmath>
#include <tensorette/autograd/trace/detail/figures.hpp>

namespace tensorette::detail {
namespace {

struct Unit {
  double size;
  const char* name;
};

// In the largest unit that leaves at least one of it, three significant digits.
template <std::size_t Count>
std::string in_unit(double value, const std::array<Unit, Count>& units) {
  for (const Unit& unit : units) {
    if (value >= unit.size) return fmt::format("{:.3g}{}", value / unit.size, unit.name);
  }
  return fmt::format("{:.3g}{}", value / units.back().size, units.back().name);
}

}  // namespace

std::string time_text(double seconds) {
  static constexpr std::array<Unit, 4> units{
      {{1, " s"}, {1e-3, " ms"}, {1e-6, " µs"}, {1e-9, " ns"}}};
  return in_unit(seconds, units);
}

std::string bytes_text(double bytes) {
  if (bytes < 1024) return fmt::format("{:.0f} B", bytes);
  static constexpr std::array<Unit, 3> units{
      {{1024.0 * 1024 * 1024, " GiB"}, {1024.0 * 1024, " MiB"}, {1024.0, " KiB"}}};
  return in_unit(bytes, units);
}

std::string count_text(double count) {
  if (count < 1000) return fmt::format("{:.0f}", count);
  static constexpr std::array<Unit, 4> units{{{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}}};
  return in_unit(count, units);
}

std::string size_text(const std::optional<TensorSummary>& summary) {
  if (!summary) return "·";
  if (summary->nan_count > 0) return "NaN";
  if (summary->infinite_count > 0) return "∞";
  if (summary->elements.size() == 1) return fmt::format("{:.4g}", summary->elements[0]);
  return fmt::format("‖{:.4g}‖", summary->norm);
}

std::string padded(const std::string& text, std::size_t width) {
  std::size_t characters = 0;
  for (const char c : text) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
    if (!continues) ++characters;
  }
  return characters >= width ? text : text + std::string(width - characters, ' ');
}

Cut cut_to(std::size_t count, std::size_t limit) noexcept {
  if (count <= limit) return {count, count};
  const std::size_t head = limit / 2;
  return {head, count - (limit - head)};
}

}  // namespace tensorette::detail
