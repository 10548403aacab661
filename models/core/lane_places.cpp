#include "core/lane_places.h"

#include <bit>
#include <cstring>

namespace heddle::core {
namespace {

constexpr unsigned highest(LaneMask lanes) {
  return 31 - static_cast<unsigned>(std::countl_zero(lanes.bits()));
}

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

template <class Word>
AddressPattern pattern_of(const std::byte* row, std::uint64_t displacement, LaneMask lanes, unsigned unit) {
  const unsigned low = lanes.lowest();
  const unsigned high = highest(lanes);
  const Word first = word_at<Word>(row, low);
  const Word last = word_at<Word>(row, high);
  AddressPattern pattern{Shape::kScattered, first + displacement, last + displacement};
  const std::uint64_t span = std::uint64_t{high - low} * unit;
  if (last == first) {
    if (advances_by<Word>(row, lanes, 0)) pattern.shape = Shape::kUniform;
  } else if (last >= first && last - first == span) {  // no wrap on the way
    if (advances_by<Word>(row, lanes, static_cast<Word>(unit))) pattern.shape = Shape::kUnitStride;
  }
  return pattern;
}

template <class Word>
void expand_row(const std::byte* row, std::uint64_t displacement, std::uint64_t* address) {
  for (unsigned lane = 0; lane < kLanes; ++lane) address[lane] = word_at<Word>(row, lane) + displacement;
}

}  // namespace

AddressPattern recognise(const std::byte* row, const isa::Operand& base, std::uint64_t displacement,
                         LaneMask lanes, unsigned unit) {
  if (!base.present) return {Shape::kUniform, displacement, displacement};
  return base.width == isa::RowWidth::k64 ? pattern_of<std::uint64_t>(row, displacement, lanes, unit)
                                          : pattern_of<std::uint32_t>(row, displacement, lanes, unit);
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
