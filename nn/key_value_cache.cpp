#include <algorithm>
#include <cstring>
#include <tensorette/nn/key_value_cache.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/kernels/dispatch.hpp>
#include <tensorette/tensor/kernels/index.hpp>
#include <tensorette/tensor/kernels/parallel.hpp>

namespace tensorette::nn {
namespace {

// More of the same batch, heads and width. Stores are [batch, room, heads, head_dim].
void check_continues(const char* name, const Tensor& store, const Tensor& more) {
  const Shape expected{store.size(0), store.size(2), more.size(2), store.size(3)};
  detail::require(more.shape() == expected, "key/value cache: got {} {}, expected {}", name,
                  more.shape(), expected);
}

// The same contents with room for `capacity` tokens.
Tensor with_capacity(const Tensor& old, Index length, const Tensor& like, Index capacity) {
  Tensor grown({like.size(0), capacity, like.size(1), like.size(3)}, like.dtype());
  if (length > 0) {
    Tensor target = narrow(grown, 1, 0, length);
    copy_(target, narrow(old, 1, 0, length));
  }
  return grown;
}

// What others may still look at, a copy of the cache for one, is not written to.
void make_own(Tensor& store) {
  if (!store.is_unshared()) store = store.clone();
}

void put(Tensor& store, Index at, const Tensor& tokens) {
  Tensor target = narrow(store, 1, at, tokens.size(2));
  copy_(target, transpose(tokens, 1, 2));
}

// Whether each sample either stays where it is or goes where no sample comes from.
bool fits_in_place(const std::vector<Index>& samples, Index batch) {
  if (static_cast<Index>(samples.size()) > batch) return false;
  std::vector<bool> is_source(static_cast<std::size_t>(batch), false);
  for (const Index sample : samples) is_source[static_cast<std::size_t>(sample)] = true;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i] != static_cast<Index>(i) && is_source[i]) return false;
  }
  return true;
}

// Copies the first `length` tokens of from[samples[i]] to to[i]; from and to may be one store.
void move_samples(const Tensor& from, Tensor& to, const std::vector<Index>& samples, Index length) {
  const Index width = from.size(2) * from.size(3);
  const Index from_step = from.size(1) * width;
  const Index to_step = to.size(1) * width;
  kernels::dispatch_floating("key/value cache", from.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* source = from.data<T>();
    T* target = to.mutable_data<T>();
    const auto bytes = static_cast<std::size_t>(length * width) * sizeof(T);
    const Index grain =
        std::max<Index>(1, kernels::elements_per_thread / std::max<Index>(1, length * width));
    kernels::parallel_for(static_cast<Index>(samples.size()), grain, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const T* row = source + samples[static_cast<std::size_t>(i)] * from_step;
        if (row != target + i * to_step) std::memcpy(target + i * to_step, row, bytes);
      }
    });
  });
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
  if (length_ == 0 || needed > keys_.size(1)) {
    constexpr Index least = 16;
    const Index capacity = std::max(least, 2 * needed);
    keys_ = with_capacity(keys_, length_, keys, capacity);
    values_ = with_capacity(values_, length_, values, capacity);
  }
  for (Tensor* store : {&keys_, &values_}) make_own(*store);
  put(keys_, length_, keys);
  put(values_, length_, values);
  length_ = needed;
}

void KeyValueCache::reorder(const Tensor& samples) {
  if (length_ == 0) return;
  kernels::require_ids("key/value cache", samples);
  kernels::check_ids("key/value cache", samples.contiguous(), keys_.size(0));
  const std::vector<Index> order = samples.to_vector<Index>();
  const auto count = static_cast<Index>(order.size());
  const bool in_place = fits_in_place(order, keys_.size(0));
  for (Tensor* store : {&keys_, &values_}) {
    if (in_place) {
      make_own(*store);
      move_samples(*store, *store, order, length_);
      *store = narrow(*store, 0, 0, count);
    } else {
      Tensor moved({count, store->size(1), store->size(2), store->size(3)}, store->dtype());
      move_samples(*store, moved, order, length_);
      *store = std::move(moved);
    }
  }
}

}  // namespace tensorette::nn
