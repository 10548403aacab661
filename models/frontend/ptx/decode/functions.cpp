#include "frontend/ptx/decode/functions.h"

#include <fmt/format.h>

#include <unordered_set>

#include "frontend/ptx/decode/context.h"
#include "frontend/ptx/decode/library.h"
#include "frontend/ptx/diagnostic.h"

namespace heddle::ptx {
namespace {

/// Names that the module uses as values: operands of anything except calls and their tables, and initial
/// values.
std::unordered_set<std::string> names_used_as_values(const Module& ast) {
  std::unordered_set<std::string> names;
  const auto note = [&](const Operand& operand) {
    if (const auto* symbol = std::get_if<SymbolName>(&operand.value)) names.insert(symbol->name);
  };
  for (const Function& function : ast.functions)
    for_each_instruction(function.body, [&](const Instruction& instruction) {
      if (instruction.opcode == "mov" || instruction.opcode == "cvta" || instruction.opcode == "st")
        for (const Operand& operand : instruction.operands) note(operand);
    });
  for (const VariableDecl& variable : ast.variables)
    for (const Initialiser& initial : variable.initial)
      if (const auto* symbol = std::get_if<SymbolName>(&initial.value)) names.insert(symbol->name);
  return names;
}

bool same_parameters(const Function& a, const Function& b) {
  return signature(a.returns, a.params) == signature(b.returns, b.params);
}

}  // namespace

// In the order of the text, because addresses must not depend on hash table order.
std::vector<std::string> functions_used_as_values(const Module& ast) {
  const auto used = names_used_as_values(ast);
  std::vector<std::string> names;
  for (const Function& function : ast.functions)
    if (!function.is_entry && used.contains(function.name)) names.push_back(function.name);
  for (const Alias& alias : ast.aliases)
    if (used.contains(alias.name)) names.push_back(alias.name);
  return names;
}

std::uint64_t param_bytes(const ParamDecl& param) {
  return isa::type_bytes(param.type) * (param.is_array ? param.array_elements : 1);
}

std::string signature(const std::vector<ParamDecl>& returns, const std::vector<ParamDecl>& params) {
  std::string text;
  const auto add = [&](const std::vector<ParamDecl>& list) {
    for (const ParamDecl& param : list)
      text += param.type == Type::kPred
                  ? "p "
                  : fmt::format("{}{} ", param.is_array ? "a" : "b", param_bytes(param));
  };
  add(params);
  text += "-> ";
  add(returns);
  return text;
}

void place_functions(ModuleContext& module, const AllocateGlobal& allocate) {
  for (const Function& function : module.ast.functions) {
    if (function.is_entry) continue;
    const auto [entry, fresh] =
        module.functions.try_emplace(function.name, FunctionSymbol{&module, &function, 0});
    FunctionSymbol& known = entry->second;
    if (fresh) continue;
    if (known.defined() && !function.external)
      module.fail(function.where, fmt::format("function '{}' is defined twice", printable(function.name)));
    // `.func f;` does not declare the parameters.
    const bool bare = [](const Function& f) {
      return f.external && f.params.empty() && f.returns.empty();
    }(known.defined() ? function : *known.function);
    if (!bare && !same_parameters(*known.function, function))
      module.fail(function.where, fmt::format("function '{}' is declared with other parameters before",
                                              printable(function.name)));
    if (!function.external) known.function = &function;
  }
  for (const Alias& alias : module.ast.aliases) {
    const auto aliasee = module.functions.find(alias.aliasee);
    if (aliasee == module.functions.end() || !aliasee->second.defined())
      module.fail(alias.where, fmt::format("alias '{}' stands for '{}', which is no function defined here",
                                           printable(alias.name), printable(alias.aliasee)));
    module.functions[alias.name] = aliasee->second;
  }
  for (auto& [name, symbol] : module.functions) {
    if (symbol.defined() || module.library == nullptr) continue;
    const FunctionSymbol* const other = module.library->find_function(name);
    if (other == nullptr) continue;
    if (!same_parameters(*other->function, *symbol.function))
      module.fail(symbol.function->where, fmt::format("function '{}' has other parameters in module {}",
                                                      printable(name), other->module->ast.source->name));
    symbol = *other;
  }
  // A function has one address, shared by aliases in this module and by modules loaded earlier.
  std::unordered_map<const Function*, std::uint64_t> addresses;
  if (module.library != nullptr)
    for (const auto& other : module.library->modules())
      for (const FunctionSymbol* known : other->addressed) addresses.emplace(known->function, known->address);
  const auto give = [&](const std::string& name) {
    FunctionSymbol& symbol = module.functions.at(name);
    if (symbol.address != 0) return;
    constexpr std::uint32_t kBytes = 16;  // never accessed: only the address must be unique
    std::uint64_t& address = addresses[symbol.function];
    if (address == 0) address = allocate("function " + name, kBytes, kBytes);
    symbol.address = address;
    module.addressed.push_back(&symbol);
  };
  for (const std::string& name : functions_used_as_values(module.ast)) give(name);
}

}  // namespace heddle::ptx
