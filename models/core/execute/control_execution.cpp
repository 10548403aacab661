#include "core/execute/control_execution.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.h"
#include "core/cta/cta_launcher.h"
#include "core/execute/code_targets.h"
#include "core/issue/operands.h"
#include "isa/convergence.h"
#include "isa/togetherness.h"

namespace heddle::core {

AccessSite ControlExecution::site_of(const IssueTable::Group& group, unsigned lane) const {
  return core::site_of(state_, state_.home(group, lane), group.pc);
}

void ControlExecution::count_divergence(Pc pc) {
  if (state_.profile != nullptr) ++state_.launch->profile->at(pc).divergences;
}

namespace {

simt::ControlFlowRequest transfer_of(simt::Transfer kind, GroupId id, const IssueTable::Group& group,
                                     LaneMask taken, const Pc* lane_target) {
  return {.event = simt::ControlFlowEvent::kTransfer,
          .transfer = kind,
          .warp = group.warp,
          .group = id,
          .mask = group.mask,
          .taken = taken,
          .lane_target = lane_target,
          .next = Pc{group.pc.value() + 1}};
}

constexpr std::uint32_t kMostCallDepth = 1u << 16;  ///< more than the largest stack has frames
using LaneTargets = std::array<Pc, kLanes>;

}  // namespace

void ControlExecution::indirect(GroupId id, const isa::Instruction& instruction, LaneMask exec) {
  const IssueTable::Group& group = state_.groups[id];
  LaneTargets target{};
  exec.for_each([&](unsigned lane) { target[lane] = indirect_target(site_of(group, lane), lane); });
  simt::ControlFlowRequest branch = transfer_of(simt::Transfer::kJump, id, group, exec, target.data());
  branch.rpc = instruction.rpc;
  const Pc pc = group.pc;
  paths_.decide(branch);
  if (branch.diverged) count_divergence(pc);
}

void ControlExecution::call(GroupId id, const isa::Instruction& instruction, LaneMask exec) {
  const IssueTable::Group& group = state_.groups[id];
  LaneTargets target{};
  const bool indirect = instruction.src[0].present;
  if (indirect) exec.for_each([&](unsigned lane) { target[lane] = call_target(site_of(group, lane), lane); });
  simt::ControlFlowRequest call =
      transfer_of(simt::Transfer::kCall, id, group, exec, indirect ? target.data() : nullptr);
  call.target = instruction.target;
  const Pc pc = group.pc;
  paths_.decide(call);
  // Recursion normally ends at the end of the thread's stack, but a function that never returns keeps nothing
  // there.
  if (call.call_depth > kMostCallDepth)
    throw base::KernelFault(
        state_.kernel().location(pc),
        fmt::format("calls nest more than {} deep\n  {}", kMostCallDepth, state_.kernel().source_line(pc)),
        "check that the recursion ends");
  if (call.diverged) count_divergence(pc);
}

void ControlExecution::return_from(GroupId id, LaneMask exec) {
  const IssueTable::Group& group = state_.groups[id];
  LaneTargets target{};
  exec.for_each([&](unsigned lane) { target[lane] = return_target(site_of(group, lane), lane); });
  simt::ControlFlowRequest back = transfer_of(simt::Transfer::kReturn, id, group, exec, target.data());
  paths_.decide(back);
}

void ControlExecution::branch(GroupId id, const isa::Instruction& instruction, LaneMask exec) {
  const IssueTable::Group& group = state_.groups[id];
  simt::ControlFlowRequest branch = transfer_of(simt::Transfer::kJump, id, group, exec, nullptr);
  branch.target = instruction.target;
  branch.rpc = instruction.rpc;
  if (instruction.togetherness != isa::Togetherness::kAny) [[unlikely]] {
    const LaneMask named(
        static_cast<std::uint32_t>(lane_of(state_, group, instruction.src[0], group.mask.lowest())));
    exec = isa::taken_of(instruction, group.mask, exec, named & state_.warp(group.warp).live);
    branch.taken = exec;
  }
  if (exec.any() && exec != group.mask) count_divergence(group.pc);
  paths_.decide(branch);
}

void ControlExecution::exit(GroupId id, LaneMask exec) {
  const IssueTable::Group& group = state_.groups[id];
  // The mechanism may give the group other lanes when it hears of this.
  std::array<simt::Slice, kLanes> gone;
  unsigned homes = 0;
  state_.for_each_slice(group, exec, [&](WarpId home, LaneMask lanes) { gone[homes++] = {home, lanes}; });
  simt::ControlFlowRequest leaves = transfer_of(simt::Transfer::kJump, id, group, LaneMask{}, nullptr);
  leaves.set(simt::ControlFlowEvent::kExit);
  leaves.mask = exec;
  paths_.decide(leaves);
  state_.services.progress.advanced();
  for (unsigned i = 0; i < homes; ++i) {
    WarpContext& warp = state_.warp(gone[i].home);
    const LaneMask before = warp.live;
    warp.live = LaneMask::difference(warp.live, gone[i].lanes);
    state_.live_threads -= gone[i].lanes.count();
    barriers_.lanes_exited(warp, before);
    meetings_.lanes_exited(gone[i].home);
    ctas_.retire_if_finished(gone[i].home);
  }
}

void ControlExecution::converge(GroupId id, const isa::Instruction& instruction, LaneMask exec) {
  const IssueTable::Group& group = state_.groups[id];
  const WarpId home = group.warp;
  simt::ConvergenceOperation operation;
  operation.op = instruction.convergence;
  operation.barrier = instruction.barrier;
  operation.point = instruction.target;
  if (instruction.src[0].present)
    operation.value =
        LaneMask(static_cast<std::uint32_t>(lane_of(state_, group, instruction.src[0], exec.lowest())));
  // The union: of groups that have saved the register one after the other only the first has its caller's value
  // (simt/hanoi/MACHINE_CODE.md).
  if (instruction.convergence == simt::ConvergenceOp::kWrite)
    exec.for_each([&](unsigned lane) {
      operation.value |=
          LaneMask(static_cast<std::uint32_t>(lane_of(state_, group, instruction.src[0], lane)));
    });
  simt::ControlFlowRequest request = transfer_of(simt::Transfer::kJump, id, group, LaneMask{}, nullptr);
  request.set(simt::ControlFlowEvent::kConvergence);
  request.mask = exec;
  std::array<std::uint32_t, kLanes> members;
  if (instruction.convergence == simt::ConvergenceOp::kWarpSync) {
    LaneMask others;
    exec.for_each([&](unsigned lane) {
      members[lane] = static_cast<std::uint32_t>(lane_of(state_, group, instruction.src[0], lane));
      if (members[lane] != operation.value.bits()) others |= LaneMask(1u << lane);
    });
    if (others.any() && static_cast<isa::WarpSyncKind>(instruction.barrier) == isa::WarpSyncKind::kPlain) {
      operation.members = members.data();
    } else {
      // Lanes with another mask execute it again ([Hanoi:A16]).
      request.again = others;
      request.mask = LaneMask::difference(exec, others);
    }
  }
  request.convergence = &operation;
  paths_.decide(request);
  if (!instruction.dst[0].present) return;
  std::byte* const row = state_.warp(home).registers.data() + instruction.dst[0].offset;
  const bool copies = instruction.src[1].present;
  exec.for_each([&](unsigned lane) {
    const std::uint32_t value =
        copies ? static_cast<std::uint32_t>(lane_of(state_, state_.warp(home), instruction.src[1], lane))
               : operation.value.bits();
    std::memcpy(row + lane * sizeof value, &value, sizeof value);
  });
}

/// The group sleeps as long as the longest of its lanes asks for. PTX lets the time be anything up to twice
/// that.
void ControlExecution::sleep(GroupId id, const isa::Instruction& instruction, LaneMask exec) {
  if (sleep_yields_ && paths_.gives_way(id)) return;
  constexpr std::uint32_t kLongest = 1'000'000;  // nanoseconds, PTX ISA
  constexpr double kNanosecondsPerMicrosecond = 1e3;
  std::uint32_t longest = 0;
  state_.for_each_slice(state_.groups[id], exec, [&](WarpId home, LaneMask lanes) {
    lanes.for_each([&](unsigned lane) {
      const auto time =
          static_cast<std::uint32_t>(lane_of(state_, state_.warp(home), instruction.src[0], lane));
      longest = std::max(longest, std::min(time, kLongest));
    });
  });
  const auto cycles =
      static_cast<Cycle>(longest * state_.services.clock.frequency_mhz() / kNanosecondsPerMicrosecond);
  if (cycles == 0)
    paths_.advance(id);
  else
    paths_.sleep_until(state_.now + cycles, id);
}

// A transaction is a call frame (protocols/transaction_protocol.h).
void ControlExecution::transaction(GroupId id, const isa::Instruction& instruction, LaneMask exec) {
  const IssueTable::Group& group = state_.groups[id];
  WarpContext& warp = state_.warp(group.warp);
  TransactionRequest request{.op = instruction.transaction,
                             .warp = group.warp,
                             .pc = group.pc,
                             .lanes = exec,
                             .registers = warp.registers.data(),
                             .special = warp.special.data(),
                             .cta = &state_.ctas[warp.cta.value()],
                             .linear_warp = warp.linear_warp,
                             .cycle = state_.now};
  transaction_isock_->execute(request);
  if (request.waits) return paths_.wait_to_repeat(id);
  if (request.nested) return paths_.advance(id);
  const auto enter = [&](Pc begin, Pc commit, LaneMask lanes) {
    simt::ControlFlowRequest call = transfer_of(simt::Transfer::kCall, id, group, lanes, nullptr);
    call.target = Pc{begin.value() + 1};
    call.next = commit;
    paths_.decide(call);
  };
  if (request.op == isa::TransactionOp::kBegin)
    return enter(group.pc, Pc{instruction.target.value() - 1}, exec);
  if (request.leaves) {
    LaneTargets behind{};
    behind.fill(request.commit);
    simt::ControlFlowRequest leave = transfer_of(simt::Transfer::kReturn, id, group, exec, behind.data());
    paths_.decide(leave);
    if (!request.all_left) return;
  }
  // The group is in front of the tx_commit with all lanes that began the transaction.
  if (request.retry.any()) return enter(request.begin, request.commit, request.retry);
  state_.services.progress.advanced();
  paths_.advance(id);
}

LaneMask ControlExecution::leave_transaction(WarpId warp, LaneMask lanes, const Pc* targets) {
  LaneMask left;
  const std::vector<GroupId> groups = state_.groups_of_warp[warp.value()];  // the mechanism may change them
  for (const GroupId id : groups) {
    const IssueTable::Group& group = state_.groups[id];
    const LaneMask leaves = group.mask & lanes;
    if (leaves.none() || group.status == GroupStatus::kAbsent || group.status == GroupStatus::kBarrier ||
        group.status == GroupStatus::kTables)
      continue;
    simt::ControlFlowRequest leave = transfer_of(simt::Transfer::kReturn, id, group, leaves, targets);
    leave.next = group.pc;
    paths_.decide(leave);
    left |= leaves;
    break;  // what the others are, this may have changed
  }
  return left;
}

}  // namespace heddle::core
