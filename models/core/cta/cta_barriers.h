// Barrier instructions: who arrives, with how many threads as the barrier unit counts them, and what the released are
// given.
#pragma once

#include <algorithm>
#include <vector>

#include "core/issue/path_control.h"
#include "core/protocols/barrier_protocol.h"
#include "core/protocols/release_protocol.h"
#include "core/state/core_state.h"

namespace heddle::core {

class CtaBarriers {
 public:
  /// `counts_warps`: a warp arrives as a whole, diverged or not (barrier_unit.h).
  CtaBarriers(CoreState& state, BarrierPort& barriers, PathControl& paths, bool counts_warps)
      : state_(state), unit_(barriers), paths_(paths), counts_warps_(counts_warps) {}

  void cta_starts(CtaSlot slot, const CtaContext& cta);
  /// The group has issued the instruction with lanes `exec`.
  void arrive(GroupId id, const isa::Instruction& instruction, LaneMask exec);
  /// Lanes of the warp have exited: it had `before` until now.
  void lanes_exited(const WarpContext& warp, LaneMask before);
  [[nodiscard]] bool counts_warps() const { return counts_warps_; }
  /// Who decides when released lanes go on; null: they do after the barrier's latency.
  void ask_before_release(ReleasePort* keeper) { keeper_ = keeper; }
  void go_on(WarpId warp, LaneMask lanes) {
    const Cycle turn = std::max(state_.now, unit_free_);
    unit_free_ = turn + state_.config.barrier.release_cycles;
    paths_.release_at(turn + state_.config.barrier.latency_cycles, warp, lanes);
  }

 private:
  /// Lanes `lanes` of a home warp of the group arrive, of which `exec` pass the guard; of the whole group `group_exec`.
  void arrive(WarpId home, LaneMask lanes, LaneMask exec, LaneMask group_exec, const IssueTable::Group& group,
              const isa::Instruction& instruction, std::vector<BarrierRelease>& released);
  /// How many threads, as the barrier unit counts them, a warp is of which these live.
  [[nodiscard]] std::uint32_t share(LaneMask live) const {
    return live.none() ? 0 : counts_warps_ ? kLanes : live.count();
  }
  void release(const std::vector<BarrierRelease>& released);

  CoreState& state_;
  BarrierPort& unit_;
  PathControl& paths_;
  bool counts_warps_;
  ReleasePort* keeper_ = nullptr;
  Cycle unit_free_ = 0;  ///< when the unit lets the next warp go on
};

}  // namespace heddle::core
