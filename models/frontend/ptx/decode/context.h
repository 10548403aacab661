// The state of decoding: the module's symbols, and for each function of a kernel (including the entry) its
// names, its calls and its code so far. Rows and constants are shared by the whole kernel.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/ptx/ast.h"
#include "frontend/ptx/decode/functions.h"
#include "frontend/ptx/decode/registers.h"
#include "frontend/ptx/decode/symbols.h"
#include "isa/constant_pool.h"
#include "isa/kernel.h"

namespace heddle::ptx {

struct FunctionPlan;
struct KernelPlan;
class Library;

/// Module-scope names with their device addresses.
struct ModuleContext {
  const Module& ast;
  std::unordered_map<std::string, VariableSymbol> globals;    ///< .global and .const
  std::unordered_map<std::string, FunctionSymbol> functions;  ///< .func, and aliases
  std::vector<const FunctionSymbol*> addressed;               ///< functions whose address this module takes
  const Library* library = nullptr;                           ///< modules loaded before
  /// Unsupported module-scope variables: only kernels that use them are refused.
  std::unordered_map<std::string, const VariableDecl*> unsupported{};

  /// nullptr: there is no function of that name.
  [[nodiscard]] const FunctionSymbol* find_function(const std::string& name) const {
    const auto found = functions.find(name);
    return found == functions.end() ? nullptr : &found->second;
  }
  [[noreturn]] void fail(SourceLoc where, const std::string& message, const std::string& remedy = {}) const;
};

/// A branch whose target address is known once all code has been emitted.
struct PendingBranch {
  std::uint32_t instruction = 0;
  std::uint32_t label = 0;
};

/// The same for an indirect branch.
struct PendingTable {
  std::uint32_t instruction = 0;
  std::vector<std::uint32_t> labels;
};

/// A call in the code: [begin, end) are the copies of arguments, the call, and the copies of results.
struct CallSite {
  std::uint32_t begin = 0;
  std::uint32_t link = 0;  ///< receives the PC after the call as src[0]
  std::uint32_t call = 0;
  std::uint32_t end = 0;
  std::vector<const FunctionPlan*> callees;
};

/// A .global, .const, .shared or .local variable with a fixed address, used by the instruction at `where`.
struct NamedVariable {
  SourceLoc where;
  std::string name;
  StateSpace space = StateSpace::kGlobal;
  std::uint64_t start = 0;
};

/// A pragma that says that the loop around it busy-waits.
struct SpinPragma {
  std::uint32_t instruction = 0;  ///< the next one
  bool lock = false;
};

struct KernelContext {
  const ModuleContext& module;
  const Function& function;
  RegisterRows& registers;
  isa::ConstantPool& constants;
  KernelPlan& kernel;
  FunctionPlan& plan;
  Scopes scopes{};
  std::vector<isa::Instruction> code{};
  std::vector<std::uint32_t> label_pc{};  ///< by label; an index into the code
  std::vector<PendingBranch> branches{};
  std::vector<PendingTable> tables{};
  std::vector<CallSite> calls{};
  std::vector<std::uint32_t> frame_sizes{};  ///< instructions that take the size of the frame as src[1]
  /// The table (.branchtargets, ...) after a label, by label.
  std::unordered_map<std::uint32_t, const Instruction*> label_tables{};
  std::vector<SpinPragma> spin_pragmas{};
  std::vector<NamedVariable> variables{};  ///< in the order of the instructions that name them
  isa::Operand guard{};                    ///< of the PTX instruction being decoded
  SourceLoc place{};                       ///< its source location

  /// Appends an instruction with the guard and source location of the PTX instruction `from`.
  isa::Instruction& emit(const Instruction& from, isa::Instruction instruction);
  [[noreturn]] void fail(SourceLoc where, const std::string& message, const std::string& remedy = {}) const {
    module.fail(where, message, remedy);
  }
  /// A scratch register of the decoder (registers.h); an error if there are too many registers.
  [[nodiscard]] isa::Operand scratch(const Instruction& from, isa::RowWidth width, unsigned index);
  /// The condition code register; the same error.
  [[nodiscard]] isa::Operand carry(const Instruction& from);
};

/// The modifier that says that the last operand is a policy of L2.
inline constexpr std::string_view kCacheHint = "L2::cache_hint";
[[nodiscard]] bool has_modifier(const Instruction& instruction, std::string_view word);

/// "setp.lt.s32", as written.
[[nodiscard]] std::string full_name(const Instruction& instruction);

/// Decodes one PTX instruction into the kernel's code.
void decode_instruction(KernelContext& kernel, const Instruction& instruction);

/// Decodes an entry function with all functions it may call.
[[nodiscard]] isa::Kernel decode_kernel(const ModuleContext& module, const Function& function);

}  // namespace heddle::ptx
