// Names of a kernel: registers, variables and labels, in scopes nested like the { } of the text.
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
  isa::Operand row;  ///< absent until the register is first used
};

/// A variable or parameter. Its address is absolute in .global and .const, otherwise an offset in its space.
struct VariableSymbol {
  StateSpace space = StateSpace::kGlobal;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool defined = true;  ///< false: .extern without a definition in the module
  isa::Operand base;    ///< present: the address is relative to the value of this row (a frame on the stack,
                        ///< ...)
  isa::Operand value;   ///< present: a parameter of a call that is held in this row and has no address
  Type type = Type::kNone;  ///< of the row
  /// A .param of a call, on the caller's or the callee's side: in a row, or in local memory.
  bool call_param = false;
};

/// A vector register, .reg .v4 .f32 q: its elements q.x, q.y, q.z, q.w are registers of their own.
struct VectorSymbol {
  Type type = Type::kB32;  ///< of an element
  unsigned elements = 2;
};

struct LabelSymbol {
  std::uint32_t index = 0;
};

using Symbol = std::variant<RegisterSymbol, VectorSymbol, VariableSymbol, LabelSymbol>;

class Scopes {
 public:
  void open() { scopes_.emplace_back(); }
  void close() { scopes_.pop_back(); }

  /// False if the name is already declared in the innermost scope.
  [[nodiscard]] bool declare(const std::string& name, Symbol symbol);
  /// %r<18>: %r0 to %r17. `elements`: of each, if they are vectors.
  [[nodiscard]] bool declare_range(const std::string& prefix, Type type, std::uint32_t count,
                                   unsigned elements = 1);

  /// The innermost symbol of that name; nullptr if there is none. A register of a range, and an element of a
  /// vector (q.x or q.r ...), become symbols on their first look-up.
  [[nodiscard]] Symbol* find(const std::string& name);
  /// Whether any vector register was ever declared.
  [[nodiscard]] bool any_vectors() const { return any_vectors_; }
  /// Candidates for a message about a name that was not found.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  struct Range {
    Type type = Type::kB32;
    std::uint32_t count = 0;
    unsigned elements = 1;
  };
  struct Scope {
    std::unordered_map<std::string, Symbol> symbols;
    std::unordered_map<std::string, Range> ranges;
  };
  [[nodiscard]] static Symbol* find_in(Scope& scope, const std::string& name);
  std::vector<Scope> scopes_;
  bool any_vectors_ = false;
};

}  // namespace heddle::ptx
