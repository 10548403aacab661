// Instructions that only read and write rows: operands from the form's description, semantics from the lane
// function.
#include <fmt/format.h>

#include "frontend/ptx/decode/classes.h"
#include "frontend/ptx/decode/forms.h"
#include "frontend/ptx/decode/library.h"
#include "frontend/ptx/decode/operands.h"

namespace heddle::ptx {
namespace {

isa::LaneFn function_of(KernelContext& kernel, const Instruction& instruction, const isa::LaneSpec& spec) {
  const isa::LaneFn fn = isa::find_lane_fn(spec);
  if (fn == nullptr)
    kernel.fail(instruction.where, fmt::format("{} is not supported", full_name(instruction)),
                "'heddle list --ptx' names the supported combinations of types and modifiers.");
  return fn;
}

void set_lane_function(isa::Instruction& out, const isa::LaneSpec& spec, isa::LaneFn fn) {
  out.op = isa::Opcode::kLane;
  out.lane_fn = fn;
  out.latency_class = latency_class(
      spec.op, spec.op == isa::LaneOp::kCvt && !isa::is_float(spec.type) ? spec.src_type : spec.type);
  out.unit = unit_of(out.latency_class);
}
/// Whether MUFU computes it here.
bool by_mufu(const KernelContext& kernel, isa::LaneSpec spec) {
  if (kernel.module.library == nullptr || !kernel.module.library->mufu()) return false;
  spec.mufu = true;
  return isa::find_lane_fn(spec) != nullptr;
}

isa::Instruction lane_instruction(const isa::LaneSpec& spec, isa::LaneFn fn) {
  isa::Instruction out;
  set_lane_function(out, spec, fn);
  return out;
}

bool reads_carry(isa::LaneOp op) {
  return op == isa::LaneOp::kAddc || op == isa::LaneOp::kSubc || op == isa::LaneOp::kMadc ||
         op == isa::LaneOp::kMadcHi;
}

/// The constant of an operand that is not stored in a row.
std::uint64_t immediate(KernelContext& kernel, const Instruction& instruction, const Operand& operand) {
  constexpr std::uint64_t kLargest = 0xff;
  const auto* literal = std::get_if<IntegerLiteral>(&operand.value);
  if (literal == nullptr || literal->bits > kLargest)
    kernel.fail(operand.where,
                fmt::format("{} takes a constant from 0 to {} here", full_name(instruction), kLargest));
  return literal->bits;
}

}  // namespace

bool is_full_mask(const Operand& operand) {
  constexpr std::uint64_t kAll = 0xffff'ffffu;
  const auto* literal = std::get_if<IntegerLiteral>(&operand.value);
  return literal != nullptr && (literal->bits & kAll) == kAll;
}

void decode_lane(KernelContext& kernel, const Instruction& instruction, const CompiledForm& form,
                 const Modifiers& modifiers) {
  isa::LaneSpec spec = lane_spec(form, modifiers);
  spec.mufu = by_mufu(kernel, spec);
  isa::Instruction out;
  std::size_t sources = 0;
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const OperandSpec& want = form.operands[i];
    const Operand& operand = instruction.operands[i];
    const Type type = want.type(modifiers);
    if (want.source == OperandSpec::Source::kImmediate) {
      out.immediate = immediate(kernel, instruction, operand);
      continue;
    }
    if (!want.destination) {
      if (want.source == OperandSpec::Source::kMemberMask) {
        out.member_mask = static_cast<std::uint8_t>(sources);
        out.names_all_lanes = is_full_mask(operand);
        spec.member_mask = !out.names_all_lanes;
      }
      out.src[sources++] = source(kernel, instruction, operand, type).operand;
      continue;
    }
    out.dst[0] = destination(kernel, instruction, operand, type).operand;
    // Lane functions always write their first destination; a discarded one goes to an unused register.
    if (!out.dst[0].present) out.dst[0] = kernel.scratch(instruction, row_width(type), 0);
    if (operand.second == nullptr) continue;
    if (!want.second_destination)
      kernel.fail(operand.second->where, fmt::format("{} has one destination", full_name(instruction)));
    out.dst[1] = destination(kernel, instruction, *operand.second, Type::kPred).operand;
  }
  if (reads_carry(spec.op)) out.src[sources++] = kernel.carry(instruction);
  if (spec.carry_out) out.dst[1] = kernel.carry(instruction);
  set_lane_function(out, spec, function_of(kernel, instruction, spec));
  out.cross_lane = isa::is_cross_lane(spec.op);
  out.compare = spec.op == isa::LaneOp::kSetp || spec.op == isa::LaneOp::kSet;
  if (out.member_mask != isa::Instruction::kNoMemberMask) {
    out.op = isa::Opcode::kWarpSync;
    // Lanes meet that execute the same operation with the same qualifiers (core/state/warp_sync.h); bar.warp.sync is 0.
    constexpr std::uint64_t kTypes = 256;
    out.immediate =
        (static_cast<std::uint64_t>(spec.op) + 1) * kTypes + static_cast<std::uint64_t>(spec.type);
  }
  kernel.emit(instruction, out);
}

void decode_cvt(KernelContext& kernel, const Instruction& instruction, const CompiledForm& form,
                const Modifiers& modifiers) {
  isa::LaneSpec spec = lane_spec(form, modifiers);
  if (spec.sat && !isa::is_float(spec.type) && !isa::is_float(spec.src_type) &&
      isa::find_lane_fn(spec) == nullptr)
    kernel.fail(instruction.where,
                fmt::format("{} cannot saturate: .{} holds every value of .{}", full_name(instruction),
                            isa::type_name(spec.type), isa::type_name(spec.src_type)),
                "Leave '.sat' out, as PTX does.");
  Row to = destination(kernel, instruction, instruction.operands[0], spec.type, Width::kRelaxed);
  if (!to.operand.present)
    to = {kernel.scratch(instruction, row_width(spec.type), 0), isa::type_bytes(spec.type) * 8};
  if (instruction.operands[0].second != nullptr)
    kernel.fail(instruction.operands[0].second->where, "cvt has one destination");
  const Row from = source(kernel, instruction, instruction.operands[1], spec.src_type, Width::kRelaxed);
  if (to.bits > isa::type_bytes(spec.type) * 8) spec.dst_bits = static_cast<std::uint8_t>(to.bits);
  if (from.operand.width == isa::RowWidth::k64 && isa::type_bytes(spec.src_type) < 8) spec.src_bits = 64;
  // Values converted from integers are never subnormal.
  if (spec.type == Type::kF32 && !isa::is_float(spec.src_type)) spec.ftz = false;
  const auto emit = [&](const isa::LaneSpec& what, const isa::Operand& result, const isa::Operand& operand) {
    isa::Instruction out = lane_instruction(what, function_of(kernel, instruction, what));
    out.dst[0] = result;
    out.src[0] = operand;
    kernel.emit(instruction, out);
  };
  if (isa::find_lane_fn(spec) != nullptr) return emit(spec, to.operand, from.operand);
  // A 64-bit register for a narrower type needs a separate step where no lane function handles both.
  isa::Operand operand = from.operand;
  if (spec.src_bits == 64) {
    operand = kernel.scratch(instruction, isa::RowWidth::k32, 1);
    emit({.op = isa::LaneOp::kCvt, .type = Type::kU32, .src_type = Type::kU64}, operand, from.operand);
    spec.src_bits = 0;
  }
  if (spec.dst_bits != 64 || isa::is_float(spec.type)) return emit(spec, to.operand, operand);
  const isa::Operand narrow = kernel.scratch(instruction, isa::RowWidth::k32, 2);
  const bool is_signed = isa::is_signed(spec.type);
  spec.dst_bits = isa::type_bytes(spec.type) < 4 ? 32 : 0;
  emit(spec, narrow, operand);
  emit({.op = isa::LaneOp::kCvt,
        .type = is_signed ? Type::kS64 : Type::kU64,
        .src_type = is_signed ? Type::kS32 : Type::kU32},
       to.operand, narrow);
}

isa::Instruction simple_lane(KernelContext& kernel, const Instruction& instruction,
                             const isa::LaneSpec& spec) {
  return lane_instruction(spec, function_of(kernel, instruction, spec));
}

}  // namespace heddle::ptx
