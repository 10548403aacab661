#include "compaction/lockstep_program.h"

#include <algorithm>
#include <span>

#include "analysis/spin_branches.h"

namespace heddle::compaction {
namespace {

using base::Pc;
using isa::Instruction;
using isa::Opcode;
using isa::StateSpace;

bool may_be_global(const Instruction& instruction) {
  return instruction.space == StateSpace::kGlobal || instruction.space == StateSpace::kGeneric;
}

std::span<const isa::RegId> reads_of(const Instruction& instruction) {
  return {instruction.reads.data(), instruction.read_count};
}
std::span<const isa::RegId> writes_of(const Instruction& instruction) {
  return {instruction.writes.data(), instruction.write_count};
}

/// A set. What derives from what is looked for without regard to order: compiled code writes a virtual register in few places.
class Registers {
 public:
  [[nodiscard]] bool has(isa::RegId reg) const { return reg < in_.size() && in_[reg]; }
  [[nodiscard]] bool any_of(std::span<const isa::RegId> regs) const {
    return std::any_of(regs.begin(), regs.end(), [this](isa::RegId reg) { return has(reg); });
  }
  /// True: one of them was not in it.
  bool add(std::span<const isa::RegId> regs) {
    bool is_new = false;
    for (const isa::RegId reg : regs) {
      if (has(reg)) continue;
      if (reg >= in_.size()) in_.resize(reg + std::size_t{1}, false);
      in_[reg] = is_new = true;
    }
    return is_new;
  }

 private:
  std::vector<bool> in_;
};

}  // namespace

LockstepProgram::LockstepProgram(const isa::Kernel& kernel)
    : kernel_(kernel), code_(kernel), facts_(kernel.code.size(), 0) {
  find_exchanges();
  if (!exchanges_) return;
  find_regions();
  find_data_decisions();
  find_learning_loads();
  find_polls();
}

void LockstepProgram::find_exchanges() {
  const auto& all = code_.accesses().all();
  const auto of = [&](const analysis::Access& access) -> const Instruction& {
    return kernel_.code[access.instruction];
  };
  const auto is_strong = [&](const analysis::Access& access) {
    return of(access).op == Opcode::kAtomic || of(access).cache_op == isa::CacheOp::kVolatile;
  };
  for (const analysis::Access& load : all) {
    if (of(load).op != Opcode::kLoad) continue;
    for (const analysis::Access& write : all) {
      const Opcode op = of(write).op;
      if ((op != Opcode::kStore && op != Opcode::kAtomic) ||
          !may_alias(load, write, {.params_may_alias = is_strong(load) && is_strong(write)}))
        continue;
      facts_[load.instruction] |= kAsks;
      if (op != Opcode::kStore || !may_be_global(of(load)) || !may_be_global(of(write))) continue;
      facts_[load.instruction] |= kExchanges;
      facts_[write.instruction] |= kExchanges;
      exchanges_ = true;
    }
  }
}

void LockstepProgram::find_regions() {
  for (std::uint32_t pc = 0; pc < kernel_.code.size(); ++pc) {
    const Instruction& instruction = kernel_.code[pc];
    const bool branches = (instruction.op == Opcode::kBranch && instruction.guard.present) ||
                          instruction.op == Opcode::kIndirect;
    if (branches && instruction.rpc != base::kNoPc) facts_[instruction.rpc.value()] |= kEndsRegion;
    if (branches || instruction.op == Opcode::kCall || instruction.op == Opcode::kReturn)
      facts_[pc] |= kParts;
  }
}

void LockstepProgram::find_data_decisions() {
  // What threads tell each other: an atomic's answer, and a load that may see a store or atomic. Values of inputs are none.
  const auto asks = [&](const Instruction& instruction, Pc pc) {
    return instruction.op == Opcode::kAtomic || has(pc, kAsks);
  };
  Registers data;
  for (bool again = true; again;) {
    again = false;
    for (std::uint32_t pc = 0; pc < kernel_.code.size(); ++pc) {
      const Instruction& instruction = kernel_.code[pc];
      if (asks(instruction, Pc{pc}) || instruction.time_dependent || data.any_of(reads_of(instruction)))
        again |= data.add(writes_of(instruction));
    }
  }
  for (std::uint32_t pc = 0; pc < kernel_.code.size(); ++pc) {
    const Instruction& instruction = kernel_.code[pc];
    const bool guarded = (instruction.guard.present && data.has(instruction.guard.reg)) ||
                         (instruction.guard2.present && data.has(instruction.guard2.reg));
    const bool led = (instruction.op == Opcode::kIndirect || instruction.op == Opcode::kCall) &&
                     instruction.src[0].present && data.has(instruction.src[0].reg);
    if (guarded || led) facts_[pc] |= kByData;
  }
}

void LockstepProgram::find_learning_loads() {
  // Registers that some guard derives from, anywhere.
  Registers decide;
  for (const Instruction& instruction : kernel_.code)
    for (const isa::Operand& guard : {instruction.guard, instruction.guard2})
      if (guard.present) decide.add({&guard.reg, 1});
  for (bool again = true; again;) {
    again = false;
    for (const Instruction& instruction : kernel_.code)
      if (decide.any_of(writes_of(instruction))) again |= decide.add(reads_of(instruction));
  }
  for (std::uint32_t pc = 0; pc < kernel_.code.size(); ++pc) {
    const Instruction& load = kernel_.code[pc];
    if (exchanges(Pc{pc}) && load.op == Opcode::kLoad && load.cache_op == isa::CacheOp::kVolatile &&
        decide.any_of(writes_of(load)))
      facts_[pc] |= kLearns;
  }
}

void LockstepProgram::find_polls() {
  if (analysis::find_spin_branches(kernel_).empty()) return;
  for (std::uint32_t pc = 0; pc < kernel_.code.size(); ++pc) {
    const Instruction& load = kernel_.code[pc];
    if (exchanges(Pc{pc}) && load.op == Opcode::kLoad && load.cache_op == isa::CacheOp::kVolatile &&
        !analysis::find_spin_branches(kernel_, Pc{pc}).empty())
      facts_[pc] |= kPolls;
  }
  // Compilers put the first round of a loop in front of it: a load by the same registers whose value decides.
  const auto repeats = [&](const Instruction& first, std::uint32_t poll) {
    const isa::MemoryOperand& a = first.memory;
    const isa::MemoryOperand& b = kernel_.code[poll].memory;
    return a.base.reg == b.base.reg && a.displacement == b.displacement;
  };
  for (std::uint32_t poll = 0; poll < kernel_.code.size(); ++poll) {
    if (!polls(Pc{poll})) continue;
    for (std::uint32_t pc = 0; pc < poll; ++pc)
      if (learns(Pc{pc}) && repeats(kernel_.code[pc], poll)) facts_[pc] |= kPolls;
  }
}

}  // namespace heddle::compaction
