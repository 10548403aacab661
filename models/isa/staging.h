// Operands that cannot be used as rows directly: a number with a modifier, or a 64-bit value in two 32-bit
// registers. A step before the lane function turns them into scratch rows, and a step after it splits
// results. The lane function itself only sees rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "isa/instruction.h"

namespace heddle::isa {

/// The blocks whose rows operands name.
struct RowBlocks {
  std::byte* registers = nullptr;
  const std::byte* constants = nullptr;
  const std::byte* special = nullptr;

  [[nodiscard]] const std::byte* row(const Operand& operand) const {
    switch (operand.space) {
      case RowSpace::kRegister:
        return registers + operand.offset;
      case RowSpace::kConstant:
        return constants + operand.offset;
      case RowSpace::kSpecial:
        return special + operand.offset;
    }
    return nullptr;
  }
};

/// Modifiers that machine code applies to a source. On floats they change only the sign bit, also of NaNs.
enum class SourceModifier : std::uint8_t {
  kNone,
  kNegate,          ///< -x
  kAbsolute,        ///< |x|
  kNegateAbsolute,  ///< -|x|
  kComplement,      ///< ~x
};
enum class StagedKind : std::uint8_t { kInteger, kFloat };

/// One source or destination. `high` present: a register pair, `operand` holds its low halves; both are 32-bit rows
/// and the value has 64 bits. A destination has no modifier.
struct StagedOperand {
  Operand operand;
  Operand high;
  SourceModifier modifier = SourceModifier::kNone;
  StagedKind kind = StagedKind::kInteger;

  [[nodiscard]] bool is_pair() const { return high.present; }
  /// It needs a scratch row; otherwise the lane function gets the operand's own row.
  [[nodiscard]] bool staged() const { return is_pair() || modifier != SourceModifier::kNone; }
  [[nodiscard]] RowWidth width() const { return is_pair() ? RowWidth::k64 : operand.width; }
};

struct alignas(64) ScratchRow {
  std::array<std::byte, 256> bytes;
};

/// Rows of an instruction's staged operands, by operand. Good for one instruction at a time.
struct StagingRows {
  std::array<ScratchRow, kMaxSources> src;
  std::array<ScratchRow, kMaxDestinations> dst;
};

/// Fills in args.src and args.dst: rows as they are, or scratch rows. Destination pairs are read as well,
/// since lanes outside args.mask keep their value. Throws std::logic_error for the impossible: a modifier of
/// a predicate, or a pair whose rows are not 32 bits wide.
void stage(std::span<const StagedOperand> sources, std::span<const StagedOperand> destinations,
           const RowBlocks& rows, StagingRows& scratch, LaneArgs& args);

/// After the lane function: splits destination pairs.
void unstage(std::span<const StagedOperand> destinations, const RowBlocks& rows, const StagingRows& scratch);

}  // namespace heddle::isa
