// Fences: a group waits until its warp's memory operations are as far as the fence asks for. An acquire at the scope of
// the GPU or the system then makes L1 forget what other cores may have written (core.memory_model=scoped).
//
// While a split of a warp waits, the unit is a closed gate for the memory instructions of the warp's other splits: they
// would have to be waited for as well, and splits that poll a lock would keep its owner at the fence for ever.
//
// cp.async.wait_group and wait_all wait here, too, until copies of their group's lanes are done. In kernels with arrivals behind
// copies (isa::waits_for_copies) the gate is closed to these while copies of the warp are under way.
//
// With core.fence.* a fence takes at least that long, however little it waits for. With core.fence.completion_cycles the
// load/store unit sends messages behind the core's atomics when the fence takes its mark (memory/fence_messages.h); they
// count as writes before the mark. The fence ends so many cycles after the last of what it waits for.
//
// With core.fence.round_cycles fences of the scope of the GPU leave a core in rounds, one after the other: a fence takes its mark
// when its round begins. The round is over when all that had been taken by then is performed, and after so many cycles at least.
// A fence that comes up to core.fence.join_cycles behind its beginning goes with it; those that come later make the next round.
#pragma once

#include <algorithm>
#include <deque>
#include <vector>

#include "base/stats.h"
#include "base/timing_wheel.h"
#include "core/issue/issue_gate.h"
#include "core/issue/issue_stage.h"
#include "core/protocols/lsu_protocol.h"
#include "core/state/core_state.h"
#include "sim/block_socket.h"

namespace heddle::core {

class PathControl;

class FenceUnit final : public IssueGate {
 public:
  FenceUnit(CoreState& state, IssueStage& issue, PathControl& paths, LsuPort& lsu);

  void declare(base::StatGroup& issue);

  /// The group has issued the fence: it goes on at once, or waits.
  void issue(GroupId id, const isa::Instruction& fence);
  /// A memory operation of the warp is as far as a fence may wait for.
  void operation_done(WarpId warp) {
    if (!fences_[warp.value()].empty()) lift(warp);
    if (behind_copies_) [[unlikely]]
      recheck_behind_copies(warp);
  }
  /// The group begins an asynchronous copy.
  void copy(GroupId id) {
    if (behind_copies_) [[unlikely]]
      close_behind_copies(id);
  }
  /// The load/store unit has had a cycle: it may have finished writes of other warps.
  void memory_done() {
    if (!releases_.empty()) [[unlikely]]
      lift_releases();
    if (!round_.next.empty()) [[unlikely]]
      begin_next_round();
  }
  /// Fences whose time is over in this cycle.
  void cycle(Cycle now) {
    if (timers_.next_due() <= now) [[unlikely]]
      timers_.take(now, [this](WarpId warp) { operation_done(warp); });
    if (round_.due <= now) [[unlikely]]
      begin_next_round();
  }
  [[nodiscard]] Cycle next_due() const { return std::min(timers_.next_due(), round_.due); }
  /// Lanes of the warp wait at a fence. They may go on elsewhere behind it: as part of another group.
  [[nodiscard]] bool waits(WarpId warp) const { return !fences_[warp.value()].empty(); }
  void serve(IssueGateRequest& request) override;

 private:
  /// What must be true of the operations of the group's warps.
  enum class Until : std::uint8_t {
    kOrdered,  ///< loads have data, stores have left the core: all threads of the CTA use its port, which keeps order
    kLoaded,  ///< what writes registers has written them
    kCopied,  ///< none of its lanes' asynchronous copies is under way but those of their last `newest` groups
    kPerformed  ///< they are finished, and so are the core's writes before `mark`
  };
  struct Fence {
    GroupId group{};
    std::uint32_t epoch = 0;
    Until until = Until::kPerformed;
    bool acquires = false;
    Cycle issued = 0;
    std::uint64_t newest = 0;
    WriteMark mark = 0;       ///< 0: of none
    std::uint64_t round = 0;  ///< that it goes in; 0: in none
    Cycle earliest = 0;       ///< that it may be over
    Cycle completion = 0;     ///< from the last answer to its end
    bool answered = false;    ///< all that it waits for is as far as it asks for
  };
  struct Release {
    WriteMark mark = 0;
    WarpId warp{};
  };
  /// Fences that leave the core together.
  struct Round {
    std::uint64_t number = 0;  ///< of the last one that has begun
    WriteMark mark = 0;        ///< of its youngest fence
    Cycle begun = 0;
    std::vector<WarpId> next;  ///< home warps with fences that wait for the next one
    Cycle due = base::kNever;  ///< when that may begin, if the time is what it waits for
  };
  [[nodiscard]] Fence fence_of(GroupId id, const isa::Instruction& instruction);
  /// Now, in the round that has begun, or in the next one.
  void send(Fence& fence);
  /// `leads`: it is the first of its round, or there are no rounds.
  void take_mark(Fence& fence, bool leads);
  /// Another round may begin.
  [[nodiscard]] bool round_over() const;
  void begin_round();
  /// With the fences that wait for it, if the last one is over.
  void begin_next_round();
  /// It may end. What it waits for may be found to be done, and its end be known with that.
  [[nodiscard]] bool satisfied(Fence& fence);
  /// What the group's warps have under way is as far as the fence asks for.
  [[nodiscard]] bool own_done(const Fence& fence) const;
  [[nodiscard]] bool performed(WriteMark mark) const;
  /// The group goes on behind the fence.
  void pass(const Fence& fence);
  /// Asynchronous copies of the warp are under way.
  [[nodiscard]] bool copies(WarpId warp) const;
  void close_behind_copies(GroupId id);
  void recheck_behind_copies(WarpId warp) {
    open(warp);
    issue_.recheck_gate(gate_, warp);
  }
  /// The gate, if nothing closes it for the warp.
  void open(WarpId warp);
  void lift(WarpId warp);
  void lift_releases();
  /// The fence of a group with other home warps than `but` is lifted: it is not with them any more either.
  void forget(const Fence& fence, WarpId but);

  CoreState& state_;
  IssueStage& issue_;
  PathControl& paths_;
  LsuPort& lsu_;
  std::uint32_t gate_;
  std::vector<std::vector<Fence>> fences_;  ///< by home warp; a fence is with each home of its group
  base::TimingWheel<WarpId> timers_;        ///< home warps with fences that take until then
  bool behind_copies_ = false;              ///< the kernel has arrivals behind copies
  std::uint64_t passed_ = 0;
  std::uint64_t cycles_ = 0;
  Round round_;
  std::deque<Release> releases_;  ///< home warps with fences that wait for a mark, oldest mark first
};

}  // namespace heddle::core
