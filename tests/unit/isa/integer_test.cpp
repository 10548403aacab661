#include "unit/isa/golden.h"

namespace heddle::isa::test::integer_test {
namespace {

constexpr std::uint64_t kMin32 = 0x8000'0000u;
constexpr std::uint64_t kMax32 = 0x7fff'ffffu;
constexpr std::uint64_t kOnes32 = 0xffff'ffffu;  // -1
constexpr std::uint64_t kMin64 = 0x8000'0000'0000'0000u;

TEST(IntegerOps, AdditionWrapsUnlessSaturating) {
  expect({.op = LaneOp::kAdd, .type = Type::kS32}, {kMax32, 1}, kMin32);
  expect({.op = LaneOp::kAdd, .type = Type::kS32, .sat = true}, {kMax32, 1}, kMax32);
  expect({.op = LaneOp::kAdd, .type = Type::kS32, .sat = true}, {kMin32, kOnes32}, kMin32);
  expect({.op = LaneOp::kAdd, .type = Type::kS32, .sat = true}, {5, kOnes32}, 4);
  expect({.op = LaneOp::kSub, .type = Type::kS32, .sat = true}, {kMin32, 1}, kMin32);
  expect({.op = LaneOp::kSub, .type = Type::kS32, .sat = true}, {0, kMin32}, kMax32);
  expect({.op = LaneOp::kAdd, .type = Type::kU16}, {0xffff, 2}, 1);
  expect({.op = LaneOp::kSub, .type = Type::kS16}, {0, 1}, 0xffff);
  expect({.op = LaneOp::kAdd, .type = Type::kU64}, {kOnes32, 1}, 0x1'0000'0000u);
}

TEST(IntegerOps, MultiplyKeepsLowHighOrAllBits) {
  expect({.op = LaneOp::kMul, .type = Type::kU32}, {0x10001, 0x10001}, 0x20001);
  expect({.op = LaneOp::kMulHi, .type = Type::kU32}, {kOnes32, kOnes32}, 0xffff'fffeu);
  expect({.op = LaneOp::kMulHi, .type = Type::kS32}, {kOnes32, kOnes32}, 0);
  expect({.op = LaneOp::kMulHi, .type = Type::kS32}, {kMin32, kMin32}, 0x4000'0000u);
  expect({.op = LaneOp::kMulHi, .type = Type::kU64}, {kOnes64, kOnes64}, kOnes64 - 1);
  expect({.op = LaneOp::kMulHi, .type = Type::kS64}, {kMin64, 2}, kOnes64);
  expect({.op = LaneOp::kMulHi, .type = Type::kU16}, {0xffff, 0xffff}, 0xfffe);
  expect({.op = LaneOp::kMulWide, .type = Type::kU64}, {kOnes32, kOnes32}, 0xffff'fffe'0000'0001u);
  expect({.op = LaneOp::kMulWide, .type = Type::kS64}, {kOnes32, 4}, kOnes64 - 3);
  expect({.op = LaneOp::kMulWide, .type = Type::kS32}, {0xffff, 3}, 0xffff'fffdu);
  expect({.op = LaneOp::kMadWide, .type = Type::kS64}, {kOnes32, 4, 0x1000}, 0xffc);
  expect({.op = LaneOp::kMad, .type = Type::kS32}, {7, kOnes32, 3}, 0xffff'fffcu);
  expect({.op = LaneOp::kMadHi, .type = Type::kS32, .sat = true}, {kMin32, kMin32, kMax32}, kMax32);
  expect({.op = LaneOp::kMul24, .type = Type::kU32}, {0xff00'0003u, 0x0100'0005u}, 15);
  expect({.op = LaneOp::kMul24, .type = Type::kS32}, {0x00ff'ffffu, 5}, 0xffff'fffbu);
}

TEST(IntegerOps, DivisionNeverTraps) {
  expect({.op = LaneOp::kDiv, .type = Type::kS32}, {0xffff'fff9u, 2}, 0xffff'fffdu);  // -7 / 2 = -3
  expect({.op = LaneOp::kRem, .type = Type::kS32}, {0xffff'fff9u, 2}, kOnes32);       // -7 % 2 = -1
  expect({.op = LaneOp::kDiv, .type = Type::kS32}, {kMin32, kOnes32}, kMin32);
  expect({.op = LaneOp::kRem, .type = Type::kS32}, {kMin32, kOnes32}, 0);
  expect({.op = LaneOp::kDiv, .type = Type::kS64}, {kMin64, kOnes64}, kMin64);
  expect({.op = LaneOp::kDiv, .type = Type::kU32}, {42, 0}, kOnes32);
  expect({.op = LaneOp::kRem, .type = Type::kU32}, {42, 0}, kOnes32);  // measured on an H200
  expect({.op = LaneOp::kDiv, .type = Type::kS16}, {0x8000, 0xffff}, 0x8000);
  expect({.op = LaneOp::kDiv, .type = Type::kU16}, {42, 0}, 0xffff);
}

TEST(IntegerOps, SignAndDistance) {
  expect({.op = LaneOp::kAbs, .type = Type::kS32}, {kMin32}, kMin32);
  expect({.op = LaneOp::kNeg, .type = Type::kS16}, {0x8000}, 0x8000);
  expect({.op = LaneOp::kNeg, .type = Type::kS64}, {1}, kOnes64);
  expect({.op = LaneOp::kMin, .type = Type::kS32}, {kOnes32, 1}, kOnes32);
  expect({.op = LaneOp::kMin, .type = Type::kU32}, {kOnes32, 1}, 1);
  expect({.op = LaneOp::kMax, .type = Type::kS16}, {0x8000, 0x7fff}, 0x7fff);
  expect({.op = LaneOp::kSad, .type = Type::kS32}, {kMin32, kMax32, 1}, 0);  // distance 2^32 - 1
  expect({.op = LaneOp::kSad, .type = Type::kU32}, {3, 10, 100}, 107);
}

TEST(BitOps, ShiftsClampTheirAmount) {
  expect({.op = LaneOp::kShl, .type = Type::kB32}, {1, 31}, kMin32);
  expect({.op = LaneOp::kShl, .type = Type::kB32}, {1, 32}, 0);
  expect({.op = LaneOp::kShl, .type = Type::kB32}, {1, kOnes32}, 0);
  expect({.op = LaneOp::kShl, .type = Type::kB16}, {3, 15}, 0x8000);
  expect({.op = LaneOp::kShl, .type = Type::kB16}, {3, 16}, 0);
  expect({.op = LaneOp::kShl, .type = Type::kB64}, {1, 63}, kMin64);
  expect({.op = LaneOp::kShl, .type = Type::kB64}, {1, 64}, 0);
  expect({.op = LaneOp::kShr, .type = Type::kU32}, {kMin32, 40}, 0);
  expect({.op = LaneOp::kShr, .type = Type::kS32}, {kMin32, 40}, kOnes32);
  expect({.op = LaneOp::kShr, .type = Type::kS16}, {0x8000, 3}, 0xf000);
  expect({.op = LaneOp::kShr, .type = Type::kS64}, {kMin64, 62}, kOnes64 - 1);
}

TEST(BitOps, FunnelShiftsWrapOrClamp) {
  expect({.op = LaneOp::kShfL, .type = Type::kB32}, {0x1234'5678u, 0x9abc'def0u, 8}, 0xbcde'f012u);
  expect({.op = LaneOp::kShfR, .type = Type::kB32}, {0x1234'5678u, 0x9abc'def0u, 8}, 0xf012'3456u);
  expect({.op = LaneOp::kShfL, .type = Type::kB32}, {1, 2, 32}, 2);
  expect({.op = LaneOp::kShfL, .type = Type::kB32, .clamp = true}, {1, 2, 32}, 1);
  expect({.op = LaneOp::kShfR, .type = Type::kB32, .clamp = true}, {1, 2, 99}, 2);
  expect({.op = LaneOp::kShfR, .type = Type::kB32}, {1, 2, 33}, 0);
}

TEST(BitOps, CountsAndSearches) {
  expect({.op = LaneOp::kPopc, .type = Type::kB32}, {0xf0f0'0001u}, 9);
  expect({.op = LaneOp::kPopc, .type = Type::kB64}, {kOnes64}, 64);
  expect({.op = LaneOp::kClz, .type = Type::kB32}, {0}, 32);
  expect({.op = LaneOp::kClz, .type = Type::kB64}, {1}, 63);
  expect({.op = LaneOp::kBfind, .type = Type::kU32}, {0x0080'0000u}, 23);
  expect({.op = LaneOp::kBfind, .type = Type::kU32}, {0}, kOnes32);
  expect({.op = LaneOp::kBfind, .type = Type::kS32}, {kOnes32}, kOnes32);
  expect({.op = LaneOp::kBfind, .type = Type::kS64}, {kMin64}, 62);
  expect({.op = LaneOp::kBrev, .type = Type::kB32}, {0x8000'0002u}, 0x4000'0001u);
  expect({.op = LaneOp::kBrev, .type = Type::kB64}, {1}, kMin64);
}

TEST(BitOps, BitFields) {
  expect({.op = LaneOp::kBfe, .type = Type::kU32}, {0x1234'5678u, 8, 12}, 0x456);
  expect({.op = LaneOp::kBfe, .type = Type::kS32}, {0x0000'0f00u, 8, 4}, kOnes32);
  expect({.op = LaneOp::kBfe, .type = Type::kS32}, {kMin32, 28, 16},
         0xffff'fff8u);  // past the top: sign of bit 31
  expect({.op = LaneOp::kBfe, .type = Type::kS32}, {kOnes32, 4, 0}, 0);
  expect({.op = LaneOp::kBfe, .type = Type::kU32}, {kOnes32, 40, 8}, 0);
  expect({.op = LaneOp::kBfe, .type = Type::kS32}, {kMin32, 40, 8}, kOnes32);
  expect({.op = LaneOp::kBfe, .type = Type::kU32}, {kOnes32, 0x100, 0x104}, 0xf);  // only the low bytes count
  expect({.op = LaneOp::kBfi, .type = Type::kB32}, {0xff, 0, 28, 8}, 0xf000'0000u);
  expect({.op = LaneOp::kBfi, .type = Type::kB32}, {0xab, 0x1111'1111u, 8, 8}, 0x1111'ab11u);
  expect({.op = LaneOp::kBfi, .type = Type::kB64}, {kOnes64, 0, 32, 64}, 0xffff'ffff'0000'0000u);
  expect({.op = LaneOp::kBfi, .type = Type::kB32}, {kOnes32, 7, 32, 8}, 7);
}

TEST(BitOps, PermuteSelectsBytesAndSigns) {
  const LaneSpec prmt{.op = LaneOp::kPrmt, .type = Type::kB32};
  expect(prmt, {0x3322'1100u, 0x7766'5544u, 0x3210}, 0x3322'1100u);
  expect(prmt, {0x3322'1100u, 0x7766'5544u, 0x7654}, 0x7766'5544u);
  expect(prmt, {0x3322'1100u, 0x7766'5544u, 0x0123}, 0x0011'2233u);
  expect(prmt, {0x0000'0080u, 0, 0x8880}, 0xffff'ff80u);
  expect(prmt, {0x0000'9910u, 0, 0x9910}, 0xffff'9910u);
}

TEST(BitOps, LogicOnNarrowRegistersLeavesZerosAbove) {
  expect({.op = LaneOp::kNot, .type = Type::kB16}, {0}, 0xffff);
  expect({.op = LaneOp::kCnot, .type = Type::kB32}, {0}, 1);
  expect({.op = LaneOp::kCnot, .type = Type::kB64}, {0x1'0000'0000u}, 0);
  expect({.op = LaneOp::kXor, .type = Type::kB64}, {kOnes64, 1}, kOnes64 - 1);
}

}  // namespace
}  // namespace heddle::isa::test::integer_test
