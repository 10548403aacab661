// Textures and surfaces. Fields were found by varying PTX (README.md, "How far it is checked").
//
// The object is named by 32 bits: of constant bank 0 or in a register on sm_75, in a uniform register on sm_90. A has the coordinates,
// B the object, if that is in a register, and a level (.LL). With .SCR A has the first half of all these words, and the odd one. The
// first two components that the mask names go to the first destination's pair, the others to that of the second.
#include "frontend/sass/form_parts.h"
#include "frontend/sass/memory_parts.h"

namespace heddle::sass {
namespace texture_rows {

using namespace parts;

constexpr const char* kShapeText[] = {"1D",       "2D",       "3D",    "CUBE",
                                      "ARRAY_1D", "ARRAY_2D", nullptr, "ARRAY_CUBE"};
constexpr const char* kSurfaceText[] = {"1D", "1D_BUFFER", "ARRAY_1D", "2D", "ARRAY_2D", "3D"};
constexpr const char* kSourcesText[] = {"", "SCR"};
constexpr const char* kLevelText[] = {"", "LZ", nullptr, "LL"};
constexpr const char* kComponentText[] = {"R", "G", "B", "A"};
constexpr const char* kNoDependencyText[] = {"", "NODEP"};
constexpr const char* kAllLanesText[] = {"", "NDV"};
constexpr const char* kThirdReuseText[] = {"", "REUSE"};
constexpr const char* kOutsideText[] = {"IGN", "NEAR", "TRAP"};

constexpr ModifierSpec kShape = modifier(Modifier::kShape, bits(61, 63), kShapeText);
constexpr ModifierSpec kSurface = modifier(Modifier::kShape, bits(61, 63), kSurfaceText);
constexpr ModifierSpec kSources = modifier(Modifier::kSources, bit(60), kSourcesText);
constexpr ModifierSpec kLevel = modifier(Modifier::kLevel, bits(87, 89), kLevelText);
constexpr ModifierSpec kComponent = modifier(Modifier::kMode, bits(87, 88), kComponentText);
/// ptxas sets the reuse flag of the third source although the object is the first.
constexpr ModifierSpec kThirdReuse = modifier(Modifier::kHint, bit(124), kThirdReuseText);
constexpr ModifierSpec kNoDependency = modifier(Modifier::kHint, bit(90), kNoDependencyText);
/// Lanes that are together agree on the level (ptxas sets it with levels of integer coordinates).
constexpr ModifierSpec kAllLanes = modifier(Modifier::kTogether, bit(77), kAllLanesText);
constexpr ModifierSpec kOutside = modifier(Modifier::kOutside, bits(59, 60), kOutsideText);

constexpr OperandSpec kMask = imm(Role::kMask, bits(72, 75));
constexpr OperandSpec kDst2 = reg(Role::kDst2, 64);
constexpr OperandSpec kA = reg(Role::kA, 24, 122);
constexpr OperandSpec kB = reg(Role::kB, 32, 123);
constexpr OperandSpec kResident = unless_true(kPd0);
constexpr OperandSpec kConstantObject{.role = Role::kHandle, .source = Source::kConstantWord, .reuse = 124};
constexpr OperandSpec kUniformObject = uniform(Role::kHandle, 40);

constexpr std::array<FixedBits, 4> kInUniform{{{bit(91), 1}}};
constexpr std::array<FixedBits, 4> kInRegister{{{bit(59), 1}}};

/// A fetch in its three forms; `last` says what bits 87 to 89 are.
constexpr Form fetch(Opcode op, const char* name, std::uint16_t code, ModifierSpec last = {}) {
  Form form{.op = op, .name = name, .code = code};
  form.modifiers = {kSources, kNoDependency, kEvict, kShape, last};
  if (op == Opcode::kTex || op == Opcode::kTld) form.modifiers[5] = kAllLanes;
  form.operands = {kResident, kDst, kDst2, kA, kB, kMask};
  return form;
}
constexpr Form of_constant(Form form) {
  form.archs = k75;
  form.operands[6] = kConstantObject;
  return form;
}
constexpr Form of_uniform(Form form) {
  form.archs = k90;
  form.fixed = kInUniform;
  form.operands[6] = kUniformObject;
  return form;
}
constexpr Form of_register(Form form) {
  form.archs = k75;
  form.fixed = kInRegister;
  return form;
}

/// A has the level, or, if it is in a register, the object.
constexpr Form query(std::uint16_t code, std::uint8_t arch, OperandSpec object) {
  Form form{.op = Opcode::kTxq, .name = "TXQ", .code = code, .archs = arch};
  form.operands = {kDst, kDst2, object.source == Source::kRegister ? object : kA, kMask};
  if (object.source == Source::kRegister) {
    form.fixed = kInRegister;
    form.modifiers = {kThirdReuse};
  } else {
    form.operands[4] = object;
  }
  if (arch == k90) form.fixed = kInUniform;
  return form;
}

constexpr Form surface(Opcode op, std::uint16_t code, std::uint8_t arch, OperandSpec object) {
  Form form{.op = op, .name = op == Opcode::kSuld ? "SULD.D.BA" : "SUST.D.BA", .code = code, .archs = arch};
  form.fixed[0] = {bit(72), 1};
  if (arch == k90) form.fixed[1] = {bit(91), 1};
  if (arch == k75)
    form.modifiers = {kSurface, kSize, kOrder75, kScope75, kEvict, kOutside};
  else
    form.modifiers = {kSurface, kSize, kOrder90, kEvict, kOutside};
  if (op == Opcode::kSuld)
    form.operands = {kResident, kDst, kA, object};
  else
    form.operands = {kA, reg(Role::kData, 32, 123), object};
  return form;
}

constexpr Form kTex = fetch(Opcode::kTex, "TEX", 0, kLevel);
constexpr Form kTld = fetch(Opcode::kTld, "TLD", 0, kLevel);
constexpr Form kTld4 = fetch(Opcode::kTld4, "TLD4", 0, kComponent);
constexpr Form kTxd = fetch(Opcode::kTxd, "TXD", 0);
constexpr Form with_code(Form form, std::uint16_t code) {
  form.code = code;
  return form;
}

constexpr Form kForms[] = {
    of_constant(with_code(kTex, 0xb60)),
    of_uniform(with_code(kTex, 0xf60)),
    of_register(with_code(kTex, 0x361)),
    of_constant(with_code(kTld, 0xb66)),
    of_uniform(with_code(kTld, 0xf66)),
    of_register(with_code(kTld, 0x367)),
    of_constant(with_code(kTld4, 0xb63)),
    of_uniform(with_code(kTld4, 0xf63)),
    of_register(with_code(kTld4, 0x364)),
    of_constant(with_code(kTxd, 0xb6c)),
    of_uniform(with_code(kTxd, 0xf6c)),
    of_register(with_code(kTxd, 0x36d)),
    query(0xb6f, k75, kConstantObject),
    query(0xf6f, k90, kUniformObject),
    query(0x370, k75, reg(Role::kHandle, 24, 122)),
    surface(Opcode::kSuld, 0xb99, k75, kConstantObject),
    surface(Opcode::kSuld, 0xf99, k90, kUniformObject),
    surface(Opcode::kSuld, 0x99a, k75, reg(Role::kHandle, 64, 124)),
    surface(Opcode::kSust, 0xb9d, k75, kConstantObject),
    surface(Opcode::kSust, 0xf9d, k90, kUniformObject),
    surface(Opcode::kSust, 0x99e, k75, reg(Role::kHandle, 64, 124)),
};

}  // namespace texture_rows

std::span<const Form> texture_forms() { return texture_rows::kForms; }

}  // namespace heddle::sass
