// Matrices: products on tensor cores, loads of 8 x 8 matrices out of shared memory, transposition. Fields were found by varying PTX
// (README.md, "How far it is checked").
#include "frontend/sass/memory_parts.h"

namespace heddle::sass {
namespace matrix_rows {

using namespace parts;

// The shape is in the mnemonic: "16816" is m16n8k16.
constexpr const char* kShape75Text[] = {"1688"};
constexpr const char* kFloatShapeText[] = {"1688", "16816", "1684"};
constexpr const char* kIntegerShapeText[] = {"8816", nullptr, "8832", nullptr, "16816", "16832"};
constexpr const char* kDoubleShapeText[] = {"884", "1684", "1688", "16816"};
constexpr const char* kSumText[] = {"F16", "F32"};
constexpr const char* kInputText[] = {"", "BF16", "TF32"};
constexpr const char* kIntegerText[] = {"U8", "S8", "U4", "S4"};
constexpr const char* kTransposedText[] = {"M88", "MT88"};
constexpr const char* kCountText[] = {"", "2", "4"};

constexpr ModifierSpec kSum = modifier(Modifier::kDestination, bit(76), kSumText);

constexpr OperandSpec kMatrixA = reg(Role::kA, 24, 122);
constexpr OperandSpec kMatrixB = reg(Role::kB, 32, 123);
constexpr OperandSpec kMatrixC = reg(Role::kC, 64, 124);
constexpr OperandSpec stored_by(const char* lines, OperandSpec operand) {
  operand.suffix = lines;
  return operand;
}

constexpr Form kForms[] = {
    {.op = Opcode::kHmma,
     .name = "HMMA",
     .code = 0x23c,
     .archs = k75,
     .modifiers = {modifier(Modifier::kShape, {}, kShape75Text), kSum},
     .operands = {kDst, kMatrixA, kMatrixB, kMatrixC}},
    {.op = Opcode::kHmma,
     .name = "HMMA",
     .code = 0x23c,
     .archs = k90,
     .modifiers = {modifier(Modifier::kShape, both(bit(75), bit(78)), kFloatShapeText), kSum,
                   modifier(Modifier::kSource, bits(82, 83), kInputText)},
     .operands = {kDst, kMatrixA, kMatrixB, kMatrixC}},
    {.op = Opcode::kImma,
     .name = "IMMA",
     .code = 0x237,
     .fixed = {{{bits(73, 74), 2}}},
     .modifiers = {modifier(Modifier::kShape, both(bit(75), bits(85, 86)), kIntegerShapeText),
                   modifier(Modifier::kSource, both(bit(76), bit(83)), kIntegerText),
                   modifier(Modifier::kSourceB, both(bit(78), bit(84)), kIntegerText),
                   modifier(Modifier::kSaturate, bit(82), kSaturateText)},
     .operands = {kDst, stored_by(".ROW", kMatrixA), stored_by(".COL", kMatrixB), kMatrixC}},
    {.op = Opcode::kDmma,
     .name = "DMMA",
     .code = 0x03f,
     .forms = kFormOfRegisters,
     .archs = k90,
     .modifiers = {modifier(Modifier::kShape, bits(76, 77), kDoubleShapeText)},
     .operands = {kDst, a(Sign::kNegateAbsolute), b(Sign::kNegateAbsolute), c(Sign::kNegateAbsolute)}},
    {.op = Opcode::kMovm, .name = "MOVM.16.MT88", .code = 0x23a, .operands = {kDst, reg(Role::kA, 24)}},
    {.op = Opcode::kLdsm,
     .name = "LDSM.16",
     .code = 0x83b,
     .modifiers = {modifier(Modifier::kTransposed, bit(78), kTransposedText),
                   modifier(Modifier::kSize, bits(72, 73), kCountText)},
     .operands = {kDst, address({.uniform = 32})}},
    {.op = Opcode::kStsm,
     .name = "STSM.16",
     .code = 0x844,
     .archs = k90,
     .modifiers = {modifier(Modifier::kTransposed, bit(78), kTransposedText),
                   modifier(Modifier::kSize, bits(72, 73), kCountText)},
     .operands = {address({.uniform = 64}), kData}},
};

}  // namespace matrix_rows

std::span<const Form> matrix_forms() { return matrix_rows::kForms; }

}  // namespace heddle::sass
