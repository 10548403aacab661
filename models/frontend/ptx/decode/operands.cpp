#include "frontend/ptx/decode/operands.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "frontend/ptx/decode/classes.h"
#include "frontend/ptx/decode/emit.h"
#include "frontend/ptx/decode/special.h"
#include "frontend/ptx/diagnostic.h"

namespace heddle::ptx {
namespace {

bool is_untyped(Type t) { return t >= Type::kB8 && t <= Type::kB128; }
bool is_integer(Type t) { return t >= Type::kU8 && t <= Type::kS64; }

/// PTX "Operand Type Checking": sizes must agree; .b matches every type, signed matches unsigned, and
/// floating point only itself.
bool fits(Type reg, Type use, Width width) {
  if ((reg == Type::kPred) != (use == Type::kPred)) return false;
  if (reg == Type::kPred) return true;
  const unsigned have = isa::type_bytes(reg);
  const unsigned want = isa::type_bytes(use);
  if (width == Width::kExact ? have != want : have < want) return false;
  if (is_untyped(reg) || is_untyped(use)) return true;
  return (is_integer(reg) && is_integer(use)) || reg == use;
}

std::string kind_of(const Operand& operand) {
  struct Name {
    std::string operator()(const RegisterName& r) const {
      return fmt::format("register '{}'", printable(r.name));
    }
    std::string operator()(const IntegerLiteral&) const { return "an integer"; }
    std::string operator()(const FloatLiteral&) const { return "a floating-point number"; }
    std::string operator()(const SymbolName& s) const { return fmt::format("'{}'", printable(s.name)); }
    std::string operator()(const AddressOperand&) const { return "an address"; }
    std::string operator()(const VectorOperand& v) const {
      return v.as_list ? "a parameter list" : "a vector";
    }
    std::string operator()(const SinkOperand&) const { return "'_'"; }
  };
  return std::visit(Name{}, operand.value);
}

[[noreturn]] void undeclared_register(KernelContext& kernel, const Operand& operand,
                                      const std::string& name) {
  if (is_unsupported_special(name))
    kernel.fail(operand.where, fmt::format("special register '{}' is not supported", name));
  Suggestion suggestion(name);
  for (const std::string& known : kernel.scopes.names()) suggestion.offer(known);
  kernel.fail(operand.where, fmt::format("register '{}' is not declared", printable(name)),
              suggestion.text());
}

/// The register of that name, which must be declared.
RegisterSymbol& register_symbol(KernelContext& kernel, const Operand& operand, const std::string& name) {
  Symbol* symbol = kernel.scopes.find(name);
  if (symbol == nullptr) undeclared_register(kernel, operand, name);
  auto* found = std::get_if<RegisterSymbol>(symbol);
  if (std::holds_alternative<VectorSymbol>(*symbol))
    kernel.fail(operand.where, fmt::format("'{}' is a whole vector register", printable(name)),
                "Name one of its elements here: .x, .y, .z or .w.");
  if (found == nullptr) kernel.fail(operand.where, fmt::format("'{}' is not a register", printable(name)));
  if (!found->row.present) {
    const auto row = kernel.registers.allocate(row_width(found->type), name);
    if (!row) kernel.fail(operand.where, "the kernel uses more than 65534 registers");
    found->row = *row;
  }
  return *found;
}

Row register_row(KernelContext& kernel, const Instruction& instruction, const Operand& operand,
                 const std::string& name, Type type, Width width) {
  const RegisterSymbol& symbol = register_symbol(kernel, operand, name);
  if (!fits(symbol.type, type, width))
    kernel.fail(operand.where,
                fmt::format("register '{}' is .{} but {} takes .{} here", name, isa::type_name(symbol.type),
                            full_name(instruction), isa::type_name(type)));
  Row row{symbol.row, isa::type_bytes(symbol.type) * 8};
  row.operand.negated = operand.negated;
  return row;
}

Row special_source(KernelContext& kernel, const Instruction& instruction, const Operand& operand,
                   const std::string& name, isa::SpecialRow special, Type type) {
  // Special registers are 32 bits wide; PTX allows a 16-bit move to read their low half.
  const unsigned bytes = isa::type_bytes(type);
  if ((bytes != 4 && bytes != 2) || isa::is_float(type))
    kernel.fail(operand.where, fmt::format("special register '{}' is .u32 but {} takes .{} here", name,
                                           full_name(instruction), isa::type_name(type)));
  Row row;
  row.operand.offset = isa::special_offset(special);
  row.operand.space = isa::RowSpace::kSpecial;
  row.operand.width = isa::RowWidth::k32;
  row.operand.present = true;
  row.bits = 32;
  return row;
}

Row special_constant_row(KernelContext& kernel, const Instruction& instruction, const Operand& operand,
                         const SpecialConstant& special, Type type) {
  if (isa::type_bytes(type) != special.bytes || isa::is_float(type))
    kernel.fail(operand.where, fmt::format("this special register is .b{} but {} takes .{} here",
                                           special.bytes * 8, full_name(instruction), isa::type_name(type)));
  return {kernel.constants.row(row_width(type), special.value), special.bytes * 8};
}

/// The bits of an integer literal as `type`; they must fit as a signed or an unsigned value.
std::uint64_t integer_bits(KernelContext& kernel, const Instruction& instruction, const Operand& operand,
                           const IntegerLiteral& literal, Type type) {
  if (isa::is_float(type))
    kernel.fail(
        operand.where,
        fmt::format("{} takes a floating-point number here, not an integer", full_name(instruction)),
        "Write it with a decimal point, or as 0f (32 bits) or 0d (64 bits) and its hexadecimal digits.");
  if (type == Type::kPred) return literal.bits;
  const unsigned bits = isa::type_bytes(type) * 8;
  if (bits >= 64) return literal.bits;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  const auto value = static_cast<std::int64_t>(literal.bits);
  const bool fits_in = literal.negative ? value >= -(std::int64_t{1} << (bits - 1)) : literal.bits <= mask;
  if (!fits_in)
    kernel.fail(operand.where, fmt::format("the number does not fit in {} bits, which {} takes here", bits,
                                           full_name(instruction)));
  return literal.bits & mask;
}

std::uint64_t float_bits(KernelContext& kernel, const Instruction& instruction, const Operand& operand,
                         const FloatLiteral& literal, Type type) {
  // Decimal literals are double precision and are rounded to the instruction's type.
  if (type == Type::kF32)
    return literal.width == 32 ? literal.bits
                               : std::bit_cast<std::uint32_t>(static_cast<float>(literal.value));
  if (type == Type::kF64) return std::bit_cast<std::uint64_t>(literal.value);
  if (is_untyped(type) && isa::type_bytes(type) * 8 == literal.width) return literal.bits;
  kernel.fail(operand.where, fmt::format("{} takes .{} here, not a floating-point number",
                                         full_name(instruction), isa::type_name(type)));
}

const VariableSymbol& variable(KernelContext& kernel, const Operand& operand, const std::string& name) {
  if (Symbol* symbol = kernel.scopes.find(name)) {
    if (const auto* found = std::get_if<VariableSymbol>(symbol)) return *found;
    kernel.fail(operand.where, fmt::format("'{}' is not a variable", printable(name)));
  }
  const auto found = kernel.module.globals.find(name);
  if (found == kernel.module.globals.end()) {
    for (const Function& function : kernel.module.ast.functions)
      if (function.is_entry && function.name == name)
        kernel.fail(operand.where, fmt::format("the address of kernel '{}' is not supported", name));
    if (const auto known = kernel.module.unsupported.find(name); known != kernel.module.unsupported.end()) {
      const VariableDecl& declared = *known->second;
      if (declared.opaque.empty())
        kernel.fail(operand.where, fmt::format("variable '{}' of type .{} is not supported", name,
                                               isa::type_name(declared.type)));
      kernel.fail(operand.where,
                  fmt::format("variable '{}' of type '.{}' is not supported", name, declared.opaque),
                  kNoTextures);
    }
    kernel.fail(operand.where, fmt::format("'{}' is not declared", printable(name)));
  }
  if (!found->second.defined)
    kernel.fail(operand.where, fmt::format("external variable '{}' is not defined in this module", name),
                "Link the modules first (nvcc without -rdc), or define it here.");
  return found->second;
}

/// Records which variable the instruction uses.
void note_variable(KernelContext& kernel, const std::string& name, const VariableSymbol& symbol) {
  if (symbol.space == StateSpace::kParam || symbol.call_param || symbol.base.present) return;
  kernel.variables.push_back({kernel.place, name, symbol.space, symbol.address});
}

std::uint64_t window(StateSpace space) {
  if (space == StateSpace::kShared) return isa::kSharedWindowBase;
  return space == StateSpace::kLocal ? isa::kLocalWindowBase : 0;
}

}  // namespace

Row source(KernelContext& kernel, const Instruction& instruction, const Operand& operand, Type type,
           Width width) {
  if (operand.negated && type != Type::kPred) kernel.fail(operand.where, "'!' is for predicates");
  if (operand.second != nullptr) kernel.fail(operand.second->where, "only a destination can be a pair a|b");
  if (const auto* reg = std::get_if<RegisterName>(&operand.value)) {
    if (kernel.scopes.find(reg->name) == nullptr) {
      if (const auto special = special_row(reg->name))
        return special_source(kernel, instruction, operand, reg->name, *special, type);
      if (const auto constant = special_constant(reg->name))
        return special_constant_row(kernel, instruction, operand, *constant, type);
      if (clock_register(operand) != Clock::kNone || reg->name == kGridId)
        kernel.fail(operand.where, fmt::format("'{}' can only be read with mov", reg->name));
    }
    return register_row(kernel, instruction, operand, reg->name, type, width);
  }
  const isa::RowWidth rows = row_width(type);
  const unsigned bits = isa::type_bytes(type) * 8;
  if (const auto* literal = std::get_if<IntegerLiteral>(&operand.value))
    return {kernel.constants.row(rows, integer_bits(kernel, instruction, operand, *literal, type)), bits};
  if (const auto* literal = std::get_if<FloatLiteral>(&operand.value))
    return {kernel.constants.row(rows, float_bits(kernel, instruction, operand, *literal, type)), bits};
  if (const auto* symbol = std::get_if<SymbolName>(&operand.value)) {
    if (symbol->name == "WARP_SZ" && !isa::is_float(type) && type != Type::kPred)
      return {kernel.constants.row(rows, base::kLanes), bits};
    if (kernel.scopes.find(symbol->name) == nullptr && !kernel.module.globals.contains(symbol->name))
      kernel.fail(operand.where, fmt::format("'{}' is not declared", printable(symbol->name)));
    kernel.fail(
        operand.where,
        fmt::format("{} cannot take '{}' as an operand", full_name(instruction), printable(symbol->name)),
        "Move its address to a register with mov first.");
  }
  kernel.fail(operand.where, fmt::format("{} takes a register or a number here, not {}",
                                         full_name(instruction), kind_of(operand)));
}

Row destination(KernelContext& kernel, const Instruction& instruction, const Operand& operand, Type type,
                Width width) {
  if (operand.negated || operand.minus) kernel.fail(operand.where, "a destination cannot be negated");
  if (std::holds_alternative<SinkOperand>(operand.value)) return {};
  const auto* reg = std::get_if<RegisterName>(&operand.value);
  if (reg == nullptr)
    kernel.fail(operand.where, fmt::format("the destination of {} must be a register, not {}",
                                           full_name(instruction), kind_of(operand)));
  if (kernel.scopes.find(reg->name) == nullptr &&
      (special_row(reg->name) || special_constant(reg->name) || reg->name == kGridId ||
       clock_register(operand) != Clock::kNone))
    kernel.fail(operand.where, fmt::format("special register '{}' cannot be written", reg->name));
  return register_row(kernel, instruction, operand, reg->name, type, width);
}

std::vector<const Operand*> elements(KernelContext& kernel, const Instruction& instruction,
                                     const Operand& operand, unsigned count) {
  const auto* vector = std::get_if<VectorOperand>(&operand.value);
  const std::size_t present = vector == nullptr ? 1 : vector->elements.size();
  if (count == 1 && vector == nullptr) return {&operand};
  if (vector == nullptr || vector->as_list || present != count)
    kernel.fail(operand.where,
                count == 1
                    ? fmt::format("{} takes a single register here", full_name(instruction))
                    : fmt::format("{} takes a vector of {} elements here", full_name(instruction), count));
  std::vector<const Operand*> list;
  for (const Operand& element : vector->elements) list.push_back(&element);
  return list;
}

std::uint64_t symbol_address(KernelContext& kernel, const Operand& operand, const SymbolName& symbol,
                             bool generic) {
  if (kernel.scopes.find(symbol.name) == nullptr && !kernel.module.globals.contains(symbol.name))
    if (const FunctionSymbol* const function = kernel.module.find_function(symbol.name))
      return function->address + static_cast<std::uint64_t>(symbol.offset);
  const VariableSymbol& found = variable(kernel, operand, symbol.name);
  if (generic && found.space == StateSpace::kParam)
    kernel.fail(operand.where, fmt::format("parameter '{}' has no generic address", symbol.name),
                "Read it with ld.param.");
  note_variable(kernel, symbol.name, found);
  return found.address + static_cast<std::uint64_t>(symbol.offset) + (generic ? window(found.space) : 0);
}

isa::Operand add_subscripts(KernelContext& kernel, const Instruction& instruction, const Operand& operand,
                            const std::vector<RegisterSubscript>& subscripts, isa::Operand base) {
  constexpr unsigned kSum = 5;  // scratch rows not used by anything else in an instruction with an address
  constexpr unsigned kProduct = 6;
  constexpr std::uint64_t kNarrowStrides = std::uint64_t{1} << 31;
  for (const RegisterSubscript& subscript : subscripts) {
    const RegisterSymbol& index = register_symbol(kernel, operand, subscript.name);
    const unsigned bytes = isa::type_bytes(index.type);
    if ((bytes != 4 && bytes != 8) || isa::is_float(index.type))
      kernel.fail(operand.where, fmt::format("register '{}' is .{}; a subscript takes 32 or 64 bits",
                                             printable(subscript.name), isa::type_name(index.type)));
    const isa::Operand sum = kernel.scratch(instruction, isa::RowWidth::k64, kSum);
    const isa::Operand product =
        base.present ? kernel.scratch(instruction, isa::RowWidth::k64, kProduct) : sum;
    const Type wide = isa::is_signed(index.type) ? Type::kS64 : Type::kU64;
    isa::Operand factor = index.row;
    // mul.wide takes two 32-bit factors; rows of an array can be larger.
    const bool narrow = bytes == 4 && subscript.stride < kNarrowStrides;
    if (bytes == 4 && !narrow) {
      isa::LaneSpec extend;
      extend.op = isa::LaneOp::kCvt;
      extend.type = wide;
      extend.src_type = wide == Type::kS64 ? Type::kS32 : Type::kU32;
      isa::Instruction out = simple_lane(kernel, instruction, extend);
      out.dst[0] = product;
      out.src[0] = factor;
      kernel.emit(instruction, out);
      factor = product;
    }
    emit_lane(kernel, instruction, narrow ? isa::LaneOp::kMulWide : isa::LaneOp::kMul, wide, product, factor,
              kernel.constants.row(narrow ? isa::RowWidth::k32 : isa::RowWidth::k64, subscript.stride));
    if (base.present) emit_lane(kernel, instruction, isa::LaneOp::kAdd, Type::kU64, sum, base, product);
    base = sum;
  }
  return base;
}

isa::MemoryOperand address(KernelContext& kernel, const Instruction& instruction, const Operand& operand,
                           StateSpace space, unsigned bytes) {
  const auto* at = std::get_if<AddressOperand>(&operand.value);
  if (at == nullptr)
    kernel.fail(operand.where, fmt::format("{} takes an address in brackets here, not {}",
                                           full_name(instruction), kind_of(operand)));
  if (!at->coordinates.empty())
    kernel.fail(operand.where, fmt::format("{} takes no coordinates in its address", full_name(instruction)));
  isa::MemoryOperand memory;
  memory.displacement = at->offset;
  if (at->base.empty()) return memory;
  if (at->base_is_register) {
    const RegisterSymbol& symbol = register_symbol(kernel, operand, at->base);
    const unsigned size = isa::type_bytes(symbol.type);
    if ((size != 4 && size != 8) || isa::is_float(symbol.type))
      kernel.fail(operand.where, fmt::format("register '{}' is .{} and cannot hold an address", at->base,
                                             isa::type_name(symbol.type)));
    memory.base = symbol.row;
    return memory;
  }
  const VariableSymbol& found = variable(kernel, operand, at->base);
  if (space != StateSpace::kGeneric && found.space != space)
    kernel.fail(operand.where,
                fmt::format("'{}' is in .{}, but {} accesses .{}", printable(at->base),
                            isa::space_name(found.space), full_name(instruction), isa::space_name(space)));
  if (space == StateSpace::kGeneric && found.space == StateSpace::kParam)
    kernel.fail(operand.where, fmt::format("parameter '{}' has no generic address", at->base),
                "Read it with ld.param.");
  // Constant addresses of parameters are checked here, because accesses to the parameter block cannot fault.
  const bool constant = at->subscripts.empty();
  if (constant && found.space == StateSpace::kParam &&
      (at->offset < 0 || static_cast<std::uint64_t>(at->offset) + bytes > found.bytes))
    kernel.fail(operand.where, fmt::format("{} bytes at offset {} lie outside parameter '{}' of {} bytes",
                                           bytes, at->offset, at->base, found.bytes));
  if (constant && found.call_param &&
      (at->offset < 0 || static_cast<std::uint64_t>(at->offset) + bytes > found.bytes))
    kernel.fail(operand.where, fmt::format("{} bytes at offset {} lie outside parameter '{}' of {} bytes",
                                           bytes, at->offset, at->base, found.bytes));
  note_variable(kernel, at->base, found);
  memory.base = add_subscripts(kernel, instruction, operand, at->subscripts, found.base);
  memory.displacement = static_cast<std::int64_t>(found.address + static_cast<std::uint64_t>(at->offset) +
                                                  (space == StateSpace::kGeneric ? window(found.space) : 0));
  return memory;
}

isa::Operand address_in_row(KernelContext& kernel, const Instruction& instruction, const Operand& operand,
                            StateSpace space, unsigned bytes, unsigned scratch) {
  const isa::MemoryOperand at = address(kernel, instruction, operand, space, bytes);
  const isa::Operand row = kernel.scratch(instruction, isa::RowWidth::k64, scratch);
  const isa::Operand offset = constant64(kernel, static_cast<std::uint64_t>(at.displacement));
  if (!at.base.present) {
    emit_move(kernel, instruction, row, offset);
  } else if (at.base.width == isa::RowWidth::k64) {
    emit_lane(kernel, instruction, isa::LaneOp::kAdd, Type::kU64, row, at.base, offset);
  } else {
    emit_lane(kernel, instruction, isa::LaneOp::kPack2x32, Type::kB64, row, at.base,
              kernel.constants.row(isa::RowWidth::k32, 0));
    emit_lane(kernel, instruction, isa::LaneOp::kAdd, Type::kU64, row, row, offset);
  }
  return row;
}

void check_operand_count(const KernelContext& kernel, const Instruction& instruction, std::size_t least,
                         std::size_t most) {
  const std::size_t present = instruction.operands.size();
  if (present >= least && present <= most) return;
  const SourceLoc where = present > most ? instruction.operands[most].where : instruction.where;
  const std::string count = least == most ? std::to_string(least) : fmt::format("{} to {}", least, most);
  kernel.fail(where, fmt::format("{} takes {} operand{}, not {}", full_name(instruction), count,
                                 least == 1 && most == 1 ? "" : "s", present));
}

Clock clock_register(const Operand& operand) {
  const auto* reg = std::get_if<RegisterName>(&operand.value);
  if (reg == nullptr) return Clock::kNone;
  constexpr std::pair<std::string_view, Clock> kClocks[] = {{"%clock", Clock::k32},
                                                            {"%clock_hi", Clock::k32High},
                                                            {"%clock64", Clock::k64},
                                                            {"%globaltimer_lo", Clock::kGlobal32},
                                                            {"%globaltimer_hi", Clock::kGlobal32High},
                                                            {"%globaltimer", Clock::kGlobal64}};
  for (const auto& [name, clock] : kClocks)
    if (reg->name == name) return clock;
  return Clock::kNone;
}

}  // namespace heddle::ptx
