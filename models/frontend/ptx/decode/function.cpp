#include "frontend/ptx/decode/function.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/ptx/decode/call_params.h"
#include "frontend/ptx/decode/calls.h"
#include "frontend/ptx/decode/emit.h"
#include "frontend/ptx/decode/special.h"
#include "frontend/ptx/diagnostic.h"
#include "isa/each_operand.h"

namespace heddle::ptx {
namespace {

using isa::Opcode;

class FunctionDecoder {
 public:
  explicit FunctionDecoder(KernelContext& context) : context_(context), function_(context.function) {}

  std::uint32_t run(const std::vector<isa::Param>& kernel_params) {
    if (!function_.is_entry) context_.registers.set_prefix(register_prefix(function_.name));
    context_.scopes.open();
    for (const VariableDecl& variable : context_.module.ast.variables)
      if (variable.space == StateSpace::kShared) declare_variable(variable);
    context_.scopes.open();
    for (std::size_t i = 0; i < kernel_params.size(); ++i) {
      const isa::Param& param = kernel_params[i];
      VariableSymbol symbol;
      symbol.space = StateSpace::kParam;
      symbol.address = param.offset;
      symbol.bytes = param.bytes;
      declare(param.name, symbol, function_.params[i].where);
    }
    std::uint32_t entry = 0;
    if (function_.is_entry)
      start_stack();
    else
      entry = enter_function(context_);
    decode_block(function_.body);
    append_end();
    context_.registers.set_prefix("");
    return entry;
  }

 private:
  /// The stack starts after the frames with fixed addresses.
  void start_stack() {
    if (!context_.kernel.stack_pointer.present) return;
    Instruction place;
    place.where = function_.where;
    const std::uint64_t align = context_.kernel.stack_align;
    const std::uint64_t start = (context_.kernel.static_local_bytes + align - 1) / align * align;
    emit_move(context_, place, context_.kernel.stack_pointer, constant64(context_, start));
  }

  void declare(const std::string& name, const Symbol& symbol, SourceLoc where) {
    if (!context_.scopes.declare(name, symbol)) already_declared(name, where);
  }
  [[noreturn]] void already_declared(const std::string& name, SourceLoc where) {
    context_.fail(where, fmt::format("'{}' is declared twice in this scope", printable(name)));
  }

  void declare_variable(const VariableDecl& variable) {
    switch (variable.space) {
      case StateSpace::kParam:
        return declare(variable.name, call_variable(context_, variable), variable.where);
      case StateSpace::kLocal: {
        // A variable that no instruction uses takes no memory; its offset does not matter.
        const auto& offsets = context_.plan.storage.offsets;
        const auto placed = offsets.find(&variable);
        return declare(
            variable.name,
            in_frame(context_, placed == offsets.end() ? 0 : placed->second, variable_bytes(variable)),
            variable.where);
      }
      case StateSpace::kShared: {
        const auto& offsets = context_.kernel.shared.offsets;
        const auto placed = offsets.find(&variable);
        VariableSymbol symbol;
        symbol.space = StateSpace::kShared;
        symbol.address = placed == offsets.end() ? 0 : placed->second;
        symbol.bytes = variable_bytes(variable);
        return declare(variable.name, symbol, variable.where);
      }
      default:
        context_.fail(
            variable.where,
            fmt::format("a .{} variable within a kernel is not supported", isa::space_name(variable.space)),
            "Declare it at module scope.");
    }
  }

  void declare_registers(const RegisterDecl& registers) {
    if (registers.type == Type::kB128 && registers.vector == 1) {  // two of 64 bits
      RegisterDecl pair = registers;
      pair.type = Type::kB64;
      pair.vector = 2;
      return declare_registers(pair);
    }
    if (isa::type_bytes(registers.type) > 8)
      context_.fail(registers.where,
                    fmt::format("registers of type .{} are not supported", isa::type_name(registers.type)));
    if (special_row(registers.name) || special_constant(registers.name) || registers.name == kGridId ||
        is_unsupported_special(registers.name))
      context_.fail(registers.where, fmt::format("'{}' is a special register", registers.name));
    constexpr unsigned kMostVectorBytes = 16;
    const bool is_vector = registers.vector > 1;
    if (is_vector && registers.type == Type::kPred)
      context_.fail(registers.where, "a predicate register cannot be a vector");
    if (is_vector && isa::type_bytes(registers.type) * registers.vector > kMostVectorBytes)
      context_.fail(registers.where,
                    fmt::format("a vector register has at most {} bits", kMostVectorBytes * 8));
    if (registers.count == 0) {
      declare(registers.name,
              is_vector ? Symbol{VectorSymbol{registers.type, registers.vector}}
                        : Symbol{RegisterSymbol{registers.type, {}}},
              registers.where);
    } else if (!context_.scopes.declare_range(registers.name, registers.type, registers.count,
                                              registers.vector)) {
      already_declared(registers.name, registers.where);
    }
  }

  void declare_all(const Block& block) {
    const std::uint32_t* label_of_table = nullptr;
    std::uint32_t label_index = 0;
    for (const Statement& statement : block.statements) {
      if (const auto* registers = std::get_if<RegisterDecl>(&statement)) declare_registers(*registers);
      if (const auto* variable = std::get_if<VariableDecl>(&statement)) declare_variable(*variable);
      const auto* instruction = std::get_if<Instruction>(&statement);
      if (instruction != nullptr && instruction->opcode == kPragmaOpcode) continue;
      if (instruction != nullptr && instruction->opcode.front() == '.' && label_of_table != nullptr)
        context_.label_tables[*label_of_table] = instruction;
      label_of_table = nullptr;
      if (const auto* label = std::get_if<Label>(&statement)) {
        label_index = static_cast<std::uint32_t>(context_.label_pc.size());
        label_of_table = &label_index;
        declare(label->name, LabelSymbol{label_index}, label->where);
        context_.label_pc.push_back(0);
      }
    }
  }

  /// The recursion is bounded, since the parser limits the nesting of blocks.
  void decode_block(const Block& block) {
    context_.scopes.open();
    declare_all(block);
    for (const Statement& statement : block.statements) {
      if (const auto* instruction = std::get_if<Instruction>(&statement)) {
        // Tables of indirect branches and calls are read where they are used.
        if (instruction->opcode.front() != '.')
          decode_instruction(context_, *instruction);
        else if (instruction->opcode == kPragmaOpcode)
          context_.spin_pragmas.push_back({static_cast<std::uint32_t>(context_.code.size()),
                                           instruction->modifiers.front() == kSpinLockPragma});
      } else if (const auto* label = std::get_if<Label>(&statement)) {
        const auto symbol = std::get<LabelSymbol>(*context_.scopes.find(label->name));
        context_.label_pc[symbol.index] = static_cast<std::uint32_t>(context_.code.size());
      } else if (const auto* inner = std::get_if<std::shared_ptr<Block>>(&statement)) {
        decode_block(**inner);
      }
    }
    context_.scopes.close();
  }

  /// Falling off the end is a return.
  void append_end() {
    const std::vector<isa::Instruction>& code = context_.code;
    const auto size = static_cast<std::uint32_t>(code.size());
    const bool label_behind =
        std::find(context_.label_pc.begin(), context_.label_pc.end(), size) != context_.label_pc.end();
    const bool ended = !code.empty() && !code.back().guard.present &&
                       (code.back().op == Opcode::kExit || code.back().op == Opcode::kReturn);
    if (ended && !label_behind) return;
    context_.guard = {};
    Instruction place;
    place.where = code.empty() ? function_.where : code.back().where;
    if (function_.is_entry)
      context_.emit(place, control_instruction(Opcode::kExit));
    else
      leave_function(context_, place);
  }

  KernelContext& context_;
  const Function& function_;
};

}  // namespace

std::uint32_t decode_function(KernelContext& context, const std::vector<isa::Param>& kernel_params) {
  return FunctionDecoder(context).run(kernel_params);
}

void place_registers(const RegisterRows& registers, isa::Instruction& instruction) {
  isa::for_each_operand(instruction, [&](isa::Operand& operand) { registers.place(operand); });
  isa::list_registers(instruction);
}

}  // namespace heddle::ptx
