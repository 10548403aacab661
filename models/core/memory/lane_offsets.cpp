#include "core/memory/lane_offsets.h"

#include <bit>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

/// Bit l of either: lane l+1 has lane l's word, or lane l's word + step.
struct Neighbours {
  std::uint32_t equal = 0;
  std::uint32_t adjacent = 0;
};

#ifdef __SSE2__

/// Bit i: the i-th of 32 words is all ones; the others are zero.
std::uint32_t mask_bits(const __m128i (&words)[8]) {
  std::uint32_t bits = 0;
  for (unsigned half = 0; half < 2; ++half) {
    const __m128i* const w = words + std::size_t{half} * 4;
    const __m128i bytes = _mm_packs_epi16(_mm_packs_epi32(w[0], w[1]), _mm_packs_epi32(w[2], w[3]));
    bits |= static_cast<std::uint32_t>(_mm_movemask_epi8(bytes)) << half * 16;
  }
  return bits;
}

__m128i load(const std::byte* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); }

template <class Word>
Neighbours neighbours(const std::byte* row, Word step);

template <>
Neighbours neighbours(const std::byte* row, std::uint32_t step) {
  const __m128i steps = _mm_set1_epi32(static_cast<int>(step));
  __m128i equal[8];
  __m128i adjacent[8];
  for (unsigned i = 0; i < 8; ++i) {
    const __m128i here = load(row + std::size_t{i} * 16);
    // The last lane has no neighbour: its bit is not used.
    const __m128i next = i == 7 ? _mm_srli_si128(here, 4) : load(row + std::size_t{i} * 16 + 4);
    const __m128i difference = _mm_sub_epi32(next, here);
    equal[i] = _mm_cmpeq_epi32(difference, _mm_setzero_si128());
    adjacent[i] = _mm_cmpeq_epi32(difference, steps);
  }
  return {mask_bits(equal), mask_bits(adjacent)};
}

template <>
Neighbours neighbours(const std::byte* row, std::uint64_t step) {
  const __m128i steps = _mm_set1_epi64x(static_cast<long long>(step));
  // 64-bit words are equal if both halves are.
  const auto halves = [](__m128i low_pair, __m128i high_pair) {
    const __m128 a = _mm_castsi128_ps(low_pair);
    const __m128 b = _mm_castsi128_ps(high_pair);
    return _mm_and_si128(_mm_castps_si128(_mm_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0))),
                         _mm_castps_si128(_mm_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1))));
  };
  __m128i equal[8];
  __m128i adjacent[8];
  for (unsigned i = 0; i < 8; ++i) {
    const std::byte* const at = row + std::size_t{i} * 32;
    const __m128i low = load(at);
    const __m128i high = load(at + 16);
    const __m128i next = i == 7 ? _mm_srli_si128(high, 8) : load(at + 24);
    const __m128i difference_low = _mm_sub_epi64(load(at + 8), low);
    const __m128i difference_high = _mm_sub_epi64(next, high);
    const __m128i zero = _mm_setzero_si128();
    equal[i] = halves(_mm_cmpeq_epi32(difference_low, zero), _mm_cmpeq_epi32(difference_high, zero));
    adjacent[i] = halves(_mm_cmpeq_epi32(difference_low, steps), _mm_cmpeq_epi32(difference_high, steps));
  }
  return {mask_bits(equal), mask_bits(adjacent)};
}

#else

template <class Word>
Neighbours neighbours(const std::byte* row, Word step) {
  Neighbours result;
  for (unsigned lane = 0; lane + 1 < kLanes; ++lane) {
    const auto difference = static_cast<Word>(word_at<Word>(row, lane + 1) - word_at<Word>(row, lane));
    result.equal |= static_cast<std::uint32_t>(difference == 0) << lane;
    result.adjacent |= static_cast<std::uint32_t>(difference == step) << lane;
  }
  return result;
}

#endif

/// False if there are more than kMaxRuns.
template <class Word>
bool find_runs(const std::byte* row, std::uint64_t displacement, LaneMask lanes, unsigned unit,
               LaneRuns& runs) {
  const std::uint32_t both = lanes.bits() & lanes.bits() >> 1;  // bit l: lanes l and l+1 are active
  const Neighbours next = neighbours<Word>(row, static_cast<Word>(unit));
  const std::uint32_t equal = next.equal & both;
  const std::uint32_t adjacent = next.adjacent & both;
  runs.count = 0;
  for (std::uint32_t rest = lanes.bits(); rest != 0;) {
    if (runs.count == kMaxRuns) return false;
    const auto low = static_cast<unsigned>(std::countr_zero(rest));
    const bool uniform = (equal >> low & 1u) != 0;
    // The run goes on as long as its kind of neighbour does.
    const auto length = static_cast<unsigned>(std::countr_one((uniform ? equal : adjacent) >> low)) + 1;
    const LaneMask here =
        LaneMask::difference(LaneMask::first_lanes(low + length), LaneMask::first_lanes(low));
    const auto address = [&](unsigned lane) {
      return static_cast<Word>(word_at<Word>(row, lane) + static_cast<Word>(displacement));
    };
    const Word first = address(low);
    if (!uniform && address(low + length - 1) < first) return false;  // a 32-bit address wraps
    runs.run[runs.count++] = {here, uniform, first};
    rest &= ~here.bits();
  }
  return true;
}

template <class Word>
AddressPattern pattern_of(const std::byte* row, std::uint64_t displacement, LaneMask lanes, unsigned unit,
                          LaneRuns& runs) {
  const unsigned low = lanes.lowest();
  const unsigned high = highest_lane(lanes);
  const auto first = static_cast<Word>(word_at<Word>(row, low) + static_cast<Word>(displacement));
  const auto last = static_cast<Word>(word_at<Word>(row, high) + static_cast<Word>(displacement));
  AddressPattern pattern{Shape::kScattered, first, last};
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
  for (unsigned lane = 0; lane < kLanes; ++lane)
    address[lane] = static_cast<Word>(word_at<Word>(row, lane) + static_cast<Word>(displacement));
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
