#include "sim/host_heap.h"

#if defined(__GLIBC__) || __has_include(<malloc.h>)
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace heddle::sim {

#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)

void use_huge_pages() {
  constexpr int kStep = 256 << 20;
  constexpr int kLargestOnHeap =
      32 << 20;  // larger ones get pages of their own; the C library allows no more
  constexpr std::uintptr_t kHugePage = std::uintptr_t{2} << 20;
  if (mallopt(M_TOP_PAD, kStep) == 0 || mallopt(M_TRIM_THRESHOLD, 2 * kStep) == 0 ||
      mallopt(M_MMAP_THRESHOLD, kLargestOnHeap) == 0)
    return;
  const auto before = reinterpret_cast<std::uintptr_t>(sbrk(0));
  // More than what is left of the first step, so that the heap grows by one of the new ones. An allocator in
  // the place of the C library's (a sanitizer's) leaves the heap as it is.
  void* const volatile grown = std::malloc(std::size_t{1} << 20);
  std::free(grown);
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0));
  const std::uintptr_t begin = (before + kHugePage - 1) / kHugePage * kHugePage;
  // No huge pages: as well, only slower.
  if (begin < end) (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

#else

void use_huge_pages() {}

#endif

}  // namespace heddle::sim
