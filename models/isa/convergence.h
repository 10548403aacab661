// Convergence instructions of Turing and later: they name, by barrier registers Bx of the warp, the lanes that
// are to meet ([Hanoi] Tab I).
#pragma once

#include <cstdint>
#include <string>

#include "isa/instruction.h"

namespace heddle::isa {

/// "BSSY", "BMOV.32.CLEAR" ...
[[nodiscard]] const char* convergence_name(ConvergenceOp op);

struct Kernel;
/// "@!%p1 BREAK B0", "BSSY B0, 0x0a8": of a convergence instruction of the kernel.
[[nodiscard]] std::string convergence_text(const Kernel& kernel, Pc pc);

/// "%r5", "0x00000010", "RZ": the name of a register, or the value of a constant.
[[nodiscard]] std::string row_text(const Kernel& kernel, const Operand& operand);

/// A convergence instruction, complete but for its guards, and usable in KernelEditor. Rows are of 32 bits.

/// BSSY: `resume` is the instruction behind the BSYNC ([Hanoi:A1]).
[[nodiscard]] Instruction bssy(std::uint8_t barrier, Pc resume);
[[nodiscard]] Instruction bsync(std::uint8_t barrier);
[[nodiscard]] Instruction break_barrier(std::uint8_t barrier);
/// BMOV.32 Rx,Bx. `clear`: the barrier register is invalid afterwards. An absent `to` discards the value.
[[nodiscard]] Instruction read_barrier(const Operand& to, std::uint8_t barrier, bool clear);
/// BMOV.32 Bx,Rx: of a register or a constant row.
[[nodiscard]] Instruction write_barrier(std::uint8_t barrier, const Operand& from);
/// With whom lanes go on behind a WARPSYNC: its Instruction::barrier, as it names no barrier register.
enum class WarpSyncKind : std::uint8_t {
  kPlain,      ///< with whoever is there
  kExclusive,  ///< with lanes of the same mask only
  kCollective  ///< the same, and all of them at one place: behind the WARPSYNC to which the first of them came
};
[[nodiscard]] Instruction warpsync(const Operand& members, WarpSyncKind kind = WarpSyncKind::kPlain);
[[nodiscard]] Instruction yield();

}  // namespace heddle::isa
