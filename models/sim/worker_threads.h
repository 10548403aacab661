// Host threads that run the items of short jobs, microseconds each, many times a millisecond.
//
// Waiting costs little: a worker that finds nothing looks again for some microseconds, then sleeps until it is called.
// Every thread has a share of the items, the same ones in every job as far as it goes, so that what they touch stays in
// its caches; who is done takes items of others.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace heddle::sim {

class WorkerThreads {
 public:
  using Item = void (*)(void* context, unsigned item);

  /// `threads`: with the caller's, at least 1.
  /// For tests: with `delay_seed` they are late at random, up to some microseconds, before each item.
  /// Throws base::InputError if the system gives fewer threads.
  explicit WorkerThreads(unsigned threads, unsigned delay_seed = 0);
  ~WorkerThreads();
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  /// item(context, i) once for each i < count, on any of the threads; returns when all are done, and what they wrote is
  /// visible. The items do not throw.
  void run(unsigned count, Item item, void* context);
  [[nodiscard]] unsigned threads() const { return static_cast<unsigned>(shares_.size()); }

 private:
  static constexpr unsigned kLine = 64;
  /// Items of one thread that nobody has begun: [next, end) in one word, so that a thread that comes late to a job takes
  /// nothing, or an item of the job that runs by then.
  struct alignas(kLine) Share {
    std::atomic<std::uint64_t> range{0};
  };
  void work(unsigned thread);
  void join();
  /// Runs what it finds, of its own share first.
  void take(unsigned thread);

  std::vector<Share> shares_;
  unsigned delay_seed_;
  Item item_ = nullptr;
  void* context_ = nullptr;
  alignas(kLine) std::atomic<std::uint32_t> job_{0};  ///< number of the job
  std::atomic<bool> end_{false};
  alignas(kLine) std::atomic<unsigned> left_{0};  ///< items of the job that are not done
  alignas(kLine) std::atomic<unsigned> asleep_{0};
  std::vector<std::thread> workers_;
};

}  // namespace heddle::sim
