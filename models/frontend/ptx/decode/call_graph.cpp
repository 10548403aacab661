#include "frontend/ptx/decode/call_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

#include "frontend/ptx/decode/library.h"
#include "frontend/ptx/diagnostic.h"

namespace heddle::ptx {
namespace {

bool is_builtin(const std::string& name) {
  return name == "vprintf" || name == "__assertfail" || name == "malloc" || name == "free" ||
         name == "tx_begin" || name == "tx_commit" || name == "tx_abort";
}

/// Functions of CUDA's device runtime: cudaLaunchDeviceV2, __cudaCDP2LaunchDeviceV2, cudaGetParameterBuffer ...
bool is_device_runtime(const std::string& name) {
  return name.starts_with("cuda") || name.starts_with("__cuda");
}

/// The calls of a function and the tables they refer to. Table names are scoped by { }.
class CallScan {
 public:
  explicit CallScan(const ModuleContext& module) : module_(module) {}

  struct Found {
    const Instruction* call = nullptr;
    std::size_t target = 0;
    const Instruction* table = nullptr;
  };

  std::vector<Found> scan(const Block& block) {
    scopes_.emplace_back();
    const std::string* label = nullptr;
    for (const Statement& statement : block.statements) {
      if (const auto* named = std::get_if<Label>(&statement)) {
        label = &named->name;
        continue;
      }
      const auto* instruction = std::get_if<Instruction>(&statement);
      if (instruction != nullptr && instruction->opcode == kPragmaOpcode) continue;
      if (instruction != nullptr && label != nullptr && instruction->opcode.front() == '.')
        scopes_.back()[*label] = instruction;
      label = nullptr;
    }
    for (const Statement& statement : block.statements) {
      if (const auto* instruction = std::get_if<Instruction>(&statement))
        if (instruction->opcode == "call") add(*instruction);
      if (const auto* inner = std::get_if<std::shared_ptr<Block>>(&statement)) scan(**inner);
    }
    scopes_.pop_back();
    return found_;
  }

 private:
  void add(const Instruction& call) {
    Found found;
    found.call = &call;
    const auto is_list = [&](std::size_t i) {
      const auto* vector =
          i < call.operands.size() ? std::get_if<VectorOperand>(&call.operands[i].value) : nullptr;
      return vector != nullptr && vector->as_list;
    };
    if (is_list(0)) found.target = 1;
    if (found.target >= call.operands.size() || is_list(found.target))
      module_.fail(call.where, "call names no function",
                   "Write it as: call (result), function, (arguments);");
    const std::size_t last = found.target + (is_list(found.target + 1) ? 2 : 1);
    if (last < call.operands.size()) found.table = table(call.operands[last]);
    found_.push_back(found);
  }

  const Instruction* table(const Operand& operand) {
    const auto* symbol = std::get_if<SymbolName>(&operand.value);
    if (symbol != nullptr)
      for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
        if (const auto known = scope->find(symbol->name); known != scope->end()) return known->second;
    module_.fail(operand.where, "an indirect call takes the label of a .callprototype or .calltargets here");
  }

  const ModuleContext& module_;
  std::vector<std::unordered_map<std::string, const Instruction*>> scopes_;
  std::vector<Found> found_;
};

class Planner {
 public:
  Planner(const ModuleContext& module, RegisterRows& registers) : module_(module), registers_(registers) {}

  KernelPlan run(const Function& entry) {
    plan_of(module_, entry);
    // The list grows as functions are found.
    for (std::size_t i = 0; i < plan_.functions.size(); ++i) find_calls(*plan_.functions[i]);
    find_cycles();
    allocate_rows();
    place_frames();
    for (const FunctionSymbol* symbol : addressed()) {
      const auto known = by_function_.find(symbol->function);
      plan_.addressed.emplace_back(
          symbol, known == by_function_.end() || !known->second->called_indirectly ? nullptr : known->second);
    }
    return std::move(plan_);
  }

 private:
  FunctionPlan& plan_of(const ModuleContext& module, const Function& function) {
    const auto [entry, fresh] = by_function_.try_emplace(&function, nullptr);
    if (fresh) {
      auto made = std::make_unique<FunctionPlan>();
      made->module = &module;
      made->function = &function;
      made->index = plan_.functions.size();
      for_each_instruction(function.body, [&](const Instruction& instruction) {
        if (instruction.opcode == "alloca" || instruction.opcode == "stackrestore") made->allocates = true;
        if (instruction.opcode == "stacksave") uses_stack_ = true;
      });
      entry->second = made.get();
      plan_.functions.push_back(std::move(made));
    }
    return *entry->second;
  }

  [[nodiscard]] std::vector<const FunctionSymbol*> addressed() const {
    std::vector<const FunctionSymbol*> all = module_.addressed;
    if (module_.library != nullptr)
      for (const auto& other : module_.library->modules())
        all.insert(all.end(), other->addressed.begin(), other->addressed.end());
    return all;
  }

  void find_calls(FunctionPlan& plan) {
    for (const CallScan::Found& found : CallScan(*plan.module).scan(plan.function->body)) {
      CallTargets call;
      call.instruction = found.call;
      call.target_operand = found.target;
      const Operand& target = found.call->operands[found.target];
      if (const auto* name = std::get_if<SymbolName>(&target.value))
        direct(plan, call, target, name->name);
      else
        indirect(plan, call, target, found.table);
      plan.calls.emplace(found.call, std::move(call));
    }
  }

  void direct(FunctionPlan& plan, CallTargets& call, const Operand& target, const std::string& name) {
    const FunctionSymbol* const symbol = plan.module->find_function(name);
    if (symbol == nullptr) {
      Suggestion suggestion(name);
      for (const Function& known : plan.module->ast.functions)
        if (!known.is_entry) suggestion.offer(known.name);
      plan.module->fail(target.where, fmt::format("function '{}' is not declared", printable(name)),
                        suggestion.text());
    }
    call.returns = &symbol->function->returns;
    call.params = &symbol->function->params;
    if (symbol->defined()) {
      call.callees.push_back(&plan_of(*symbol->module, *symbol->function));
    } else if (is_builtin(name)) {
      call.builtin = name;
    } else if (is_device_runtime(name)) {
      plan.module->fail(
          target.where,
          fmt::format("'{}' is not supported: a kernel cannot launch kernels or call the CUDA runtime "
                      "(dynamic parallelism)",
                      printable(name)),
          "Launch the inner kernel from the host.");
    } else {
      plan.module->fail(
          target.where,
          fmt::format("function '{}' is called but not defined in this module", printable(name)),
          "Load the module that defines it first, or link them (nvcc without -rdc=true).");
    }
  }

  void indirect(FunctionPlan& plan, CallTargets& call, const Operand& target, const Instruction* table) {
    call.indirect = true;
    if (table == nullptr)
      plan.module->fail(target.where, "an indirect call lacks its .callprototype or .calltargets",
                        "Write it as: call (result), register, (arguments), prototype;");
    if (table->prototype != nullptr) {
      call.returns = &table->prototype->returns;
      call.params = &table->prototype->params;
      const std::string wanted = signature(*call.returns, *call.params);
      for (const FunctionSymbol* symbol : addressed())
        if (symbol->defined() && signature(symbol->function->returns, symbol->function->params) == wanted)
          add_candidate(call, *symbol);
      return;
    }
    for (const Operand& operand : table->operands) {
      const auto* name = std::get_if<SymbolName>(&operand.value);
      const FunctionSymbol* const symbol = name == nullptr ? nullptr : plan.module->find_function(name->name);
      if (symbol == nullptr || !symbol->defined())
        plan.module->fail(operand.where, "a list of call targets takes functions that are defined");
      if (call.params != nullptr && signature(symbol->function->returns, symbol->function->params) !=
                                        signature(*call.returns, *call.params))
        plan.module->fail(operand.where,
                          "the functions of a list of call targets differ in parameters or results");
      call.returns = &symbol->function->returns;
      call.params = &symbol->function->params;
      add_candidate(call, *symbol);
    }
  }

  void add_candidate(CallTargets& call, const FunctionSymbol& symbol) {
    FunctionPlan& callee = plan_of(*symbol.module, *symbol.function);
    callee.called_indirectly = true;
    if (std::find(call.callees.begin(), call.callees.end(), &callee) == call.callees.end())
      call.callees.push_back(&callee);
  }

  void find_cycles() {
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph(plan_.functions.size());
    std::vector<bool> calls_itself(plan_.functions.size(), false);
    for (const auto& caller : plan_.functions)
      for (const auto& [instruction, call] : caller->calls)
        for (const FunctionPlan* callee : call.callees) {
          boost::add_edge(caller->index, callee->index, graph);
          if (callee == caller.get()) calls_itself[caller->index] = true;
        }
    component_.resize(plan_.functions.size());
    const auto count = boost::strong_components(
        graph, boost::make_iterator_property_map(component_.begin(), boost::get(boost::vertex_index, graph)));
    std::vector<std::uint32_t> size(static_cast<std::size_t>(count), 0);
    for (const std::uint32_t c : component_) ++size[c];
    for (const auto& plan : plan_.functions) {
      const std::uint32_t c = component_[plan->index];
      if (size[c] > 1 || calls_itself[plan->index]) plan->recursion = c + 1;
    }
  }

  isa::Operand row(const FunctionPlan& plan, isa::RowWidth width, const std::string& name) {
    const auto made = registers_.allocate(width, name);
    if (!made) plan.module->fail(plan.function->where, "the kernel uses more than 65534 registers");
    return *made;
  }

  void allocate_rows() {
    for (const auto& plan : plan_.functions) {
      if (plan->has_frame_row()) uses_stack_ = true;
      if (plan->index != 0) registers_.set_prefix(register_prefix(plan->function->name));
      const auto pass = [&](const std::vector<ParamDecl>& from, std::vector<PassedValue>& to) {
        for (const ParamDecl& param : from) {
          if (!param.opaque.empty())
            plan->module->fail(param.where,
                               fmt::format("a parameter of type '.{}' is not supported", param.opaque),
                               kNoTextures);
          if (param.type != Type::kPred && (param_bytes(param) == 0 || isa::type_bytes(param.type) > 8))
            plan->module->fail(param.where,
                               fmt::format("parameter '{}' of a function cannot be {}", printable(param.name),
                                           param.is_array ? "an array without a size"
                                                          : fmt::format(".{}", isa::type_name(param.type))));
          to.push_back({&param, row(*plan, passing_width(param), param.name), param.is_array});
        }
      };
      if (plan->index != 0) {
        pass(plan->function->params, plan->params);
        pass(plan->function->returns, plan->returns);
        plan->return_pc = row(*plan, isa::RowWidth::k32, "(return pc)");
      }
      if (plan->has_frame_row()) plan->frame = row(*plan, isa::RowWidth::k64, "(frame)");
      registers_.set_prefix("");
    }
    if (uses_stack_)
      plan_.stack_pointer = row(*plan_.functions.front(), isa::RowWidth::k64, "(stack pointer)");
  }

  void place_frames() {
    std::vector<const FunctionPlan*> all;
    for (const auto& plan : plan_.functions) all.push_back(plan.get());
    plan_.shared = layout_shared(all);
    for (const auto& plan : plan_.functions) {
      plan->storage = layout_function(*plan->module, *plan->function);
      if (plan->on_stack())
        plan_.stack_align = std::max<std::uint64_t>(plan_.stack_align, plan->storage.align);
    }
    // Strongly connected components are numbered callees first.
    std::vector<FunctionPlan*> callers_first;
    for (const auto& plan : plan_.functions) callers_first.push_back(plan.get());
    std::stable_sort(callers_first.begin(), callers_first.end(), [&](const auto* a, const auto* b) {
      return component_[a->index] > component_[b->index];
    });
    for (auto at = callers_first.begin(); at != callers_first.end(); ++at) {
      FunctionPlan* const caller = *at;
      // Frames of mutually recursive functions all start after those of any caller.
      for (auto other = at;
           other != callers_first.end() && component_[(*other)->index] == component_[caller->index]; ++other)
        caller->frame_at = std::max(caller->frame_at, (*other)->frame_at);
      if (at != callers_first.begin() && component_[at[-1]->index] == component_[caller->index])
        caller->frame_at = std::max(caller->frame_at, at[-1]->frame_at);
      const std::uint64_t own = caller->on_stack() ? 0 : caller->storage.bytes;
      const std::uint64_t end = caller->frame_at + own;
      if (own != 0) plan_.static_local_bytes = std::max(plan_.static_local_bytes, end);
      if (end > kMostLocalBytes)
        caller->module->fail(
            caller->function->where,
            fmt::format("the kernel's .local variables take more than {} bytes", kMostLocalBytes));
      for (const auto& [instruction, call] : caller->calls)
        for (const FunctionPlan* callee : call.callees) {
          FunctionPlan& called = *plan_.functions[callee->index];
          const std::uint64_t align = called.storage.align;
          called.frame_at = std::max(called.frame_at, (end + align - 1) / align * align);
        }
    }
  }

  const ModuleContext& module_;
  RegisterRows& registers_;
  KernelPlan plan_;
  std::unordered_map<const Function*, FunctionPlan*> by_function_;
  std::vector<std::uint32_t> component_;
  bool uses_stack_ = false;
};

}  // namespace

isa::RowWidth passing_width(const ParamDecl& param) {
  return param.is_array ? isa::RowWidth::k64 : row_width(param.type);
}

isa::Operand KernelPlan::passing_row(RegisterRows& registers, const std::string& name, isa::RowWidth width) {
  const auto [entry, fresh] =
      passing_.try_emplace(fmt::format("({} {})", name, static_cast<unsigned>(width)), isa::Operand{});
  if (fresh) entry->second = registers.allocate(width, entry->first).value_or(isa::Operand{});
  return entry->second;
}

isa::Operand KernelPlan::argument(RegisterRows& registers, std::size_t index, isa::RowWidth width) {
  return passing_row(registers, fmt::format("argument {}", index), width);
}
isa::Operand KernelPlan::result(RegisterRows& registers, std::size_t index, isa::RowWidth width) {
  return passing_row(registers, fmt::format("result {}", index), width);
}
isa::Operand KernelPlan::return_pc(RegisterRows& registers) {
  return passing_row(registers, "return pc", isa::RowWidth::k32);
}

KernelPlan plan_kernel(const ModuleContext& module, const Function& entry, RegisterRows& registers) {
  return Planner(module, registers).run(entry);
}

}  // namespace heddle::ptx
