#include "openblas_kernels.hpp"

#include <limits>
#include <string_view>

#include "rows/row_table.hpp"

namespace tensorette::bench {
namespace {

constexpr std::string_view variable = "OPENBLAS_CORETYPE";

// Kernels that this processor can run, beside those that OpenBLAS chooses itself.
std::vector<std::string> other_kernels() {
  std::vector<std::string> kernels;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
    kernels.emplace_back("SkylakeX");
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    kernels.emplace_back("Haswell");
#endif
  return kernels;
}

double sgemm_milliseconds(const std::filesystem::path& limit_program, Environment environment,
                          const std::string& kernels) {
  if (!kernels.empty()) use_openblas_kernels(environment, kernels);
  Child child(limit_program, environment);
  double best = std::numeric_limits<double>::infinity();
  for (int block = 0; block < 5; ++block)
    best = std::min(best, child.run(std::string(reference_sgemm_row), 0.03).milliseconds);
  return best;
}

}  // namespace

void use_openblas_kernels(Environment& environment, const std::string& kernels) {
  std::erase(environment.unset, variable);
  environment.set.emplace_back(variable, kernels);
}

std::string fastest_openblas_kernels(const std::filesystem::path& limit_program,
                                     const Environment& environment) {
  constexpr double clearly = 0.75;  // of the time
  std::string fastest;
  double best = clearly * sgemm_milliseconds(limit_program, environment, fastest);
  for (const std::string& kernels : other_kernels()) {
    const double time = sgemm_milliseconds(limit_program, environment, kernels);
    if (time >= best) continue;
    best = time;
    fastest = kernels;
  }
  return fastest;
}

}  // namespace tensorette::bench
