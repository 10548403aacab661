// The functions a kernel may call, their call graph, and the allocation of their parameters, results, return
// addresses and frames.
//
// Every function has its own rows, independent of the caller. A function that cannot be re-entered before it
// returns has a frame at a fixed address in local memory, after those of its callers. Mutually recursive
// functions share their rows with their own later calls. They save the values they still need on a stack in
// local memory (isa/recursion.h), which also holds their frames.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/ptx/decode/context.h"
#include "frontend/ptx/decode/layout.h"

namespace heddle::ptx {

/// One call instruction of the text.
struct CallTargets {
  const Instruction* instruction = nullptr;
  std::size_t target_operand = 0;            ///< index of the operand that selects the callee
  std::vector<const FunctionPlan*> callees;  ///< more than one only if indirect
  bool indirect = false;
  const std::vector<ParamDecl>* returns = nullptr;  ///< of the callee or of the prototype
  const std::vector<ParamDecl>* params = nullptr;
  std::string builtin;  ///< name of a function provided by the device (vprintf ...); empty: none
};

/// A parameter or a result of a function.
struct PassedValue {
  const ParamDecl* declared = nullptr;
  /// The value; for an array (a structure in C) its address in local memory, which the caller provides.
  isa::Operand row;
  bool by_address = false;
};

struct FunctionPlan {
  const ModuleContext* module = nullptr;
  const Function* function = nullptr;
  std::size_t index = 0;        ///< in KernelPlan::functions; 0: the entry
  std::uint32_t recursion = 0;  ///< like isa::FunctionCode::recursion
  bool called_indirectly = false;
  bool allocates = false;  ///< alloca
  std::vector<PassedValue> params;
  std::vector<PassedValue> returns;
  isa::Operand return_pc;      ///< not used by the entry
  isa::Operand frame;          ///< address of the frame, if it is on the stack; on entry the top of the stack
  std::uint64_t frame_at = 0;  ///< address of a frame that is not on the stack
  FunctionStorage storage;
  std::unordered_map<const Instruction*, CallTargets> calls;

  [[nodiscard]] bool on_stack() const { return recursion != 0; }
  /// The function keeps the stack pointer it was entered with in `frame`.
  [[nodiscard]] bool has_frame_row() const { return recursion != 0 || allocates; }
};

struct KernelPlan {
  std::vector<std::unique_ptr<FunctionPlan>> functions;  ///< the entry first
  SharedStorage shared;
  std::uint64_t static_local_bytes = 0;
  /// Alignment of everything on the stack in bytes: the largest that a recursive function needs.
  std::uint64_t stack_align = kFrameAlign;
  std::uint32_t param_bytes = 0;  ///< parameter bytes of the entry
  isa::Operand stack_pointer;     ///< present if any function uses the stack
  /// Functions whose address the program takes, with their plan if the kernel may call them.
  std::vector<std::pair<const FunctionSymbol*, const FunctionPlan*>> addressed;

  // Rows for passing values in indirect calls, where the callee is unknown: by kind of register.
  [[nodiscard]] isa::Operand argument(RegisterRows& registers, std::size_t index, isa::RowWidth width);
  [[nodiscard]] isa::Operand result(RegisterRows& registers, std::size_t index, isa::RowWidth width);
  [[nodiscard]] isa::Operand return_pc(RegisterRows& registers);

 private:
  [[nodiscard]] isa::Operand passing_row(RegisterRows& registers, const std::string& name,
                                         isa::RowWidth width);
  std::unordered_map<std::string, isa::Operand> passing_;
};

/// Finds all functions that an entry function may call, and lays out their rows and frames.
[[nodiscard]] KernelPlan plan_kernel(const ModuleContext& module, const Function& entry,
                                     RegisterRows& registers);

/// The row width of a parameter; for an array, that of its address.
[[nodiscard]] isa::RowWidth passing_width(const ParamDecl& param);

}  // namespace heddle::ptx
