// What resident threads do, by cycle ([KiloTM] Fig 4.9): AT, BA and what is left. A lane's cycles from one of its
// instructions to its next one are those of the first. Part of core.sync_statistics; no hardware.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/lane_mask.h"
#include "base/stats.h"

namespace heddle::spin {

class ThreadCycles {
 public:
  enum class State : std::uint8_t {
    kOther,
    kLockAtomic,   ///< AT: an atomic, or a loop that waits, of a lane that holds no lock
    kBarrier,      ///< BA
    kTransaction,  ///< from a tx_begin until it goes on behind the tx_commit: TO, TW, TA, TU
  };
  static constexpr unsigned kStates = 4;

  ThreadCycles(std::uint32_t warps, base::StatGroup& stats) : warps_(warps) {
    base::StatGroup& group = stats.child("thread_cycles", "what resident threads do ([KiloTM] Fig 4.9)");
    group.counter("other", "thread-cycles", "NL and TC: from any other instruction to the thread's next one",
                  &cycles_[static_cast<unsigned>(State::kOther)]);
    group.counter("lock_atomic", "thread-cycles", "AT: from an atomic, or in a loop for a lock or of a wait",
                  &cycles_[static_cast<unsigned>(State::kLockAtomic)]);
    group.counter("barrier", "thread-cycles", "BA: from a barrier to the next instruction",
                  &cycles_[static_cast<unsigned>(State::kBarrier)]);
    group.counter(
        "transaction", "thread-cycles",
        "TO, TW, TA and TU: from a tx_begin until it goes on behind the tx_commit (core<i>.transactions)",
        &cycles_[static_cast<unsigned>(State::kTransaction)]);
  }

  void begin_launch() {
    for (Warp& warp : warps_) warp = {};
  }
  /// Lanes of a warp slot issue: from now on they are in that state.
  void enter(base::WarpId slot, base::LaneMask lanes, State state, base::Cycle cycle) {
    Warp& warp = warps_[slot.value()];
    lanes.for_each([&](unsigned lane) {
      if (warp.live.test(lane)) cycles_[static_cast<unsigned>(warp.state[lane])] += cycle - warp.since[lane];
      warp.since[lane] = cycle;
      warp.state[lane] = state;
    });
    warp.live |= lanes;
  }
  /// They exit.
  void leave(base::WarpId slot, base::LaneMask lanes, base::Cycle cycle) {
    enter(slot, lanes, State::kOther, cycle);
    Warp& warp = warps_[slot.value()];
    warp.live = base::LaneMask::difference(warp.live, lanes);
  }
  /// Lanes in that state.
  [[nodiscard]] base::LaneMask in(base::WarpId slot, State state) const {
    const Warp& warp = warps_[slot.value()];
    base::LaneMask lanes;
    warp.live.for_each([&](unsigned lane) {
      if (warp.state[lane] == state) lanes |= base::LaneMask(1u << lane);
    });
    return lanes;
  }

 private:
  struct Warp {
    base::LaneMask live;
    std::array<base::Cycle, base::kLanes> since{};
    std::array<State, base::kLanes> state{};
  };
  std::vector<Warp> warps_;
  std::array<std::uint64_t, kStates> cycles_{};
};

}  // namespace heddle::spin
