#include <algorithm>
#include <chrono>
#include <map>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/trace/cost.hpp>
#include <tensorette/autograd/trace/detail/figures.hpp>
#include <tensorette/autograd/trace/profile.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point a, Clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

class Profiler final : public Observer {
 public:
  Profiler() : last_event_(Clock::now()) {}

  void operation_done(Op op, std::span<const Variable* const> inputs, const Variable& output,
                      std::span<const Tensor> extra) override {
    if (!starts_.empty()) return;  // part of a vjp
    ProfileRow& row = rows_[{info_of(op).name, false}];
    row.seconds += seconds_between(last_event_, Clock::now());
    ++row.calls;
    row.bytes += new_bytes_of(inputs, output);
    row.flops += flops_of(op, inputs, output, extra);
    last_event_ = Clock::now();
  }
  void scope_entered(const std::string&) override { last_event_ = Clock::now(); }
  void scope_left() noexcept override { last_event_ = Clock::now(); }
  void backward_ends() noexcept override {
    // An exception may have left vjps unfinished.
    if (--walk_depth_ <= 0) starts_.clear();
    last_event_ = Clock::now();
  }
  void backward_begins(std::span<const Variable>) override { ++walk_depth_; }
  void vjp_begins(const Node&, const Variable&) override { starts_.push_back(Clock::now()); }
  void vjp_done(const Node& node, Grads& gradients) override {
    if (starts_.size() != 1) return;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (!gradients[i].is_defined()) continue;
      rows_[{node.name(), true}].bytes +=
          gradients[i].element_count() * static_cast<Index>(size_of(gradients[i].dtype()));
    }
  }
  void gradients_delivered(const Node& node) override {
    if (starts_.empty()) return;
    const double seconds = seconds_between(starts_.back(), Clock::now());
    starts_.pop_back();
    if (!starts_.empty()) return;  // a walk inside a vjp is that vjp's own affair
    ProfileRow& row = rows_[{node.name(), true}];
    row.seconds += seconds;
    ++row.calls;
  }

  [[nodiscard]] std::vector<ProfileRow> rows() const {
    std::vector<ProfileRow> list;
    for (const auto& [key, row] : rows_) {
      list.push_back(row);
      list.back().operation = key.first;
      list.back().is_backward = key.second;
    }
    std::stable_sort(list.begin(), list.end(), [](const ProfileRow& a, const ProfileRow& b) {
      return a.seconds > b.seconds;
    });
    return list;
  }

 private:
  std::map<std::pair<std::string, bool>, ProfileRow> rows_;
  std::vector<Clock::time_point> starts_;  // of the vjps that run: they nest
  Clock::time_point last_event_;
  int walk_depth_ = 0;
};

}  // namespace

Profile profile(const std::function<void()>& f, const ProfileOptions& options) {
  detail::require<Error>(options.repeat >= 1 && options.warm_up >= 0,
                         "profile: repeat is {}, it must be at least 1; warm_up is {}, it must not "
                         "be negative",
                         options.repeat, options.warm_up);
  for (int i = 0; i < options.warm_up; ++i) f();
  const Profiler profiler;
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < options.repeat; ++i) f();
  Profile result{.rows = {}, .seconds = seconds_between(start, Clock::now())};
  result.rows = profiler.rows();
  result.other_seconds = result.seconds;
  for (ProfileRow& row : result.rows) {
    row.share = result.seconds > 0 ? row.seconds / result.seconds : 0;
    result.other_seconds -= row.seconds;
  }
  result.other_seconds = std::max(0.0, result.other_seconds);
  return result;
}

std::string to_string(const Profile& profile) {
  using detail::padded;
  std::string text = fmt::format("{:<22} {:<9} {:>8} {:>10} {:>7} {:>10} {:>10}\n", "operation", "",
                                 "calls", "time", "share", "bytes", "flop/s");
  const auto right = [](const std::string& cell, std::size_t width) {
    const std::size_t space = padded(cell, width).size() - cell.size();
    return std::string(space, ' ') + cell;
  };
  for (const ProfileRow& row : profile.rows) {
    const bool has_rate = row.flops > 0 && row.seconds > 0;
    text += fmt::format("{:<22} {:<9} {:>8} {} {:>6.1f}% {} {}\n", row.operation,
                        row.is_backward ? "backward" : "forward", row.calls,
                        right(detail::time_text(row.seconds), 10), 100 * row.share,
                        right(detail::bytes_text(static_cast<double>(row.bytes)), 10),
                        right(has_rate ? detail::count_text(row.flops / row.seconds) : "", 10));
  }
  const double other_share = profile.seconds > 0 ? profile.other_seconds / profile.seconds : 0;
  text += fmt::format("{:<22} {:<9} {:>8} {} {:>6.1f}%\n", "everything else", "", "",
                      right(detail::time_text(profile.other_seconds), 10), 100 * other_share);
  text += fmt::format("{:<22} {:<9} {:>8} {}\n", "all", "", "",
                      right(detail::time_text(profile.seconds), 10));
  return text;
}

}  // namespace tensorette
