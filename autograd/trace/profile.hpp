/// \file
/// Where the time goes, operation by operation. Before: observer.hpp, cost.hpp.
#pragma once

#include <functional>
#include <string>
#include <tensorette/tensor/shape.hpp>
#include <vector>

namespace tensorette {

/// All calls of one operation, in one direction.
struct ProfileRow {
  std::string operation{};   ///< as in op_table()
  bool is_backward = false;  ///< its vjp, with the sums that follow
  Index calls = 0;
  double seconds = 0;
  double share = 0;  ///< of Profile::seconds
  Index bytes = 0;   ///< of the values (forward) or gradients (backward) made; views are free
  double flops = 0;  ///< forward only; see flops_of()
};

struct Profile {
  std::vector<ProfileRow> rows{};  ///< the longest first
  double seconds = 0;              ///< of everything
  double other_seconds = 0;        ///< outside operations: optimiser, walks, the program's own work
};

struct ProfileOptions {
  int warm_up = 1;  ///< runs before, not counted: they fill caches
  int repeat = 1;   ///< runs that are counted
};

/// Runs `f` and adds up what the operations of this thread cost. A forward time reaches from the
/// end of what was observed before (an operation, a module, a walk back) to the end of the
/// operation. \throws Error for a repeat below 1 or a negative warm_up
[[nodiscard]] Profile profile(const std::function<void()>& f, const ProfileOptions& options = {});

/// A table.
[[nodiscard]] std::string to_string(const Profile& profile);

}  // namespace tensorette
