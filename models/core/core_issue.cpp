// The issue logic: one instruction of one group.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "core/core.h"
#include "core/memory/access_check.h"

namespace heddle::core {

using isa::Opcode;

LaneMask Core::guarded(const IssueTable::Group& group, const isa::Instruction& instruction) const {
  if (!instruction.guard.present) return group.mask;
  std::uint32_t lanes;
  std::memcpy(&lanes, row(warps_[group.warp.value()], instruction.guard), 4);
  return group.mask & LaneMask(instruction.guard.negated ? ~lanes : lanes);
}

const std::byte* Core::row(const WarpContext& warp, const isa::Operand& operand) const {
  switch (operand.space) {
    case isa::RowSpace::kRegister:
      return warp.registers.data() + operand.offset;
    case isa::RowSpace::kConstant:
      return launch_->kernel->constants.data() + operand.offset;
    case isa::RowSpace::kSpecial:
      return warp.special.data() + operand.offset;
  }
  return nullptr;
}

void Core::issue(GroupId id) {
  IssueTable::Group& group = groups_[id];
  const isa::Instruction& instruction = code_[group.pc.value()];
  const LaneMask exec = guarded(group, instruction);
  const LaneMask active = instruction.op == Opcode::kBranch ? group.mask : exec;
  const unsigned lanes = active == LaneMask::all() ? kLanes : active.count();
  ++warp_instructions_;
  thread_instructions_ += lanes;
  if (launch_->profile != nullptr) {
    PcProfile& profile = launch_->profile->at(group.pc);
    ++profile.issues;
    profile.lanes += lanes;
  }
  if (launch_->trace != nullptr) trace_issue(group, id, exec);
  group.issued_at = now_;
  if (probe_.active()) {
    probe_.issues(group.warp, group.mask);
    if (instruction.time_dependent) probe_.spoil(group.warp, group.mask);
  }
  switch (instruction.op) {
    case Opcode::kLane:
      issue_lane(group, instruction, exec, now_);
      break;
    case Opcode::kTimer:
      issue_lane(group, instruction, exec, nanoseconds());
      break;
    case Opcode::kWarpSync:
      issue_warp_sync(id, instruction, exec);
      return;
    case Opcode::kLoad:
    case Opcode::kStore:
    case Opcode::kAtomic:
      if (exec.any()) issue_memory(group, instruction, exec);
      break;
    case Opcode::kBranch:
      issue_branch(id, instruction, exec);
      return;
    case Opcode::kIndirect:
      if (exec.any()) {
        issue_indirect(id, instruction, exec);
        return;
      }
      break;
    case Opcode::kCall:
      if (exec.any()) {
        issue_call(id, instruction, exec);
        return;
      }
      break;
    case Opcode::kReturn:
      if (exec.any()) {
        issue_return(id, instruction, exec);
        return;
      }
      break;
    case Opcode::kPrint:
      if (exec.any()) issue_print(group, instruction, exec);
      break;
    case Opcode::kAssertFail:
      if (exec.any()) fail_assertion(group, instruction, exec);
      break;
    case Opcode::kExit:
      if (exec.any()) {
        issue_exit(id, exec);
        return;
      }
      break;
    case Opcode::kBarrier:
      if (exec.any()) {
        issue_barrier(id, instruction, exec);
        return;
      }
      break;
    case Opcode::kFence:
      issue_fence(id, instruction);
      return;
    case Opcode::kTrap:
      if (exec.any()) trap(group, instruction, exec);
      break;
    case Opcode::kSleep:
      if (exec.any()) {
        issue_sleep(id, instruction, exec);
        return;
      }
      break;
    case Opcode::kNop:
      break;
  }
  advance(id, instruction);
}

Cycle Core::enter_pipe(const IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec) {
  if (instruction.write_count != 0) {
    ScoreboardRequest reserve;
    reserve.op = ScoreboardRequest::Op::kReserve;
    reserve.warp = group.warp;
    reserve.mask = exec;
    reserve.instruction = &instruction;
    scoreboard_isock_.call(reserve);
    if (launch_->trace != nullptr) trace_registers("issue", group.warp, instruction, exec);
    // What other splits of the warp found out before no longer holds: registers are pending, entries taken.
    if (const auto& of_warp = groups_of_warp_[group.warp.value()]; of_warp.size() > 1)
      for (const GroupId other : of_warp)
        if (&groups_[other] != &group && groups_[other].status == GroupStatus::kReady) refresh(other);
  }
  const std::uint32_t sub_core = sub_core_of(group.scheduler);
  PipesRequest enter;
  enter.op = PipesRequest::Op::kIssue;
  enter.warp = group.warp;
  enter.mask = exec;
  enter.instruction = &instruction;
  enter.pipe = pipe_of_pc_[group.pc.value()];
  enter.sub_core = sub_core;
  enter.cycle = now_;
  pipes_isock_.call(enter);
  pipes_due_ = enter.next_due;
  const auto pipe = static_cast<unsigned>(enter.pipe);
  pipe_readiness_[sub_core].accepts_from[pipe] = enter.accepts_from;
  pipe_readiness_[sub_core].busy_until[pipe] = enter.busy_until;
  if (enter.pipe == Pipe::kMemory)
    first_scheduler_ = group.scheduler + 1 == config_.scheduler.count ? 0 : group.scheduler + 1;
  return enter.operands_late;
}

void Core::issue_lane(IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec,
                      Cycle clock) {
  WarpContext& warp = warps_[group.warp.value()];
  isa::LaneArgs args;
  for (unsigned i = 0; i < 2; ++i)
    if (instruction.dst[i].present) args.dst[i] = warp.registers.data() + instruction.dst[i].offset;
  for (unsigned i = 0; i < 4; ++i) {
    const isa::Operand& source = instruction.src[i];
    if (!source.present) continue;
    args.src[i] = row(warp, source);
    if (source.negated) args.negated = static_cast<std::uint8_t>(args.negated | (1u << i));
  }
  args.mask = exec.bits();
  args.cycle = clock;
  args.immediate = instruction.immediate;
  if (exec.any()) instruction.lane_fn(args);
  if (instruction.write_count != 0) ++warp.alu_outstanding;
  enter_pipe(group, instruction, exec);
}

void Core::trap(const IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec) const {
  const AccessSite site = site_of(group, instruction);
  const bool breakpoint = instruction.immediate == isa::kBreakpoint;
  throw base::KernelFault(
      launch_->kernel->place(group.pc),
      fmt::format("{} executed {}", thread_name(site, exec.lowest()), breakpoint ? "brkpt" : "trap"),
      breakpoint ? "there is no debugger to stop in; remove the breakpoint"
                 : "the kernel itself asked to stop here");
}

std::uint64_t Core::nanoseconds() const {
  constexpr double kPerSecond = 1e9;
  return static_cast<std::uint64_t>(
      sc_core::sc_time::from_value(services_.clock.edge_time(now_)).to_seconds() * kPerSecond);
}

void Core::issue_memory(IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec) {
  WarpContext& warp = warps_[group.warp.value()];
  LsuRequest request;
  request.operands_late = enter_pipe(group, instruction, exec);
  request.op = LsuRequest::Op::kIssue;
  request.cycle = now_;
  request.instruction = &instruction;
  request.pc = group.pc;
  request.warp_id = group.warp;
  request.warp = &warp;
  request.cta = &ctas_[warp.cta.value()];
  request.mask = exec;
  lsu_isock_.call(request);
  if (launch_->profile != nullptr) {
    PcProfile& profile = launch_->profile->at(group.pc);
    profile.transactions += request.transactions;
    profile.extra_passes += request.extra_passes;
  }
  for (PipeReadiness& pipes : pipe_readiness_) pipes.memory_full = request.full;
  lsu_due_ = std::min(lsu_due_, now_ + 1);  // the memory stage of this cycle has already run
}

void Core::advance(GroupId id, const isa::Instruction& instruction) {
  IssueTable::Group& group = groups_[id];
  const Pc next{group.pc.value() + 1};
  if (next == group.watch) {
    simt::ControlFlowRequest report;
    report.event = simt::ControlFlowEvent::kAdvance;
    report.warp = group.warp;
    report.group = id;
    report.next = next;
    decide(report);
    return;
  }
  if (instruction.unit == isa::Unit::kControl) {  // fetch stopped behind it
    redirect(id, next, GroupStatus::kControlFlow);
    return;
  }
  FetchRequest pop;
  pop.op = FetchRequest::Op::kPop;
  pop.group = id;
  fetch_isock_.call(pop);
  if (!pop.head_valid) fetch_due_ = now_;
  group.pc = next;
  group.head_valid = pop.head_valid;
  refresh(id);
}

void Core::redirect(GroupId id, Pc pc, GroupStatus waiting) {
  IssueTable::Group& group = groups_[id];
  group.pc = pc;
  group.head_valid = false;
  FetchRequest request;
  request.op = FetchRequest::Op::kRedirect;
  request.group = id;
  request.pc = pc;
  fetch_isock_.call(request);
  fetch_due_ = now_;
  set_status(id, waiting);
}

namespace {

/// Static length of the paths that a branch's lanes chose, for the CAWA scheduler's estimate: up to the
/// reconvergence point, or one more lap of the loop behind a backward branch.
std::uint32_t chosen_path(const isa::Instruction& branch, Pc pc, bool some_take, bool some_fall_through) {
  const std::uint32_t next = pc.value() + 1;
  const std::uint32_t target = branch.target.value();
  if (target <= pc.value()) return some_take ? next - target : 0;
  const std::uint32_t end = branch.rpc == kNoPc ? target : branch.rpc.value();
  std::uint32_t length = 0;
  if (some_take && end > target) length += end - target;
  if (some_fall_through) length += std::min(target, std::max(end, next)) - next;
  return length;
}

}  // namespace

void Core::issue_branch(GroupId id, const isa::Instruction& instruction, LaneMask exec) {
  const IssueTable::Group& group = groups_[id];
  simt::ControlFlowRequest branch;
  branch.event = simt::ControlFlowEvent::kBranch;
  branch.warp = group.warp;
  branch.group = id;
  branch.mask = group.mask;
  branch.taken = exec;
  branch.target = instruction.target;
  branch.next = Pc{group.pc.value() + 1};
  branch.rpc = instruction.rpc;
  if (launch_->profile != nullptr && exec.any() && exec != group.mask)
    ++launch_->profile->at(group.pc).divergences;
  if (config_.scheduler.policy == SchedulingPolicy::kCawa) {
    SchedulerRequest chosen;
    chosen.op = SchedulerRequest::Op::kBranch;
    chosen.warp = group.warp;
    chosen.path_instructions = chosen_path(instruction, group.pc, exec.any(), exec != group.mask);
    scheduler_isocks_[group.scheduler]->call(chosen);
  }
  decide(branch);
}

void Core::issue_exit(GroupId id, LaneMask exec) {
  const WarpId warp_id = groups_[id].warp;
  WarpContext& warp = warps_[warp_id.value()];
  simt::ControlFlowRequest gone;
  gone.event = simt::ControlFlowEvent::kExit;
  gone.warp = warp_id;
  gone.group = id;
  gone.mask = exec;
  gone.next = Pc{groups_[id].pc.value() + 1};
  decide(gone);
  services_.progress.advanced();
  const std::uint32_t share_before = barrier_share(warp.live);
  warp.live = LaneMask::difference(warp.live, exec);
  ctas_[warp.cta.value()].live_threads -= exec.count();

  std::vector<BarrierRelease> released;
  BarrierRequest fewer;
  fewer.op = BarrierRequest::Op::kExit;
  fewer.cta = warp.cta;
  fewer.threads = share_before - barrier_share(warp.live);
  fewer.released = &released;
  barrier_isock_.call(fewer);
  release_barriers(released, now_);
  if (warp_sync_.any(warp_id)) meet(warp_id);  // those who waited for these lanes need not any more
  retire_if_finished(warp_id);
}

void Core::issue_barrier(GroupId id, const isa::Instruction& instruction, LaneMask exec) {
  IssueTable::Group& group = groups_[id];
  const WarpContext& warp = warps_[group.warp.value()];
  const auto operand = [&](const isa::Operand& source) {
    std::uint32_t value = 0;
    if (source.present) std::memcpy(&value, row(warp, source) + exec.lowest() * std::size_t{4}, 4);
    return value;
  };
  BarrierRequest arrive;
  arrive.cta = warp.cta;
  arrive.id = operand(instruction.src[0]);
  arrive.expected = operand(instruction.src[1]);
  if (arrive.id >= kBarriersPerCta)
    throw base::KernelFault(launch_->kernel->place(group.pc),
                            fmt::format("barrier number {} does not exist", arrive.id),
                            "barriers are numbered 0 to 15");
  // With a guard that only some lanes pass, the lanes of the group arrive together, as PTX defines it for
  // hardware that counts warps (below sm_70).
  // An explicit count is in whole warps: lanes that never existed or have exited count with the last live
  // ones.
  const bool whole_warp = barriers_count_warps() || (arrive.expected != 0 && group.mask == warp.live);
  arrive.threads = whole_warp ? kLanes : group.mask.count();
  arrive.warp = group.warp;
  arrive.waits = instruction.barrier_kind == isa::BarrierKind::kSync;
  arrive.waiting = group.mask;
  arrive.lanes = group.mask;
  arrive.instruction = &instruction;
  if (instruction.barrier_reduction != isa::BarrierReduction::kNone) {
    // Lanes that the guard keeps away arrive with the others, but have no predicate and take no result.
    arrive.lanes = exec;
    std::uint32_t holds = 0;
    std::memcpy(&holds, row(warp, instruction.src[2]), sizeof holds);
    arrive.predicate = exec & LaneMask(instruction.src[2].negated ? ~holds : holds);
  }
  std::vector<BarrierRelease> released;
  arrive.released = &released;
  barrier_isock_.call(arrive);
  if (arrive.waits) {
    simt::ControlFlowRequest wait;
    wait.event = simt::ControlFlowEvent::kBarrierArrive;
    wait.warp = group.warp;
    wait.group = id;
    wait.mask = group.mask;
    wait.next = Pc{group.pc.value() + 1};
    decide(wait);
  } else {
    advance(id, instruction);
  }
  release_barriers(released, now_);
}

void Core::issue_fence(GroupId id, const isa::Instruction& instruction) {
  IssueTable::Group& group = groups_[id];
  if (fence_satisfied(warps_[group.warp.value()], instruction.fence_scope)) {
    advance(id, instruction);
    return;
  }
  fences_[group.warp.value()].push_back({id, group.epoch, instruction.fence_scope});
  group.head_valid = false;
  set_long_latency(id, GroupStatus::kFence);
  for (const GroupId other : groups_of_warp_[group.warp.value()])
    if (groups_[other].status == GroupStatus::kReady) refresh(other);
}

/// The group sleeps as long as the longest of its lanes asks for. PTX lets the time be anything up to twice
/// that.
void Core::issue_sleep(GroupId id, const isa::Instruction& instruction, LaneMask exec) {
  constexpr std::uint32_t kLongest = 1'000'000;  // nanoseconds, PTX ISA
  constexpr double kNanosecondsPerMicrosecond = 1e3;
  IssueTable::Group& group = groups_[id];
  const std::byte* const times = row(warps_[group.warp.value()], instruction.src[0]);
  std::uint32_t longest = 0;
  exec.for_each([&](unsigned lane) {
    std::uint32_t time = 0;
    std::memcpy(&time, times + lane * sizeof time, sizeof time);
    longest = std::max(longest, std::min(time, kLongest));
  });
  const auto cycles =
      static_cast<Cycle>(longest * services_.clock.frequency_mhz() / kNanosecondsPerMicrosecond);
  if (cycles == 0) {
    advance(id, instruction);
    return;
  }
  sleepers_.add(now_ + cycles, {id, group.epoch});
  group.head_valid = false;
  set_long_latency(id, GroupStatus::kControlFlow);
}

void Core::decide(simt::ControlFlowRequest& request) {
  request.cycle = now_;
  table_traffic_.set_cycle(now_);
  branch_isock_.call(request);
  branch_due_ = request.due;
  if (launch_->trace != nullptr) {
    const bool by_group = request.event != simt::ControlFlowEvent::kTick &&
                          request.event != simt::ControlFlowEvent::kTableFilled &&
                          request.event != simt::ControlFlowEvent::kBarrierRelease &&
                          request.event != simt::ControlFlowEvent::kLaunch;
    trace_decision(request, by_group ? groups_[request.group].pc : kNoPc);
  }
  apply(request);
  bool full = false;
  if (!table_traffic_.take_started(full)) return;
  for (PipeReadiness& pipes : pipe_readiness_) pipes.memory_full = full;
  lsu_due_ = std::min(lsu_due_, now_ + 1);
}

void Core::apply(const simt::ControlFlowRequest& answer) {
  for (const simt::GroupUpdate& update : answer.updates) {
    IssueTable::Group& group = groups_[update.group];
    group.hold = update.hold;
    if (launch_->trace != nullptr) trace_update(answer.warp, update);
    switch (update.change) {
      case simt::GroupChange::kMoved:
      case simt::GroupChange::kSchedulable:
        group_moves(answer.warp, update);
        break;
      case simt::GroupChange::kBlocked:
      case simt::GroupChange::kVanished:
        group_stops(answer.warp, update);
        break;
      case simt::GroupChange::kHeld:
        if (group.head_valid) refresh(update.group);
        break;
    }
  }
}

void Core::group_appears(WarpId warp, GroupId id) {
  IssueTable::Group& group = groups_[id];
  group.warp = warp;
  group.scheduler = scheduler_of(warp);
  groups_of_warp_[warp.value()].push_back(id);
  if (branch_unit_.groups_per_warp() == 1) return;
  SchedulerRequest join;
  join.op = SchedulerRequest::Op::kJoin;
  join.group = id;
  scheduler_isocks_[group.scheduler]->call(join);
}

void Core::group_moves(WarpId warp, const simt::GroupUpdate& update) {
  IssueTable::Group& group = groups_[update.group];
  if (group.status == GroupStatus::kAbsent) group_appears(warp, update.group);
  group.mask = update.mask;
  group.watch = update.watch;
  group.issued_at = now_;
  ++group.epoch;
  redirect(update.group, update.pc, GroupStatus::kControlFlow);
  if (probe_.looks()) probe_visit(warp, update);
}

void Core::probe_visit(WarpId warp, const simt::GroupUpdate& update) {
  const isa::Kernel& kernel = *launch_->kernel;
  const auto live = kernel.live_at_loop_heads.find(update.pc.value());
  if (live == kernel.live_at_loop_heads.end()) return;
  simt::ControlFlowRequest state;
  state.warp = warp;
  state.group = update.group;
  state.mask = update.mask;
  state.cycle = now_;
  branch_isock_.inspect(state);
  probe_.visit({warp, update.pc, update.mask, live->second, kernel.registers, warps_[warp.value()].registers,
                state.digest, pending_loads(warp)});
}

void Core::group_stops(WarpId warp, const simt::GroupUpdate& update) {
  IssueTable::Group& group = groups_[update.group];
  FetchRequest stop;
  stop.op = FetchRequest::Op::kStop;
  stop.group = update.group;
  fetch_isock_.call(stop);
  group.head_valid = false;
  ++group.epoch;
  auto& of_warp = groups_of_warp_[warp.value()];
  if (update.change == simt::GroupChange::kBlocked) {
    if (group.status == GroupStatus::kAbsent) group_appears(warp, update.group);
    group.mask = update.mask;
    // The profile charges the wait to the barrier, whose PC the group still has; a group that waits for its
    // tables is charged to where it goes on.
    if (update.cause == simt::BlockCause::kBarrier) set_long_latency(update.group, GroupStatus::kBarrier);
    group.pc = update.pc;
    if (update.cause == simt::BlockCause::kTables) set_status(update.group, GroupStatus::kTables);
    return;
  }
  set_status(update.group, GroupStatus::kAbsent);
  std::erase(of_warp, update.group);
  if (!of_warp.empty()) return;
  SchedulerRequest leave;
  leave.op = SchedulerRequest::Op::kLeave;
  leave.warp = warp;
  scheduler_isocks_[group.scheduler]->call(leave);
}

}  // namespace heddle::core
