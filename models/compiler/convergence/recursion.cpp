#include "compiler/convergence/recursion.h"

#include "compiler/new_instructions.h"
#include "isa/convergence.h"

namespace heddle::compiler {

using base::Pc;
using isa::Instruction;
using isa::LaneOp;
using isa::Opcode;
using isa::RowWidth;
using isa::Type;

namespace {

constexpr std::uint32_t kSlotBytes = 4;

/// Where a function's slots begin.
std::uint32_t first_slot(const isa::FunctionCode& function) {
  return (function.frame_bytes + kSlotBytes - 1) / kSlotBytes * kSlotBytes;
}

Instruction guarded(Instruction instruction, const isa::Operand& guard) {
  instruction.guard = guard;
  isa::list_registers(instruction);
  return instruction;
}

}  // namespace

RecursionGuard::RecursionGuard(const isa::Kernel& kernel, KernelEditor& editor)
    : kernel_(kernel),
      editor_(editor),
      depth_(editor.new_register(RowWidth::k32, "%recursion_depth")),
      armed_(editor.new_register(RowWidth::kPredicate, "%armed")),
      kept_(editor.new_register(RowWidth::k32, "%barrier")),
      most_(editor.constant(RowWidth::k32, 0)),
      one_(editor.constant(RowWidth::k32, 1)) {
  editor.insert_before(
      Pc(0), Entry::kFallThrough,
      lane_instruction(LaneOp::kMov, Type::kB32, depth_, {editor.constant(RowWidth::k32, 0)}));
}

Pc RecursionGuard::frame_set(const isa::Kernel& kernel, const analysis::CodeRange& range) {
  const isa::FunctionCode& function = kernel.functions[range.function - 1];
  if (!function.frame.present || !function.frame_size.present) return base::kNoPc;
  for (std::uint32_t pc = function.entry; pc < function.end; ++pc)
    if (kernel.code[pc].dst[0].present && kernel.code[pc].dst[0].reg == function.frame.reg) return Pc(pc);
  return base::kNoPc;
}

Instruction RecursionGuard::compare() const {
  return lane_instruction(LaneOp::kSetp, Type::kU32, armed_, {depth_, most_}, isa::Compare::kLe);
}

void RecursionGuard::enter(const analysis::CodeRange& range, const std::set<std::uint8_t>& barriers,
                           const std::vector<std::uint32_t>& calls) {
  const isa::FunctionCode& function = kernel_.functions[range.function - 1];
  const Pc at = frame_set(kernel_, range);
  editor_.insert_after(at, lane_instruction(LaneOp::kAdd, Type::kU32, depth_, {depth_, one_}));
  editor_.insert_after(at, compare());
  std::uint32_t slot = first_slot(function);
  for (const std::uint8_t barrier : barriers) {
    editor_.insert_after(at, guarded(isa::read_barrier(kept_, barrier, true), armed_));
    editor_.insert_after(at, guarded(frame_access(Opcode::kStore, kept_, function.frame, slot), armed_));
    slot += kSlotBytes;
  }
  for (const std::uint32_t call : calls) editor_.insert_after(Pc(call), compare());
  editor_.enlarge_frame(range.function - 1, slot - function.frame_bytes);
}

void RecursionGuard::leave(const analysis::CodeRange& range, const std::set<std::uint8_t>& barriers) {
  const isa::FunctionCode& function = kernel_.functions[range.function - 1];
  for (std::uint32_t pc = range.first; pc < range.end; ++pc) {
    if (kernel_.code[pc].op != Opcode::kReturn) continue;
    const auto add = [&](const Instruction& each) { editor_.insert_before(Pc(pc), Entry::kJumpsToo, each); };
    std::uint32_t slot = first_slot(function);
    for (const std::uint8_t barrier : barriers) {
      add(guarded(frame_access(Opcode::kLoad, kept_, function.frame, slot), armed_));
      add(guarded(isa::write_barrier(barrier, kept_), armed_));
      slot += kSlotBytes;
    }
    add(lane_instruction(LaneOp::kSub, Type::kU32, depth_, {depth_, one_}));
  }
}

}  // namespace heddle::compiler
