// Small programs that the tests of the native tracer run: native_programs NAME [THREADS].
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>

namespace {

unsigned threads = 4;
const char* name = "";
pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
pthread_barrier_t all;
unsigned next_item = 0;
std::atomic<unsigned> arrived{0};
volatile std::uint64_t sink = 0;
volatile std::sig_atomic_t signals = 0;

void work(unsigned n) {
  for (unsigned i = 0; i < n; ++i) sink = sink + i;
}

/// The first to come takes the next item; items take different times.
void queue() {
  for (;;) {
    pthread_mutex_lock(&mutexes[0]);
    const unsigned item = next_item++;
    pthread_mutex_unlock(&mutexes[0]);
    if (item >= 40) return;
    work(item * 7 % 50);
  }
}

/// A clock decides how long it takes; a futile wait for all others.
void clocks() {
  timeval begin{};
  timespec now{};
  gettimeofday(&begin, nullptr);
  const time_t seconds = time(nullptr);
  clock_gettime(CLOCK_MONOTONIC, &now);
  work(static_cast<unsigned>((now.tv_nsec / 1000 + begin.tv_usec + seconds) % 97));
  ++arrived;
  while (arrived < threads) sched_yield();
}

void deadlock(unsigned thread) {
  pthread_mutex_lock(&mutexes[thread % 2]);
  pthread_barrier_wait(&all);
  pthread_mutex_lock(&mutexes[1 - thread % 2]);
}

}  // namespace

extern "C" __attribute__((noinline)) void* resync_worker(void* argument) {
  const unsigned thread = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(argument));
  if (std::strcmp(name, "queue") == 0) queue();
  if (std::strcmp(name, "clocks") == 0) clocks();
  if (std::strcmp(name, "deadlock") == 0) deadlock(thread);
  if (std::strcmp(name, "abort") == 0 && thread == 1) abort();
  if (std::strcmp(name, "exit") == 0 && thread == 1) exit(7);
  if (std::strcmp(name, "signal") == 0) pthread_kill(pthread_self(), SIGUSR1);
  if (std::strcmp(name, "sleep") == 0) usleep(1000 * (threads - thread));
  work(20);
  return nullptr;
}

int main(int argc, char** argv) {
  if (argc > 1) name = argv[1];
  if (argc > 2) threads = static_cast<unsigned>(atoi(argv[2]));
  signal(SIGUSR1, [](int) { signals = signals + 1; });
  pthread_barrier_init(&all, nullptr, threads);
  pthread_t handles[64];
  for (unsigned t = 0; t < threads; ++t)
    pthread_create(&handles[t], nullptr, resync_worker, reinterpret_cast<void*>(std::uintptr_t{t}));
  if (std::strcmp(name, "leader") == 0) pthread_exit(nullptr);
  for (unsigned t = 0; t < threads; ++t) pthread_join(handles[t], nullptr);
  // Two lives of threads, one after the other; and the first thread as a worker.
  if (std::strcmp(name, "again") == 0) {
    pthread_create(&handles[0], nullptr, resync_worker, nullptr);
    resync_worker(nullptr);
    pthread_join(handles[0], nullptr);
  }
  return signals > 0 ? 3 : 0;
}
