// Instructions that part, join or stop the lanes of a warp, and those that ask the host.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "base/error.h"
#include "core/cta/barrier_arrival.h"
#include "core/execute/code_targets.h"
#include "core/execute/kernel_calls.h"
#include "core/execute/lane_execution.h"
#include "core/execute/member_masks.h"
#include "core/state/operand_rows.h"
#include "functional/convergence.h"
#include "functional/machine.h"
#include "isa/togetherness.h"

namespace heddle::functional {

using isa::ConvergenceOp;
using isa::Opcode;
using State = Group::State;

core::AccessSite Machine::site_of(const Executing& at) const {
  const Pc pc = at.warp.groups[at.group].pc;
  return {&launch_, &at.cta.context, &at.warp.context, pc, &code_[pc.value()]};
}

Machine::Then Machine::execute(const Executing& at, const isa::Instruction& instruction) {
  const std::uint32_t depth = at.warp.groups[at.group].depth;
  switch (instruction.op) {
    case Opcode::kTexture:
    case Opcode::kSurfaceStore:
    case Opcode::kAsyncCopy:
      if (at.exec.any()) memory_.access(at.cta, at.warp, at.warp.groups[at.group].pc, instruction, at.exec);
      return Then::kNext;
    case Opcode::kLoadMatrix:
      if (at.exec.none()) return Then::kNext;
      if (at.exec != at.warp.context.live && !at.warp.loads_matrices)
        return wait(at, State::kAtMatrices, at.exec);
      at.warp.loads_matrices = false;
      core::check_matrix_load(kernel_, at.warp.groups[at.group].pc, at.exec);
      memory_.access(at.cta, at.warp, at.warp.groups[at.group].pc, instruction, at.exec);
      return Then::kNext;
    case Opcode::kIndirect:
      return move(at, core::indirect_target, depth);
    case Opcode::kCall:
      return instruction.src[0].present ? move(at, core::call_target, depth + 1)
                                        : part(at, at.exec, instruction.target, 1);
    case Opcode::kReturn:
      return move(at, core::return_target, depth == 0 ? 0 : depth - 1);
    case Opcode::kExit:
      return exit(at);
    case Opcode::kBarrier:
      return at.exec.any() ? arrive_at_barrier(at, instruction) : Then::kNext;
    case Opcode::kWarpSync:
      return meet(at, instruction);
    case Opcode::kConvergence:
      return at.exec.any() ? converge(at, instruction) : Then::kNext;
    case Opcode::kSleep:
      if (at.exec.none()) return Then::kNext;
      at.warp.others_first = true;
      if (!converges_) return Then::kNext;
      stop_waiting_for(at.warp, at.exec);
      return part(at, at.lanes, Pc{at.warp.groups[at.group].pc.value() + 1});
    case Opcode::kPrint:
    case Opcode::kHeapAllocate:
    case Opcode::kHeapFree:
    case Opcode::kAssertFail:
    case Opcode::kTrap:
      if (at.exec.any()) ask_host(at, instruction);
      return Then::kNext;
    case Opcode::kFence:  // memory is always up to date
    case Opcode::kAsyncCommit:
    case Opcode::kAsyncWait:
    case Opcode::kNop:
      return Then::kNext;
    case Opcode::kLane:  // run_group() has them, and refusal() the last one
    case Opcode::kTimer:
    case Opcode::kLoad:
    case Opcode::kStore:
    case Opcode::kAtomic:
    case Opcode::kBranch:
    case Opcode::kTransaction:
      break;
  }
  throw std::logic_error("functional::Machine: an instruction that is executed elsewhere");
}

Machine::Then Machine::part(const Executing& at, LaneMask lanes, Pc target, std::uint32_t calls) {
  Group& group = at.warp.groups[at.group];
  const Group before = group;
  const LaneMask rest = LaneMask::difference(at.lanes, lanes);
  const Pc next{group.pc.value() + 1};
  group.lanes = lanes.any() ? lanes : rest;
  group.pc = lanes.any() ? target : next;
  group.apart = false;
  if (lanes.any()) group.depth += calls;
  if (lanes.any() && rest.any()) at.warp.groups.push_back(before.some(next, rest));
  if (converges_) release_complete(at.warp);
  return Then::kEnds;
}

Machine::Then Machine::move(const Executing& at, Pc (*target)(const core::AccessSite&, unsigned),
                            std::uint32_t depth) {
  if (at.exec.none()) return Then::kNext;
  const core::AccessSite site = site_of(at);
  std::array<Pc, kLanes> to{};
  at.exec.for_each([&](unsigned lane) { to[lane] = target(site, lane); });
  std::vector<Group>& groups = at.warp.groups;
  Group group = groups[at.group];
  groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(at.group));
  if (const LaneMask rest = LaneMask::difference(at.lanes, at.exec); rest.any())
    groups.push_back(group.some(Pc{site.pc.value() + 1}, rest));
  group.depth = depth;
  LaneMask left = at.exec;
  while (left.any()) {
    const Pc where = to[left.lowest()];
    LaneMask same;
    left.for_each([&](unsigned lane) {
      if (to[lane] == where) same |= LaneMask(1u << lane);
    });
    groups.push_back(group.some(where, same));
    left = LaneMask::difference(left, same);
  }
  return Then::kEnds;
}

LaneMask Machine::taken(const Executing& at, const isa::Instruction& instruction) const {
  const LaneMask named(static_cast<std::uint32_t>(
      core::lane_of(constants_, at.warp.context, instruction.src[0], at.lanes.lowest())));
  return isa::taken_of(instruction, at.lanes, at.exec, named & at.warp.context.live);
}

/// The lanes wait at the instruction; the others of the group go on behind it.
Machine::Then Machine::wait(const Executing& at, State state, LaneMask lanes, std::uint8_t number) {
  Group& group = at.warp.groups[at.group];
  const Pc next{group.pc.value() + 1};
  const LaneMask rest = LaneMask::difference(at.lanes, lanes);
  group.lanes = lanes;
  group.state = state;
  group.number = number;
  if (rest.any()) at.warp.groups.push_back(group.some(next, rest));
  return Then::kEnds;
}

Machine::Then Machine::exit(const Executing& at) {
  if (at.exec.none()) return Then::kNext;
  Warp& warp = at.warp;
  Group& group = warp.groups[at.group];
  warp.context.live = LaneMask::difference(warp.context.live, at.exec);
  group.lanes = LaneMask::difference(at.lanes, at.exec);
  group.pc = Pc{group.pc.value() + 1};
  if (group.lanes.none()) warp.groups.erase(warp.groups.begin() + static_cast<std::ptrdiff_t>(at.group));
  ++events_;
  if (warp.context.live.none()) --at.cta.warps_left;
  std::vector<core::BarrierRelease> released;
  core::BarrierRequest gone{.cta = base::CtaSlot{0}, .threads = at.exec.count(), .released = &released};
  at.cta.barriers.exit(gone);
  release(at.cta, released);
  let_meet(at.cta, warp);
  if (converges_) release_complete(warp);
  return Then::kEnds;
}

Machine::Then Machine::converge(const Executing& at, const isa::Instruction& instruction) {
  Warp& warp = at.warp;
  const unsigned number = instruction.barrier;
  const auto value = [&](const isa::Operand& operand, unsigned lane) {
    return static_cast<std::uint32_t>(core::lane_of(constants_, warp.context, operand, lane));
  };
  const auto give = [&](auto&& of_lane) {
    if (!instruction.dst[0].present) return;
    std::byte* const row = warp.context.registers.data() + instruction.dst[0].offset;
    at.exec.for_each([&](unsigned lane) {
      const std::uint32_t word = of_lane(lane);
      std::memcpy(row + lane * sizeof word, &word, sizeof word);
    });
  };
  switch (instruction.convergence) {
    case ConvergenceOp::kSet:
      begin_region(warp, number, at.exec);
      return Then::kNext;
    case ConvergenceOp::kBreak:
      leave_region(warp, number, at.exec);
      part(at, at.lanes, Pc{warp.groups[at.group].pc.value() + 1});
      return Then::kEnds;
    case ConvergenceOp::kRead:
    case ConvergenceOp::kReadClear:
      give([&](unsigned lane) { return warp.convergence[number][lane]; });
      if (instruction.convergence == ConvergenceOp::kReadClear)
        at.exec.for_each([&](unsigned lane) { warp.convergence[number][lane] = 0; });
      return Then::kNext;
    case ConvergenceOp::kWrite:
      at.exec.for_each(
          [&](unsigned lane) { warp.convergence[number][lane] = value(instruction.src[0], lane); });
      return Then::kNext;
    case ConvergenceOp::kYield:
      warp.others_first = true;
      stop_waiting_for(warp, at.exec);
      return part(at, at.lanes, Pc{warp.groups[at.group].pc.value() + 1});
    case ConvergenceOp::kSync:
      wait(at, State::kAtConvergence, at.exec, static_cast<std::uint8_t>(number));
      break;
    case ConvergenceOp::kWarpSync:
      at.exec.for_each([&](unsigned lane) { warp.members[lane] = value(instruction.src[0], lane); });
      if (instruction.src[1].present) give([&](unsigned lane) { return value(instruction.src[1], lane); });
      wait(at, State::kAtWarpSync, at.exec, instruction.barrier);
      break;
  }
  release_complete(warp);
  return Then::kEnds;
}

Machine::Then Machine::arrive_at_barrier(const Executing& at, const isa::Instruction& instruction) {
  const auto operand = [&](const isa::Operand& source) {
    return source.present ? static_cast<std::uint32_t>(
                                core::lane_of(constants_, at.warp.context, source, at.exec.lowest()))
                          : 0u;
  };
  std::vector<core::BarrierRelease> released;
  core::BarrierRequest arrive = core::arrival_of(kernel_, at.warp.groups[at.group].pc,
                                                 operand(instruction.src[0]), operand(instruction.src[1]));
  arrive.cta = base::CtaSlot{0};
  arrive.warp = base::WarpId{at.warp.context.warp_in_cta};
  arrive.waiting = arrive.lanes = at.lanes;
  arrive.released = &released;
  // A count is in whole warps: lanes that never existed or have exited count with the last live ones.
  const bool whole_warp = arrive.expected != 0 && at.lanes == at.warp.context.live;
  arrive.threads = whole_warp ? kLanes : at.lanes.count();
  core::take_predicates(arrive, constants_, at.warp.context, at.exec);
  if (arrive.waits)
    wait(at, State::kAtBarrier, at.lanes);
  else
    part(at, at.lanes, Pc{at.warp.groups[at.group].pc.value() + 1});
  at.cta.barriers.arrive(arrive);
  release(at.cta, released);
  return Then::kEnds;
}

void Machine::release(Cta& cta, const std::vector<core::BarrierRelease>& released) {
  for (const core::BarrierRelease& each : released) {
    ++events_;
    Warp& warp = cta.warps[each.warp.value()];
    if (each.instruction->dst[0].present)
      core::write_reduction(warp.context, each.instruction->dst[0], each.lanes, each.result);
    for (Group& group : warp.groups)
      if (group.state == State::kAtBarrier && group.lanes == each.waiting) {
        group.state = State::kReady;
        group.pc = Pc{group.pc.value() + 1};
      }
  }
}

Machine::Then Machine::meet(const Executing& at, const isa::Instruction& instruction) {
  Warp& warp = at.warp;
  const Pc pc = warp.groups[at.group].pc;
  const auto goes_on = [&] {
    core::check_matrix(kernel_, pc, at.exec);
    if (instruction.lane_fn != nullptr)
      core::execute_lanes(warp.context, constants_, instruction, at.exec,
                          around_.clock + counts_.warp_instructions);
    return Then::kNext;
  };
  if ((instruction.names_all_lanes && at.exec == warp.context.live) || at.exec.none()) return goes_on();
  const auto members = core::members_of(site_of(at), at.exec);
  if (core::WarpSync::all_here(at.exec, warp.context.live, members)) return goes_on();
  at.cta.meetings.arrive(base::WarpId{warp.context.warp_in_cta}, {pc, instruction.immediate, at.exec},
                         at.exec, members);
  wait(at, State::kAtMeeting, at.exec);
  let_meet(at.cta, warp);
  return Then::kEnds;
}

void Machine::let_meet(Cta& cta, Warp& warp) {
  const base::WarpId id{warp.context.warp_in_cta};
  core::WarpSync& meetings = cta.meetings;
  if (!meetings.any(id)) return;
  for (const core::WarpSync::Meeting& meeting : meetings.complete(id, warp.context.live)) {
    core::check_matrix(kernel_, meeting.places.front().pc, meeting.lanes);
    if (code_[meeting.places.front().pc.value()].lane_fn != nullptr)
      core::exchange_lanes(warp.context, constants_, code_, meeting.places,
                           around_.clock + counts_.warp_instructions);
    meetings.met(id, meeting.lanes);
  }
  core::WarpSync::Split met;
  while (meetings.take_met(id, met)) {
    ++events_;
    Group go_on;
    for (Group& group : warp.groups)
      if (group.state == State::kAtMeeting && (group.lanes & met.lanes).any()) {
        go_on = group.some(Pc{met.pc.value() + 1}, met.lanes);
        group.lanes = LaneMask::difference(group.lanes, met.lanes);
      }
    std::erase_if(warp.groups, [](const Group& group) { return group.lanes.none(); });
    warp.groups.push_back(go_on);
  }
}

void Machine::ask_host(const Executing& at, const isa::Instruction& instruction) {
  const core::AccessSite site = site_of(at);
  std::string texts;
  at.exec.for_each([&](unsigned lane) {
    switch (instruction.op) {
      case Opcode::kPrint:
        return core::print(site, at.warp.context, lane, memory_.memory_of(at.cta, at.warp, site, lane));
      case Opcode::kHeapAllocate:
        return core::allocate(site, at.warp.context, lane);
      case Opcode::kHeapFree:
        return core::free(site, lane);
      case Opcode::kTrap:
        core::trap(site, lane);
      default:
        texts += core::assertion_text(site, lane, memory_.memory_of(at.cta, at.warp, site, lane));
    }
  });
  if (instruction.op == Opcode::kAssertFail) core::fail_assertion(site, texts);
}

}  // namespace heddle::functional
