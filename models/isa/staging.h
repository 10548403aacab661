// Operands that are no row as they stand: a number with a modifier, a 64-bit value in two 32-bit registers.
// One step in front of the lane function turns them into scratch rows, and one behind it takes results apart; the
// lane function itself sees rows and nothing else.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "isa/instruction.h"

namespace heddle::isa {

/// The blocks that operands name rows of.
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

/// What machine code does to a source on its way in. On floats they act on the sign bit alone, also of NaNs.
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
  /// It needs a scratch row; otherwise the operand's own row is what the lane function gets.
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

/// Fills in args.src and args.dst: rows as they are, or scratch rows. Pairs of destinations are read as well, since
/// lanes outside args.mask keep their value. Throws std::logic_error for what is not possible: a modifier of a
/// predicate, a pair of rows that are not of 32 bits.
void stage(std::span<const StagedOperand> sources, std::span<const StagedOperand> destinations,
           const RowBlocks& rows, StagingRows& scratch, LaneArgs& args);

/// Behind the lane function: takes pairs of destinations apart.
void unstage(std::span<const StagedOperand> destinations, const RowBlocks& rows, const StagingRows& scratch);

}  // namespace heddle::isa
