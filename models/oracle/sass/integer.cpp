// Integer arithmetic. Numbers of sections are those of the description of sm_90's instructions.
#include <algorithm>
#include <cstdlib>

#include "oracle/integer.h"
#include "oracle/sass/compare.h"
#include "oracle/sass/lane.h"

namespace heddle::oracle::machine_code {
namespace {

constexpr std::uint64_t kCarry = std::uint64_t{1} << 32;

/// A summand of an addition that reports carries. Negated, it is ~x + 1 with the 33rd bit kept, so that x - y gives a carry
/// unless it borrows; with .X it is ~x, and the carry of the lower half completes it.
std::uint64_t summand(std::uint32_t value, bool negated, bool extended) {
  if (!negated) return value;
  return std::uint64_t{static_cast<std::uint32_t>(~value)} + (extended ? 0 : 1);
}

std::uint64_t carry_in(const Values& v) {
  return v.has(Modifier::kExtended) && v.predicate(Role::kPs0) ? 1 : 0;
}

void iadd3(Values& v) {
  const bool extended = v.has(Modifier::kExtended);
  std::uint64_t sum = carry_in(v);
  if (extended && v.predicate(Role::kPs1)) ++sum;
  for (const Role role : {Role::kA, Role::kB, Role::kC})
    sum += summand(v.word(role), v.negated(role), extended);
  v.set(static_cast<std::uint32_t>(sum));
  v.set_predicate(Role::kPd0, sum >= kCarry);
  v.set_predicate(Role::kPd1, sum >= 2 * kCarry);
}

void uiadd3_wide(Values& v) {
  std::uint64_t sum = 0;
  for (const Role role : {Role::kA, Role::kB, Role::kC})
    sum += v.negated(role) ? 0 - v.pair(role) : v.pair(role);
  v.set_pair(sum);
}

/// The full product of 32-bit numbers, in two's complement.
std::uint64_t product(const Values& v) {
  const std::uint32_t a = v.word(Role::kA), b = v.word(Role::kB);
  const std::uint64_t value = v.has(Modifier::kSigned)
                                  ? static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(a)} *
                                                               std::int64_t{static_cast<std::int32_t>(b)})
                                  : std::uint64_t{a} * b;
  return v.negated(Role::kB) ? 0 - value : value;
}

void imad(Values& v) {
  const std::uint64_t sum = (product(v) & low_bits(32)) +
                            summand(v.word(Role::kC), v.negated(Role::kC), v.has(Modifier::kExtended)) +
                            carry_in(v);
  v.set(static_cast<std::uint32_t>(sum));
  v.set_predicate(Role::kPd0, sum >= kCarry);
}

/// The product and a 64-bit addend; bit 64 is the carry.
Uint128 wide_sum(const Values& v) {
  std::uint64_t addend = v.pair(Role::kC);
  Uint128 sum = product(v);
  if (v.negated(Role::kC)) {
    addend = ~addend;
    if (!v.has(Modifier::kExtended)) ++sum;
  }
  return sum + addend + carry_in(v);
}

void imad_wide(Values& v) {
  const Uint128 sum = wide_sum(v);
  v.set_pair(static_cast<std::uint64_t>(sum));
  v.set_predicate(Role::kPd0, sum >> 64 != 0);
}

void imad_high(Values& v) {
  const Uint128 sum = wide_sum(v);
  v.set(static_cast<std::uint32_t>(sum >> 32));
  v.set_predicate(Role::kPd0, sum >> 64 != 0);
}

void isetp(Values& v) {
  const std::uint32_t a = v.word(Role::kA), b = v.word(Role::kB);
  Order order = a == b ? Order::kEqual : a < b ? Order::kLess : Order::kGreater;
  if (v.has(Modifier::kSigned) && a != b)
    order = static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? Order::kLess : Order::kGreater;
  const auto compare = static_cast<IntegerCompare>(v.code(Modifier::kCompare));
  bool result = holds(compare, order);
  // The upper half of a comparison of 64 bits: the lower half's result decides where the upper words are equal.
  if (v.has(Modifier::kHighCompare) && order == Order::kEqual && compare != IntegerCompare::kFalse &&
      compare != IntegerCompare::kTrue)
    result = v.predicate(Role::kPs2);
  set_both(v, result);
}

std::uint32_t least_or_most(bool least, bool is_signed, std::uint32_t a, std::uint32_t b) {
  if (is_signed) {
    const auto x = static_cast<std::int32_t>(a), y = static_cast<std::int32_t>(b);
    return static_cast<std::uint32_t>(least ? std::min(x, y) : std::max(x, y));
  }
  return least ? std::min(a, b) : std::max(a, b);
}

std::uint32_t positive_part(const Values& v, std::uint32_t value) {
  return v.has(Modifier::kRelu) && static_cast<std::int32_t>(value) < 0 ? 0 : value;
}

/// Each half alone, in the upper half of a word, where a sum loses what the other one would carry into it.
template <class OfWords>
void halves(Values& v, OfWords of_words) {
  const auto part = [&](Role role, unsigned half) {
    const std::uint32_t bits = half == 0 ? v.word(role) << 16 : v.word(role) & 0xffff'0000u;
    return v.negated(role) ? 0u - bits : bits;
  };
  const auto of = [&](unsigned half) {
    return of_words([&](Role role) { return part(role, half); }) & 0xffff'0000u;
  };
  const std::uint32_t low = of(0), high = of(1);
  v.set(high | low >> 16);
}

void imnmx(Values& v) {
  if (v.has(Modifier::kShape)) {
    const std::uint32_t a = v.word(Role::kA), b = v.word(Role::kB);
    const auto is_a = [&](std::uint32_t x, std::uint32_t y) {
      return least_or_most(v.predicate(Role::kPs0), v.has(Modifier::kSigned), x, y) == x;
    };
    const bool low = is_a(a << 16, b << 16), high = is_a(a & 0xffff'0000u, b & 0xffff'0000u);
    halves(v, [&](auto part) {
      return positive_part(v, least_or_most(v.predicate(Role::kPs0), v.has(Modifier::kSigned), part(Role::kA),
                                            part(Role::kB)));
    });
    v.set_predicate(Role::kPd0, low);
    v.set_predicate(Role::kPd1, high);
    return;
  }
  v.set(positive_part(v, least_or_most(v.predicate(Role::kPs0), v.has(Modifier::kSigned), v.word(Role::kA),
                                       v.word(Role::kB))));
}

void vimnmx3(Values& v) {
  const auto of = [&](auto part) {
    const bool least = v.predicate(Role::kPs0), is_signed = v.has(Modifier::kSigned);
    return positive_part(v, least_or_most(least, is_signed, part(Role::kC),
                                          least_or_most(least, is_signed, part(Role::kA), part(Role::kB))));
  };
  if (v.has(Modifier::kShape)) return halves(v, of);
  v.set(of([&](Role role) { return v.word(role); }));
}

void viadd(Values& v) {
  if (v.has(Modifier::kShape)) return halves(v, [](auto part) { return part(Role::kA) + part(Role::kB); });
  v.set(v.integer(Role::kA) + v.integer(Role::kB));
}

void viaddmnmx(Values& v) {
  if (v.has(Modifier::kShape))
    return halves(v, [&](auto part) {
      return positive_part(v, least_or_most(v.predicate(Role::kPs0), v.has(Modifier::kSigned),
                                            part(Role::kA) + part(Role::kB), part(Role::kC)));
    });
  const std::uint32_t sum = v.integer(Role::kA) + v.integer(Role::kB);
  v.set(positive_part(
      v, least_or_most(v.predicate(Role::kPs0), v.has(Modifier::kSigned), sum, v.word(Role::kC))));
}

void add_to(Values& v, std::uint32_t shifted, std::uint32_t b) {
  const bool extended = v.has(Modifier::kExtended);
  const std::uint64_t sum = summand(shifted, v.negated(Role::kA), extended) +
                            summand(b, v.negated(Role::kB), extended) + carry_in(v);
  v.set(static_cast<std::uint32_t>(sum));
  v.set_predicate(Role::kPd0, sum >= kCarry);
}

void lea(Values& v) { add_to(v, v.word(Role::kA) << v.word(Role::kShift), v.word(Role::kB)); }

void lea_high(Values& v) {
  const std::uint32_t low = v.word(Role::kA);
  const std::uint32_t high = v.has(Modifier::kSignExtend)
                                 ? static_cast<std::uint32_t>(static_cast<std::int32_t>(low) >> 31)
                                 : v.word(Role::kC);
  // The upper word is what is negated.
  const std::uint64_t shifted = (std::uint64_t{high} << 32 | low) << v.word(Role::kShift);
  add_to(v, static_cast<std::uint32_t>(shifted >> 32), v.word(Role::kB));
}

void iabs(Values& v) {
  const std::uint32_t b = v.word(Role::kB);
  v.set(b >> 31 != 0 ? 0u - b : b);
}

void vabsdiff(Values& v) {
  const std::uint32_t a = v.word(Role::kA), b = v.word(Role::kB);
  const bool is_signed = v.has(Modifier::kSigned);
  v.set(least_or_most(false, is_signed, a, b) - least_or_most(true, is_signed, a, b) + v.word(Role::kC));
}

int byte_of(std::uint32_t word, unsigned index, bool is_signed) {
  const auto byte = static_cast<std::uint8_t>(word >> (8 * index));
  return is_signed ? static_cast<std::int8_t>(byte) : byte;
}

void vabsdiff4(Values& v) {
  const bool is_signed = v.has(Modifier::kSigned);
  std::uint32_t packed = 0, sum = v.word(Role::kC);
  for (unsigned i = 0; i < 4; ++i) {
    const auto distance = static_cast<std::uint32_t>(
        std::abs(byte_of(v.word(Role::kA), i, is_signed) - byte_of(v.word(Role::kB), i, is_signed)));
    packed |= distance << (8 * i);
    sum += distance;
  }
  v.set(v.has(Modifier::kAccumulate) ? sum : packed);
}

void idp(Values& v) {
  std::uint32_t sum = v.word(Role::kC);
  if (const unsigned mode = v.code(Modifier::kMode); mode != 0) {  // A's halves, and two bytes of B
    for (unsigned i = 0; i < 2; ++i) {
      const std::uint32_t half = v.word(Role::kA) >> (16 * i) & 0xffff;
      const int a = v.has(Modifier::kSigned) ? static_cast<std::int16_t>(half) : static_cast<int>(half);
      sum += static_cast<std::uint32_t>(
          a * byte_of(v.word(Role::kB), mode == 3 ? i + 2 : i, v.has(Modifier::kSignedB)));
    }
    return v.set(sum);
  }
  for (unsigned i = 0; i < 4; ++i)
    sum += static_cast<std::uint32_t>(byte_of(v.word(Role::kA), i, v.has(Modifier::kSigned)) *
                                      byte_of(v.word(Role::kB), i, v.has(Modifier::kSignedB)));
  v.set(sum);
}

}  // namespace

LaneFunction integer_function(Opcode op) {
  switch (op) {
    case Opcode::kIadd3:
    case Opcode::kUiadd3:
      return iadd3;
    case Opcode::kUiadd3Wide:
      return uiadd3_wide;
    case Opcode::kImad:
    case Opcode::kUimad:
      return imad;
    case Opcode::kImadWide:
    case Opcode::kUimadWide:
      return imad_wide;
    case Opcode::kImadHi:
      return imad_high;
    case Opcode::kIsetp:
    case Opcode::kUisetp:
      return isetp;
    case Opcode::kImnmx:
    case Opcode::kVimnmx:
      return imnmx;
    case Opcode::kVimnmx3:
      return vimnmx3;
    case Opcode::kViadd:
      return viadd;
    case Opcode::kViaddmnmx:
      return viaddmnmx;
    case Opcode::kLea:
    case Opcode::kUlea:
      return lea;
    case Opcode::kLeaHi:
    case Opcode::kUleaHi:
      return lea_high;
    case Opcode::kIabs:
      return iabs;
    case Opcode::kVabsdiff:
      return vabsdiff;
    case Opcode::kVabsdiff4:
      return vabsdiff4;
    case Opcode::kIdp:
      return idp;
    default:
      return nullptr;
  }
}

}  // namespace heddle::oracle::machine_code
