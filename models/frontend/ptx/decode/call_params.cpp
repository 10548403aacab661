#include "frontend/ptx/decode/call_params.h"

#include "frontend/ptx/decode/classes.h"
#include "frontend/ptx/decode/emit.h"
#include "frontend/ptx/decode/forms.h"
#include "frontend/ptx/decode/operands.h"

namespace heddle::ptx {
namespace {

using isa::LaneOp;
using isa::RowWidth;

std::uint64_t frame_offset(const KernelContext& kernel, const void* declared) {
  return kernel.plan.storage.offsets.at(declared);
}

}  // namespace

VariableSymbol row_param(isa::Operand row, Type type, std::uint64_t bytes) {
  VariableSymbol symbol;
  symbol.space = StateSpace::kParam;
  symbol.value = row;
  symbol.type = type;
  symbol.bytes = bytes;
  symbol.call_param = true;
  return symbol;
}

bool in_memory(const KernelContext& kernel, const void* declared) {
  return kernel.plan.storage.offsets.contains(declared);
}

VariableSymbol frame_param(const KernelContext& kernel, const void* declared, std::uint64_t bytes,
                           Type type) {
  VariableSymbol symbol = in_frame(kernel, frame_offset(kernel, declared), bytes);
  symbol.call_param = true;
  symbol.type = type;
  return symbol;
}

VariableSymbol call_variable(KernelContext& kernel, const VariableDecl& variable) {
  const std::uint64_t bytes = variable_bytes(variable);
  if (in_memory(kernel, &variable)) return frame_param(kernel, &variable, bytes, variable.type);
  const auto row = kernel.registers.allocate(row_width(variable.type), variable.name);
  if (!row) kernel.fail(variable.where, "the kernel uses more than 65534 registers");
  return row_param(*row, variable.type, bytes);
}

const VariableSymbol* call_param(KernelContext& kernel, const Operand& address) {
  const auto* at = std::get_if<AddressOperand>(&address.value);
  if (at == nullptr || at->base_is_register || at->base.empty()) return nullptr;
  Symbol* const symbol = kernel.scopes.find(at->base);
  const auto* variable = symbol == nullptr ? nullptr : std::get_if<VariableSymbol>(symbol);
  return variable != nullptr && variable->call_param ? variable : nullptr;
}

void load_param_row(KernelContext& kernel, const Instruction& instruction, const Modifiers& modifiers,
                    const VariableSymbol& from) {
  const Type type = modifiers.type();
  const Row to = destination(kernel, instruction, instruction.operands[0], type, Width::kRelaxed);
  if (!to.operand.present) return;
  const unsigned bytes = isa::type_bytes(type);
  if (bytes >= 4 && to.bits == bytes * 8) {
    emit_move(kernel, instruction, to.operand, from.value);
    return;
  }
  if (!isa::is_signed(type) && bytes < 4 && to.operand.width == RowWidth::k32) {
    emit_lane(kernel, instruction, LaneOp::kAnd, Type::kB32, to.operand, from.value,
              kernel.constants.row(RowWidth::k32, (std::uint64_t{1} << bytes * 8) - 1));
    return;
  }
  // The register is wider than the value, which is extended as by ld.
  const auto integer = [&](unsigned size) {
    const bool is_signed = isa::is_signed(type);
    switch (size) {
      case 1:
        return is_signed ? Type::kS8 : Type::kU8;
      case 2:
        return is_signed ? Type::kS16 : Type::kU16;
      case 4:
        return is_signed ? Type::kS32 : Type::kU32;
      default:
        return is_signed ? Type::kS64 : Type::kU64;
    }
  };
  isa::LaneSpec spec;
  spec.op = LaneOp::kCvt;
  spec.type = integer(to.bits / 8);
  spec.src_type = integer(bytes);
  isa::Instruction out = simple_lane(kernel, instruction, spec);
  out.dst[0] = to.operand;
  out.src[0] = from.value;
  kernel.emit(instruction, out);
}

void store_param_row(KernelContext& kernel, const Instruction& instruction, const Modifiers& modifiers,
                     const VariableSymbol& to) {
  const Type type = modifiers.type();
  const unsigned bytes = isa::type_bytes(type);
  const Row from = source(kernel, instruction, instruction.operands[1], type, Width::kRelaxed);
  isa::Operand value = from.operand;
  if (bytes < 8 && value.width == RowWidth::k64) {
    value = kernel.scratch(instruction, RowWidth::k32, 0);
    emit_lane(kernel, instruction, LaneOp::kUnpack2x32Lo, Type::kB32, value, from.operand);
  }
  if (bytes >= 4) {
    emit_move(kernel, instruction, to.value, value);
    return;
  }
  emit_lane(kernel, instruction, LaneOp::kAnd, Type::kB32, to.value, value,
            kernel.constants.row(RowWidth::k32, (std::uint64_t{1} << bytes * 8) - 1));
}

void decode_store_param(KernelContext& kernel, const Instruction& instruction, const CompiledForm& form,
                        const Modifiers& modifiers) {
  const VariableSymbol* const to = call_param(kernel, instruction.operands[0]);
  if (to == nullptr)
    kernel.fail(instruction.operands[0].where,
                "st.param writes to no parameter of a call or result of a function",
                "The parameters of a kernel cannot be written.");
  if (to->value.present) return store_param_row(kernel, instruction, modifiers, *to);
  Modifiers local = modifiers;
  local.space = StateSpace::kLocal;
  decode_store(kernel, instruction, form, local);
}

}  // namespace heddle::ptx
