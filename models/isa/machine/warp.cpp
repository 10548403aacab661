// VOTE, MATCH, REDUX, R2UR: between the lanes that execute the instruction.
#include "isa/machine/sources.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

/// The lanes that take part: of a guarded operation those where source `guard` holds. What is written is all lanes' of the mask.
template <bool guarded>
HEDDLE_INLINE std::uint32_t takers(const LaneArgs& args, unsigned guard) {
  return guarded ? predicate(args, guard) & args.mask : args.mask;
}

template <bool guarded>
void vote(const LaneArgs& args) {
  const std::uint32_t lanes = takers<guarded>(args, 1);
  if (guarded && lanes == 0) return;
  const std::uint32_t votes = predicate(args, 0) & lanes;
  bool verdict = votes != 0;
  switch (static_cast<VoteMode>(field(args, kOperationBits, 2))) {
    case VoteMode::kAll:
      verdict = votes == lanes;
      break;
    case VoteMode::kAny:
      break;
    case VoteMode::kEqual:
      verdict = votes == 0 || votes == lanes;
      break;
  }
  write_row(args, 0, [=](unsigned) { return votes; });
  write_predicate(args, 1, verdict ? kAllLanes : 0u);
}

/// The lanes of the mask whose value, of 32 or 64 bits, is that of `lane`.
template <bool wide>
HEDDLE_INLINE std::uint32_t equals(const LaneArgs& args, unsigned lane) {
  const auto* low = source<U32>(args, 0);
  if constexpr (wide) {
    const PairRow row = pair_row(args, 0);
    const std::uint64_t wanted = row[lane];
    return collect<8>([=](unsigned i) { return row[i] == wanted; }) & args.mask;
  } else {
    const std::uint32_t wanted = low[lane];
    return collect<4>([=](unsigned i) { return low[i] == wanted; }) & args.mask;
  }
}
template <bool wide>
void match_any(const LaneArgs& args) {
  alignas(64) std::uint32_t result[32] = {};
  for (std::uint32_t rest = args.mask; rest != 0;) {
    const std::uint32_t same = equals<wide>(args, static_cast<unsigned>(__builtin_ctz(rest)));
    HEDDLE_EACH_LANE result[i] |= lane_in<4>(same, i) ? same : 0u;
    rest &= ~same;
  }
  const std::uint32_t* values = result;
  write_row(args, 0, [=](unsigned i) { return values[i]; });
}
template <bool wide>
void match_all(const LaneArgs& args) {
  const bool agree =
      args.mask == 0 || equals<wide>(args, static_cast<unsigned>(__builtin_ctz(args.mask))) == args.mask;
  const std::uint32_t result = agree ? args.mask : 0u;
  write_row(args, 0, [=](unsigned) { return result; });
  write_predicate(args, 1, agree ? kAllLanes : 0u);
}

template <class E, class Fn>
HEDDLE_INLINE void reduce(const LaneArgs& args, std::uint32_t lanes, Fn fn) {
  if (lanes == 0) return;
  const auto* a = source<E>(args, 0);
  typename E::Value value = a[__builtin_ctz(lanes)];
  for (std::uint32_t rest = lanes & (lanes - 1); rest != 0; rest &= rest - 1)
    value = fn(value, static_cast<typename E::Value>(a[__builtin_ctz(rest)]));
  write_row(args, 0, [=](unsigned) { return static_cast<std::uint32_t>(value); });
}
template <class E, bool guarded>
void reduce_rows(const LaneArgs& args) {
  using V = typename E::Value;
  const std::uint32_t lanes = takers<guarded>(args, 1);
  switch (static_cast<ReduceOp>(field(args, kOperationBits, 3))) {
    case ReduceOp::kAnd:
      return reduce<E>(args, lanes, [](V a, V b) { return a & b; });
    case ReduceOp::kOr:
      return reduce<E>(args, lanes, [](V a, V b) { return a | b; });
    case ReduceOp::kXor:
      return reduce<E>(args, lanes, [](V a, V b) { return a ^ b; });
    case ReduceOp::kSum:
      return reduce<U32>(args, lanes, [](std::uint32_t a, std::uint32_t b) { return a + b; });
    case ReduceOp::kMin:
      return reduce<E>(args, lanes, [](V a, V b) { return a < b ? a : b; });
    case ReduceOp::kMax:
      return reduce<E>(args, lanes, [](V a, V b) { return a < b ? b : a; });
  }
}

template <bool guarded>
void first_lane(const LaneArgs& args) {
  LaneArgs taking = args;
  taking.mask = takers<guarded>(args, 2);
  if (taking.mask == 0) return;
  const std::uint32_t value = source<U32>(args, 0)[__builtin_ctz(taking.mask)];
  const auto* a = source<U32>(args, 0);
  const std::uint32_t others = collect<4>([=](unsigned i) { return a[i] != value; });
  const std::uint32_t before = predicate(args, 1);
  write_row(args, 0, [=](unsigned) { return value; });
  write_predicate(taking, 1, others | before);
}

template <bool guarded>
void elect_first(const LaneArgs& args) {
  LaneArgs taking = args;
  taking.mask = takers<guarded>(args, 0);
  if (taking.mask == 0) return;
  const auto leader = static_cast<std::uint32_t>(__builtin_ctz(taking.mask));
  write_row(args, 0, [=](unsigned) { return leader; });
  write_predicate(taking, 1, 1u << leader);
}

}  // namespace

LaneFn find_machine_warp(const MachineSpec& spec) {
  const bool wide = spec.type == Type::kB64;
  switch (spec.op) {
    case MachineOp::kVote:
      return spec.guarded ? vote<true> : vote<false>;
    case MachineOp::kMatchAny:
      return wide ? match_any<true> : match_any<false>;
    case MachineOp::kMatchAll:
      return wide ? match_all<true> : match_all<false>;
    case MachineOp::kReduce:
      if (spec.guarded) return spec.is_signed ? reduce_rows<S32, true> : reduce_rows<U32, true>;
      return spec.is_signed ? reduce_rows<S32, false> : reduce_rows<U32, false>;
    case MachineOp::kFirstLane:
      return spec.guarded ? first_lane<true> : first_lane<false>;
    case MachineOp::kElect:
      return spec.guarded ? elect_first<true> : elect_first<false>;
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
