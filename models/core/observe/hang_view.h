// What the watchdog sees of a core (sim/watchdog.h): whether its lanes repeat themselves, what they are doing
// (hang/warp_activity.h), and as the snapshot that a proof explores (hang/snapshot.h). What that means is models/hang's to say.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/memory/memory_view.h"
#include "core/observe/hang_probe.h"
#include "core/protocols/barrier_protocol.h"
#include "core/protocols/table_traffic_protocol.h"
#include "core/state/core_state.h"
#include "core/state/warp_sync.h"
#include "hang/warp_activity.h"
#include "simt/control_flow_protocol.h"

namespace heddle::hang {
struct Snapshot;
struct WarpState;
}  // namespace heddle::hang

namespace heddle::core {

class HangView {
 public:
  struct Sources {
    const WarpSync& waiting;  ///< lanes at .sync instructions
    /// A warp that could issue may be passed over for ever.
    std::function<bool()> may_starve;
    /// Lanes have been released from a barrier, and its latency is passing.
    std::function<bool()> releases_pending;
    const MemoryView& memory;
    // Inspected only.
    TableTrafficPort& table_traffic;
    simt::ControlFlowPort& control_flow;
    BarrierPort& barriers;
    bool barriers_count_warps = false;
  };
  HangView(const CoreState& state, Sources sources);

  // What the stages tell it. Nothing while nobody looks for a hang.
  void issues(const IssueTable::Group& group, const isa::Instruction& instruction) {
    if (!probe_.active()) [[likely]]
      return;
    state_.for_each_slice(group, group.mask, [&](WarpId home, LaneMask lanes) {
      probe_.issues(home, lanes);
      if (instruction.time_dependent) probe_.spoil(home, lanes);
    });
  }
  /// Lanes of the warp go on behind a barrier or .sync instruction.
  void passes(WarpId warp) {
    if (probe_.active()) probe_.passes(warp);
  }
  /// A group has arrived where it goes on.
  void arrives(const IssueTable::Group& group, GroupId id) {
    if (probe_.looks()) visit(group, id);
  }

  // As sim::HangVeto and sim::LaneProbe.
  void start() { probe_.start(); }
  void freeze();
  void stop() { probe_.stop(); }
  /// Of the warp's registers and of where its lanes are and wait (GroupView::digest).
  [[nodiscard]] std::uint64_t digest(WarpId warp) const;
  [[nodiscard]] bool repeated() const;
  [[nodiscard]] bool settled() const;
  [[nodiscard]] bool all_in_loops() const;
  [[nodiscard]] bool passes_over() const;
  /// Adds what is scheduled here.
  void add_activity(std::vector<hang::GroupActivity>& groups) const;
  /// Adds what is resident here.
  void snapshot(hang::Snapshot& snapshot) const;

 private:
  void visit(const IssueTable::Group& group, GroupId id);
  /// Something of the warp will happen without any of its lanes running.
  [[nodiscard]] bool in_transit(WarpId warp) const;
  /// Lanes of the warp wait at a reconvergence point whose time-out will let them go.
  [[nodiscard]] bool timers_run(WarpId warp) const;
  /// The split's group could issue, and has not been chosen for long, nor need it ever be.
  [[nodiscard]] bool starved(WarpId warp, LaneMask lanes) const;
  [[nodiscard]] std::vector<PendingLoad> pending_loads(WarpId warp) const;
  void view_warp(WarpId id, std::uint32_t cta, hang::WarpState& state) const;
  void view_waiting(WarpId id, hang::WarpState& state) const;
  /// Next instruction of the split.
  [[nodiscard]] Pc where_now(WarpId warp, const simt::RunnableSplit& split) const;
  /// The barrier at which the lanes wait; `arrived` is 0 if there is none.
  [[nodiscard]] BarrierRequest barrier_of(WarpId warp, LaneMask lanes) const;
  [[nodiscard]] hang::WarpPlace place_of(WarpId id) const;
  /// What the group does, but for those that it holds back.
  [[nodiscard]] hang::GroupActivity activity_of(const IssueTable::Group& group) const;
  /// Of lanes that wait at .sync instructions.
  [[nodiscard]] hang::Meeting meeting_of(WarpId warp, LaneMask lanes) const;
  [[nodiscard]] bool meets(WarpId warp, LaneMask lanes) const {
    return (sources_.waiting.waiting(warp) & lanes).any();
  }

  const CoreState& state_;
  Sources sources_;
  HangProbe probe_;
};

}  // namespace heddle::core
