#include "frontend/ptx/decode/symbols.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace heddle::ptx {

namespace {

/// The element that ".y" or ".g" selects (PTX ISA, Vectors); more than 3: none.
std::size_t element_named(std::string_view suffix) {
  constexpr std::string_view kPosition = "xyzw";
  constexpr std::string_view kColour = "rgba";
  if (suffix.size() != 1) return kPosition.size();
  return std::min({kPosition.find(suffix), kColour.find(suffix), kPosition.size()});
}

}  // namespace

bool Scopes::declare(const std::string& name, Symbol symbol) {
  any_vectors_ |= std::holds_alternative<VectorSymbol>(symbol);
  return scopes_.back().symbols.try_emplace(name, symbol).second;
}

bool Scopes::declare_range(const std::string& prefix, Type type, std::uint32_t count, unsigned elements) {
  any_vectors_ |= elements > 1;
  return scopes_.back().ranges.try_emplace(prefix, Range{type, count, elements}).second;
}

Symbol* Scopes::find_in(Scope& scope, const std::string& name) {
  const auto found = scope.symbols.find(name);
  if (found != scope.symbols.end()) return &found->second;
  if (scope.ranges.empty()) return nullptr;
  // %r12 may be the thirteenth of %r<..> or the third of %r1<..>.
  for (std::size_t digits = name.size(); digits > 1 && name[digits - 1] >= '0' && name[digits - 1] <= '9';) {
    --digits;
    if (name[digits] == '0' && digits + 1 < name.size()) continue;  // %r07 is not a register of %r<8>
    const auto range = scope.ranges.find(name.substr(0, digits));
    if (range == scope.ranges.end()) continue;
    std::uint32_t number = 0;
    const auto [end, status] = std::from_chars(&name[digits], name.data() + name.size(), number);
    if (status != std::errc{} || number >= range->second.count) continue;
    const Symbol symbol = range->second.elements > 1
                              ? Symbol{VectorSymbol{range->second.type, range->second.elements}}
                              : Symbol{RegisterSymbol{range->second.type, {}}};
    return &scope.symbols.try_emplace(name, symbol).first->second;
  }
  return nullptr;
}

Symbol* Scopes::find(const std::string& name) {
  const std::size_t dot = any_vectors_ ? name.rfind('.') : std::string::npos;
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (Symbol* const found = find_in(*scope, name)) return found;
    if (dot == std::string::npos) continue;
    const std::string whole = name.substr(0, dot);
    const Symbol* const declared = find_in(*scope, whole);
    if (declared == nullptr) continue;
    // The innermost declaration counts, even if it is no vector.
    const auto* vector = std::get_if<VectorSymbol>(declared);
    const std::size_t element = element_named(std::string_view(name).substr(dot + 1));
    if (vector == nullptr || element >= vector->elements) return nullptr;
    const RegisterSymbol symbol{vector->type, {}};
    return &scope->symbols.try_emplace(whole + "." + "xyzw"[element], symbol).first->second;
  }
  return nullptr;
}

std::vector<std::string> Scopes::names() const {
  std::vector<std::string> all;
  for (const Scope& scope : scopes_)
    for (const auto& [name, symbol] : scope.symbols) all.push_back(name);
  std::sort(all.begin(), all.end());  // a suggestion must not depend on hash table order
  return all;
}

}  // namespace heddle::ptx
