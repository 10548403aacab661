// Logic with a predicate, funnel shifts of two words, differences of bytes, and finding and counting of bits that may be
// complemented.
#include "isa/lane/bit_functions.h"
#include "isa/machine/sources.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

// The table's bits are masks that do not change from lane to lane.
void logic3(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const auto* b = source<U32>(args, 1);
  const auto* c = source<U32>(args, 2);
  const unsigned table = field(args, kOperationBits, 8);
  const std::uint32_t q = predicate(args, 3);
  const std::uint32_t nonzero = collect<4>([=](unsigned i) { return look_up(table, a[i], b[i], c[i]) != 0; });
  write_row(args, 0, [=](unsigned i) { return look_up(table, a[i], b[i], c[i]); });
  write_predicate(args, 1, has_bit(args, kOperationBits + 8) ? nonzero & q : nonzero | q);
}

void logic3_signs(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const auto* b = source<U32>(args, 1);
  const auto* c = source<U32>(args, 2);
  const unsigned table = field(args, kOperationBits, 8);
  write_predicate(args, 0,
                  collect<4>([=](unsigned i) { return look_up(table, a[i], b[i], c[i]) >> 31 != 0; }));
}

// A word that is shifted right by its full width leaves its sign, or nothing. The two words are one of 64 bits, and an
// amount stops at 64, or at 32 where the type has 32 bits.
template <bool right, bool is_signed_shift>
void funnel_shift(const LaneArgs& args) {
  const auto* low = source<U32>(args, 0);
  const auto* amount = source<U32>(args, 1);
  const auto* high = source<U32>(args, 2);
  const bool wraps = has_bit(args, kOperationBits + kShiftWrap);
  const std::uint32_t width = has_bit(args, kOperationBits + kShift64) ? 64 : 32;
  const unsigned from = has_bit(args, kOperationBits + kShiftHigh) ? 32 : 0;
  const std::uint32_t wrap = wraps ? width - 1 : ~0u;
  each_lane<U32>(args, [=](unsigned i) {
    const std::uint64_t value = static_cast<std::uint64_t>(high[i]) << 32 | low[i];
    const std::uint32_t wrapped = amount[i] & wrap;
    const std::uint64_t n = wrapped < width ? wrapped : width;
    // In two steps: a shift by 64 is none that C++ has.
    const std::uint64_t half = n >> 1;
    const std::uint64_t rest = n - half;
    std::uint64_t shifted;
    if constexpr (!right)
      shifted = value << half << rest;
    else if constexpr (is_signed_shift)
      shifted = static_cast<std::uint64_t>(static_cast<std::int64_t>(value) >> half >> rest);
    else
      shifted = value >> half >> rest;
    return static_cast<std::uint32_t>(shifted >> from);
  });
}

template <bool is_signed_bytes, bool sum>
void byte_differences(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const auto* b = source<U32>(args, 1);
  const auto* c = source<U32>(args, 2);
  // Signed bytes are ordered as unsigned ones with the sign turned.
  constexpr std::uint32_t kTurn = is_signed_bytes ? 0x80u : 0u;
  each_lane<U32>(args, [=](unsigned i) {
    std::uint32_t packed = 0;
    std::uint32_t total = c[i];
    for (unsigned k = 0; k < 4; ++k) {
      const std::uint32_t x = ((a[i] >> (8 * k)) & 0xffu) ^ kTurn;
      const std::uint32_t y = ((b[i] >> (8 * k)) & 0xffu) ^ kTurn;
      const std::uint32_t difference = x < y ? y - x : x - y;
      packed |= difference << (8 * k);
      total += difference;
    }
    return sum ? total : packed;
  });
}

template <bool is_signed_value>
void find_leading_one(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const std::uint32_t n = inverted(args, 0);
  const std::uint32_t from_top = has_bit(args, kOperationBits) ? 31 : 0;
  each_lane<U32>(args, [=](unsigned i) {
    const std::uint32_t value = a[i] ^ n;
    const std::uint32_t at =
        is_signed_value ? Bfind<S32>::apply(static_cast<std::int32_t>(value)) : Bfind<U32>::apply(value);
    const std::uint32_t counted = from_top != 0 ? from_top - at : at;
    return at == ~0u ? at : counted;
  });
}
void population_count(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const std::uint32_t n = inverted(args, 0);
  each_lane<U32>(args, [=](unsigned i) { return count_ones(a[i] ^ n); });
}
void reverse_bits(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const std::uint32_t n = inverted(args, 0);
  each_lane<U32>(args, [=](unsigned i) { return Brev<U32>::apply(a[i] ^ n); });
}

}  // namespace

LaneFn find_machine_bits(const MachineSpec& spec) {
  switch (spec.op) {
    case MachineOp::kLogic3:
      return logic3;
    case MachineOp::kLogic3Signs:
      return logic3_signs;
    case MachineOp::kFunnelShiftLeft:
      return funnel_shift<false, false>;
    case MachineOp::kFunnelShiftRight:
      return spec.is_signed ? funnel_shift<true, true> : funnel_shift<true, false>;
    case MachineOp::kByteDifferences:
      return spec.is_signed ? byte_differences<true, false> : byte_differences<false, false>;
    case MachineOp::kByteDifferenceSum:
      return spec.is_signed ? byte_differences<true, true> : byte_differences<false, true>;
    case MachineOp::kFindLeadingOne:
      return spec.is_signed ? find_leading_one<true> : find_leading_one<false>;
    case MachineOp::kPopulationCount:
      return population_count;
    case MachineOp::kReverseBits:
      return reverse_bits;
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
