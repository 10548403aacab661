// Text of instructions, as nvdisasm prints them.
#pragma once

#include <functional>
#include <string>

#include "frontend/sass/instruction.h"

namespace heddle::sass {

/// Names a branch target, given in bytes from the end of the instruction.
using TargetName = std::function<std::string(std::int64_t displacement)>;

/// The mnemonic with its suffixes: "IMAD.WIDE.U32".
[[nodiscard]] std::string mnemonic(const Instruction& instruction);

/// Mnemonic and operands, without guard and semicolon. Operands that the disassembler leaves out are left out.
[[nodiscard]] std::string text_of(const Instruction& instruction, const TargetName& target);

/// "@!P0", or empty for an instruction that is always executed.
[[nodiscard]] std::string guard_text(const Instruction& instruction);

/// One operand, as in text_of().
[[nodiscard]] std::string operand_text(const Instruction& instruction, unsigned index, const TargetName& target);

/// Whether the disassembler prints an operand.
[[nodiscard]] bool is_shown(const Instruction& instruction, unsigned index);

}  // namespace heddle::sass
