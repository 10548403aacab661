// mov with all it can do - registers, special registers, addresses, packing and unpacking - and the
// conversions between generic addresses and those of a state space.
#include <fmt/format.h>

#include "frontend/ptx/decode/classes.h"
#include "frontend/ptx/decode/emit.h"
#include "frontend/ptx/decode/forms.h"
#include "frontend/ptx/decode/operands.h"

namespace heddle::ptx {
namespace {

using isa::LaneOp;
using isa::RowWidth;

isa::LaneSpec spec_of(LaneOp op, Type type) {
  isa::LaneSpec spec;
  spec.op = op;
  spec.type = type;
  return spec;
}

/// dst = op(a[, b]); a destination that is absent ("_") emits nothing.
void emit_simple(KernelContext& kernel, const Instruction& instruction, const isa::LaneSpec& spec,
                 isa::Operand dst, isa::Operand a, isa::Operand b = {}) {
  if (!dst.present) return;
  isa::Instruction out = simple_lane(kernel, instruction, spec);
  out.dst[0] = dst;
  out.src[0] = a;
  out.src[1] = b;
  kernel.emit(instruction, out);
}

/// The type of one of `count` elements that fill `whole`; kNone if mov cannot split it that way.
Type element_type(Type whole, std::size_t count) {
  const unsigned bytes = isa::type_bytes(whole);
  if (bytes == 8 && count == 2) return Type::kB32;
  if ((bytes == 8 && count == 4) || (bytes == 4 && count == 2)) return Type::kB16;
  return Type::kNone;
}

Type checked_element_type(KernelContext& kernel, const Instruction& instruction, const Operand& vector,
                          Type whole) {
  const std::size_t count = std::get<VectorOperand>(vector.value).elements.size();
  const Type type = whole >= Type::kB8 && whole <= Type::kB128 ? element_type(whole, count) : Type::kNone;
  if (type == Type::kNone)
    kernel.fail(vector.where,
                fmt::format("{} with {} elements is not supported", full_name(instruction), count),
                "Supported: mov.b32 with two 16-bit elements, mov.b64 with two 32-bit or four 16-bit ones.");
  return type;
}

/// mov.b64 d, {a, b}: the first element is the least significant.
void pack(KernelContext& kernel, const Instruction& instruction, Type whole) {
  const Operand& vector = instruction.operands[1];
  const Type part = checked_element_type(kernel, instruction, vector, whole);
  const isa::Operand dst = destination(kernel, instruction, instruction.operands[0], whole).operand;
  std::vector<isa::Operand> parts;
  for (const Operand& element : std::get<VectorOperand>(vector.value).elements)
    parts.push_back(source(kernel, instruction, element, part).operand);
  if (parts.size() == 4) {
    const isa::Operand low = kernel.scratch(instruction, RowWidth::k32, 0);
    const isa::Operand high = kernel.scratch(instruction, RowWidth::k32, 1);
    emit_simple(kernel, instruction, spec_of(LaneOp::kPack2x16, Type::kB32), low, parts[0], parts[1]);
    emit_simple(kernel, instruction, spec_of(LaneOp::kPack2x16, Type::kB32), high, parts[2], parts[3]);
    parts = {low, high};
  }
  const LaneOp op = isa::type_bytes(whole) == 8 ? LaneOp::kPack2x32 : LaneOp::kPack2x16;
  emit_simple(kernel, instruction, spec_of(op, whole), dst, parts[0], parts[1]);
}

void unpack_halves(KernelContext& kernel, const Instruction& instruction, isa::Operand low, isa::Operand high,
                   isa::Operand from) {
  const bool wide = from.width == RowWidth::k64;
  const Type part = wide ? Type::kB32 : Type::kB16;
  emit_simple(kernel, instruction, spec_of(wide ? LaneOp::kUnpack2x32Lo : LaneOp::kUnpack2x16Lo, part), low,
              from);
  emit_simple(kernel, instruction, spec_of(wide ? LaneOp::kUnpack2x32Hi : LaneOp::kUnpack2x16Hi, part), high,
              from);
}

/// mov.b64 {a, b}, s
void unpack(KernelContext& kernel, const Instruction& instruction, Type whole) {
  const Operand& vector = instruction.operands[0];
  const Type part = checked_element_type(kernel, instruction, vector, whole);
  std::vector<isa::Operand> parts;
  for (const Operand& element : std::get<VectorOperand>(vector.value).elements)
    parts.push_back(destination(kernel, instruction, element, part).operand);
  isa::Operand from = source(kernel, instruction, instruction.operands[1], whole).operand;
  if (parts.size() == 2) {
    // The halves are written one after the other, so a source that is a destination too would be lost. PTX
    // types exclude it: they differ in width.
    unpack_halves(kernel, instruction, parts[0], parts[1], from);
    return;
  }
  const isa::Operand low = kernel.scratch(instruction, RowWidth::k32, 0);
  const isa::Operand high = kernel.scratch(instruction, RowWidth::k32, 1);
  unpack_halves(kernel, instruction, low, high, from);
  unpack_halves(kernel, instruction, parts[0], parts[1], low);
  unpack_halves(kernel, instruction, parts[2], parts[3], high);
}

void read_clock(KernelContext& kernel, const Instruction& instruction, Type type, Clock clock) {
  const unsigned bytes = clock == Clock::k64 ? 8 : 4;
  if (isa::type_bytes(type) != bytes || isa::is_float(type))
    kernel.fail(instruction.operands[1].where,
                fmt::format("this clock register is .u{} but {} takes .{} here", bytes * 8,
                            full_name(instruction), isa::type_name(type)));
  isa::Operand dst = destination(kernel, instruction, instruction.operands[0], type).operand;
  if (!dst.present) return;
  const isa::Operand wanted = dst;
  if (clock == Clock::k32High) dst = kernel.scratch(instruction, RowWidth::k64, 0);
  const bool wide = clock != Clock::k32;
  isa::Instruction out =
      simple_lane(kernel, instruction,
                  wide ? spec_of(LaneOp::kClock64, Type::kU64) : spec_of(LaneOp::kClock32, Type::kU32));
  out.dst[0] = dst;
  out.time_dependent = true;
  kernel.emit(instruction, out);
  if (clock == Clock::k32High)
    emit_simple(kernel, instruction, spec_of(LaneOp::kUnpack2x32Hi, Type::kB32), wanted, dst);
}

/// The address of a variable in a frame on the stack, in a scratch row.
isa::Operand relative_address(KernelContext& kernel, const Instruction& instruction,
                              const VariableSymbol& variable, const SymbolName& symbol, Type type,
                              bool generic) {
  const std::uint64_t offset =
      static_cast<std::uint64_t>(symbol.offset) + (generic ? isa::kLocalWindowBase : 0);
  const isa::Operand sum = local_address(kernel, instruction, variable, offset);
  if (row_width(type) == RowWidth::k64) return sum;
  const isa::Operand low = kernel.scratch(instruction, RowWidth::k32, 0);
  emit_simple(kernel, instruction, spec_of(LaneOp::kUnpack2x32Lo, Type::kB32), low, sum);
  return low;
}

/// mov and cvta of a variable: its address is a constant, unless it is on the stack.
isa::Operand address_constant(KernelContext& kernel, const Instruction& instruction, const Operand& operand,
                              const SymbolName& symbol, Type type, bool generic) {
  if (Symbol* const known = kernel.scopes.find(symbol.name)) {
    const auto* variable = std::get_if<VariableSymbol>(known);
    if (variable != nullptr && variable->base.present)
      return relative_address(kernel, instruction, *variable, symbol, type, generic);
  }
  const std::uint64_t value = symbol_address(kernel, operand, symbol, generic);
  const unsigned bytes = isa::type_bytes(type);
  if (isa::is_float(type) || (bytes != 4 && bytes != 8) || (bytes == 4 && value > 0xffff'ffffu))
    kernel.fail(operand.where,
                fmt::format("the address of '{}' does not fit in the .{} of {}", symbol.name,
                            isa::type_name(type), full_name(instruction)),
                "Addresses of .global and .const variables, and generic ones, take 64 bits.");
  return kernel.constants.row(row_width(type), value);
}

std::uint64_t window_base(StateSpace space) {
  if (space == StateSpace::kShared) return isa::kSharedWindowBase;
  return space == StateSpace::kLocal ? isa::kLocalWindowBase : 0;
}

/// d = a + base or a - base; a mere move where the space has no window.
void shift_window(KernelContext& kernel, const Instruction& instruction, const Modifiers& modifiers,
                  LaneOp op) {
  const isa::Operand dst = destination(kernel, instruction, instruction.operands[0], Type::kU64).operand;
  const isa::Operand a = source(kernel, instruction, instruction.operands[1], Type::kU64).operand;
  const std::uint64_t base = window_base(modifiers.space);
  if (base == 0)
    emit_simple(kernel, instruction, spec_of(LaneOp::kMov, Type::kB64), dst, a);
  else
    emit_simple(kernel, instruction, spec_of(op, Type::kU64), dst, a,
                kernel.constants.row(RowWidth::k64, base));
}

}  // namespace

void decode_mov(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                const Modifiers& modifiers) {
  const Operand& to = instruction.operands[0];
  const Operand& from = instruction.operands[1];
  const Type type = modifiers.type();
  if (to.second != nullptr) kernel.fail(to.second->where, "mov has one destination");
  if (std::holds_alternative<VectorOperand>(to.value)) return unpack(kernel, instruction, type);
  if (std::holds_alternative<VectorOperand>(from.value)) return pack(kernel, instruction, type);
  if (const Clock clock = clock_register(from); clock != Clock::kNone)
    return read_clock(kernel, instruction, type, clock);
  const auto* symbol = std::get_if<SymbolName>(&from.value);
  const isa::Operand dst = destination(kernel, instruction, to, type).operand;
  const isa::Operand value = symbol != nullptr && symbol->name != "WARP_SZ"
                                 ? address_constant(kernel, instruction, from, *symbol, type, symbol->generic)
                                 : source(kernel, instruction, from, type).operand;
  emit_simple(kernel, instruction, spec_of(LaneOp::kMov, type), dst, value);
}

void decode_cvta(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                 const Modifiers& modifiers) {
  const Operand& from = instruction.operands[1];
  if (const auto* symbol = std::get_if<SymbolName>(&from.value)) {
    const isa::Operand dst = destination(kernel, instruction, instruction.operands[0], Type::kU64).operand;
    const isa::Operand value = address_constant(kernel, instruction, from, *symbol, Type::kU64, true);
    return emit_simple(kernel, instruction, spec_of(LaneOp::kMov, Type::kB64), dst, value);
  }
  shift_window(kernel, instruction, modifiers, LaneOp::kAdd);
}

void decode_cvta_to(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                    const Modifiers& modifiers) {
  shift_window(kernel, instruction, modifiers, LaneOp::kSub);
}

void decode_isspacep(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                     const Modifiers& modifiers) {
  const isa::Operand dst = destination(kernel, instruction, instruction.operands[0], Type::kPred).operand;
  const isa::Operand a = source(kernel, instruction, instruction.operands[1], Type::kU64).operand;
  isa::LaneSpec below = spec_of(LaneOp::kSetp, Type::kU64);
  below.compare = isa::Compare::kLt;
  // Everything below the windows is global memory.
  if (modifiers.space == StateSpace::kGlobal)
    return emit_simple(kernel, instruction, below, dst, a,
                       kernel.constants.row(RowWidth::k64, isa::kLocalWindowBase));
  const bool shared = modifiers.space == StateSpace::kShared;
  const isa::Operand offset = kernel.scratch(instruction, RowWidth::k64, 0);
  emit_simple(kernel, instruction, spec_of(LaneOp::kSub, Type::kU64), offset, a,
              kernel.constants.row(RowWidth::k64, window_base(modifiers.space)));
  emit_simple(kernel, instruction, below, dst, offset,
              kernel.constants.row(RowWidth::k64, shared ? isa::kSharedWindowBytes : isa::kLocalWindowBytes));
}

}  // namespace heddle::ptx
