#include "oracle/unit.h"

#include <algorithm>
#include <set>

#include "base/error.h"

namespace heddle::oracle {

namespace {

bool seen_by_others(ptx::Linkage linkage) {
  return linkage == ptx::Linkage::kVisible || linkage == ptx::Linkage::kWeak ||
         linkage == ptx::Linkage::kCommon;
}

bool on_device(const ptx::VariableDecl& variable) {
  return variable.space == StateSpace::kGlobal || variable.space == StateSpace::kConst;
}

[[noreturn]] void fail(const Unit& unit, isa::SourceLoc where, const std::string& message,
                       const std::string& remedy = {}) {
  throw base::InputError(place_of(unit.tree, where), message, remedy);
}

constexpr std::uint64_t kConstantBankBytes = 64 * 1024;  ///< PTX ISA, "Constant State Space"

/// The first earlier module that defines such a function and exports it.
const Definition* function_elsewhere(const Unit& unit, const std::string& name) {
  for (const Unit* other : unit.before) {
    const auto found = other->functions.find(name);
    if (found != other->functions.end() && found->second.unit == other &&
        seen_by_others(found->second.function->linkage))
      return &found->second;
  }
  return nullptr;
}

const Symbol* variable_elsewhere(const Unit& unit, const std::string& name) {
  for (const Unit* other : unit.before)
    for (const ptx::VariableDecl& variable : other->tree.variables)
      if (variable.name == name && !variable.external && on_device(variable) &&
          seen_by_others(variable.linkage))
        return &other->symbols.at(name);
  return nullptr;
}

bool same_interface(const ptx::Function& a, const ptx::Function& b) {
  return alike(a.params, b.params) && alike(a.returns, b.returns);
}

void define_functions(Unit& unit, std::uint64_t& next_function) {
  for (const ptx::Function& function : unit.tree.functions) {
    if (function.external) continue;
    const std::uint64_t address = kFunctionBase + next_function++ * kFunctionBytes;
    unit.symbols.emplace(function.name, Symbol{StateSpace::kNone, address});
    if (!function.is_entry) unit.functions.emplace(function.name, Definition{&unit, &function, address});
  }
  for (const ptx::Alias& alias : unit.tree.aliases) {
    const auto real = unit.functions.find(alias.aliasee);
    if (real == unit.functions.end()) continue;
    unit.symbols.emplace(alias.name, Symbol{StateSpace::kNone, real->second.address});
    unit.functions.emplace(alias.name, Definition{real->second});
  }
  for (const ptx::Function& function : unit.tree.functions) {
    if (!function.external || function.is_entry || unit.functions.contains(function.name)) continue;
    const Definition* const found = function_elsewhere(unit, function.name);
    if (found == nullptr) continue;
    // ".func f;" does not declare the parameters.
    const bool bare = function.params.empty() && function.returns.empty();
    if (!bare && !same_interface(function, *found->function))
      fail(unit, function.where,
           "'" + function.name + "' has other parameters where it is defined, at " +
               place_of(found->unit->tree, found->function->where));
    unit.symbols.emplace(function.name, Symbol{StateSpace::kNone, found->address});
    unit.functions.emplace(function.name, *found);
  }
}

void define_variables(Unit& unit, const PlaceVariable& place) {
  std::uint64_t constants = 0;
  for (const ptx::VariableDecl& variable : unit.tree.variables) {
    if (!on_device(variable) || variable.external || !variable.opaque.empty()) continue;
    const std::uint64_t bytes = variable_bytes(variable);
    if (bytes == 0)
      fail(unit, variable.where,
           "'" + variable.name + "' has no size; only .extern .shared arrays may be open");
    if (variable.space == StateSpace::kConst) {
      const std::uint64_t align = variable_align(variable);
      constants += (align - constants % align) % align + bytes;
      if (constants > kConstantBankBytes)
        fail(unit, variable.where,
             "more than 64 KiB of .const variables: " + std::to_string(constants) + " bytes with '" +
                 variable.name + "'",
             "Declare large tables .global.");
    }
    const std::uint64_t address = place(variable.name, bytes, std::max(variable_align(variable), 16u));
    if (!unit.symbols.emplace(variable.name, Symbol{variable.space, address, bytes}).second)
      fail(unit, variable.where, "'" + variable.name + "' is declared twice in this module");
  }
  for (const ptx::VariableDecl& variable : unit.tree.variables) {
    if (!on_device(variable) || !variable.external || unit.symbols.contains(variable.name)) continue;
    if (const Symbol* const found = variable_elsewhere(unit, variable.name))
      unit.symbols.emplace(variable.name, Symbol{*found});
  }
}

/// Functions used as values: in instructions other than as the called function, and in initial values.
void find_pointed(Unit& unit) {
  std::set<std::string> names;
  const auto note = [&](const ptx::Operand& operand) {
    if (const auto* symbol = std::get_if<ptx::SymbolName>(&operand.value)) names.insert(symbol->name);
  };
  const auto walk = [&](const auto& self, const ptx::Block& block) -> void {
    for (const ptx::Statement& statement : block.statements) {
      if (const auto* instruction = std::get_if<ptx::Instruction>(&statement);
          instruction && instruction->opcode != "call")
        for (const ptx::Operand& operand : instruction->operands) note(operand);
      if (const auto* inner = std::get_if<std::shared_ptr<ptx::Block>>(&statement)) self(self, **inner);
    }
  };
  for (const ptx::Function& function : unit.tree.functions) walk(walk, function.body);
  for (const ptx::VariableDecl& variable : unit.tree.variables)
    for (const ptx::Initialiser& initial : variable.initial)
      if (const auto* symbol = std::get_if<ptx::SymbolName>(&initial.value)) names.insert(symbol->name);
  for (const std::string& name : names)
    if (const auto found = unit.functions.find(name); found != unit.functions.end())
      unit.pointed.push_back(found->second);
}

}  // namespace

bool alike(const std::vector<ptx::ParamDecl>& a, const std::vector<ptx::ParamDecl>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ptx::ParamDecl& x, const ptx::ParamDecl& y) {
                      return param_bytes(x) == param_bytes(y) &&
                             (x.type == Type::kPred) == (y.type == Type::kPred) && x.is_array == y.is_array;
                    });
}

std::string use_of(const Unit& user, const Unit& definer) {
  for (const auto& [name, definition] : user.functions)
    if (definition.unit == &definer) return name;
  for (const ptx::VariableDecl& variable : definer.tree.variables) {
    if (variable.external || !on_device(variable)) continue;
    const auto there = definer.symbols.find(variable.name);  // textures have no address
    const auto here = user.symbols.find(variable.name);
    if (there != definer.symbols.end() && here != user.symbols.end() &&
        here->second.value == there->second.value)
      return variable.name;
  }
  return {};
}

void link(Unit& unit, std::uint64_t& next_function, const PlaceVariable& place) {
  define_functions(unit, next_function);
  define_variables(unit, place);
  find_pointed(unit);
}

}  // namespace heddle::oracle
