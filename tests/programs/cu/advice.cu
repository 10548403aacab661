// What a program has said of its managed memory, page by page.
#include "check.h"
static int ask(cudaMemRangeAttribute attribute, const void* x, size_t bytes) {
  int value = 99;
  CHECK(cudaMemRangeGetAttribute(&value, sizeof value, attribute, x, bytes));
  return value;
}
int main() {
  char* x;
  const size_t page = 4096, bytes = 64 * page;
  const cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
  CHECK(cudaMallocManaged(&x, bytes));
  std::printf("%d %d %d\n", ask(cudaMemRangeAttributeReadMostly, x, bytes), ask(cudaMemRangeAttributePreferredLocation, x, bytes),
              ask(cudaMemRangeAttributeLastPrefetchLocation, x, bytes));
  CHECK(cudaMemAdvise(x, bytes, cudaMemAdviseSetReadMostly, device));
  CHECK(cudaMemAdvise(x + 8 * page, 8 * page, cudaMemAdviseUnsetReadMostly, device));
  CHECK(cudaMemAdvise(x, bytes, cudaMemAdviseSetPreferredLocation, host));
  CHECK(cudaMemAdvise(x, bytes, cudaMemAdviseSetAccessedBy, device));
  CHECK(cudaMemPrefetchAsync(x, 8 * page, device, 0));
  std::printf("%d %d %d, %d %d, ", ask(cudaMemRangeAttributeReadMostly, x, bytes), ask(cudaMemRangeAttributeReadMostly, x, 8 * page),
              ask(cudaMemRangeAttributeReadMostly, x + 16 * page, page), ask(cudaMemRangeAttributeLastPrefetchLocation, x, 8 * page),
              ask(cudaMemRangeAttributeLastPrefetchLocation, x, 9 * page));
  int by[3] = {}, preferred = 0;
  void* results[] = {by, &preferred};
  size_t sizes[] = {sizeof by, sizeof preferred};
  cudaMemRangeAttribute attributes[] = {cudaMemRangeAttributeAccessedBy, cudaMemRangeAttributePreferredLocation};
  CHECK(cudaMemRangeGetAttributes(results, sizes, attributes, 2, x, bytes));
  std::printf("%d %d, %d\n", by[0], by[1], preferred);
  std::printf("%s\n", cudaGetErrorName(cudaMemAdvise(by, sizeof by, cudaMemAdviseSetReadMostly, device)));
  char* plain;
  const cudaMemLocation another = {cudaMemLocationTypeDevice, 7};
  CHECK(cudaMalloc(&plain, page));
  CHECK(cudaMemAdvise(x, bytes, cudaMemAdviseSetReadMostly, another));  // for which the place says nothing
  std::printf("%s %s %s %s\n", cudaGetErrorName(cudaMemAdvise(plain, page, cudaMemAdviseSetReadMostly, device)),
              cudaGetErrorName(cudaMemAdvise(x, ~size_t{0} - page, cudaMemAdviseSetReadMostly, device)),
              cudaGetErrorName(cudaMemPrefetchAsync(x, page, another, 0)),
              cudaGetErrorName(cudaMemPrefetchAsync(x, page, device, 0, reinterpret_cast<cudaStream_t>(x))));
  CHECK(cudaFree(x));
  return 0;
}
