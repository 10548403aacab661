// What mbarrier.test_wait, try_wait and pending_count make of an mbarrier's 64 bits (isa/mbarrier.h).
#include "isa/mbarrier.h"

#include "isa/lane/lanes.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

constexpr unsigned kParityBit = MBarrier::kParityBit;

/// The phase of a state is over when the barrier is in another one: at most one phase lies between them.
void phase_done(const LaneArgs& args) {
  const auto* barrier = source<U64>(args, 0);
  const auto* state = source<U64>(args, 1);
  write_predicate(args, 0,
                  collect<8>([=](unsigned i) { return ((barrier[i] ^ state[i]) >> kParityBit) != 0; }));
}
void parity_done(const LaneArgs& args) {
  const auto* barrier = source<U64>(args, 0);
  const auto* parity = source<U32>(args, 1);
  write_predicate(args, 0,
                  collect<8>([=](unsigned i) { return barrier[i] >> kParityBit != (parity[i] & 1u); }));
}
void pending_count(const LaneArgs& args) {
  const auto* state = source<U64>(args, 0);
  each_lane<U32>(args, [=](unsigned i) {
    return static_cast<std::uint32_t>(-(state[i] >> MBarrier::kPendingBit) & MBarrier::kMaxCount);
  });
}

}  // namespace

LaneFn find_barrier_state(const LaneSpec& spec) {
  switch (spec.op) {
    case LaneOp::kPhaseDone:
      return phase_done;
    case LaneOp::kParityDone:
      return parity_done;
    case LaneOp::kPendingCount:
      return pending_count;
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
