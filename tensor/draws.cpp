#include <tensorette/tensor/detail/draws.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <utility>

namespace tensorette::detail {
namespace {

thread_local DrawScope* innermost = nullptr;

// Draws made by a scope are those of the scopes around it, or of the generator itself.
class Outside {
 public:
  explicit Outside(DrawScope* outer) noexcept : inner_(std::exchange(innermost, outer)) {}
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;
  ~Outside() { innermost = inner_; }

 private:
  DrawScope* inner_;
};

}  // namespace

DrawScope::DrawScope() noexcept : outer_(std::exchange(innermost, this)) {}

DrawScope::~DrawScope() {
  innermost = outer_;
}

DrawScope* DrawScope::current() noexcept {
  return innermost;
}

Generator::State DrawScope::draw_outside(Generator& generator, Index count) {
  const Outside outside(outer_);
  return generator.reserve(count);
}

Generator::State RecordDraws::draw(Generator& generator, Index count) {
  draws_.push_back({draw_outside(generator, count), count});
  return draws_.back().begin;
}

Generator::State ReplayDraws::draw(Generator&, Index count) {
  require<GraphError>(next_ < draws_.size() && draws_[next_].count == count,
                      "recompute: the function draws other random numbers than the first time: "
                      "draw {} asks for {} numbers, it was {}",
                      next_, count,
                      next_ < draws_.size() ? std::to_string(draws_[next_].count) : "not there");
  return draws_[next_++].begin;
}

}  // namespace tensorette::detail
