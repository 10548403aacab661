// Functions of a module by name, with addresses for those whose address the program takes.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/ptx/ast.h"
#include "frontend/ptx/decode.h"

namespace heddle::ptx {

struct ModuleContext;

struct FunctionSymbol {
  const ModuleContext* module = nullptr;  ///< the module whose names its body uses
  const Function* function = nullptr;     ///< the definition; a declaration if there is none
  std::uint64_t address = 0;              ///< 0: never taken

  [[nodiscard]] bool defined() const { return !function->external; }
};

/// Declares the functions and aliases of the module in `module`, links declarations to definitions in modules
/// loaded earlier, and assigns an address to every function whose address is taken.
void place_functions(ModuleContext& module, const AllocateGlobal& allocate);

/// Functions and aliases whose addresses the module takes, in instructions or initial values; a function that is declared more
/// than once comes as often.
[[nodiscard]] std::vector<std::string> functions_used_as_values(const Module& ast);

/// How parameters and results are passed, as text. An indirect call may reach the functions with the same
/// signature as its prototype.
[[nodiscard]] std::string signature(const std::vector<ParamDecl>& returns,
                                    const std::vector<ParamDecl>& params);

/// Size of a parameter or result in bytes; 0 for a predicate and for an open array.
[[nodiscard]] std::uint64_t param_bytes(const ParamDecl& param);

/// Calls fn(instruction) for every instruction of the block and its nested blocks, in text order.
template <class Fn>
void for_each_instruction(const Block& block, Fn&& fn) {
  for (const Statement& statement : block.statements) {
    if (const auto* instruction = std::get_if<Instruction>(&statement)) fn(*instruction);
    if (const auto* inner = std::get_if<std::shared_ptr<Block>>(&statement))
      for_each_instruction(**inner, fn);
  }
}

}  // namespace heddle::ptx
