#include "frontend/ptx/decode/library.h"

#include <algorithm>
#include <set>

namespace heddle::ptx {
namespace {

bool visible(Linkage linkage) {
  return linkage == Linkage::kVisible || linkage == Linkage::kWeak || linkage == Linkage::kCommon;
}

}  // namespace

const FunctionSymbol* Library::find_function(const std::string& name) const {
  for (const auto& module : modules_) {
    const FunctionSymbol* const symbol = module->find_function(name);
    if (symbol != nullptr && symbol->defined() && visible(symbol->function->linkage)) return symbol;
  }
  return nullptr;
}

const VariableSymbol* Library::find_variable(const std::string& name) const {
  for (const auto& module : modules_)
    for (const VariableDecl& variable : module->ast.variables) {
      if (variable.name != name || !visible(variable.linkage)) continue;
      const auto known = module->globals.find(name);
      if (known != module->globals.end() && known->second.defined) return &known->second;
    }
  return nullptr;
}

void Library::add(std::shared_ptr<const Module> tree, std::unique_ptr<ModuleContext> module) {
  trees_.push_back(std::move(tree));
  modules_.push_back(std::move(module));
}

std::optional<Reference> Library::reference_to(const ModuleContext& module) const {
  std::set<std::uint64_t> variables;  // addresses of the variables it defines
  for (const VariableDecl& variable : module.ast.variables)
    if (const auto known = module.globals.find(variable.name);
        !variable.external && known != module.globals.end())
      variables.insert(known->second.address);
  for (const auto& other : modules_) {
    if (other.get() == &module) continue;
    std::set<std::string> names;  // sorted, so that the message is deterministic
    for (const auto& [name, symbol] : other->functions)
      if (symbol.module == &module && symbol.defined()) names.insert(name);
    for (const auto& [name, symbol] : other->globals)
      if (symbol.defined && variables.contains(symbol.address)) names.insert(name);
    if (!names.empty()) return Reference{other->ast.source->name, *names.begin()};
  }
  return std::nullopt;
}

bool Library::has_function_address(std::uint64_t address) const {
  return std::any_of(modules_.begin(), modules_.end(), [&](const auto& module) {
    return std::any_of(module->addressed.begin(), module->addressed.end(),
                       [&](const FunctionSymbol* symbol) { return symbol->address == address; });
  });
}

void Library::remove(const ModuleContext& module) {
  const auto found = std::find_if(modules_.begin(), modules_.end(),
                                  [&](const auto& known) { return known.get() == &module; });
  if (found == modules_.end()) return;
  trees_.erase(trees_.begin() + (found - modules_.begin()));
  modules_.erase(found);
}

}  // namespace heddle::ptx
