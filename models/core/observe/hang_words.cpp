// What the lanes of a core are doing, in words.
#include <fmt/format.h>

#include <algorithm>

#include "core/observe/hang_view.h"

namespace heddle::core {

std::string HangView::warp_name(WarpId id) const {
  const WarpContext& warp = state_.warp(id);
  const CtaContext& cta = state_.ctas[warp.cta.value()];
  return fmt::format("core {}, CTA ({},{},{}), warp {}", state_.id.value(), cta.id.x, cta.id.y, cta.id.z,
                     warp.warp_in_cta);
}

namespace {

const char* activity(GroupStatus status) {
  switch (status) {
    case GroupStatus::kScoreboardMemory:
      return "wait for a load or atomic";
    case GroupStatus::kFence:
      return "wait at a fence";
    case GroupStatus::kReady:
      return "are ready to issue";
    case GroupStatus::kFetch:
    case GroupStatus::kControlFlow:
      return "wait for their next instruction";
    default:
      return "run";
  }
}

std::string wait_to_meet(const WarpSync& waiting, WarpId warp, LaneMask lanes, LaneMask live) {
  std::string words =
      fmt::format("wait for lanes {:#010x} of their member mask", waiting.missing(warp, lanes, live).bits());
  const char* before = " ";
  for (const std::uint32_t members : waiting.members(warp, lanes)) {
    words += fmt::format("{}{:#010x}", before, members);
    before = " or ";
  }
  return words;
}

std::string wait_at_barrier_register(const simt::SuspendedLanes& lanes) {
  if (lanes.spilled)
    return fmt::format("wait at the convergence barrier B{}, whose lanes are in a register,", lanes.barrier);
  if (lanes.missing.none())
    return fmt::format("wait at the convergence barrier B{} below another one", lanes.barrier);
  return fmt::format("wait for lanes {:#010x} of the convergence barrier B{}", lanes.missing.bits(),
                     lanes.barrier);
}

const char* why_suspended(const simt::SuspendedLanes& lanes) {
  switch (lanes.why) {
    case simt::Suspension::kReconverging:
      return "wait to reconverge with them";
    case simt::Suspension::kNotStarted:
      return "have not run their side of a branch, which starts";
    case simt::Suspension::kTurn:
      return lanes.until.empty() ? "take turns with them and go on"
                                 : "have their turn when these come to a YIELD, and go on";
    case simt::Suspension::kNoTurn:
      return "have no turn until these meet others or end, and go on";
    case simt::Suspension::kPriority:
      return "may run only after them, and go on";
    case simt::Suspension::kBarrier:
      return "wait at a barrier, to go on";
  }
  return "";
}

}  // namespace

std::string HangView::arrivals(const BarrierRequest& barrier) const {
  const bool warps = sources_.barriers_count_warps;
  const std::uint32_t unit = warps ? kLanes : 1;
  return fmt::format("{} of {} {} have arrived", barrier.arrived / unit, (barrier.expected + unit - 1) / unit,
                     warps ? "warps" : "threads");
}

void HangView::describe_warps(std::vector<StuckWarp>& stuck) const {
  const isa::Kernel& kernel = state_.kernel();
  for (std::uint32_t g = 0; g < state_.groups.size(); ++g) {
    const IssueTable::Group& group = state_.groups[GroupId{g}];
    if (group.status == GroupStatus::kAbsent) continue;
    const WarpContext& warp = state_.warp(group.warp);
    StuckWarp entry;
    entry.warp = warp_name(group.warp);
    entry.lanes = fmt::format("{:#010x}", group.mask.bits());
    const bool at_barrier = group.status == GroupStatus::kBarrier;
    const bool repeats = probe_.active() && probe_.repeated(group.warp, group.mask);
    const HangProbe::Seen& visits = probe_.seen(group.warp);
    const bool spins = repeats || (probe_.active() && visits.in_loops().contains(group.mask));
    Pc at = group.pc;
    if (spins) at = repeats ? probe_.loop_head(group.warp, group.mask) : visits.pc[group.mask.lowest()];
    const bool meets = at_barrier && (sources_.waiting.waiting(group.warp) & group.mask).any();
    if (at_barrier) at = Pc{group.pc.value() - 1};
    if (meets) {
      entry.activity = wait_to_meet(sources_.waiting, group.warp, group.mask, warp.live);
    } else if (at_barrier) {
      const BarrierRequest look = barrier_of(group.warp, group.mask);
      entry.activity = fmt::format("wait at barrier {} ({})", look.id, arrivals(look));
    } else {
      entry.activity = spins ? "spin in the loop that starts" : activity(group.status);
    }
    entry.place = kernel.location(at);
    entry.source = kernel.source_line(at);
    const std::vector<simt::SuspendedLanes> suspended = sources_.control_flow.suspended(group.warp);
    // Nothing of the warp runs, and the first of its lanes stand for it.
    const bool waits = group.status == GroupStatus::kTables && !suspended.empty() &&
                       suspended.front().barrier != simt::SuspendedLanes::kNoBarrier;
    if (waits) {
      const simt::SuspendedLanes& first = suspended.front();
      entry.lanes = fmt::format("{:#010x}", first.mask.bits());
      entry.activity = wait_at_barrier_register(first);
      entry.place = kernel.location(first.at);
      entry.source = kernel.source_line(first.at);
    }
    for (const simt::SuspendedLanes& lanes : suspended) {
      if (waits && &lanes == &suspended.front()) continue;
      const bool none = lanes.at == kNoPc;
      const bool to_meet = lanes.why == simt::Suspension::kBarrier &&
                           (sources_.waiting.waiting(group.warp) & lanes.mask).any();
      const std::string how =
          to_meet ? wait_to_meet(sources_.waiting, group.warp, lanes.mask, warp.live) + ", to go on"
          : lanes.barrier != simt::SuspendedLanes::kNoBarrier ? wait_at_barrier_register(lanes)
                                                              : why_suspended(lanes);
      entry.waiting.push_back({fmt::format("{:#010x}", lanes.mask.bits()), how,
                               none ? "the kernel's exit" : kernel.location(lanes.at),
                               none ? "" : kernel.source_line(lanes.at)});
    }
    stuck.push_back(std::move(entry));
  }
}

}  // namespace heddle::core
