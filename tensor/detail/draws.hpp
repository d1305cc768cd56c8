// Writing down which random numbers a computation draws, and giving it the same ones again.
#pragma once

#include <span>
#include <tensorette/tensor/random.hpp>
#include <vector>

namespace tensorette::detail {

/// One draw from a generator: where its numbers begin, and how many they are.
struct Draw {
  Generator::State begin;
  Index count = 0;
};

/// While one is alive, all draws of this thread, from whatever generator, pass through it. Scopes
/// nest: the numbers that an inner one writes down are those that the outer one gives.
class DrawScope {
 public:
  DrawScope(const DrawScope&) = delete;
  DrawScope& operator=(const DrawScope&) = delete;
  virtual ~DrawScope();

  /// The scope of this thread's draws; nullptr where generators are on their own.
  [[nodiscard]] static DrawScope* current() noexcept;

  [[nodiscard]] virtual Generator::State draw(Generator& generator, Index count) = 0;

 protected:
  DrawScope() noexcept;
  [[nodiscard]] Generator::State draw_outside(Generator& generator, Index count);

 private:
  DrawScope* outer_;
};

/// Adds the draws to a list.
class RecordDraws final : public DrawScope {
 public:
  explicit RecordDraws(std::vector<Draw>& draws) noexcept : draws_(draws) {}
  [[nodiscard]] Generator::State draw(Generator& generator, Index count) override;

 private:
  std::vector<Draw>& draws_;
};

/// Gives the draws of a list again, in order, and leaves the generators where they are.
class ReplayDraws final : public DrawScope {
 public:
  explicit ReplayDraws(std::span<const Draw> draws) noexcept : draws_(draws) {}
  /// \throws GraphError for a draw that is not the next one in the list
  [[nodiscard]] Generator::State draw(Generator& generator, Index count) override;
  [[nodiscard]] std::size_t left() const noexcept { return draws_.size() - next_; }

 private:
  std::span<const Draw> draws_;
  std::size_t next_ = 0;
};

}  // namespace tensorette::detail
