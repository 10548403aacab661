#include "unit/isa/reference.h"

namespace heddle::isa::test {
namespace {

std::int64_t as_number(const LaneSpec& spec, std::uint64_t v) {
  return static_cast<std::int64_t>(number(spec.type, v));
}

std::uint64_t reduced(const LaneSpec& spec, const Warp& warp, std::uint32_t who, unsigned lane) {
  std::int64_t result = as_number(spec, warp.src[0][lane]);
  for (unsigned i = 0; i < kWarp; ++i) {
    if (((who >> i) & 1u) == 0 || i == lane) continue;
    const std::int64_t v = as_number(spec, warp.src[0][i]);
    switch (spec.op) {
      case LaneOp::kReduxAdd:
        result += v;
        break;
      case LaneOp::kReduxMin:
        result = v < result ? v : result;
        break;
      case LaneOp::kReduxMax:
        result = v > result ? v : result;
        break;
      case LaneOp::kReduxAnd:
        result &= v;
        break;
      case LaneOp::kReduxOr:
        result |= v;
        break;
      default:
        result ^= v;
    }
  }
  return cell(result, 32);
}

}  // namespace

std::uint32_t partners(const LaneSpec& spec, const Warp& warp, unsigned lane) {
  const bool shuffles = spec.op >= LaneOp::kShflIdx && spec.op <= LaneOp::kShflBfly;
  const bool always = spec.op >= LaneOp::kMatchAny && spec.op <= LaneOp::kReduxXor;
  if (!spec.member_mask && !always) return warp.mask;
  return warp.mask & static_cast<std::uint32_t>(warp.src[shuffles                    ? 3
                                                         : spec.op == LaneOp::kElect ? 0
                                                                                     : 1][lane]);
}

std::optional<Expected> member_lane(const LaneSpec& spec, const Warp& warp, unsigned lane) {
  const std::uint32_t who = partners(spec, warp, lane);
  std::uint32_t votes = 0;
  std::uint32_t equal = 0;
  for (unsigned i = 0; i < kWarp; ++i) {
    if (((who >> i) & 1u) == 0) continue;
    if (predicate(warp, 0, i)) votes |= 1u << i;
    if (warp.src[0][i] == warp.src[0][lane]) equal |= 1u << i;
  }
  switch (spec.op) {
    case LaneOp::kMatchAny:
      return Expected{equal};
    case LaneOp::kMatchAll:
      return Expected{equal == who ? who : 0};
    case LaneOp::kReduxAdd:
    case LaneOp::kReduxMin:
    case LaneOp::kReduxMax:
    case LaneOp::kReduxAnd:
    case LaneOp::kReduxOr:
    case LaneOp::kReduxXor:
      return Expected{reduced(spec, warp, who, lane)};
    default:
      break;
  }
  if (!spec.member_mask) return {};
  switch (spec.op) {
    case LaneOp::kVoteAll:
      return Expected{votes == who ? 1u : 0u};
    case LaneOp::kVoteAny:
      return Expected{votes != 0 ? 1u : 0u};
    case LaneOp::kVoteUni:
      return Expected{votes == 0 || votes == who ? 1u : 0u};
    case LaneOp::kBallot:
      return Expected{votes};
    default:
      return {};
  }
}

}  // namespace heddle::isa::test
