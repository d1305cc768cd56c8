#include "training_run.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <system_error>

#include "run_log.hpp"
#include "support/progress_bar.hpp"
#include "validation.hpp"

namespace tensorette::translation {
namespace {

using Clock = std::chrono::steady_clock;

volatile std::sig_atomic_t interrupted = 0;

// Ctrl-C, a closed terminal or kill ask for an end after the present update; a second time they end
// the program at once.
class InterruptScope {
 public:
  InterruptScope() {
    for (std::size_t i = 0; i < signals.size(); ++i) previous_[i] = std::signal(signals[i], handle);
  }
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
  ~InterruptScope() {
    for (std::size_t i = 0; i < signals.size(); ++i) std::signal(signals[i], previous_[i]);
  }

 private:
  static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
  static void handle(int number) {
    interrupted = 1;
    std::signal(number, SIG_DFL);
  }
  std::array<void (*)(int), signals.size()> previous_{};
};

double seconds_since(Clock::time_point time) {
  return std::chrono::duration<double>(Clock::now() - time).count();
}

// Parameters only, averaged if they are.
void save_parameters(Trainer& trainer, const std::string& path) {
  nn::Checkpoint checkpoint = trainer.checkpoint();
  checkpoint.drop_training_state();
  checkpoint.save(path);
}

class Run {
 public:
  Run(Trainer& trainer, const TrainingData& data, const RunOptions& options)
      : trainer_(trainer),
        data_(data),
        options_(options),
        paths_(options.folder),
        log_(paths_.log(), trainer.progress().updates, options.log_every),
        bar_({.label = "training",
              .total = trainer.updates_in_all(),
              .first = trainer.progress().updates}) {}

  RunResult to_the_end() {
    const InterruptScope scope;
    std::optional<RunEnd> end = reason_to_end();
    while (!end) {
      update();
      end = reason_to_end();
    }
    bar_.finish();
    if (lost_ == 0) save();
    return {.end = *end, .speed = speed_};
  }

 private:
  [[nodiscard]] std::optional<RunEnd> reason_to_end() const {
    const ValidationOptions& validation = trainer_.options().validation;
    if (trainer_.is_finished()) return RunEnd::finished;
    if (validation.patience > 0 &&
        trainer_.progress().validations_without_gain() >= validation.patience) {
      return RunEnd::no_gain;
    }
    if (interrupted != 0) return RunEnd::interrupted;
    if (options_.minutes > 0 && seconds_since(began_) >= 60 * options_.minutes) {
      return RunEnd::out_of_time;
    }
    return std::nullopt;
  }

  // What a resumed run does not know, like the time of the last save, changes no parameter.
  void update() {
    const Index epoch = trainer_.progress().epoch;
    const double loss = trainer_.step();
    show(loss);
    const bool ends_epoch = trainer_.progress().epoch != epoch;
    if (is_validation_due(ends_epoch)) look();
    if (lost_ > 0) return;
    if (ends_epoch) keep_epoch();
    if (ends_epoch || seconds_since(saved_) >= options_.save_every) save();
  }

  void show(double loss) {
    constexpr int patience = 20;  // updates in a row whose loss is not finite
    lost_ = std::isfinite(loss) ? 0 : lost_ + 1;
    if (lost_ == patience) {
      throw Error(diverged);
    }
    const UpdateReport& update = trainer_.last_update();
    speed_.seconds += update.seconds;
    speed_.products += update.products;
    speed_.tokens += update.tokens;
    log_.add(update, trainer_.progress());
    if (lost_ == 0) smoothed_ = smoothed_ == 0 ? loss : 0.95 * smoothed_ + 0.05 * loss;
    bar_.update(trainer_.progress().updates, {.loss = smoothed_, .tokens = speed_.tokens});
    bar_.relabel(fmt::format("epoch {}/{}",
                             std::min(trainer_.progress().epoch + 1, trainer_.options().epochs),
                             trainer_.options().epochs));
  }

  [[nodiscard]] bool is_validation_due(bool ends_epoch) const {
    if (data_.valid.empty()) return false;
    const Index every = trainer_.options().validation.every;
    return every == 0 ? ends_epoch : trainer_.progress().updates % every == 0;
  }

  void look() {
    const std::optional<Validation> best = trainer_.progress().best();
    const Validation validation = validate(trainer_, data_);
    trainer_.record(validation);
    log_.add(validation);
    std::string line = fmt::format("update {}, epoch {}: validation loss {:.4f}", validation.update,
                                   validation.epoch, validation.loss);
    if (std::isfinite(validation.bleu)) line += fmt::format(", BLEU {:.2f}", validation.bleu);
    if (!best || is_better(validation, *best)) {
      save_parameters(trainer_, paths_.best());
      line += ", the best so far";
    }
    bar_.print_line(line);
  }

  void keep_epoch() {
    if (options_.keep_epochs == 0) return;
    const Index epoch = trainer_.progress().epoch;
    save_parameters(trainer_, paths_.epoch(epoch));
    if (epoch <= options_.keep_epochs) return;
    std::error_code reason;  // a file that is not there needs no removing
    std::filesystem::remove(paths_.epoch(epoch - options_.keep_epochs), reason);
  }

  // What was saved before is worth more than parameters that are no numbers.
  void save() {
    if (broken_parameter(trainer_.translator().model)) throw Error(diverged);
    trainer_.checkpoint().save(paths_.model());
    saved_ = Clock::now();
  }

  Trainer& trainer_;
  const TrainingData& data_;
  RunOptions options_;
  RunPaths paths_;
  RunLog log_;
  pictures::ProgressBar bar_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point saved_ = began_;
  RunSpeed speed_;
  double smoothed_ = 0;
  int lost_ = 0;
};

}  // namespace

std::string RunPaths::epoch(Index number) const {
  return fmt::format("{}epoch-{:03}.safetensors", folder, number);
}

RunResult run(Trainer& trainer, const TrainingData& data, const RunOptions& options) {
  return Run(trainer, data, options).to_the_end();
}

}  // namespace tensorette::translation
