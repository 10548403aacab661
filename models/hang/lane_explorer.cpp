// Control flow of the exploration.
#include "hang/lane_explorer.h"

#include <algorithm>
#include <cstring>

namespace heddle::hang {
namespace {

using isa::Instruction;
using isa::Opcode;

/// A register whose set grew this often at joins is treated as a counter: any value.
constexpr std::uint8_t kMostRegisterGrowths = 6;
/// Instructions per exploration; longer paths are not followed.
constexpr std::uint64_t kMostLaneSteps = 40'000;
/// An arrival at a join, where states are compared, costs a step for each so many registers.
constexpr std::size_t kRegistersPerStep = 256;
/// With states kept apart, a register with more values than this at a join is treated as a counter.
constexpr std::size_t kMostDistinct = 40;

bool redirects(Opcode op) {
  return op == Opcode::kBranch || op == Opcode::kIndirect || op == Opcode::kCall || op == Opcode::kReturn;
}

bool is(const Instruction& instruction, isa::ConvergenceOp op) {
  return instruction.op == Opcode::kConvergence && instruction.convergence == op;
}

}  // namespace

LaneExplorer::LaneExplorer(const Snapshot& snapshot, ValueTable& values)
    : snapshot_(snapshot),
      kernel_(*snapshot.kernel),
      constants_(snapshot.constants != nullptr ? snapshot.constants : kernel_.constants.data()),
      values_(values),
      leaders_(kernel_.code.size(), false) {
  const auto mark = [&](Pc pc) {
    if (pc.value() < leaders_.size()) leaders_[pc.value()] = true;
  };
  for (std::uint32_t pc = 0; pc < kernel_.code.size(); ++pc) {
    const Instruction& instruction = kernel_.code[pc];
    if (!redirects(instruction.op)) continue;
    mark(instruction.target);
    mark(Pc{pc + 1});
  }
  for (const Pc target : kernel_.targets) mark(target);
  if (!snapshot.may_misroute) return;
  for (std::uint32_t pc = 0; pc < kernel_.code.size(); ++pc) {
    const Instruction& instruction = kernel_.code[pc];
    if (is(instruction, isa::ConvergenceOp::kSet)) meeting_points_.push_back(instruction.target);
    if (is(instruction, isa::ConvergenceOp::kWarpSync)) meeting_points_.emplace_back(pc + 1);
  }
  std::sort(meeting_points_.begin(), meeting_points_.end());
  meeting_points_.erase(std::unique(meeting_points_.begin(), meeting_points_.end()), meeting_points_.end());
  for (const Pc pc : meeting_points_) mark(pc);
}

Values LaneExplorer::initial(const WarpState& warp, unsigned lane, isa::RegId reg) const {
  const isa::RegisterLayout& layout = kernel_.registers;
  if (warp.registers.size() < layout.bytes()) return values_.one(0);  // a warp that has not started: zeros
  for (const WarpState::Unknown& unknown : warp.unknown)
    if (unknown.reg == reg && unknown.lanes.test(lane)) return kAnyValue;
  const std::byte* const bytes = warp.registers.data();
  std::uint32_t word = 0;
  if (reg < layout.rows32) {
    std::memcpy(&word, bytes + layout.offset32(reg) + lane * sizeof word, sizeof word);
    return values_.one(word);
  }
  if (reg < layout.rows32 + layout.rows64) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes + layout.offset64(reg - layout.rows32) + lane * sizeof value, sizeof value);
    return values_.one(value);
  }
  std::memcpy(&word, bytes + layout.offset_predicate(reg - layout.rows32 - layout.rows64), sizeof word);
  return values_.one(word >> lane & 1u);
}

LaneExplorer::Registers LaneExplorer::initial(const WarpState& warp, unsigned lane) const {
  Registers registers(kernel_.registers.registers(), kAnyValue);
  for (isa::RegId reg = 0; reg < registers.size(); ++reg) registers[reg] = initial(warp, lane, reg);
  return registers;
}

/// Registers whose values decide what the executed instructions do: where they go on, which words they access, what they
/// write, and what these follow from. A counter that only feeds itself is none of them.
std::vector<isa::RegId> LaneExplorer::deciding_registers(const Run& run) const {
  std::vector<bool> decides(kernel_.registers.registers(), false);
  bool grew = true;
  const auto mark = [&](const isa::Operand& operand) {
    if (!operand.present || operand.space != isa::RowSpace::kRegister || decides[operand.reg]) return;
    decides[operand.reg] = grew = true;
  };
  const auto wanted = [&](const isa::Operand& result) {
    return result.present && result.space == isa::RowSpace::kRegister && decides[result.reg];
  };
  while (grew) {
    grew = false;
    // What an instruction reads was mostly computed before it: backwards, a chain is followed in one round.
    for (auto pc = run.executed.rbegin(); pc != run.executed.rend(); ++pc) {
      const Instruction& instruction = kernel_.code[*pc];
      if (instruction.op == Opcode::kLane && std::ranges::none_of(instruction.dst, wanted)) continue;
      mark(instruction.guard);
      mark(instruction.guard2);
      for (const isa::Operand& row : instruction.memory.rows()) mark(row);
      for (const isa::Operand& source : instruction.src) mark(source);
    }
  }
  std::vector<isa::RegId> registers;
  for (isa::RegId reg = 0; reg < decides.size(); ++reg)
    if (decides[reg]) registers.push_back(reg);
  return registers;
}

LaneInputs LaneExplorer::inputs_of(const Run& run) const {
  LaneInputs inputs;
  inputs.registers = deciding_registers(run);
  run.accesses.note(inputs);
  inputs.passed = run.passed;
  return inputs;
}

LaneOutcome LaneExplorer::explore(const WarpState& warp, unsigned lane, Pc start, AbstractMemory& memory,
                                  const Gate& gate, bool to_the_end, bool try_harder, LaneInputs* inputs) {
  const auto known = enough_.find(start.value());
  Precision precision = known == enough_.end() ? Precision::kJoined : known->second;
  LaneOutcome outcome = explore_with(warp, lane, start, memory, gate, to_the_end, precision, inputs);
  while (outcome.leaves && try_harder && precision != Precision::kExact) {
    precision = precision == Precision::kJoined ? Precision::kApart : Precision::kExact;
    outcome = explore_with(warp, lane, start, memory, gate, to_the_end, precision, inputs);
    if (!outcome.leaves) enough_[start.value()] = precision;
  }
  return outcome;
}

LaneOutcome LaneExplorer::explore_with(const WarpState& warp, unsigned lane, Pc start, AbstractMemory& memory,
                                       const Gate& gate, bool to_the_end, Precision precision,
                                       LaneInputs* inputs) {
  LaneOutcome outcome;
  outcome.visited.assign(kernel_.code.size(), false);
  Run run{
      .accesses{snapshot_, constants_, values_, warp, lane, memory, outcome, precision != Precision::kJoined},
      .gate = &gate,
      .outcome = &outcome,
      .precision = precision,
      .steps_left = kMostLaneSteps};
  if (start.value() >= kernel_.code.size()) {
    leave(run, start.value());
    return outcome;  // follows from the start alone
  }
  arrive(run, start.value(), initial(warp, lane));
  while (!run.queue.empty() && (to_the_end || !outcome.leaves)) {
    const std::uint32_t pc = run.queue.back();
    run.queue.pop_back();
    State& state = run.states[pc];
    state.queued = false;
    follow(run, pc, state.registers);
  }
  while (!run.branches.empty() && (to_the_end || !outcome.leaves)) {
    auto [pc, registers] = std::move(run.branches.back());
    run.branches.pop_back();
    follow(run, pc, std::move(registers));
  }
  if (inputs != nullptr) *inputs = inputs_of(run);
  return outcome;
}

void LaneExplorer::leave(Run& run, std::uint32_t pc) {
  run.outcome->leaves = true;
  run.outcome->leaves_at = Pc{pc};
}

void LaneExplorer::arrive(Run& run, std::uint32_t pc, const Registers& registers) {
  const std::uint64_t cost = registers.size() / kRegistersPerStep;
  steps_ += cost;
  run.steps_left -= std::min(run.steps_left, cost);
  if (run.precision == Precision::kJoined)
    arrive_joined(run, pc, registers);
  else
    arrive_apart(run, pc, registers);
}

void LaneExplorer::arrive_apart(Run& run, std::uint32_t pc, Registers registers) {
  State& state = run.states[pc];
  run.accesses.complete(registers);
  if (run.precision == Precision::kApart) {
    for (std::size_t r = state.first.size(); r < registers.size(); ++r) state.first.push_back(registers[r]);
    for (std::size_t r = 0; r < registers.size(); ++r) {
      if (registers[r] == state.first[r] && !state.others.contains(r)) continue;
      std::set<Values>& seen = state.others.try_emplace(r, std::set{state.first[r]}).first->second;
      if (seen.size() <= kMostDistinct) seen.insert(registers[r]);
      if (seen.size() > kMostDistinct) registers[r] = kAnyValue;
    }
  }
  if (!state.apart.insert(registers).second) return;
  run.branches.emplace_back(pc, std::move(registers));
}

void LaneExplorer::arrive_joined(Run& run, std::uint32_t pc, const Registers& registers) {
  const auto [entry, is_new] = run.states.try_emplace(pc);
  State& state = entry->second;
  bool grew = is_new;
  if (is_new) {
    state.registers = registers;
    state.growths.assign(registers.size(), 0);
  } else {
    for (std::size_t r = 0; r < registers.size(); ++r) {
      if (registers[r] == state.registers[r]) continue;
      const Values joined = values_.join(state.registers[r], registers[r]);
      if (joined == state.registers[r]) continue;
      state.registers[r] = ++state.growths[r] > kMostRegisterGrowths ? kAnyValue : joined;
      grew = true;
    }
  }
  if (!grew || state.queued) return;
  state.queued = true;
  run.queue.push_back(pc);
}

void LaneExplorer::follow(Run& run, std::uint32_t pc, Registers registers) {
  // An instruction on large sets counts as several.
  constexpr std::uint64_t kValuesPerStep = 8;
  while (true) {
    const std::uint64_t cost = 1 + (values_.work() - work_counted_) / kValuesPerStep;
    work_counted_ = values_.work();
    steps_ += cost;
    if (pc >= kernel_.code.size() || run.steps_left < cost) return leave(run, pc);
    run.steps_left -= cost;
    if (!run.outcome->visited[pc]) run.executed.push_back(pc);
    run.outcome->visited[pc] = true;
    if (!step(run, pc, registers)) return;
    ++pc;
    if (pc < leaders_.size() && leaders_[pc]) return arrive(run, pc, registers);
  }
}

LaneExplorer::Guard LaneExplorer::guard_of(const Instruction& instruction, const Registers& registers) {
  if (!instruction.guard.present) return {};
  const auto of = [&](const isa::Operand& operand) -> Guard {
    Values guard = kAnyValue;
    if (operand.space == isa::RowSpace::kRegister) guard = registers[operand.reg];
    if (guard == kAnyValue) return {true, true};
    const bool when = !operand.negated;
    return {values_.contains(guard, when ? 1 : 0), values_.contains(guard, when ? 0 : 1)};
  };
  const Guard first = of(instruction.guard);
  if (!instruction.guard2.present) return first;
  const Guard second = of(instruction.guard2);
  return {first.may_execute && second.may_execute, first.may_skip || second.may_skip};
}

void LaneExplorer::jump(Run& run, const Instruction& instruction, std::uint32_t pc, const Guard& guard,
                        const Registers& registers) {
  if (instruction.togetherness != isa::Togetherness::kAny) {  // which lanes are there, is not known
    arrive(run, instruction.target.value(), registers);
    return arrive(run, pc + 1, registers);
  }
  // On each side the guard's value is known.
  const auto go = [&](Pc to, bool executed) {
    if (!instruction.guard.present || instruction.guard.space != isa::RowSpace::kRegister ||
        instruction.guard2.present || !guard.may_execute || !guard.may_skip)
      return arrive(run, to.value(), registers);
    Registers refined = registers;
    refined[instruction.guard.reg] = values_.one(executed != instruction.guard.negated ? 1 : 0);
    arrive(run, to.value(), refined);
  };
  if (guard.may_execute) go(instruction.target, true);
  if (guard.may_skip) go(Pc{pc + 1}, false);
}

bool LaneExplorer::jump_to_values(Run& run, const Instruction& instruction, std::uint32_t pc,
                                  const Registers& registers) {
  const Values where = run.accesses.read(instruction.src[0], registers);
  if (where == kAnyValue) {
    leave(run, pc);
    return false;
  }
  for (std::uint64_t value : values_.of(where)) {
    value = instruction.target_is_pair ? static_cast<std::uint32_t>(value + instruction.immediate) : value;
    Pc to = kNoPc;
    if (instruction.op == Opcode::kReturn) {
      to = instruction.target_is_address ? kernel_.pc_at(value) : Pc{static_cast<std::uint32_t>(value)};
    } else if (instruction.op == Opcode::kIndirect || instruction.target_is_address) {
      to = kernel_.indirect_target(instruction, value);
    } else if (const auto found = kernel_.function_addresses.find(value);
               found != kernel_.function_addresses.end()) {
      to = found->second.entry;
    }
    if (to == kNoPc || to.value() >= kernel_.code.size()) {
      leave(run, pc);  // it faults there
      return false;
    }
    arrive(run, to.value(), registers);
  }
  return true;
}

void LaneExplorer::meet(Run& run, const Registers& registers) {
  for (const Pc pc : meeting_points_) arrive(run, pc.value(), registers);
}

bool LaneExplorer::wait(Run& run, const Instruction& instruction, std::uint32_t pc,
                        const Registers& registers) {
  Arrival arrival;
  arrival.pc = Pc{pc};
  if (instruction.op == Opcode::kBarrier) {
    arrival.waits = instruction.barrier_kind == isa::BarrierKind::kSync;
    arrival.barrier =
        instruction.src[0].present ? run.accesses.read(instruction.src[0], registers) : values_.one(0);
    arrival.count =
        instruction.src[1].present ? run.accesses.read(instruction.src[1], registers) : values_.one(0);
  } else {
    arrival.meets = true;
    arrival.members = run.accesses.read(instruction.src[instruction.member_mask], registers);
  }
  run.outcome->arrivals.push_back(arrival);
  run.passed.push_back(!arrival.waits || (*run.gate)(arrival));
  return run.passed.back();
}

bool LaneExplorer::step(Run& run, std::uint32_t pc, Registers& registers) {
  const Instruction& instruction = kernel_.code[pc];
  const Guard guard = guard_of(instruction, registers);
  if (instruction.op == Opcode::kBranch) {
    jump(run, instruction, pc, guard, registers);
    return false;
  }
  if (!guard.may_execute) {
    // A lane whose guard is false still counts as arrived if others of its group execute the barrier.
    if (instruction.op == Opcode::kBarrier) (void)wait(run, instruction, pc, registers);
    return true;
  }
  // At a control transfer, the lanes that skip the instruction continue separately.
  const auto skip_goes_on = [&] {
    if (!guard.may_skip) return;
    if (pc + 1 < kernel_.code.size())
      arrive(run, pc + 1, registers);
    else
      leave(run, pc);
  };
  switch (instruction.op) {
    case Opcode::kLane:
    case Opcode::kTimer:
      compute(run, instruction, guard.may_skip, registers);
      return true;
    case Opcode::kWarpSync:
      if (!wait(run, instruction, pc, registers)) {
        skip_goes_on();
        return false;
      }
      if (instruction.lane_fn != nullptr) forget_results(instruction, registers);
      return true;
    case Opcode::kBarrier:
      if (!wait(run, instruction, pc, registers)) {
        skip_goes_on();
        return false;
      }
      forget_results(instruction, registers);
      return true;
    case Opcode::kLoad:
      if (run.accesses.load(instruction, pc, guard.may_skip, registers)) return true;
      break;
    case Opcode::kAsyncCommit:
    case Opcode::kAsyncWait:
      return true;
    case Opcode::kSurfaceStore:
    case Opcode::kAsyncCopy:  // when its bytes are in shared memory is not followed
      break;
    case Opcode::kTexture:
    case Opcode::kLoadMatrix:
      forget_results(instruction, registers);
      return true;
    case Opcode::kStore:
      if (run.accesses.store(instruction, guard.may_skip, registers)) return true;
      break;
    case Opcode::kAtomic:
      if (run.accesses.atomic(instruction, guard.may_skip, registers)) return true;
      break;
    case Opcode::kIndirect:
    case Opcode::kReturn:
      if (jump_to_values(run, instruction, pc, registers)) skip_goes_on();
      return false;
    case Opcode::kCall:
      if (instruction.src[0].present) {
        if (!jump_to_values(run, instruction, pc, registers)) return false;
      } else {
        arrive(run, instruction.target.value(), registers);
      }
      skip_goes_on();
      return false;
    case Opcode::kPrint:
    case Opcode::kHeapAllocate:
    case Opcode::kHeapFree:
      forget_results(instruction, registers);
      return true;
    case Opcode::kConvergence:
      if (snapshot_.may_misroute &&
          (is(instruction, isa::ConvergenceOp::kSync) || is(instruction, isa::ConvergenceOp::kWarpSync))) {
        meet(run, registers);
        skip_goes_on();
        return false;
      }
      forget_results(instruction, registers);
      return true;
    case Opcode::kFence:
    case Opcode::kSleep:
    case Opcode::kTransaction:  // a thread that tries again does nothing that it has not been able to do
    case Opcode::kNop:
      return true;
    case Opcode::kBranch:
    case Opcode::kExit:
    case Opcode::kTrap:
    case Opcode::kAssertFail:
      break;
  }
  leave(run, pc);
  return false;
}

}  // namespace heddle::hang
