/// \file
/// A hash map from nodes to values: open addressing, no allocation while it is small.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tensorette {

class Node;

/// Maps nodes, by address, to values. Made for the few nodes that wait in a backward pass at one
/// time, and for the many that a picture of the graph visits.
template <class Value>
class NodeMap {
 public:
  /// False, and nothing changed, if the node is there already.
  bool insert(const Node* node, Value value) {
    if (2 * (count_ + 1) > entries_.size()) grow();
    Entry& entry = entries_[position(node)];
    if (entry.node == node) return false;
    entry.node = node;
    entry.value = std::move(value);
    ++count_;
    return true;
  }

  [[nodiscard]] Value* find(const Node* node) noexcept {
    if (count_ == 0) return nullptr;
    Entry& entry = entries_[position(node)];
    return entry.node == node ? &entry.value : nullptr;
  }
  [[nodiscard]] const Value* find(const Node* node) const noexcept {
    return const_cast<NodeMap*>(this)->find(node);
  }

  /// Removes the node, which is there.
  void erase(const Node* node) noexcept {
    std::size_t hole = position(node);
    entries_[hole] = Entry{};
    --count_;
    // Entries behind the hole that a search would now miss move into it.
    for (std::size_t next = step(hole); entries_[next].node != nullptr; next = step(next)) {
      const std::size_t home = home_of(entries_[next].node);
      const bool reachable =
          hole < next ? (hole < home && home <= next) : (hole < home || home <= next);
      if (reachable) continue;
      entries_[hole] = std::exchange(entries_[next], Entry{});
      hole = next;
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return count_; }

 private:
  struct Entry {
    const Node* node = nullptr;
    Value value{};
  };

  [[nodiscard]] std::size_t step(std::size_t i) const noexcept {
    return (i + 1) & (entries_.size() - 1);
  }
  [[nodiscard]] std::size_t home_of(const Node* node) const noexcept {
    const auto bits = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(node));
    return static_cast<std::size_t>((bits * 0x9E3779B97F4A7C15ULL) >> 32) & (entries_.size() - 1);
  }
  // Where the node is, or would be put.
  [[nodiscard]] std::size_t position(const Node* node) const noexcept {
    std::size_t i = home_of(node);
    while (entries_[i].node != nullptr && entries_[i].node != node) i = step(i);
    return i;
  }
  void grow() {
    std::vector<Entry> old(entries_.empty() ? 16 : entries_.size() * 2);
    old.swap(entries_);
    for (Entry& entry : old) {
      if (entry.node != nullptr) entries_[position(entry.node)] = std::move(entry);
    }
  }

  std::vector<Entry> entries_;
  std::size_t count_ = 0;
};

}  // namespace tensorette
