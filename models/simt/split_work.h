// What an event costs the branch unit of AWARE and Multi-Path under timing: contract (clocked_splits.h): one sequencer in front of the splits
// table (ST), the reconvergence table (RT) and the queue of splits (FIFO), as rtl/split_unit is. It takes one step per clock:
//
//   clock 0     the event is served, and its split looked up. Nothing is written in it
//   clock 1     the first step, of all events: the split goes on, or is gone, and with it the first place that lanes of a branch or call go to
//   behind it   a clock for each other place of a branch or call; for each step of the list (table_steps.h): lanes arrive at a point, or leave it, or
//               are a new split; one more if a point is inserted between two; for each split that a release looks through, whose lanes are there in the clock
//               behind
//   at the end  a clock behind the last step the queue is as the steps have left it. A clock more for each split in front that waits at a barrier and is
//               passed by. The entry of the split in front is at hand if this event has written it, or visited it, last; or else it is looked up, in this clock
//
// What is not the front is on hand: points are looked up in the clock before their step, and which numbers are free, and who waits, is in the row of the
// warp, which is read in clock 0. Multi-Path tells all splits that change, as they are written; of those that are not written the first is looked up in the
// clock behind the last step, each other one takes a clock more.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "sim/block_timing.h"
#include "simt/split.h"

namespace heddle::simt {

class SplitWork {
 public:
  constexpr SplitWork() = default;
  /// The next event: its first step.
  void begin() { *this = {}; }
  /// Nothing had to be done, but what has been asked of the tables.
  void nothing() { *this = SplitWork(asked_); }
  /// A table has answered a request, in so many clocks: the sequencer asks one at a time (table_time.h).
  void asked(std::uint32_t clocks) { asked_ += clocks; }
  /// So many clocks go by.
  void pass(std::uint32_t clocks) { clock_ += clocks; }
  /// The same, behind all steps.
  void pass_in_the_end(std::uint32_t clocks) { tail_ += clocks; }

  // ---- What happens in the present clock
  void wrote(SplitId id) {
    held_ = id;
    written_ |= 1u << id.value();
  }
  void freed(SplitId id) {
    if (held_ == id) held_ = kNoSplit;
  }

  // ---- Steps of their own
  /// A release has looked at so many splits, at this one last.
  void visited(std::uint32_t splits, SplitId last) {
    pass(splits);
    held_ = last;
  }
  /// All steps have been done.
  void settle() { pass(std::exchange(tail_, 0)); }
  /// The split in front is told.
  void tell_front(SplitId id) {
    if (held_ != id) looked_behind_ = clock_;
  }
  /// The split is told, one of several.
  void tell(SplitId id) {
    if ((written_ >> id.value() & 1u) != 0) return;
    if (looks_behind()) pass(1);
    looked_behind_ = clock_;
  }

  /// The last step's, or that of the last table's answer.
  [[nodiscard]] constexpr std::uint32_t clock() const { return std::max(clock_, asked_); }
  /// The ST is looked at in the clock behind it.
  [[nodiscard]] constexpr bool looks_behind() const { return looked_behind_ == clock(); }

 private:
  constexpr explicit SplitWork(std::uint32_t asked) : asked_(asked) {}
  std::uint32_t clock_ = 1;
  std::uint32_t asked_ = 0;  ///< clocks of requests to tables that are clocked
  std::uint32_t tail_ = 0;
  std::uint32_t looked_behind_ = 0;  ///< which clock
  std::uint32_t written_ = 0;        ///< bit i: split i, by this event
  SplitId held_ = kNoSplit;          ///< its entry is at hand
};

/// Cost of an event that is served. One that is not served waits for that of others. The clock behind the last step of an event is the next one's
/// clock 0, unless both would look at the ST.
[[nodiscard]] constexpr sim::BlockCost cost(const SplitWork& work) {
  return {.answer = work.clock() + 2, .interval = work.clock() + (work.looks_behind() ? 2 : 1)};
}

}  // namespace heddle::simt
