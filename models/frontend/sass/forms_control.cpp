// Branches, convergence barriers, CTA barriers and the like. The displacement of sm_90's branches has 8 more bits.
#include "frontend/sass/form_parts.h"

namespace heddle::sass {
namespace control_rows {

using namespace parts;

constexpr const char* kBra75Text[] = {"", "U", "DIV", "CONV"};
constexpr const char* kBra90Text[] = {"", "U"};
constexpr const char* kBraOfMaskText[] = {nullptr, nullptr, "DIV", "CONV"};
constexpr const char* kAnyText[] = {"", "ANY"};
constexpr const char* kClearText[] = {"", "CLEAR"};
constexpr const char* kWarpText[] = {"", "WARP"};
constexpr const char* kSyncsText[] = {"", "SYNCS"};  // ends when an mbarrier changes, too
constexpr const char* kExclusiveText[] = {"", "EXCLUSIVE"};
constexpr const char* kBarText[] = {"SYNC", "ARV", nullptr, "SCAN"};
constexpr const char* kBarRedText[] = {"POPC", "AND", "OR"};
constexpr const char* kBlockingText[] = {"", "DEFER_BLOCKING"};

constexpr Field kDisplacement75 = bits(34, 81);
constexpr Field kDisplacement90 = both(bits(16, 23), bits(34, 81));
constexpr OperandSpec target(Field field, Source source = Source::kTarget) {
  return {.role = Role::kTarget, .source = source, .field = field};
}
constexpr OperandSpec barrier(unsigned at) {
  return {.role = Role::kBarrier, .source = Source::kBarrier, .field = bits(at, at + 3)};
}
constexpr OperandSpec return_pc(Role role) {
  return {.role = role, .source = Source::kReturnPc, .field = bit(31)};
}
constexpr OperandSpec kRegister = reg(Role::kA, 24);
constexpr OperandSpec kBarId = imm(Role::kBarrier, bits(54, 57));
constexpr OperandSpec kBarIdRegister = reg(Role::kBarrier, 32);
constexpr OperandSpec kBarCount = shown(imm(Role::kCount, bits(42, 53)), Show::kNotDefault, 0);
constexpr OperandSpec kBarCountRegister = reg(Role::kCount, 32);
constexpr ModifierSpec kBlocking = modifier(Modifier::kBlocking, bit(80), kBlockingText);
constexpr FixedBits kNoinc{bit(86), 1};

/// The operation, then what `operand` says, for both lengths of displacements.
constexpr Form branch(Opcode op, const char* name, std::uint16_t code, std::uint8_t arch, OperandSpec operand,
                      bool fixed86, bool absolute = false) {
  const Field field = arch == k75 ? kDisplacement75 : kDisplacement90;
  OperandSpec to = target(field, absolute ? Source::kAbsoluteTarget : Source::kTarget);
  Form form{.op = op, .name = name, .code = code, .archs = arch};
  if (fixed86) form.fixed[0] = kNoinc;
  if (op == Opcode::kRet) form.fixed[1] = {bit(85), absolute ? 1u : 0u};
  form.operands[0] = kCondition;
  if (operand.source == Source::kUniformRegister) form.fixed[2] = {bit(91), 1};
  if (operand.source == Source::kNothing) {
    form.operands[1] = to;
  } else {
    form.operands[1] = operand;
    if (op == Opcode::kBrx || op == Opcode::kBrxu) to.style = Style::kSigned;
    form.operands[2] = after_blank(to);
  }
  return form;
}

constexpr Form bar(std::uint16_t code, OperandSpec id, OperandSpec count) {
  return {.op = Opcode::kBar,
          .name = "BAR",
          .code = code,
          .modifiers = {modifier(Modifier::kMode, bits(77, 78), kBarText), kBlocking},
          .operands = {id, count, never(kPs0)}};
}
constexpr Form bar_red(std::uint16_t code, OperandSpec id, OperandSpec count) {
  return {.op = Opcode::kBar,
          .name = "BAR.RED",
          .code = code,
          .fixed = {{{bits(77, 78), 2}}},
          .modifiers = {modifier(Modifier::kOperation, bits(74, 75), kBarRedText), kBlocking},
          .operands = {id, count, kPs0}};
}
constexpr Form simple(Opcode op, const char* name, std::uint16_t code, std::uint8_t archs = kBoth) {
  return {.op = op, .name = name, .code = code, .archs = archs, .operands = {kCondition}};
}

constexpr Form sleep(std::uint8_t archs) {
  Form form{.op = Opcode::kNanosleep, .name = "NANOSLEEP", .code = 0x15d, .forms = kFormsOfB, .archs = archs};
  form.modifiers[0] = modifier(Modifier::kMode, bits(85, 86), kWarpText);
  if (archs == k90) form.modifiers[1] = modifier(Modifier::kOperation, bit(84), kSyncsText);
  form.operands = {kCondition, b()};
  return form;
}

constexpr Form kForms[] = {
    {.op = Opcode::kBra,
     .name = "BRA",
     .code = 0x947,
     .archs = k75,
     .modifiers = {modifier(Modifier::kMode, bits(32, 33), kBra75Text)},
     .operands = {kCondition, target(kDisplacement75)}},
    {.op = Opcode::kBra,
     .name = "BRA",
     .code = 0x947,
     .archs = k90,
     .modifiers = {modifier(Modifier::kMode, bits(32, 33), kBra90Text),
                   modifier(Modifier::kShape, bit(84), kAnyText)},
     .operands = {kCondition, target(kDisplacement90)}},
    {.op = Opcode::kBra,
     .name = "BRA",
     .code = 0x947,
     .archs = k90,
     .fixed = {{{bit(91), 1}}},
     .modifiers = {modifier(Modifier::kMode, bits(32, 33), kBraOfMaskText)},
     .operands = {kCondition, uniform(Role::kMask, 24), target(kDisplacement90)}},
    {.op = Opcode::kBra,
     .name = "BRA",
     .code = 0x547,
     .archs = k90,
     .fixed = {{{bits(87, 90), 7}, {bit(91), 1}}},
     .modifiers = {modifier(Modifier::kMode, bits(32, 33), kBra90Text)},
     .operands = {upred(Role::kPs0, 24, 27), target(kDisplacement90)}},
    branch(Opcode::kBrx, "BRX", 0x949, k75, kRegister, false),
    branch(Opcode::kBrx, "BRX", 0x949, k90, kRegister, false),
    branch(Opcode::kBrxu, "BRXU", 0x958, k75, uniform(Role::kA, 24), false),
    branch(Opcode::kBrxu, "BRXU", 0x958, k90, uniform(Role::kA, 24), false),
    branch(Opcode::kCall, "CALL.REL.NOINC", 0x944, k75, {}, true),
    branch(Opcode::kCall, "CALL.REL.NOINC", 0x944, k90, {}, true),
    branch(Opcode::kCall, "CALL.REL.NOINC", 0x344, k75, kRegister, true),
    branch(Opcode::kCall, "CALL.REL.NOINC", 0x344, k90, kRegister, true),
    branch(Opcode::kCall, "CALL.ABS.NOINC", 0x943, k75, {}, true, true),
    branch(Opcode::kCall, "CALL.ABS.NOINC", 0x943, k90, {}, true, true),
    {.op = Opcode::kCall,
     .name = "CALL.ABS.NOINC",
     .code = 0x343,
     .fixed = {kNoinc},
     .operands = {kCondition, kRegister}},
    branch(Opcode::kRet, "RET.REL.NODEC", 0x950, k75, kRegister, true),
    branch(Opcode::kRet, "RET.REL.NODEC", 0x950, k90, kRegister, true),
    branch(Opcode::kRet, "RET.ABS.NODEC", 0x950, k75, kRegister, true, true),
    branch(Opcode::kRet, "RET.ABS.NODEC", 0x950, k90, kRegister, true, true),
    // The address of this instruction, ...
    {.op = Opcode::kLepc, .name = "LEPC", .code = 0x34e, .archs = k75, .operands = {kDst}},
    // ... or of one behind the next.
    {.op = Opcode::kLepc,
     .name = "LEPC",
     .code = 0x94e,
     .archs = k90,
     .operands = {kDst, imm(Role::kB, bits(24, 31))}},
    {.op = Opcode::kBssy,
     .name = "BSSY",
     .code = 0x945,
     .operands = {kCondition, barrier(16), target(bits(34, 63))}},
    {.op = Opcode::kBsync, .name = "BSYNC", .code = 0x941, .operands = {kCondition, barrier(16)}},
    {.op = Opcode::kBreak, .name = "BREAK", .code = 0x942, .operands = {kCondition, barrier(16)}},
    {.op = Opcode::kBmovRead,
     .name = "BMOV.32",
     .code = 0x355,
     .modifiers = {modifier(Modifier::kClear, bit(84), kClearText)},
     .operands = {kDst, barrier(24)}},
    {.op = Opcode::kBmovWrite,
     .name = "BMOV.32",
     .code = 0x356,
     .operands = {barrier(24), reg(Role::kB, 32)}},
    {.op = Opcode::kRpcmovWrite,
     .name = "RPCMOV.32",
     .code = 0x352,
     .archs = k90,
     .operands = {return_pc(Role::kDst), reg(Role::kB, 32)}},
    {.op = Opcode::kRpcmovRead,
     .name = "RPCMOV.32",
     .code = 0x353,
     .archs = k90,
     .operands = {kDst, return_pc(Role::kB)}},
    {.op = Opcode::kWarpsync,
     .name = "WARPSYNC",
     .code = 0x148,
     .forms = kFormsOfB,
     .archs = k75,
     .operands = {kCondition, b()}},
    {.op = Opcode::kWarpsync,
     .name = "WARPSYNC",
     .code = 0x348,
     .archs = k90,
     .modifiers = {modifier(Modifier::kMode, bits(85, 86), kExclusiveText)},
     .operands = {kCondition, reg(Role::kMask, 24)}},
    {.op = Opcode::kWarpsync,
     .name = "WARPSYNC.COLLECTIVE",
     .code = 0x348,
     .archs = k90,
     .fixed = {{{bits(85, 86), 2}}},
     .operands = {kCondition, reg(Role::kMask, 24), target(kDisplacement90)}},
    {.op = Opcode::kWarpsync,
     .name = "WARPSYNC.ALL",
     .code = 0x948,
     .archs = k90,
     .fixed = {{{bits(85, 86), 0}}},
     .operands = {kCondition}},
    {.op = Opcode::kWarpsync,
     .name = "WARPSYNC.COLLECTIVE.ALL",
     .code = 0x948,
     .archs = k90,
     .fixed = {{{bits(85, 86), 2}}},
     .operands = {kCondition, target(kDisplacement90)}},
    simple(Opcode::kEndcollective, "ENDCOLLECTIVE", 0x91b, k90),
    simple(Opcode::kExit, "EXIT", 0x94d),
    simple(Opcode::kKill, "KILL", 0x95b),
    simple(Opcode::kYield, "YIELD", 0x946),
    sleep(k75),
    sleep(k90),
    bar(0xb1d, kBarId, kBarCount),
    bar(0x51d, kBarIdRegister, kBarCount),
    bar(0x91d, kBarId, kBarCountRegister),
    bar(0x31d, kBarIdRegister, {}),
    bar_red(0xb1d, kBarId, kBarCount),
    bar_red(0x51d, kBarIdRegister, kBarCount),
    bar_red(0x91d, kBarId, kBarCountRegister),
    bar_red(0x31d, kBarIdRegister, {}),
    // A CTA is a cluster of its own: who waits for the cluster waits at the CTA's barrier 0.
    {.op = Opcode::kNop, .name = "UCGABAR_ARV", .code = 0x9c7, .archs = k90, .fixed = {{{bit(91), 1}}}},
    {.op = Opcode::kBar,
     .name = "UCGABAR_WAIT",
     .code = 0xdc7,
     .archs = k90,
     .fixed = {{{bit(91), 1}}},
     .operands = {never(kBarId), never(kBarCount)}},
    {.op = Opcode::kBpt,
     .name = "BPT.TRAP",
     .code = 0x95c,
     .fixed = {{{bits(84, 86), 3}}},
     .operands = {imm(Role::kCount, bits(34, 53))}},
    {.op = Opcode::kNop, .name = "NOP", .code = 0x918},
    // An event for counters, of which there are none.
    {.op = Opcode::kNop,
     .name = "PMTRIG",
     .code = 0x801,
     .operands = {kCondition, imm(Role::kMask, bits(32, 47))}},
};

}  // namespace control_rows

std::span<const Form> control_forms() { return control_rows::kForms; }

}  // namespace heddle::sass
