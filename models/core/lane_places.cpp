#include "core/lane_places.h"

#include <array>
#include <bit>
#include <cstring>

namespace heddle::core {
namespace {

template <class Word>
Word word_at(const std::byte* row, unsigned lane) {
  Word word;
  std::memcpy(&word, row + lane * sizeof(Word), sizeof(Word));
  return word;
}

/// All lanes of the row differ from row[lowest] by lane distance * step.
template <class Word>
bool advances_by(const std::byte* row, LaneMask lanes, Word step) {
  const unsigned lowest = lanes.lowest();
  if (lanes == LaneMask::all()) {
    Word differs = 0;  // no early exit: the loop becomes vector code
    Word expected = word_at<Word>(row, 0);
    for (unsigned lane = 0; lane < kLanes; ++lane, expected = static_cast<Word>(expected + step))
      differs |= word_at<Word>(row, lane) ^ expected;
    return differs == 0;
  }
  const Word origin = static_cast<Word>(word_at<Word>(row, lowest) - lowest * step);
  for (std::uint32_t rest = lanes.bits(); rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (word_at<Word>(row, lane) != static_cast<Word>(origin + lane * step)) return false;
  }
  return true;
}

/// Bit i of the result: byte i is 1 (bytes are 0 or 1).
std::uint32_t gathered_bits(const std::array<std::uint8_t, kLanes>& flags) {
  std::uint32_t bits = 0;
  for (unsigned group = 0; group < kLanes / 8; ++group) {
    std::uint64_t eight;
    std::memcpy(&eight, flags.data() + std::size_t{group} * 8, 8);
    bits |= static_cast<std::uint32_t>(eight * 0x0102'0408'1020'4080u >> 56) << group * 8;
  }
  return bits;
}

/// Bit l: lane l+1 has lane l's word + step.
template <class Word>
std::uint32_t steps(const std::byte* row, Word step) {
  std::array<std::uint8_t, kLanes> flags;
  for (unsigned lane = 0; lane + 1 < kLanes; ++lane)
    flags[lane] = static_cast<Word>(word_at<Word>(row, lane + 1) - word_at<Word>(row, lane)) == step;
  flags[kLanes - 1] = 0;
  return gathered_bits(flags);
}

/// False if there are more than kMaxRuns.
template <class Word>
bool find_runs(const std::byte* row, std::uint64_t displacement, LaneMask lanes, unsigned unit,
               LaneRuns& runs) {
  const std::uint32_t both = lanes.bits() & lanes.bits() >> 1;  // bit l: lanes l and l+1 are active
  const std::uint32_t equal = steps<Word>(row, 0) & both;
  const std::uint32_t adjacent = steps<Word>(row, static_cast<Word>(unit)) & both;
  runs.count = 0;
  for (std::uint32_t rest = lanes.bits(); rest != 0;) {
    if (runs.count == kMaxRuns) return false;
    const auto low = static_cast<unsigned>(std::countr_zero(rest));
    const bool uniform = (equal >> low & 1u) != 0;
    // The run goes on as long as its kind of neighbour does.
    const auto length = static_cast<unsigned>(std::countr_one((uniform ? equal : adjacent) >> low)) + 1;
    const LaneMask here =
        LaneMask::difference(LaneMask::first_lanes(low + length), LaneMask::first_lanes(low));
    const Word first = word_at<Word>(row, low);
    if (!uniform && word_at<Word>(row, low + length - 1) < first) return false;  // a 32-bit address wraps
    runs.run[runs.count++] = {here, uniform, first + displacement};
    rest &= ~here.bits();
  }
  return true;
}

template <class Word>
AddressPattern pattern_of(const std::byte* row, std::uint64_t displacement, LaneMask lanes, unsigned unit,
                          LaneRuns& runs) {
  const unsigned low = lanes.lowest();
  const unsigned high = highest_lane(lanes);
  const Word first = word_at<Word>(row, low);
  const Word last = word_at<Word>(row, high);
  AddressPattern pattern{Shape::kScattered, first + displacement, last + displacement};
  const std::uint64_t span = std::uint64_t{high - low} * unit;
  if (last == first) {
    if (advances_by<Word>(row, lanes, 0)) pattern.shape = Shape::kUniform;
  } else if (last >= first && last - first == span) {  // no wrap on the way
    if (advances_by<Word>(row, lanes, static_cast<Word>(unit))) pattern.shape = Shape::kUnitStride;
  }
  if (pattern.shape == Shape::kScattered && find_runs<Word>(row, displacement, lanes, unit, runs))
    pattern.shape = Shape::kRuns;
  return pattern;
}

template <class Word>
void expand_row(const std::byte* row, std::uint64_t displacement, std::uint64_t* address) {
  for (unsigned lane = 0; lane < kLanes; ++lane) address[lane] = word_at<Word>(row, lane) + displacement;
}

}  // namespace

AddressPattern recognise(const std::byte* row, const isa::Operand& base, std::uint64_t displacement,
                         LaneMask lanes, unsigned unit, LaneRuns& runs) {
  if (!base.present) return {Shape::kUniform, displacement, displacement};
  return base.width == isa::RowWidth::k64 ? pattern_of<std::uint64_t>(row, displacement, lanes, unit, runs)
                                          : pattern_of<std::uint32_t>(row, displacement, lanes, unit, runs);
}

void expand(const std::byte* row, const isa::Operand& base, std::uint64_t displacement,
            std::uint64_t* address) {
  if (!base.present)
    for (unsigned lane = 0; lane < kLanes; ++lane) address[lane] = displacement;
  else if (base.width == isa::RowWidth::k64)
    expand_row<std::uint64_t>(row, displacement, address);
  else
    expand_row<std::uint32_t>(row, displacement, address);
}

}  // namespace heddle::core
