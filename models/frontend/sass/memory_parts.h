// What the rows of memory accesses and atomics share.
#pragma once

#include "frontend/sass/form_parts.h"

namespace heddle::sass::parts {

inline constexpr const char* kWideText[] = {"", "E"};
inline constexpr const char* kSizeText[] = {"U8", "S8", "U16", "S16", "", "64", "128"};
inline constexpr const char* kEvictText[] = {"EF", "", "EL", "LU", "EU", "NA"};
inline constexpr const char* kPrefetchText[] = {"", "LTC64B", "LTC128B", "LTC256B"};
// sm_75: order and scope are fields of their own. sm_90: one field.
inline constexpr const char* kOrder75Text[] = {"CONSTANT", "", "STRONG", "MMIO"};
inline constexpr const char* kScope75Text[] = {"CTA", "SM", "GPU", "SYS"};
inline constexpr const char* kOrder90Text[] = {"",           nullptr, nullptr,      nullptr, "CONSTANT",
                                               "STRONG.SM",  nullptr, "STRONG.GPU", nullptr, nullptr,
                                               "STRONG.SYS", nullptr, "MMIO.SYS"};

inline constexpr ModifierSpec kWide = modifier(Modifier::kWideAddress, bit(72), kWideText);
inline constexpr ModifierSpec kSize = modifier(Modifier::kSize, bits(73, 75), kSizeText);
inline constexpr ModifierSpec kEvict = modifier(Modifier::kEviction, bits(84, 86), kEvictText);
inline constexpr ModifierSpec kPrefetch = modifier(Modifier::kPrefetch, bits(68, 69), kPrefetchText);
inline constexpr ModifierSpec kOrder75 = modifier(Modifier::kOrder, bits(79, 80), kOrder75Text);
inline constexpr ModifierSpec kScope75 = modifier(Modifier::kScope, bits(77, 78), kScope75Text);
inline constexpr ModifierSpec kOrder90 = modifier(Modifier::kOrder, bits(77, 80), kOrder90Text);

inline constexpr OperandSpec kData = reg(Role::kData, 32);
inline constexpr OperandSpec kFarData = reg(Role::kData, 64);
inline constexpr OperandSpec kData2 = reg(Role::kData2, 64);

/// The base register is in bits 24 to 31.
constexpr OperandSpec address(AddressBits bits) {
  return {.role = Role::kAddress, .source = Source::kAddress, .field = {24, 8}, .address = bits};
}

}  // namespace heddle::sass::parts
