#include <tensorette/autograd/grad_mode.hpp>
#include <utility>

namespace tensorette {
namespace {
thread_local bool recording = true;
}

bool is_recording() noexcept {
  return recording;
}

RecordingScope::RecordingScope(bool wanted) noexcept
    : previous_(std::exchange(recording, wanted)) {}

RecordingScope::~RecordingScope() {
  recording = previous_;
}

}  // namespace tensorette
