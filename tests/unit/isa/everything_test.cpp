// Every operation find_lane_fn() knows, with every modifier it accepts, on every level this machine can run,
// against the scalar reference, on special values and random bits, with full and partial masks.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "unit/isa/reference.h"
#include "unit/isa/samples.h"

namespace heddle::isa::test::everything_test {
namespace {

constexpr unsigned kLastOp = static_cast<unsigned>(LaneOp::kParam);
constexpr unsigned kLastType = static_cast<unsigned>(Type::kF64);
constexpr unsigned kLastCompare = static_cast<unsigned>(Compare::kNan);
constexpr unsigned kLastRounding = static_cast<unsigned>(Rounding::kRna);

/// The modifiers an operation can have at all; the others stay at their defaults.
std::vector<LaneSpec> specs_of(LaneOp op) {
  const bool compares = op == LaneOp::kSetp || op == LaneOp::kSet;
  const bool two_types = op == LaneOp::kCvt || op == LaneOp::kSet || op == LaneOp::kSlct ||
                         op == LaneOp::kDp4a || op == LaneOp::kDp2aLo || op == LaneOp::kDp2aHi ||
                         op == LaneOp::kCvtPack || op == LaneOp::kCvtPack8 || op == LaneOp::kCvtPair;
  const bool combines = compares || op == LaneOp::kLop3Pred;
  const bool carries = op == LaneOp::kAdd || op == LaneOp::kSub || op == LaneOp::kMad ||
                       op == LaneOp::kMadHi || (op >= LaneOp::kAddc && op <= LaneOp::kMadcHi);
  const bool votes = (op >= LaneOp::kVoteAll && op <= LaneOp::kBallot) || op == LaneOp::kElect;
  const bool shuffles = op >= LaneOp::kShflIdx && op <= LaneOp::kShflBfly;
  const bool registers = op == LaneOp::kCvt || op == LaneOp::kParam;
  const bool rounds = (op >= LaneOp::kAdd && op <= LaneOp::kDiv) ||
                      (op >= LaneOp::kCvt && op <= LaneOp::kTanh) || op == LaneOp::kCvtF16x2 ||
                      op == LaneOp::kCvtPair;
  const bool clamps = op == LaneOp::kFma || op == LaneOp::kCvt || op == LaneOp::kCvtPair;
  const bool extremes = op == LaneOp::kMin || op == LaneOp::kMax;
  const bool shifts =
      op == LaneOp::kShfL || op == LaneOp::kShfR || op == LaneOp::kSzext || op == LaneOp::kBmsk;
  std::vector<LaneSpec> specs;
  LaneSpec s;
  s.op = op;
  const auto each = [](bool enabled, unsigned last, auto body) {
    for (unsigned i = 0; i <= (enabled ? last : 0); ++i) body(i);
  };
  for (unsigned type = 0; type <= kLastType; ++type) {
    s.type = static_cast<Type>(type);
    each(two_types, kLastType, [&](unsigned src) {
      s.src_type = static_cast<Type>(src);
      each(compares, kLastCompare, [&](unsigned compare) {
        s.compare = static_cast<Compare>(compare);
        each(combines, 3, [&](unsigned combine) {
          s.combine = static_cast<Combine>(combine);
          each(rounds, kLastRounding, [&](unsigned rounding) {
            s.rounding = static_cast<Rounding>(rounding);
            each(op == LaneOp::kTestp, 5, [&](unsigned property) {
              s.property = static_cast<TestProperty>(property);
              each(true, carries || votes || shuffles ? 31 : 15, [&](unsigned flags) {
                s.carry_out = carries && (flags & 16u) != 0;
                s.member_mask = (votes || shuffles) && (flags & 16u) != 0;
                s.ftz = (flags & 1u) != 0;
                s.sat = (flags & 2u) != 0;
                s.approx = (flags & 4u) != 0;
                s.clamp = (flags & 8u) != 0;
                if ((s.approx && op != LaneOp::kDiv && op != LaneOp::kRcp && op != LaneOp::kSqrt) ||
                    (s.clamp && !shifts))
                  return;
                each(clamps || extremes, 3, [&](unsigned more) {
                  s.relu = clamps && (more & 1u) != 0;
                  s.satfinite = clamps && (more & 2u) != 0;
                  s.nan = extremes && (more & 1u) != 0;
                  s.xorsign = extremes && (more & 2u) != 0;
                  each(registers, 7, [&](unsigned widths) {
                    constexpr std::array<std::uint8_t, 4> kWidths{0, 16, 32, 64};
                    s.dst_bits = kWidths[widths & 3u];
                    s.src_bits = op == LaneOp::kCvt && (widths & 4u) != 0 ? 64 : 0;
                    if (op == LaneOp::kParam && (widths & 4u) != 0) return;
                    specs.push_back(s);
                  });
                });
              });
            });
          });
        });
      });
    });
  }
  return specs;
}

/// Modifiers must not be ignored silently: .sat, .ftz and rounding must be refused on types without them. The
/// reference would not notice, so this lists the modifiers that PTX has.
bool exists_in_ptx(const LaneSpec& s) {
  const bool half = (s.type >= Type::kF16 && s.type <= Type::kBf16x2);
  const bool scalar_float = s.type == Type::kF32 || s.type == Type::kF64 || half;
  const bool cvt = s.op == LaneOp::kCvt || s.op == LaneOp::kCvtF16x2 || s.op == LaneOp::kCvtPair;
  if (!cvt && !scalar_float && (s.rounding != Rounding::kDefault || s.approx)) return false;
  if (!cvt && s.op != LaneOp::kSet && s.op != LaneOp::kSlct && s.ftz && s.type != Type::kF32 && !half)
    return s.type == Type::kF64 && (s.op == LaneOp::kRsqrt || (s.op == LaneOp::kRcp && s.approx));
  if ((s.dst_bits != 0 && s.dst_bits <= bits_of(s.type)) ||
      (s.src_bits != 0 && s.src_bits <= bits_of(s.src_type)))
    return false;
  return true;
}

/// One lane's destinations are correct; inactive lanes keep their old values.
std::string mistake(const LaneSpec& spec, const Warp& in, const Warp& out, unsigned lane) {
  const Shape shape = shape_of(spec);
  const bool on = ((in.mask >> lane) & 1u) != 0;
  const bool predicate = shape.dst == Kind::kPredicate;
  const std::uint64_t cell_mask = shape.dst == Kind::kRow64 ? ~std::uint64_t{0} : 0xffff'ffffu;
  const std::uint64_t actual = predicate ? (out.dst_predicate[0] >> lane) & 1u : out.dst[lane];
  Expected expected{predicate ? (in.dst_predicate[0] >> lane) & 1u : in.dst[lane] & cell_mask, 0};
  bool second = ((in.dst_predicate[1] >> lane) & 1u) != 0;
  if (on) {
    const std::optional<Expected> reference = expected_lane(spec, in, lane);
    if (!reference) return "the reference does not know " + describe(spec);
    expected = *reference;
    if (shape.second_predicate) second = expected_second(spec, in, lane);
  }
  const auto hex = [](std::uint64_t v) {
    char text[20];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(v));
    return std::string(text);
  };
  const std::string operands = " lane " + std::to_string(lane) + (on ? " of " : " (inactive) of ") +
                               hex(in.src[0][lane]) + " " + hex(in.src[1][lane]) + " " +
                               hex(in.src[2][lane]) + " " + hex(in.src[3][lane]);
  if (!close_enough(expected, actual & (predicate ? 1u : cell_mask), shape.dst == Kind::kRow64))
    return describe(spec) + operands + ": expected " + hex(expected.value) + ", got " + hex(actual);
  if (shape.second_predicate && second != (((out.dst_predicate[1] >> lane) & 1u) != 0))
    return describe(spec) + operands + ": second destination should be " + (second ? "1" : "0");
  return {};
}

class EveryOperation : public testing::TestWithParam<unsigned> {};

TEST_P(EveryOperation, MatchesTheReferenceOnEveryLevel) {
  const auto op = static_cast<LaneOp>(GetParam());
  unsigned known = 0;
  for (const LaneSpec& spec : specs_of(op)) {
    const LaneFn baseline = find_lane_fn_at(LaneLevel::kBaseline, spec);
    if (baseline == nullptr || !exists_in_ptx(spec)) continue;
    ++known;
    Samples samples(GetParam() * 1000 + known);
    const unsigned rounds = op == LaneOp::kLop3 || op == LaneOp::kLop3Pred                    ? 256
                            : op >= LaneOp::kVideo && op <= LaneOp::kVideoMad                 ? 512
                            : op == LaneOp::kCvt || op == LaneOp::kSet || op == LaneOp::kSetp ? 8
                                                                                              : 64;
    for (unsigned round = 0; round < rounds; ++round) {
      const Warp in = random_warp(spec, samples, round);
      const Warp first = run(baseline, spec, in);
      for (unsigned lane = 0; lane < kWarp; ++lane) {
        const std::string text = mistake(spec, in, first, lane);
        ASSERT_TRUE(text.empty()) << text;
      }
      for (const LaneLevel level : kLaneLevels) {
        if (!lane_level_supported(level)) continue;
        const LaneFn fn = find_lane_fn_at(level, spec);
        ASSERT_NE(fn, nullptr) << describe(spec) << " is missing from " << lane_level_name(level);
        const Warp other = run(fn, spec, in);
        ASSERT_EQ(other.dst, first.dst) << describe(spec) << " differs on " << lane_level_name(level);
        ASSERT_EQ(other.dst_predicate, first.dst_predicate)
            << describe(spec) << " differs on " << lane_level_name(level);
      }
      // add r1, r1, r2: the destination is also a source
      const Shape shape = shape_of(spec);
      for (unsigned k = 0; k < 4; ++k) {
        if (shape.src[k] != shape.dst || shape.dst == Kind::kPredicate || shape.dst == Kind::kParam) continue;
        Warp same = in;
        same.dst = in.src[k];
        const Warp apart = run(find_lane_fn(spec), spec, same);
        ASSERT_EQ(run(find_lane_fn(spec), spec, same, k).dst, apart.dst)
            << describe(spec) << " in place of source " << k;
      }
    }
  }
  EXPECT_GT(known, 0u) << "no form of this operation exists";
  RecordProperty("forms", static_cast<int>(known));
}

std::vector<unsigned> operations() {
  std::vector<unsigned> all;
  for (unsigned op = 0; op <= kLastOp; ++op)
    if (static_cast<LaneOp>(op) != LaneOp::kMma) all.push_back(op);  // matrix_test.cpp
  return all;
}
INSTANTIATE_TEST_SUITE_P(Isa, EveryOperation, testing::ValuesIn(operations()));

TEST(EveryLevel, TheMachinesBestLevelIsTheOneUsed) {
  LaneSpec spec;
  spec.op = LaneOp::kAdd;
  spec.type = Type::kS32;
  const LaneLevel best = *std::find_if(kLaneLevels.rbegin(), kLaneLevels.rend(), lane_level_supported);
  EXPECT_EQ(lane_isa_level(), lane_level_name(best));
  EXPECT_EQ(find_lane_fn(spec), find_lane_fn_at(best, spec));
}

TEST(EveryLevel, UnsupportedCombinationsAreNull) {
  const auto null = [](LaneSpec spec) { return find_lane_fn(spec) == nullptr; };
  EXPECT_TRUE(null({.op = LaneOp::kAdd, .type = Type::kBf16, .ftz = true}));
  EXPECT_TRUE(null({.op = LaneOp::kAdd, .type = Type::kBf16, .relu = true}));
  EXPECT_TRUE(null({.op = LaneOp::kMin, .type = Type::kBf16, .ftz = true}));
  EXPECT_TRUE(null({.op = LaneOp::kMin, .type = Type::kF64, .nan = true}));
  EXPECT_TRUE(null({.op = LaneOp::kFma, .type = Type::kF16, .rounding = Rounding::kRz}));
  EXPECT_TRUE(null({.op = LaneOp::kMul, .type = Type::kU32, .carry_out = true}));
  EXPECT_TRUE(null({.op = LaneOp::kAdd, .type = Type::kF32, .carry_out = true}));
  EXPECT_TRUE(null({.op = LaneOp::kAdd, .type = Type::kU32, .member_mask = true}));
  EXPECT_TRUE(null({.op = LaneOp::kAdd, .type = Type::kB32}));
  EXPECT_TRUE(null({.op = LaneOp::kAdd, .type = Type::kU32, .sat = true}));
  EXPECT_TRUE(null({.op = LaneOp::kMul, .type = Type::kF64, .ftz = true}));
  EXPECT_TRUE(null({.op = LaneOp::kSin, .type = Type::kF64}));
  EXPECT_TRUE(null({.op = LaneOp::kSetp, .type = Type::kB32, .compare = Compare::kLt}));
  EXPECT_TRUE(null({.op = LaneOp::kSetp, .type = Type::kS32, .compare = Compare::kLo}));
  EXPECT_TRUE(null({.op = LaneOp::kSetp, .type = Type::kU32, .compare = Compare::kNan}));
  EXPECT_TRUE(
      null({.op = LaneOp::kCvt, .type = Type::kS32, .src_type = Type::kF32}));  // rounding is mandatory
  EXPECT_TRUE(null({.op = LaneOp::kCvt, .type = Type::kF32, .src_type = Type::kF64}));
  EXPECT_TRUE(null({.op = LaneOp::kMulWide, .type = Type::kU16}));
  EXPECT_TRUE(null({.op = LaneOp::kMov, .type = Type::kB128}));
}

}  // namespace
}  // namespace heddle::isa::test::everything_test
