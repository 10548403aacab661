// Data types, state spaces and registers as PTX defines them.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::isa {

enum class Type : std::uint8_t {
  kNone,
  kPred,
  kB8,
  kB16,
  kB32,
  kB64,
  kB128,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF16,
  kF16x2,
  kBf16,
  kBf16x2,
  kTf32,  ///< f32 with 10 bits of mantissa, in a .b32 register; the low 13 bits do not count
  kE4m3,  ///< 8-bit floats: 4 bits of exponent, no infinity
  kE5m2,  ///< 5 bits of exponent
  kE4m3x2,
  kE5m2x2,
  kF32,
  kF64,
};

enum class StateSpace : std::uint8_t { kNone, kReg, kParam, kGlobal, kShared, kLocal, kConst, kGeneric };

[[nodiscard]] constexpr unsigned type_bytes(Type t) {
  switch (t) {
    case Type::kB8:
    case Type::kU8:
    case Type::kS8:
    case Type::kE4m3:
    case Type::kE5m2:
      return 1;
    case Type::kB16:
    case Type::kU16:
    case Type::kS16:
    case Type::kF16:
    case Type::kBf16:
    case Type::kE4m3x2:
    case Type::kE5m2x2:
      return 2;
    case Type::kB32:
    case Type::kU32:
    case Type::kS32:
    case Type::kF32:
    case Type::kF16x2:
    case Type::kBf16x2:
    case Type::kTf32:
      return 4;
    case Type::kB64:
    case Type::kU64:
    case Type::kS64:
    case Type::kF64:
      return 8;
    case Type::kB128:
      return 16;
    case Type::kNone:
    case Type::kPred:
      return 0;
  }
  return 0;
}
[[nodiscard]] constexpr bool is_signed(Type t) { return t >= Type::kS8 && t <= Type::kS64; }
[[nodiscard]] constexpr bool is_float(Type t) { return t >= Type::kF16; }

/// "u32", "f32", "pred" ... ; empty for kNone.
[[nodiscard]] std::string_view type_name(Type t);
/// "global", "shared" ...
[[nodiscard]] std::string_view space_name(StateSpace s);

// Generic addresses. Global addresses are unchanged; the shared and local windows lie above any global
// address.
inline constexpr std::uint64_t kSharedWindowBase = 0x7f00'0000'0000ull;
inline constexpr std::uint64_t kSharedWindowBytes = 1ull << 24;
/// Kernels' machine code, for the instruction cache only; no allocation reaches this address.
inline constexpr std::uint64_t kCodeWindowBase = 0x7d00'0000'0000ull;
inline constexpr std::uint64_t kLocalWindowBase = 0x7e00'0000'0000ull;
inline constexpr std::uint64_t kLocalWindowBytes = 1ull << 32;
/// First address of device memory. Lower addresses are never valid, so null pointers fault.
inline constexpr std::uint64_t kGlobalBase = 0x1000'0000ull;

}  // namespace heddle::isa
