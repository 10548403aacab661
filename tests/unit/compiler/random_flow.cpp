#include "unit/compiler/random_flow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>

namespace heddle::compiler::random_flow {
namespace {

using base::LaneMask;
using base::Pc;
using isa::ConvergenceOp;
using isa::Instruction;
using isa::Opcode;

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = (a ^ (b * 0x9e3779b97f4a7c15ull)) * 0xbf58476d1ce4e5b9ull;
  x ^= x >> 29;
  return x * 0x94d049bb133111ebull ^ (x >> 32);
}

// ---- Threads

struct Thread {
  std::uint64_t seed = 0;
  std::uint64_t path = 1;
  std::uint64_t decisions = 0;
  std::array<std::uint32_t, 1 + kPredicates> registers{};  ///< by the original number
  std::vector<Pc> callers;

  /// After so many decisions it makes for the end.
  void decide(std::uint32_t reg, std::uint32_t in_the_end) {
    constexpr std::uint64_t kMost = 40;
    const std::uint64_t value = mixed(seed, ++decisions);
    registers[reg] = decisions > kMost ? in_the_end
                     : reg == 0        ? static_cast<std::uint32_t>(value)
                                       : static_cast<std::uint32_t>(value % 5 < 2);
  }
};

/// A kernel's registers after others were added.
std::uint32_t original(const isa::Kernel& kernel, const isa::Operand& operand) {
  return operand.width == isa::RowWidth::kPredicate
             ? 1 + operand.reg - (kernel.registers.rows32 + kernel.registers.rows64)
             : operand.reg;
}

bool holds(const isa::Kernel& kernel, const Instruction& instruction, const Thread& thread) {
  for (const isa::Operand* guard : {&instruction.guard, &instruction.guard2})
    if (guard->present && (thread.registers[original(kernel, *guard)] != 0) == guard->negated) return false;
  return true;
}

/// What is alike whether a thread is alone or not. Returns whether the instruction's guard holds.
bool step(const isa::Kernel& kernel, Pc pc, Thread& thread) {
  const Instruction& instruction = kernel.code[pc.value()];
  if (instruction.op == Opcode::kNop) thread.path = mixed(thread.path, instruction.where.line);
  if (instruction.op == Opcode::kLane)
    thread.decide(original(kernel, instruction.dst[0]), static_cast<std::uint32_t>(instruction.immediate));
  return holds(kernel, instruction, thread);
}

Pc table_target(const isa::Kernel& kernel, const Instruction& branch, const Thread& thread) {
  return kernel.targets[branch.table_first + thread.registers[0] % branch.table_count];
}

std::uint64_t path_alone(const isa::Kernel& kernel, Thread thread) {
  for (Pc pc{0};;) {
    const Instruction& instruction = kernel.code[pc.value()];
    const bool does = step(kernel, pc, thread);
    Pc next{pc.value() + 1};
    if (does) switch (instruction.op) {
        case Opcode::kBranch:
          next = instruction.target;
          break;
        case Opcode::kIndirect:
          next = table_target(kernel, instruction, thread);
          break;
        case Opcode::kCall:
          thread.callers.push_back(next);
          next = instruction.target;
          break;
        case Opcode::kReturn:
          next = thread.callers.back();
          thread.callers.pop_back();
          break;
        case Opcode::kExit:
          return thread.path;
        default:
          break;
      }
    pc = next;
  }
}

// ---- Warps

class Warp {
 public:
  using Op = simt::HanoiEvent::Op;
  Warp(const isa::Kernel& kernel, std::uint64_t seed, const simt::HanoiConfig& config, unsigned lanes)
      : kernel_(kernel),
        config_(config),
        tables_(simt::HanoiWarp::make(config_, simt::FirstSide::kAuto, walked_.stats)),
        spilled_(kernel.registers.registers()) {
    for (unsigned lane = 0; lane < lanes; ++lane) threads_.emplace_back().seed = mixed(seed, lane + 1);
  }

  Walked run(const isa::Kernel& original) {
    std::vector<std::uint64_t> alone;
    for (const Thread& thread : threads_) alone.push_back(path_alone(original, thread));
    simt::HanoiEvent event;
    event.op = Op::kLaunch;
    event.exec = LaneMask::first_lanes(static_cast<unsigned>(threads_.size()));
    event.next = Pc{0};
    tables_->serve(event);
    while (!event.done && walked_.outcome == Outcome::kRight) execute(event);
    for (std::size_t i = 0; i < threads_.size() && walked_.outcome == Outcome::kRight; ++i)
      if (threads_[i].path != alone[i]) walked_.outcome = Outcome::kWrong;
    return walked_;
  }

 private:
  void execute(simt::HanoiEvent& event) {
    constexpr std::uint64_t kMost = 100'000;
    const Pc pc = event.top_pc;
    const LaneMask active = event.top_mask;
    if (event.stuck || ++steps_ > kMost) {
      walked_.outcome = Outcome::kStuck;
      return;
    }
    walked_.order = mixed(mixed(walked_.order, pc.value()), active.bits());
    const Instruction& instruction = kernel_.code[pc.value()];
    if (instruction.op != Opcode::kConvergence) ++walked_.issued;
    LaneMask holds;
    active.for_each([&](unsigned lane) {
      if (step(kernel_, pc, threads_[lane])) holds |= LaneMask(1u << lane);
    });
    event = {};
    event.op = Op::kNext;
    event.next = Pc{pc.value() + 1};
    event.exec = holds;
    event.target = instruction.target;
    if (holds.any()) fill(instruction, event);
    tables_->serve(event);
    if (event.error != simt::HanoiError::kNone) walked_.outcome = Outcome::kFault;
    if (instruction.op == Opcode::kConvergence && instruction.dst[0].present)
      holds.for_each([&](unsigned lane) { spilled_[instruction.dst[0].reg][lane] = event.value.bits(); });
  }

  void fill(const Instruction& instruction, simt::HanoiEvent& event) {
    switch (instruction.op) {
      case Opcode::kBranch:
        event.op = Op::kBranch;
        break;
      case Opcode::kCall:
        event.exec.for_each([&](unsigned lane) { threads_[lane].callers.push_back(event.next); });
        event.op = Op::kBranch;
        break;
      case Opcode::kIndirect:
      case Opcode::kReturn:
        indirect(instruction, event);
        break;
      case Opcode::kExit:
        event.op = Op::kExit;
        break;
      case Opcode::kSleep:
        event.op = Op::kYield;
        break;
      case Opcode::kConvergence:
        convergence(instruction, event);
        break;
      default:
        break;
    }
  }

  void indirect(const Instruction& instruction, simt::HanoiEvent& event) {
    const bool returns = instruction.op == Opcode::kReturn;
    const auto target = [&](unsigned lane) {
      return returns ? threads_[lane].callers.back() : table_target(kernel_, instruction, threads_[lane]);
    };
    event.op = Op::kIndirect;
    event.target = target(event.exec.lowest());
    LaneMask together;
    event.exec.for_each([&](unsigned lane) {
      if (target(lane) != event.target) return;
      together |= LaneMask(1u << lane);
      if (returns) threads_[lane].callers.pop_back();
    });
    event.exec = together;
  }

  void convergence(const Instruction& instruction, simt::HanoiEvent& event) {
    event.barrier = instruction.barrier;
    switch (instruction.convergence) {
      case ConvergenceOp::kSet:
        event.op = Op::kBssy;
        break;
      case ConvergenceOp::kSync:
        event.op = Op::kBsync;
        break;
      case ConvergenceOp::kBreak:
        event.op = Op::kBreak;
        break;
      case ConvergenceOp::kRead:
      case ConvergenceOp::kReadClear:
        event.op = Op::kBmovRead;
        event.clear = instruction.convergence == ConvergenceOp::kReadClear;
        break;
      case ConvergenceOp::kWrite:
        event.op = Op::kBmovWrite;
        event.value = LaneMask(spilled_[instruction.src[0].reg][event.exec.lowest()]);
        break;
      case ConvergenceOp::kYield:
        event.op = Op::kYield;
        break;
      case ConvergenceOp::kWarpSync:
        FAIL() << "the placement uses none";
    }
  }

  const isa::Kernel& kernel_;
  simt::HanoiConfig config_;
  Walked walked_;
  std::unique_ptr<simt::HanoiWarp> tables_;
  std::vector<Thread> threads_;
  std::vector<std::array<std::uint32_t, base::kLanes>> spilled_;
  std::uint64_t steps_ = 0;
};

}  // namespace

Walked walk(const isa::Kernel& kernel, const isa::Kernel& original, std::uint64_t seed,
            const simt::HanoiConfig& config, unsigned lanes) {
  return Warp(kernel, seed, config, lanes).run(original);
}

}  // namespace heddle::compiler::random_flow
