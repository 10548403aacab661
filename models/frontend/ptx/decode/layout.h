// Sizes and offsets of variables: .shared and .local within a kernel, parameters, and the initial bytes of
// .global and .const.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "frontend/ptx/decode.h"
#include "frontend/ptx/decode/context.h"

namespace heddle::ptx {

/// Size of a variable in bytes; 0 for an open array without initial values.
[[nodiscard]] std::uint64_t variable_bytes(const VariableDecl& variable);
/// Its declared alignment, or that of its type (of the whole vector for .v2 and .v4).
[[nodiscard]] std::uint32_t variable_align(const VariableDecl& variable);

/// The parameter block of a kernel.
[[nodiscard]] std::vector<isa::Param> layout_params(const ModuleContext& module, const Function& function,
                                                    std::uint32_t& total);

inline constexpr std::uint64_t kMostLocalBytes = std::uint64_t{512} * 1024;  ///< CUDA: 512 KB per thread
inline constexpr std::uint64_t kMostConstBytes = 65536;  ///< PTX ISA, "Constant State Space": of a module

/// Offsets of the .shared variables that the functions of a kernel use, module scope first, in text order.
struct SharedStorage {
  std::unordered_map<const VariableDecl*, std::uint64_t> offsets;
  std::uint32_t bytes = 0;  ///< an .extern .shared array starts here
};
[[nodiscard]] SharedStorage layout_shared(const std::vector<const FunctionPlan*>& functions);

/// The contents of a function's frame in local memory, as offsets: the .local variables that the function
/// uses, in text order, and those parameters of its own and of its calls that cannot be held in a register.
/// These are arrays (those of its own parameters are in the caller's frame) and scalars whose address is
/// taken or that are accessed in parts.
inline constexpr std::uint32_t kFrameAlign = 16;  ///< of frames, unless a variable needs more
struct FunctionStorage {
  std::unordered_map<const void*, std::uint64_t> offsets;  ///< by VariableDecl or ParamDecl
  std::uint64_t bytes = 0;                                 ///< of the variables
  std::uint32_t align = kFrameAlign;                       ///< of the whole frame
  /// Of a frame on the stack: a multiple of 8, since registers are saved behind it.
  [[nodiscard]] std::uint64_t frame_bytes() const { return (bytes + 7) / 8 * 8; }
};
[[nodiscard]] FunctionStorage layout_function(const ModuleContext& module, const Function& function);

/// The .global and .const variables of the module: assigns addresses, declares them in `module`, and returns
/// them with their initial bytes.
[[nodiscard]] std::vector<isa::GlobalVariable> place_globals(ModuleContext& module,
                                                             const AllocateGlobal& allocate);

}  // namespace heddle::ptx
