#include "oracle/names.h"

#include <algorithm>
#include <charconv>

#include "sim/error.h"

namespace heddle::oracle {

namespace {

constexpr std::uint64_t kMaxVariableBytes = 1ull << 40;

std::uint64_t align_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

void mention(const ptx::Operand& operand, std::set<std::string>& names) {
  if (const auto* symbol = std::get_if<ptx::SymbolName>(&operand.value)) names.insert(symbol->name);
  if (const auto* address = std::get_if<ptx::AddressOperand>(&operand.value)) names.insert(address->base);
  if (const auto* reg = std::get_if<ptx::RegisterName>(&operand.value)) names.insert(reg->name);
  if (const auto* vector = std::get_if<ptx::VectorOperand>(&operand.value))
    for (const ptx::Operand& element : vector->elements) mention(element, names);
}

}  // namespace

std::string place_of(const ptx::Module& module, isa::SourceLoc where) {
  const std::string name = module.source ? module.source->name : std::string("PTX");
  return name + ":" + std::to_string(where.line) + ":" + std::to_string(where.column);
}

std::uint64_t variable_bytes(const ptx::VariableDecl& variable) {
  std::uint64_t bytes = std::uint64_t{isa::type_bytes(variable.type)} * variable.vector;
  for (const std::uint64_t dim : variable.dims) {
    if (dim != 0 && bytes > kMaxVariableBytes / dim) return kMaxVariableBytes;
    bytes *= dim;
  }
  return bytes;
}

std::uint32_t variable_align(const ptx::VariableDecl& variable) {
  return std::max<std::uint32_t>({variable.align, isa::type_bytes(variable.type) * variable.vector, 1u});
}

FunctionNames::FunctionNames(const ptx::Module& module, const ptx::Function& function,
                             const ModuleSymbols& globals)
    : module_(module), globals_(globals) {
  scopes_.emplace_back();
  lay_out_params(function);
  collect(function.body, 0);
  lay_out_variables(module);
}

void FunctionNames::declared_twice(const std::string& name, isa::SourceLoc where) const {
  throw sim::InputError(place_of(module_, where), "'" + name + "' is declared twice in this scope");
}

void FunctionNames::lay_out_params(const ptx::Function& function) {
  std::uint64_t offset = 0;
  for (const ptx::ParamDecl& decl : function.params) {
    const std::uint64_t elements = decl.is_array ? decl.array_elements : 1;
    const std::uint64_t bytes = isa::type_bytes(decl.type) * elements;
    const std::uint32_t align = std::max<std::uint32_t>({decl.align, isa::type_bytes(decl.type), 1u});
    if (elements > 65536 || bytes == 0)
      throw sim::InputError(place_of(module_, decl.where),
                            "parameter '" + decl.name + "' has no usable size");
    offset = align_up(offset, align);
    params_.push_back(
        {decl.name, decl.type, static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(offset), align});
    if (!scopes_[0].symbols.emplace(decl.name, Symbol{StateSpace::kParam, offset}).second)
      declared_twice(decl.name, decl.where);
    offset += bytes;
  }
  param_bytes_ = static_cast<std::uint32_t>(offset);
}

void FunctionNames::collect(const ptx::Block& block, ScopeIndex scope) {
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* instruction = std::get_if<ptx::Instruction>(&statement)) {
      for (const ptx::Operand& operand : instruction->operands) mention(operand, used_);
      lines_.push_back({instruction, scope});
    } else if (const auto* label = std::get_if<ptx::Label>(&statement)) {
      if (!scopes_[scope].labels.emplace(label->name, static_cast<std::uint32_t>(lines_.size())).second)
        declared_twice(label->name, label->where);
    } else if (const auto* reg = std::get_if<ptx::RegisterDecl>(&statement)) {
      if (reg->vector != 1)
        throw sim::InputError(place_of(module_, reg->where),
                              "vector registers such as '" + reg->name + "' are not supported by the oracle");
      if (!scopes_[scope].registers.emplace(reg->name, reg).second) declared_twice(reg->name, reg->where);
    } else if (const auto* variable = std::get_if<ptx::VariableDecl>(&statement)) {
      variables_.emplace_back(variable, scope);
    } else if (const auto* inner = std::get_if<std::shared_ptr<ptx::Block>>(&statement)) {
      scopes_.emplace_back();
      scopes_.back().parent = scope;
      collect(**inner, scopes_.size() - 1);
    }
  }
}

void FunctionNames::place_variable(const ptx::VariableDecl& variable, ScopeIndex scope) {
  const std::uint64_t bytes = variable_bytes(variable);
  const std::uint32_t align = variable_align(variable);
  Symbol symbol{variable.space, 0};
  if (variable.space == StateSpace::kShared && bytes == 0) {
    dynamic_shared_base_ = std::max(dynamic_shared_base_, align);  // an alignment until all sizes are known
    symbol.value = ~std::uint64_t{0};
  } else {
    std::uint32_t& used = variable.space == StateSpace::kShared ? static_shared_bytes_ : local_bytes_;
    symbol.value = align_up(used, align);
    if (symbol.value + bytes > isa::kSharedWindowBytes)
      throw sim::InputError(place_of(module_, variable.where),
                            "'" + variable.name + "' does not fit in its state space");
    used = static_cast<std::uint32_t>(symbol.value + bytes);
  }
  if (!scopes_[scope].symbols.emplace(variable.name, symbol).second)
    declared_twice(variable.name, variable.where);
}

void FunctionNames::lay_out_variables(const ptx::Module& module) {
  // Module-scope .shared variables belong to the kernels that mention them.
  for (const ptx::VariableDecl& variable : module.variables)
    if (variable.space == StateSpace::kShared && used_.contains(variable.name)) place_variable(variable, 0);
  for (const auto& [variable, scope] : variables_) {
    if (variable->space != StateSpace::kShared && variable->space != StateSpace::kLocal)
      throw sim::InputError(
          place_of(module_, variable->where),
          "variable '" + variable->name + "' of this state space is not supported inside a function");
    place_variable(*variable, scope);
  }
  const std::uint32_t align = std::max(dynamic_shared_base_, 16u);
  dynamic_shared_base_ = static_cast<std::uint32_t>(align_up(static_shared_bytes_, align));
  for (Scope& scope : scopes_)
    for (auto& [name, symbol] : scope.symbols)
      if (symbol.value == ~std::uint64_t{0}) symbol.value = dynamic_shared_base_;
}

std::optional<Type> FunctionNames::numbered_type(const Scope& scope, const std::string& name) const {
  // "%f12" may be register 12 of %f<20> or register 2 of %f1<3>: try every split.
  for (std::size_t split = name.size(); split > 1; --split) {
    if (name[split - 1] < '0' || name[split - 1] > '9') return std::nullopt;
    const char* first = name.data() + split - 1;
    const char* last = name.data() + name.size();
    if (*first == '0' && last - first > 1) continue;
    const auto decl = scope.registers.find(name.substr(0, split - 1));
    if (decl == scope.registers.end() || decl->second->count == 0) continue;
    std::uint32_t number = 0;
    if (std::from_chars(first, last, number).ec == std::errc{} && number < decl->second->count)
      return decl->second->type;
  }
  return std::nullopt;
}

std::optional<Register> FunctionNames::find_register(ScopeIndex index, const std::string& name) {
  for (std::optional<ScopeIndex> at = index; at; at = scopes_[*at].parent) {
    Scope& scope = scopes_[*at];
    if (const auto known = scope.resolved.find(name); known != scope.resolved.end()) return known->second;
    std::optional<Type> type;
    if (const auto decl = scope.registers.find(name);
        decl != scope.registers.end() && decl->second->count == 0)
      type = decl->second->type;
    else
      type = numbered_type(scope, name);
    if (type) return scope.resolved.emplace(name, Register{slots_++, *type}).first->second;
  }
  return std::nullopt;
}

std::optional<Symbol> FunctionNames::find_symbol(ScopeIndex index, const std::string& name) const {
  for (std::optional<ScopeIndex> at = index; at; at = scopes_[*at].parent)
    if (const auto found = scopes_[*at].symbols.find(name); found != scopes_[*at].symbols.end())
      return found->second;
  if (const auto found = globals_.find(name); found != globals_.end()) return found->second;
  return std::nullopt;
}

std::optional<std::uint32_t> FunctionNames::find_label(ScopeIndex index, const std::string& name) const {
  for (std::optional<ScopeIndex> at = index; at; at = scopes_[*at].parent)
    if (const auto found = scopes_[*at].labels.find(name); found != scopes_[*at].labels.end())
      return found->second;
  return std::nullopt;
}

}  // namespace heddle::oracle
