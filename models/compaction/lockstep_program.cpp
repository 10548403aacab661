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

bool loads_data(const Instruction& instruction) {
  if (instruction.op == Opcode::kAtomic) return true;
  return instruction.op == Opcode::kLoad && instruction.space != StateSpace::kParam &&
         instruction.space != StateSpace::kConst;
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
  const auto of_global = [&](const analysis::Access& access, Opcode op) {
    const Instruction& instruction = kernel_.code[access.instruction];
    return instruction.op == op && may_be_global(instruction);
  };
  const auto is_strong = [&](const analysis::Access& access) {
    return kernel_.code[access.instruction].cache_op == isa::CacheOp::kVolatile;
  };
  for (const analysis::Access& load : code_.accesses().all()) {
    if (!of_global(load, Opcode::kLoad)) continue;
    for (const analysis::Access& store : code_.accesses().all()) {
      if (!of_global(store, Opcode::kStore) ||
          !may_alias(load, store, {.params_may_alias = is_strong(load) && is_strong(store)}))
        continue;
      facts_[load.instruction] |= kExchanges;
      facts_[store.instruction] |= kExchanges;
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
  // Registers that may hold something derived from memory, anywhere: compiled code writes a virtual register in few places.
  std::vector<bool> data;
  const auto is_data = [&](isa::RegId reg) { return reg < data.size() && data[reg]; };
  const auto reads_data = [&](const Instruction& instruction) {
    return std::any_of(instruction.reads.begin(), instruction.reads.begin() + instruction.read_count,
                       is_data);
  };
  for (bool again = true; again;) {
    again = false;
    for (const Instruction& instruction : kernel_.code) {
      if (!loads_data(instruction) && !instruction.time_dependent && !reads_data(instruction)) continue;
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
