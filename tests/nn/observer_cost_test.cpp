// What it costs that a computation could be watched while nobody watches.
#include <tensorette_test.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <tensorette/autograd/observer.hpp>
#include <tensorette/nn/loss.hpp>
#include <tensorette/nn/optim/adam.hpp>
#include <tensorette/nn/optim/clipping.hpp>
#include <tensorette/nn/transformer.hpp>

namespace tensorette::nn {
namespace {

// Every message that an observer gets stands for at least one look at whether there is one.
class MessageCounter final : public Observer {
 public:
  void operation_done(Op, std::span<const Variable* const>, const Variable&,
                      std::span<const Tensor>) override {
    ++count_;
  }
  void scope_entered(const std::string&) override { ++count_; }
  void scope_left() noexcept override { ++count_; }
  void backward_begins(std::span<const Variable>) override { ++count_; }
  void backward_ends() noexcept override { ++count_; }
  void vjp_begins(const Node&, const Variable&) override { ++count_; }
  void vjp_done(const Node&, Grads&) override { ++count_; }
  void gradients_delivered(const Node&) override { ++count_; }
  void leaf_reached(const Node&, const Variable&) override { ++count_; }

  [[nodiscard]] Index count() const noexcept { return count_; }

 private:
  Index count_ = 0;
};

// The shortest of some runs: what the machine does beside only ever makes one longer.
template <class Body>
double shortest_seconds(int runs, const Body& body) {
  using Clock = std::chrono::steady_clock;
  double shortest = 1e9;
  for (int run = 0; run < runs; ++run) {
    const Clock::time_point start = Clock::now();
    body();
    shortest = std::min(shortest, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return shortest;
}

double seconds_of_one_look() {
  constexpr int looks = 100'000;
  int seen = 0;
  const double seconds = shortest_seconds(20, [&] {
    for (int i = 0; i < looks; ++i) {
      seen += tensorette::detail::is_observed() ? 1 : 0;
      std::atomic_signal_fence(std::memory_order_seq_cst);  // look anew each time
    }
  });
  CHECK(seen == 0);
  return seconds / looks;
}

TEST_CASE("a training step that nobody watches loses next to nothing by asking", "[nn][trace]") {
  // As in the translation example, with a quarter of its batch.
  Generator generator(1);
  Transformer model({.source_vocabulary = 180,
                     .target_vocabulary = 200,
                     .encoder_layers = 3,
                     .decoder_layers = 1},
                    generator);
  const Tensor source = generator.integers({16, 12}, 1, 180);
  const Tensor input = generator.integers({16, 13}, 1, 200);
  const Tensor labels = generator.integers({16, 13}, 1, 200);
  const auto parameters = model.parameters();
  optim::Adam optimizer(parameters, {});
  const auto step = [&] {
    const Variable loss = cross_entropy(model.forward(source, input), labels);
    optimizer.zero_grad();
    loss.backward();
    (void)optim::clip_gradient_norm(parameters, 1.0);
    optimizer.step();
  };
  Index looks = 0;
  {
    const MessageCounter counter;
    step();
    looks = counter.count();
  }
  CHECK(looks > 300);
  const double share =
      static_cast<double>(looks) * seconds_of_one_look() / shortest_seconds(10, step);
  INFO(looks << " looks take " << 100 * share << " % of a step");
  CHECK(share < 0.02);
}

}  // namespace
}  // namespace tensorette::nn
