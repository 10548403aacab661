// Sums with negations and carries: IADD3, VIADD, LEA.
#include "isa/machine/sources.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

void add2(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const auto* b = source<U32>(args, 1);
  const std::uint32_t na = inverted(args, 0);
  const std::uint32_t nb = inverted(args, 1);
  const std::uint32_t ones = 0u - na - nb;
  each_lane<U32>(args, [=](unsigned i) { return (a[i] ^ na) + (b[i] ^ nb) + ones; });
}

/// Two halves: nothing is carried between them.
void add2_halves(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const auto* b = source<U32>(args, 1);
  const std::uint32_t na = inverted(args, 0);
  const std::uint32_t nb = inverted(args, 1);
  const std::uint32_t ones = 0u - na - nb;
  each_lane<U32>(args, [=](unsigned i) {
    const std::uint32_t x = a[i] ^ na, y = b[i] ^ nb;
    return ((x + y + ones) & 0xffffu) | ((x >> 16) + (y >> 16) + ones) << 16;
  });
}

void add3(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const auto* b = source<U32>(args, 1);
  const auto* c = source<U32>(args, 2);
  const std::uint32_t na = inverted(args, 0);
  const std::uint32_t nb = inverted(args, 1);
  const std::uint32_t nc = inverted(args, 2);
  const std::uint32_t ones = 0u - na - nb - nc;
  each_lane<U32>(args, [=](unsigned i) { return (a[i] ^ na) + (b[i] ^ nb) + (c[i] ^ nc) + ones; });
}
// A negated operand is its complement and 1, of 33 bits: a - b carries where nothing is borrowed. With carry-in it is the
// complement.
template <bool extended>
void add3_carries(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const auto* b = source<U32>(args, 1);
  const auto* c = source<U32>(args, 2);
  const std::uint32_t na = inverted(args, 0);
  const std::uint32_t nb = inverted(args, 1);
  const std::uint32_t nc = inverted(args, 2);
  const std::uint32_t p = extended ? predicate(args, 3) : 0u;
  const std::uint32_t q = extended ? predicate(args, 4) : 0u;
  const std::uint64_t ones = extended ? 0u : (na & 1u) + (nb & 1u) + (nc & 1u);
  alignas(64) std::uint64_t total[32];
  HEDDLE_EACH_LANE total[i] =
      std::uint64_t{a[i] ^ na} + (b[i] ^ nb) + (c[i] ^ nc) + ones + one_in(p, i) + one_in(q, i);
  const std::uint64_t* sums = total;
  const std::uint32_t carry = collect<8>([=](unsigned i) { return (sums[i] >> 32) != 0; });
  const std::uint32_t second = collect<8>([=](unsigned i) { return (sums[i] >> 33) != 0; });
  write_row(args, 0, [=](unsigned i) { return static_cast<std::uint32_t>(sums[i]); });
  write_predicate(args, 1, carry);
  write_predicate(args, 2, second);
}

// LEA: a is shifted, then negated. Of LEA.HI the high word of the shifted value is.
enum class Part : std::uint8_t { kLow, kHigh, kHighSigned };
template <Part part>
HEDDLE_INLINE std::uint32_t shifted(std::uint32_t a, std::uint32_t c, std::uint32_t shift) {
  if constexpr (part == Part::kLow) return a << shift;
  if constexpr (part == Part::kHigh)
    return static_cast<std::uint32_t>((std::uint64_t{c} << 32 | a) << shift >> 32);
  return static_cast<std::uint32_t>(
      static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(a)}) << shift >> 32);
}
template <Part part, bool extended>
void shift_add(const LaneArgs& args) {
  constexpr unsigned kCarry = part == Part::kHigh ? 3 : 2;
  const auto* a = source<U32>(args, 0);
  const auto* b = source<U32>(args, 1);
  const auto* c = source<U32>(args, part == Part::kHigh ? 2 : 0);
  const std::uint32_t na = inverted(args, 0);
  const std::uint32_t nb = inverted(args, 1);
  const std::uint32_t p = extended ? predicate(args, kCarry) : 0u;
  const std::uint32_t ones = extended ? 0u : (na & 1u) + (nb & 1u);
  const unsigned shift = field(args, kOperationBits, 5);
  if (args.dst[1] == nullptr) {
    write_row(args, 0, [=](unsigned i) {
      return (shifted<part>(a[i], c[i], shift) ^ na) + (b[i] ^ nb) + ones + one_in(p, i);
    });
    return;
  }
  alignas(64) std::uint64_t total[32];
  HEDDLE_EACH_LANE total[i] =
      std::uint64_t{shifted<part>(a[i], c[i], shift) ^ na} + (b[i] ^ nb) + ones + one_in(p, i);
  const std::uint64_t* sums = total;
  const std::uint32_t carry = collect<8>([=](unsigned i) { return (sums[i] >> 32) != 0; });
  write_row(args, 0, [=](unsigned i) { return static_cast<std::uint32_t>(sums[i]); });
  write_predicate(args, 1, carry);
}

}  // namespace

LaneFn find_machine_add(const MachineSpec& spec) {
  switch (spec.op) {
    case MachineOp::kAdd2:
      if (spec.type == Type::kB16) return add2_halves;
      return spec.extended || spec.carry_out ? nullptr : add2;
    case MachineOp::kAdd3:
      if (spec.extended) return add3_carries<true>;
      return spec.carry_out ? add3_carries<false> : add3;
    case MachineOp::kShiftAdd:
      return spec.extended ? shift_add<Part::kLow, true> : shift_add<Part::kLow, false>;
    case MachineOp::kShiftAddHigh:
      return spec.extended ? shift_add<Part::kHigh, true> : shift_add<Part::kHigh, false>;
    case MachineOp::kShiftAddHighSigned:
      return spec.extended ? shift_add<Part::kHighSigned, true> : shift_add<Part::kHighSigned, false>;
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
