// Sums, minima and maxima of two 16-bit integers in a register, and .relu of integers (sm_90). Each is the video instruction that
// does the same; .relu is one instruction more, the maximum with 0.
#include <string>

#include "frontend/ptx/decode/classes.h"
#include "frontend/ptx/decode/emit.h"
#include "frontend/ptx/decode/forms.h"
#include "frontend/ptx/decode/operands.h"
#include "isa/video.h"

namespace heddle::ptx {

using isa::Type;

namespace {

/// A sum, minimum or maximum of the type.
isa::Instruction operation(KernelContext& kernel, const Instruction& instruction, isa::VideoOp op,
                           const std::string& type) {
  isa::LaneSpec spec;
  isa::VideoControl control;
  control.op = op;
  control.a_signed = control.b_signed = control.d_signed = type[0] == 's';
  control.lanes_a = {0, 1};
  control.lanes_b = {2, 3};
  control.mask = 3;
  if (type == "s32") {
    spec.op = op == isa::VideoOp::kMin ? isa::LaneOp::kMin : isa::LaneOp::kMax;
    spec.type = Type::kS32;
  } else {
    spec.op = isa::LaneOp::kVideo;
    spec.type = Type::kU16;
  }
  isa::Instruction out = simple_lane(kernel, instruction, spec);
  if (type == "s32") return out;
  out.src[2] = kernel.constants.row(isa::RowWidth::k32, 0);
  out.immediate = isa::pack_simd(control);
  return out;
}

}  // namespace

void decode_packed(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                   const Modifiers& modifiers) {
  using isa::VideoOp;
  const auto& words = instruction.modifiers;  // min.relu.s32 and min.s32.relu
  const std::string& type = words[words[0] == "relu" ? 1 : 0];
  const Type in_register = type == "s32" ? Type::kS32 : Type::kB32;
  const VideoOp op = instruction.opcode == "add"   ? VideoOp::kAdd
                     : instruction.opcode == "min" ? VideoOp::kMin
                                                   : VideoOp::kMax;
  isa::Instruction out = operation(kernel, instruction, op, type);
  out.dst[0] = destination(kernel, instruction, instruction.operands[0], in_register).operand;
  out.src[0] = source(kernel, instruction, instruction.operands[1], in_register).operand;
  out.src[1] = source(kernel, instruction, instruction.operands[2], in_register).operand;
  kernel.emit(instruction, out);
  if (!modifiers.relu || !out.dst[0].present) return;
  isa::Instruction positive = operation(kernel, instruction, VideoOp::kMax, type);
  positive.dst[0] = positive.src[0] = out.dst[0];
  positive.src[1] = kernel.constants.row(isa::RowWidth::k32, 0);
  kernel.emit(instruction, positive);
}

}  // namespace heddle::ptx
