// Which functions a kernel may call, how they call each other, and where their parameters, results, return
// addresses and frames are.
//
// Every function has rows of its own, whoever calls it. A function that cannot be entered again before it has
// returned has a frame at a fixed place in local memory, behind those of its callers. Functions that call
// each other in a cycle share their rows with their own later calls: they save what they still need on a
// stack in local memory (isa/recursion.h), where their frames lie too.
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
  std::size_t target_operand = 0;            ///< index of the operand that says what is called
  std::vector<const FunctionPlan*> callees;  ///< more than one only if indirect
  bool indirect = false;
  const std::vector<ParamDecl>* returns = nullptr;  ///< of the callee or of the prototype
  const std::vector<ParamDecl>* params = nullptr;
  std::string builtin;  ///< name of a function that the device itself provides (vprintf ...); empty: none
};

/// A parameter or a result of a function.
struct PassedValue {
  const ParamDecl* declared = nullptr;
  /// The value; of an array (a structure in C) its address in local memory, which the caller provides.
  isa::Operand row;
  bool by_address = false;
};

struct FunctionPlan {
  const ModuleContext* module = nullptr;
  const Function* function = nullptr;
  std::size_t index = 0;        ///< in KernelPlan::functions; 0: the entry
  std::uint32_t recursion = 0;  ///< as in isa::FunctionCode
  bool called_indirectly = false;
  bool allocates = false;  ///< alloca
  std::vector<PassedValue> params;
  std::vector<PassedValue> returns;
  isa::Operand return_pc;      ///< not of the entry
  isa::Operand frame;          ///< address of the frame, if it lies on the stack; top of the stack on entry
  std::uint64_t frame_at = 0;  ///< address of a frame that does not
  FunctionStorage storage;
  std::unordered_map<const Instruction*, CallTargets> calls;

  [[nodiscard]] bool on_stack() const { return recursion != 0; }
  /// Keeps what the stack was on entry in `frame`.
  [[nodiscard]] bool has_frame_row() const { return recursion != 0 || allocates; }
};

struct KernelPlan {
  std::vector<std::unique_ptr<FunctionPlan>> functions;  ///< the entry first
  SharedStorage shared;
  std::uint64_t static_local_bytes = 0;
  /// Of everything on the stack, in bytes: the largest alignment that a function of a recursion needs.
  std::uint64_t stack_align = kFrameAlign;
  std::uint32_t param_bytes = 0;  ///< of the entry
  isa::Operand stack_pointer;     ///< present if any function has something on the stack
  /// Functions whose address the program takes, with a plan if the kernel may call them.
  std::vector<std::pair<const FunctionSymbol*, const FunctionPlan*>> addressed;

  // Where indirect calls pass things, as the callee is not known: rows by kind of register.
  [[nodiscard]] isa::Operand argument(RegisterRows& registers, std::size_t index, isa::RowWidth width);
  [[nodiscard]] isa::Operand result(RegisterRows& registers, std::size_t index, isa::RowWidth width);
  [[nodiscard]] isa::Operand return_pc(RegisterRows& registers);

 private:
  [[nodiscard]] isa::Operand passing_row(RegisterRows& registers, const std::string& name,
                                         isa::RowWidth width);
  std::unordered_map<std::string, isa::Operand> passing_;
};

/// Finds everything an entry function may call and lays out its rows and frames.
[[nodiscard]] KernelPlan plan_kernel(const ModuleContext& module, const Function& entry,
                                     RegisterRows& registers);

/// The row width of a parameter: of its address if it is an array.
[[nodiscard]] isa::RowWidth passing_width(const ParamDecl& param);

}  // namespace heddle::ptx
