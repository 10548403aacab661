#include "unit/compiler/random_flow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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

// ---- Programs. An instruction that decides writes a register; its immediate is the value with which threads come to
// an end.

constexpr std::uint32_t kPredicates = 2;

isa::RegisterLayout layout() {
  isa::RegisterLayout registers;
  registers.rows32 = 1;  // index of an indirect branch
  registers.predicates = kPredicates;
  return registers;
}

class Generator {
 public:
  Generator(std::uint64_t seed, const Shape& shape) : random_(seed), shape_(shape) {
    kernel_.registers = layout();
  }

  isa::Kernel run() {
    kernel_.register_names = {"%r0", "%p0", "%p1"};
    const std::uint32_t functions = shape_.functions ? 1 + draw(3) : 0;
    // Callers come first in the code; they call what is behind them.
    for (std::uint32_t f = 0; f <= functions; ++f) {
      const auto first = static_cast<std::uint32_t>(kernel_.code.size());
      flow(f, functions);
      const auto end = static_cast<std::uint32_t>(kernel_.code.size());
      if (f > 0) kernel_.functions.push_back(function_at(f, first, end));
    }
    for (const auto& [pc, function] : calls_)
      kernel_.code[pc].target = Pc(kernel_.functions[function - 1].first);
    return std::move(kernel_);
  }

 private:
  static isa::FunctionCode function_at(std::uint32_t number, std::uint32_t first, std::uint32_t end) {
    isa::FunctionCode function;
    function.name = "f" + std::to_string(number);
    function.first = function.entry = first;
    function.end = end;
    return function;
  }

  enum class End : std::uint8_t { kFallsThrough, kBranch, kBranch2, kJump, kTable, kEnd, kExit };
  struct Block {
    End end = End::kFallsThrough;
    std::vector<std::uint32_t> targets;
    std::uint32_t first = 0;
  };

  std::uint32_t draw(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }

  void flow(std::uint32_t function, std::uint32_t functions) {
    do choose(function);
    while (!all_end());
    distances();
    for (std::uint32_t b = 0; b < blocks_.size(); ++b) emit(b, function, functions);
    for (const auto& [pc, block] : jumps_) kernel_.code[pc].target = Pc(blocks_[block].first);
    for (const auto& [entry, block] : entries_) kernel_.targets[entry] = Pc(blocks_[block].first);
    jumps_.clear();
    entries_.clear();
  }

  void choose(std::uint32_t function) {
    blocks_.assign(3 + draw(shape_.most_blocks - 2), {});
    const auto count = static_cast<std::uint32_t>(blocks_.size());
    for (std::uint32_t b = 0; b < count; ++b) {
      Block& block = blocks_[b];
      const std::uint32_t kind = draw(20);
      if (b + 1 == count)
        block.end = End::kEnd;
      else if (kind < 9)
        block.end = End::kBranch;
      else if (kind < 11)
        block.end = shape_.two_predicates ? End::kBranch2 : End::kBranch;
      else if (kind < 14)
        block.end = End::kJump;
      else if (kind < 16)
        block.end = shape_.tables ? End::kTable : End::kBranch;
      else if (kind < 17)
        block.end = function != 0 && draw(3) == 0 ? End::kExit : End::kEnd;
      // Forwards more often than not, as in compiled code.
      const auto target = [&] {
        return draw(3) == 0 || b + 1 == count ? draw(count) : b + 1 + draw(count - b - 1);
      };
      const std::uint32_t targets = block.end == End::kTable ? 2 + draw(3) : 1;
      if (block.end == End::kBranch || block.end == End::kBranch2 || block.end == End::kJump ||
          block.end == End::kTable)
        for (std::uint32_t i = 0; i < targets; ++i) block.targets.push_back(target());
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> successors(std::uint32_t b) const {
    std::vector<std::uint32_t> to = blocks_[b].targets;
    if (blocks_[b].end == End::kFallsThrough || blocks_[b].end == End::kBranch ||
        blocks_[b].end == End::kBranch2)
      to.push_back(b + 1);
    return to;
  }

  void distances() {
    distance_.assign(blocks_.size(), kFar);
    for (std::uint32_t b = 0; b < blocks_.size(); ++b)
      if (blocks_[b].end == End::kEnd || blocks_[b].end == End::kExit) distance_[b] = 0;
    for (std::size_t round = 0; round < blocks_.size(); ++round)
      for (std::uint32_t b = 0; b < blocks_.size(); ++b)
        for (const std::uint32_t to : successors(b))
          if (distance_[to] != kFar) distance_[b] = std::min(distance_[b], distance_[to] + 1);
  }

  bool all_end() {
    distances();
    return std::find(distance_.begin(), distance_.end(), kFar) == distance_.end();
  }

  std::uint32_t add(Instruction instruction) {
    instruction.where.line = static_cast<std::uint32_t>(kernel_.code.size()) + 1;
    isa::list_registers(instruction);
    kernel_.code.push_back(instruction);
    return static_cast<std::uint32_t>(kernel_.code.size()) - 1;
  }
  [[nodiscard]] isa::Operand predicate(std::uint32_t number, bool negated = false) const {
    isa::Operand operand = kernel_.registers.row(static_cast<isa::RegId>(1 + number));
    operand.negated = negated;
    return operand;
  }
  /// Writes a register with what each thread decides.
  void decide(const isa::Operand& to, std::uint32_t in_the_end) {
    Instruction instruction;
    instruction.op = Opcode::kLane;
    instruction.cross_lane = true;  // it varies
    instruction.dst[0] = to;
    instruction.immediate = in_the_end;
    add(instruction);
  }
  [[nodiscard]] static Instruction control(Opcode op) {
    Instruction out;
    out.op = op;
    out.unit = isa::Unit::kControl;
    return out;
  }

  void emit(std::uint32_t b, std::uint32_t function, std::uint32_t functions) {
    Block& block = blocks_[b];
    block.first = static_cast<std::uint32_t>(kernel_.code.size());
    add(Instruction{});  // its line is what threads remember
    if (draw(8) == 0) {
      decide(predicate(0), 0);
      Instruction exit = control(Opcode::kExit);
      exit.guard = predicate(0);
      add(exit);
    }
    if (shape_.sleeps && draw(8) == 0) add(control(Opcode::kSleep));
    if (function < functions && draw(3) == 0) {
      Instruction call = control(Opcode::kCall);
      const std::uint32_t pc = add(call);
      kernel_.code[pc].rpc = Pc(pc + 1);
      calls_.emplace_back(pc, function + 1 + draw(functions - function));
    }
    switch (block.end) {
      case End::kFallsThrough:
        break;
      case End::kBranch:
      case End::kBranch2: {
        const bool taken = distance_[block.targets[0]] < distance_[b + 1];
        const bool negated = draw(2) == 0;
        decide(predicate(0), taken != negated ? 1 : 0);
        Instruction branch = control(Opcode::kBranch);
        branch.guard = predicate(0, negated);
        if (block.end == End::kBranch2) {
          decide(predicate(1), taken ? 1 : 0);
          branch.guard2 = predicate(1);
        }
        jumps_.emplace_back(add(branch), block.targets[0]);
        break;
      }
      case End::kJump:
        jumps_.emplace_back(add(control(Opcode::kBranch)), block.targets[0]);
        break;
      case End::kTable: {
        const auto nearest = std::min_element(block.targets.begin(), block.targets.end(),
                                              [&](auto x, auto y) { return distance_[x] < distance_[y]; });
        decide(kernel_.registers.row(0), static_cast<std::uint32_t>(nearest - block.targets.begin()));
        Instruction branch = control(Opcode::kIndirect);
        branch.src[0] = kernel_.registers.row(0);
        branch.table_first = static_cast<std::uint32_t>(kernel_.targets.size());
        branch.table_count = static_cast<std::uint32_t>(block.targets.size());
        for (const std::uint32_t to : block.targets) {
          entries_.emplace_back(kernel_.targets.size(), to);
          kernel_.targets.push_back(base::kNoPc);
        }
        add(branch);
        break;
      }
      case End::kEnd:
        add(control(function == 0 ? Opcode::kExit : Opcode::kReturn));
        break;
      case End::kExit:
        add(control(Opcode::kExit));
        break;
    }
  }

  static constexpr std::uint32_t kFar = 1000;
  std::mt19937_64 random_;
  const Shape& shape_;
  isa::Kernel kernel_;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> distance_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> jumps_;  ///< PC, block
  std::vector<std::pair<std::size_t, std::uint32_t>> entries_;  ///< of kernel_.targets
  std::vector<std::pair<std::uint32_t, std::uint32_t>> calls_;  ///< PC, function
};

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
        tables_(config_, simt::FirstSide::kAuto, walked_.stats),
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
    tables_.serve(event);
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
    tables_.serve(event);
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
  simt::HanoiWarp tables_;
  std::vector<Thread> threads_;
  std::vector<std::array<std::uint32_t, base::kLanes>> spilled_;
  std::uint64_t steps_ = 0;
};

}  // namespace

isa::Kernel random_kernel(std::uint64_t seed, const Shape& shape) { return Generator(seed, shape).run(); }

Walked walk(const isa::Kernel& kernel, const isa::Kernel& original, std::uint64_t seed,
            const simt::HanoiConfig& config, unsigned lanes) {
  return Warp(kernel, seed, config, lanes).run(original);
}

}  // namespace heddle::compiler::random_flow
