#include "oracle/names.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/error.h"

namespace heddle::oracle {

namespace {

constexpr std::uint64_t kMaxVariableBytes = 1ull << 40;
constexpr std::uint64_t kMaxParamBytes = 65536;

std::uint64_t align_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

std::uint64_t register_mask(Type type) {
  const unsigned bits = type == Type::kPred ? 1 : isa::type_bytes(type) * 8;
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
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

std::uint64_t param_bytes(const ptx::ParamDecl& param) {
  // A predicate passed in a register is copied as one byte.
  if (param.type == Type::kPred) return 1;
  return isa::type_bytes(param.type) * (param.is_array ? param.array_elements : 1);
}

std::uint32_t param_align(const ptx::ParamDecl& param) {
  return std::max<std::uint32_t>({param.align, isa::type_bytes(param.type), 1u});
}

FunctionNames::FunctionNames(const ptx::Module& module, const ptx::Function& function,
                             const ModuleSymbols& globals, SharedLayout& shared)
    : module_(module), function_(function), globals_(globals), shared_(shared) {
  scopes_.emplace_back();
  lay_out_params();
  collect(function.body, 0);
  lay_out_variables();
}

void FunctionNames::declared_twice(const std::string& name, isa::SourceLoc where) const {
  throw base::InputError(place_of(module_, where), "'" + name + "' is declared twice in this scope");
}

std::uint32_t FunctionNames::place_in_frame(std::uint64_t bytes, std::uint32_t align, const std::string& name,
                                            isa::SourceLoc where) {
  const std::uint64_t at = align_up(local_bytes_, align);
  if (bytes > isa::kSharedWindowBytes || at + bytes > isa::kSharedWindowBytes)
    throw base::InputError(place_of(module_, where), "'" + name + "' does not fit in its state space");
  local_bytes_ = static_cast<std::uint32_t>(at + bytes);
  local_align_ = std::max(local_align_, align);
  return static_cast<std::uint32_t>(at);
}

void FunctionNames::refuse_opaque(const ptx::ParamDecl& decl) const {
  if (decl.opaque.empty()) return;
  throw base::InputError(place_of(module_, decl.where),
                         "parameter '" + decl.name + "' of type '." + decl.opaque + "' is not supported");
}

/// Parameters and results of a .func: registers, or memory in its stack frame.
void FunctionNames::lay_out_formals(const std::vector<ptx::ParamDecl>& decls, std::vector<Formal>& formals) {
  for (const ptx::ParamDecl& decl : decls) {
    refuse_opaque(decl);
    const std::uint64_t bytes = oracle::param_bytes(decl);
    if (bytes > kMaxParamBytes)
      throw base::InputError(place_of(module_, decl.where), "parameter '" + decl.name + "' is too large");
    Formal formal{static_cast<std::uint32_t>(bytes), decl.is_register, {}, 0};
    if (decl.is_register) {
      const Register reg{slots_++, decl.type};
      if (!scopes_[0].resolved.emplace(decl.name, reg).second) declared_twice(decl.name, decl.where);
      formal.reg = {static_cast<std::int32_t>(reg.slot), register_mask(decl.type)};
    } else {
      formal.offset = place_in_frame(bytes, param_align(decl), decl.name, decl.where);
      const Symbol symbol{StateSpace::kParam, formal.offset, bytes, true};
      if (!scopes_[0].symbols.emplace(decl.name, symbol).second) declared_twice(decl.name, decl.where);
    }
    formals.push_back(formal);
  }
}

void FunctionNames::lay_out_params() {
  if (!function_.is_entry) {
    lay_out_formals(function_.returns, formal_results_);
    lay_out_formals(function_.params, formal_params_);
    return;
  }
  std::uint64_t offset = 0;
  for (const ptx::ParamDecl& decl : function_.params) {
    const std::uint64_t bytes = oracle::param_bytes(decl);
    const std::uint32_t align = param_align(decl);
    refuse_opaque(decl);
    if (bytes > kMaxParamBytes || bytes == 0)
      throw base::InputError(place_of(module_, decl.where),
                             "parameter '" + decl.name + "' has no usable size");
    offset = align_up(offset, align);
    params_.push_back(
        {decl.name, decl.type, static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(offset), align});
    if (!scopes_[0].symbols.emplace(decl.name, Symbol{StateSpace::kParam, offset, bytes}).second)
      declared_twice(decl.name, decl.where);
    offset += bytes;
  }
  param_bytes_ = static_cast<std::uint32_t>(offset);
}

void FunctionNames::collect(const ptx::Block& block, ScopeIndex scope) {
  std::string last_label;
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* instruction = std::get_if<ptx::Instruction>(&statement)) {
      for (const ptx::Operand& operand : instruction->operands) mention(operand, used_);
      // Tables are not instructions; their name is the label before them.
      if (instruction->opcode.starts_with("."))
        scopes_[scope].tables.emplace(last_label, Table{instruction, scope});
      else
        lines_.push_back({instruction, scope});
    } else if (const auto* label = std::get_if<ptx::Label>(&statement)) {
      last_label = label->name;
      if (!scopes_[scope].labels.emplace(label->name, static_cast<std::uint32_t>(lines_.size())).second)
        declared_twice(label->name, label->where);
    } else if (const auto* reg = std::get_if<ptx::RegisterDecl>(&statement)) {
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

namespace {
/// Allocates a shared variable; extern arrays of open size are placed after all others.
std::optional<Symbol> placed_in_shared(const ptx::VariableDecl& variable, SharedLayout& shared) {
  const std::uint64_t bytes = variable_bytes(variable);
  const std::uint32_t align = variable_align(variable);
  if (bytes == 0) {
    shared.dynamic_align = std::max(shared.dynamic_align, align);
    return Symbol{StateSpace::kShared, SharedLayout::kDynamic, 0};
  }
  const std::uint64_t at = align_up(shared.bytes, align);
  if (bytes > isa::kSharedWindowBytes || at + bytes > isa::kSharedWindowBytes) return std::nullopt;
  shared.bytes = static_cast<std::uint32_t>(at + bytes);
  return Symbol{StateSpace::kShared, at, bytes};
}
}  // namespace

void FunctionNames::place_variable(const ptx::VariableDecl& variable, ScopeIndex scope) {
  Symbol symbol;
  switch (variable.space) {
    case StateSpace::kShared: {
      const auto placed = placed_in_shared(variable, shared_);
      if (!placed)
        throw base::InputError(place_of(module_, variable.where),
                               "'" + variable.name + "' does not fit in its state space");
      symbol = *placed;
      break;
    }
    case StateSpace::kLocal:
    case StateSpace::kParam: {  // .param in a body: an argument or result of a call
      const std::uint64_t bytes = variable_bytes(variable);
      symbol = {variable.space,
                place_in_frame(bytes, variable_align(variable), variable.name, variable.where), bytes, true};
      break;
    }
    default:
      throw base::InputError(
          place_of(module_, variable.where),
          "variable '" + variable.name + "' of this state space is not supported inside a function");
  }
  if (!scopes_[scope].symbols.emplace(variable.name, symbol).second)
    declared_twice(variable.name, variable.where);
}

void FunctionNames::lay_out_variables() {
  // Module-scope .shared variables belong to the kernels that use them, directly or in functions they call.
  for (const ptx::VariableDecl& variable : module_.variables) {
    if (variable.space != StateSpace::kShared || !used_.contains(variable.name)) continue;
    if (shared_.variables.contains(&variable)) continue;
    const auto placed = placed_in_shared(variable, shared_);
    if (!placed)
      throw base::InputError(place_of(module_, variable.where),
                             "'" + variable.name + "' does not fit in its state space");
    shared_.variables.emplace(&variable, *placed);
  }
  for (const auto& [variable, scope] : variables_) place_variable(*variable, scope);
}

/// The declaration of a register: by its name, or as one of a numbered range.
const ptx::RegisterDecl* FunctionNames::declared(const Scope& scope, const std::string& name) {
  if (const auto decl = scope.registers.find(name); decl != scope.registers.end() && decl->second->count == 0)
    return decl->second;
  // "%f12" may be register 12 of %f<20> or register 2 of %f1<3>: try every split.
  for (std::size_t split = name.size(); split > 1; --split) {
    if (name[split - 1] < '0' || name[split - 1] > '9') return nullptr;
    const char* first = name.data() + split - 1;
    const char* last = name.data() + name.size();
    if (*first == '0' && last - first > 1) continue;
    const auto decl = scope.registers.find(name.substr(0, split - 1));
    if (decl == scope.registers.end() || decl->second->count == 0) continue;
    std::uint32_t number = 0;
    if (std::from_chars(first, last, number).ec == std::errc{} && number < decl->second->count)
      return decl->second;
  }
  return nullptr;
}

namespace {
/// A register of 128 bits is a vector of two of 64.
bool is_wide(const ptx::RegisterDecl& decl) { return decl.type == Type::kB128 && decl.vector == 1; }
unsigned vector_of(const ptx::RegisterDecl& decl) { return is_wide(decl) ? 2 : decl.vector; }
Type element_of(const ptx::RegisterDecl& decl) { return is_wide(decl) ? Type::kB64 : decl.type; }

/// The element that ".y" or ".g" selects; -1: none.
int element_named(const std::string& suffix) {
  constexpr std::string_view kPosition = "xyzw";
  constexpr std::string_view kColour = "rgba";
  if (suffix.size() != 1) return -1;
  const std::size_t at = std::min(kPosition.find(suffix), kColour.find(suffix));
  return at == std::string::npos ? -1 : static_cast<int>(at);
}
}  // namespace

std::optional<Register> FunctionNames::find_register(ScopeIndex index, const std::string& name) {
  const std::size_t dot = name.rfind('.');
  for (std::optional<ScopeIndex> at = index; at; at = scopes_[*at].parent) {
    Scope& scope = scopes_[*at];
    if (const auto known = scope.resolved.find(name); known != scope.resolved.end()) return known->second;
    if (dot != std::string::npos) {
      const int element = element_named(name.substr(dot + 1));
      const ptx::RegisterDecl* decl = declared(scope, name.substr(0, dot));
      if (decl == nullptr || vector_of(*decl) == 1) continue;
      if (element < 0 || static_cast<unsigned>(element) >= vector_of(*decl)) return std::nullopt;
      return find_vector(*at, name.substr(0, dot))[static_cast<std::size_t>(element)];
    }
    const ptx::RegisterDecl* decl = declared(scope, name);
    if (decl == nullptr) continue;
    if (vector_of(*decl) != 1) return std::nullopt;
    return scope.resolved.emplace(name, Register{slots_++, decl->type}).first->second;
  }
  return std::nullopt;
}

std::vector<Register> FunctionNames::find_vector(ScopeIndex index, const std::string& name) {
  for (std::optional<ScopeIndex> at = index; at; at = scopes_[*at].parent) {
    Scope& scope = scopes_[*at];
    const ptx::RegisterDecl* decl = declared(scope, name);
    if (decl == nullptr) continue;
    std::vector<Register> elements;
    if (vector_of(*decl) == 1) return elements;
    for (unsigned i = 0; i < vector_of(*decl); ++i) {
      const auto [place, fresh] = scope.resolved.try_emplace(name + "." + std::string(1, "xyzw"[i]));
      if (fresh) place->second = Register{slots_++, element_of(*decl)};
      elements.push_back(place->second);
    }
    return elements;
  }
  return {};
}

std::uint32_t FunctionNames::carry_slot() {
  if (!carry_slot_) carry_slot_ = slots_++;
  return *carry_slot_;
}

std::optional<Symbol> FunctionNames::find_symbol(ScopeIndex index, const std::string& name) const {
  std::optional<Symbol> result;
  for (std::optional<ScopeIndex> at = index; at && !result; at = scopes_[*at].parent)
    if (const auto found = scopes_[*at].symbols.find(name); found != scopes_[*at].symbols.end())
      result = found->second;
  if (!result)
    for (const ptx::VariableDecl& variable : module_.variables)
      if (variable.name == name)
        if (const auto found = shared_.variables.find(&variable); found != shared_.variables.end())
          result = found->second;
  if (!result)
    if (const auto found = globals_.find(name); found != globals_.end()) result = found->second;
  if (result && result->space == StateSpace::kShared && result->value == SharedLayout::kDynamic)
    result->value = shared_.dynamic_base();
  return result;
}

std::vector<std::pair<std::string, Symbol>> FunctionNames::shared_variables() const {
  std::vector<std::pair<std::string, Symbol>> all;
  for (const Scope& scope : scopes_)
    for (const auto& [name, symbol] : scope.symbols)
      if (symbol.space == StateSpace::kShared) all.emplace_back(name, symbol);
  return all;
}

std::optional<std::uint32_t> FunctionNames::find_label(ScopeIndex index, const std::string& name) const {
  for (std::optional<ScopeIndex> at = index; at; at = scopes_[*at].parent)
    if (const auto found = scopes_[*at].labels.find(name); found != scopes_[*at].labels.end())
      return found->second;
  return std::nullopt;
}

const FunctionNames::Table* FunctionNames::find_table(ScopeIndex index, const std::string& name) const {
  for (std::optional<ScopeIndex> at = index; at; at = scopes_[*at].parent)
    if (const auto found = scopes_[*at].tables.find(name); found != scopes_[*at].tables.end())
      return &found->second;
  return nullptr;
}

}  // namespace heddle::oracle
