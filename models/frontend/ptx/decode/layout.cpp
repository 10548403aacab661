#include "frontend/ptx/decode/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "frontend/ptx/builder.h"
#include "frontend/ptx/decode/call_graph.h"
#include "frontend/ptx/diagnostic.h"

namespace heddle::ptx {
namespace {

constexpr std::uint64_t kOpenArrayAlign = 16;     // of .extern .shared arrays, as ptxas and nvlink place them
constexpr std::uint64_t kMostParamBytes = 32764;  // CUDA 12.1 on sm_70 and later

std::uint64_t align_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

/// Names that a function's instructions use as symbols.
void collect_names(const std::vector<Operand>& operands, std::unordered_set<std::string_view>& names) {
  for (const Operand& operand : operands) {
    if (const auto* symbol = std::get_if<SymbolName>(&operand.value)) names.insert(symbol->name);
    if (const auto* at = std::get_if<AddressOperand>(&operand.value))
      if (!at->base_is_register) names.insert(at->base);
    if (const auto* vector = std::get_if<VectorOperand>(&operand.value))
      collect_names(vector->elements, names);
  }
}

/// Calls fn for every statement of the block and its nested blocks, in text order.
template <class Fn>
void for_each_statement(const Block& block, Fn&& fn) {
  for (const Statement& statement : block.statements) {
    fn(statement);
    if (const auto* inner = std::get_if<std::shared_ptr<Block>>(&statement)) for_each_statement(**inner, fn);
  }
}

/// Variables of one state space, laid out one after the other.
class SpaceLayout {
 public:
  SpaceLayout(StateSpace space, std::uint64_t limit) : space_(space), limit_(limit) {}

  std::uint64_t add(const ModuleContext& module, const std::string& name, std::uint64_t bytes,
                    std::uint32_t align, SourceLoc where) {
    if (bytes == 0) module.fail(where, fmt::format("array '{}' has no size", name));
    used_ = align_up(used_, align);
    const std::uint64_t offset = used_;
    used_ += bytes;
    if (used_ > limit_)
      module.fail(where, fmt::format("the kernel's .{} variables take more than {} bytes",
                                     isa::space_name(space_), limit_));
    return offset;
  }
  std::uint64_t add(const ModuleContext& module, const VariableDecl& variable) {
    if (!variable.initial.empty())
      module.fail(variable.where, fmt::format(".{} variable '{}' cannot have initial values",
                                              isa::space_name(space_), variable.name));
    return add(module, variable.name, variable_bytes(variable), variable_align(variable), variable.where);
  }
  [[nodiscard]] std::uint64_t end(std::uint64_t align) {
    used_ = align_up(used_, align);
    return used_;
  }

 private:
  StateSpace space_;
  std::uint64_t limit_;
  std::uint64_t used_ = 0;
};

bool is_open(const VariableDecl& variable) {
  return variable.external && variable.is_array && !variable.dims.empty() && variable.dims[0] == 0;
}

std::unordered_set<std::string_view> mentioned_names(const Function& function) {
  std::unordered_set<std::string_view> names;
  for_each_instruction(function.body,
                       [&](const Instruction& instruction) { collect_names(instruction.operands, names); });
  return names;
}

/// Parameters that must be in memory: their address is taken, or only part of the value is accessed.
std::unordered_set<std::string_view> names_in_memory(const Function& function) {
  std::unordered_map<std::string_view, std::uint64_t> bytes;  // of a scalar; 0: accesses of several sizes
  const auto declare = [&](const std::string& name, std::uint64_t size) {
    const auto [entry, fresh] = bytes.try_emplace(name, size);
    if (!fresh && entry->second != size) entry->second = 0;
  };
  for (const auto* list : {&function.params, &function.returns})
    for (const ParamDecl& param : *list) declare(param.name, param_bytes(param));
  for_each_statement(function.body, [&](const Statement& statement) {
    const auto* variable = std::get_if<VariableDecl>(&statement);
    if (variable != nullptr && variable->space == StateSpace::kParam)
      declare(variable->name, variable_bytes(*variable));
  });
  std::unordered_set<std::string_view> names;
  for_each_instruction(function.body, [&](const Instruction& instruction) {
    if (instruction.opcode == "call" || instruction.modifiers.empty()) return;
    const std::string& last = instruction.modifiers.back();
    const std::uint64_t access = isa::type_bytes(type_from_name(last));
    const bool vector = std::any_of(instruction.modifiers.begin(), instruction.modifiers.end(),
                                    [](const std::string& m) { return m == "v2" || m == "v4"; });
    for (const Operand& operand : instruction.operands) {
      if (const auto* symbol = std::get_if<SymbolName>(&operand.value)) names.insert(symbol->name);
      const auto* at = std::get_if<AddressOperand>(&operand.value);
      if (at == nullptr || at->base_is_register) continue;
      const auto known = bytes.find(at->base);
      if (known == bytes.end()) continue;
      const std::uint64_t size = known->second;
      // Registers hold 8- and 16-bit values in 32-bit rows, so the low part of one can be read in place. A
      // partial write must preserve the rest.
      const bool low_part = access < size && size <= 4 && instruction.opcode != "st";
      if (vector || at->offset != 0 || !at->subscripts.empty() || !(access == size || low_part))
        names.insert(at->base);
    }
  });
  return names;
}

}  // namespace

std::uint64_t variable_bytes(const VariableDecl& variable) {
  std::uint64_t elements = variable.vector;  // the parser limits the product
  for (const std::uint64_t size : variable.dims) elements *= size;
  return elements * isa::type_bytes(variable.type);
}

std::uint32_t variable_align(const VariableDecl& variable) {
  return variable.align != 0 ? variable.align
                             : std::max(1u, isa::type_bytes(variable.type) * variable.vector);
}

std::vector<isa::Param> layout_params(const ModuleContext& module, const Function& function,
                                      std::uint32_t& total) {
  std::vector<isa::Param> params;
  std::uint64_t used = 0;
  for (const ParamDecl& declared : function.params) {
    const unsigned size = isa::type_bytes(declared.type);
    if (!declared.opaque.empty())
      module.fail(declared.where, fmt::format("a parameter of type '.{}' is not supported", declared.opaque),
                  kNoTextures);
    if (size == 0)
      module.fail(declared.where,
                  fmt::format("a kernel parameter cannot be .{}", isa::type_name(declared.type)));
    const std::uint64_t elements = declared.is_array ? declared.array_elements : 1;
    if (elements == 0 || elements > kMostParamBytes)
      module.fail(declared.where, fmt::format("parameter '{}' cannot have {} elements", declared.name,
                                              declared.array_elements));
    isa::Param param;
    param.name = declared.name;
    param.type = declared.type;
    param.align = declared.align != 0 ? declared.align : size;
    used = align_up(used, param.align);
    param.offset = static_cast<std::uint32_t>(used);
    param.bytes = static_cast<std::uint32_t>(elements * size);
    used += param.bytes;
    if (used > kMostParamBytes)
      module.fail(declared.where,
                  fmt::format("the kernel's parameters take more than {} bytes", kMostParamBytes));
    params.push_back(std::move(param));
  }
  total = static_cast<std::uint32_t>(used);
  return params;
}

SharedStorage layout_shared(const std::vector<const FunctionPlan*>& functions) {
  SharedStorage storage;
  SpaceLayout layout(StateSpace::kShared, isa::kSharedWindowBytes);
  std::vector<const VariableDecl*> open;
  const auto add = [&](const ModuleContext& module, const VariableDecl& variable) {
    if (storage.offsets.contains(&variable)) return;
    if (is_open(variable)) {
      if (std::find(open.begin(), open.end(), &variable) == open.end()) open.push_back(&variable);
    } else {
      storage.offsets[&variable] = layout.add(module, variable);
    }
  };
  std::vector<std::unordered_set<std::string_view>> names;
  names.reserve(functions.size());
  for (const FunctionPlan* plan : functions) names.push_back(mentioned_names(*plan->function));
  std::vector<const ModuleContext*> modules;
  for (const FunctionPlan* plan : functions)
    if (std::find(modules.begin(), modules.end(), plan->module) == modules.end())
      modules.push_back(plan->module);
  for (const ModuleContext* module : modules)
    for (const VariableDecl& variable : module->ast.variables)
      for (std::size_t i = 0; i < functions.size(); ++i)
        if (variable.space == StateSpace::kShared && functions[i]->module == module &&
            names[i].contains(variable.name))
          add(*module, variable);
  for (std::size_t i = 0; i < functions.size(); ++i)
    for_each_statement(functions[i]->function->body, [&](const Statement& statement) {
      const auto* variable = std::get_if<VariableDecl>(&statement);
      if (variable != nullptr && variable->space == StateSpace::kShared && names[i].contains(variable->name))
        add(*functions[i]->module, *variable);
    });
  // All .extern .shared arrays share the same memory: what the launch adds after the static variables.
  std::uint64_t align = open.empty() ? 1 : kOpenArrayAlign;
  for (const VariableDecl* variable : open) align = std::max<std::uint64_t>(align, variable_align(*variable));
  storage.bytes = static_cast<std::uint32_t>(layout.end(align));
  for (const VariableDecl* variable : open) storage.offsets[variable] = storage.bytes;
  return storage;
}

FunctionStorage layout_function(const ModuleContext& module, const Function& function) {
  FunctionStorage storage;
  SpaceLayout layout(StateSpace::kLocal, kMostLocalBytes);
  const auto mentioned = mentioned_names(function);
  const auto in_memory = names_in_memory(function);
  if (!function.is_entry)
    for (const auto* list : {&function.params, &function.returns})
      for (const ParamDecl& param : *list)
        if (!param.is_array && !param.is_register && in_memory.contains(param.name))
          storage.offsets[&param] =
              layout.add(module, param.name, param_bytes(param), std::max(param.align, 8u), param.where);
  for_each_statement(function.body, [&](const Statement& statement) {
    const auto* variable = std::get_if<VariableDecl>(&statement);
    if (variable == nullptr || !mentioned.contains(variable->name)) return;
    if (variable->space == StateSpace::kLocal) {
      storage.offsets[variable] = layout.add(module, *variable);
      storage.align = std::max(storage.align, variable_align(*variable));
    }
    if (variable->space == StateSpace::kParam &&
        (variable->is_array || variable->vector > 1 || in_memory.contains(variable->name)))
      storage.offsets[variable] = layout.add(module, variable->name, variable_bytes(*variable),
                                             std::max(variable_align(*variable), 8u), variable->where);
  });
  storage.bytes = layout.end(1);
  return storage;
}

}  // namespace heddle::ptx
