// Moves, selections and special registers.
#include "frontend/sass/lower/lane_lowering.h"

#include <fmt/format.h>

#include <optional>

#include "frontend/sass/special_registers.h"

namespace heddle::sass {
namespace {

using isa::LaneOp;
using isa::LatencyClass;
using isa::MachineOp;
using isa::SpecialRow;

constexpr int kAllOfAQuad = 15;

void move_from(LaneLowering& of, const isa::Operand& from) {
  of.source(from);
  of.result();
  if (of.has_source_guard()) {
    of.out().cross_lane = true;
    of.predicate(false);
    return of.use({.op = MachineOp::kFirstLane, .guarded = of.guard()}, LatencyClass::kIntSimple);
  }
  of.use_ptx({.op = LaneOp::kMov, .type = isa::Type::kB32}, LatencyClass::kIntSimple);
}

/// Ids of special registers (special_registers.cpp).
enum SpecialId : std::int64_t {
  kVirtualConfiguration = 0x02,
  kVirtualId = 0x03,
  kWindowHigh = 0x2f,
  kLocalHighOffset = 0x37,
  kClockLow = 0x50,
  kClockHigh,
  kTimerLow,
  kTimerHigh,
  kCtaInCluster = 0x88,
  kZero = 0xff,
};
std::optional<SpecialRow> special_row_of(std::int64_t id) {
  switch (id) {
    case 0x00:
      return SpecialRow::kLaneId;
    case 0x21:
      return SpecialRow::kTidX;
    case 0x22:
      return SpecialRow::kTidY;
    case 0x23:
      return SpecialRow::kTidZ;
    case 0x25:
      return SpecialRow::kCtaidX;
    case 0x26:
      return SpecialRow::kCtaidY;
    case 0x27:
      return SpecialRow::kCtaidZ;
    case 0x32:
      return SpecialRow::kTotalSharedSize;
    case 0x38:
      return SpecialRow::kLanemaskEq;
    case 0x39:
      return SpecialRow::kLanemaskLt;
    case 0x3a:
      return SpecialRow::kLanemaskLe;
    case 0x3b:
      return SpecialRow::kLanemaskGt;
    case 0x3c:
      return SpecialRow::kLanemaskGe;
    case 0x43:
      return SpecialRow::kSmId;
    default:
      return std::nullopt;
  }
}

/// The clock and the timer: `wide` with both words.
bool lower_time(LaneLowering& of, std::int64_t id, bool wide) {
  if (id < kClockLow || id > kTimerHigh) return false;
  const bool high = id == kClockHigh || id == kTimerHigh;
  if (wide && high) of.refuse("both words of the clock from its high word on");
  of.result();
  if (wide) of.result_high();
  of.out().time_dependent = true;
  if (wide || high)
    of.use({.op = wide ? MachineOp::kClockPair : MachineOp::kClockHigh}, LatencyClass::kIntSimple);
  else
    of.use_ptx({.op = LaneOp::kClock32, .type = isa::Type::kU32}, LatencyClass::kIntSimple);
  if (id >= kTimerLow) of.out().op = isa::Opcode::kTimer;
  return true;
}

void lower_shifted(LaneLowering& of, SpecialRow row) {
  constexpr std::uint32_t kFirstBit = 8;
  of.source(KernelRows::special(row));
  of.literal(kFirstBit);
  of.result();
  of.use_ptx({.op = LaneOp::kShl, .type = isa::Type::kB32}, LatencyClass::kIntSimple);
}

/// Its value takes an operation of its own, not a move.
bool special_is_computed(std::int64_t id) {
  return id == kVirtualConfiguration || id == kVirtualId || (id >= kClockLow && id <= kTimerHigh);
}

void lower_special_register(LaneLowering& of) {
  const std::int64_t id = of.operand(Role::kSpecial).value;
  const bool wide = of.op() == Opcode::kCs2r && of.has(Modifier::kSixtyFour);
  if (of.has_source_guard() && special_is_computed(id))
    of.refuse("S2UR of this register under a predicate of lanes");
  if (lower_time(of, id, wide)) return;
  if (wide) {
    if (id != kZero) of.refuse("a pair of this special register");
    of.result();
    of.result_high();
    return of.use({.op = MachineOp::kZeroPair}, LatencyClass::kIntSimple);
  }
  switch (id) {
    case kZero:
    case kLocalHighOffset:  // 0: the stack is not at its end
    case kCtaInCluster:     // 0: a cluster is one CTA
      return move_from(of, of.rows().literal(0));
    case kWindowHigh:  // of the shared window
      return move_from(of, of.rows().literal(static_cast<std::uint32_t>(isa::kSharedWindowBase >> 32)));
    // ptxas takes warp numbers out of these from bit 8 on.
    case kVirtualConfiguration:
      return lower_shifted(of, SpecialRow::kNwarpId);
    case kVirtualId:
      return lower_shifted(of, SpecialRow::kWarpId);
    default:
      break;
  }
  const std::optional<SpecialRow> row = special_row_of(id);
  if (!row) of.refuse(fmt::format("special register {}", special_register_name(id)));
  move_from(of, KernelRows::special(*row));
}

}  // namespace

bool lower_move(LaneLowering& of) {
  switch (of.op()) {
    case Opcode::kMov:
      if (of.operand(Role::kMask).value != kAllOfAQuad) of.refuse("MOV of some lanes of each four");
      [[fallthrough]];
    case Opcode::kUmov:
      of.word(Role::kB);
      of.result();
      return of.use_ptx({.op = LaneOp::kMov, .type = isa::Type::kB32}, LatencyClass::kIntSimple), true;
    case Opcode::kSel:
    case Opcode::kUsel:
      of.word(Role::kA);
      of.word(Role::kB);
      of.predicate(Role::kPs0);
      of.result();
      return of.use_ptx({.op = LaneOp::kSelp, .type = isa::Type::kB32}, LatencyClass::kIntSimple), true;
    case Opcode::kS2r:
    case Opcode::kS2ur:
    case Opcode::kCs2r:
      return lower_special_register(of), true;
    default:
      return false;
  }
}

}  // namespace heddle::sass
