// Video instructions, as the PTX ISA's pseudo-code has them: parts of the operands are extended, combined,
// clamped, and then added to, compared with or merged into c. Intermediate results are exact.
#include "isa/video.h"
#include "isa/lane/lanes.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

using namespace video_bits;

HEDDLE_INLINE std::uint32_t field(std::uint64_t control, unsigned position, unsigned width) {
  return static_cast<std::uint32_t>(control >> position) & ((1u << width) - 1u);
}
HEDDLE_INLINE bool flag(std::uint64_t control, unsigned position) {
  return ((control >> position) & 1u) != 0;
}

/// The lowest `width` bits, extended.
HEDDLE_INLINE std::int64_t extended(std::uint64_t bits, unsigned width, bool is_signed_value) {
  const unsigned above = 64 - width;
  return is_signed_value ? static_cast<std::int64_t>(bits << above) >> above
                         : static_cast<std::int64_t>(bits << above >> above);
}

template <class T>
HEDDLE_INLINE T clamped(T value, unsigned width, bool is_signed_value) {
  const T largest = (T{1} << (is_signed_value ? width - 1 : width)) - 1;
  const T smallest = is_signed_value ? -(T{1} << (width - 1)) : 0;
  return value < smallest ? smallest : value > largest ? largest : value;
}

HEDDLE_INLINE bool compares(std::uint32_t how, std::int64_t a, std::int64_t b) {
  switch (static_cast<VideoCompare>(how)) {
    case VideoCompare::kEq:
      return a == b;
    case VideoCompare::kNe:
      return a != b;
    case VideoCompare::kLt:
      return a < b;
    case VideoCompare::kLe:
      return a <= b;
    case VideoCompare::kGt:
      return a > b;
    default:
      return a >= b;
  }
}

HEDDLE_INLINE std::int64_t operated(std::uint64_t control, std::int64_t a, std::int64_t b) {
  switch (static_cast<VideoOp>(field(control, kOp, 3))) {
    case VideoOp::kAdd:
      return a + b;
    case VideoOp::kSub:
      return a - b;
    case VideoOp::kAbsDiff:
      return a > b ? a - b : b - a;
    case VideoOp::kMin:
      return a < b ? a : b;
    case VideoOp::kMax:
      return a > b ? a : b;
    case VideoOp::kAverage:  // rounds halves away from zero
      return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    default:
      return compares(field(control, kCompare, 3), a, b) ? 1 : 0;
  }
}

// --- scalar instructions

HEDDLE_INLINE unsigned part_width(std::uint32_t part) { return part < 4 ? 8 : part < 6 ? 16 : 32; }
HEDDLE_INLINE unsigned part_place(std::uint32_t part) {
  return part < 4 ? 8 * part : part == static_cast<std::uint32_t>(VideoPart::kH1) ? 16 : 0;
}
HEDDLE_INLINE std::int64_t part_of(std::uint32_t word, std::uint32_t part, bool is_signed_value) {
  return extended(word >> part_place(part), part_width(part), is_signed_value);
}

/// The type of d says whether the first result has a sign: of .u32 a negative one is a number above every c.
template <class T>
HEDDLE_INLINE std::uint32_t seconded(std::uint64_t control, T value, std::uint32_t word_c) {
  const T c = extended(word_c, 32, flag(control, kDSigned));
  const bool above = value > c || (value < 0 && !flag(control, kDSigned));
  switch (static_cast<VideoSecond>(field(control, kSecond, 3))) {
    case VideoSecond::kNone:
      return static_cast<std::uint32_t>(value);
    case VideoSecond::kAdd:
      return static_cast<std::uint32_t>(value + c);
    case VideoSecond::kMin:
      return static_cast<std::uint32_t>(above ? c : value);
    case VideoSecond::kMax:
      return static_cast<std::uint32_t>(above ? value : c);
    default: {
      const std::uint32_t part = field(control, kMask, 4);
      const std::uint32_t ones = 0xffff'ffffu >> (32 - part_width(part)) << part_place(part);
      return (static_cast<std::uint32_t>(value) << part_place(part) & ones) | (word_c & ~ones);
    }
  }
}

void video_scalar(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const auto* b = source<U32>(args, 1);
  const auto* c = source<U32>(args, 2);
  const std::uint64_t control = args.immediate;
  each_lane<U32>(args, [=](unsigned i) {
    std::int64_t value = operated(control, part_of(a[i], field(control, kLanesA, 4), flag(control, kASigned)),
                                  part_of(b[i], field(control, kLanesB, 4), flag(control, kBSigned)));
    if (flag(control, kSat))
      value = clamped(value, part_width(field(control, kMask, 4)), flag(control, kDSigned));
    return seconded(control, value, c[i]);
  });
}

void video_shift(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const auto* b = source<U32>(args, 1);
  const auto* c = source<U32>(args, 2);
  const std::uint64_t control = args.immediate;
  each_lane<U32>(args, [=](unsigned i) {
    const std::int64_t from = part_of(a[i], field(control, kLanesA, 4), flag(control, kASigned));
    const auto amount = static_cast<std::uint32_t>(part_of(b[i], field(control, kLanesB, 4), false));
    const std::uint32_t by = flag(control, kShiftWraps) ? amount & 31u : amount > 32 ? 32u : amount;
    Int128 value = flag(control, kShiftRight) ? from >> by : from * (Int128{1} << by);  // up to 65 bits
    if (flag(control, kSat))
      value = clamped(value, part_width(field(control, kMask, 4)), flag(control, kDSigned));
    return seconded(control, value, c[i]);
  });
}

void video_mad(const LaneArgs& args) {
  const auto* a = source<U32>(args, 0);
  const auto* b = source<U32>(args, 1);
  const auto* c = source<U32>(args, 2);
  const std::uint64_t control = args.immediate;
  const bool minus_product = flag(control, kMinusProduct);
  const bool minus_c = flag(control, kMinusC);
  const bool is_signed_result =
      flag(control, kASigned) || flag(control, kBSigned) || minus_product || minus_c;
  const std::uint32_t scale = field(control, kScale, 2);
  const unsigned by = scale == 0 ? 0 : scale == 1 ? 7 : 15;
  each_lane<U32>(args, [=](unsigned i) {
    Int128 sum = Int128{part_of(a[i], field(control, kLanesA, 4), flag(control, kASigned))} *
                 part_of(b[i], field(control, kLanesB, 4), flag(control, kBSigned));
    if (minus_product) sum = -sum;
    // The ISA's pseudo-code complements c as 32 bits and extends that.
    sum += minus_c ? extended(~c[i], 32, true) + 1 : extended(c[i], 32, is_signed_result);
    if (flag(control, kPlusOne)) sum += 1;
    sum >>= by;
    if (flag(control, kSat)) sum = clamped(sum, 32, is_signed_result);
    return static_cast<std::uint32_t>(sum);
  });
}

// --- SIMD instructions

template <unsigned width>
void video_simd(const LaneArgs& args) {
  constexpr unsigned kLanes = 32 / width;
  constexpr std::uint32_t kOnes = (1u << width) - 1u;
  const auto* a = source<U32>(args, 0);
  const auto* b = source<U32>(args, 1);
  const auto* c = source<U32>(args, 2);
  const std::uint64_t control = args.immediate;
  const bool adds = field(control, kSecond, 3) == static_cast<std::uint32_t>(VideoSecond::kAdd);
  each_lane<U32>(args, [=](unsigned i) {
    const std::uint64_t both = static_cast<std::uint64_t>(b[i]) << 32 | a[i];
    std::uint32_t result = c[i];
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (((field(control, kMask, 4) >> lane) & 1u) == 0) continue;
      const std::uint32_t from_a = field(control, kLanesA + 4 * lane, 4) % (2 * kLanes);
      const std::uint32_t from_b = field(control, kLanesB + 4 * lane, 4) % (2 * kLanes);
      std::int64_t value =
          operated(control, extended(both >> (from_a * width), width, flag(control, kASigned)),
                   extended(both >> (from_b * width), width, flag(control, kBSigned)));
      if (flag(control, kSat)) value = clamped(value, width, flag(control, kDSigned));
      const auto bits = static_cast<std::uint32_t>(value);
      result =
          adds ? result + bits : (result & ~(kOnes << (lane * width))) | (bits & kOnes) << (lane * width);
    }
    return result;
  });
}

}  // namespace

LaneFn find_video(const LaneSpec& spec) {
  if (spec.sat || spec.ftz) return nullptr;  // the immediate says it
  switch (spec.op) {
    case LaneOp::kVideo:
      if (spec.type == Type::kU8) return video_simd<8>;
      if (spec.type == Type::kU16) return video_simd<16>;
      return spec.type == Type::kU32 ? video_scalar : nullptr;
    case LaneOp::kVideoShift:
      return spec.type == Type::kU32 ? video_shift : nullptr;
    case LaneOp::kVideoMad:
      return spec.type == Type::kU32 ? video_mad : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
