// The heap of a program that simulates.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace heddle::base {

/// Gives the heap another 512 MiB of addresses, asks the host to back them with huge pages (2 MiB), and keeps
/// memory that was freed with the program. A GPU's registers, queues and tables are then there after a few
/// page faults instead of thousands, which on a virtual machine can take longer than a short launch; and the
/// host's TLB reaches them: with most of what 132 cores have in small pages, runs took 1.2 to 1.8 times as long.
/// For programs to call first thing in main(); a library leaves its host's heap alone. Takes
/// at most a few huge pages more than are touched. Does nothing where the C library knows no such thing,
/// where addresses are limited (ulimit -v), or where there are not as many.
void use_huge_pages();

/// Memory that reads as zero, of which the host takes a page when it is touched. Not asked for in huge pages: on a virtual machine
/// clearing these took longer than the page faults that they save.
struct FreeBlock {
  std::size_t bytes = 0;
  void operator()(unsigned char* at) const;
};
using ZeroedBlock = std::unique_ptr<unsigned char[], FreeBlock>;
/// Empty for no bytes. Throws std::bad_alloc.
[[nodiscard]] ZeroedBlock zeroed_block(std::size_t bytes);

/// An array in such a block: of elements that are as they should be at first when all of their bytes are zero.
template <class T>
class ZeroedArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  ZeroedArray() = default;
  explicit ZeroedArray(std::size_t elements) : block_(zeroed_block(elements * sizeof(T))) {}
  [[nodiscard]] bool empty() const { return block_ == nullptr; }
  [[nodiscard]] T& operator[](std::size_t i) { return reinterpret_cast<T*>(block_.get())[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const {
    return reinterpret_cast<const T*>(block_.get())[i];
  }

 private:
  ZeroedBlock block_;
};

}  // namespace heddle::base
