// Storage for register and constant rows: aligned so that lane functions may use full-width vector loads and
// stores.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

namespace heddle::isa {

inline constexpr std::size_t kRowAlignment = 64;

template <class T>
struct RowAllocator {
  using value_type = T;
  RowAllocator() = default;
  template <class U>
  RowAllocator(const RowAllocator<U>&) {}  // NOLINT(google-explicit-constructor): required of allocators
  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t bytes = (count * sizeof(T) + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
    if (void* memory = std::aligned_alloc(kRowAlignment, bytes)) return static_cast<T*>(memory);
    throw std::bad_alloc();
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }
  bool operator==(const RowAllocator&) const { return true; }
};

/// Bytes whose first one is aligned to kRowAlignment.
using RowBytes = std::vector<std::byte, RowAllocator<std::byte>>;

}  // namespace heddle::isa
