// Operations across the lanes of a warp.
#include "frontend/sass/form_parts.h"

namespace heddle::sass {
namespace warp_rows {

using namespace parts;

constexpr const char* kVoteText[] = {"ALL", "ANY", "EQ"};
constexpr const char* kShflText[] = {"IDX", "UP", "DOWN", "BFLY"};
constexpr const char* kU64Text[] = {"", "U64"};
constexpr const char* kReduxText[] = {"AND", "OR", "XOR", "SUM", "MIN", "MAX"};
constexpr const char* kS32Text[] = {"", "S32"};

constexpr ModifierSpec kVoteMode = modifier(Modifier::kMode, bits(72, 73), kVoteText);
constexpr ModifierSpec kShflMode = modifier(Modifier::kMode, bits(58, 59), kShflText);
constexpr ModifierSpec kU64 = modifier(Modifier::kSixtyFour, bit(73), kU64Text);
constexpr OperandSpec kShuffled = reg(Role::kA, 24, 122);
constexpr OperandSpec kLaneRegister = reg(Role::kLane, 32, 123);
constexpr OperandSpec kLaneNumber = imm(Role::kLane, bits(53, 57));
constexpr OperandSpec kClampRegister = reg(Role::kClamp, 64, 124);
constexpr OperandSpec kClampNumber = imm(Role::kClamp, bits(40, 52));

constexpr Form shfl(std::uint16_t code, OperandSpec lane, OperandSpec clamp) {
  return {.op = Opcode::kShfl,
          .name = "SHFL",
          .code = code,
          .modifiers = {kShflMode},
          .operands = {kPd0, kDst, kShuffled, lane, clamp}};
}

constexpr Form kForms[] = {
    {.op = Opcode::kVote,
     .name = "VOTE",
     .code = 0x806,
     .modifiers = {kVoteMode},
     .operands = {shown(kDst, Show::kNotDefault, kRz), kPd0, kPs0}},
    {.op = Opcode::kVoteu,
     .name = "VOTEU",
     .code = 0x886,
     .modifiers = {kVoteMode},
     .operands = {shown(kUdst, Show::kNotDefault, kUrz), upred(Role::kPd0, 81), kPs0}},
    {.op = Opcode::kMatch,
     .name = "MATCH.ANY",
     .code = 0x3a1,
     .fixed = {{{bit(79), 1}}},
     .modifiers = {kU64},
     .operands = {unless_true(kPd0), kDst, reg(Role::kA, 24, 122)}},
    {.op = Opcode::kMatch,
     .name = "MATCH.ALL",
     .code = 0x3a1,
     .fixed = {{{bit(79), 0}}},
     .modifiers = {kU64},
     .operands = {kPd0, kDst, reg(Role::kA, 24, 122)}},
    shfl(0x389, kLaneRegister, kClampRegister),
    shfl(0x589, kLaneRegister, kClampNumber),
    shfl(0x989, kLaneNumber, kClampRegister),
    shfl(0xf89, kLaneNumber, kClampNumber),
    {.op = Opcode::kRedux,
     .name = "REDUX",
     .code = 0x3c4,
     .archs = k90,
     .modifiers = {modifier(Modifier::kOperation, bits(78, 80), kReduxText),
                   modifier(Modifier::kSigned, bit(73), kS32Text)},
     .operands = {kUdst, reg(Role::kA, 24, 122)}},
};

}  // namespace warp_rows

std::span<const Form> warp_forms() { return warp_rows::kForms; }

}  // namespace heddle::sass
