#include "unit/isa/warp.h"

#include <bit>
#include <cstring>

namespace heddle::isa::test {
namespace {

Kind row_of(Type t) {
  if (t == Type::kPred) return Kind::kPredicate;
  return type_bytes(t) == 8 ? Kind::kRow64 : Kind::kRow32;
}

constexpr std::size_t kRowBytes = 256;
struct alignas(64) Memory {
  std::array<std::byte, kRowBytes> dst{};
  std::array<std::array<std::byte, kRowBytes>, 4> src{};
  std::array<std::uint32_t, 2> dst_predicate{};
  std::array<std::uint32_t, 4> src_predicate{};
  std::array<std::byte, 16> param{};
};

void store(std::byte* row, Kind kind, const Row& values) {
  const std::size_t bytes = kind == Kind::kRow64 ? 8 : 4;
  for (std::size_t i = 0; i < kWarp; ++i) std::memcpy(row + bytes * i, &values[i], bytes);  // little endian
}
Row load(const std::byte* row, Kind kind) {
  Row values{};
  const std::size_t bytes = kind == Kind::kRow64 ? 8 : 4;
  for (std::size_t i = 0; i < kWarp; ++i) std::memcpy(&values[i], row + bytes * i, bytes);
  return values;
}

}  // namespace

Shape shape_of(const LaneSpec& spec) {
  constexpr Kind k32 = Kind::kRow32;
  constexpr Kind k64 = Kind::kRow64;
  constexpr Kind kPred = Kind::kPredicate;
  constexpr Kind kNone = Kind::kAbsent;
  const Kind t = row_of(spec.type);
  const Kind s = row_of(spec.src_type);
  const Kind member = spec.member_mask ? k32 : kNone;
  switch (spec.op) {
    case LaneOp::kAdd:
    case LaneOp::kSub:
      return {t, spec.carry_out, {t, t, kNone, kNone}};
    case LaneOp::kAddc:
    case LaneOp::kSubc:
      return {t, spec.carry_out, {t, t, kPred, kNone}};
    case LaneOp::kMadc:
    case LaneOp::kMadcHi:
      return {t, spec.carry_out, {t, t, t, kPred}};
    case LaneOp::kMul:
    case LaneOp::kDiv:
    case LaneOp::kRem:
    case LaneOp::kMin:
    case LaneOp::kMax:
    case LaneOp::kAnd:
    case LaneOp::kOr:
    case LaneOp::kXor:
    case LaneOp::kMulHi:
    case LaneOp::kMul24:
    case LaneOp::kMul24Hi:
    case LaneOp::kCopysign:
      return {t, false, {t, t, kNone, kNone}};
    case LaneOp::kMad:
    case LaneOp::kFma:
    case LaneOp::kSad:
    case LaneOp::kMadHi:
    case LaneOp::kMad24:
    case LaneOp::kMad24Hi:
      return {t, spec.carry_out, {t, t, t, kNone}};
    case LaneOp::kMov:
    case LaneOp::kAbs:
    case LaneOp::kNeg:
    case LaneOp::kNot:
    case LaneOp::kCnot:
    case LaneOp::kBrev:
    case LaneOp::kRcp:
    case LaneOp::kSqrt:
    case LaneOp::kRsqrt:
    case LaneOp::kSin:
    case LaneOp::kCos:
    case LaneOp::kLg2:
    case LaneOp::kEx2:
    case LaneOp::kTanh:
      return {t, false, {t, kNone, kNone, kNone}};
    case LaneOp::kShl:
    case LaneOp::kShr:
      return {t, false, {t, k32, kNone, kNone}};
    case LaneOp::kShfL:
    case LaneOp::kShfR:
    case LaneOp::kPrmt:
    case LaneOp::kPrmtF4e:
    case LaneOp::kPrmtB4e:
    case LaneOp::kPrmtRc8:
    case LaneOp::kPrmtEcl:
    case LaneOp::kPrmtEcr:
    case LaneOp::kPrmtRc16:
    case LaneOp::kDp4a:
    case LaneOp::kDp2aLo:
    case LaneOp::kDp2aHi:
    case LaneOp::kFns:
    case LaneOp::kLop3:
    case LaneOp::kVideo:
    case LaneOp::kVideoShift:
    case LaneOp::kVideoMad:
    case LaneOp::kCvtPack8:
    case LaneOp::kCvtPackU4:
    case LaneOp::kCvtPackS4:
    case LaneOp::kCvtPackU2:
    case LaneOp::kCvtPackS2:
      return {k32, false, {k32, k32, k32, kNone}};
    case LaneOp::kLop3Pred:
      return {k32, true, {k32, k32, k32, kPred}};
    case LaneOp::kMovMatrix:
      return {k32, false, {k32, kNone, kNone, kNone}};
    case LaneOp::kElect:
      return {k32, true, {member, kNone, kNone, kNone}};
    case LaneOp::kPendingCount:
      return {k32, false, {k64, kNone, kNone, kNone}};
    case LaneOp::kPhaseDone:
      return {kPred, false, {k64, k64, kNone, kNone}};
    case LaneOp::kParityDone:
      return {kPred, false, {k64, k32, kNone, kNone}};
    case LaneOp::kMma:
      return {};
    case LaneOp::kSzext:
    case LaneOp::kBmsk:
    case LaneOp::kCvtPair:
    case LaneOp::kCvtF16x2:
    case LaneOp::kCvtPack:
      return {k32, false, {k32, k32, kNone, kNone}};
    case LaneOp::kMatchAny:
      return {k32, false, {t, k32, kNone, kNone}};
    case LaneOp::kMatchAll:
      return {k32, true, {t, k32, kNone, kNone}};
    case LaneOp::kReduxAdd:
    case LaneOp::kReduxMin:
    case LaneOp::kReduxMax:
    case LaneOp::kReduxAnd:
    case LaneOp::kReduxOr:
    case LaneOp::kReduxXor:
      return {k32, false, {k32, k32, kNone, kNone}};
    case LaneOp::kPopc:
    case LaneOp::kClz:
    case LaneOp::kBfind:
    case LaneOp::kBfindShift:
      return {k32, false, {t, kNone, kNone, kNone}};
    case LaneOp::kBfe:
      return {t, false, {t, k32, k32, kNone}};
    case LaneOp::kBfi:
      return {t, false, {t, t, k32, k32}};
    case LaneOp::kSetp:
      return {kPred, true, {t, t, kPred, kNone}};
    case LaneOp::kSet:
      return {k32, false, {s, s, kPred, kNone}};
    case LaneOp::kSelp:
      return {t, false, {t, t, kPred, kNone}};
    case LaneOp::kSlct:
      return {t, false, {t, t, k32, kNone}};
    case LaneOp::kTestp:
      return {kPred, false, {t, kNone, kNone, kNone}};
    case LaneOp::kCvt:
      return {spec.dst_bits == 64 ? k64 : t, false, {spec.src_bits == 64 ? k64 : s, kNone, kNone, kNone}};
    case LaneOp::kMulWide:
      return {t, false, {k32, k32, kNone, kNone}};
    case LaneOp::kMadWide:
      return {t, false, {k32, k32, t, kNone}};
    case LaneOp::kVoteAll:
    case LaneOp::kVoteAny:
    case LaneOp::kVoteUni:
      return {kPred, false, {kPred, member, kNone, kNone}};
    case LaneOp::kBallot:
      return {k32, false, {kPred, member, kNone, kNone}};
    case LaneOp::kActiveMask:
    case LaneOp::kClock32:
      return {k32, false, {}};
    case LaneOp::kClock64:
      return {k64, false, {}};
    case LaneOp::kShflIdx:
    case LaneOp::kShflUp:
    case LaneOp::kShflDown:
    case LaneOp::kShflBfly:
      return {k32, true, {k32, k32, k32, member}};
    case LaneOp::kPack2x32:
      return {k64, false, {k32, k32, kNone, kNone}};
    case LaneOp::kUnpack2x32Lo:
    case LaneOp::kUnpack2x32Hi:
      return {k32, false, {k64, kNone, kNone, kNone}};
    case LaneOp::kPack2x16:
      return {k32, false, {k32, k32, kNone, kNone}};
    case LaneOp::kUnpack2x16Lo:
    case LaneOp::kUnpack2x16Hi:
      return {k32, false, {k32, kNone, kNone, kNone}};
    case LaneOp::kParam:
      return {spec.dst_bits == 64 ? k64 : t, false, {Kind::kParam, kNone, kNone, kNone}};
  }
  return {};
}

Warp run(LaneFn fn, const LaneSpec& spec, const Warp& in, std::optional<unsigned> alias_src) {
  const Shape shape = shape_of(spec);
  Memory memory;
  LaneArgs args;
  for (unsigned k = 0; k < 4; ++k) {
    const Kind kind = shape.src[k];
    memory.src_predicate[k] = in.predicate[k];
    if (kind == Kind::kRow32 || kind == Kind::kRow64) {
      store(memory.src[k].data(), kind, in.src[k]);
      args.src[k] = memory.src[k].data();
    } else if (kind == Kind::kPredicate) {
      args.src[k] = reinterpret_cast<const std::byte*>(&memory.src_predicate[k]);
    } else if (kind == Kind::kParam) {
      std::memcpy(memory.param.data() + 3, &in.param, 8);
      args.src[k] = memory.param.data() + 3;
    }
  }
  store(memory.dst.data(), shape.dst, in.dst);
  memory.dst_predicate = in.dst_predicate;
  std::byte* dst_row = alias_src ? memory.src[*alias_src].data() : memory.dst.data();
  args.dst[0] =
      shape.dst == Kind::kPredicate ? reinterpret_cast<std::byte*>(&memory.dst_predicate[0]) : dst_row;
  if (shape.second_predicate) args.dst[1] = reinterpret_cast<std::byte*>(&memory.dst_predicate[1]);
  args.mask = in.mask;
  args.negated = in.negated;
  args.cycle = in.cycle;
  args.immediate = in.immediate;
  fn(args);
  Warp out = in;
  if (shape.dst != Kind::kPredicate) out.dst = load(dst_row, shape.dst);
  out.dst_predicate = memory.dst_predicate;
  return out;
}

std::string describe(const LaneSpec& spec) {
  const auto number = [](auto value) { return std::to_string(static_cast<unsigned>(value)); };
  std::string text = "op " + number(spec.op) + " type " + std::string(type_name(spec.type));
  if (spec.src_type != Type::kNone) text += " from " + std::string(type_name(spec.src_type));
  text += " compare " + number(spec.compare) + " combine " + number(spec.combine) + " rounding " +
          number(spec.rounding) + " property " + number(spec.property);
  if (spec.ftz) text += " ftz";
  if (spec.sat) text += " sat";
  if (spec.relu) text += " relu";
  if (spec.satfinite) text += " satfinite";
  if (spec.nan) text += " NaN";
  if (spec.xorsign) text += " xorsign";
  if (spec.approx) text += " approx";
  if (spec.clamp) text += " clamp";
  if (spec.carry_out) text += " cc";
  if (spec.member_mask) text += " members";
  if (spec.dst_bits != 0) text += " dst_bits " + number(spec.dst_bits);
  if (spec.src_bits != 0) text += " src_bits " + number(spec.src_bits);
  return text;
}

std::uint64_t f32(float v) { return std::bit_cast<std::uint32_t>(v); }
std::uint64_t f64(double v) { return std::bit_cast<std::uint64_t>(v); }
float as_f32(std::uint64_t cell) { return std::bit_cast<float>(static_cast<std::uint32_t>(cell)); }
double as_f64(std::uint64_t cell) { return std::bit_cast<double>(cell); }

}  // namespace heddle::isa::test
