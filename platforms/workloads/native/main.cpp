// native_kernels [NAME [THREADS [SIZE]]]: runs a kernel and prints a checksum; without a name it lists them.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "native.h"

namespace native {
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
volatile std::uint64_t sink[64];
namespace {
pthread_barrier_t together;
const Kernel* kernel;
unsigned threads = 16;
unsigned numbers[64];
}  // namespace
void barrier() { pthread_barrier_wait(&together); }

namespace {
pthread_mutex_t arrive = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
unsigned here = 0, cycle = 0;
volatile double times[16];
}  // namespace
void splash_barrier() {
  pthread_mutex_lock(&arrive);
  const unsigned mine = cycle;
  if (++here == threads) {
    here = 0;
    ++cycle;
    pthread_cond_broadcast(&all_here);
  } else {
    while (mine == cycle) pthread_cond_wait(&all_here, &arrive);
  }
  pthread_mutex_unlock(&arrive);
}
bool takes_times[64] = {true};
NATIVE_NOINLINE void note_time(unsigned number) {
  rusage used{};
  timespec now{};
  getrusage(RUSAGE_SELF, &used);
  clock_gettime(CLOCK_MONOTONIC, &now);
  times[number % 16] = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) +
                       static_cast<double>(used.ru_utime.tv_sec);
}
}  // namespace native

// What the threads execute; a tracer looks for its symbol.
extern "C" NATIVE_NOINLINE void* resync_worker(void* number) {
  native::kernel->run(*static_cast<unsigned*>(number), native::threads);
  return nullptr;
}

int main(int argc, char** argv) {
  using namespace native;
  const char* const name = argc > 1 ? argv[1] : nullptr;
  for (const auto* list : {&micro_kernels(), &sorting_kernels(), &finance_kernels(), &ray_kernels(),
                           &particle_kernels(), &grid_kernels()})
    for (const Kernel& each : *list) {
      if (name == nullptr) std::printf("%-16s %s\n", each.name, each.what);
      if (name != nullptr && std::strcmp(name, each.name) == 0) kernel = &each;
    }
  if (name == nullptr) return 0;
  threads = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 16;
  const unsigned size = argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 1;
  if (kernel == nullptr || threads == 0 || threads > 64 || size == 0) {
    std::fprintf(stderr, "native_kernels: no kernel '%s', or threads not in 1..64, or size 0\n", name);
    return 2;
  }
  pthread_barrier_init(&together, nullptr, threads);
  if (kernel->prepare != nullptr) kernel->prepare(threads, size);
  pthread_t handles[64];
  for (unsigned t = 0; t < threads; ++t) {
    numbers[t] = t;
    if (pthread_create(&handles[t], nullptr, resync_worker, &numbers[t]) != 0) return 1;
  }
  std::uint64_t sum = 0;
  for (unsigned t = 0; t < threads; ++t) {
    pthread_join(handles[t], nullptr);
    sum = sum * 31 + sink[t];
  }
  std::printf("%s: %llu\n", kernel->name, static_cast<unsigned long long>(sum));
  return 0;
}
