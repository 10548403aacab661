// The builds of the lane functions, one per x86-64 level. Kernels use find_lane_fn() (lane_ops.h); this
// header is for code that needs a particular build: the benchmark and the tests that compare builds.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "isa/lane_ops.h"

namespace heddle::isa {

enum class LaneLevel : std::uint8_t { kBaseline, kV3 };
inline constexpr std::array kLaneLevels{LaneLevel::kBaseline, LaneLevel::kV3};

/// "x86-64", "x86-64-v3"; "baseline" for kBaseline on other machines.
[[nodiscard]] std::string_view lane_level_name(LaneLevel level);
/// Whether this level was built and this machine can run it.
[[nodiscard]] bool lane_level_supported(LaneLevel level);
/// The lane function of that build; nullptr if the operation or the level is not supported.
[[nodiscard]] LaneFn find_lane_fn_at(LaneLevel level, const LaneSpec& spec);

}  // namespace heddle::isa
