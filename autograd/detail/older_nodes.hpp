// What a piece of a graph is connected to.
#pragma once

#include <cstdint>
#include <span>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/node_map.hpp>
#include <vector>

namespace tensorette::detail {

/// Walks through the nodes behind some results, in no particular order, without going into nodes
/// older than the id `limit`: as inputs are older than what is made from them, it goes into exactly
/// what has been recorded since. Calls enter(node) for each of these, and meet(pointer) for each
/// older one that they, or the results, refer to; each node once. Ends when meet() gives false.
template <class Enter, class Meet>
void walk_newer(std::span<const Variable> results, std::uint64_t limit, Enter&& enter,
                Meet&& meet) {
  NodeMap<bool> seen;
  std::vector<Node*> waiting;
  const auto visit = [&](const intrusive_ptr<Node>& node) {
    if (!node || !seen.insert(node.get(), true)) return true;
    if (node->id() < limit) return static_cast<bool>(meet(node));
    waiting.push_back(node.get());
    return true;
  };
  for (const Variable& result : results) {
    if (!visit(result.node())) return;
  }
  while (!waiting.empty()) {
    Node& node = *waiting.back();
    waiting.pop_back();
    enter(node);
    for (const intrusive_ptr<Node>& input : node.inputs()) {
      if (!visit(input)) return;
    }
  }
}

/// True if a result depends on something that is older than the id `limit`.
[[nodiscard]] inline bool reaches_older(std::span<const Variable> results, std::uint64_t limit) {
  bool found = false;
  walk_newer(
      results, limit, [](const Node&) {},
      [&found](const intrusive_ptr<Node>&) {
        found = true;
        return false;
      });
  return found;
}

}  // namespace tensorette::detail
