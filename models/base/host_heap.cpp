#include "base/host_heap.h"

#if defined(__GLIBC__) || __has_include(<malloc.h>)
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace heddle::base {

// A sanitizer sees an access behind a block, or to a freed one, only if the block is of its own heap.
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE) && !defined(HEDDLE_SANITIZE)

void FreeBlock::operator()(unsigned char* at) const { (void)munmap(at, bytes); }

ZeroedBlock zeroed_block(std::size_t bytes) {
  if (bytes == 0) return {};
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  return {static_cast<unsigned char*>(mapped), FreeBlock{bytes}};
}

#else

void FreeBlock::operator()(unsigned char* at) const { std::free(at); }

ZeroedBlock zeroed_block(std::size_t bytes) {
  if (bytes == 0) return {};
  auto* const at = static_cast<unsigned char*>(std::calloc(bytes, 1));
  if (at == nullptr) throw std::bad_alloc();
  return {at, FreeBlock{bytes}};
}

#endif

#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)

void use_huge_pages() {
  constexpr std::size_t kStep = std::size_t{512} << 20;
  constexpr std::uintptr_t kHugePage = std::uintptr_t{2} << 20;
  rlimit addresses{};
  if (getrlimit(RLIMIT_AS, &addresses) != 0 || addresses.rlim_cur != RLIM_INFINITY) return;
  auto* const before = static_cast<std::byte*>(sbrk(0));
  // A block larger than what is left of the heap makes it grow by the step. An allocator in the place of the
  // C library's (a sanitizer's) leaves the heap as it is.
  if (mallopt(M_MMAP_THRESHOLD, 32 << 20) == 0 || mallopt(M_TRIM_THRESHOLD, 1 << 30) == 0 ||
      mallopt(M_TOP_PAD, static_cast<int>(kStep)) == 0)
    return;
  void* const volatile grown = std::malloc(std::size_t{1} << 20);
  std::free(grown);
  mallopt(M_TOP_PAD, 1 << 20);  // what is needed beyond comes in small steps, as always
  const auto* const end = static_cast<std::byte*>(sbrk(0));
  std::byte* const begin =
      before + (kHugePage - reinterpret_cast<std::uintptr_t>(before) % kHugePage) % kHugePage;
  // No huge pages: as well, only slower.
  if (grown != nullptr && begin < end)
    (void)madvise(begin, static_cast<std::size_t>(end - begin), MADV_HUGEPAGE);
}

#else

void use_huge_pages() {}

#endif

}  // namespace heddle::base
