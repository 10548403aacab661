// Syntax tree to decoded kernels: registers to rows, immediates to constant rows, symbols to addresses,
// opcode and modifiers to lane functions. The kernels still lack what follows from their code alone
// (reconvergence points, live registers, saved registers of recursions): compiler::Pipeline.
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

/// Decodes every kernel of the module. A kernel that holds anything unsupported (instruction, modifier, type,
/// directive), an undeclared register, a missing label or a type error, itself or in a function that it may
/// call, is refused: isa::Module::refused has its error, by name at its place. What is wrong with the module
/// itself (its variables, what its functions are) is thrown as base::InputError.
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
