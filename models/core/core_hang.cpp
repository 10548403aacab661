// What the watchdog sees of a core: whether its lanes repeat themselves, what they are doing, in words and as
// a snapshot (hang/snapshot.h).
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/core.h"
#include "core/memory/coalescer.h"
#include "hang/snapshot.h"

namespace heddle::core {

std::vector<simt::RunnableSplit> Core::runnable_splits(WarpId warp) const {
  std::vector<simt::RunnableSplit> runnable;
  simt::ControlFlowRequest look;
  look.warp = warp;
  look.runnable = &runnable;
  branch_isock_.inspect(look);
  return runnable;
}

bool Core::in_transit(WarpId warp) const {
  // Warps that have exited but wait for memory will still free their CTA.
  return warps_[warp.value()].live.none() || warp_sync_.postponed(warp) || !table_traffic_.quiet(warp);
}

void Core::freeze_probe() {
  std::vector<LaneMask> ran(warps_.size());
  for (std::uint32_t w = 0; w < warps_.size(); ++w) {
    if (!warps_[w].resident) continue;
    for (const simt::RunnableSplit& split : runnable_splits(WarpId{w}))
      ran[w] |= split.mask & probe_.seen(WarpId{w}).lanes;
  }
  probe_.freeze(std::move(ran));
}

std::vector<simt::SuspendedLanes> Core::suspended_lanes(WarpId warp) const {
  std::vector<simt::SuspendedLanes> suspended;
  simt::ControlFlowRequest look;
  look.warp = warp;
  look.suspended = &suspended;
  branch_isock_.inspect(look);
  return suspended;
}

bool Core::timers_run(WarpId warp) const {
  const std::vector<simt::SuspendedLanes> suspended = suspended_lanes(warp);
  return std::any_of(suspended.begin(), suspended.end(), [](const simt::SuspendedLanes& lanes) {
    return lanes.why == simt::Suspension::kReconverging && lanes.until.empty();
  });
}

bool Core::starved(WarpId warp, LaneMask lanes) const {
  // Longer than any memory access or pause takes, and than ages that rotate leave a group behind.
  constexpr Cycle kLong = 500'000;
  if (!config_.scheduler.may_starve()) return false;
  for (const GroupId id : groups_of_warp_[warp.value()]) {
    const IssueTable::Group& group = groups_[id];
    const bool could = group.status == GroupStatus::kReady || group.status == GroupStatus::kFetch;
    if (group.mask == lanes && could && now_ - group.issued_at >= kLong) return true;
  }
  return false;
}

bool Core::repeated() const {
  if (probe_.disturbed()) return false;
  for (std::uint32_t w = 0; w < warps_.size(); ++w) {
    if (!warps_[w].resident) continue;
    if (in_transit(WarpId{w}) || timers_run(WarpId{w})) return false;
    const std::vector<simt::RunnableSplit> runnable = runnable_splits(WarpId{w});
    // Without any the warp is at barriers as a whole.
    if (runnable.empty() && !barrier_releases_.empty()) return false;
    for (const simt::RunnableSplit& split : runnable)
      if (!probe_.repeated(WarpId{w}, split.mask)) return false;
  }
  return true;
}

bool Core::settled() const {
  if (probe_.disturbed()) return false;
  for (std::uint32_t w = 0; w < warps_.size(); ++w) {
    if (!warps_[w].resident) continue;
    if (in_transit(WarpId{w})) return false;
    // Lanes that have not come to a loop yet would be explored as well. But a diagnosis is of use when it
    // shows where they hang: that is waited for, unless others may keep them from ever getting there.
    if (config_.scheduler.may_starve()) continue;
    for (const simt::RunnableSplit& split : runnable_splits(WarpId{w}))
      if (!probe_.seen(WarpId{w}).lanes.contains(split.mask)) return false;
  }
  return true;
}

std::vector<PendingLoad> Core::pending_loads(WarpId warp) const {
  std::vector<PendingLoad> pending;
  if (warps_[warp.value()].fills_outstanding == 0) return pending;
  LsuRequest look;
  look.warp_id = warp;
  look.pending = &pending;
  lsu_isock_.inspect(look);
  return pending;
}

// ---- Snapshot
// --------------------------------------------------------------------------------------------------------

void Core::hang_view(hang::Snapshot& snapshot) const {
  std::vector<std::uint32_t> cta_index(ctas_.size(), 0);
  for (std::uint32_t slot = 0; slot < ctas_.size(); ++slot) {
    const CtaContext& cta = ctas_[slot];
    if (!cta.resident) continue;
    cta_index[slot] = static_cast<std::uint32_t>(snapshot.ctas.size());
    hang::CtaState& state = snapshot.ctas.emplace_back();
    state.core = id_.value();
    state.id = {cta.id.x, cta.id.y, cta.id.z};
    for (std::uint32_t id = 0; id < kBarriersPerCta; ++id) {
      BarrierRequest look;
      look.op = BarrierRequest::Op::kInspect;
      look.cta = CtaSlot{slot};
      look.id = id;
      barrier_isock_.call(look);  // kInspect changes nothing
      state.arrived[id] = look.arrived;
      state.expected[id] = look.expected;
    }
  }
  for (std::uint32_t w = 0; w < warps_.size(); ++w)
    if (warps_[w].resident && warps_[w].live.any())
      view_warp(WarpId{w}, cta_index[warps_[w].cta.value()], snapshot.warps.emplace_back());
}

void Core::view_warp(WarpId id, std::uint32_t cta, hang::WarpState& state) const {
  const WarpContext& warp = warps_[id.value()];
  const isa::RegisterLayout& layout = launch_->kernel->registers;
  state.core = id_.value();
  state.cta = cta;
  state.warp_in_cta = warp.warp_in_cta;
  state.linear_warp = warp.linear_warp;
  state.shared_base = ctas_[warp.cta.value()].shared_base;
  state.local_region =
      launch_->local_base + warp.linear_warp * launch_->local_bytes_per_thread * std::uint64_t{kLanes};
  state.live = warp.live;
  state.special = warp.special.data();
  state.registers = warp.registers;

  // Lanes that run, or ran when visits were frozen, are taken where they were seen in their loops: whatever
  // they have done since follows from there.
  const HangProbe::Seen& seen = probe_.seen(id);
  LaneMask at_loops;
  const auto runs_in_loops = [&](LaneMask lanes, bool repeated) {
    at_loops |= lanes;
    while (lanes.any()) {
      const Pc loop = seen.pc[lanes.lowest()];
      LaneMask same;
      lanes.for_each([&](unsigned lane) {
        if (seen.pc[lane] == loop) same |= LaneMask(1u << lane);
      });
      state.running.push_back({same, loop, true, repeated, false});
      lanes = LaneMask::difference(lanes, same);
    }
  };
  state.passed = probe_.active() && probe_.passed(id);
  LaneMask ran;
  if (probe_.active()) ran = probe_.ran(id) & seen.lanes & warp.live;
  for (const simt::RunnableSplit& split : runnable_splits(id)) {
    const bool repeated = probe_.active() && probe_.repeated(id, split.mask);
    const LaneMask in_loop = probe_.active() ? split.mask & seen.lanes : LaneMask{};
    runs_in_loops(in_loop, repeated);
    if (const LaneMask rest = LaneMask::difference(split.mask, in_loop); rest.any())
      state.running.push_back({rest, where_now(id, split), false, false, starved(id, split.mask)});
    ran = LaneMask::difference(ran, split.mask);
  }
  runs_in_loops(ran, false);
  if (at_loops.any()) copy_lanes(layout, at_loops, seen.registers.data(), state.registers.data());
  for (const HangProbe::Seen::Unknown& unknown : seen.unknown)
    if (const LaneMask lanes = unknown.lanes & at_loops; lanes.any())
      state.unknown.push_back({unknown.reg, lanes});
  for (const PendingLoad& load : pending_loads(id))
    if (const LaneMask lanes = LaneMask::difference(load.lanes, at_loops); lanes.any())
      for (unsigned i = 0; i < load.instruction->write_count; ++i)
        state.unknown.push_back({load.instruction->writes[i], lanes});
  view_waiting(id, state);
}

Pc Core::where_now(WarpId warp, const simt::RunnableSplit& split) const {
  for (const GroupId group : groups_of_warp_[warp.value()])
    if (groups_[group].mask == split.mask && groups_[group].status != GroupStatus::kAbsent)
      return groups_[group].pc;
  return split.pc;
}

void Core::view_waiting(WarpId id, hang::WarpState& state) const {
  LaneMask listed;
  for (const hang::RunningLanes& running : state.running) listed |= running.lanes;
  const auto waits = [&](LaneMask lanes, Pc at) {
    lanes = LaneMask::difference(lanes, listed);
    if (lanes.none()) return;
    listed |= lanes;
    // What they wait for may give them a result.
    const isa::Instruction& waits_at = code_[at == kNoPc || at.value() == 0 ? 0 : at.value() - 1];
    for (unsigned i = 0; i < waits_at.write_count; ++i) state.unknown.push_back({waits_at.writes[i], lanes});
    if ((warp_sync_.waiting(id) & lanes).any()) {
      state.waiting.push_back({lanes, at, 0, true});
      return;
    }
    BarrierRequest look = barrier_of(id, lanes);
    if (look.arrived != 0)
      state.waiting.push_back({lanes, at, look.id, false});
    else
      state.held.push_back({lanes, at, true, {}, false});  // released already, its latency is passing
  };
  for (const GroupId g : groups_of_warp_[id.value()])
    if (groups_[g].status == GroupStatus::kBarrier) waits(groups_[g].mask, groups_[g].pc);
  const std::vector<simt::SuspendedLanes> suspended = suspended_lanes(id);
  for (const simt::SuspendedLanes& lanes : suspended)
    if (lanes.why == simt::Suspension::kBarrier) waits(lanes.mask, lanes.at);
  for (const simt::SuspendedLanes& lanes : suspended) {
    const LaneMask held = LaneMask::difference(lanes.mask, listed);
    if (held.none()) continue;
    listed |= held;
    state.held.push_back(
        {held, lanes.at, lanes.why == simt::Suspension::kReconverging, lanes.until, lanes.until_blocked});
  }
}

BarrierRequest Core::barrier_of(WarpId warp, LaneMask lanes) const {
  BarrierRequest look;
  look.op = BarrierRequest::Op::kFind;
  look.cta = warps_[warp.value()].cta;
  look.warp = warp;
  look.waiting = lanes;
  barrier_isock_.call(look);  // kFind changes nothing
  return look;
}

bool Core::loads_through_l1(const isa::Instruction& instruction) const {
  return instruction.op == isa::Opcode::kLoad && !lsu_.bypasses_l1(instruction);
}

bool Core::word_in_l1(std::uint64_t address, std::uint32_t& value) const {
  std::array<std::byte, sizeof value> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (!l1d_.holds(address + i, bytes[i])) return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  return true;
}

bool Core::local_word(std::uint64_t address, std::uint32_t& value) const {
  std::array<std::byte, sizeof value> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (!l1d_.holds(address + i, bytes[i]) && !lsu_.on_its_way(address + i, bytes[i]) &&
        !launch_->services->read_memory(address + i, std::span(bytes).subspan(i, 1)))
      return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  return true;
}

std::uint32_t Core::shared_word(std::uint32_t offset) const {
  std::array<std::byte, sizeof(std::uint32_t)> bytes{};
  for (std::uint32_t i = 0; i < bytes.size(); ++i) bytes[i] = shared_memory_.byte_at(offset + i);
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// ---- In words
// --------------------------------------------------------------------------------------------------------

std::string Core::warp_name(WarpId id) const {
  const WarpContext& warp = warps_[id.value()];
  const CtaContext& cta = ctas_[warp.cta.value()];
  return fmt::format("core {}, CTA ({},{},{}), warp {}", id_.value(), cta.id.x, cta.id.y, cta.id.z,
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

std::string wait_to_meet(LaneMask missing) {
  return fmt::format("wait for lanes {:#010x} of their member mask", missing.bits());
}

const char* why_suspended(simt::Suspension why) {
  switch (why) {
    case simt::Suspension::kReconverging:
      return "wait to reconverge with them";
    case simt::Suspension::kNotStarted:
      return "have not run their side of a branch, which starts";
    case simt::Suspension::kTurn:
      return "take turns with them and go on";
    case simt::Suspension::kBarrier:
      return "wait at a barrier, to go on";
  }
  return "";
}

}  // namespace

std::string Core::arrivals(const BarrierRequest& barrier) const {
  const bool warps = barriers_count_warps();
  const std::uint32_t unit = warps ? kLanes : 1;
  return fmt::format("{} of {} {} have arrived", barrier.arrived / unit, (barrier.expected + unit - 1) / unit,
                     warps ? "warps" : "threads");
}

void Core::diagnose(std::vector<sim::StuckWarp>& stuck) const {
  const isa::Kernel& kernel = *launch_->kernel;
  for (std::uint32_t g = 0; g < groups_.size(); ++g) {
    const IssueTable::Group& group = groups_[GroupId{g}];
    if (group.status == GroupStatus::kAbsent) continue;
    const WarpContext& warp = warps_[group.warp.value()];
    sim::StuckWarp entry;
    entry.warp = warp_name(group.warp);
    entry.lanes = fmt::format("{:#010x}", group.mask.bits());
    const bool at_barrier = group.status == GroupStatus::kBarrier;
    const bool repeats = probe_.active() && probe_.repeated(group.warp, group.mask);
    const HangProbe::Seen& visits = probe_.seen(group.warp);
    const bool spins = repeats || (probe_.active() && visits.lanes.contains(group.mask));
    Pc at = group.pc;
    if (spins) at = repeats ? probe_.loop_head(group.warp, group.mask) : visits.pc[group.mask.lowest()];
    const LaneMask missing = warp_sync_.missing(group.warp, group.mask, warp.live);
    const bool meets = at_barrier && (warp_sync_.waiting(group.warp) & group.mask).any();
    if (at_barrier) at = Pc{group.pc.value() - 1};
    if (meets) {
      entry.activity = wait_to_meet(missing);
    } else if (at_barrier) {
      const BarrierRequest look = barrier_of(group.warp, group.mask);
      entry.activity = fmt::format("wait at barrier {} ({})", look.id, arrivals(look));
    } else {
      entry.activity = spins ? "spin in the loop that starts" : activity(group.status);
    }
    entry.place = kernel.place(at);
    entry.source = kernel.source_line(at);
    for (const simt::SuspendedLanes& lanes : suspended_lanes(group.warp)) {
      const bool none = lanes.at == kNoPc;
      const bool to_meet =
          lanes.why == simt::Suspension::kBarrier && (warp_sync_.waiting(group.warp) & lanes.mask).any();
      const std::string how =
          to_meet ? wait_to_meet(warp_sync_.missing(group.warp, lanes.mask, warp.live)) + ", to go on"
                  : why_suspended(lanes.why);
      entry.waiting.push_back({fmt::format("{:#010x}", lanes.mask.bits()), how,
                               none ? "the kernel's exit" : kernel.place(lanes.at),
                               none ? "" : kernel.source_line(lanes.at)});
    }
    stuck.push_back(std::move(entry));
  }
}

}  // namespace heddle::core
