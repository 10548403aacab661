// Logic of predicates, predicates as bits of a register, and values that come from nowhere: zeros and the clock.
#include "isa/lane/bit_functions.h"
#include "isa/machine/sources.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

void nothing(const LaneArgs&) {}

// A predicate is a mask of lanes, so one table look-up does for all lanes.
void logic3_predicates(const LaneArgs& args) {
  const std::uint32_t a = predicate(args, 0);
  const std::uint32_t b = predicate(args, 1);
  const std::uint32_t c = predicate(args, 2);
  const std::uint32_t p = look_up(field(args, kOperationBits, 8), a, b, c);
  const std::uint32_t q = look_up(field(args, kOperationBits + 8, 8), a, b, c);
  write_predicate(args, 0, p);
  write_predicate(args, 1, q);
}

constexpr unsigned kPredicates = 7;

void predicates_to_register(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const unsigned mask = field(args, kOperationBits, kPredicates);
  const unsigned shift = 8 * field(args, kOperationBits + 8, 2);
  std::uint32_t values[kPredicates];
  for (unsigned k = 0; k < kPredicates; ++k)
    values[k] = ((mask >> k) & 1u) != 0 ? predicate(args, 1 + k) : 0u;
  alignas(64) std::uint32_t bits[32] = {};
  for (unsigned k = 0; k < kPredicates; ++k) {
    const std::uint32_t of_lanes = values[k];
    HEDDLE_EACH_LANE bits[i] |= lane_in<4>(of_lanes, i) ? 1u << k : 0u;
  }
  const std::uint32_t* packed = bits;
  each_lane<U32>(args, [=](unsigned i) { return (a[i] & ~(mask << shift)) | packed[i] << shift; });
}
void register_to_predicates(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const unsigned shift = 8 * field(args, kOperationBits + 8, 2);
  for (unsigned k = 0; k < kPredicates; ++k)
    if (args.dst[k] != nullptr)
      write_predicate(args, k, collect<4>([=](unsigned i) { return ((a[i] >> (shift + k)) & 1u) != 0; }));
}

void zero_pair(const LaneArgs& args) {
  write_row(args, 0, [](unsigned) { return 0u; });
  write_row(args, 1, [](unsigned) { return 0u; });
}
void clock_pair(const LaneArgs& args) {
  const std::uint64_t now = args.cycle;
  write_row(args, 0, [=](unsigned) { return static_cast<std::uint32_t>(now); });
  write_row(args, 1, [=](unsigned) { return static_cast<std::uint32_t>(now >> 32); });
}
void clock_high(const LaneArgs& args) {
  const auto now = static_cast<std::uint32_t>(args.cycle >> 32);
  each_lane<U32>(args, [=](unsigned) { return now; });
}

}  // namespace

LaneFn find_machine_predicate(const MachineSpec& spec) {
  switch (spec.op) {
    case MachineOp::kNothing:
      return nothing;
    case MachineOp::kLogic3Predicates:
      return logic3_predicates;
    case MachineOp::kPredicatesToRegister:
      return predicates_to_register;
    case MachineOp::kRegisterToPredicates:
      return register_to_predicates;
    case MachineOp::kZeroPair:
      return zero_pair;
    case MachineOp::kClockPair:
      return clock_pair;
    case MachineOp::kClockHigh:
      return clock_high;
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
