// Tables of MUFU: segments of a function, and the coefficients of the quadratic polynomial that stands for it there.
#pragma once

#include <cstdint>

namespace heddle::isa::mufu {

/// f(start + x) is c0 + c1 x + c2 x^2, each at an alignment of the function's own (functions.h).
struct Segment {
  std::uint32_t c0;  ///< f(start)
  std::int32_t c1;   ///< f'(start)
  std::int32_t c2;   ///< f''(start) / 2
};

// By the leading bits of the fraction; of the square root and its reciprocal, [1, 2) and then [2, 4).
extern const Segment kRcpSegments[128];
extern const Segment kRsqSegments[128];
extern const Segment kSqrtSegments[128];
extern const Segment kEx2Segments[64];   ///< 2^x, x in [0, 1)
extern const Segment kLg2Segments[64];   ///< log2(1 + x)
extern const Segment kSinSegments[64];   ///< sin(x pi / 2), x in [0, 1)
extern const Segment kTanhSegments[64];  ///< [2^-8, 8), binade by binade

/// A binade of tanh.
struct TanhBinade {
  std::uint32_t first;       ///< segment
  std::uint32_t index_bits;  ///< leading bits of the fraction that choose the segment
  std::uint32_t weight;      ///< bits of the sum behind the point
};
constexpr std::uint32_t kTanhFirstExponent = 127 - 8;  ///< biased; below it tanh(x) is x
constexpr std::uint32_t kTanhOneExponent = 127 + 3;    ///< from here on it is 1
extern const TanhBinade kTanhBinades[kTanhOneExponent - kTanhFirstExponent];

}  // namespace heddle::isa::mufu
