// Random programs. An instruction that decides writes a register; its immediate is the value with which threads come to
// an end.
#include <algorithm>
#include <random>
#include <utility>

#include "unit/compiler/random_flow.h"

namespace heddle::compiler::random_flow {
namespace {

using base::Pc;
using isa::Instruction;
using isa::Opcode;

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

}  // namespace

isa::Kernel random_kernel(std::uint64_t seed, const Shape& shape) { return Generator(seed, shape).run(); }

}  // namespace heddle::compiler::random_flow
