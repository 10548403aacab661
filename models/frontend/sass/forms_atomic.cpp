// Atomic operations.
#include "frontend/sass/form_parts.h"
#include "frontend/sass/memory_parts.h"

namespace heddle::sass {
namespace atomic_rows {

using namespace parts;

constexpr const char* kOperationText[] = {"ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH"};
constexpr const char* kReductionText[] = {"ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR"};
constexpr const char* kFloatOperationText[] = {"ADD", nullptr, "MIN", nullptr, "MAX"};
constexpr const char* kType75Text[] = {"", "S32", "64", "F32.FTZ.RN", "F16x2.RN", "S64", "F64.RN"};
constexpr const char* kType90Text[] = {"", "S32", "64", "S64", "128"};
constexpr const char* kFloatType90Text[] = {
    "F16x2.RN", "F16x4.RN",   "F16x8.RN",     "BF16_V2.RN",   "BF16_V4.RN", "BF16_V8.RN", nullptr, nullptr,
    nullptr,    "F32.FTZ.RN", "F32x2.FTZ.RN", "F32x4.FTZ.RN", nullptr,      nullptr,      nullptr, "F64.RN"};
constexpr const char* kCasText[] = {"CAS"};
constexpr const char* kCastText[] = {"CAST.SPIN"};
constexpr const char* kCasType75Text[] = {"", nullptr, "64"};
constexpr const char* kCasType90Text[] = {"", nullptr, "64", nullptr, "128"};

constexpr ModifierSpec kOperation = modifier(Modifier::kOperation, bits(87, 90), kOperationText);
constexpr ModifierSpec kReduction = modifier(Modifier::kOperation, bits(87, 89), kReductionText);
constexpr ModifierSpec kFloatOperation = modifier(Modifier::kOperation, bits(87, 89), kFloatOperationText);
constexpr ModifierSpec kType75 = modifier(Modifier::kType, bits(73, 75), kType75Text);
constexpr ModifierSpec kType90 = modifier(Modifier::kType, bits(73, 75), kType90Text);
constexpr ModifierSpec kFloatType90 = modifier(Modifier::kType, bits(73, 76), kFloatType90Text);
/// In the middle of the mnemonic, and no bits.
constexpr ModifierSpec kCas = modifier(Modifier::kOperation, {}, kCasText);
constexpr ModifierSpec kCasType75 = modifier(Modifier::kType, bits(73, 75), kCasType75Text);
constexpr ModifierSpec kCasType90 = modifier(Modifier::kType, bits(73, 75), kCasType90Text);

constexpr OperandSpec kUnusedC = never(reg(Role::kUnused, 64));
constexpr OperandSpec kPlain = address({});
constexpr OperandSpec kUniformBase = address({.uniform = 64, .wide = 70});
constexpr OperandSpec kDescriptor = address({.uniform = 64, .wide = 70, .descriptor = true});
constexpr OperandSpec kRedDescriptor = address({.uniform = 64, .wide = 90, .descriptor = true});
constexpr std::array<FixedBits, 4> kWithDescriptor{{{bit(71), 1}, {bit(91), 1}}};
constexpr std::array<FixedBits, 4> kWithUniform{{{bit(91), 1}}};

/// ATOM (generic) and ATOMG (global).
constexpr Form atom75(Opcode op, const char* name, std::uint16_t code, bool with_uniform) {
  return {.op = op,
          .name = name,
          .code = code,
          .archs = k75,
          .fixed = with_uniform ? kWithUniform : std::array<FixedBits, 4>{},
          .modifiers = {kWide, kEvict, kOperation, kType75, kOrder75, kScope75},
          .operands = {kPd0, kDst, with_uniform ? kUniformBase : kPlain, kData,
                       with_uniform ? OperandSpec{} : kUnusedC}};
}
constexpr Form atom90(Opcode op, const char* name, std::uint16_t code) {
  return {.op = op,
          .name = name,
          .code = code,
          .archs = k90,
          .fixed = kWithDescriptor,
          .modifiers = {kWide, kEvict, kOperation, kType90, kOrder90},
          .operands = {kPd0, kDst, kDescriptor, kData}};
}
constexpr Form float_atom90(Opcode op, const char* name, std::uint16_t code) {
  return {.op = op,
          .name = name,
          .code = code,
          .archs = k90,
          .fixed = kWithDescriptor,
          .modifiers = {kWide, kEvict, kFloatOperation, kFloatType90, kOrder90},
          .operands = {kPd0, kDst, kDescriptor, kData}};
}
constexpr Form cas75(Opcode op, const char* name, std::uint16_t code) {
  return {.op = op,
          .name = name,
          .code = code,
          .archs = k75,
          .fixed = {{{bits(87, 88), 0}}},
          .modifiers = {kWide, kEvict, kCas, kCasType75, kOrder75, kScope75},
          .operands = {kPd0, kDst, kPlain, kData, kData2}};
}
constexpr Form cas90(Opcode op, const char* name, std::uint16_t code) {
  return {.op = op,
          .name = name,
          .code = code,
          .archs = k90,
          .fixed = {{{bits(87, 88), 0}}},
          .modifiers = {kWide, kEvict, kCas, kCasType90, kOrder90},
          .operands = {kPd0, kDst, kPlain, kData, kData2}};
}
/// The slow path of atomics on a generic address.
constexpr Form cast_of(std::uint8_t arch) {
  Form form = arch == k75 ? cas75(Opcode::kAtomCast, "ATOM", 0x38b) : cas90(Opcode::kAtomCast, "ATOM", 0x38b);
  form.fixed = {{{bits(87, 88), 3}}};
  form.modifiers[2] = modifier(Modifier::kOperation, {}, kCastText);
  form.modifiers[3] = kCasType75;
  return form;
}
/// Without a descriptor: shared memory of the cluster.
constexpr Form uniform_atom90() {
  Form form = atom90(Opcode::kAtom, "ATOM", 0x98a);
  form.fixed = {{{bit(71), 0}, {bit(91), 1}}};
  form.operands[2] = kUniformBase;
  return form;
}
constexpr Form plain_atom90() {
  return {.op = Opcode::kAtom,
          .name = "ATOM",
          .code = 0x38a,
          .archs = k90,
          .modifiers = {kWide, kEvict, kOperation, kType90, kOrder90},
          .operands = {kPd0, kDst, kPlain, kData, kUnusedC}};
}
constexpr Form atoms(std::uint16_t code, std::uint8_t archs, AddressBits bits) {
  return {.op = Opcode::kAtoms,
          .name = "ATOMS",
          .code = code,
          .archs = archs,
          .modifiers = {kOperation, archs == k75 ? kType75 : kType90},
          .operands = {kDst, address(bits), kData, bits.uniform == 0 ? kUnusedC : OperandSpec{}}};
}
constexpr Form atoms_cas(Opcode op, const char* name, std::uint64_t spin, std::uint8_t archs,
                         AddressBits bits) {
  return {.op = op,
          .name = name,
          .code = 0x38d,
          .archs = archs,
          .fixed = {{{parts::bits(87, 88), spin}}},
          .modifiers = {archs == k75 || spin != 0 ? kCasType75 : kCasType90},
          .operands = {kDst, address(bits), kData, kData2}};
}

constexpr Form kForms[] = {
    atom75(Opcode::kAtom, "ATOM", 0x38a, false),
    atom75(Opcode::kAtom, "ATOM", 0x98a, true),
    atom75(Opcode::kAtomg, "ATOMG", 0x3a8, false),
    atom75(Opcode::kAtomg, "ATOMG", 0x9a8, true),
    atom90(Opcode::kAtom, "ATOM", 0x98a),
    uniform_atom90(),
    atom90(Opcode::kAtomg, "ATOMG", 0x9a8),
    float_atom90(Opcode::kAtom, "ATOM", 0x9a2),
    float_atom90(Opcode::kAtomg, "ATOMG", 0x9a3),
    cas75(Opcode::kAtomCas, "ATOM", 0x38b),
    cas75(Opcode::kAtomgCas, "ATOMG", 0x3a9),
    cas90(Opcode::kAtomCas, "ATOM", 0x38b),
    cas90(Opcode::kAtomgCas, "ATOMG", 0x3a9),
    plain_atom90(),
    cast_of(k75),
    cast_of(k90),
    atoms(0x38c, k75, {.scale = 78}),
    atoms(0x98c, k75, {.uniform = 64, .scale = 78}),
    atoms(0x38c, k90, {}),
    atoms(0x98c, k90, {.uniform = 64}),
    atoms_cas(Opcode::kAtomsCas, "ATOMS.CAS", 0, k75, {.scale = 78}),
    atoms_cas(Opcode::kAtomsCas, "ATOMS.CAS", 0, k90, {}),
    atoms_cas(Opcode::kAtomsCast, "ATOMS.CAST.SPIN", 3, k75, {.scale = 78}),
    atoms_cas(Opcode::kAtomsCast, "ATOMS.CAST.SPIN", 3, k90, {}),
    {.op = Opcode::kAtomsPopcInc,
     .name = "ATOMS.POPC.INC.32",
     .code = 0xf8c,
     .archs = k90,
     .fixed = {{{bits(87, 90), 0xb}}},
     .operands = {kDst, address({.uniform = 64})}},
    {.op = Opcode::kRed,
     .name = "RED",
     .code = 0x98e,
     .archs = k75,
     .modifiers = {kWide, kEvict, kReduction, kType75, kOrder75, kScope75},
     .operands = {address({.uniform = 64, .wide = 90}), kData}},
    {.op = Opcode::kRed,
     .name = "REDG",
     .code = 0x98e,
     .archs = k90,
     .fixed = kWithDescriptor,
     .modifiers = {kWide, kEvict, kReduction, kType90, kOrder90},
     .operands = {kRedDescriptor, kData}},
    {.op = Opcode::kRed,
     .name = "REDG",
     .code = 0x9a6,
     .archs = k90,
     .fixed = kWithDescriptor,
     .modifiers = {kWide, kEvict, kFloatOperation, kFloatType90, kOrder90},
     .operands = {kRedDescriptor, kData}},
};

}  // namespace atomic_rows

std::span<const Form> atomic_forms() { return atomic_rows::kForms; }

}  // namespace heddle::sass
