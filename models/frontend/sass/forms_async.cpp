// Copies in the background from global to shared memory, barriers in shared memory (mbarrier), and what comes with them on sm_90.
// Fields were found by varying PTX (README.md, "How far it is checked").
#include "frontend/sass/form_parts.h"
#include "frontend/sass/memory_parts.h"

namespace heddle::sass {
namespace async_rows {

using namespace parts;

constexpr const char* kBypassText[] = {"BYPASS", ""};
constexpr const char* kAlwaysWideText[] = {"E"};
constexpr const char* kZeroFillText[] = {"", "ZFILL"};
/// Arrivals and bytes of an arrival: A1T0 is one arrival; TR: the register's bytes; AR: the register's arrivals.
constexpr const char* kArrivalText[] = {"", "A1T0", "A0T1", "A0TR", "A0TX", "ART0"};
constexpr const char* kReductionOnlyText[] = {"", "RED"};
constexpr const char* kTogetherText[] = {"", "TOGETHER"};
constexpr const char* kDropText[] = {"", "OPTOUT"};
constexpr const char* kTryText[] = {"", "TRYWAIT"};
constexpr const char* kCopiesText[] = {nullptr, "ARVCNT", "TRANSCNT"};
constexpr const char* kFenceOfText[] = {"", "G"};
/// To and from shared (S) and global memory (G).
constexpr const char* kBulkText[] = {nullptr, "S.G", "G.S", "S.S"};
constexpr const char* kMulticastText[] = {"", "MULTICAST"};
constexpr const char* kPolicyText[] = {"", "L2HINT"};
constexpr const char* kSixtyFourText[] = {nullptr, "64"};

/// Of sm_90, in shared memory: register, uniform register and 24 bits.
constexpr OperandSpec kBarrierAddress = address({.uniform = 64});
constexpr std::array<FixedBits, 4> kWithUniform{{{bit(91), 1}}};
constexpr ModifierSpec kPolicy = modifier(Modifier::kPolicy, bit(76), kPolicyText);
constexpr OperandSpec kPolicyRegister = shown(uniform(Role::kUnused, 40), Show::kWith, 0, Modifier::kPolicy);

constexpr Form kForms[] = {
    {.op = Opcode::kLdgsts,
     .name = "LDGSTS",
     .code = 0xfae,
     .archs = k90,
     .fixed = {{{bit(91), 1}}},
     .modifiers = {modifier(Modifier::kWideAddress, bit(76), kWideText), kEvict,
                   modifier(Modifier::kBypass, bit(81), kBypassText),
                   modifier(Modifier::kPrefetch, bits(71, 72), kPrefetchText), kSize, kOrder90,
                   modifier(Modifier::kZeroFill, bit(82), kZeroFillText)},
     .operands = {OperandSpec{.role = Role::kSharedAddress,
                              .source = Source::kAddress,
                              .field = {16, 8},
                              .address = {.offset = bits(44, 63)}},
                  address({.offset = bits(32, 43), .uniform = 64, .wide = 70, .descriptor = true}),
                  unless_true(kPs0)}},
    // At a uniform address alone, with no descriptor: libraries have it.
    {.op = Opcode::kLdgsts,
     .name = "LDGSTS",
     .code = 0xdae,
     .archs = k90,
     .fixed = {{{bit(76), 0}, {bit(91), 1}}},
     .modifiers = {modifier(Modifier::kWideAddress, {}, kAlwaysWideText), kEvict,
                   modifier(Modifier::kBypass, bit(81), kBypassText),
                   modifier(Modifier::kPrefetch, bits(71, 72), kPrefetchText), kSize, kOrder90,
                   modifier(Modifier::kZeroFill, bit(82), kZeroFillText)},
     .operands = {OperandSpec{.role = Role::kSharedAddress,
                              .source = Source::kAddress,
                              .field = {16, 8},
                              .address = {.offset = bits(44, 63)}},
                  address({.offset = bits(32, 43), .uniform = 64, .wide = 70}), unless_true(kPs0)}},
    {.op = Opcode::kLdgdepbar, .name = "LDGDEPBAR", .code = 0x9af, .archs = k90},
    {.op = Opcode::kSyncsArrive,
     .name = "SYNCS.ARRIVE.TRANS64",
     .code = 0x9a7,
     .archs = k90,
     .fixed = kWithUniform,
     .modifiers = {modifier(Modifier::kTogether, bit(73), kTogetherText),
                   modifier(Modifier::kReductionOnly, bit(74), kReductionOnlyText),
                   modifier(Modifier::kDrop, bit(75), kDropText),
                   modifier(Modifier::kMode, bits(84, 86), kArrivalText)},
     .operands = {kDst, kBarrierAddress, kData}},
    {.op = Opcode::kSyncsExchange,
     .name = "SYNCS.EXCH",
     .code = 0x5b2,
     .archs = k90,
     .fixed = kWithUniform,
     .modifiers = {modifier(Modifier::kSixtyFour, bit(72), kSixtyFourText)},
     .operands = {uniform(Role::kDst, 16),
                  OperandSpec{.role = Role::kAddress,
                              .source = Source::kUniformAddress,
                              .field = bits(24, 29),
                              .address = {.offset = bits(40, 63)}},
                  uniform(Role::kData, 32)},
     .uniform_guard = true},
    {.op = Opcode::kSyncsPhase,
     .name = "SYNCS.PHASECHK.TRANS64",
     .code = 0x5a7,
     .archs = k90,
     .fixed = {{{bit(70), 1}, {bit(91), 1}}},
     .modifiers = {modifier(Modifier::kMode, bit(72), kTryText)},
     .operands = {kPd0, kBarrierAddress, kData}},
    {.op = Opcode::kSyncsCctl,
     .name = "SYNCS.CCTL.IV",
     .code = 0x9b1,
     .archs = k90,
     .fixed = kWithUniform,
     .operands = {kBarrierAddress}},
    {.op = Opcode::kArrives,
     .name = "ARRIVES.LDGSTSBAR.64",
     .code = 0x9b0,
     .archs = k90,
     .fixed = {{{bit(73), 1}, {bit(75), 1}, {bit(91), 1}}},
     .modifiers = {modifier(Modifier::kMode, bits(70, 71), kCopiesText)},
     .operands = {kBarrierAddress}},
    {.op = Opcode::kElect,
     .name = "ELECT",
     .code = 0x82f,
     .archs = k90,
     .operands = {kPd0, kUdst, unless_true(kPs0)}},
    // A CTA is a cluster of its own, and no grid depends on another.
    {.op = Opcode::kFenceView,
     .name = "FENCE.VIEW.ASYNC",
     .code = 0x3c6,
     .archs = k90,
     .modifiers = {modifier(Modifier::kScope, bit(72), kFenceOfText)}},
    {.op = Opcode::kAcqbulk, .name = "ACQBULK", .code = 0x82e, .archs = k90},
    {.op = Opcode::kPreexit, .name = "PREEXIT", .code = 0x82d, .archs = k90},
    // Copies of the warp, in units of 16 bytes. The pair of a copy into shared memory is its address and that of the mbarrier.
    {.op = Opcode::kUblkcp,
     .name = "UBLKCP",
     .code = 0x3ba,
     .archs = k90,
     .fixed = kWithUniform,
     .modifiers = {modifier(Modifier::kMode, bits(73, 74), kBulkText),
                   modifier(Modifier::kMulticast, bit(75), kMulticastText), kPolicy},
     .operands = {uniform(Role::kA, 32), uniform(Role::kB, 24), uniform(Role::kCount, 64), kPolicyRegister},
     .uniform_guard = true},
    // Into the L2, and the end of a group: copies from shared memory are made at once.
    {.op = Opcode::kNop,
     .name = "UBLKPF",
     .code = 0x3bc,
     .archs = k90,
     .fixed = kWithUniform,
     .modifiers = {kPolicy},
     .operands = {uniform(Role::kB, 24), uniform(Role::kCount, 64), kPolicyRegister},
     .uniform_guard = true},
    {.op = Opcode::kNop, .name = "UTMACMDFLUSH", .code = 0x9b7, .archs = k90, .uniform_guard = true},
};

}  // namespace async_rows

std::span<const Form> async_forms() { return async_rows::kForms; }

}  // namespace heddle::sass
