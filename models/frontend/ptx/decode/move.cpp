// mov in all its forms (registers, special registers, addresses, packing and unpacking), and the conversions
// between generic and state space addresses.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/ptx/decode/call_graph.h"
#include "frontend/ptx/decode/classes.h"
#include "frontend/ptx/decode/emit.h"
#include "frontend/ptx/decode/forms.h"
#include "frontend/ptx/decode/operands.h"
#include "frontend/ptx/decode/special.h"

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

/// dst = op(a[, b]); nothing is emitted for a discarded destination ("_").
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
  if ((bytes == 4 && count == 4) || (bytes == 2 && count == 2)) return Type::kB8;
  return Type::kNone;
}

Type checked_element_type(KernelContext& kernel, const Instruction& instruction, const Operand& vector,
                          Type whole) {
  const std::size_t count = std::get<VectorOperand>(vector.value).elements.size();
  const Type type = whole >= Type::kB8 && whole <= Type::kB128 ? element_type(whole, count) : Type::kNone;
  if (type == Type::kNone)
    kernel.fail(
        vector.where, fmt::format("{} with {} elements is not supported", full_name(instruction), count),
        "Supported: mov.b16 with two 8-bit elements, mov.b32 with two 16-bit or four 8-bit ones, mov.b64 "
        "with two 32-bit or four 16-bit ones.");
  return type;
}

isa::Operand number32(KernelContext& kernel, std::uint32_t value) {
  return kernel.constants.row(RowWidth::k32, value);
}

/// Combines zero-extended bytes, lowest first.
void pack_bytes(KernelContext& kernel, const Instruction& instruction, isa::Operand dst,
                const std::vector<isa::Operand>& parts) {
  constexpr std::uint32_t kByte = 8;
  isa::Operand so_far = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    const isa::Operand to = last ? dst : kernel.scratch(instruction, RowWidth::k32, 0);
    if (!to.present) return;
    isa::Instruction insert = simple_lane(kernel, instruction, spec_of(LaneOp::kBfi, Type::kB32));
    insert.dst[0] = to;
    insert.src = {parts[i], so_far, number32(kernel, static_cast<std::uint32_t>(i) * kByte),
                  number32(kernel, kByte)};
    kernel.emit(instruction, insert);
    so_far = to;
  }
}
void unpack_bytes(KernelContext& kernel, const Instruction& instruction,
                  const std::vector<isa::Operand>& parts, isa::Operand from) {
  constexpr std::uint32_t kByte = 8;
  // A destination may also be the source: .b8 and .b16 registers have rows of the same kind.
  const isa::Operand copy = kernel.scratch(instruction, RowWidth::k32, 0);
  emit_simple(kernel, instruction, spec_of(LaneOp::kMov, Type::kB32), copy, from);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].present) continue;
    isa::Instruction extract = simple_lane(kernel, instruction, spec_of(LaneOp::kBfe, Type::kU32));
    extract.dst[0] = parts[i];
    extract.src = {
        copy, number32(kernel, static_cast<std::uint32_t>(i) * kByte), number32(kernel, kByte), {}};
    kernel.emit(instruction, extract);
  }
}

/// mov.b64 d, {a, b}: the first element is the least significant.
void pack(KernelContext& kernel, const Instruction& instruction, Type whole) {
  const Operand& vector = instruction.operands[1];
  const Type part = checked_element_type(kernel, instruction, vector, whole);
  const isa::Operand dst = destination(kernel, instruction, instruction.operands[0], whole).operand;
  std::vector<isa::Operand> parts;
  for (const Operand& element : std::get<VectorOperand>(vector.value).elements)
    parts.push_back(source(kernel, instruction, element, part).operand);
  if (part == Type::kB8) return pack_bytes(kernel, instruction, dst, parts);
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
  const isa::Operand from = source(kernel, instruction, instruction.operands[1], whole).operand;
  if (part == Type::kB8) return unpack_bytes(kernel, instruction, parts, from);
  if (parts.size() == 2) {
    // The halves are written one after the other, which would overwrite a source that is also a destination.
    // PTX types exclude that: they differ in width.
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
  const bool global = clock >= Clock::kGlobal32;
  const bool wide = clock == Clock::k64 || clock == Clock::kGlobal64;
  const bool high = clock == Clock::k32High || clock == Clock::kGlobal32High;
  const unsigned bytes = wide ? 8 : 4;
  if (isa::type_bytes(type) != bytes || isa::is_float(type))
    kernel.fail(instruction.operands[1].where,
                fmt::format("this clock register is .u{} but {} takes .{} here", bytes * 8,
                            full_name(instruction), isa::type_name(type)));
  isa::Operand dst = destination(kernel, instruction, instruction.operands[0], type).operand;
  if (!dst.present) return;
  const isa::Operand wanted = dst;
  if (high) dst = kernel.scratch(instruction, RowWidth::k64, 0);
  isa::Instruction out = simple_lane(
      kernel, instruction,
      wide || high ? spec_of(LaneOp::kClock64, Type::kU64) : spec_of(LaneOp::kClock32, Type::kU32));
  out.dst[0] = dst;
  out.time_dependent = true;
  if (global) out.op = isa::Opcode::kTimer;
  kernel.emit(instruction, out);
  if (high) emit_simple(kernel, instruction, spec_of(LaneOp::kUnpack2x32Hi, Type::kB32), wanted, dst);
}

isa::Operand special_operand(isa::SpecialRow row) {
  isa::Operand operand;
  operand.offset = isa::special_offset(row);
  operand.space = isa::RowSpace::kSpecial;
  operand.present = true;
  return operand;
}

/// %gridid has 64 bits; a 32-bit move reads the lower half (PTX ISA 3.0).
void read_grid_id(KernelContext& kernel, const Instruction& instruction, Type type) {
  const unsigned bytes = isa::type_bytes(type);
  if ((bytes != 4 && bytes != 8) || isa::is_float(type))
    kernel.fail(instruction.operands[1].where,
                fmt::format("special register '{}' is .u64 but {} takes .{} here", kGridId,
                            full_name(instruction), isa::type_name(type)));
  const isa::Operand dst = destination(kernel, instruction, instruction.operands[0], type).operand;
  const isa::Operand low = special_operand(isa::SpecialRow::kGridIdLow);
  if (bytes == 8)
    emit_simple(kernel, instruction, spec_of(LaneOp::kPack2x32, type), dst, low,
                special_operand(isa::SpecialRow::kGridIdHigh));
  else
    emit_simple(kernel, instruction, spec_of(LaneOp::kMov, type), dst, low);
}

isa::Operand low_half(KernelContext& kernel, const Instruction& instruction, isa::Operand row64) {
  const isa::Operand low = kernel.scratch(instruction, RowWidth::k32, 0);
  emit_simple(kernel, instruction, spec_of(LaneOp::kUnpack2x32Lo, Type::kB32), low, row64);
  return low;
}

/// The address of a variable in a frame on the stack, computed into a scratch row.
isa::Operand relative_address(KernelContext& kernel, const Instruction& instruction, const Operand& operand,
                              const VariableSymbol& variable, const SymbolName& symbol, Type type,
                              bool generic) {
  const std::uint64_t offset =
      static_cast<std::uint64_t>(symbol.offset) + (generic ? isa::kLocalWindowBase : 0);
  isa::Operand sum = local_address(kernel, instruction, variable, offset);
  sum = add_subscripts(kernel, instruction, operand, symbol.subscripts, sum);
  return row_width(type) == RowWidth::k64 ? sum : low_half(kernel, instruction, sum);
}

/// mov and cvta of a variable: its address is a constant, unless it is on the stack.
isa::Operand address_constant(KernelContext& kernel, const Instruction& instruction, const Operand& operand,
                              const SymbolName& symbol, Type type, bool generic) {
  if (Symbol* const known = kernel.scopes.find(symbol.name)) {
    const auto* variable = std::get_if<VariableSymbol>(known);
    if (variable != nullptr && variable->base.present)
      return relative_address(kernel, instruction, operand, *variable, symbol, type, generic);
  }
  const std::uint64_t value = symbol_address(kernel, operand, symbol, generic);
  const unsigned bytes = isa::type_bytes(type);
  if (isa::is_float(type) || (bytes != 4 && bytes != 8) || (bytes == 4 && value > 0xffff'ffffu))
    kernel.fail(operand.where,
                fmt::format("the address of '{}' does not fit in the .{} of {}", symbol.name,
                            isa::type_name(type), full_name(instruction)),
                "Addresses of .global and .const variables, and generic ones, take 64 bits.");
  if (symbol.subscripts.empty()) return kernel.constants.row(row_width(type), value);
  const isa::Operand sum = add_subscripts(kernel, instruction, operand, symbol.subscripts,
                                          kernel.constants.row(RowWidth::k64, value));
  return bytes == 8 ? sum : low_half(kernel, instruction, sum);
}

std::uint64_t window_base(StateSpace space) {
  if (space == StateSpace::kShared) return isa::kSharedWindowBase;
  return space == StateSpace::kLocal ? isa::kLocalWindowBase : 0;
}

/// d = a + base or a - base; a plain move for spaces without a window.
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

/// A scratch predicate: whether a lies in a .const variable of the module. These are allocated one by one
/// among the global variables. The instruction's own destination may be its guard and is therefore written
/// last.
isa::Operand in_constants(KernelContext& kernel, const Instruction& instruction, isa::Operand a) {
  isa::LaneSpec below = spec_of(LaneOp::kSetp, Type::kU64);
  below.compare = isa::Compare::kLt;
  const isa::Operand found = kernel.scratch(instruction, RowWidth::kPredicate, 1);
  emit_simple(kernel, instruction, spec_of(LaneOp::kMov, Type::kPred), found,
              kernel.constants.row(RowWidth::kPredicate, 0));
  const isa::Operand offset = kernel.scratch(instruction, RowWidth::k64, 0);
  const isa::Operand within = kernel.scratch(instruction, RowWidth::kPredicate, 0);
  for (const VariableDecl& declared : kernel.module.ast.variables) {
    if (declared.space != StateSpace::kConst || declared.external) continue;
    const VariableSymbol& variable = kernel.module.globals.at(declared.name);
    emit_simple(kernel, instruction, spec_of(LaneOp::kSub, Type::kU64), offset, a,
                kernel.constants.row(RowWidth::k64, variable.address));
    emit_simple(kernel, instruction, below, within, offset,
                kernel.constants.row(RowWidth::k64, variable.bytes));
    emit_simple(kernel, instruction, spec_of(LaneOp::kOr, Type::kPred), found, found, within);
  }
  return found;
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
  if (const auto* reg = std::get_if<RegisterName>(&from.value);
      reg != nullptr && reg->name == kGridId && kernel.scopes.find(reg->name) == nullptr)
    return read_grid_id(kernel, instruction, type);
  const auto* symbol = std::get_if<SymbolName>(&from.value);
  const isa::Operand dst = destination(kernel, instruction, to, type).operand;
  const isa::Operand value = symbol != nullptr && symbol->name != "WARP_SZ"
                                 ? address_constant(kernel, instruction, from, *symbol, type, symbol->generic)
                                 : source(kernel, instruction, from, type).operand;
  emit_simple(kernel, instruction, spec_of(LaneOp::kMov, type), dst, value);
}

void decode_mov_vector(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                       const Modifiers& modifiers) {
  const Type type = modifiers.type();
  const auto to = elements(kernel, instruction, instruction.operands[0], modifiers.vector);
  const auto from = elements(kernel, instruction, instruction.operands[1], modifiers.vector);
  std::vector<isa::Operand> rows;
  std::vector<isa::Operand> values;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i]->second != nullptr) kernel.fail(to[i]->second->where, "mov has one destination per element");
    rows.push_back(destination(kernel, instruction, *to[i], type).operand);
    values.push_back(source(kernel, instruction, *from[i], type).operand);
  }
  // {V.x, V.y} = {V.y, V.x}: all elements are read before any is written.
  const auto is_written_before = [&](std::size_t i) {
    return std::any_of(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(i),
                       [&](const isa::Operand& row) {
                         return row.present && values[i].space == isa::RowSpace::kRegister &&
                                row.width == values[i].width && row.reg == values[i].reg;
                       });
  };
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (!is_written_before(i)) continue;
    const isa::Operand copy = kernel.scratch(instruction, values[i].width, static_cast<unsigned>(i));
    emit_simple(kernel, instruction, spec_of(LaneOp::kMov, type), copy, values[i]);
    values[i] = copy;
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    emit_simple(kernel, instruction, spec_of(LaneOp::kMov, type), rows[i], values[i]);
}

/// A 128-bit register is two of 64 bits.
void decode_mov_128(KernelContext& kernel, const Instruction& instruction, const CompiledForm& form,
                    const Modifiers& modifiers) {
  Modifiers pair = modifiers;
  pair.types[0] = Type::kB64;
  pair.vector = 2;
  decode_mov_vector(kernel, instruction, form, pair);
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

namespace {

/// The launch decides where parameters are: their generic address is only known at run time.
isa::Operand param_base(KernelContext& kernel, const Instruction& instruction) {
  const isa::Operand base = kernel.scratch(instruction, RowWidth::k64, 0);
  emit_simple(kernel, instruction, spec_of(LaneOp::kPack2x32, Type::kB64), base,
              special_operand(isa::SpecialRow::kParamBaseLow),
              special_operand(isa::SpecialRow::kParamBaseHigh));
  return base;
}

}  // namespace

void decode_cvta_param(KernelContext& kernel, const Instruction& instruction, const CompiledForm& form,
                       const Modifiers&) {
  const Operand& from = instruction.operands[1];
  const auto* symbol = std::get_if<SymbolName>(&from.value);
  const isa::Operand dst = destination(kernel, instruction, instruction.operands[0], Type::kU64).operand;
  const isa::Operand a = symbol != nullptr
                             ? address_constant(kernel, instruction, from, *symbol, Type::kU64, false)
                             : source(kernel, instruction, from, Type::kU64).operand;
  emit_simple(kernel, instruction, spec_of(form.form.lane, Type::kU64), dst, a,
              param_base(kernel, instruction));
}

void decode_isspacep(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                     const Modifiers& modifiers) {
  const isa::Operand dst = destination(kernel, instruction, instruction.operands[0], Type::kPred).operand;
  const isa::Operand a = source(kernel, instruction, instruction.operands[1], Type::kU64).operand;
  isa::LaneSpec below = spec_of(LaneOp::kSetp, Type::kU64);
  below.compare = isa::Compare::kLt;
  if (modifiers.space == StateSpace::kConst)
    return emit_simple(kernel, instruction, spec_of(LaneOp::kMov, Type::kPred), dst,
                       in_constants(kernel, instruction, a));
  // Everything below the windows is global memory, except the module's constants. A kernel's parameters are
  // part of it too (PTX: the window of .param is contained in that of .global).
  if (modifiers.space == StateSpace::kGlobal) {
    const isa::Operand no_window = kernel.scratch(instruction, RowWidth::kPredicate, 2);
    emit_simple(kernel, instruction, below, no_window, a,
                kernel.constants.row(RowWidth::k64, isa::kLocalWindowBase));
    isa::Operand constant = in_constants(kernel, instruction, a);
    constant.negated = true;
    return emit_simple(kernel, instruction, spec_of(LaneOp::kAnd, Type::kPred), dst, no_window, constant);
  }
  if (modifiers.space == StateSpace::kParam) {
    const isa::Operand base = param_base(kernel, instruction);
    emit_simple(kernel, instruction, spec_of(LaneOp::kSub, Type::kU64), base, a, base);
    return emit_simple(kernel, instruction, below, dst, base,
                       kernel.constants.row(RowWidth::k64, kernel.kernel.param_bytes));
  }
  const bool shared = modifiers.space == StateSpace::kShared;
  const isa::Operand offset = kernel.scratch(instruction, RowWidth::k64, 0);
  emit_simple(kernel, instruction, spec_of(LaneOp::kSub, Type::kU64), offset, a,
              kernel.constants.row(RowWidth::k64, window_base(modifiers.space)));
  emit_simple(kernel, instruction, below, dst, offset,
              kernel.constants.row(RowWidth::k64, shared ? isa::kSharedWindowBytes : isa::kLocalWindowBytes));
}

}  // namespace heddle::ptx
