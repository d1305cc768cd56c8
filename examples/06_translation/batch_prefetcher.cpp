#include "batch_prefetcher.hpp"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <tensorette/tensor/error.hpp>
#include <thread>
#include <utility>

namespace tensorette::translation {
namespace {

/// Which batch of which epoch.
struct Place {
  std::int64_t epoch = 0;
  std::int64_t index = 0;

  friend bool operator==(const Place&, const Place&) = default;
  [[nodiscard]] Place next(std::int64_t batches_per_epoch) const {
    if (index + 1 < batches_per_epoch) return {epoch, index + 1};
    return {epoch + 1, 0};
  }
};

/// A batch, or why there is none.
struct Dealt {
  Batch batch;
  std::exception_ptr error;
};

}  // namespace

class BatchPrefetcher::Worker {
 public:
  Worker(BatchDealer dealer, std::size_t ahead) : dealer_(std::move(dealer)), ahead_(ahead) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  // The thread leaves these parts of the dealer alone.
  [[nodiscard]] std::int64_t batches_per_epoch() const { return dealer_.batches_per_epoch(); }
  [[nodiscard]] const std::vector<EncodedPair>& pairs() const { return dealer_.pairs(); }

  Batch take(const Place& place) {
    if (!thread_.joinable()) {
      upcoming_ = expected_ = place;
      thread_ = std::thread([this] { run(); });
    }
    std::unique_lock lock(mutex_);
    if (expected_ != place) {
      // What is being made at this moment belongs to the course that ends here; it is thrown away.
      ready_.clear();
      upcoming_ = place;
      ++course_;
      changed_.notify_all();
    }
    changed_.wait(lock, [&] { return !ready_.empty(); });
    Dealt dealt = std::move(ready_.front());
    ready_.pop_front();
    expected_ = place.next(dealer_.batches_per_epoch());
    lock.unlock();
    changed_.notify_all();
    if (dealt.error) std::rethrow_exception(dealt.error);
    return std::move(dealt.batch);
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return is_ending_ || ready_.size() < ahead_; });
      if (is_ending_) return;
      const Place place = upcoming_;
      const std::uint64_t course = course_;
      lock.unlock();
      Dealt dealt = deal(place);
      lock.lock();
      if (course != course_) continue;
      ready_.push_back(std::move(dealt));
      upcoming_ = place.next(dealer_.batches_per_epoch());
      changed_.notify_all();
    }
  }

  Dealt deal(const Place& place) noexcept {
    Dealt dealt;
    try {
      dealt.batch = dealer_.batch(place.epoch, place.index);
    } catch (...) {
      dealt.error = std::current_exception();
    }
    return dealt;
  }

  BatchDealer dealer_;
  std::size_t ahead_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Dealt> ready_;  ///< in the order in which they are expected
  Place upcoming_;           ///< which the thread makes next
  Place expected_;           ///< which the caller will ask for if it goes on
  std::uint64_t course_ = 0;
  bool is_ending_ = false;
  std::thread thread_;  ///< last: it uses all of the above
};

BatchPrefetcher::BatchPrefetcher(BatchDealer dealer, std::size_t ahead) {
  if (ahead == 0) throw ShapeError("batches: a prefetcher has to keep at least one batch ready");
  worker_ = std::make_unique<Worker>(std::move(dealer), ahead);
}

BatchPrefetcher::BatchPrefetcher(BatchPrefetcher&&) noexcept = default;
BatchPrefetcher& BatchPrefetcher::operator=(BatchPrefetcher&&) noexcept = default;
BatchPrefetcher::~BatchPrefetcher() = default;

std::int64_t BatchPrefetcher::batches_per_epoch() const {
  return worker_->batches_per_epoch();
}

const std::vector<EncodedPair>& BatchPrefetcher::pairs() const {
  return worker_->pairs();
}

Batch BatchPrefetcher::batch(std::int64_t epoch, std::int64_t index) {
  return worker_->take({epoch, index});
}

}  // namespace tensorette::translation
