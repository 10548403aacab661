#include "sim/worker_threads.h"

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <system_error>

#include "base/error.h"

namespace heddle::sim {
namespace {

/// How often a worker looks for a job before it sleeps: some 20 us.
constexpr unsigned kWorkerLooks = 512;
/// How often the caller looks whether the others are done before it lets them have its processor.
constexpr unsigned kCallerLooks = 1u << 14;
constexpr unsigned kRangeBits = 32;

std::uint64_t range_of(std::uint64_t next, std::uint64_t end) { return end << kRangeBits | next; }

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void be_late(unsigned seed) {
  thread_local std::minstd_rand random(
      seed + static_cast<unsigned>(std::hash<std::thread::id>{}(std::this_thread::get_id())));
  constexpr unsigned kMostPauses = 128;
  for (unsigned pauses = random() % kMostPauses; pauses != 0; --pauses) relax();
}

}  // namespace

WorkerThreads::WorkerThreads(unsigned threads, unsigned delay_seed)
    : shares_(std::max(1u, threads)), delay_seed_(delay_seed) {
  try {
    for (unsigned i = 1; i < shares_.size(); ++i) workers_.emplace_back([this, i] { work(i); });
  } catch (const std::system_error& error) {
    const std::size_t made = workers_.size() + 1;
    join();
    throw base::InputError("host.threads",
                           "the system gives " + std::to_string(made) + " threads, not " +
                               std::to_string(shares_.size()) + ": " + error.what(),
                           "Set a smaller number.");
  }
}

WorkerThreads::~WorkerThreads() { join(); }

void WorkerThreads::join() {
  end_ = true;
  ++job_;
  job_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
}

void WorkerThreads::take(unsigned thread) {
  unsigned done = 0;
  for (unsigned turn = 0; turn < shares_.size(); ++turn) {
    std::atomic<std::uint64_t>& share = shares_[(thread + turn) % shares_.size()].range;
    std::uint64_t range = share.load(std::memory_order_acquire);
    while (true) {
      const std::uint64_t next = range & 0xffff'ffffu;
      const std::uint64_t end = range >> kRangeBits;
      if (next >= end) break;
      if (!share.compare_exchange_weak(range, range_of(next + 1, end), std::memory_order_acq_rel,
                                       std::memory_order_acquire))
        continue;
      if (delay_seed_ != 0) [[unlikely]]
        be_late(delay_seed_);
      item_(context_, static_cast<unsigned>(next));
      ++done;
      range = share.load(std::memory_order_acquire);
    }
  }
  if (done != 0) left_.fetch_sub(done, std::memory_order_acq_rel);
}

void WorkerThreads::work(unsigned thread) {
  std::uint32_t seen = 0;
  while (true) {
    unsigned looks = 0;
    while (job_.load(std::memory_order_acquire) == seen) {
      if (++looks < kWorkerLooks) {
        relax();
        continue;
      }
      asleep_.fetch_add(1, std::memory_order_seq_cst);
      job_.wait(seen, std::memory_order_seq_cst);
      asleep_.fetch_sub(1, std::memory_order_relaxed);
    }
    seen = job_.load(std::memory_order_acquire);
    if (end_) return;
    take(thread);
  }
}

void WorkerThreads::run(unsigned count, Item item, void* context) {
  const auto threads = static_cast<unsigned>(shares_.size());
  if (threads == 1 || count < 2) {
    for (unsigned i = 0; i < count; ++i) item(context, i);
    return;
  }
  item_ = item;
  context_ = context;
  left_.store(count, std::memory_order_relaxed);
  for (unsigned t = 0; t < threads; ++t)
    shares_[t].range.store(
        range_of(std::uint64_t{count} * t / threads, std::uint64_t{count} * (t + 1) / threads),
        std::memory_order_release);
  job_.fetch_add(1, std::memory_order_seq_cst);
  if (asleep_.load(std::memory_order_seq_cst) != 0) job_.notify_all();
  take(0);
  for (unsigned looks = 0; left_.load(std::memory_order_acquire) != 0; ++looks) {
    if (looks < kCallerLooks)
      relax();
    else
      std::this_thread::yield();
  }
}

}  // namespace heddle::sim
