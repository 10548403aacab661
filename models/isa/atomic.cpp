#include "isa/atomic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "isa/mbarrier.h"

namespace heddle::isa {
namespace {

// The canonical NaNs of the lane functions (lane/float_rules.h).
constexpr std::uint32_t kNanF32 = 0x7fff'ffffu;
constexpr std::uint64_t kNanF64 = 0xfff8'0000'0000'0000u;

std::uint64_t width_mask(unsigned bytes) {
  return bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (bytes * 8)) - 1;
}

std::int64_t sign_extended(std::uint64_t value, unsigned bytes) {
  const unsigned up = bytes >= 8 ? 0 : 64 - bytes * 8;
  return static_cast<std::int64_t>(value << up) >> up;
}

float flushed(float v) {
  return std::fabs(v) < std::numeric_limits<float>::min() ? std::copysign(0.0f, v) : v;
}

std::uint64_t add_f32(std::uint64_t old, std::uint64_t operand, bool flush) {
  const auto a = std::bit_cast<float>(static_cast<std::uint32_t>(old));
  const auto b = std::bit_cast<float>(static_cast<std::uint32_t>(operand));
  const float sum = flush ? flushed(flushed(a) + flushed(b)) : a + b;
  return std::isnan(sum) ? kNanF32 : std::bit_cast<std::uint32_t>(sum);
}

std::uint64_t add_f64(std::uint64_t old, std::uint64_t operand, bool in_global) {
  constexpr std::uint64_t kQuiet = 0x0008'0000'0000'0000u;
  for (const std::uint64_t bits : {operand, old})
    if (std::isnan(std::bit_cast<double>(bits))) return in_global ? bits : bits | kQuiet;
  const double sum = std::bit_cast<double>(old) + std::bit_cast<double>(operand);
  return std::isnan(sum) ? kNanF64 : std::bit_cast<std::uint64_t>(sum);
}

// f16 sums, exact in double; subnormals are kept (.noftz).
constexpr std::uint64_t kNanF16 = 0x7fff;

double half_value(std::uint64_t half) {
  const auto exponent = static_cast<int>((half >> 10) & 0x1f);
  const auto mantissa = static_cast<double>(half & 0x3ff);
  double magnitude = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024.0 + mantissa, exponent - 25);
  if (exponent == 0x1f)
    magnitude =
        mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

std::uint64_t add_f16(std::uint64_t old, std::uint64_t operand) {
  constexpr double kLargest = 65504;
  const double sum = half_value(old & 0xffff) + half_value(operand & 0xffff);
  if (std::isnan(sum)) return kNanF16;
  const std::uint64_t sign = std::signbit(sum) ? 0x8000 : 0;
  const double magnitude = std::fabs(sum);
  if (magnitude >= kLargest + 16) return sign | 0x7c00;  // half a unit above the largest: infinity
  // In units in the last place, which for subnormals is that of the smallest normal number; rounded to
  // nearest even. A carry out of the mantissa increments the exponent by itself.
  const int exponent = magnitude == 0 ? -14 : std::max(std::ilogb(magnitude), -14);
  const auto units = static_cast<std::uint64_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  return sign | ((static_cast<std::uint64_t>(exponent + 14) << 10) + units);
}

/// bf16 sums, rounded once: in double they are exact or far from a tie. Subnormals are kept.
std::uint64_t add_bf16(std::uint64_t old, std::uint64_t operand) {
  constexpr std::uint64_t kNanBf16 = 0x7fff;
  const auto value = [](std::uint64_t bits) {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits & 0xffff) << 16));
  };
  const double sum = value(old) + value(operand);
  if (std::isnan(sum)) return kNanBf16;
  const std::uint64_t sign = std::signbit(sum) ? 0x8000 : 0;
  const double magnitude = std::fabs(sum);
  constexpr double kBeyond = 0x1.ffp127;  // half a unit above the largest
  if (magnitude >= kBeyond) return sign | 0x7f80;
  const int exponent = magnitude == 0 ? -126 : std::max(std::ilogb(magnitude), -126);
  const auto units = static_cast<std::uint64_t>(std::nearbyint(std::ldexp(magnitude, 7 - exponent)));
  return sign | ((static_cast<std::uint64_t>(exponent + 126) << 7) + units);
}

std::uint64_t on_mbarrier(AtomicOp op, std::uint64_t old, std::uint64_t operand) {
  MBarrier barrier = MBarrier::unpack(old);
  const auto count = static_cast<std::uint32_t>(operand);
  if (op == AtomicOp::kExpect) barrier.bytes += static_cast<std::int32_t>(operand >> 32);
  if (op == AtomicOp::kArriveDrop)
    barrier.drop(count);
  else if (count != 0 || operand != 0)  // the last bytes may end the phase
    barrier.arrive(count);
  return barrier.pack();
}

}  // namespace

std::uint64_t apply_atomic(AtomicOp op, Type type, std::uint64_t old, std::uint64_t operand,
                           std::uint64_t compare, bool in_global) {
  const unsigned bytes = type_bytes(type);
  const std::uint64_t mask = width_mask(bytes);
  old &= mask;
  operand &= mask;
  compare &= mask;
  const bool less =
      is_signed(type) ? sign_extended(old, bytes) < sign_extended(operand, bytes) : old < operand;
  switch (op) {
    case AtomicOp::kAdd:
      if (type == Type::kF32) return add_f32(old, operand, in_global);
      if (type == Type::kF64) return add_f64(old, operand, in_global);
      if (type == Type::kF16) return add_f16(old, operand);
      if (type == Type::kF16x2) return add_f16(old >> 16, operand >> 16) << 16 | add_f16(old, operand);
      if (type == Type::kBf16) return add_bf16(old, operand);
      if (type == Type::kBf16x2) return add_bf16(old >> 16, operand >> 16) << 16 | add_bf16(old, operand);
      return (old + operand) & mask;
    case AtomicOp::kMin:
      return less ? old : operand;
    case AtomicOp::kMax:
      return less ? operand : old;
    case AtomicOp::kAnd:
      return old & operand;
    case AtomicOp::kOr:
      return old | operand;
    case AtomicOp::kXor:
      return old ^ operand;
    case AtomicOp::kExch:
      return operand;
    case AtomicOp::kCas:
    case AtomicOp::kCast:
      return old == compare ? operand : old;
    case AtomicOp::kInc:
      return old >= operand ? 0 : old + 1;
    case AtomicOp::kDec:
      return old == 0 || old > operand ? operand : old - 1;
    case AtomicOp::kArrive:
    case AtomicOp::kArriveDrop:
    case AtomicOp::kExpect:
      return on_mbarrier(op, old, operand);
  }
  return old;
}

std::string_view atomic_name(AtomicOp op) {
  switch (op) {
    case AtomicOp::kAdd:
      return "add";
    case AtomicOp::kMin:
      return "min";
    case AtomicOp::kMax:
      return "max";
    case AtomicOp::kAnd:
      return "and";
    case AtomicOp::kOr:
      return "or";
    case AtomicOp::kXor:
      return "xor";
    case AtomicOp::kExch:
      return "exch";
    case AtomicOp::kCas:
      return "cas";
    case AtomicOp::kCast:
      return "cast.spin";
    case AtomicOp::kInc:
      return "inc";
    case AtomicOp::kDec:
      return "dec";
    case AtomicOp::kArrive:
      return "mbarrier.arrive";
    case AtomicOp::kArriveDrop:
      return "mbarrier.arrive_drop";
    case AtomicOp::kExpect:
      return "mbarrier.expect_tx";
  }
  return "";
}

}  // namespace heddle::isa
