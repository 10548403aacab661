// Operations between lanes: vote, activemask, shfl, match, redux. Only the lanes of args.mask take part; with
// a member mask, only those of them that it names. Each lane has its own member mask.
#include "isa/lane/lanes.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

/// The lanes that take part together with lane i; `members`: nullptr if all executing lanes do.
HEDDLE_INLINE std::uint32_t partners(const LaneArgs& args, const CellU32* members, unsigned i) {
  return members == nullptr ? args.mask : args.mask & members[i];
}
template <bool masked>
HEDDLE_INLINE const CellU32* members_of(const LaneArgs& args, unsigned index) {
  return masked ? source<U32>(args, index) : nullptr;
}

template <LaneOp mode>
HEDDLE_INLINE bool verdict(std::uint32_t set, std::uint32_t who) {
  const std::uint32_t votes = set & who;
  if constexpr (mode == LaneOp::kVoteAll) return votes == who;
  if constexpr (mode == LaneOp::kVoteAny) return votes != 0;
  return votes == 0 || votes == who;
}
template <LaneOp mode>
void vote(const LaneArgs& args) {
  write_predicate(args, 0, verdict<mode>(predicate(args, 0), args.mask) ? kAllLanes : 0u);
}
template <LaneOp mode>
void vote_members(const LaneArgs& args) {
  const std::uint32_t set = predicate(args, 0);
  const auto* members = members_of<true>(args, 1);
  write_predicate(args, 0,
                  collect<4>([=](unsigned i) { return verdict<mode>(set, args.mask & members[i]); }));
}
void ballot(const LaneArgs& args) {
  const std::uint32_t set = predicate(args, 0) & args.mask;
  each_lane<U32>(args, [=](unsigned) { return set; });
}
void ballot_members(const LaneArgs& args) {
  const std::uint32_t set = predicate(args, 0) & args.mask;
  const auto* members = members_of<true>(args, 1);
  each_lane<U32>(args, [=](unsigned i) { return set & members[i]; });
}
void active_mask(const LaneArgs& args) {
  const std::uint32_t mask = args.mask;
  each_lane<U32>(args, [=](unsigned) { return mask; });
}

/// shfl as the PTX ISA's pseudo-code has it: b the lane or distance, c the clamp value and, from bit 8, the
/// segment mask. A source lane that is in range but not active is undefined in PTX; here the lane then keeps
/// its own a.
template <LaneOp mode, bool masked>
void shfl(const LaneArgs& args) {
  std::uint32_t a[32];
  __builtin_memcpy(a, args.src[0], sizeof a);  // the destination may be the same row
  const auto* b = source<U32>(args, 1);
  const auto* c = source<U32>(args, 2);
  const auto* members = members_of<masked>(args, 3);
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
    result[lane] = a[((partners(args, members, lane) >> from) & 1u) != 0 ? from : lane];
  }
  if (args.dst[0] != nullptr) each_lane<U32>(args, [&](unsigned i) { return result[i]; });
  write_predicate(args, 1, in_range);
}

template <class E>
void match_any(const LaneArgs& args) {
  typename E::Value a[32];
  __builtin_memcpy(a, args.src[0], sizeof a);
  const auto* members = members_of<true>(args, 1);
  std::uint32_t result[32];
  for (unsigned lane = 0; lane < 32; ++lane) {
    std::uint32_t equal = 0;
    for (unsigned i = 0; i < 32; ++i) equal |= (a[i] == a[lane] ? 1u : 0u) << i;
    result[lane] = equal & partners(args, members, lane);
  }
  each_lane<U32>(args, [&](unsigned i) { return result[i]; });
}
/// The lanes that take part if all their values agree, else 0.
template <class E>
void match_all(const LaneArgs& args) {
  typename E::Value a[32];
  __builtin_memcpy(a, args.src[0], sizeof a);
  const auto* members = members_of<true>(args, 1);
  std::uint32_t result[32];
  std::uint32_t agree = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const std::uint32_t who = partners(args, members, lane);
    std::uint32_t different = 0;
    for (unsigned i = 0; i < 32; ++i) different |= (a[i] != a[lane] ? 1u : 0u) << i;
    const bool all = (different & who) == 0;
    agree |= (all ? 1u : 0u) << lane;
    result[lane] = all ? who : 0u;
  }
  each_lane<U32>(args, [&](unsigned i) { return result[i]; });
  write_predicate(args, 1, agree);
}

struct ReduceAdd {
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return a + b; }
};
template <class V>
struct ReduceMin {
  HEDDLE_INLINE static V apply(V a, V b) { return a < b ? a : b; }
};
template <class V>
struct ReduceMax {
  HEDDLE_INLINE static V apply(V a, V b) { return a < b ? b : a; }
};
struct ReduceAnd {
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return a & b; }
};
struct ReduceOr {
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return a | b; }
};
struct ReduceXor {
  HEDDLE_INLINE static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return a ^ b; }
};
/// The lowest of the partners.
template <bool masked>
void elect(const LaneArgs& args) {
  const auto* members = members_of<masked>(args, 0);
  std::uint32_t result[32];
  std::uint32_t elected = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const std::uint32_t who = partners(args, members, lane);
    result[lane] = who != 0 ? static_cast<std::uint32_t>(__builtin_ctz(who)) : lane;
    elected |= (result[lane] == lane ? 1u : 0u) << lane;
  }
  if (args.dst[0] != nullptr) each_lane<U32>(args, [&](unsigned i) { return result[i]; });
  write_predicate(args, 1, elected);
}

template <class Op, class E>
void redux(const LaneArgs& args) {
  using V = typename E::Value;
  V a[32];
  __builtin_memcpy(a, args.src[0], sizeof a);
  const auto* members = members_of<true>(args, 1);
  V result[32];
  for (unsigned lane = 0; lane < 32; ++lane) {
    V value = a[lane];
    for (std::uint32_t rest = partners(args, members, lane) & ~(1u << lane); rest != 0; rest &= rest - 1)
      value = Op::apply(value, a[__builtin_ctz(rest)]);
    result[lane] = value;
  }
  each_lane<E>(args, [&](unsigned i) { return result[i]; });
}

template <template <class> class Op>
LaneFn redux_order(Type type) {
  if (type == Type::kU32) return redux<Op<std::uint32_t>, U32>;
  return type == Type::kS32 ? redux<Op<std::int32_t>, S32> : nullptr;
}
LaneFn find_redux(const LaneSpec& spec) {
  const bool bits = spec.type == Type::kB32;
  switch (spec.op) {
    case LaneOp::kReduxAdd:
      return spec.type == Type::kU32 || spec.type == Type::kS32 ? redux<ReduceAdd, U32> : nullptr;
    case LaneOp::kReduxMin:
      return redux_order<ReduceMin>(spec.type);
    case LaneOp::kReduxMax:
      return redux_order<ReduceMax>(spec.type);
    case LaneOp::kReduxAnd:
      return bits ? redux<ReduceAnd, U32> : nullptr;
    case LaneOp::kReduxOr:
      return bits ? redux<ReduceOr, U32> : nullptr;
    case LaneOp::kReduxXor:
      return bits ? redux<ReduceXor, U32> : nullptr;
    default:
      return nullptr;
  }
}

template <LaneOp mode>
LaneFn find_vote(const LaneSpec& spec) {
  return spec.member_mask ? vote_members<mode> : vote<mode>;
}
template <LaneOp mode>
LaneFn find_shfl(const LaneSpec& spec) {
  return spec.member_mask ? shfl<mode, true> : shfl<mode, false>;
}

}  // namespace

LaneFn find_cross_lane(const LaneSpec& spec) {
  switch (spec.op) {
    case LaneOp::kVoteAll:
      return find_vote<LaneOp::kVoteAll>(spec);
    case LaneOp::kVoteAny:
      return find_vote<LaneOp::kVoteAny>(spec);
    case LaneOp::kVoteUni:
      return find_vote<LaneOp::kVoteUni>(spec);
    case LaneOp::kBallot:
      return spec.member_mask ? ballot_members : ballot;
    case LaneOp::kActiveMask:
      return active_mask;
    case LaneOp::kShflIdx:
      return find_shfl<LaneOp::kShflIdx>(spec);
    case LaneOp::kShflUp:
      return find_shfl<LaneOp::kShflUp>(spec);
    case LaneOp::kShflDown:
      return find_shfl<LaneOp::kShflDown>(spec);
    case LaneOp::kShflBfly:
      return find_shfl<LaneOp::kShflBfly>(spec);
    case LaneOp::kElect:
      return spec.member_mask ? elect<true> : elect<false>;
    case LaneOp::kMatchAny:
      return spec.type == Type::kB32 ? match_any<U32> : spec.type == Type::kB64 ? match_any<U64> : nullptr;
    case LaneOp::kMatchAll:
      return spec.type == Type::kB32 ? match_all<U32> : spec.type == Type::kB64 ? match_all<U64> : nullptr;
    default:
      return find_redux(spec);
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
