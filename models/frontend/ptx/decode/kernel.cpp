// An entry function to a kernel: names, code, then everything that needs the whole code - branch targets,
// register numbers, reconvergence points, live registers.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "analysis/cfg.h"
#include "analysis/dominators.h"
#include "analysis/liveness.h"
#include "frontend/ptx/decode/layout.h"
#include "frontend/ptx/decode/special.h"
#include "frontend/ptx/diagnostic.h"

namespace heddle::ptx {
namespace {

using isa::Opcode;

class KernelDecoder {
 public:
  KernelDecoder(const ModuleContext& module, const Function& function)
      : context_{module, function, {}, {}, {}, {}, {}, {}, {}}, function_(function) {}

  isa::Kernel run() {
    kernel_.name = function_.name;
    kernel_.source = context_.module.ast.source;
    apply_directives();
    declare_module_scope();
    decode_block(function_.body);
    append_exit();
    resolve_branches();
    number_registers();
    kernel_.code = std::move(context_.code);
    kernel_.constants = context_.constants.take();
    analyse();
    return std::move(kernel_);
  }

 private:
  void apply_directives() {
    constexpr std::string_view kWithoutEffect[] = {"minnctapersm", "maxnctapersm", "maxnreg",
                                                   "noreturn",     "abi_preserve", "abi_preserve_control"};
    for (const auto& [name, values] : function_.directives) {
      if (name == "maxntid" || name == "reqntid") {
        std::uint64_t threads = 1;
        for (const std::uint64_t value : values)
          threads = std::min<std::uint64_t>(threads * value, 0xffff'ffffu);
        kernel_.max_threads_per_cta = static_cast<std::uint32_t>(threads);
      } else if (std::find(std::begin(kWithoutEffect), std::end(kWithoutEffect), name) ==
                 std::end(kWithoutEffect)) {
        context_.fail(function_.where, fmt::format("directive '.{}' of kernel '{}' is not supported",
                                                   printable(name), function_.name));
      }
    }
  }

  /// The outermost scope: module-scope .shared variables that the kernel uses, and its parameters.
  void declare_module_scope() {
    storage_ = layout_storage(context_.module, function_);
    kernel_.static_shared_bytes = storage_.shared_bytes;
    kernel_.local_bytes_per_thread = storage_.local_bytes;
    context_.scopes.open();
    for (const VariableDecl& variable : context_.module.ast.variables)
      if (variable.space == StateSpace::kShared) declare_variable(variable);
    context_.scopes.open();
    kernel_.params = layout_params(context_.module, function_, kernel_.param_bytes);
    for (std::size_t i = 0; i < kernel_.params.size(); ++i) {
      const isa::Param& param = kernel_.params[i];
      declare(param.name, VariableSymbol{StateSpace::kParam, param.offset, param.bytes, true},
              function_.params[i].where);
    }
  }

  void declare(const std::string& name, Symbol symbol, SourceLoc where) {
    if (!context_.scopes.declare(name, symbol)) already_declared(name, where);
  }
  [[noreturn]] void already_declared(const std::string& name, SourceLoc where) {
    context_.fail(where, fmt::format("'{}' is declared twice in this scope", printable(name)));
  }

  void declare_variable(const VariableDecl& variable) {
    if (variable.space != StateSpace::kShared && variable.space != StateSpace::kLocal)
      context_.fail(
          variable.where,
          fmt::format("a .{} variable within a kernel is not supported", isa::space_name(variable.space)),
          variable.space == StateSpace::kParam ? "" : "Declare it at module scope.");
    // A variable that no instruction mentions takes no memory; its offset does not matter.
    const auto placed = storage_.offsets.find(&variable);
    const std::uint64_t offset = placed == storage_.offsets.end() ? 0 : placed->second;
    declare(variable.name, VariableSymbol{variable.space, offset, variable_bytes(variable), true},
            variable.where);
  }

  void declare_registers(const RegisterDecl& registers) {
    if (isa::type_bytes(registers.type) > 8)
      context_.fail(registers.where,
                    fmt::format("registers of type .{} are not supported", isa::type_name(registers.type)));
    if (special_row(registers.name) || special_constant(registers.name) || registers.name == kGridId ||
        is_unsupported_special(registers.name))
      context_.fail(registers.where, fmt::format("'{}' is a special register", registers.name));
    if (registers.vector > 1) {
      if (registers.count != 0)
        context_.fail(registers.where, "a range of vector registers is not supported");
      constexpr std::string_view kElements = "xyzw";
      for (unsigned i = 0; i < registers.vector; ++i)
        declare(registers.name + "." + kElements[i], RegisterSymbol{registers.type, {}}, registers.where);
    } else if (registers.count == 0) {
      declare(registers.name, RegisterSymbol{registers.type, {}}, registers.where);
    } else if (!context_.scopes.declare_range(registers.name, registers.type, registers.count)) {
      already_declared(registers.name, registers.where);
    }
  }

  void declare_all(const Block& block) {
    for (const Statement& statement : block.statements) {
      if (const auto* registers = std::get_if<RegisterDecl>(&statement)) declare_registers(*registers);
      if (const auto* variable = std::get_if<VariableDecl>(&statement)) declare_variable(*variable);
      if (const auto* label = std::get_if<Label>(&statement)) {
        declare(label->name, LabelSymbol{static_cast<std::uint32_t>(context_.label_pc.size())}, label->where);
        context_.label_pc.push_back(0);
      }
    }
  }

  /// Recursion is bounded: the parser limits how deep blocks nest.
  void decode_block(const Block& block) {
    refuse_calls(block);
    context_.scopes.open();
    declare_all(block);
    for (const Statement& statement : block.statements) {
      if (const auto* instruction = std::get_if<Instruction>(&statement)) {
        // Tables of indirect branches and calls matter only to brx and call, which are refused.
        if (instruction->opcode.front() != '.') decode_instruction(context_, *instruction);
      } else if (const auto* label = std::get_if<Label>(&statement)) {
        const auto symbol = std::get<LabelSymbol>(*context_.scopes.find(label->name));
        context_.label_pc[symbol.index] = static_cast<std::uint32_t>(context_.code.size());
      } else if (const auto* inner = std::get_if<std::shared_ptr<Block>>(&statement)) {
        decode_block(**inner);
      }
    }
    context_.scopes.close();
  }

  /// A call is refused before the .param variables around it, which would only hide the reason.
  void refuse_calls(const Block& block) {
    for (const Statement& statement : block.statements) {
      const auto* instruction = std::get_if<Instruction>(&statement);
      if (instruction != nullptr && instruction->opcode == "call") decode_instruction(context_, *instruction);
    }
  }

  void append_exit() {
    std::vector<isa::Instruction>& code = context_.code;
    const auto size = static_cast<std::uint32_t>(code.size());
    const bool label_behind =
        std::find(context_.label_pc.begin(), context_.label_pc.end(), size) != context_.label_pc.end();
    if (!code.empty() && !code.back().guard.present && code.back().op == Opcode::kExit && !label_behind)
      return;
    isa::Instruction exit;
    exit.op = Opcode::kExit;
    exit.unit = isa::Unit::kControl;
    exit.latency_class = isa::LatencyClass::kControl;
    exit.where = code.empty() ? function_.where : code.back().where;
    code.push_back(exit);
  }

  void resolve_branches() {
    for (const PendingBranch& branch : context_.branches)
      context_.code[branch.instruction].target = sim::Pc(context_.label_pc[branch.label]);
  }

  void number_registers() {
    context_.registers.finish(kernel_);
    for (isa::Instruction& instruction : context_.code) {
      const auto note = [](isa::Operand& operand, auto& list, std::uint8_t& count) {
        if (!operand.present || operand.space != isa::RowSpace::kRegister) return;
        if (std::find(list.begin(), list.begin() + count, operand.reg) == list.begin() + count)
          list[count++] = operand.reg;
      };
      const auto reads = [&](isa::Operand& operand) {
        context_.registers.place(operand);
        note(operand, instruction.reads, instruction.read_count);
      };
      reads(instruction.guard);
      reads(instruction.memory.base);
      for (isa::Operand& operand : instruction.src) reads(operand);
      for (isa::Operand& operand : instruction.dst) {
        context_.registers.place(operand);
        note(operand, instruction.writes, instruction.write_count);
      }
      instruction.register_signature = 0;
      for (unsigned i = 0; i < instruction.read_count; ++i)
        instruction.register_signature |= std::uint64_t{1} << (instruction.reads[i] % 64);
      for (unsigned i = 0; i < instruction.write_count; ++i)
        instruction.register_signature |= std::uint64_t{1} << (instruction.writes[i] % 64);
    }
  }

  void analyse() {
    try {
      const analysis::ControlFlowGraph cfg(kernel_.code);
      find_reconvergence(cfg);
      find_live_registers(cfg);
    } catch (const std::length_error& limit) {
      context_.fail(function_.where,
                    fmt::format("kernel '{}' is too large to analyse: {}", function_.name, limit.what()),
                    "Split the kernel.");
    }
  }

  void find_reconvergence(const analysis::ControlFlowGraph& cfg) {
    const analysis::ControlFlowGraph graph = cfg.without_early_exits();
    const auto post = analysis::DominatorTree::post_dominators(graph);
    for (std::uint32_t i = 0; i < kernel_.code.size(); ++i)
      if (kernel_.code[i].op == Opcode::kBranch)
        kernel_.code[i].rpc = analysis::reconvergence_pc(graph, post, i);
  }

  void find_live_registers(const analysis::ControlFlowGraph& cfg) {
    const analysis::Liveness liveness(cfg, kernel_.registers);
    kernel_.registers_per_thread = std::max(1u, liveness.peak_registers());
    for (std::uint32_t i = 0; i < kernel_.code.size(); ++i) {
      const isa::Instruction& branch = kernel_.code[i];
      if (branch.op != Opcode::kBranch || branch.target.value() > i) continue;
      const std::uint32_t head = branch.target.value();
      kernel_.live_at_loop_heads.try_emplace(head, liveness.live_in(cfg.block_of(head)));
    }
  }

  KernelContext context_;
  const Function& function_;
  isa::Kernel kernel_;
  KernelStorage storage_;
};

}  // namespace

void ModuleContext::fail(SourceLoc where, const std::string& message, const std::string& remedy) const {
  ptx::fail(*ast.source, where, message, remedy);
}

isa::Instruction& KernelContext::emit(const Instruction& from, isa::Instruction instruction) {
  instruction.guard = guard;
  instruction.where = from.where;
  return code.emplace_back(instruction);
}

isa::Operand KernelContext::scratch(const Instruction& from, isa::RowWidth width, unsigned index) {
  const auto row = registers.scratch(width, index);
  if (!row) fail(from.where, "the kernel uses more than 65534 registers");
  return *row;
}

isa::Operand KernelContext::carry(const Instruction& from) {
  const auto row = registers.carry();
  if (!row) fail(from.where, "the kernel uses more than 65534 registers");
  return *row;
}

isa::Kernel decode_kernel(const ModuleContext& module, const Function& function) {
  return KernelDecoder(module, function).run();
}

}  // namespace heddle::ptx
