// Loads, stores, and the order of memory accesses.
#include "frontend/sass/form_parts.h"
#include "frontend/sass/memory_parts.h"

namespace heddle::sass {
namespace memory_rows {

using namespace parts;

constexpr const char* kHintText[] = {"", "U"};
constexpr const char* kLdcModeText[] = {"", "IL", "IS", "ISL"};
constexpr const char* kFenceText[] = {"SC", "ALL"};
constexpr const char* kFenceScopeText[] = {"CTA", "SM", "GPU", "SYS", nullptr, "VC"};
constexpr const char* kSpaceText[] = {"G", "L", "S", "CLUSTER"};
constexpr const char* kCacheAdviceText[] = {"PF1",   "PF2",   nullptr, nullptr, nullptr, nullptr,
                                            nullptr, nullptr, nullptr, nullptr, "RML2",  "DML2"};
constexpr const char* kLessEqualText[] = {"", "LE"};

constexpr ModifierSpec kHint = modifier(Modifier::kHint, bit(76), kHintText);

// 128-bit loads of .U.128 are not coalesced with others; only sm_75 has them.
constexpr const char* kLoadSize75Text[] = {"U8", "S8", "U16", "S16", "", "64", "128", "U.128"};
constexpr ModifierSpec kLoadSize75 = modifier(Modifier::kSize, bits(73, 75), kLoadSize75Text);

/// [register + 32 bits].
constexpr OperandSpec kFarAddress = address({.offset = bits(32, 63)});
constexpr OperandSpec kLoadAddress75 = address({.uniform = 32, .wide = 90});
constexpr OperandSpec kStoreAddress75 = address({.uniform = 64, .wide = 90});
constexpr OperandSpec kLoadDescriptor = address({.uniform = 32, .wide = 90, .descriptor = true});
constexpr OperandSpec kStoreDescriptor = address({.uniform = 64, .wide = 90, .descriptor = true});
constexpr std::array<FixedBits, 4> kWithDescriptor{{{bit(76), 1}, {bit(91), 1}}};
constexpr std::array<FixedBits, 4> kNoUniform{{{bit(91), 0}}};
constexpr std::array<FixedBits, 4> kWithUniform{{{bit(91), 1}}};

/// LDG can tell whether the load succeeded, and load under a predicate that is coded as 7 - n.
constexpr OperandSpec kLoaded = unless_true(kPd0);
constexpr OperandSpec kLoadIf{.role = Role::kPs0,
                              .source = Source::kInversePredicate,
                              .field = bits(64, 66),
                              .negate = 67,
                              .show = Show::kNotDefault,
                              .otherwise = kPt};

constexpr Form kForms[] = {
    // global
    {.op = Opcode::kLdg,
     .name = "LDG",
     .code = 0x381,
     .archs = k75,
     .modifiers = {kWide, kEvict, kPrefetch, kLoadSize75, kOrder75, kScope75},
     .operands = {kLoaded, kDst, kLoadAddress75, kLoadIf}},
    {.op = Opcode::kLdg,
     .name = "LDG",
     .code = 0x981,
     .archs = k75,
     .modifiers = {kWide, kEvict, kPrefetch, kLoadSize75, kOrder75, kScope75},
     .operands = {kLoaded, kDst, kLoadAddress75, kLoadIf}},
    {.op = Opcode::kLdg,
     .name = "LDG",
     .code = 0x381,
     .archs = k90,
     .modifiers = {kWide, kEvict, kPrefetch, kSize, kOrder90},
     .operands = {kLoaded, kDst, address({}), kLoadIf}},
    {.op = Opcode::kLdg,
     .name = "LDG",
     .code = 0x981,
     .archs = k90,
     .fixed = kWithDescriptor,
     .modifiers = {kWide, kEvict, kPrefetch, kSize, kOrder90},
     .operands = {kLoaded, kDst, kLoadDescriptor, kLoadIf}},
    {.op = Opcode::kStg,
     .name = "STG",
     .code = 0x386,
     .archs = k75,
     .modifiers = {kWide, kEvict, kSize, kOrder75, kScope75},
     .operands = {address({}), kData}},
    {.op = Opcode::kStg,
     .name = "STG",
     .code = 0x986,
     .archs = k75,
     .modifiers = {kWide, kEvict, kSize, kOrder75, kScope75},
     .operands = {kStoreAddress75, kData}},
    {.op = Opcode::kStg,
     .name = "STG",
     .code = 0x386,
     .archs = k90,
     .modifiers = {kWide, kEvict, kSize, kOrder90},
     .operands = {address({}), kData}},
    {.op = Opcode::kStg,
     .name = "STG",
     .code = 0x986,
     .archs = k90,
     .fixed = kWithDescriptor,
     .modifiers = {kWide, kEvict, kSize, kOrder90},
     .operands = {kStoreDescriptor, kData}},
    // generic
    {.op = Opcode::kLd,
     .name = "LD",
     .code = 0x980,
     .archs = k75,
     .fixed = kNoUniform,
     .modifiers = {kWide, kEvict, kLoadSize75, kOrder75, kScope75},
     .operands = {kDst, kFarAddress}},
    {.op = Opcode::kLd,
     .name = "LD",
     .code = 0x980,
     .archs = k75,
     .fixed = kWithUniform,
     .modifiers = {kWide, kEvict, kLoadSize75, kOrder75, kScope75},
     .operands = {kDst, kLoadAddress75}},
    {.op = Opcode::kLd,
     .name = "LD",
     .code = 0x980,
     .archs = k90,
     .fixed = kNoUniform,
     .modifiers = {kWide, kEvict, kSize, kOrder90},
     .operands = {kDst, kFarAddress}},
    {.op = Opcode::kLd,
     .name = "LD",
     .code = 0x980,
     .archs = k90,
     .fixed = kWithDescriptor,
     .modifiers = {kWide, kEvict, kSize, kOrder90},
     .operands = {kDst, kLoadDescriptor}},
    {.op = Opcode::kSt,
     .name = "ST",
     .code = 0x385,
     .archs = k75,
     .modifiers = {kWide, kEvict, kSize, kOrder75, kScope75},
     .operands = {kFarAddress, kFarData}},
    {.op = Opcode::kSt,
     .name = "ST",
     .code = 0x985,
     .archs = k75,
     .fixed = kWithUniform,
     .modifiers = {kWide, kEvict, kSize, kOrder75, kScope75},
     .operands = {kStoreAddress75, kData}},
    {.op = Opcode::kSt,
     .name = "ST",
     .code = 0x385,
     .archs = k90,
     .modifiers = {kWide, kEvict, kSize, kOrder90},
     .operands = {kFarAddress, kFarData}},
    {.op = Opcode::kSt,
     .name = "ST",
     .code = 0x985,
     .archs = k90,
     .fixed = kWithDescriptor,
     .modifiers = {kWide, kEvict, kSize, kOrder90},
     .operands = {kStoreDescriptor, kData}},
    // shared and local
    {.op = Opcode::kLds,
     .name = "LDS",
     .code = 0x984,
     .archs = k75,
     .modifiers = {kHint, kSize},
     .operands = {kDst, address({.uniform = 32, .scale = 78})}},
    {.op = Opcode::kLds,
     .name = "LDS",
     .code = 0x984,
     .archs = k90,
     .modifiers = {kSize},
     .operands = {kDst, address({.uniform = 32})}},
    {.op = Opcode::kSts,
     .name = "STS",
     .code = 0x388,
     .archs = k75,
     .modifiers = {kSize},
     .operands = {address({.scale = 78}), kData}},
    {.op = Opcode::kSts,
     .name = "STS",
     .code = 0x988,
     .archs = k75,
     .modifiers = {kSize},
     .operands = {address({.uniform = 64, .scale = 78}), kData}},
    {.op = Opcode::kSts,
     .name = "STS",
     .code = 0x388,
     .archs = k90,
     .modifiers = {kSize},
     .operands = {address({}), kData}},
    {.op = Opcode::kSts,
     .name = "STS",
     .code = 0x988,
     .archs = k90,
     .modifiers = {kSize},
     .operands = {address({.uniform = 64}), kData}},
    {.op = Opcode::kLdl,
     .name = "LDL",
     .code = 0x983,
     .modifiers = {kEvict, kSize},
     .operands = {kDst, address({.uniform = 32})}},
    {.op = Opcode::kStl,
     .name = "STL",
     .code = 0x387,
     .modifiers = {kEvict, kSize},
     .operands = {address({}), kData}},
    {.op = Opcode::kStl,
     .name = "STL",
     .code = 0x987,
     .modifiers = {kEvict, kSize},
     .operands = {address({.uniform = 64}), kData}},
    // constant
    {.op = Opcode::kLdc,
     .name = "LDC",
     .code = 0xb82,
     .modifiers = {modifier(Modifier::kMode, bits(78, 79), kLdcModeText), kSize},
     .operands = {kDst, {.role = Role::kAddress, .source = Source::kConstant, .field = bits(24, 31)}}},
    // which space a generic address belongs to
    {.op = Opcode::kQspc,
     .name = "QSPC",
     .code = 0x3aa,
     .modifiers = {kWide, modifier(Modifier::kType, bits(73, 74), kSpaceText)},
     .operands = {kPd0, kDst, address({})}},
    {.op = Opcode::kQspc,
     .name = "QSPC",
     .code = 0x9aa,
     .modifiers = {kWide, modifier(Modifier::kType, bits(73, 74), kSpaceText)},
     .operands = {kPd0, kDst, kLoadAddress75}},
    // order
    {.op = Opcode::kCctl,
     .name = "CCTL.IVALL",
     .code = 0x98f,
     .fixed = {{{bits(87, 90), 4}, {bit(72), 0}}},
     .operands = {never(reg(Role::kUnused, 24))}},
    // Advice about a line of a cache.
    {.op = Opcode::kNop,
     .name = "CCTL.E",
     .code = 0x98f,
     .fixed = {{{bit(72), 1}}},
     .modifiers = {modifier(Modifier::kOperation, bits(87, 90), kCacheAdviceText)},
     .operands = {kFarAddress}},
    {.op = Opcode::kMembar,
     .name = "MEMBAR",
     .code = 0x992,
     .modifiers = {modifier(Modifier::kOrder, bits(79, 80), kFenceText),
                   modifier(Modifier::kScope, bits(76, 78), kFenceScopeText)}},
    {.op = Opcode::kErrbar, .name = "ERRBAR", .code = 0x9ab},
    {.op = Opcode::kCgaerrbar, .name = "CGAERRBAR", .code = 0x5ab, .archs = k90},
    {.op = Opcode::kDepbar,
     .name = "DEPBAR",
     .code = 0x91a,
     .modifiers = {modifier(Modifier::kLessEqual, bit(47), kLessEqualText)},
     .operands = {{{.role = Role::kScoreboard, .source = Source::kScoreboard, .field = bits(44, 46)},
                   imm(Role::kCount, bits(38, 43)),
                   {.role = Role::kScoreboards,
                    .source = Source::kScoreboards,
                    .field = bits(32, 37),
                    .show = Show::kNotDefault,
                    .otherwise = 0}}}},
};

}  // namespace memory_rows

std::span<const Form> memory_forms() { return memory_rows::kForms; }

}  // namespace heddle::sass
