// Names of a kernel: registers, variables and labels, in scopes that nest as the { } of the text do.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "frontend/ptx/ast.h"
#include "isa/instruction.h"

namespace heddle::ptx {

struct RegisterSymbol {
  Type type = Type::kB32;
  isa::Operand row;  ///< not present until the register is first used
};

/// A variable or parameter. Its address is absolute in .global and .const, otherwise an offset in its space.
struct VariableSymbol {
  StateSpace space = StateSpace::kGlobal;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool defined = true;  ///< false: .extern without a definition in the module
  isa::Operand base;    ///< present: the address counts from what this row holds (a frame on the stack, ...)
  isa::Operand value;   ///< present: a parameter of a call that lives in this row and has no address
  Type type = Type::kNone;  ///< of the row
  /// A .param of a call, on either side of it: in a row, or in local memory.
  bool call_param = false;
};

struct LabelSymbol {
  std::uint32_t index = 0;
};

using Symbol = std::variant<RegisterSymbol, VariableSymbol, LabelSymbol>;

class Scopes {
 public:
  void open() { scopes_.emplace_back(); }
  void close() { scopes_.pop_back(); }

  /// False if the innermost scope has the name already.
  [[nodiscard]] bool declare(const std::string& name, Symbol symbol);
  /// %r<18>: %r0 to %r17.
  [[nodiscard]] bool declare_range(const std::string& prefix, Type type, std::uint32_t count);

  /// The innermost symbol of that name; nullptr if there is none. A register of a range becomes a symbol when
  /// it is looked up.
  [[nodiscard]] Symbol* find(const std::string& name);
  /// Suggestions for a name that was not found.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  struct Range {
    Type type = Type::kB32;
    std::uint32_t count = 0;
  };
  struct Scope {
    std::unordered_map<std::string, Symbol> symbols;
    std::unordered_map<std::string, Range> ranges;
  };
  std::vector<Scope> scopes_;
};

}  // namespace heddle::ptx
