// CTAs and warps on a core: what a launch needs, how a CTA starts, and when its resources are free again.
#pragma once

#include <cstdint>
#include <optional>

#include "core/cta/cta_barriers.h"
#include "core/cta/cta_slots.h"
#include "core/cta/occupancy.h"
#include "core/issue/issue_stage.h"
#include "core/issue/path_control.h"
#include "core/protocols/core_ports.h"
#include "core/protocols/cta_protocol.h"
#include "core/state/core_state.h"
#include "simt/control_flow_unit.h"

namespace heddle::core {

class CtaLauncher {
 public:
  CtaLauncher(CoreState& state, CorePorts& ports, IssueStage& issue, PathControl& paths,
              CtaBarriers& barriers, sim::BlockInitiator<CtaDoneProtocol>& done,
              const simt::ControlFlowUnit& control_flow);

  void declare(base::StatGroup& issue);
  void declare_occupancy(base::StatGroup& occupancy);

  /// It has begun in cycle `now`.
  void begin_launch(const LaunchContext* launch, Cycle now);
  /// The launch is over, whatever is resident.
  void end_launch() { occupancy_.end_launch(state_.services.clock.cycle()); }
  void rest(Cycle cycles) { occupancy_.rest(cycles); }
  /// How many more CTAs of the launch there is room for.
  [[nodiscard]] std::uint32_t room() const { return slots_.room(needs_); }
  /// `at`: a free slot that it gets; none: any.
  CtaSlot start(std::uint64_t linear_id, std::optional<CtaSlot> at = {});
  /// Frees the warp, and its CTA, if nothing of it runs or is on its way any more.
  void retire_if_finished(WarpId id) {
    const WarpContext& warp = state_.warp(id);
    if (warp.resident && warp.live.none() && warp.memory_outstanding == 0 && warp.alu_outstanding == 0)
      retire(id);
  }
  /// CTAs on the core.
  [[nodiscard]] std::uint32_t resident() const { return slots_.resident(); }

 private:
  [[gnu::noinline]] void retire(WarpId id);
  void place_warp(const CtaContext& cta, CtaSlot slot, WarpId id, std::uint32_t warp_in_cta);
  void launch(WarpId id);
  /// With Scope::kCta: the mechanism hears of all warps of the CTA at once.
  void launch_together(const std::vector<WarpId>& warps);

  CoreState& state_;
  CorePorts& ports_;
  IssueStage& issue_;
  PathControl& paths_;
  CtaBarriers& barriers_;
  sim::BlockInitiator<CtaDoneProtocol>& done_;
  const simt::ControlFlowUnit& control_flow_;  ///< what it asks for: scope, memory
  CtaSlots slots_;
  CtaNeeds needs_;
  Occupancy occupancy_;
  std::uint64_t ctas_started_ = 0;
  std::uint64_t ctas_given_ = 0;  ///< of all launches
};

}  // namespace heddle::core
