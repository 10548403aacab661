// Logic, shifts, permutations of bytes, counts.
#include <algorithm>
#include <bit>

#include "oracle/bits.h"
#include "oracle/sass/lane.h"

namespace heddle::oracle::machine_code {
namespace {

bool table_bit(std::uint32_t table, bool a, bool b, bool c) {
  return (table >> ((a ? 4u : 0u) | (b ? 2u : 0u) | (c ? 1u : 0u)) & 1) != 0;
}

void lop3(Values& v) {
  const std::uint32_t table = v.word(Role::kLut);
  std::uint32_t result = 0;
  for (unsigned entry = 0; entry < 8; ++entry) {
    if ((table >> entry & 1) == 0) continue;
    const auto where = [&](Role role, unsigned bit) {
      return (entry & bit) != 0 ? v.word(role) : ~v.word(role);
    };
    result |= where(Role::kA, 4) & where(Role::kB, 2) & where(Role::kC, 1);
  }
  v.set(result);
  const bool input = v.predicate(Role::kPs0);
  v.set_predicate(Role::kPd0, v.has(Modifier::kPredicateAnd) ? result != 0 && input : result != 0 || input);
}

void plop3(Values& v) {
  const bool a = v.predicate(Role::kPs0), b = v.predicate(Role::kPs1), c = v.predicate(Role::kPs2);
  const bool first = table_bit(v.word(Role::kLut), a, b, c);
  const bool second = table_bit(v.word(Role::kLut2), a, b, c);
  v.set_predicate(Role::kPd0, first);
  v.set_predicate(Role::kPd1, second);
}

void lop3_signs(Values& v) {
  const auto negative = [&](Role role) { return v.word(role) >> 31 != 0; };
  v.set_predicate(Role::kPd0,
                  table_bit(v.word(Role::kLut), negative(Role::kA), negative(Role::kB), negative(Role::kC)));
}

void shf(Values& v) {
  enum : unsigned { kS64, kU64, kS32, kU32 };
  const unsigned type = v.code(Modifier::kShiftType);
  const std::uint64_t value = std::uint64_t{v.word(Role::kC)} << 32 | v.word(Role::kA);
  const unsigned width = type == kS64 || type == kU64 ? 64 : 32;
  const std::uint32_t asked = v.word(Role::kB);
  const unsigned amount = v.has(Modifier::kWrap) ? asked % width : std::min(asked, width);
  const bool is_signed = type == kS64 || type == kS32;
  std::uint64_t result = 0;
  if (!v.has(Modifier::kShiftDirection))
    result = amount == 64 ? 0 : value << amount;
  else if (amount == 64)
    result = is_signed && value >> 63 != 0 ? ~std::uint64_t{0} : 0;
  else
    result =
        is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value) >> amount) : value >> amount;
  v.set(static_cast<std::uint32_t>(v.has(Modifier::kHigh) ? result >> 32 : result));
}

/// Which of the eight bytes of {C, A} go to the result's bytes, lowest first, for the modes that permute by a small number.
unsigned source_byte(unsigned mode, unsigned selector, unsigned to) {
  enum : unsigned { kF4e = 1, kB4e, kRc8, kEcl, kEcr, kRc16 };
  switch (mode) {
    case kF4e:
      return selector + to;
    case kB4e:
      return (selector + 8 - to) % 8;
    case kRc8:
      return selector;
    case kEcl:
      return std::max(selector, to);
    case kEcr:
      return std::min(selector, to);
    default:  // kRc16
      return (selector & 1) * 2 + to % 2;
  }
}

void prmt(Values& v) {
  const std::uint64_t bytes = std::uint64_t{v.word(Role::kC)} << 32 | v.word(Role::kA);
  const std::uint32_t selector = v.word(Role::kB);
  const unsigned mode = v.code(Modifier::kMode);
  std::uint32_t result = 0;
  for (unsigned to = 0; to < 4; ++to) {
    const unsigned nibble = selector >> (4 * to) & 0xf;
    const unsigned from = mode == 0 ? nibble & 7 : source_byte(mode, selector & 3, to);
    std::uint32_t byte = static_cast<std::uint8_t>(bytes >> (8 * from));
    if (mode == 0 && (nibble & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;  // the byte's sign
    result |= byte << (8 * to);
  }
  v.set(result);
}

/// A number of bits: modulo 32 with .W, otherwise at most 32.
unsigned width_of(const Values& v, std::uint32_t asked) {
  return v.has(Modifier::kWrap) ? asked % 32 : std::min(asked, 32u);
}

void sgxt(Values& v) {
  const unsigned width = width_of(v, v.word(Role::kB));
  std::uint32_t value = v.word(Role::kA) & static_cast<std::uint32_t>(low_bits(width));
  if (v.has(Modifier::kSigned) && width != 0 && (value >> (width - 1) & 1) != 0)
    value |= ~static_cast<std::uint32_t>(low_bits(width));
  v.set(value);
}

void bmsk(Values& v) {
  const std::uint64_t ones = low_bits(width_of(v, v.word(Role::kB)));
  v.set(static_cast<std::uint32_t>(ones << width_of(v, v.word(Role::kA))));
}

void flo(Values& v) {
  std::uint32_t value = v.inverted(Role::kB);
  if (v.has(Modifier::kSigned) && value >> 31 != 0) value = ~value;
  const auto top = static_cast<std::uint32_t>(std::bit_width(value)) - 1;  // all ones if there is none
  v.set(value != 0 && v.has(Modifier::kShiftFromTop) ? 31 - top : top);
}

void popc(Values& v) { v.set(static_cast<std::uint32_t>(std::popcount(v.inverted(Role::kB)))); }

void brev(Values& v) {
  const std::uint32_t value = v.inverted(Role::kB);
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 32; ++i) result |= (value >> i & 1) << (31 - i);
  v.set(result);
}

}  // namespace

LaneFunction bit_function(Opcode op) {
  switch (op) {
    case Opcode::kLop3:
    case Opcode::kUlop3:
      return lop3;
    case Opcode::kLop3Signs:
      return lop3_signs;
    case Opcode::kPlop3:
    case Opcode::kUplop3:
      return plop3;
    case Opcode::kShf:
    case Opcode::kUshf:
      return shf;
    case Opcode::kPrmt:
    case Opcode::kUprmt:
      return prmt;
    case Opcode::kSgxt:
    case Opcode::kUsgxt:
      return sgxt;
    case Opcode::kBmsk:
      return bmsk;
    case Opcode::kFlo:
    case Opcode::kUflo:
      return flo;
    case Opcode::kPopc:
    case Opcode::kUpopc:
      return popc;
    case Opcode::kBrev:
    case Opcode::kUbrev:
      return brev;
    default:
      return nullptr;
  }
}

}  // namespace heddle::oracle::machine_code
