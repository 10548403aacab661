// Conversions between types.
#include "frontend/sass/lower/lane_lowering.h"

namespace heddle::sass {
namespace {

using isa::LatencyClass;
using isa::MachineOp;
using isa::Rounding;
using isa::Type;

Type float_type(unsigned code) {
  constexpr Type kTypes[] = {Type::kNone, Type::kF16, Type::kF32, Type::kF64};
  constexpr unsigned kBfloat = 4;
  return code == kBfloat ? Type::kBf16 : kTypes[code & 3];
}
Rounding integral_mode(const LaneLowering& of) {
  constexpr Rounding kModes[] = {Rounding::kRni, Rounding::kRmi, Rounding::kRpi, Rounding::kRzi};
  return kModes[of.value(Modifier::kRounding) & 3];
}
/// Bit 0 says signed, the others are log2 of the bytes.
Type integer_type(unsigned code) {
  constexpr Type kTypes[] = {Type::kU8,  Type::kS8,  Type::kU16, Type::kS16,
                             Type::kU32, Type::kS32, Type::kU64, Type::kS64};
  return kTypes[code & 7];
}
bool is_pair_type(Type type) { return isa::type_bytes(type) == 8; }

/// Where a half begins, as kConvert has it.
unsigned place_of_half(LaneLowering& of, Type from) {
  const bool upper = of.operand(Role::kB).half != 0;
  if (upper && from != Type::kF16 && from != Type::kBf16) of.refuse("a half of a number that is no F16");
  return upper ? 2u << 1 : 0u;
}

void conversion_operands(LaneLowering& of, Type to, Type from) {
  if (is_pair_type(from))
    of.double_pair(Role::kB);
  else
    of.word(Role::kB);
  of.result();
  if (is_pair_type(to)) of.result_high();
}
void lower_float_to_integer(LaneLowering& of) {
  const Type to = integer_type(of.value(Modifier::kDestination));
  const Type from = float_type(of.value(Modifier::kSource));
  if (from == Type::kBf16 && of.has(Modifier::kFtz)) of.refuse("F2I of bf16 with .FTZ");
  conversion_operands(of, to, from);
  of.operation_bits(place_of_half(of, from) | (of.has(Modifier::kNtz) ? 1u : 0u) |
                    static_cast<unsigned>(integral_mode(of)) << 3);
  of.use({.op = MachineOp::kConvert, .type = to, .src_type = from, .ftz = of.has(Modifier::kFtz)},
         LatencyClass::kSfu);
}
void lower_integer_to_float(LaneLowering& of) {
  const Type to = float_type(of.value(Modifier::kDestination));
  const Type from = integer_type(of.value(Modifier::kSource));
  const unsigned part = of.operand(Role::kB).half;
  if (of.op() == Opcode::kI2fp && is_pair_type(to))
    of.refuse("I2FP to F64: where its result goes is not known");
  const unsigned bytes = isa::type_bytes(from);
  if (part != 0 && (part + 1) * bytes > 4) of.refuse("a part of a register that goes on behind it");
  if (is_pair_type(from))
    of.integer_pair(Role::kB);
  else
    of.word(Role::kB);
  of.result();
  if (is_pair_type(to)) of.result_high();
  of.operation_bits(part * bytes << 1);
  of.use({.op = MachineOp::kConvert, .type = to, .src_type = from, .rounding = rounding_of(of)},
         of.op() == Opcode::kI2fp ? LatencyClass::kFpSimple : LatencyClass::kSfu);
}
void lower_float_to_float(LaneLowering& of) {
  const Type to = float_type(of.value(Modifier::kDestination));
  const Type from = float_type(of.value(Modifier::kSource));
  if (to == from && to != Type::kF32) of.refuse("F2F between equal types");
  conversion_operands(of, to, from);
  of.use({.op = MachineOp::kConvert,
          .type = to,
          .src_type = from,
          .rounding = rounding_of(of),
          .ftz = of.has(Modifier::kFtz),
          .sat = of.has(Modifier::kSaturate)},
         LatencyClass::kSfu);
}
void lower_between_bf16(LaneLowering& of) {
  const unsigned code = of.value(Modifier::kSource);
  const Type from = code == 0 ? Type::kBf16 : float_type(code);
  const Type to = code == 0 ? float_type(of.value(Modifier::kDestination)) : Type::kBf16;
  conversion_operands(of, to, from);
  of.operation_bits(place_of_half(of, from));
  of.use({.op = MachineOp::kConvert, .type = to, .src_type = from, .rounding = rounding_of(of)},
         LatencyClass::kSfu);
}
void lower_to_integral(LaneLowering& of) {
  const unsigned code = of.value(Modifier::kSource);
  const Type type = code == 0 ? Type::kBf16 : float_type(code & 3);
  conversion_operands(of, type, type);
  of.operation_bits(place_of_half(of, type));
  of.use({.op = MachineOp::kConvert,
          .type = type,
          .src_type = type,
          .rounding = integral_mode(of),
          .ftz = of.has(Modifier::kFtz)},
         LatencyClass::kSfu);
}
void lower_packing(LaneLowering& of) {
  if (!of.is_zero(Role::kC)) of.refuse("a third operand of F2FP");
  of.word(Role::kA);
  of.word(Role::kB);
  of.result();
  of.operation_bits((of.has(Modifier::kDestination) ? 1u : 0u) | (of.has(Modifier::kRelu) ? 2u : 0u) |
                    (of.has(Modifier::kSaturate) ? 4u : 0u));
  of.use({.op = MachineOp::kPackFloats, .rounding = rounding_of(of)}, LatencyClass::kFpSimple);
}

Type bytes_type(const LaneLowering& of, Modifier modifier) {
  constexpr unsigned kE5m2 = 2;
  return of.value(modifier) == kE5m2 ? Type::kE5m2x2 : Type::kE4m3x2;
}
void lower_packing_of_bytes(LaneLowering& of) {
  constexpr unsigned kF16 = 1;
  const bool halves = of.value(Modifier::kSource) == kF16;
  if (!halves) of.word(Role::kA);
  of.word(Role::kB);
  of.word(Role::kC);
  of.result();
  of.operation_bits(of.has(Modifier::kRelu) ? 1u : 0u);
  of.use({.op = MachineOp::kPackNarrow,
          .type = bytes_type(of, Modifier::kDestination),
          .src_type = halves ? Type::kF16x2 : Type::kF32},
         LatencyClass::kFpSimple);
}
void lower_unpacking(LaneLowering& of) {
  of.word(Role::kB);
  of.result();
  of.operation_bits((of.has(Modifier::kRelu) ? 1u : 0u) | (of.has(Modifier::kByte) ? 2u : 0u));
  of.use(
      {.op = MachineOp::kUnpackNarrow, .type = Type::kF16x2, .src_type = bytes_type(of, Modifier::kSource)},
      LatencyClass::kFpSimple);
}
void lower_to_tf32(LaneLowering& of) {
  of.word(Role::kB);
  of.result();
  of.use_ptx({.op = isa::LaneOp::kCvt,
              .type = Type::kTf32,
              .src_type = Type::kF32,
              .rounding = rounding_of(of),
              .relu = of.has(Modifier::kRelu)},
             LatencyClass::kFpSimple);
}

/// A card's registers behind I2I.S8 are not known beyond the byte; ptxas extends it.
void lower_saturation(LaneLowering& of) {
  of.word(Role::kB);
  of.result();
  of.use_ptx({.op = isa::LaneOp::kCvt,
              .type = integer_type(of.value(Modifier::kDestination)),
              .src_type = Type::kS32,
              .sat = true,
              .dst_bits = 32},
             LatencyClass::kIntSimple);
}
void lower_packing_of_integers(LaneLowering& of) {
  using isa::LaneOp;
  struct Way {
    LaneOp op;
    Type type;
  };
  constexpr Way kWays[] = {{LaneOp::kCvtPack8, Type::kU8},   {LaneOp::kCvtPack8, Type::kS8},
                           {LaneOp::kCvtPack, Type::kU16},   {LaneOp::kCvtPack, Type::kS16},
                           {LaneOp::kCvtPackU2, Type::kS32}, {LaneOp::kCvtPackS2, Type::kS32},
                           {LaneOp::kCvtPackU4, Type::kS32}, {LaneOp::kCvtPackS4, Type::kS32}};
  constexpr unsigned kNibbles = 2, kPairs = 3;
  const unsigned width = of.value(Modifier::kShape);
  const Way way = kWays[of.value(Modifier::kDestination) + (width == kPairs     ? 4u
                                                            : width == kNibbles ? 6u
                                                                                : 0u)];
  of.word(Role::kA);
  of.word(Role::kB);
  if (way.op != LaneOp::kCvtPack) of.word(Role::kC);
  of.result();
  of.use_ptx({.op = way.op, .type = way.type, .src_type = Type::kS32}, LatencyClass::kIntSimple);
}
void lower_bytes_of_floats(LaneLowering& of) {
  if (of.has(Modifier::kDestination)) of.refuse("F2IP to bytes with a sign");
  of.word(Role::kA);
  of.word(Role::kB);
  of.word(Role::kC);
  of.result();
  of.operation_bits(static_cast<unsigned>(integral_mode(of)) << 3);
  of.use({.op = MachineOp::kPackBytes}, LatencyClass::kFpSimple);
}

}  // namespace

bool lower_conversion(LaneLowering& of) {
  switch (of.op()) {
    case Opcode::kF2i:
      return lower_float_to_integer(of), true;
    case Opcode::kI2f:
    case Opcode::kI2fp:
      return lower_integer_to_float(of), true;
    case Opcode::kF2f:
      return lower_float_to_float(of), true;
    case Opcode::kF2fBf16:
      return lower_between_bf16(of), true;
    case Opcode::kFrnd:
      return lower_to_integral(of), true;
    case Opcode::kF2fp:
      return lower_packing(of), true;
    case Opcode::kF2fpPack:
      return lower_packing_of_bytes(of), true;
    case Opcode::kF2fpUnpack:
      return lower_unpacking(of), true;
    case Opcode::kF2fpTf32:
      return lower_to_tf32(of), true;
    case Opcode::kI2i:
      return lower_saturation(of), true;
    case Opcode::kI2ip:
      return lower_packing_of_integers(of), true;
    case Opcode::kF2ip:
      return lower_bytes_of_floats(of), true;
    default:
      return false;
  }
}

}  // namespace heddle::sass
