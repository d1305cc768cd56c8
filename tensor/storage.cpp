#include <new>
#include <tensorette/tensor/memory.hpp>
#include <tensorette/tensor/storage.hpp>

namespace tensorette {

intrusive_ptr<Storage> Storage::make(std::size_t bytes) {
  static_assert(sizeof(Storage) <= header);
  void* block = memory::allocate(header + bytes);
  return intrusive_ptr<Storage>(::new (block) Storage(bytes));
}

void Storage::destroy(Storage* storage) noexcept {
  const std::size_t bytes = storage->bytes_;
  storage->~Storage();
  memory::deallocate(storage, header + bytes);
}

}  // namespace tensorette
