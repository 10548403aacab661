// Text of instructions, as nvdisasm prints them.
#pragma once

#include <functional>
#include <string>

#include "frontend/sass/instruction.h"

namespace heddle::sass {

/// Names a branch target: an operand of kind kTarget or kAbsoluteTarget.
using TargetName = std::function<std::string(const Operand&)>;

/// The mnemonic with its suffixes: "IMAD.WIDE.U32".
[[nodiscard]] std::string mnemonic(const Instruction& instruction);

/// Mnemonic and operands, without guard and semicolon. Operands that the disassembler leaves out are left out.
[[nodiscard]] std::string text_of(const Instruction& instruction, const TargetName& target);

/// "@!P0", or empty for an instruction that is always executed.
[[nodiscard]] std::string guard_text(const Instruction& instruction);

/// One operand, as in text_of().
[[nodiscard]] std::string operand_text(const Instruction& instruction, unsigned index,
                                       const TargetName& target);

/// Whether the disassembler prints an operand.
[[nodiscard]] bool is_shown(const Instruction& instruction, unsigned index);

/// Whether an operand is a branch target that the disassembler names; it prints the displacement of BRX.
[[nodiscard]] bool is_named_target(const Instruction& instruction, unsigned index);

/// Names as in instruction.h: "dst", "uniform_register", "rounding".
[[nodiscard]] const char* name_of(Role role);
[[nodiscard]] const char* name_of(Operand::Kind kind);
[[nodiscard]] const char* name_of(Modifier modifier);

}  // namespace heddle::sass
