// Resolves the names in a PTX function: scopes, registers, variables, labels, and the memory its variables
// need.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/ptx/ast.h"
#include "oracle/program.h"

namespace heddle::oracle {

struct Register {
  std::uint32_t slot = 0;
  Type type = Type::kB32;
};

/// Address of a variable within its space (shared: offset in the CTA's shared memory; local: in the
/// function's frame; param: in a kernel's parameter block or, for everything a call passes, in the frame).
/// For functions: space kNone and their address.
struct Symbol {
  StateSpace space = StateSpace::kGlobal;
  std::uint64_t value = 0;
  std::uint64_t bytes = 0;
  bool in_frame = false;
};

/// Device addresses of the .global and .const variables visible in a module, and of its functions.
using ModuleSymbols = std::map<std::string, Symbol>;

/// Shared memory of a kernel and the functions it calls.
struct SharedLayout {
  static constexpr std::uint64_t kDynamic = ~std::uint64_t{0};  ///< value of extern arrays until the layout
                                                                ///< is complete
  std::map<const ptx::VariableDecl*, Symbol> variables;         ///< of module scope
  std::uint32_t bytes = 0;
  std::uint32_t dynamic_align = 16;
  [[nodiscard]] std::uint32_t dynamic_base() const {
    return (bytes + dynamic_align - 1) / dynamic_align * dynamic_align;
  }
};

/// "name:line:column" for messages.
[[nodiscard]] std::string place_of(const ptx::Module& module, isa::SourceLoc where);

class FunctionNames {
 public:
  using ScopeIndex = std::size_t;
  struct Line {
    const ptx::Instruction* instruction = nullptr;
    ScopeIndex scope = 0;
  };

  /// A table of .branchtargets or .calltargets.
  struct Table {
    const ptx::Instruction* instruction = nullptr;
    ScopeIndex scope = 0;
  };

  /// Adds the function's shared variables to `shared`. Throws base::InputError for a name declared twice in
  /// one scope, or a variable in a space that functions cannot declare.
  FunctionNames(const ptx::Module& module, const ptx::Function& function, const ModuleSymbols& globals,
                SharedLayout& shared);

  /// The function's instructions in order; labels are positions in this list.
  [[nodiscard]] const std::vector<Line>& lines() const { return lines_; }
  /// Every name that instructions mention.
  [[nodiscard]] const std::set<std::string>& mentioned() const { return used_; }
  [[nodiscard]] const ptx::Function& function() const { return function_; }
  /// Slots are allocated on first use, so a `.reg .b32 %r<100000>` costs only what is used.
  [[nodiscard]] std::optional<Register> find_register(ScopeIndex scope, const std::string& name);
  [[nodiscard]] std::optional<Symbol> find_symbol(ScopeIndex scope, const std::string& name) const;
  [[nodiscard]] std::optional<std::uint32_t> find_label(ScopeIndex scope, const std::string& name) const;

  [[nodiscard]] const Table* find_table(ScopeIndex scope, const std::string& name) const;
  /// Elements of a vector register; empty if `name` is not one.
  [[nodiscard]] std::vector<Register> find_vector(ScopeIndex scope, const std::string& name);
  /// The condition code register of extended-precision instructions.
  [[nodiscard]] std::uint32_t carry_slot();

  [[nodiscard]] std::uint32_t slots() const { return slots_; }
  /// The .shared variables that the function itself declares.
  [[nodiscard]] std::vector<std::pair<std::string, Symbol>> shared_variables() const;
  [[nodiscard]] const std::vector<Formal>& formal_params() const { return formal_params_; }
  [[nodiscard]] const std::vector<Formal>& formal_results() const { return formal_results_; }
  [[nodiscard]] const std::vector<isa::Param>& params() const { return params_; }
  [[nodiscard]] std::uint32_t param_bytes() const { return param_bytes_; }
  [[nodiscard]] std::uint32_t local_bytes() const { return local_bytes_; }
  [[nodiscard]] std::uint32_t local_align() const { return local_align_; }

 private:
  struct Scope {
    std::optional<ScopeIndex> parent;
    std::map<std::string, const ptx::RegisterDecl*> registers;  ///< by name, or by prefix for %r<n>
    std::map<std::string, Register> resolved;
    std::map<std::string, Symbol> symbols;
    std::map<std::string, std::uint32_t> labels;
    std::map<std::string, Table> tables;
  };
  void collect(const ptx::Block& block, ScopeIndex scope);
  void lay_out_params();
  void refuse_opaque(const ptx::ParamDecl& decl) const;
  void lay_out_formals(const std::vector<ptx::ParamDecl>& decls, std::vector<Formal>& formals);
  void lay_out_variables();
  [[nodiscard]] std::uint32_t place_in_frame(std::uint64_t bytes, std::uint32_t align,
                                             const std::string& name, isa::SourceLoc where);
  void place_variable(const ptx::VariableDecl& variable, ScopeIndex scope);
  [[noreturn]] void declared_twice(const std::string& name, isa::SourceLoc where) const;
  [[nodiscard]] static const ptx::RegisterDecl* declared(const Scope& scope, const std::string& name);

  const ptx::Module& module_;
  const ptx::Function& function_;
  const ModuleSymbols& globals_;
  SharedLayout& shared_;
  std::vector<Scope> scopes_;
  std::vector<Line> lines_;
  std::vector<std::pair<const ptx::VariableDecl*, ScopeIndex>> variables_;
  std::set<std::string> used_;
  std::vector<isa::Param> params_;
  std::uint32_t slots_ = 0;
  std::uint32_t param_bytes_ = 0;
  std::vector<Formal> formal_params_;
  std::vector<Formal> formal_results_;
  std::optional<std::uint32_t> carry_slot_;
  std::uint32_t local_bytes_ = 0;
  std::uint32_t local_align_ = 16;
};

/// Bytes of a variable with all its elements; 0 for an array of unknown size.
[[nodiscard]] std::uint64_t variable_bytes(const ptx::VariableDecl& variable);
[[nodiscard]] std::uint32_t variable_align(const ptx::VariableDecl& variable);
[[nodiscard]] std::uint64_t param_bytes(const ptx::ParamDecl& param);
[[nodiscard]] std::uint32_t param_align(const ptx::ParamDecl& param);

}  // namespace heddle::oracle
