#include "run_log.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <tensorette/tensor/error.hpp>

#include "support/atomic_file.hpp"

namespace tensorette::translation {
namespace {

nlohmann::ordered_json finite_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

// The lines of a log up to an update. The last line may have been cut off with its process.
std::string lines_until(const std::string& path, Index update) {
  std::ifstream file(path);
  std::string kept;
  for (std::string line; std::getline(file, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (json.is_object() && json.value("update", update + 1) <= update) kept += line + "\n";
  }
  return kept;
}

}  // namespace

RunLog::RunLog(const std::string& path, Index done, Index every) : every_(every) {
  pictures::write_file_atomically(path, done > 0 ? lines_until(path, done) : "");
  file_.reset(std::fopen(path.c_str(), "a"));
  if (!file_) {
    throw Error(fmt::format("can't write {}: {}", path, std::generic_category().message(errno)));
  }
}

void RunLog::add(const UpdateReport& update, const TrainingProgress& progress) {
  sums_.loss += update.loss * static_cast<double>(update.tokens);
  sums_.gradient_norm += update.gradient_norm;
  sums_.seconds += update.seconds;
  sums_.tokens += update.tokens;
  ++sums_.updates;
  if (progress.updates % every_ != 0) return;
  const auto tokens = static_cast<double>(sums_.tokens);
  const nlohmann::ordered_json line{
      {"update", progress.updates},
      {"epoch", progress.epoch},
      {"seconds", progress.seconds},
      {"loss", finite_or_null(sums_.loss / tokens)},
      {"learning_rate", update.learning_rate},
      {"gradient_norm", finite_or_null(sums_.gradient_norm / static_cast<double>(sums_.updates))},
      {"tokens_per_second", tokens / sums_.seconds}};
  sums_ = {};
  write(line.dump());
}

void RunLog::add(const Validation& validation) {
  nlohmann::ordered_json line{{"update", validation.update},
                              {"epoch", validation.epoch},
                              {"seconds", validation.seconds},
                              {"validation_loss", finite_or_null(validation.loss)}};
  if (std::isfinite(validation.bleu)) line["validation_bleu"] = validation.bleu;
  write(line.dump());
}

void RunLog::write(const std::string& line) {
  fmt::print(file_.get(), "{}\n", line);
  std::fflush(file_.get());
}

}  // namespace tensorette::translation
