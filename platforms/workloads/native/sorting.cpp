// 71-74: sorting of 100 elements, data of the thread's own.
#include <utility>

#include "native.h"

namespace native {
namespace {

constexpr int kElements = 100;

struct Data {
  std::uint32_t value[kElements];
  explicit Data(unsigned t) {
    Random random(t + 1);
    for (std::uint32_t& v : value) v = random.next();
  }
  std::uint64_t digest() const {
    std::uint64_t sum = 0;
    for (const std::uint32_t v : value) sum = sum * 31 + v;
    return sum;
  }
};

NATIVE_NOINLINE void sift(std::uint32_t* a, int root, int n) {
  for (int child; (child = 2 * root + 1) < n; root = child) {
    if (child + 1 < n && a[child] < a[child + 1]) ++child;
    if (a[root] >= a[child]) return;
    std::swap(a[root], a[child]);
  }
}
void heap_sort(unsigned t, unsigned) {
  Data data(t);
  for (int i = kElements / 2; i-- > 0;) sift(data.value, i, kElements);
  for (int n = kElements; n-- > 1;) {
    std::swap(data.value[0], data.value[n]);
    sift(data.value, 0, n);
  }
  sink[t] = data.digest();
}
void shell_sort(unsigned t, unsigned) {
  Data data(t);
  for (int gap = kElements / 2; gap > 0; gap /= 2)
    for (int i = gap; i < kElements; ++i) {
      const std::uint32_t v = data.value[i];
      int j = i;
      for (; j >= gap && data.value[j - gap] > v; j -= gap) data.value[j] = data.value[j - gap];
      data.value[j] = v;
    }
  sink[t] = data.digest();
}
inline int partition(std::uint32_t* a, int low, int high) {
  const std::uint32_t pivot = a[(low + high) / 2];
  for (;;) {
    while (a[low] < pivot) ++low;
    while (a[high] > pivot) --high;
    if (low >= high) return high;
    std::swap(a[low++], a[high--]);
  }
}
NATIVE_NOINLINE void quick(std::uint32_t* a, int low, int high) {
  if (low >= high) return;
  const int middle = partition(a, low, high);
  quick(a, low, middle);
  quick(a, middle + 1, high);
}
void quick_recursive(unsigned t, unsigned) {
  Data data(t);
  quick(data.value, 0, kElements - 1);
  sink[t] = data.digest();
}
void quick_iterative(unsigned t, unsigned) {
  Data data(t);
  int stack[64], top = 0;
  stack[top++] = 0;
  stack[top++] = kElements - 1;
  while (top > 0) {
    const int high = stack[--top], low = stack[--top];
    if (low >= high) continue;
    const int middle = partition(data.value, low, high);
    stack[top++] = low;
    stack[top++] = middle;
    stack[top++] = middle + 1;
    stack[top++] = high;
  }
  sink[t] = data.digest();
}

}  // namespace

const std::vector<Kernel>& sorting_kernels() {
  static const std::vector<Kernel> all = {{"71", "heap sort", nullptr, heap_sort},
                                          {"72", "shell sort", nullptr, shell_sort},
                                          {"73", "quick sort, recursive", nullptr, quick_recursive},
                                          {"74", "quick sort, iterative", nullptr, quick_iterative}};
  return all;
}

}  // namespace native
