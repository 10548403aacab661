// mma.sync and movmatrix: operations on matrices that a warp holds in fragments (isa/matrix.h, which has the layouts and the
// numerics). All lanes take part, whatever the mask: PTX leaves the result open if one is missing.
#include "isa/matrix.h"
#include "isa/double_sign.h"

#include "isa/lane/narrow.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {
namespace {

constexpr unsigned kMaxRows = 16;
constexpr unsigned kMaxDepth = 32;
constexpr unsigned kColumns = 8;

/// significand * 2^(exponent - fraction bits); `exponent` is that of the leading position, of subnormals too.
struct Factor {
  std::int32_t significand = 0;
  std::int32_t exponent = 0;
  bool special = false;  ///< infinity or NaN: `value` says which
  double value = 0;
};

template <class F>
HEDDLE_INLINE Factor factor_of(std::uint32_t bits) {
  Factor factor;
  const auto exponent = static_cast<std::int32_t>(bits >> F::kMantissaBits & F::kExponentMask);
  const auto mantissa = static_cast<std::int32_t>(bits & F::kMantissaMask);
  factor.value = F::value(bits);
  factor.special = !(magnitude(factor.value) < from_bits(FloatFormat<double>::kInfinity));
  const std::int32_t whole = exponent != 0 ? mantissa | 1 << F::kMantissaBits : mantissa;
  // All with 10 fraction bits, so that products have 20.
  const std::int32_t scaled = whole << (10 - F::kMantissaBits);
  factor.significand = (bits & F::kSign) != 0 ? -scaled : scaled;
  factor.exponent = (exponent != 0 ? exponent : 1) - F::kBias;
  return factor;
}

HEDDLE_INLINE Factor element(Type type, std::uint32_t reg, unsigned index) {
  switch (type) {
    case Type::kF16:
      return factor_of<HalfFormat>(reg >> 16 * index & 0xffffu);
    case Type::kBf16:
      return factor_of<Bf16Format>(reg >> 16 * index & 0xffffu);
    case Type::kTf32:
      return factor_of<Tf32Format>(reg >> 13);
    case Type::kE4m3:
      return factor_of<E4m3Format>(reg >> 8 * index & 0xffu);
    case Type::kE5m2:
      return factor_of<E5m2Format>(reg >> 8 * index & 0xffu);
    case Type::kS8:
      return {static_cast<std::int32_t>(reg >> 8 * index << 24) >> 24, 0, false, 0};
    default:  // u8
      return {static_cast<std::int32_t>(reg >> 8 * index & 0xffu), 0, false, 0};
  }
}

/// A summand: value = significand * 2^(exponent - fraction).
struct Summand {
  std::int64_t significand;
  std::int32_t exponent;
  unsigned fraction;
};

HEDDLE_INLINE std::int64_t aligned(const Summand& s, std::int32_t largest, unsigned fraction) {
  const std::int32_t shift =
      s.exponent - largest + static_cast<std::int32_t>(fraction) - static_cast<std::int32_t>(s.fraction);
  const std::int64_t m = s.significand < 0 ? -s.significand : s.significand;
  const std::int64_t moved = shift >= 0 ? m << shift : shift <= -63 ? 0 : m >> -shift;
  return s.significand < 0 ? -moved : moved;
}

/// sum * 2^exponent as an f32, truncated.
HEDDLE_INLINE float truncated(std::int64_t sum, std::int32_t exponent) {
  if (sum == 0) return 0.0f;
  const std::uint64_t m = sum < 0 ? static_cast<std::uint64_t>(-sum) : static_cast<std::uint64_t>(sum);
  const std::uint32_t sign = sum < 0 ? FloatFormat<float>::kSign : 0u;
  const int top = 63 - __builtin_clzll(m);
  const std::int32_t own = top + exponent;  // of the leading bit
  if (own > 127) return from_bits(sign | FloatFormat<float>::kInfinity);
  const std::int32_t unit = (own < -126 ? -126 : own) - 23;
  const std::int32_t shift = exponent - unit;
  const std::uint64_t units = shift >= 0 ? m << shift : shift <= -63 ? 0 : m >> -shift;
  const std::uint32_t base = static_cast<std::uint32_t>((own < -126 ? -126 : own) + 126) << 23;
  return from_bits(sign | (base + static_cast<std::uint32_t>(units)));
}

HEDDLE_INLINE Summand accumulator(float c) {
  const std::uint32_t bits = bits_of(c);
  const auto exponent = static_cast<std::int32_t>(bits >> 23 & 0xffu);
  const auto mantissa = static_cast<std::int64_t>(bits & 0x007f'ffffu);
  const std::int64_t m = exponent != 0 ? mantissa | 0x0080'0000 : mantissa;
  return {(bits & FloatFormat<float>::kSign) != 0 ? -m : m, (exponent != 0 ? exponent : 1) - 127, 23};
}

/// One block: `count` products and the accumulator. A half accumulator is a float here, too, rounded by the caller.
struct BlockSum {
  bool special = false;
  double value = 0;  ///< special
  std::int64_t sum = 0;
  std::int32_t exponent = 0;    ///< of the sum's last bit
  bool negative_zeros = false;  ///< all summands are -0
};
HEDDLE_INLINE BlockSum block_sum(const Factor* a, const Factor* b, unsigned count, float c,
                                 unsigned fraction) {
  BlockSum result;
  const bool c_special = !(magnitude(c) < from_bits(FloatFormat<float>::kInfinity));
  bool special = c_special;
  for (unsigned i = 0; i < count; ++i) special = special || a[i].special || b[i].special;
  if (special) {
    double sum = c_special ? static_cast<double>(c) : 0.0;
    for (unsigned i = 0; i < count; ++i)
      if (a[i].special || b[i].special) sum += a[i].value * b[i].value;
    result.special = true;
    result.value = sum;
    return result;
  }
  const Summand own = accumulator(c);
  std::int32_t largest = own.significand != 0 ? own.exponent : -1000;
  bool zeros = own.significand == 0 && (bits_of(c) & FloatFormat<float>::kSign) != 0;
  for (unsigned i = 0; i < count; ++i) {
    const std::int32_t exponent = a[i].exponent + b[i].exponent;
    if (a[i].significand != 0 && b[i].significand != 0 && exponent > largest) largest = exponent;
    const bool negative = ((bits_of(a[i].value) ^ bits_of(b[i].value)) & FloatFormat<double>::kSign) != 0;
    zeros = zeros && (a[i].significand == 0 || b[i].significand == 0) && negative;
  }
  std::int64_t sum = own.significand != 0 ? aligned(own, largest, fraction) : 0;
  for (unsigned i = 0; i < count; ++i) {
    const Summand product{std::int64_t{a[i].significand} * b[i].significand, a[i].exponent + b[i].exponent,
                          20};
    if (product.significand != 0) sum += aligned(product, largest, fraction);
  }
  result.sum = sum;
  result.exponent = largest - static_cast<std::int32_t>(fraction);
  result.negative_zeros = zeros;
  return result;
}

HEDDLE_INLINE float single_of(const BlockSum& sum) {
  if (sum.special) return canonical(static_cast<float>(sum.value));
  if (sum.sum == 0) return sum.negative_zeros ? -0.0f : 0.0f;
  return truncated(sum.sum, sum.exponent);
}
HEDDLE_INLINE std::uint32_t half_of(const BlockSum& sum) {
  if (sum.special) return HalfFormat::round<Rounding::kRn>(sum.value, false);
  if (sum.sum == 0) return sum.negative_zeros ? HalfFormat::kSign : 0u;
  // The sum has fewer than 53 bits: products of f16 lie above 2^-48.
  const double scale = from_bits(static_cast<std::uint64_t>(1023 + sum.exponent) << 52);
  return HalfFormat::round<Rounding::kRn>(static_cast<double>(sum.sum) * scale, false);
}

struct Fragments {
  Factor a[kMaxRows][kMaxDepth];
  Factor b[kColumns][kMaxDepth];  ///< by column
};

void read_fragments(const LaneArgs& args, const MatrixProduct& shape, Fragments& f) {
  const unsigned per = shape.per_register();
  const unsigned halves = shape.m / 8;
  for (unsigned s = 0; s < shape.steps(); ++s)
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned group = lane / 4;
      const unsigned column = 4 * per * s + lane % 4 * per;
      const std::uint32_t b = source<U32>(args, shape.a_registers() + s)[lane];
      for (unsigned e = 0; e < per; ++e) f.b[group][column + e] = element(shape.b, b, e);
      for (unsigned h = 0; h < halves; ++h) {
        const std::uint32_t a = source<U32>(args, halves * s + h)[lane];
        for (unsigned e = 0; e < per; ++e) f.a[group + 8 * h][column + e] = element(shape.a, a, e);
      }
    }
}

std::uint32_t integer_product(const Fragments& f, const MatrixProduct& shape, unsigned row, unsigned column,
                              std::uint32_t c) {
  std::int64_t sum = static_cast<std::int32_t>(c);
  for (unsigned k = 0; k < shape.k; ++k)
    sum += std::int64_t{f.a[row][k].significand} * f.b[column][k].significand;
  if (!shape.satfinite) return static_cast<std::uint32_t>(static_cast<std::uint64_t>(sum));
  const std::int64_t clamped = sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum;
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(clamped));
}

/// One element of D; c and the result as bits of the type of D.
std::uint32_t product(const Fragments& f, const MatrixProduct& shape, unsigned row, unsigned column,
                      std::uint32_t c) {
  if (shape.d == Type::kS32) return integer_product(f, shape, row, column, c);
  const bool half = shape.d == Type::kF16;
  const unsigned fraction = 23 + shape.extra_bits;
  std::uint32_t result = c;
  for (unsigned k = 0; k < shape.k; k += shape.block) {
    const unsigned count = shape.k - k < shape.block ? shape.k - k : shape.block;
    const float before = half ? static_cast<float>(HalfFormat::value(result)) : from_bits(result);
    const BlockSum sum = block_sum(f.a[row] + k, f.b[column] + k, count, before, fraction);
    result = half ? half_of(sum) : bits_of(single_of(sum));
  }
  return result;
}

constexpr std::uint64_t kDoubleSign = std::uint64_t{1} << 63;

/// A row of doubles, or a pair of rows.
void read_doubles(const LaneArgs& args, unsigned number, bool pairs, double* to) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!pairs) {
      to[lane] = source<F64>(args, number)[lane];
      continue;
    }
    const std::uint64_t low = source<U32>(args, 2 * number)[lane];
    to[lane] = from_bits(low | std::uint64_t{source<U32>(args, 2 * number + 1)[lane]} << 32);
  }
}
void write_words(const LaneArgs& args, unsigned number, const double* values, unsigned shift) {
  if (args.dst[number] == nullptr) return;
  auto* to = static_cast<CellU32*>(__builtin_assume_aligned(args.dst[number], 64));
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((args.mask >> lane & 1u) != 0) to[lane] = static_cast<std::uint32_t>(bits_of(values[lane]) >> shift);
}

/// The signs of machine code (DoubleSign).
void sign_doubles(const LaneArgs& args, DoubleSign absolute, DoubleSign negated, double* of) {
  const auto has = [&](DoubleSign bit) {
    return bit != DoubleSign::kNone && (args.immediate >> static_cast<unsigned>(bit) & 1u) != 0;
  };
  const std::uint64_t keep = has(absolute) ? ~kDoubleSign : ~std::uint64_t{0};
  const std::uint64_t flip = has(negated) ? kDoubleSign : 0;
  for (unsigned lane = 0; lane < 32; ++lane) of[lane] = from_bits((bits_of(of[lane]) & keep) ^ flip);
}

void mma_double(const LaneArgs& args, bool pairs) {
  double a[32];
  double b[32];
  double c[2][32];
  read_doubles(args, 0, pairs, a);
  read_doubles(args, 1, pairs, b);
  read_doubles(args, 2, pairs, c[0]);
  read_doubles(args, 3, pairs, c[1]);
  if (args.immediate >> kDoubleSigns != 0) {
    sign_doubles(args, DoubleSign::kAbsoluteA, DoubleSign::kNegateProduct, a);
    sign_doubles(args, DoubleSign::kAbsoluteB, DoubleSign::kNone, b);
    sign_doubles(args, DoubleSign::kAbsoluteC, DoubleSign::kNegateC, c[0]);
    sign_doubles(args, DoubleSign::kAbsoluteC, DoubleSign::kNegateC, c[1]);
  }
  double d[2][32];
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 2; ++i) {
      double sum = c[i][lane];
      for (unsigned k = 0; k < 4; ++k) {
        const double x = a[lane / 4 * 4 + k];
        const double y = b[(lane % 4 * 2 + i) * 4 + k];
        const double next = __builtin_fma(x, y, sum);
        sum = next == next ? next : from_bits(FloatFormat<double>::kNan);
      }
      d[i][lane] = sum;
    }
  for (unsigned i = 0; i < 2; ++i) {
    if (pairs) {
      write_words(args, 2 * i, d[i], 0);
      write_words(args, 2 * i + 1, d[i], 32);
      continue;
    }
    if (args.dst[i] == nullptr) continue;
    auto* to = static_cast<CellF64*>(__builtin_assume_aligned(args.dst[i], 64));
    for (unsigned lane = 0; lane < 32; ++lane)
      if ((args.mask >> lane & 1u) != 0) to[lane] = d[i][lane];
  }
}

void mma(const LaneArgs& args) {
  const MatrixProduct shape = MatrixProduct::unpack(args.immediate);
  if (shape.a == Type::kF64) return mma_double(args, shape.pairs);
  Fragments f;
  read_fragments(args, shape, f);
  const unsigned first = shape.a_registers() + shape.b_registers();
  const unsigned halves = shape.m / 8;
  std::uint32_t d[4][32];
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned h = 0; h < halves; ++h) {
      const unsigned row = lane / 4 + 8 * h;
      const unsigned column = lane % 4 * 2;
      if (shape.d == Type::kF16) {
        const std::uint32_t c = source<U32>(args, first + h)[lane];
        d[h][lane] = product(f, shape, row, column, c & 0xffffu) | product(f, shape, row, column + 1, c >> 16)
                                                                       << 16;
        continue;
      }
      for (unsigned i = 0; i < 2; ++i)
        d[2 * h + i][lane] = product(f, shape, row, column + i, source<U32>(args, first + 2 * h + i)[lane]);
    }
  for (unsigned i = 0; i < shape.c_registers(); ++i) {
    if (args.dst[i] == nullptr) continue;
    auto* to = static_cast<CellU32*>(__builtin_assume_aligned(args.dst[i], 64));
    for (unsigned lane = 0; lane < 32; ++lane)
      if ((args.mask >> lane & 1u) != 0) to[lane] = d[i][lane];
  }
}

/// Row g of the matrix is in the lanes of group g, two elements each.
void transpose(const LaneArgs& args) {
  std::uint32_t a[32];
  __builtin_memcpy(a, args.src[0], sizeof a);
  const auto at = [&](unsigned row, unsigned column) {
    return a[row * 4 + column / 2] >> column % 2 * 16 & 0xffffu;
  };
  std::uint32_t d[32];
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned row = lane / 4;
    const unsigned column = lane % 4 * 2;
    d[lane] = at(column, row) | at(column + 1, row) << 16;
  }
  each_lane<U32>(args, [&](unsigned i) { return d[i]; });
}

}  // namespace

LaneFn find_matrix(const LaneSpec& spec) {
  if (spec.op == LaneOp::kMma) return mma;
  return spec.op == LaneOp::kMovMatrix && spec.type == Type::kB16 ? transpose : nullptr;
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
