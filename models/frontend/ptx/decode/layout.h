// Sizes and places of variables: .shared and .local within a kernel, parameters, and the bytes of .global and
// .const.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "frontend/ptx/decode.h"
#include "frontend/ptx/decode/context.h"

namespace heddle::ptx {

/// Bytes of a variable; 0 for an open array without initial values.
[[nodiscard]] std::uint64_t variable_bytes(const VariableDecl& variable);
/// Its stated alignment, or that of its type (of the whole vector for .v2 and .v4).
[[nodiscard]] std::uint32_t variable_align(const VariableDecl& variable);

/// The parameter block of a kernel.
[[nodiscard]] std::vector<isa::Param> layout_params(const ModuleContext& module, const Function& function,
                                                    std::uint32_t& total);

/// Offsets of the .shared and .local variables that a kernel mentions, module scope first, in the order of
/// the text.
struct KernelStorage {
  std::unordered_map<const VariableDecl*, std::uint64_t> offsets;
  std::uint32_t shared_bytes = 0;  ///< an .extern .shared array starts here
  std::uint32_t local_bytes = 0;
};
[[nodiscard]] KernelStorage layout_storage(const ModuleContext& module, const Function& function);

/// The .global and .const variables of the module: gives them addresses, declares them in `module` and
/// returns them with their initial bytes.
[[nodiscard]] std::vector<isa::GlobalVariable> place_globals(ModuleContext& module,
                                                             const AllocateGlobal& allocate);

}  // namespace heddle::ptx
