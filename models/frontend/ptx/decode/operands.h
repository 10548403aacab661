// Operands of PTX instructions to rows and addresses, with PTX's rules for compatible types.
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
/// A register as destination; "_" yields an absent operand.
[[nodiscard]] Row destination(KernelContext& kernel, const Instruction& instruction, const Operand& operand,
                              Type type, Width width = Width::kExact);

/// The elements of {a, b, ...}, or the operand itself if `count` is 1. Any other number of elements is an
/// error.
[[nodiscard]] std::vector<const Operand*> elements(KernelContext& kernel, const Instruction& instruction,
                                                   const Operand& operand, unsigned count);

/// The address of a symbol. The shared and local windows are added to generic addresses.
[[nodiscard]] std::uint64_t symbol_address(KernelContext& kernel, const Operand& operand,
                                           const SymbolName& symbol, bool generic);

/// Adds the registers among the subscripts of a[%r] to an address, in bytes: returns a 64-bit scratch row
/// that includes `base` (if present), or `base` itself if there are none. A .s register is sign-extended, any
/// other zero-extended.
[[nodiscard]] isa::Operand add_subscripts(KernelContext& kernel, const Instruction& instruction,
                                          const Operand& operand,
                                          const std::vector<RegisterSubscript>& subscripts,
                                          isa::Operand base);

/// [base+offset] as an address in `space`, for an access of `bytes`.
[[nodiscard]] isa::MemoryOperand address(KernelContext& kernel, const Instruction& instruction,
                                         const Operand& operand, StateSpace space, unsigned bytes);

/// The same in scratch row `scratch` of 64 bits, which may change.
[[nodiscard]] isa::Operand address_in_row(KernelContext& kernel, const Instruction& instruction,
                                          const Operand& operand, StateSpace space, unsigned bytes,
                                          unsigned scratch);

/// Reports an error unless the instruction has from `least` to `most` operands.
void check_operand_count(const KernelContext& kernel, const Instruction& instruction, std::size_t least,
                         std::size_t most);

/// Whether a member mask is a constant that names all lanes.
[[nodiscard]] bool is_full_mask(const Operand& operand);

/// The clock that a special register reads, in core cycles or (kGlobal) nanoseconds; kNone: it is not a
/// clock.
enum class Clock : std::uint8_t { kNone, k32, k32High, k64, kGlobal32, kGlobal32High, kGlobal64 };
[[nodiscard]] Clock clock_register(const Operand& operand);

}  // namespace heddle::ptx
