/// \file
/// How many threads the library uses.
#pragma once

namespace tensorette {

/// Threads that operations may use; at first OMP_NUM_THREADS, else the number of processors.
[[nodiscard]] int num_threads() noexcept;
/// Sets it for the whole process; 0 restores the default. \throws Error for a negative count.
void set_num_threads(int count);

}  // namespace tensorette
