#include "compaction/lockstep_program.h"

#include <algorithm>

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

}  // namespace

LockstepProgram::LockstepProgram(const isa::Kernel& kernel)
    : kernel_(kernel), code_(kernel), facts_(kernel.code.size(), 0) {
  find_exchanges();
  if (!exchanges_) return;
  find_regions();
  find_data_decisions();
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
  // Registers that may hold something derived from it, anywhere: compiled code writes a virtual register in few places.
  std::vector<bool> data;
  const auto is_data = [&](isa::RegId reg) { return reg < data.size() && data[reg]; };
  const auto reads_data = [&](const Instruction& instruction) {
    return std::any_of(instruction.reads.begin(), instruction.reads.begin() + instruction.read_count,
                       is_data);
  };
  for (bool again = true; again;) {
    again = false;
    for (std::uint32_t pc = 0; pc < kernel_.code.size(); ++pc) {
      const Instruction& instruction = kernel_.code[pc];
      if (!asks(instruction, Pc{pc}) && !instruction.time_dependent && !reads_data(instruction)) continue;
      for (unsigned i = 0; i < instruction.write_count; ++i) {
        const isa::RegId reg = instruction.writes[i];
        if (is_data(reg)) continue;
        if (reg >= data.size()) data.resize(reg + std::size_t{1}, false);
        data[reg] = again = true;
      }
    }
  }
  for (std::uint32_t pc = 0; pc < kernel_.code.size(); ++pc) {
    const Instruction& instruction = kernel_.code[pc];
    const bool guarded = (instruction.guard.present && is_data(instruction.guard.reg)) ||
                         (instruction.guard2.present && is_data(instruction.guard2.reg));
    const bool led = (instruction.op == Opcode::kIndirect || instruction.op == Opcode::kCall) &&
                     instruction.src[0].present && is_data(instruction.src[0].reg);
    if (guarded || led) facts_[pc] |= kByData;
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
}

}  // namespace heddle::compaction
