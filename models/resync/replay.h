// Replays the traces of threads through a selection policy ([Resync] §1.2, §4.2): which threads execute what in
// which fetch. A policy orders the sequences, it cannot change them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "resync/replay_statistics.h"
#include "resync/selection_policy.h"
#include "resync/thread_window.h"

namespace heddle::resync {

struct ReplayOptions {
  unsigned fetch_units = 0;     ///< of the opportunistic machine; 0: one per thread
  bool operands = true;         ///< statistics of registers and addresses
  bool match_depth = false;     ///< [Resync:M1]
  bool barriers = true;         ///< threads wait for all others at recorded barriers
  bool function_marks = false;  ///< levels follow the compiler's marks instead of calls and returns
  /// Called now and then with the number of instructions replayed; an exception it throws ends the replay.
  std::function<void(std::uint64_t)> progress{};
};

class Replay {
 public:
  /// Both must outlive this; the traces are read from where they are.
  Replay(TraceSet& traces, SelectionPolicy& policy, const ReplayOptions& options = {});
  /// One fetch. False: all threads have ended.
  bool step();
  /// To the end.
  const ReplayStatistics& run();
  /// Of the last fetch.
  [[nodiscard]] std::uint64_t pc() const { return what_.pc; }
  [[nodiscard]] ThreadMask mask() const { return what_.mask; }
  [[nodiscard]] const ThreadViews& views() const { return views_; }
  [[nodiscard]] const ReplayStatistics& statistics() { return meter_.finish(); }

 private:
  /// The thread's next instruction has become its head.
  void show(unsigned thread);
  void release_barrier();

  SelectionPolicy& policy_;
  ReplayOptions options_;
  ThreadWindow window_;
  ReplayMeter meter_;
  ThreadViews views_;
  Execution what_;
  std::array<const TraceRecord*, kMaxThreads> head_{};
  ThreadMask parked_ = 0;  ///< at a barrier
  std::uint64_t next_progress_ = 0;
  std::uint64_t instructions_ = 0;
  bool listens_;
  bool marks_begin_;
};

}  // namespace heddle::resync
