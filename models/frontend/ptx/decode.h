// Syntax tree to decoded kernels: registers to rows, immediates to constant rows, symbols to addresses,
// opcodes and modifiers to lane functions. Properties that follow from the code alone (reconvergence points,
// live registers, saved registers of recursions) are added later by compiler::Pipeline.
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

/// Decodes every kernel of the module. A kernel is refused if it, or a function that it may call, contains
/// anything unsupported (instruction, modifier, type, directive), an undeclared register, a missing label or
/// a type error. isa::Module::refused has the error with its location. Errors of the module itself (its
/// variables, or the declarations of its functions) are thrown as base::InputError.
[[nodiscard]] isa::Module decode(const Module& module, const AllocateGlobal& allocate);

/// The same for a module whose .extern functions and variables may refer to modules decoded earlier with the
/// same library (library.h). The module joins the library.
class Library;
[[nodiscard]] isa::Module decode(std::shared_ptr<const Module> module, const AllocateGlobal& allocate,
                                 Library& library);

/// The same without joining the library, to inspect a module's kernels.
[[nodiscard]] isa::Module decode_apart(const Module& module, const AllocateGlobal& allocate,
                                       const Library& library);

/// The supported instructions, one "opcode.modifiers" family per entry, for `heddle list --ptx`.
[[nodiscard]] std::vector<std::string> supported_instructions();

}  // namespace heddle::ptx
