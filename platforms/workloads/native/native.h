// Kernels of threads for this machine: traced by heddle threads --native, replayed by heddle resync. Written for Heddle in the
// character of the micro-kernels and benchmarks of the thread re-synchronisation study ([Resync] Tab 4.1, [mmt-sync]).
#pragma once

#include <pthread.h>

#include <cstdint>
#include <vector>

namespace native {

struct Kernel {
  const char* name;
  const char* what;
  void (*prepare)(unsigned threads, unsigned size);  ///< by the first thread; may be null
  void (*run)(unsigned thread, unsigned threads);    ///< by every thread
};

const std::vector<Kernel>& micro_kernels();
const std::vector<Kernel>& sorting_kernels();
const std::vector<Kernel>& finance_kernels();
const std::vector<Kernel>& ray_kernels();
const std::vector<Kernel>& particle_kernels();
const std::vector<Kernel>& grid_kernels();

/// All threads of the kernel wait for each other. PARSEC's programs have barriers of the library (a trace has its flag), SPLASH-2's
/// make theirs of a mutex and a condition (a trace has nothing of it: it is a critical section).
void barrier();
void splash_barrier();
/// What thread 0 of SPLASH-2's programs does between phases: takes the time.
void note_time(unsigned number);
extern bool takes_times[64];
inline void phase(unsigned thread, unsigned number) {
  // Laid out in line, as LLVM does; GCC puts a call that few threads make behind the function's end, where MinPC and
  // MinSP-MinPC leave the thread behind all others.
  if (__builtin_expect(takes_times[thread], true)) note_time(number);
}
extern pthread_mutex_t mutex;
/// Keeps results from being optimised away; printed by main.
extern volatile std::uint64_t sink[64];

/// The same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 1) {}
  std::uint32_t next() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<std::uint32_t>(state_ >> 33);
  }
  double uniform() { return next() * (1.0 / 2147483648.0); }

 private:
  std::uint64_t state_;
};

#if defined(__clang__)
#define NATIVE_NOINLINE __attribute__((noinline))
#else
#define NATIVE_NOINLINE __attribute__((noinline, noclone))
#endif

}  // namespace native
