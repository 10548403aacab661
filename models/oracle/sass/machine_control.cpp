// Branches, convergence, barriers.
#include <algorithm>

#include <fmt/format.h>

#include "frontend/sass/driver_functions.h"
#include "frontend/sass/form.h"
#include "oracle/sass/machine.h"

namespace heddle::oracle::machine_code {
namespace {

/// Lanes for which the condition beside the guard holds.
std::uint32_t with_condition(const Op& op, Warp& warp, std::uint32_t lanes, const Banks& banks) {
  if (op.find(Role::kPs0) == nullptr) return lanes;
  std::uint32_t chosen = 0;
  for_each_lane(lanes, [&](unsigned i) {
    if (Values(op, warp.lanes[i], banks).predicate(Role::kPs0)) chosen |= 1u << i;
  });
  return chosen;
}

bool has_modifier(const Op& op, Modifier which) {
  const auto& specs = op.instruction.form->modifiers;
  return std::any_of(specs.begin(), specs.end(), [&](const auto& spec) { return spec.id == which; });
}

}  // namespace

template <class Target>
void CodeMachine::jump(Turn& turn, std::uint32_t lanes, Target target) {
  std::vector<Group> parts;
  const std::uint64_t next = turn.group.pc + sass::kInstructionBytes;
  for_each_lane(turn.group.lanes, [&](unsigned i) {
    const std::uint64_t pc = (lanes >> i & 1) != 0 ? target(i) : next;
    const auto same =
        std::find_if(parts.begin(), parts.end(), [&](const Group& part) { return part.pc == pc; });
    if (same != parts.end())
      same->lanes |= 1u << i;
    else
      parts.push_back({1u << i, pc, State::kReady, 0, turn.group.turn});
  });
  turn.group.lanes = parts.front().lanes;
  turn.group.pc = parts.front().pc;
  turn.warp.groups.insert(turn.warp.groups.end(), parts.begin() + 1, parts.end());
}

void CodeMachine::branch(Turn& turn, const Op& op, std::uint32_t executing) {
  enum : unsigned { kPlain, kUniform, kDivergent, kConverged };
  Warp& warp = turn.warp;
  std::uint32_t taken = with_condition(op, warp, executing, banks_);
  const std::uint32_t active = turn.group.lanes;
  if (op.instruction.op == Opcode::kBra) {
    if (op.has(Modifier::kShape) && taken != 0) taken = active;  // BRA.ANY: what one lane does, all do
    // Whether those whose guard holds are exactly the lanes of the mask (sm_90), or all. If not, .DIV is everybody's.
    if (const unsigned mode = op.value(Modifier::kMode); mode == kDivergent || mode == kConverged) {
      std::uint32_t wanted = warp.live;
      if (op.find(Role::kMask) != nullptr && active != 0)
        wanted &=
            Values(op, warp.lanes[static_cast<unsigned>(std::countr_zero(active))], banks_).word(Role::kMask);
      if (mode == kConverged)
        taken = taken == wanted ? taken : 0;
      else
        taken = taken == wanted ? 0 : active;
    }
  }
  const Operand* to = op.find(Role::kTarget);
  const Operand* from = op.find(Role::kA);
  jump(turn, taken, [&](unsigned i) {
    std::uint64_t pc = 0;
    if (to != nullptr) {
      pc = static_cast<std::uint64_t>(to->value);
      if (to->kind == Operand::Kind::kTarget) pc += turn.group.pc + sass::kInstructionBytes;
    }
    if (from != nullptr) pc += Values(op, warp.lanes[i], banks_).pair(Role::kA);
    if (op.instruction.op != Opcode::kCall) return pc;
    if (const auto pointed = code_.functions.find(pc); pointed != code_.functions.end())
      return pointed->second;
    if (const auto function = sass::driver_function_at(pc)) {
      constexpr unsigned kReturn = 20;  // registers with the return address
      call_driver(turn, i, *function);
      return warp.lanes[i].registers[kReturn] | std::uint64_t{warp.lanes[i].registers[kReturn + 1]} << 32;
    }
    return pc;
  });
}

void CodeMachine::own_address(Turn& turn, const Op& op, std::uint32_t executing) {
  std::uint64_t address = turn.group.pc;
  if (const Operand* const behind = op.find(Role::kB); behind != nullptr)
    address += sass::kInstructionBytes + static_cast<std::uint64_t>(behind->value);
  for_each_lane(executing, [&](unsigned i) { Values(op, turn.warp.lanes[i], banks_).set_pair(address); });
  turn.group.pc += sass::kInstructionBytes;
}

void CodeMachine::exit(Turn& turn, std::uint32_t lanes) {
  turn.warp.live &= ~lanes;
  turn.group.lanes &= ~lanes;
  turn.group.pc += sass::kInstructionBytes;
  // Memory that no lane reads any more.
  for_each_lane(lanes, [&](unsigned i) { turn.warp.lanes[i].local = {}; });
}

/// The lanes wait at the instruction; the others of the group go on behind it. Lanes with different values of a convergence
/// barrier wait by themselves.
void CodeMachine::wait(Turn& turn, std::uint32_t lanes, State state, unsigned number) {
  if (lanes != 0)
    turn.warp.groups.push_back(
        {lanes, turn.group.pc, state, static_cast<std::uint8_t>(number), turn.group.turn});
  turn.group.lanes &= ~lanes;
  turn.group.pc += sass::kInstructionBytes;
}

void CodeMachine::warpsync(Turn& turn, const Op& op, std::uint32_t lanes) {
  enum : unsigned { kExclusive = 1 };
  Warp& warp = turn.warp;
  const Operand* target = op.find(Role::kTarget);
  for_each_lane(lanes, [&](unsigned i) {
    Lane& lane = warp.lanes[i];
    const Values v(op, lane, banks_);
    const bool all = op.find(Role::kMask) == nullptr && op.find(Role::kB) == nullptr;
    lane.collective = target != nullptr;
    lane.exclusive = lane.collective || op.value(Modifier::kMode) == kExclusive;
    lane.members = all ? ~0u : v.word(op.find(Role::kMask) != nullptr ? Role::kMask : Role::kB);
    if (target != nullptr)
      lane.collective_end =
          turn.group.pc + sass::kInstructionBytes + static_cast<std::uint64_t>(target->value);
  });
  wait(turn, lanes, State::kAtWarpsync, 0);
}

void CodeMachine::arrive_at_barrier(Turn& turn, const Op& op, std::uint32_t lanes) {
  enum : unsigned { kArrive = 1 };
  if (lanes == 0) {
    turn.group.pc += sass::kInstructionBytes;
    return;
  }
  Warp& warp = turn.warp;
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  const auto warp_number = static_cast<std::size_t>(&warp - turn.cta.warps.data());
  const auto id_and_count = [&](unsigned i) {
    const Values v(op, warp.lanes[i], banks_);
    const std::uint32_t id = v.word(Role::kBarrier);
    // Without a count of its own a register holds both.
    if (op.find(Role::kCount) == nullptr) return std::pair{id & 0xffff, id >> 16 & 0xfff};
    return std::pair{id, v.word(Role::kCount)};
  };
  const auto [id, count] = id_and_count(first);
  std::uint32_t yes = 0;
  for_each_lane(lanes, [&](unsigned i) {
    if (id_and_count(i) != std::pair{id, count}) fault(turn, i, "lanes of a group name different barriers");
    if (Values(op, warp.lanes[i], banks_).predicate(Role::kPs0)) yes |= 1u << i;
  });
  if (id >= CtaBarrier::kCount)
    fault(turn, first, fmt::format("barrier {} does not exist; there are 16", id));
  const std::string problem =
      turn.cta.barriers[id].arrive(warp_number, lanes, count, yes, turn.cta.warps.size());
  if (!problem.empty()) fault(turn, first, problem);
  if (!has_modifier(op, Modifier::kOperation) && op.value(Modifier::kMode) == kArrive)
    turn.group.pc += sass::kInstructionBytes;
  else
    wait(turn, lanes, State::kAtBarrier, id);
}

void CodeMachine::release_barriers(Cta& cta) {
  for (unsigned id = 0; id < CtaBarrier::kCount; ++id) {
    CtaBarrier& barrier = cta.barriers[id];
    if (!barrier.complete(cta.warps)) continue;
    for (Warp& warp : cta.warps)
      for (Group& group : warp.groups) {
        if (group.state != State::kAtBarrier || group.number != id) continue;
        const Op& op = code_.ops[group.pc / sass::kInstructionBytes];
        if (has_modifier(op, Modifier::kOperation))
          for_each_lane(group.lanes, [&](unsigned i) {
            warp.lanes[i].barrier_result =
                barrier.result(static_cast<CtaBarrier::Reduction>(op.value(Modifier::kOperation)));
          });
        group.state = State::kReady;
        group.pc += sass::kInstructionBytes;
      }
    barrier = {};
  }
}

void CodeMachine::execute_control(Turn& turn, const Op& op, std::uint32_t executing) {
  Warp& warp = turn.warp;
  const Opcode code = op.instruction.op;
  const Operand* barrier = op.find(Role::kBarrier);
  const auto go_on = [&] { turn.group.pc += sass::kInstructionBytes; };
  switch (code) {
    case Opcode::kBra:
    case Opcode::kBrx:
    case Opcode::kBrxu:
    case Opcode::kCall:
    case Opcode::kRet:
      return branch(turn, op, executing);
    case Opcode::kLepc:
      return own_address(turn, op, executing);
    case Opcode::kBar:
      return arrive_at_barrier(turn, op, executing);
    case Opcode::kBpt:
      if (executing != 0)
        fault(turn, static_cast<unsigned>(std::countr_zero(executing)), "the kernel executed trap");
      return go_on();
    default:
      break;
  }
  const std::uint32_t lanes = with_condition(op, warp, executing, banks_);
  switch (code) {
    case Opcode::kExit:
    case Opcode::kKill:
      return exit(turn, lanes);
    case Opcode::kBssy:
      begin_region(warp, barrier->number, lanes);
      return go_on();
    case Opcode::kBreak:
      leave_region(warp, barrier->number, lanes);
      return go_on();
    case Opcode::kBsync:
      return wait(turn, lanes, State::kAtConvergence, barrier->number);
    case Opcode::kWarpsync:
      return warpsync(turn, op, lanes);
    case Opcode::kEndcollective:
      return jump(turn, lanes, [&](unsigned i) { return warp.lanes[i].collective_end; });
    case Opcode::kYield:
    case Opcode::kNanosleep:
      stop_waiting_for(warp, lanes);
      turn.over = true;
      return go_on();
    default:
      fault(turn, static_cast<unsigned>(std::countr_zero(turn.group.lanes)),
            "the oracle does not execute this operation");
  }
}

}  // namespace heddle::oracle::machine_code
