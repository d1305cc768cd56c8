#include <algorithm>
#include <tensorette/autograd/ops/index.hpp>
#include <tensorette/autograd/ops/shaping.hpp>
#include <tensorette/nn/memory_groups.hpp>
#include <tensorette/tensor/create.hpp>

namespace tensorette::nn {

MemoryGroups::MemoryGroups(const std::vector<Index>& memory_of_row, Index memories)
    : memories_(memories) {
  std::vector<Index> sizes(static_cast<std::size_t>(memories), 0);
  bool as_they_are = static_cast<Index>(memory_of_row.size()) == memories;
  std::vector<Index> rank_in_group;
  for (std::size_t row = 0; row < memory_of_row.size(); ++row) {
    const Index memory = memory_of_row[row];
    as_they_are = as_they_are && memory == static_cast<Index>(row);
    rank_in_group.push_back(sizes[static_cast<std::size_t>(memory)]++);
  }
  if (as_they_are) return;
  width_ = *std::max_element(sizes.begin(), sizes.end());
  std::vector<Index> row_at(static_cast<std::size_t>(memories * width_), 0);
  std::vector<Index> place_of;
  for (std::size_t row = 0; row < memory_of_row.size(); ++row) {
    const Index place = memory_of_row[row] * width_ + rank_in_group[row];
    row_at[static_cast<std::size_t>(place)] = static_cast<Index>(row);
    place_of.push_back(place);
  }
  row_at_ = from_vector(row_at);
  place_of_ = from_vector(place_of);
}

Variable MemoryGroups::together(const Variable& x) const {
  if (!row_at_.is_defined()) return x;
  return reshape(index_select(x, 0, row_at_), {memories_, width_ * x.size(1), x.size(2)});
}

Variable MemoryGroups::apart(const Variable& y) const {
  if (!row_at_.is_defined()) return y;
  return index_select(reshape(y, {memories_ * width_, y.size(1) / width_, y.size(2)}), 0,
                      place_of_);
}

}  // namespace tensorette::nn
