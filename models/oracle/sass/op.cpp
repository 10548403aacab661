#include "oracle/sass/op.h"

#include <algorithm>

#include "frontend/sass/form.h"
#include "oracle/sass/matrix.h"
#include "oracle/sass/memory_access.h"
#include "oracle/sass/texture.h"

namespace heddle::oracle::machine_code {
namespace {

bool names_predicate(const Op& op, Role role) {
  const Operand* operand = op.find(role);
  return operand != nullptr && (operand->number != sass::kPt || operand->negate);
}

bool is_half(Opcode op) {
  return op == Opcode::kHadd2 || op == Opcode::kHmul2 || op == Opcode::kHfma2 || op == Opcode::kHfma2Mma ||
         op == Opcode::kHset2 || op == Opcode::kHsetp2 || op == Opcode::kHmnmx2;
}

/// What a form can say and no source describes well enough to compute it. Empty: nothing.
std::string unknown_use(const Op& op) {
  const sass::Instruction& i = op.instruction;
  for (const Operand& operand : i.operands()) {
    if (is_half(i.op) && i.op != Opcode::kHadd2 && i.op != Opcode::kHmul2 && operand.half == 1)
      return "a packed operand of 32 bits";
    if (operand.kind == Operand::Kind::kConstant && operand.uniform != sass::kNoRegister &&
        operand.role != Role::kAddress)
      return "a constant through a descriptor (cx)";
  }
  switch (i.op) {
    case Opcode::kFmul:
    case Opcode::kFfma:
      return op.has(Modifier::kDenormal) ? ".DNZ" : "";
    case Opcode::kMufu: {
      constexpr unsigned kEx2 = 2, kTanh = 9;
      const unsigned function = op.value(Modifier::kFunction);
      return op.has(Modifier::kSource) && function != kEx2 && function != kTanh ? "16 bits" : "";
    }
    case Opcode::kHfma2:
    case Opcode::kHfma2Mma:
    case Opcode::kHadd2:
    case Opcode::kHmul2:
    case Opcode::kHmnmx2:
    case Opcode::kHset2:
      if (op.has(Modifier::kBfloat) &&
          (op.has(Modifier::kFtz) || op.has(Modifier::kSaturate) || op.has(Modifier::kFloat32)))
        return "FTZ, SAT or F32 of .BF16_V2";
      if (op.has(Modifier::kDenormal)) return ".DNZ";
      return i.op == Opcode::kHfma2 && op.has(Modifier::kFloat32) ? ".F32 of HFMA2" : "";
    case Opcode::kF2ip:
      return op.has(Modifier::kDestination) ? "bytes with a sign" : "";
    case Opcode::kHsetp2:
      if (op.has(Modifier::kBfloat) && op.has(Modifier::kFtz)) return "FTZ of .BF16_V2";
      return op.has(Modifier::kMode) ? ".H_AND" : "";
    case Opcode::kVabsdiff:
    case Opcode::kVabsdiff4:
    case Opcode::kFlo:
    case Opcode::kUflo:
      return names_predicate(op, Role::kPd0) ? "its predicate result" : "";
    case Opcode::kR2ur:
      return i.arch == sass::Arch::kSm75 && names_predicate(op, Role::kPd0) ? "its predicate result" : "";
    case Opcode::kI2f: {
      const unsigned part = op.find(Role::kB)->half, bits = 8u << (op.value(Modifier::kSource) >> 1);
      return part != 0 && (part + 1) * bits > 32 ? "a part of a register that goes on behind it" : "";
    }
    case Opcode::kF2i: {
      constexpr unsigned kBfloat = 4;
      return op.value(Modifier::kSource) == kBfloat && op.has(Modifier::kFtz) ? ".FTZ of bf16" : "";
    }
    case Opcode::kMov:
      return op.find(Role::kMask)->value != 15 ? "a mask of lanes" : "";
    case Opcode::kHmma:
    case Opcode::kImma:
    case Opcode::kDmma:
      return unknown_matrix(op);
    case Opcode::kElect:
      return names_predicate(op, Role::kPs0) ? "a predicate" : "";
    case Opcode::kTex:
    case Opcode::kTld:
    case Opcode::kTld4:
    case Opcode::kTxd:
    case Opcode::kTxq:
    case Opcode::kSuld:
      return unknown_texture(op);
    case Opcode::kLdgsts:
      return op.value(Modifier::kSize) < 4 || op.has(Modifier::kOrder) ? "a copy of this kind" : "";
    case Opcode::kSyncsArrive: {
      constexpr unsigned kA1T0 = 1, kA0Tx = 4, kArT0 = 5;
      const unsigned mode = op.value(Modifier::kMode);
      if (mode == kA0Tx) return "bytes that have come";
      return op.has(Modifier::kDrop) && mode != kA1T0 && mode != kArT0 ? ".OPTOUT with bytes" : "";
    }
    case Opcode::kUiadd3Wide:
      return names_predicate(op, Role::kPd0) || names_predicate(op, Role::kPd1) ? "a carry" : "";
    case Opcode::kUblkcp: {
      constexpr unsigned kWithinShared = 3;
      return op.value(Modifier::kMode) == kWithinShared ? "a copy within shared memory"
             : op.has(Modifier::kMulticast)             ? "a copy into several CTAs"
                                                        : "";
    }
    case Opcode::kLdc:
      return op.has(Modifier::kMode) ? "an indexed mode" : "";
    case Opcode::kF2fp:
      return op.value(Modifier::kRounding) == 1 || op.value(Modifier::kRounding) == 2 ? ".RM and .RP" : "";
    case Opcode::kLdg:
      return names_predicate(op, Role::kPd0) || names_predicate(op, Role::kPs0) ? "a predicate of a load"
                                                                                : "";
    case Opcode::kAtom:
    case Opcode::kAtomg:
    case Opcode::kAtoms:
    case Opcode::kRed:
      return can_combine(static_cast<AtomicOperation>(op.value(Modifier::kOperation)), atomic_type(op))
                 ? ""
                 : "an atomic operation of this type";
    case Opcode::kBar:
      return op.value(Modifier::kMode) == 3 ? ".SCAN" : "";
    default:
      return "";
  }
}

}  // namespace

Op make_op(const sass::Instruction& instruction, std::string& problem) {
  Op op;
  op.instruction = instruction;
  op.at.fill(-1);
  for (unsigned i = 0; i < instruction.operand_count; ++i)
    op.at[static_cast<std::size_t>(instruction.operand[i].role)] = static_cast<std::int8_t>(i);
  const auto& specs = instruction.form->modifiers;
  for (unsigned i = 0; i < specs.size() && specs[i].id != Modifier::kNone; ++i)
    op.modifier[static_cast<std::size_t>(specs[i].id)] = instruction.modifiers[i];
  for (const auto group : {integer_function, bit_function, float_function, double_function, half_function,
                           conversion_function, move_function})
    if (op.lane == nullptr) op.lane = group(instruction.op);
  problem = unknown_use(op);
  return op;
}

}  // namespace heddle::oracle::machine_code
