#include "frontend/ptx/decode/symbols.h"

#include <algorithm>
#include <charconv>

namespace heddle::ptx {

bool Scopes::declare(const std::string& name, Symbol symbol) {
  return scopes_.back().symbols.try_emplace(name, symbol).second;
}

bool Scopes::declare_range(const std::string& prefix, Type type, std::uint32_t count) {
  return scopes_.back().ranges.try_emplace(prefix, Range{type, count}).second;
}

Symbol* Scopes::find(const std::string& name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->symbols.find(name);
    if (found != scope->symbols.end()) return &found->second;
    if (scope->ranges.empty()) continue;
    // %r12 may be the thirteenth of %r<..> or the third of %r1<..>.
    for (std::size_t digits = name.size();
         digits > 1 && name[digits - 1] >= '0' && name[digits - 1] <= '9';) {
      --digits;
      if (name[digits] == '0' && digits + 1 < name.size()) continue;  // %r07 is not a register of %r<8>
      const auto range = scope->ranges.find(name.substr(0, digits));
      if (range == scope->ranges.end()) continue;
      std::uint32_t number = 0;
      const auto [end, status] = std::from_chars(&name[digits], name.data() + name.size(), number);
      if (status != std::errc{} || number >= range->second.count) continue;
      return &scope->symbols.try_emplace(name, RegisterSymbol{range->second.type, {}}).first->second;
    }
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
