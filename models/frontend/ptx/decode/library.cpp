#include "frontend/ptx/decode/library.h"

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

}  // namespace heddle::ptx
