// Life of CTAs and warps on a core.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/core.h"

namespace heddle::core {

void Core::serve_cta(CtaRequest& request) {
  switch (request.op) {
    case CtaRequest::Op::kBegin:
      begin_launch(request.launch);
      break;
    case CtaRequest::Op::kFits:
      request.fits = cta_slots_.fits(needs_);
      break;
    case CtaRequest::Op::kStart:
      now_ = services_.clock.cycle();
      account_idle(now_);
      start_cta(request.linear_id);
      clock_.wake();
      break;
    case CtaRequest::Op::kEnd:
      account_idle(services_.clock.cycle());
      groups_.end_profile();
      break;
  }
}

void Core::begin_launch(const LaunchContext* launch) {
  launch_ = launch;
  code_ = launch->kernel->code.data();
  needs_ = needs_of(*launch, config_);
  last_cycle_ = services_.clock.cycle();
  fetch_.begin_launch(launch->kernel->code, launch->code_base);
  register_file_.begin_launch(*launch->kernel);
  pipe_of_pc_.clear();
  for (const isa::Instruction& instruction : launch->kernel->code)
    pipe_of_pc_.push_back(config_.pipes.pipe_of(instruction));
  groups_.set_profile(launch->profile);
  lsu_.begin_launch(launch);
  branch_due_ = kNever;
  port_waits_.clear();
  table_traffic_.begin_launch(launch->table_base +
                              std::uint64_t{id_.value()} * config_.occupancy.max_warps * kTableBytesPerWarp);
}

void Core::start_cta(std::uint64_t linear_id) {
  std::vector<WarpId> warps;
  std::uint32_t shared_base = 0;
  const CtaSlot slot = cta_slots_.take(needs_, warps, shared_base);
  CtaContext& cta = ctas_[slot.value()];
  const host::Dim3& grid = launch_->shape.grid;
  cta.resident = true;
  cta.linear_id = linear_id;
  cta.id = {static_cast<std::uint32_t>(linear_id % grid.x),
            static_cast<std::uint32_t>(linear_id / grid.x % grid.y),
            static_cast<std::uint32_t>(linear_id / grid.x / grid.y)};
  cta.shared_base = shared_base;
  cta.live_threads = static_cast<std::uint32_t>(launch_->shape.block.count());
  cta.warps = warps;
  cta.warps_left = static_cast<std::uint32_t>(warps.size());
  ++ctas_started_;
  services_.progress.advanced();

  lsu_.clear_shared(shared_base, needs_.shared_bytes);
  BarrierRequest launch;
  launch.op = BarrierRequest::Op::kLaunch;
  launch.cta = slot;
  launch.threads =
      barriers_count_warps() ? static_cast<std::uint32_t>(warps.size()) * kLanes : cta.live_threads;
  barrier_isock_.call(launch);
  for (std::uint32_t w = 0; w < warps.size(); ++w) start_warp(cta, slot, warps[w], w);
}

void Core::start_warp(const CtaContext& cta, CtaSlot slot, WarpId id, std::uint32_t warp_in_cta) {
  WarpContext& warp = warps_[id.value()];
  warp.resident = true;
  warp.cta = slot;
  warp.warp_in_cta = warp_in_cta;
  warp.linear_warp = cta.linear_id * launch_->warps_per_cta + warp_in_cta;
  const auto threads = static_cast<std::uint32_t>(launch_->shape.block.count());
  warp.live = LaneMask::first_lanes(std::min(threads - warp_in_cta * kLanes, kLanes));
  warp.registers.assign(launch_->kernel->registers.bytes(), std::byte{0});
  warp.special.resize(isa::kSpecialBlockBytes);
  fill_special_rows(warp, cta, id);

  ScoreboardRequest clear;
  clear.op = ScoreboardRequest::Op::kClear;
  clear.warp = id;
  scoreboard_isock_.call(clear);
  simt::ControlFlowRequest start;
  start.event = simt::ControlFlowEvent::kLaunch;
  start.warp = id;
  start.group = GroupId{id.value() * branch_unit_.groups_per_warp()};
  start.mask = warp.live;
  start.next = Pc{0};
  decide(start);
  SchedulerRequest assign;
  assign.op = SchedulerRequest::Op::kAssign;
  assign.warp = id;
  assign.cycle = now_;
  scheduler_isocks_[id.value() % config_.scheduler.count]->call(assign);
}

void Core::fill_special_rows(WarpContext& warp, const CtaContext& cta, WarpId id) const {
  using isa::SpecialRow;
  const auto set_lane = [&](SpecialRow special, unsigned lane, std::uint32_t value) {
    std::memcpy(warp.special.data() + isa::special_offset(special) + lane * std::size_t{4}, &value, 4);
  };
  const auto set_all = [&](SpecialRow special, std::uint32_t value) {
    for (unsigned lane = 0; lane < kLanes; ++lane) set_lane(special, lane, value);
  };
  const host::Dim3& block = launch_->shape.block;
  const host::Dim3& grid = launch_->shape.grid;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t thread = warp.warp_in_cta * kLanes + lane;
    set_lane(SpecialRow::kTidX, lane, thread % block.x);
    set_lane(SpecialRow::kTidY, lane, thread / block.x % block.y);
    set_lane(SpecialRow::kTidZ, lane, thread / block.x / block.y);
    set_lane(SpecialRow::kLaneId, lane, lane);
    const std::uint32_t equal = 1u << lane;
    set_lane(SpecialRow::kLanemaskEq, lane, equal);
    set_lane(SpecialRow::kLanemaskLt, lane, equal - 1);
    set_lane(SpecialRow::kLanemaskLe, lane, equal | (equal - 1));
    set_lane(SpecialRow::kLanemaskGt, lane, ~(equal | (equal - 1)));
    set_lane(SpecialRow::kLanemaskGe, lane, ~(equal - 1));
  }
  set_all(SpecialRow::kNtidX, block.x);
  set_all(SpecialRow::kNtidY, block.y);
  set_all(SpecialRow::kNtidZ, block.z);
  set_all(SpecialRow::kCtaidX, cta.id.x);
  set_all(SpecialRow::kCtaidY, cta.id.y);
  set_all(SpecialRow::kCtaidZ, cta.id.z);
  set_all(SpecialRow::kNctaidX, grid.x);
  set_all(SpecialRow::kNctaidY, grid.y);
  set_all(SpecialRow::kNctaidZ, grid.z);
  set_all(SpecialRow::kWarpId, id.value());
  set_all(SpecialRow::kNwarpId, config_.occupancy.max_warps);
  set_all(SpecialRow::kSmId, id_.value());
  set_all(SpecialRow::kNsmId, launch_->cores);
  set_all(SpecialRow::kDynamicSharedSize, launch_->shape.dynamic_shared_bytes);
  set_all(SpecialRow::kTotalSharedSize, launch_->shared_bytes_per_cta);
  set_all(SpecialRow::kGridIdLow, static_cast<std::uint32_t>(launch_->grid_id));
  set_all(SpecialRow::kGridIdHigh, static_cast<std::uint32_t>(launch_->grid_id >> 32));
  set_all(SpecialRow::kParamBaseLow, static_cast<std::uint32_t>(launch_->param_base));
  set_all(SpecialRow::kParamBaseHigh, static_cast<std::uint32_t>(launch_->param_base >> 32));
}

bool Core::fence_satisfied(const WarpContext& warp, isa::FenceScope scope) const {
  // Within the CTA: all threads use this core's memory port in order, so what has left the core is ordered.
  return (scope == isa::FenceScope::kCta ? warp.order_outstanding : warp.memory_outstanding) == 0;
}

void Core::lift_fences(WarpId id) {
  auto& fences = fences_[id.value()];
  // Lifting one may let the branch unit move the groups of others: what waits no longer is void then.
  std::vector<Fence> lifted;
  std::erase_if(fences, [&](const Fence& fence) {
    if (groups_[fence.group].epoch != fence.epoch) return true;
    if (!fence_satisfied(warps_[id.value()], fence.scope)) return false;
    lifted.push_back(fence);
    return true;
  });
  for (const Fence& fence : lifted)
    if (groups_[fence.group].epoch == fence.epoch)
      advance(fence.group, code_[groups_[fence.group].pc.value()]);
  if (!fences.empty()) return;
  for (const GroupId held : groups_of_warp_[id.value()])  // those that the fences held back
    if (groups_[held].status == GroupStatus::kFence && groups_[held].head_valid) refresh(held);
}

void Core::table_entry_moved(WarpId id, const isa::Instruction& instruction) {
  simt::TableEntryTransfer filled;
  if (!table_traffic_.finished(id, instruction, filled)) return;
  simt::ControlFlowRequest back;
  back.event = simt::ControlFlowEvent::kTableFilled;
  back.warp = id;
  back.filled = &filled;
  decide(back);
}

void Core::retire_if_finished(WarpId id) {
  WarpContext& warp = warps_[id.value()];
  if (!warp.resident || warp.live.any() || warp.memory_outstanding != 0 || warp.alu_outstanding != 0 ||
      !table_traffic_.quiet(id))
    return;
  warp.resident = false;
  CtaContext& cta = ctas_[warp.cta.value()];
  if (--cta.warps_left != 0) return;
  cta.resident = false;
  cta_slots_.give_back(warp.cta);
  CtaDone done{id_.value(), cta.linear_id};
  cta_done_isock.call(done);
}

void Core::release_barriers(const std::vector<BarrierRelease>& released, Cycle when) {
  if (released.empty()) return;
  services_.progress.lanes_released();
  for (const BarrierRelease& release : released) {
    if (release.instruction->dst[0].present) write_reduction(release);
    barrier_releases_.add(when + config_.barrier.latency_cycles, {release.warp, release.waiting});
  }
}

void Core::write_reduction(const BarrierRelease& release) {
  const isa::Operand& dst = release.instruction->dst[0];
  std::byte* const row = warps_[release.warp.value()].registers.data() + dst.offset;
  if (dst.width == isa::RowWidth::kPredicate) {
    std::uint32_t lanes = 0;
    std::memcpy(&lanes, row, sizeof lanes);
    lanes = (lanes & ~release.lanes.bits()) | (release.result != 0 ? release.lanes.bits() : 0);
    std::memcpy(row, &lanes, sizeof lanes);
    return;
  }
  release.lanes.for_each([&](unsigned lane) {
    std::memcpy(row + lane * sizeof release.result, &release.result, sizeof release.result);
  });
}

}  // namespace heddle::core
