// What the names in a PTX function stand for: scopes, registers, variables, labels, and the memory its
// variables need.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/ptx/ast.h"
#include "oracle/program.h"

namespace heddle::oracle {

struct Register {
  std::uint32_t slot = 0;
  Type type = Type::kB32;
};

/// Address of a variable within its space (shared: offset in the CTA's, local: in the thread's, param: in the
/// block).
struct Symbol {
  StateSpace space = StateSpace::kGlobal;
  std::uint64_t value = 0;
};

/// Device addresses of the module's .global and .const variables.
using ModuleSymbols = std::map<std::string, Symbol>;

/// "name:line:column" for messages.
[[nodiscard]] std::string place_of(const ptx::Module& module, isa::SourceLoc where);

class FunctionNames {
 public:
  using ScopeIndex = std::size_t;
  struct Line {
    const ptx::Instruction* instruction = nullptr;
    ScopeIndex scope = 0;
  };

  /// Throws sim::InputError: a name declared twice in one scope, a variable in a space that functions cannot
  /// hold.
  FunctionNames(const ptx::Module& module, const ptx::Function& function, const ModuleSymbols& globals);

  /// The function's instructions in order; labels are positions in this list.
  [[nodiscard]] const std::vector<Line>& lines() const { return lines_; }
  /// Slots are handed out on first use, so a `.reg .b32 %r<100000>` costs only what is used.
  [[nodiscard]] std::optional<Register> find_register(ScopeIndex scope, const std::string& name);
  [[nodiscard]] std::optional<Symbol> find_symbol(ScopeIndex scope, const std::string& name) const;
  [[nodiscard]] std::optional<std::uint32_t> find_label(ScopeIndex scope, const std::string& name) const;

  [[nodiscard]] std::uint32_t slots() const { return slots_; }
  [[nodiscard]] const std::vector<isa::Param>& params() const { return params_; }
  [[nodiscard]] std::uint32_t param_bytes() const { return param_bytes_; }
  [[nodiscard]] std::uint32_t static_shared_bytes() const { return static_shared_bytes_; }
  [[nodiscard]] std::uint32_t dynamic_shared_base() const { return dynamic_shared_base_; }
  [[nodiscard]] std::uint32_t local_bytes() const { return local_bytes_; }

 private:
  struct Scope {
    std::optional<ScopeIndex> parent;
    std::map<std::string, const ptx::RegisterDecl*> registers;  ///< by name, or by prefix for %r<n>
    std::map<std::string, Register> resolved;
    std::map<std::string, Symbol> symbols;
    std::map<std::string, std::uint32_t> labels;
  };
  void collect(const ptx::Block& block, ScopeIndex scope);
  void lay_out_params(const ptx::Function& function);
  void lay_out_variables(const ptx::Module& module);
  void place_variable(const ptx::VariableDecl& variable, ScopeIndex scope);
  [[noreturn]] void declared_twice(const std::string& name, isa::SourceLoc where) const;
  [[nodiscard]] std::optional<Type> numbered_type(const Scope& scope, const std::string& name) const;

  const ptx::Module& module_;
  const ModuleSymbols& globals_;
  std::vector<Scope> scopes_;
  std::vector<Line> lines_;
  std::vector<std::pair<const ptx::VariableDecl*, ScopeIndex>> variables_;
  std::set<std::string> used_;  ///< every name that instructions mention
  std::vector<isa::Param> params_;
  std::uint32_t slots_ = 0;
  std::uint32_t param_bytes_ = 0;
  std::uint32_t static_shared_bytes_ = 0;
  std::uint32_t dynamic_shared_base_ = 0;
  std::uint32_t local_bytes_ = 0;
};

/// Bytes of a variable with all its elements; 0 for an array of unknown extent.
[[nodiscard]] std::uint64_t variable_bytes(const ptx::VariableDecl& variable);
[[nodiscard]] std::uint32_t variable_align(const ptx::VariableDecl& variable);

}  // namespace heddle::oracle
