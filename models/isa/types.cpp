#include "isa/types.h"

namespace heddle::isa {

std::string_view type_name(Type t) {
  switch (t) {
    case Type::kNone:
      return "";
    case Type::kPred:
      return "pred";
    case Type::kB8:
      return "b8";
    case Type::kB16:
      return "b16";
    case Type::kB32:
      return "b32";
    case Type::kB64:
      return "b64";
    case Type::kB128:
      return "b128";
    case Type::kU8:
      return "u8";
    case Type::kU16:
      return "u16";
    case Type::kU32:
      return "u32";
    case Type::kU64:
      return "u64";
    case Type::kS8:
      return "s8";
    case Type::kS16:
      return "s16";
    case Type::kS32:
      return "s32";
    case Type::kS64:
      return "s64";
    case Type::kF16:
      return "f16";
    case Type::kF16x2:
      return "f16x2";
    case Type::kBf16:
      return "bf16";
    case Type::kBf16x2:
      return "bf16x2";
    case Type::kTf32:
      return "tf32";
    case Type::kE4m3:
      return "e4m3";
    case Type::kE5m2:
      return "e5m2";
    case Type::kE4m3x2:
      return "e4m3x2";
    case Type::kE5m2x2:
      return "e5m2x2";
    case Type::kF32:
      return "f32";
    case Type::kF64:
      return "f64";
  }
  return "";
}

std::string_view space_name(StateSpace s) {
  switch (s) {
    case StateSpace::kNone:
      return "";
    case StateSpace::kReg:
      return "reg";
    case StateSpace::kParam:
      return "param";
    case StateSpace::kGlobal:
      return "global";
    case StateSpace::kShared:
      return "shared";
    case StateSpace::kLocal:
      return "local";
    case StateSpace::kConst:
      return "const";
    case StateSpace::kGeneric:
      return "generic";
  }
  return "";
}

}  // namespace heddle::isa
