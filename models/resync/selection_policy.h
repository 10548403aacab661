// Which PC next: the interface of all selection heuristics of the family ([Resync] ch. 3).
//
// A policy sees thread views and says which PC is fetched and which threads execute it. It is told what became of
// each fetch. Two drivers use it: the replay of per-thread traces (replay.h) and a core's branch unit
// (core/resync_control.h); a hardware selector of the same function fits the same socket.
#pragma once

#include <cstdint>

#include "resync/thread_views.h"

namespace heddle::resync {

struct Selection {
  std::uint64_t pc = 0;
  ThreadMask mask = 0;     ///< threads that execute it; at least one
  unsigned reference = 0;  ///< one of them: the thread that was chosen
};

/// A fetch that has been executed by all its threads.
struct Execution {
  std::uint64_t pc = 0;
  ThreadMask mask = 0;
  ThreadMask block_begin = 0;  ///< of `mask`: threads for which it began a block
  bool branch = false;         ///< conditional or unconditional jump, direct or not
  ThreadMask called =
      0;  ///< of `mask`: those that are in a function now. Others of a call under a guard are not
  ThreadMask returned = 0;                    ///< of `mask`: those that have left one
  const PostDominatorMarks* marks = nullptr;  ///< of the instruction
};

class SelectionPolicy {
 public:
  SelectionPolicy() = default;
  SelectionPolicy(const SelectionPolicy&) = delete;
  SelectionPolicy& operator=(const SelectionPolicy&) = delete;
  virtual ~SelectionPolicy() = default;

  /// Before the first selection of a run.
  virtual void reset(unsigned threads) = 0;
  /// Among all live threads, of which there is at least one.
  [[nodiscard]] Selection select(const ThreadViews& views) { return select(views, views.live); }
  /// The reference is one of `candidates`, live threads of which there is at least one. Others at its PC execute with
  /// it ([Resync:M1]), candidates or not.
  [[nodiscard]] virtual Selection select(const ThreadViews& views, ThreadMask candidates) = 0;
  /// `views` are those after the fetch. Policies that have no memory need not hear of it.
  virtual void executed(const ThreadViews& /*views*/, const Execution& /*what*/) {}
  [[nodiscard]] virtual bool listens() const { return true; }
  /// Wants the compiler's marks: priorities of blocks, branches and their post-dominators.
  [[nodiscard]] virtual bool uses_marks() const { return false; }
  /// Places that the compiler has marked begin blocks as well ([Resync:M17]).
  [[nodiscard]] virtual bool marks_begin_blocks() const { return false; }
  /// Wants to know what threads will do: for replay only (the greedy oracle).
  [[nodiscard]] virtual bool looks_ahead() const { return false; }
  /// Threads at the PC of the chosen one execute with it.
  [[nodiscard]] virtual bool shares() const { return true; }
  /// Lanes that were not live have become so: a policy that runs a block to its end decides anew.
  virtual void reconsider() {}
  /// `thread` is served against the policy's choice because it has waited too long ([Resync:L1]): whatever makes it
  /// wait ends.
  virtual void overruled(unsigned /*thread*/) {}

 protected:
  [[nodiscard]] static Selection run(const ThreadViews& views, unsigned reference) {
    return {views.pc[reference], views.together(reference, views.live), reference};
  }
};

}  // namespace heddle::resync
