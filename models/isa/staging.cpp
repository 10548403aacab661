#include "isa/staging.h"

#include <cstring>
#include <stdexcept>

#include "base/lane_mask.h"

namespace heddle::isa {
namespace {

template <class Word>
Word modified(Word value, SourceModifier modifier, StagedKind kind) {
  constexpr Word kSign = Word{1} << (sizeof(Word) * 8 - 1);
  const bool real = kind == StagedKind::kFloat;
  const auto negated = [&](Word x) { return static_cast<Word>(real ? x ^ kSign : Word{0} - x); };
  const auto absolute = [&](Word x) {
    if (real) return static_cast<Word>(x & ~kSign);
    return (x & kSign) != 0 ? static_cast<Word>(Word{0} - x) : x;
  };
  switch (modifier) {
    case SourceModifier::kNone:
      return value;
    case SourceModifier::kNegate:
      return negated(value);
    case SourceModifier::kAbsolute:
      return absolute(value);
    case SourceModifier::kNegateAbsolute:
      return negated(absolute(value));
    case SourceModifier::kComplement:
      return static_cast<Word>(~value);
  }
  return value;
}

template <class Word>
void modify(std::byte* row, SourceModifier modifier, StagedKind kind) {
  for (std::size_t lane = 0; lane < base::kLanes; ++lane) {
    Word value;
    std::memcpy(&value, row + lane * sizeof value, sizeof value);
    value = modified(value, modifier, kind);
    std::memcpy(row + lane * sizeof value, &value, sizeof value);
  }
}

void check(const StagedOperand& staged) {
  if (staged.modifier != SourceModifier::kNone && staged.operand.width == RowWidth::kPredicate)
    throw std::logic_error("a predicate has no modifier but its negation");
  if (staged.is_pair() && (staged.operand.width != RowWidth::k32 || staged.high.width != RowWidth::k32))
    throw std::logic_error("a register pair is made of two 32-bit rows");
}

void gather_pair(const StagedOperand& staged, const RowBlocks& rows, ScratchRow& to) {
  const std::byte* const low = rows.row(staged.operand);
  const std::byte* const high = rows.row(staged.high);
  for (std::size_t lane = 0; lane < base::kLanes; ++lane) {
    std::memcpy(to.bytes.data() + lane * 8, low + lane * 4, 4);
    std::memcpy(to.bytes.data() + lane * 8 + 4, high + lane * 4, 4);
  }
}

const std::byte* source_row(const StagedOperand& staged, const RowBlocks& rows, ScratchRow& scratch) {
  check(staged);
  if (!staged.staged()) return rows.row(staged.operand);
  if (staged.is_pair())
    gather_pair(staged, rows, scratch);
  else
    std::memcpy(scratch.bytes.data(), rows.row(staged.operand), staged.width() == RowWidth::k64 ? 256 : 128);
  if (staged.width() == RowWidth::k64)
    modify<std::uint64_t>(scratch.bytes.data(), staged.modifier, staged.kind);
  else
    modify<std::uint32_t>(scratch.bytes.data(), staged.modifier, staged.kind);
  return scratch.bytes.data();
}

}  // namespace

void stage(std::span<const StagedOperand> sources, std::span<const StagedOperand> destinations,
           const RowBlocks& rows, StagingRows& scratch, LaneArgs& args) {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (!sources[i].operand.present) continue;
    args.src[i] = source_row(sources[i], rows, scratch.src.at(i));
    if (sources[i].operand.negated) args.negated = static_cast<std::uint8_t>(args.negated | 1u << i);
  }
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    const StagedOperand& to = destinations[i];
    if (!to.operand.present) continue;
    check(to);
    if (to.operand.space != RowSpace::kRegister || to.modifier != SourceModifier::kNone)
      throw std::logic_error("a destination is a register without a modifier");
    if (to.is_pair()) gather_pair(to, rows, scratch.dst.at(i));
    args.dst[i] = to.is_pair() ? scratch.dst[i].bytes.data() : rows.registers + to.operand.offset;
  }
}

void unstage(std::span<const StagedOperand> destinations, const RowBlocks& rows, const StagingRows& scratch) {
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    const StagedOperand& to = destinations[i];
    if (!to.operand.present || !to.is_pair()) continue;
    for (std::size_t lane = 0; lane < base::kLanes; ++lane) {
      const std::byte* const value = scratch.dst.at(i).bytes.data() + lane * 8;
      std::memcpy(rows.registers + to.operand.offset + lane * 4, value, 4);
      std::memcpy(rows.registers + to.high.offset + lane * 4, value + 4, 4);
    }
  }
}

}  // namespace heddle::isa
