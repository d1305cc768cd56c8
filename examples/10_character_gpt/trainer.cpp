#include "trainer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tensorette/nn/loss.hpp>
#include <tensorette/nn/optim/adam.hpp>
#include <tensorette/nn/optim/clipping.hpp>
#include <tensorette/nn/optim/schedule.hpp>
#include <tensorette/tensor/create.hpp>

namespace tensorette::character_gpt {
namespace {

// Windows of a text: at each place the character there, and the one that has to be guessed.
struct Windows {
  Tensor input;   // [windows, length]
  Tensor target;  // the same, one character further on
};

Windows windows_at(const std::vector<Index>& text, const std::vector<Index>& starts, Index length) {
  std::vector<Index> input;
  std::vector<Index> target;
  for (const Index start : starts) {
    const auto first = text.begin() + start;
    input.insert(input.end(), first, first + length);
    target.insert(target.end(), first + 1, first + length + 1);
  }
  const Shape shape{static_cast<Index>(starts.size()), length};
  return {from_vector(input, shape), from_vector(target, shape)};
}

double sum_of_losses(const Gpt& model, const Windows& windows) {
  return nn::cross_entropy(model.forward(windows.input), windows.target,
                           {.reduction = nn::Reduction::sum})
      .item();
}

}  // namespace

SplitText split_text(const std::vector<Index>& ids, Index context) {
  constexpr Index most_held_out = 50'000;
  const auto count = static_cast<Index>(ids.size());
  const Index held_out = std::min(std::max<Index>(count / 10, 2), most_held_out);
  if (count - held_out <= context) {
    throw Error(fmt::format(
        "the text is too short: it has {} characters, {} of them held out, and a context of {} "
        "needs more than {} to train on; take a longer text or a smaller --context",
        count, std::min(held_out, count), context, context));
  }
  return {{ids.begin(), ids.end() - held_out}, {ids.end() - held_out, ids.end()}};
}

double measure(Gpt& model, const std::vector<Index>& ids) {
  constexpr Index most_windows = 64;  // at a time
  const NoGrad no_grad;
  model.eval();
  const Index context = model.options().context;
  const Index predictions = static_cast<Index>(ids.size()) - 1;
  double total = 0;
  std::vector<Index> starts;
  Index start = 0;
  for (; start + context <= predictions; start += context) {
    starts.push_back(start);
    if (static_cast<Index>(starts.size()) < most_windows) continue;
    total += sum_of_losses(model, windows_at(ids, starts, context));
    starts.clear();
  }
  if (!starts.empty()) total += sum_of_losses(model, windows_at(ids, starts, context));
  if (start < predictions) {
    total += sum_of_losses(model, windows_at(ids, {start}, predictions - start));
  }
  return total / static_cast<double>(predictions);
}

std::vector<Losses> train(Gpt& model, const SplitText& text, const TrainingOptions& options,
                          const OnUpdate& on_update) {
  const Index context = model.options().context;
  const optim::CosineSchedule schedule{.peak = options.learning_rate,
                                       .warmup = options.steps / 10,
                                       .total = options.steps,
                                       .floor = 0.05 * options.learning_rate};
  optim::AdamW optimizer(optim::decay_groups(model, options.weight_decay),
                         {.learning_rate = options.learning_rate, .beta2 = 0.99});
  const std::vector<Variable> parameters = model.parameters();
  Generator places(options.seed, 1);
  std::vector<Losses> records{{.training = std::numeric_limits<double>::quiet_NaN(),
                               .held_out = measure(model, text.held_out)}};
  const Index interval = std::max<Index>(options.steps / 10, 1);
  double sum = 0;
  for (Index step = 1; step <= options.steps; ++step) {
    const Index room = static_cast<Index>(text.training.size()) - context;
    const Windows windows = windows_at(
        text.training, places.integers({options.batch}, 0, room).to_vector<Index>(), context);
    model.train();
    const Variable loss = nn::cross_entropy(model.forward(windows.input), windows.target);
    optimizer.zero_grad();
    loss.backward();
    if (!std::isfinite(loss.item() + optim::clip_gradient_norm(parameters, options.clip_norm))) {
      throw Error(fmt::format(
          "the training has diverged at update {}: its loss or gradient is not finite; try a lower "
          "--learning-rate",
          step));
    }
    optimizer.set_learning_rate(schedule(step));
    optimizer.step();
    sum += loss.item();
    if (step % interval == 0 || step == options.steps) {
      const Index since = step - records.back().step;
      records.push_back({.step = step,
                         .training = sum / static_cast<double>(since),
                         .held_out = measure(model, text.held_out)});
      sum = 0;
    }
    on_update(step, loss.item(), records.back());
  }
  model.eval();
  return records;
}

}  // namespace tensorette::character_gpt
