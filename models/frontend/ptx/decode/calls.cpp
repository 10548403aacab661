#include "frontend/ptx/decode/calls.h"

#include <fmt/format.h>

#include "frontend/ptx/decode/call_params.h"
#include "frontend/ptx/decode/emit.h"
#include "frontend/ptx/decode/forms.h"
#include "frontend/ptx/diagnostic.h"

namespace heddle::ptx {
namespace {

using isa::LaneOp;
using isa::Opcode;
using isa::RowWidth;

void declare_passed(KernelContext& kernel, const PassedValue& passed) {
  const ParamDecl& param = *passed.declared;
  Symbol symbol;
  if (param.is_register) {
    symbol = RegisterSymbol{param.type, passed.row};
  } else if (passed.by_address) {
    VariableSymbol memory;
    memory.space = StateSpace::kLocal;
    memory.bytes = param_bytes(param);
    memory.base = passed.row;
    memory.call_param = true;
    symbol = memory;
  } else if (in_memory(kernel, &param)) {
    symbol = frame_param(kernel, &param, param_bytes(param), param.type);
  } else {
    symbol = row_param(passed.row, param.type, param_bytes(param));
  }
  if (!kernel.scopes.declare(param.name, symbol))
    kernel.fail(param.where, fmt::format("'{}' is declared twice in this scope", printable(param.name)));
}

Instruction at_place(SourceLoc where) {
  Instruction place;
  place.where = where;
  return place;
}

}  // namespace

std::uint32_t enter_function(KernelContext& kernel) {
  FunctionPlan& plan = kernel.plan;
  const Instruction place = at_place(plan.function->where);
  for (const PassedValue& param : plan.params) declare_passed(kernel, param);
  for (const PassedValue& result : plan.returns) declare_passed(kernel, result);
  if (plan.called_indirectly) {
    for (std::size_t i = 0; i < plan.params.size(); ++i)
      emit_move(kernel, place, plan.params[i].row,
                kernel.kernel.argument(kernel.registers, i, plan.params[i].row.width));
    for (std::size_t i = 0; i < plan.returns.size(); ++i)
      if (plan.returns[i].by_address)
        emit_move(kernel, place, plan.returns[i].row,
                  kernel.kernel.result(kernel.registers, i, RowWidth::k64));
    emit_move(kernel, place, plan.return_pc, kernel.kernel.return_pc(kernel.registers));
  }
  const auto entry = static_cast<std::uint32_t>(kernel.code.size());
  if (plan.has_frame_row()) emit_move(kernel, place, plan.frame, kernel.kernel.stack_pointer);
  if (plan.on_stack()) {
    kernel.frame_sizes.push_back(static_cast<std::uint32_t>(kernel.code.size()));
    emit_lane(kernel, place, LaneOp::kAdd, Type::kU64, kernel.kernel.stack_pointer, plan.frame,
              constant64(kernel, 0));
  }
  for (const PassedValue& param : plan.params)
    if (!param.by_address && in_memory(kernel, param.declared))
      emit_local(kernel, place, Opcode::kStore, param.row,
                 frame_param(kernel, param.declared, param_bytes(*param.declared), param.declared->type));
  return entry;
}

void leave_function(KernelContext& kernel, const Instruction& instruction) {
  constexpr std::size_t kReturnSources = 4;
  FunctionPlan& plan = kernel.plan;
  isa::Instruction out = control_instruction(Opcode::kReturn);
  out.src[0] = plan.return_pc;
  std::size_t value = 1;
  // A row must stay live until here: the return reads it or, if the return has no operand left, a copy to
  // itself does.
  const auto keep = [&](const isa::Operand& row) {
    if (value < kReturnSources)
      out.src[value++] = row;
    else
      emit_move(kernel, instruction, row, row);
  };
  for (std::size_t i = 0; i < plan.returns.size(); ++i) {
    const PassedValue& result = plan.returns[i];
    if (result.by_address) continue;
    if (in_memory(kernel, result.declared))
      emit_local(kernel, instruction, Opcode::kLoad, result.row,
                 frame_param(kernel, result.declared, param_bytes(*result.declared), result.declared->type));
    if (plan.called_indirectly)
      emit_move(kernel, instruction, kernel.kernel.result(kernel.registers, i, result.row.width), result.row);
    keep(result.row);
  }
  if (plan.has_frame_row()) emit_move(kernel, instruction, kernel.kernel.stack_pointer, plan.frame);
  kernel.emit(instruction, out);
}

void decode_return(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                   const Modifiers&) {
  if (kernel.function.is_entry)
    kernel.emit(instruction, control_instruction(Opcode::kExit));
  else
    leave_function(kernel, instruction);
}

}  // namespace heddle::ptx
