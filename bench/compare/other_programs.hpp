/// \file
/// How much of the machine other programs use while something is measured.
#pragma once

#include "measure.hpp"

namespace tensorette::bench {

/// Counts, from its construction on, the processor time that was spent by anything but the row
/// programs and the driver: other programs, the system, and what a host gave to other machines.
class OtherPrograms {
 public:
  explicit OtherPrograms(const Programs& programs);

  /// Their part of all processors' time since construction, 0 to 1.
  [[nodiscard]] double share() const;

 private:
  [[nodiscard]] double seconds() const;

  const Programs& programs_;
  double seconds_before_;
  double idle_and_busy_before_;
};

}  // namespace tensorette::bench
