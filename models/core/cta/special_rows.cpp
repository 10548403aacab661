#include "core/cta/special_rows.h"

#include <cstddef>
#include <cstring>

namespace heddle::core {

void fill_special_rows(WarpContext& warp, const CtaContext& cta, const LaunchContext& launch,
                       const WarpPlace& place) {
  using isa::SpecialRow;
  const auto set_lane = [&](SpecialRow special, unsigned lane, std::uint32_t value) {
    std::memcpy(warp.special.data() + isa::special_offset(special) + lane * std::size_t{4}, &value, 4);
  };
  const auto set_all = [&](SpecialRow special, std::uint32_t value) {
    for (unsigned lane = 0; lane < kLanes; ++lane) set_lane(special, lane, value);
  };
  const host::Dim3& block = launch.shape.block;
  const host::Dim3& grid = launch.shape.grid;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t thread = warp.warp_in_cta * kLanes + lane;
    set_lane(SpecialRow::kTidX, lane, thread % block.x);
    set_lane(SpecialRow::kTidY, lane, thread / block.x % block.y);
    set_lane(SpecialRow::kTidZ, lane, thread / block.x / block.y);
    set_lane(SpecialRow::kLaneId, lane, lane);
    const std::uint32_t equal = 1u << lane;
    set_lane(SpecialRow::kLanemaskEq, lane, equal);
    set_lane(SpecialRow::kLanemaskLt, lane, equal - 1);
    set_lane(SpecialRow::kLanemaskLe, lane, equal | (equal - 1));
    set_lane(SpecialRow::kLanemaskGt, lane, ~(equal | (equal - 1)));
    set_lane(SpecialRow::kLanemaskGe, lane, ~(equal - 1));
  }
  set_all(SpecialRow::kNtidX, block.x);
  set_all(SpecialRow::kNtidY, block.y);
  set_all(SpecialRow::kNtidZ, block.z);
  set_all(SpecialRow::kCtaidX, cta.id.x);
  set_all(SpecialRow::kCtaidY, cta.id.y);
  set_all(SpecialRow::kCtaidZ, cta.id.z);
  set_all(SpecialRow::kNctaidX, grid.x);
  set_all(SpecialRow::kNctaidY, grid.y);
  set_all(SpecialRow::kNctaidZ, grid.z);
  set_all(SpecialRow::kWarpId, place.slot);
  set_all(SpecialRow::kNwarpId, place.slots);
  set_all(SpecialRow::kSmId, place.core);
  set_all(SpecialRow::kNsmId, launch.cores);
  set_all(SpecialRow::kDynamicSharedSize, launch.shape.dynamic_shared_bytes);
  set_all(SpecialRow::kTotalSharedSize, launch.shared_bytes_per_cta);
  set_all(SpecialRow::kGridIdLow, static_cast<std::uint32_t>(launch.grid_id));
  set_all(SpecialRow::kGridIdHigh, static_cast<std::uint32_t>(launch.grid_id >> 32));
  set_all(SpecialRow::kParamBaseLow, static_cast<std::uint32_t>(launch.param_base));
  set_all(SpecialRow::kParamBaseHigh, static_cast<std::uint32_t>(launch.param_base >> 32));
  set_all(SpecialRow::kGridWorkspaceLow, static_cast<std::uint32_t>(launch.grid_workspace));
  set_all(SpecialRow::kGridWorkspaceHigh, static_cast<std::uint32_t>(launch.grid_workspace >> 32));
}

}  // namespace heddle::core
