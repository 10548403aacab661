// IMAD, IMAD.WIDE, IMAD.HI: a * b + c, where b may be negated (which negates the product) and c may be negated or, with
// carry-in, complemented. The carry is the addition's.
#include "isa/machine/sources.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

void multiply_add(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const auto* b = source<U32>(args, 1);
  const auto* c = source<U32>(args, 2);
  const std::uint32_t nb = inverted(args, 1);
  const std::uint32_t nc = inverted(args, 2);
  const std::uint32_t ones = 0u - nb - nc;
  each_lane<U32>(args, [=](unsigned i) { return ((a[i] * b[i]) ^ nb) + (c[i] ^ nc) + ones; });
}
template <bool extended>
void multiply_add_carries(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const auto* b = source<U32>(args, 1);
  const auto* c = source<U32>(args, 2);
  const std::uint32_t nb = inverted(args, 1);
  const std::uint32_t nc = inverted(args, 2);
  const std::uint32_t p = extended ? predicate(args, 3) : 0u;
  const std::uint32_t one = extended ? 0u : nc & 1u;
  alignas(64) std::uint64_t total[32];
  HEDDLE_EACH_LANE {
    const std::uint32_t product = ((a[i] * b[i]) ^ nb) - nb;
    total[i] = std::uint64_t{product} + (c[i] ^ nc) + one + one_in(p, i);
  }
  const std::uint64_t* sums = total;
  const std::uint32_t carry = collect<8>([=](unsigned i) { return (sums[i] >> 32) != 0; });
  write_row(args, 0, [=](unsigned i) { return static_cast<std::uint32_t>(sums[i]); });
  write_predicate(args, 1, carry);
}

template <bool is_signed_product>
HEDDLE_INLINE std::uint64_t product(std::uint32_t a, std::uint32_t b) {
  if constexpr (is_signed_product)
    return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(a)} *
                                      std::int64_t{static_cast<std::int32_t>(b)});
  else
    return std::uint64_t{a} * b;
}
template <bool is_signed_product, bool extended, bool high>
void multiply_add_wide(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const auto* b = source<U32>(args, 1);
  const PairRow c = pair_row(args, 2);
  const std::uint64_t nb = has_bit(args, 1) ? ~std::uint64_t{0} : 0u;
  const std::uint64_t nc = has_bit(args, 2) ? ~std::uint64_t{0} : 0u;
  const std::uint32_t p = extended ? predicate(args, 4) : 0u;
  const std::uint64_t one = extended ? 0u : nc & 1u;
  alignas(64) std::uint64_t total[32];
  constexpr unsigned kCarry = high ? 1 : 2;
  std::uint32_t carry = 0;
  if (args.dst[kCarry] == nullptr) {
    HEDDLE_EACH_LANE total[i] =
        (product<is_signed_product>(a[i], b[i]) ^ nb) - nb + (c[i] ^ nc) + one + one_in(p, i);
  } else {
    for (unsigned i = 0; i < 32; ++i) {
      const Uint128 sum =
          Uint128{(product<is_signed_product>(a[i], b[i]) ^ nb) - nb} + (c[i] ^ nc) + one + one_in(p, i);
      total[i] = static_cast<std::uint64_t>(sum);
      carry |= static_cast<std::uint32_t>(sum >> 64) << i;
    }
  }
  const std::uint64_t* sums = total;
  if constexpr (high)
    write_row(args, 0, [=](unsigned i) { return static_cast<std::uint32_t>(sums[i] >> 32); });
  else
    write_pair(args, sums);
  write_predicate(args, kCarry, carry);
}
template <bool high>
LaneFn find_wide(const MachineSpec& spec) {
  if (spec.is_signed)
    return spec.extended ? multiply_add_wide<true, true, high> : multiply_add_wide<true, false, high>;
  return spec.extended ? multiply_add_wide<false, true, high> : multiply_add_wide<false, false, high>;
}

}  // namespace

LaneFn find_machine_multiply(const MachineSpec& spec) {
  switch (spec.op) {
    case MachineOp::kMultiplyAdd:
      if (spec.extended) return multiply_add_carries<true>;
      return spec.carry_out ? multiply_add_carries<false> : multiply_add;
    case MachineOp::kMultiplyAddWide:
      return find_wide<false>(spec);
    case MachineOp::kMultiplyAddHigh:
      return find_wide<true>(spec);
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
