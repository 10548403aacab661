// Operands of PTX instructions to rows and addresses, with PTX's rules on which types go together.
#pragma once

#include "frontend/ptx/decode/context.h"

namespace heddle::ptx {

/// Whether a register may be wider than the type it is used as: yes for ld, st and cvt (PTX "operand size
/// exceeding instruction-type size").
enum class Width : std::uint8_t { kExact, kRelaxed };

struct Row {
  isa::Operand operand;
  unsigned bits = 0;  ///< width of the register; of a constant: of its type
};

/// A register, special register or number as a source of `type`; !p for predicates.
[[nodiscard]] Row source(KernelContext& kernel, const Instruction& instruction, const Operand& operand,
                         Type type, Width width = Width::kExact);
/// A register as destination. "_" gives an absent operand.
[[nodiscard]] Row destination(KernelContext& kernel, const Instruction& instruction, const Operand& operand,
                              Type type, Width width = Width::kExact);

/// The elements of {a, b, ...}, or the operand itself if `count` is 1. Another number of elements is an
/// error.
[[nodiscard]] std::vector<const Operand*> elements(KernelContext& kernel, const Instruction& instruction,
                                                   const Operand& operand, unsigned count);

/// Where a symbol stands for an address: that address. In a generic address the shared and local windows are
/// added.
[[nodiscard]] std::uint64_t symbol_address(KernelContext& kernel, const Operand& operand,
                                           const SymbolName& symbol, bool generic);

/// What the registers among the subscripts of a[%r] add to an address, in bytes: a 64-bit row of the
/// decoder's own, to which `base` (if present) has been added; `base` itself if there are none. A .s register
/// counts as a signed number, any other as an unsigned one.
[[nodiscard]] isa::Operand add_subscripts(KernelContext& kernel, const Instruction& instruction,
                                          const Operand& operand,
                                          const std::vector<RegisterSubscript>& subscripts,
                                          isa::Operand base);

/// [base+offset] as an address in `space`, of an access of `bytes`.
[[nodiscard]] isa::MemoryOperand address(KernelContext& kernel, const Instruction& instruction,
                                         const Operand& operand, StateSpace space, unsigned bytes);

/// The error that the instruction has the wrong number of operands, unless it has from `least` to `most`.
void check_operand_count(const KernelContext& kernel, const Instruction& instruction, std::size_t least,
                         std::size_t most);

/// A member mask that is a constant and names all lanes.
[[nodiscard]] bool is_full_mask(const Operand& operand);

/// The special register that is read as a clock, of core cycles or (kGlobal) of nanoseconds; kNone: it is
/// none.
enum class Clock : std::uint8_t { kNone, k32, k32High, k64, kGlobal32, kGlobal32High, kGlobal64 };
[[nodiscard]] Clock clock_register(const Operand& operand);

}  // namespace heddle::ptx
