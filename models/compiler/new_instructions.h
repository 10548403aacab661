// Ordinary instructions that passes insert.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "isa/kernel.h"
#include "isa/lane_ops.h"

namespace heddle::compiler {

/// An operation on rows. `compare`: of setp.
[[nodiscard]] isa::Instruction lane_instruction(isa::LaneOp op, isa::Type type, const isa::Operand& to,
                                                std::initializer_list<isa::Operand> from,
                                                isa::Compare compare = isa::Compare::kNe);
/// kLoad or kStore of a 32- or 64-bit row, `offset` bytes behind the local address in `frame`.
[[nodiscard]] isa::Instruction frame_access(isa::Opcode op, const isa::Operand& row,
                                            const isa::Operand& frame, std::uint64_t offset);

/// "st.local.b32 [%frame+16], %r5": of an instruction that a pass has inserted.
[[nodiscard]] std::string inserted_text(const isa::Kernel& kernel, base::Pc pc);

}  // namespace heddle::compiler
