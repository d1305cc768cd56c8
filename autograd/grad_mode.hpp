/// \file
/// Whether operations are recorded: a switch of each thread.
#pragma once

namespace tensorette {

/// True while operations of this thread are recorded for backward (the initial state).
[[nodiscard]] bool is_recording() noexcept;

/// Sets recording for a scope and restores it at its end, also when an exception leaves it.
class RecordingScope {
 public:
  explicit RecordingScope(bool recording) noexcept;
  RecordingScope(const RecordingScope&) = delete;
  RecordingScope& operator=(const RecordingScope&) = delete;
  ~RecordingScope();

 private:
  bool previous_;
};

/// No recording in this scope: values without a graph. Nests.
class NoGrad : public RecordingScope {
 public:
  NoGrad() noexcept : RecordingScope(false) {}
};

/// Recording in this scope, also inside a NoGrad.
class EnableGrad : public RecordingScope {
 public:
  EnableGrad() noexcept : RecordingScope(true) {}
};

}  // namespace tensorette
