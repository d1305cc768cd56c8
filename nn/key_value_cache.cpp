#include <algorithm>
#include <tensorette/nn/key_value_cache.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/index.hpp>

namespace tensorette::nn {
namespace {

// The same contents with room for `capacity` tokens.
Tensor with_capacity(const Tensor& old, Index length, const Shape& like, Index capacity,
                     DType dtype) {
  Tensor grown({like[0], like[1], capacity, like[3]}, dtype);
  if (length > 0) {
    Tensor target = narrow(grown, 2, 0, length);
    copy_(target, narrow(old, 2, 0, length));
  }
  return grown;
}

// More of the same batch, heads and width.
void check_continues(const char* name, const Tensor& store, const Tensor& more) {
  Shape expected = store.shape();
  expected[2] = more.size(2);
  detail::require(more.shape() == expected, "key/value cache: got {} {}, expected {}", name,
                  more.shape(), expected);
}

void put(Tensor& store, Index at, const Tensor& rows) {
  Tensor target = narrow(store, 2, at, rows.size(2));
  copy_(target, rows);
}

}  // namespace

void KeyValueCache::append(const Tensor& keys, const Tensor& values) {
  detail::require(keys.rank() == 4 && values.rank() == 4 && keys.size(0) == values.size(0) &&
                      keys.size(1) == values.size(1) && keys.size(2) == values.size(2),
                  "key/value cache: takes [batch, heads, tokens, head_dim], got keys {} and values "
                  "{}",
                  keys.shape(), values.shape());
  if (length_ > 0) {
    check_continues("keys", keys_, keys);
    check_continues("values", values_, values);
  }
  const Index needed = length_ + keys.size(2);
  if (!keys_.is_defined() || needed > keys_.size(2)) {
    constexpr Index least = 16;
    const Index capacity = std::max(least, 2 * needed);
    keys_ = with_capacity(keys_, length_, keys.shape(), capacity, keys.dtype());
    values_ = with_capacity(values_, length_, values.shape(), capacity, values.dtype());
  }
  put(keys_, length_, keys);
  put(values_, length_, values);
  length_ = needed;
}

void KeyValueCache::reorder(const Tensor& samples) {
  if (length_ == 0) return;
  keys_ = index_select(keys_, 0, samples);
  values_ = index_select(values_, 0, samples);
}

}  // namespace tensorette::nn
