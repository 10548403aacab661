// What atomics leave in memory.
#include <algorithm>
#include <bit>
#include <cmath>

#include "frontend/sass/form.h"
#include "oracle/bits.h"
#include "oracle/half.h"
#include "oracle/narrow.h"
#include "oracle/sass/memory_access.h"

namespace heddle::oracle::machine_code {
namespace {

template <class T>
std::uint64_t combine_integers(AtomicOperation operation, std::uint64_t old_bits,
                               std::uint64_t operand_bits) {
  const T old = value_of<T>(old_bits), operand = value_of<T>(operand_bits);
  switch (operation) {
    case AtomicOperation::kAdd:
      return old_bits + operand_bits;
    case AtomicOperation::kMin:
      return std::min(old, operand) == old ? old_bits : operand_bits;
    case AtomicOperation::kMax:
      return std::max(old, operand) == old ? old_bits : operand_bits;
    case AtomicOperation::kInc:
      return old >= operand ? 0 : old_bits + 1;
    case AtomicOperation::kDec:
      return old == 0 || old > operand ? operand_bits : old_bits - 1;
    case AtomicOperation::kAnd:
      return old_bits & operand_bits;
    case AtomicOperation::kOr:
      return old_bits | operand_bits;
    case AtomicOperation::kXor:
      return old_bits ^ operand_bits;
    case AtomicOperation::kExchange:
      return operand_bits;
  }
  return old_bits;
}

std::uint64_t double_sum(std::uint64_t a, std::uint64_t b) {
  const double x = std::bit_cast<double>(a), y = std::bit_cast<double>(b);
  // In global memory, which alone has them: not made quiet (measured on an H200).
  if (std::isnan(y)) return b;
  if (std::isnan(x)) return a;
  return float_result(x + y);
}

std::uint64_t single_sum(std::uint64_t a, std::uint64_t b, bool flushes) {
  float x = value_of<float>(a), y = value_of<float>(b);
  if (flushes) x = flushed(x), y = flushed(y);
  return float_result(flushes ? flushed(x + y) : x + y);
}

std::uint64_t half_sum(std::uint64_t a, std::uint64_t b) {
  return to_half(to_double({static_cast<std::uint16_t>(a)}) + to_double({static_cast<std::uint16_t>(b)}))
      .bits;
}

std::uint64_t bfloat_sum(std::uint64_t a, std::uint64_t b) {
  const double x = value_in(kBf16, a & 0xffff), y = value_in(kBf16, b & 0xffff);
  return rounded_to(kBf16, to_odd([&] { return x + y; }), Narrow::kNearestEven, false);
}

/// sm_90 has operations of their own for numbers that are not integers: each type alone, two and four words of it.
bool has_four_bits_of_type(const sass::Instruction& i) {
  const unsigned form = i.form->code;
  return i.arch != Arch::kSm75 && (form == 0x9a2 || form == 0x9a3 || form == 0x9a6);
}

}  // namespace

AtomicType atomic_type(const Op& op) {
  const unsigned code = op.value(Modifier::kType);
  const sass::Instruction& i = op.instruction;
  constexpr std::array kOf75{AtomicType::kU32,   AtomicType::kS32, AtomicType::kU64, AtomicType::kF32,
                             AtomicType::kF16x2, AtomicType::kS64, AtomicType::kF64};
  if (i.arch == Arch::kSm75) return kOf75[code];
  if (has_four_bits_of_type(i))
    return code == 15               ? AtomicType::kF64
           : code >= 9              ? AtomicType::kF32
           : code >= 3 && code <= 5 ? AtomicType::kBf16x2
                                    : AtomicType::kF16x2;
  constexpr std::array kOf90{AtomicType::kU32, AtomicType::kS32, AtomicType::kU64, AtomicType::kS64,
                             AtomicType::kB128};
  return kOf90[code];
}

unsigned atomic_elements(const Op& op) {
  return has_four_bits_of_type(op.instruction) ? 1u << op.value(Modifier::kType) % 3 : 1;
}

bool can_combine(AtomicOperation operation, AtomicType type) {
  switch (type) {
    case AtomicType::kB128:
      return operation == AtomicOperation::kExchange;
    case AtomicType::kBf16x2:
    case AtomicType::kF32:
    case AtomicType::kF64:
    case AtomicType::kF16x2:
      return operation == AtomicOperation::kAdd;
    default:
      return true;
  }
}

std::uint64_t combine(AtomicOperation operation, AtomicType type, std::uint64_t old, std::uint64_t operand,
                      bool flushes) {
  switch (type) {
    case AtomicType::kF32:
      return single_sum(old, operand, flushes);
    case AtomicType::kF64:
      return double_sum(old, operand);
    case AtomicType::kF16x2:
      return half_sum(old, operand) | half_sum(old >> 16, operand >> 16) << 16;
    case AtomicType::kBf16x2:
      return bfloat_sum(old, operand) | bfloat_sum(old >> 16, operand >> 16) << 16;
    case AtomicType::kS32:
      return combine_integers<std::int32_t>(operation, old, operand);
    case AtomicType::kU64:
      return combine_integers<std::uint64_t>(operation, old, operand);
    case AtomicType::kS64:
      return combine_integers<std::int64_t>(operation, old, operand);
    default:
      return combine_integers<std::uint32_t>(operation, old, operand);
  }
}

}  // namespace heddle::oracle::machine_code
