// Operations between lanes: vote, activemask, shfl. Only the lanes of args.mask take part.
#include "isa/lane/lanes.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

void vote_all(const LaneArgs& args) {
  const bool all = (predicate(args, 0) & args.mask) == args.mask;
  write_predicate(args, 0, all ? kAllLanes : 0u);
}
void vote_any(const LaneArgs& args) {
  write_predicate(args, 0, (predicate(args, 0) & args.mask) != 0 ? kAllLanes : 0u);
}
void vote_uni(const LaneArgs& args) {
  const std::uint32_t set = predicate(args, 0) & args.mask;
  write_predicate(args, 0, set == 0 || set == args.mask ? kAllLanes : 0u);
}
void ballot(const LaneArgs& args) {
  const std::uint32_t set = predicate(args, 0) & args.mask;
  each_lane<U32>(args, [=](unsigned) { return set; });
}
void active_mask(const LaneArgs& args) {
  const std::uint32_t mask = args.mask;
  each_lane<U32>(args, [=](unsigned) { return mask; });
}

/// shfl as the PTX ISA's pseudo-code has it: b the lane or distance, c the clamp value and, from bit 8, the
/// segment mask. A source lane that is in range but not active is undefined in PTX; here the lane then keeps
/// its own a.
template <LaneOp mode>
void shfl(const LaneArgs& args) {
  std::uint32_t a[32];
  __builtin_memcpy(a, args.src[0], sizeof a);  // the destination may be the same row
  const auto* b = source<U32>(args, 1);
  const auto* c = source<U32>(args, 2);
  std::uint32_t result[32];
  std::uint32_t in_range = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const std::uint32_t distance = b[lane] & 0x1fu;
    const std::uint32_t segment = (c[lane] >> 8) & 0x1fu;
    const std::uint32_t max_lane = (lane & segment) | (c[lane] & 0x1fu & ~segment);
    const std::uint32_t min_lane = lane & segment;
    std::uint32_t from = lane;
    bool valid = false;
    if constexpr (mode == LaneOp::kShflUp) {
      from = lane - distance;  // wraps below lane 0, hence the signed comparison
      valid = static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(max_lane);
    } else {
      if constexpr (mode == LaneOp::kShflDown) from = lane + distance;
      if constexpr (mode == LaneOp::kShflBfly) from = lane ^ distance;
      if constexpr (mode == LaneOp::kShflIdx) from = min_lane | (distance & ~segment);
      valid = from <= max_lane;
    }
    if (!valid) from = lane;
    in_range |= (valid ? 1u : 0u) << lane;
    result[lane] = a[((args.mask >> from) & 1u) != 0 ? from : lane];
  }
  if (args.dst[0] != nullptr) each_lane<U32>(args, [&](unsigned i) { return result[i]; });
  write_predicate(args, 1, in_range);
}

}  // namespace

LaneFn find_cross_lane(const LaneSpec& spec) {
  switch (spec.op) {
    case LaneOp::kVoteAll:
      return vote_all;
    case LaneOp::kVoteAny:
      return vote_any;
    case LaneOp::kVoteUni:
      return vote_uni;
    case LaneOp::kBallot:
      return ballot;
    case LaneOp::kActiveMask:
      return active_mask;
    case LaneOp::kShflIdx:
      return shfl<LaneOp::kShflIdx>;
    case LaneOp::kShflUp:
      return shfl<LaneOp::kShflUp>;
    case LaneOp::kShflDown:
      return shfl<LaneOp::kShflDown>;
    case LaneOp::kShflBfly:
      return shfl<LaneOp::kShflBfly>;
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
