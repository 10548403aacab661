// Hand-worked results: one operation, the same operands in every lane, on every level this machine can run.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>

#include "unit/isa/warp.h"

namespace heddle::isa::test {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr std::uint64_t kNan32 = 0x7fc0'0000u;
inline constexpr std::uint64_t kOnes64 = ~std::uint64_t{0};

inline void expect(const LaneSpec& spec, std::initializer_list<std::uint64_t> operands,
                   std::uint64_t result) {
  const Shape shape = shape_of(spec);
  Warp warp;
  unsigned k = 0;
  for (const std::uint64_t v : operands) {
    warp.src[k].fill(v);
    warp.predicate[k] = v != 0 ? 0xffff'ffffu : 0u;
    ++k;
  }
  const bool predicate = shape.dst == Kind::kPredicate;
  for (const LaneLevel level : kLaneLevels) {
    if (!lane_level_supported(level)) continue;
    const LaneFn fn = find_lane_fn_at(level, spec);
    ASSERT_NE(fn, nullptr) << describe(spec);
    for (const std::uint32_t mask : {0xffff'ffffu, 0x8000'0001u}) {
      warp.mask = mask;
      warp.dst.fill(0x5a5a'5a5au);
      warp.dst_predicate = {0, 0};
      const Warp out = run(fn, spec, warp);
      for (const unsigned lane : {0u, 1u, 31u}) {
        const bool on = ((mask >> lane) & 1u) != 0;
        const std::uint64_t actual = predicate ? (out.dst_predicate[0] >> lane) & 1u : out.dst[lane];
        const std::uint64_t untouched = predicate ? 0u : 0x5a5a'5a5au;
        EXPECT_EQ(actual, on ? result : untouched) << std::hex << describe(spec) << " on "
                                                   << lane_level_name(level) << ", lane " << std::dec << lane;
      }
    }
  }
}

}  // namespace heddle::isa::test
