#include "unit/isa/samples.h"

#include <vector>

namespace heddle::isa::test {

std::uint64_t Samples::value(bool wide) {
  static const std::vector<std::uint64_t> special32 = {
      0,          1,          2,          5,          8,          31,         32,         33,
      63,         64,         65,         0xff,       0x7f,       0x80,       0x7fff,     0x8000,
      0xffff,     0x10000,    0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x00800000, 0x007fffff,
      0x80400000, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f000000, 0x3fc00000, 0x40200000, 0xc0200000,
      0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x7f7fffff, 0xff7fffff, 0x4effffff,
      0x4f000000, 0xcf000000, 0xcf000001, 0x4f800000, 0x5f000000, 0x5f800000, 0x40490fdb, 0x43000000,
      0xc3160000, 0x7c00,     0x7bff,     0x03ff,     0x477fe000, 0x477ff000, 0x33000000, 0x33000001,
      0x42c80000, 0x00a1e58f, 0x3f4a6691};
  static const std::vector<std::uint64_t> special64 = {0,
                                                       1,
                                                       31,
                                                       63,
                                                       64,
                                                       0xffffffff,
                                                       0x80000000,
                                                       0x100000000,
                                                       0x7fffffffffffffff,
                                                       0x8000000000000000,
                                                       0xffffffffffffffff,
                                                       0x8000000000000001,
                                                       0x3ff0000000000000,
                                                       0xbff0000000000000,
                                                       0x3fe0000000000000,
                                                       0x4004000000000000,
                                                       0x7ff0000000000000,
                                                       0xfff0000000000000,
                                                       0x7ff8000000000000,
                                                       0x7ff0000000000001,
                                                       0xfff8000000000123,
                                                       0x000fffffffffffff,
                                                       0x0010000000000000,
                                                       0x800fffffffffffff,
                                                       0x7fefffffffffffff,
                                                       0x41dfffffffc00000,
                                                       0x41e0000000000000,
                                                       0xc1e0000000000000,
                                                       0x41efffffffe00000,
                                                       0x43e0000000000000,
                                                       0xc3e0000000000000,
                                                       0x43f0000000000000,
                                                       0x47efffffe0000000,
                                                       0x47effffff0000000,
                                                       0x36a0000000000000,
                                                       0x3690000000000000,
                                                       0x3690000000000001,
                                                       0x40effe0000000000,
                                                       0x40effc0000000000,
                                                       0x3e60000000000000,
                                                       0x3e70000000000000,
                                                       0x380fffffe0000000,
                                                       0x380fffffffffffff};
  switch (random_() % 4) {
    case 0:
      return special32[random_() % special32.size()];
    case 1:
      return wide ? special64[random_() % special64.size()] : random_();
    case 2:
      return wide ? f64(moderate()) : f32(static_cast<float>(moderate()));
    default:
      return wide ? static_cast<std::uint64_t>(random_()) << 32 | random_() : random_();
  }
}

double Samples::moderate() {  // halfway cases and magnitudes around the integer and f16 ranges
  const auto quarter = static_cast<double>(static_cast<std::int32_t>(random_())) / 4.0;
  return (random_() & 1u) != 0 ? quarter : quarter / static_cast<double>(1u << (random_() % 31));
}

Warp random_warp(const LaneSpec& spec, Samples& samples, unsigned round) {
  const Shape shape = shape_of(spec);
  Warp warp;
  for (unsigned k = 0; k < 4; ++k) {
    for (auto& v : warp.src[k]) v = samples.value(shape.src[k] == Kind::kRow64);
    warp.predicate[k] = samples.bits();
  }
  for (auto& v : warp.dst) v = samples.value(shape.dst == Kind::kRow64);
  warp.dst_predicate = {samples.bits(), samples.bits()};
  // all lanes, some, one, none
  const std::array<std::uint32_t, 4> masks{0xffff'ffffu, samples.bits(), 1u << (samples.bits() % 32), 0};
  warp.mask = masks[round % 4];
  warp.negated = static_cast<std::uint8_t>(samples.bits() & 15u);
  warp.immediate = round;  // lop3: the table
  warp.cycle = static_cast<std::uint64_t>(samples.bits()) << 20;
  warp.param = samples.value(true);
  if (spec.op == LaneOp::kVideo || spec.op == LaneOp::kVideoShift || spec.op == LaneOp::kVideoMad) {
    warp.immediate = static_cast<std::uint64_t>(samples.bits()) << 32 | samples.bits();
    if (round % 2 == 0)  // amounts of shifts that matter
      for (auto& v : warp.src[1]) v = samples.bits() % 40;
  }
  if (spec.op == LaneOp::kFns) {  // around the mask and within it
    for (auto& v : warp.src[1]) v = samples.bits() % 40;
    for (auto& v : warp.src[2]) v = (samples.bits() % 25 - 12) & 0xffff'ffffu;
  }
  if (spec.op == LaneOp::kMatchAny || spec.op == LaneOp::kMatchAll) {  // lanes that agree
    const std::uint64_t base = samples.value(shape.src[0] == Kind::kRow64);
    const std::uint32_t differing = round % 3 == 0 ? 0 : samples.bits() & samples.bits() & samples.bits();
    for (unsigned i = 0; i < kWarp; ++i)
      warp.src[0][i] = (differing >> i & 1u) != 0 ? base ^ (1u << samples.bits() % 4) : base;
  }
  if (spec.op >= LaneOp::kVoteAll && spec.op <= LaneOp::kVoteUni && (samples.bits() & 1u) != 0)
    warp.predicate[0] = (warp.negated & 1u) != 0 ? ~warp.mask : warp.mask;
  return warp;
}

bool close_enough(Expected expected, std::uint64_t actual, bool wide) {
  if (expected.value == actual) return true;
  if (expected.ulps == 0) return false;
  const bool nan = wide ? expected.value == kNanF64 : expected.value == kNanF32 || expected.value == kNanF16;
  if (nan) return false;
  const std::uint64_t distance = expected.value > actual ? expected.value - actual : actual - expected.value;
  return distance <= expected.ulps;
}

}  // namespace heddle::isa::test
