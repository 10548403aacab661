// The part of the traces that a replay holds: of each thread the next instruction, and as many behind it as a policy
// looks ahead.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "resync/greedy_oracle.h"
#include "resync/trace.h"

namespace heddle::resync {

class ThreadWindow final : public Future {
 public:
  /// `ahead`: 0: nobody asks for the future.
  ThreadWindow(TraceSet& traces, std::uint64_t ahead);
  /// Null: the thread has ended. Valid until its next pop.
  [[nodiscard]] const TraceRecord* head(unsigned thread) const {
    const Thread& t = threads_[thread];
    return t.head < t.end ? &t.records[t.head] : nullptr;
  }
  void pop(unsigned thread) {
    Thread& t = threads_[thread];
    ++t.head;
    if (t.end - t.head <= ahead_ && !t.complete) [[unlikely]]
      refill(thread);
  }
  [[nodiscard]] std::uint64_t until(unsigned thread, std::uint64_t pc, std::uint64_t limit) override;
  [[nodiscard]] std::uint64_t pc_at(unsigned thread, std::uint64_t ahead) override;

 private:
  static constexpr std::size_t kChunk = 256;
  struct Thread {
    std::vector<TraceRecord> records;
    std::size_t head = 0, end = 0;
    bool complete = false;
    std::uint64_t first = 0;  ///< number of records[0] in the trace
    // With a look-ahead: numbers of the records in the window, by PC, and of those behind a barrier.
    std::unordered_map<std::uint64_t, std::deque<std::uint64_t>> at_pc;
    std::deque<std::uint64_t> barriers;
  };
  void refill(unsigned thread);
  TraceSet& traces_;
  std::uint64_t ahead_;
  std::vector<Thread> threads_;
};

}  // namespace heddle::resync
