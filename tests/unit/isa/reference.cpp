#include "unit/isa/reference.h"

#include <bit>

namespace heddle::isa::test {

bool predicate(const Warp& warp, unsigned operand, unsigned lane) {
  const bool set = ((warp.predicate[operand] >> lane) & 1u) != 0;
  return ((warp.negated >> operand) & 1u) != 0 ? !set : set;
}

namespace {

bool active(const Warp& warp, unsigned lane) { return ((warp.mask >> lane) & 1u) != 0; }

bool combined(Combine combine, bool value, bool with) {
  switch (combine) {
    case Combine::kNone:
      return value;
    case Combine::kAnd:
      return value && with;
    case Combine::kOr:
      return value || with;
    case Combine::kXor:
      return value != with;
  }
  return value;
}

Type compared_type(const LaneSpec& spec) { return spec.op == LaneOp::kSet ? spec.src_type : spec.type; }

/// `high`: of the upper halves, for f16x2.
bool compared(const LaneSpec& spec, const Warp& warp, unsigned lane, bool high = false) {
  Type type = compared_type(spec);
  if (type == Type::kF16x2) type = Type::kF16;
  if (type == Type::kBf16 || type == Type::kBf16x2) {
    const unsigned up = high ? 16 : 0;
    return comparison(spec.compare, Type::kF64, false, f64(bf16_value(warp.src[0][lane] >> up)),
                      f64(bf16_value(warp.src[1][lane] >> up)));
  }
  const unsigned shift = high ? 16 : 0;
  return comparison(spec.compare, type, spec.ftz, warp.src[0][lane] >> shift, warp.src[1][lane] >> shift);
}

bool is_pair(Type type) { return type == Type::kF16x2 || type == Type::kBf16x2; }

std::uint64_t truth_value(const LaneSpec& spec) {
  switch (spec.type) {
    case Type::kF32:
      return f32(1.0f);
    case Type::kF16:
    case Type::kF16x2:
      return half_cell(Rounding::kRn, 1.0);
    case Type::kBf16:
    case Type::kBf16x2:
      return 0x3f80u;
    case Type::kU16:
    case Type::kS16:
      return 0xffffu;
    default:
      return is_pair(spec.src_type) ? 0xffffu : 0xffff'ffffu;
  }
}
std::uint64_t set_result(const LaneSpec& spec, const Warp& warp, unsigned lane) {
  const auto half = [&](bool high) {
    return combined(spec.combine, compared(spec, warp, lane, high), predicate(warp, 2, lane))
               ? truth_value(spec)
               : 0;
  };
  return is_pair(spec.src_type) ? half(false) | half(true) << 16 : half(false);
}

struct Shuffle {
  unsigned from;
  bool valid;
};
// The pseudo-code of shfl in the PTX ISA.
Shuffle shuffle(const LaneSpec& spec, const Warp& warp, unsigned lane) {
  const auto bval = static_cast<int>(warp.src[1][lane] & 0x1fu);
  const auto cval = static_cast<int>(warp.src[2][lane] & 0x1fu);
  const auto segmask = static_cast<int>((warp.src[2][lane] >> 8) & 0x1fu);
  const auto self = static_cast<int>(lane);
  const int max_lane = (self & segmask) | (cval & ~segmask & 0x1f);
  const int min_lane = self & segmask;
  int j = 0;
  bool pval = false;
  switch (spec.op) {
    case LaneOp::kShflUp:
      j = self - bval;
      pval = j >= max_lane;
      break;
    case LaneOp::kShflDown:
      j = self + bval;
      pval = j <= max_lane;
      break;
    case LaneOp::kShflBfly:
      j = self ^ bval;
      pval = j <= max_lane;
      break;
    default:
      j = min_lane | (bval & ~segmask & 0x1f);
      pval = j <= max_lane;
      break;
  }
  if (!pval) j = self;
  return {static_cast<unsigned>(j), pval};
}

std::optional<Expected> vote(const LaneSpec& spec, const Warp& warp) {
  unsigned active_lanes = 0;
  unsigned set_lanes = 0;
  std::uint64_t ballot = 0;
  for (unsigned i = 0; i < kWarp; ++i) {
    if (!active(warp, i)) continue;
    ++active_lanes;
    if (!predicate(warp, 0, i)) continue;
    ++set_lanes;
    ballot |= std::uint64_t{1} << i;
  }
  switch (spec.op) {
    case LaneOp::kVoteAll:
      return Expected{set_lanes == active_lanes ? 1u : 0u};
    case LaneOp::kVoteAny:
      return Expected{set_lanes != 0 ? 1u : 0u};
    case LaneOp::kVoteUni:
      return Expected{set_lanes == 0 || set_lanes == active_lanes ? 1u : 0u};
    default:
      return Expected{ballot};
  }
}

std::optional<Expected> predicate_logic(const LaneSpec& spec, const Warp& warp, unsigned lane) {
  const bool a = predicate(warp, 0, lane);
  const bool b = predicate(warp, 1, lane);
  switch (spec.op) {
    case LaneOp::kMov:
      return Expected{a ? 1u : 0u};
    case LaneOp::kNot:
      return Expected{a ? 0u : 1u};
    case LaneOp::kAnd:
      return Expected{a && b ? 1u : 0u};
    case LaneOp::kOr:
      return Expected{a || b ? 1u : 0u};
    case LaneOp::kXor:
      return Expected{a != b ? 1u : 0u};
    default:
      return {};
  }
}

std::uint64_t parameter(const LaneSpec& spec, std::uint64_t bytes) {
  const unsigned bits = bits_of(spec.type);
  return cell(number(spec.type, cell(static_cast<Wide>(bytes), bits)),
              spec.dst_bits > bits ? spec.dst_bits : bits);
}

/// narrow_lane() and convert_narrow_lane() know it.
bool is_narrow(const LaneSpec& spec) {
  const auto is = [](Type type) { return type >= Type::kBf16 && type <= Type::kE5m2x2; };
  const bool half = spec.type == Type::kF16 || spec.type == Type::kF16x2;
  const bool extreme = spec.op == LaneOp::kMin || spec.op == LaneOp::kMax;
  return is(spec.type) || (spec.op == LaneOp::kCvt && is(spec.src_type)) || (extreme && half) || spec.relu ||
         spec.satfinite || spec.nan || spec.xorsign;
}

}  // namespace

bool expected_second(const LaneSpec& spec, const Warp& warp, unsigned lane) {
  const std::array<std::uint64_t, 4> in{warp.src[0][lane], warp.src[1][lane], warp.src[2][lane],
                                        warp.src[3][lane]};
  if (is_carry_op(spec)) {
    const unsigned source = spec.op == LaneOp::kMadc || spec.op == LaneOp::kMadcHi ? 3 : 2;
    return carried(spec, in, predicate(warp, source, lane)).carry;
  }
  if (spec.op == LaneOp::kElect)
    return partners(spec, warp, lane) == 0 ||
           std::countr_zero(partners(spec, warp, lane)) == static_cast<int>(lane);
  if (spec.op == LaneOp::kSetp && is_pair(spec.type))
    return combined(spec.combine, compared(spec, warp, lane, true), predicate(warp, 2, lane));
  if (spec.op == LaneOp::kSetp)
    return combined(spec.combine, !compared(spec, warp, lane), predicate(warp, 2, lane));
  if (spec.op == LaneOp::kLop3Pred)
    return combined(spec.combine, field_lane(spec, in, warp.immediate)->value != 0, predicate(warp, 3, lane));
  if (spec.op == LaneOp::kMatchAll) {
    for (unsigned i = 0; i < kWarp; ++i)
      if (((partners(spec, warp, lane) >> i) & 1u) != 0 && warp.src[0][i] != warp.src[0][lane]) return false;
    return true;
  }
  return shuffle(spec, warp, lane).valid;
}

std::optional<Expected> expected_lane(const LaneSpec& spec, const Warp& warp, unsigned lane) {
  if (spec.type == Type::kPred && spec.op < LaneOp::kVoteAll) return predicate_logic(spec, warp, lane);
  const std::array<std::uint64_t, 4> in{warp.src[0][lane], warp.src[1][lane], warp.src[2][lane],
                                        warp.src[3][lane]};
  const unsigned bits = bits_of(spec.type);
  const std::uint64_t low = 0xffff'ffffu;
  if (is_carry_op(spec)) {
    const unsigned source = spec.op == LaneOp::kMadc || spec.op == LaneOp::kMadcHi ? 3 : 2;
    return Expected{carried(spec, in, predicate(warp, source, lane)).value};
  }
  if (const auto result = member_lane(spec, warp, lane)) return result;
  if (const auto result = field_lane(spec, in, warp.immediate)) return result;
  if (const auto result = video_lane(spec, in, warp.immediate)) return result;
  switch (spec.op) {
    case LaneOp::kMov:
      return Expected{cell(static_cast<Wide>(in[0]), bits)};
    case LaneOp::kSetp:
      return Expected{combined(spec.combine, compared(spec, warp, lane), predicate(warp, 2, lane)) ? 1u : 0u};
    case LaneOp::kSet:
      return Expected{set_result(spec, warp, lane)};
    case LaneOp::kSelp:
      return Expected{cell(static_cast<Wide>(predicate(warp, 2, lane) ? in[0] : in[1]), bits)};
    case LaneOp::kSlct: {
      const std::uint64_t zero = 0;
      const bool first = comparison(Compare::kGe, spec.src_type, spec.ftz, in[2], zero);
      return Expected{cell(static_cast<Wide>(first ? in[0] : in[1]), bits)};
    }
    case LaneOp::kCvt:
      if (is_narrow(spec)) return convert_narrow_lane(spec, in);
      return convert_lane(spec, in[0]);
    case LaneOp::kCvtPair:
      return convert_narrow_lane(spec, in);
    case LaneOp::kElect:
      if (partners(spec, warp, lane) == 0) return Expected{lane};
      return Expected{static_cast<std::uint64_t>(std::countr_zero(partners(spec, warp, lane)))};
    case LaneOp::kMovMatrix: {
      // Row r of the 8 x 8 matrix is in lanes 4r to 4r + 3, two elements each.
      const auto at = [&](unsigned row, unsigned column) {
        return warp.src[0][row * 4 + column / 2] >> (column % 2 * 16) & 0xffffu;
      };
      const unsigned column = lane % 4 * 2;
      return Expected{at(column, lane / 4) | at(column + 1, lane / 4) << 16};
    }
    case LaneOp::kPendingCount:
      return Expected{(0x10'0000u - (in[0] >> 43 & 0xf'ffffu)) & 0xf'ffffu};
    case LaneOp::kPhaseDone:
      return Expected{(in[0] ^ in[1]) >> 63};
    case LaneOp::kParityDone:
      return Expected{in[0] >> 63 != (in[1] & 1u) ? 1u : 0u};
    case LaneOp::kVoteAll:
    case LaneOp::kVoteAny:
    case LaneOp::kVoteUni:
    case LaneOp::kBallot:
      return vote(spec, warp);
    case LaneOp::kActiveMask:
      return Expected{warp.mask};
    case LaneOp::kShflIdx:
    case LaneOp::kShflUp:
    case LaneOp::kShflDown:
    case LaneOp::kShflBfly: {
      const unsigned from = shuffle(spec, warp, lane).from;
      return Expected{warp.src[0][((partners(spec, warp, lane) >> from) & 1u) != 0 ? from : lane]};
    }
    case LaneOp::kClock32:
      return Expected{warp.cycle & low};
    case LaneOp::kClock64:
      return Expected{warp.cycle};
    case LaneOp::kPack2x32:
      return Expected{(in[0] & low) + (in[1] << 32)};
    case LaneOp::kUnpack2x32Lo:
      return Expected{in[0] & low};
    case LaneOp::kUnpack2x32Hi:
      return Expected{in[0] >> 32};
    case LaneOp::kPack2x16:
      return Expected{(in[0] & 0xffffu) + ((in[1] & 0xffffu) << 16)};
    case LaneOp::kUnpack2x16Lo:
      return Expected{in[0] & 0xffffu};
    case LaneOp::kUnpack2x16Hi:
      return Expected{(in[0] >> 16) & 0xffffu};
    case LaneOp::kParam:
      return Expected{parameter(spec, warp.param)};
    default:
      break;
  }
  if (is_narrow(spec)) return narrow_lane(spec, in);
  if (spec.type == Type::kF16 || spec.type == Type::kF16x2) return half_lane(spec, in);
  return spec.type == Type::kF32 || spec.type == Type::kF64 ? float_lane(spec, in) : integer_lane(spec, in);
}

}  // namespace heddle::isa::test
