// Where the lanes of a warp go on: asks the control-flow mechanism after every instruction that it must know of, and
// does what it answers - groups appear, move, are blocked or gone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <systemc>
#include <vector>

#include "base/timing_wheel.h"
#include "core/issue/issue_stage.h"
#include "core/observe/core_tracer.h"
#include "core/observe/hang_view.h"
#include "core/protocols/fetch_protocol.h"
#include "core/state/core_state.h"
#include "core/state/profile.h"
#include "sim/block_socket.h"
#include "simt/control_flow_protocol.h"

namespace heddle::core {

class PathControl {
 public:
  PathControl(CoreState& state, simt::ControlFlowPort& control_flow, FetchPort& fetch, IssueStage& issue,
              CoreTracer& tracer, HangView& hang)
      : state_(state),
        control_flow_(control_flow),
        fetch_(fetch),
        issue_(issue),
        tracer_(tracer),
        hang_(hang),
        refills_at_once_(state.config.fetch.per_sub_core()),
        releases_of_(state.warps.size()) {}

  /// The group goes on behind the instruction that it has issued.
  void advance(GroupId id);
  /// Asks the mechanism, and does what it answers. The group may have moved or be gone then.
  void decide(simt::ControlFlowRequest& request);
  void decide(simt::ControlFlowRequest&& request) { decide(request); }
  /// The mechanism's time has come.
  void tick(Cycle now);
  /// No warp is left. Only of a mechanism that is a clocked block: it serves what has been asked of it.
  void end_launch(Cycle now);
  /// A spilled entry of the mechanism's tables is back from memory.
  void table_filled(WarpId warp, const simt::TableEntryTransfer& filled);
  /// Lanes of the group wait, at a barrier or for other lanes, to go on behind the instruction that it has issued: all,
  /// unless the mechanism parts them there.
  void wait_at_barrier(GroupId id, LaneMask lanes) { wait(id, lanes, Pc{state_.groups[id].pc.value() + 1}); }
  /// All lanes of the group wait, to execute the instruction once more.
  void wait_to_repeat(GroupId id) { wait(id, state_.groups[id].mask, state_.groups[id].pc); }
  /// What the mechanism has made of threads that parted, for the profile of the launch that ends.
  void profile_parted(KernelProfile& profile);
  /// Lanes of a warp that wait so may go on in a cycle to come.
  void release_at(Cycle cycle, WarpId warp, LaneMask lanes) {
    releases_.add(cycle, {warp, lanes});
    ++releases_of_[warp.value()];
  }
  void release_due(Cycle now) {
    releases_.take(now, [this](const LanesOfWarp& due) {
      --releases_of_[due.warp.value()];
      release(due.warp, due.lanes);
    });
  }
  /// The group yields; false: no other lanes of its warp have their turn.
  [[nodiscard]] bool gives_way(GroupId id);
  /// The group sleeps until `cycle`, then goes on behind the instruction that it has issued.
  void sleep_until(Cycle cycle, GroupId id);
  void wake_due(Cycle now);
  /// Cycle of the next release or awakening.
  [[nodiscard]] Cycle next_due() const { return std::min(releases_.next_due(), sleepers_.next_due()); }
  [[nodiscard]] bool releases_pending() const { return !releases_.empty(); }
  [[nodiscard]] bool releases_pending(WarpId warp) const { return releases_of_[warp.value()] != 0; }

 private:
  /// To the next instruction, which the mechanism need not hear of.
  [[gnu::always_inline]] void step(GroupId id);
  // Mechanism that is a clocked block: a group that does not come from the issue stage may find the scheduler's latch taken, and asks
  // again in the next cycle.
  [[nodiscard]] [[gnu::noinline]] bool latch_is_free(std::uint32_t scheduler);
  [[gnu::noinline]] void wait_for_latch(GroupId id);
  /// The program has broken a rule of the mechanism, at `pc` if it is known where.
  [[noreturn]] void refuse(const simt::ControlFlowRequest& request, Pc pc) const;
  /// What an answer says of the whole core.
  [[gnu::always_inline]] void heard(const simt::ControlFlowRequest& answer);
  void apply(const simt::ControlFlowRequest& answer);
  void appears(const simt::GroupUpdate& update);
  [[gnu::always_inline]] void moves(const simt::GroupUpdate& update);
  void stops(const simt::GroupUpdate& update);
  /// Whose lanes the group has from now on; `is_new`: it had none before.
  void belongs(const simt::GroupUpdate& update, WarpId slot, bool is_new);
  [[gnu::always_inline]] void redirect(GroupId id, Pc pc);

  void wait(GroupId id, LaneMask lanes, Pc next);
  void release(WarpId warp, LaneMask lanes);

  struct LanesOfWarp {
    WarpId warp{};
    LaneMask lanes;
  };
  struct Sleeper {
    GroupId group{};
    std::uint32_t epoch = 0;
  };

  CoreState& state_;
  simt::ControlFlowPort& control_flow_;
  FetchPort& fetch_;
  IssueStage& issue_;
  CoreTracer& tracer_;
  HangView& hang_;
  bool refills_at_once_;  ///< fetch has something to do whenever an instruction issues
  base::TimingWheel<LanesOfWarp> releases_;
  std::uint32_t latches_taken_ = 0;         ///< bit per scheduler: the mechanism's last answer
  std::vector<std::uint32_t> releases_of_;  ///< by warp: of these
  base::TimingWheel<Sleeper> sleepers_;
};

}  // namespace heddle::core
