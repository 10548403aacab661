// Branches, exits, and instructions without effect.
#include <fmt/format.h>

#include "frontend/ptx/decode/emit.h"
#include "frontend/ptx/decode/forms.h"
#include "frontend/ptx/decode/operands.h"
#include "frontend/ptx/diagnostic.h"

namespace heddle::ptx {
namespace {

isa::Instruction control(isa::Opcode op) {
  isa::Instruction out;
  out.op = op;
  out.unit = isa::Unit::kControl;
  out.latency_class = isa::LatencyClass::kControl;
  return out;
}

std::uint32_t label_index(KernelContext& kernel, const Operand& operand) {
  const auto* name = std::get_if<SymbolName>(&operand.value);
  if (name == nullptr) kernel.fail(operand.where, "bra takes a label");
  Symbol* symbol = kernel.scopes.find(name->name);
  const auto* label = symbol == nullptr ? nullptr : std::get_if<LabelSymbol>(symbol);
  if (label != nullptr) return label->index;
  Suggestion suggestion(name->name);
  for (const std::string& known : kernel.scopes.names())
    if (std::holds_alternative<LabelSymbol>(*kernel.scopes.find(known))) suggestion.offer(known);
  kernel.fail(operand.where, fmt::format("label '{}' is not defined", printable(name->name)),
              suggestion.text());
}

}  // namespace

void decode_branch(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                   const Modifiers& modifiers) {
  isa::Instruction out = control(isa::Opcode::kBranch);
  out.uniform = modifiers.uniform;
  kernel.branches.push_back(
      {static_cast<std::uint32_t>(kernel.code.size()), label_index(kernel, instruction.operands[0])});
  kernel.emit(instruction, out);
}

void decode_indirect_branch(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                            const Modifiers&) {
  const GuardedRegion region(kernel, instruction);
  const std::uint32_t label = label_index(kernel, instruction.operands[1]);
  const auto table = kernel.label_tables.find(label);
  if (table == kernel.label_tables.end() || table->second->opcode != ".branchtargets")
    kernel.fail(instruction.operands[1].where, "brx.idx takes the label of a .branchtargets");
  PendingTable pending;
  for (const Operand& target : table->second->operands) pending.labels.push_back(label_index(kernel, target));
  isa::Instruction out = control(isa::Opcode::kIndirect);
  out.src[0] = source(kernel, instruction, instruction.operands[0], Type::kU32).operand;
  pending.instruction = static_cast<std::uint32_t>(kernel.code.size());
  kernel.tables.push_back(std::move(pending));
  kernel.emit(instruction, out);
}

void decode_exit(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                 const Modifiers&) {
  kernel.emit(instruction, control(isa::Opcode::kExit));
}

void decode_trap(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                 const Modifiers&) {
  kernel.emit(instruction, control(isa::Opcode::kTrap));
}

void decode_nothing(KernelContext& kernel, const Instruction& instruction, const CompiledForm& form,
                    const Modifiers& modifiers) {
  for (std::size_t i = 0; i < instruction.operands.size(); ++i)
    static_cast<void>(source(kernel, instruction, instruction.operands[i], form.operands[i].type(modifiers)));
  kernel.emit(instruction, isa::Instruction{});  // takes an issue slot, nothing else
}

}  // namespace heddle::ptx
