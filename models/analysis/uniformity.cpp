#include "analysis/uniformity.h"

#include <algorithm>

namespace heddle::analysis {

using isa::Instruction;
using isa::Opcode;

Uniformity::Uniformity(const isa::Kernel& kernel, const ControlFlowGraph& cfg, UniformWithin within)
    : kernel_(kernel),
      within_(within),
      cfg_(cfg),
      control_(cfg.without_early_exits()),
      varies_(kernel.registers.registers(), false) {
  for (bool again = true; again;) {
    again = false;
    for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) again |= spread(pc);
  }
}

bool Uniformity::uniform(std::uint32_t pc) const {
  const Instruction& branch = kernel_.code[pc];
  if (branch.uniform && within_ == UniformWithin::kWarp) return true;
  if (varies(branch.guard) || varies(branch.guard2)) return false;
  return branch.op == Opcode::kBranch || !varies(branch.src[0]);
}

bool Uniformity::varies(const isa::Operand& operand) const {
  if (!operand.present) return false;
  if (operand.space == isa::RowSpace::kRegister) return varies_[operand.reg];
  if (operand.space == isa::RowSpace::kConstant) return false;
  const auto row = static_cast<isa::SpecialRow>(operand.offset / isa::special_offset(isa::SpecialRow{1}));
  if (within_ == UniformWithin::kCta && row == isa::SpecialRow::kWarpId) return true;
  return row <= isa::SpecialRow::kTidZ || row == isa::SpecialRow::kLaneId ||
         (row >= isa::SpecialRow::kLanemaskEq && row <= isa::SpecialRow::kLanemaskGe);
}

bool Uniformity::result_varies(std::uint32_t pc) const {
  const Instruction& instruction = kernel_.code[pc];
  // Some lanes may be in the function while others are not.
  if (kernel_.function_at(base::Pc(pc)) != nullptr) return true;
  const bool parameter = instruction.op == Opcode::kLoad && (instruction.space == isa::StateSpace::kParam ||
                                                             instruction.space == isa::StateSpace::kConst);
  if (instruction.op != Opcode::kLane && !parameter) return true;
  if (instruction.cross_lane || instruction.time_dependent) return true;
  if (varies(instruction.guard) || varies(instruction.guard2)) return true;
  for (const isa::Operand& row : instruction.memory.rows())
    if (varies(row)) return true;
  if (std::any_of(instruction.src.begin(), instruction.src.end(),
                  [&](const isa::Operand& operand) { return varies(operand); }))
    return true;
  const auto& deciding = control_.of(cfg_.block_of(pc));
  return std::any_of(deciding.begin(), deciding.end(),
                     [&](BlockId block) { return !uniform(cfg_.block(block).end - 1); });
}

bool Uniformity::spread(std::uint32_t pc) {
  const Instruction& instruction = kernel_.code[pc];
  bool changed = false;
  for (unsigned i = 0; i < instruction.write_count; ++i) changed |= !varies_[instruction.writes[i]];
  if (!changed || !result_varies(pc)) return false;
  for (unsigned i = 0; i < instruction.write_count; ++i) varies_[instruction.writes[i]] = true;
  return true;
}

}  // namespace heddle::analysis
