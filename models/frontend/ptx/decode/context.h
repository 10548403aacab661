// What decoding a kernel works on: the module's symbols, the kernel's names, rows, constants, and the code so
// far.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/ptx/ast.h"
#include "frontend/ptx/decode/constants.h"
#include "frontend/ptx/decode/registers.h"
#include "frontend/ptx/decode/symbols.h"
#include "isa/kernel.h"

namespace heddle::ptx {

/// Module-scope names with their device addresses.
struct ModuleContext {
  const Module& ast;
  std::unordered_map<std::string, VariableSymbol> globals;  ///< .global and .const

  [[noreturn]] void fail(SourceLoc where, const std::string& message, const std::string& remedy = {}) const;
};

/// A branch whose target's address is known when all code is.
struct PendingBranch {
  std::uint32_t instruction = 0;
  std::uint32_t label = 0;
};

struct KernelContext {
  const ModuleContext& module;
  const Function& function;
  Scopes scopes;
  RegisterRows registers;
  ConstantPool constants;
  std::vector<isa::Instruction> code;
  std::vector<std::uint32_t> label_pc;  ///< by label; an index into the code
  std::vector<PendingBranch> branches;
  isa::Operand guard;  ///< of the PTX instruction being decoded

  /// Appends an instruction under the guard and at the place of the PTX instruction `from`.
  isa::Instruction& emit(const Instruction& from, isa::Instruction instruction);
  [[noreturn]] void fail(SourceLoc where, const std::string& message, const std::string& remedy = {}) const {
    module.fail(where, message, remedy);
  }
  /// A register of the decoder's own (registers.h), or the error that there are too many registers.
  [[nodiscard]] isa::Operand scratch(const Instruction& from, isa::RowWidth width, unsigned index);
  /// The condition code register, or the same error.
  [[nodiscard]] isa::Operand carry(const Instruction& from);
};

/// "setp.lt.s32", as written.
[[nodiscard]] std::string full_name(const Instruction& instruction);

/// Decodes one PTX instruction into the kernel's code.
void decode_instruction(KernelContext& kernel, const Instruction& instruction);

/// Decodes an entry function.
[[nodiscard]] isa::Kernel decode_kernel(const ModuleContext& module, const Function& function);

}  // namespace heddle::ptx
