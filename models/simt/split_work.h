// What an event costs the branch unit of AWARE and Multi-Path under timing: contract (clocked_splits.h): one sequencer in front of the splits
// table (ST), the reconvergence table (RT) and the queue of splits (FIFO). It makes the requests of an event in the order in which the control
// (split_control.h) makes them, several in a clock as far as ports and dependences allow.
//
//   ST, RT   one-read, one-write memories of entries: a look and a write in a clock. What is looked up is there in the clock behind. The entry that was
//            looked up or written last stands in a register: to look at it costs nothing, and what is made of it is known in the clock that writes it.
//            Which numbers are in use, physical, and next to be given, is in flip-flops and known ahead
//   FIFO     one split leaves the front and one comes to the back in a clock; which one is in front then is known in the clock behind. All flags are in
//            flip-flops. The lanes that wait at a barrier are a memory, which a release looks through, a blocked split a clock
//   clock 0  the event is served, and its split looked up. Nothing is written in it
#pragma once

#include <cstdint>

#include "sim/block_timing.h"
#include "simt/reconvergence_table.h"
#include "simt/split_fifo.h"
#include "simt/split_table.h"

namespace heddle::simt {

class SplitWork {
 public:
  /// `several_paths`: every split of a warp is told, and so passes by as it is written (Multi-Path); or else the one that is in front in the end.
  explicit SplitWork(bool several_paths) : several_paths_(several_paths) {}

  /// The next event.
  void begin() { *this = SplitWork(several_paths_); }

  // ---- Requests that have been answered, in the order of the event
  void add(const SplitTableRequest& request);
  void add(const ReconvergenceTableRequest& request);
  void add(const SplitFifoRequest& request);
  /// The next kUnblock finds so many splits that wait at a barrier.
  void unblock_visits(std::uint32_t blocked) { blocked_ = blocked; }

  /// From the clock in which the event is served to the one in which all is done; 0: there was nothing to do.
  [[nodiscard]] std::uint32_t clocks() const { return end_; }
  /// The ST is looked at in the last of these.
  [[nodiscard]] bool looks_last() const { return last_look_ + 1 == end_; }

 private:
  enum Port : std::uint8_t {
    kSplitLook = 1,
    kSplitWrite = 2,
    kPointLook = 4,
    kPointWrite = 8,
    kFront = 16,
    kBack = 32,
    kLanes = 64
  };
  /// In the first clock in which they are free, and not before `from`.
  void use(unsigned ports, std::uint32_t from = 1);
  /// What follows depends on what is known from that clock on.
  void wait_until(std::uint32_t clock);
  void look(SplitId id);
  void look(ReconvergenceId id);
  void front_moves();

  bool several_paths_;
  std::uint32_t clock_ = 0;  ///< of the last request
  unsigned used_ = 0;        ///< ports in it
  std::uint32_t end_ = 0;
  std::uint32_t last_look_ = ~0u - 1;
  std::uint32_t front_known_ = 0;
  std::uint32_t blocked_ = 0;
  SplitId split_ = kNoSplit;                  ///< in the ST's register
  std::uint32_t written_ = 0;                 ///< bit i: split i, by this event
  ReconvergenceId point_ = kNoReconvergence;  ///< in the RT's register
};

/// Cost of an event that is served. One that is not served waits for that of others. The last clock of an event is the next one's clock 0, unless both
/// would look at the ST.
[[nodiscard]] inline sim::BlockCost cost(const SplitWork& work) {
  const std::uint32_t clocks = work.clocks() == 0 ? 1 : work.clocks();
  return {.answer = clocks, .interval = clocks == 1 || work.looks_last() ? clocks : clocks - 1};
}

}  // namespace heddle::simt
