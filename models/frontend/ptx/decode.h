// Syntax tree to decoded kernels: registers to rows, immediates to constant rows, symbols to addresses,
// opcode and modifiers to lane functions, CFG and immediate post-dominators to reconvergence PCs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "frontend/ptx/ast.h"
#include "isa/kernel.h"

namespace heddle::ptx {

/// Gives a module-scope .global or .const variable its device address.
using AllocateGlobal =
    std::function<std::uint64_t(const std::string& name, std::uint64_t bytes, std::uint32_t align)>;

/// Decodes every kernel of the module. Anything that is not supported (instruction, modifier, type,
/// directive) is refused by name at its place with sim::InputError; so are undeclared registers, missing
/// labels, type errors.
[[nodiscard]] isa::Module decode(const Module& module, const AllocateGlobal& allocate);

/// The same for a module whose .extern functions and variables may be those of modules decoded before with
/// the same library (library.h), which it joins.
class Library;
[[nodiscard]] isa::Module decode(std::shared_ptr<const Module> module, const AllocateGlobal& allocate,
                                 Library& library);

/// The same without joining the library, for a look at a module's kernels.
[[nodiscard]] isa::Module decode_apart(const Module& module, const AllocateGlobal& allocate,
                                       const Library& library);

/// The instructions decode() accepts, one "opcode.modifiers" family per entry, for `heddle list --ptx`.
[[nodiscard]] std::vector<std::string> supported_instructions();

}  // namespace heddle::ptx
