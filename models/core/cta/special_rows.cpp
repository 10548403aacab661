#include "core/cta/special_rows.h"

#include <cstddef>
#include <cstring>

namespace heddle::core {

namespace {

using isa::SpecialRow;

void set_lane(WarpContext& warp, SpecialRow special, unsigned lane, std::uint32_t value) {
  std::memcpy(warp.special.data() + isa::special_offset(special) + lane * std::size_t{4}, &value, 4);
}

void set_row(WarpContext& warp, SpecialRow special, std::uint32_t value) {
  for (unsigned lane = 0; lane < kLanes; ++lane) set_lane(warp, special, lane, value);
}

}  // namespace

void move_to_cta(WarpContext& warp, const CtaContext& cta, const WarpPlace& place) {
  set_row(warp, SpecialRow::kCtaidX, cta.id.x);
  set_row(warp, SpecialRow::kCtaidY, cta.id.y);
  set_row(warp, SpecialRow::kCtaidZ, cta.id.z);
  set_row(warp, SpecialRow::kWarpId, place.slot);
  set_row(warp, SpecialRow::kSmId, place.core);
}

void fill_special_rows(WarpContext& warp, const CtaContext& cta, const LaunchContext& launch,
                       const WarpPlace& place) {
  const host::Dim3& block = launch.shape.block;
  const host::Dim3& grid = launch.shape.grid;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t thread = warp.warp_in_cta * kLanes + lane;
    set_lane(warp, SpecialRow::kTidX, lane, thread % block.x);
    set_lane(warp, SpecialRow::kTidY, lane, thread / block.x % block.y);
    set_lane(warp, SpecialRow::kTidZ, lane, thread / block.x / block.y);
    set_lane(warp, SpecialRow::kLaneId, lane, lane);
    const std::uint32_t equal = 1u << lane;
    set_lane(warp, SpecialRow::kLanemaskEq, lane, equal);
    set_lane(warp, SpecialRow::kLanemaskLt, lane, equal - 1);
    set_lane(warp, SpecialRow::kLanemaskLe, lane, equal | (equal - 1));
    set_lane(warp, SpecialRow::kLanemaskGt, lane, ~(equal | (equal - 1)));
    set_lane(warp, SpecialRow::kLanemaskGe, lane, ~(equal - 1));
  }
  move_to_cta(warp, cta, place);
  set_row(warp, SpecialRow::kNtidX, block.x);
  set_row(warp, SpecialRow::kNtidY, block.y);
  set_row(warp, SpecialRow::kNtidZ, block.z);
  set_row(warp, SpecialRow::kNctaidX, grid.x);
  set_row(warp, SpecialRow::kNctaidY, grid.y);
  set_row(warp, SpecialRow::kNctaidZ, grid.z);
  set_row(warp, SpecialRow::kNwarpId, place.slots);
  set_row(warp, SpecialRow::kNsmId, launch.cores);
  set_row(warp, SpecialRow::kDynamicSharedSize, launch.shape.dynamic_shared_bytes);
  set_row(warp, SpecialRow::kTotalSharedSize, launch.shared_bytes_per_cta);
  set_row(warp, SpecialRow::kGridIdLow, static_cast<std::uint32_t>(launch.grid_id));
  set_row(warp, SpecialRow::kGridIdHigh, static_cast<std::uint32_t>(launch.grid_id >> 32));
  set_row(warp, SpecialRow::kParamBaseLow, static_cast<std::uint32_t>(launch.param_base));
  set_row(warp, SpecialRow::kParamBaseHigh, static_cast<std::uint32_t>(launch.param_base >> 32));
  set_row(warp, SpecialRow::kGridWorkspaceLow, static_cast<std::uint32_t>(launch.grid_workspace));
  set_row(warp, SpecialRow::kGridWorkspaceHigh, static_cast<std::uint32_t>(launch.grid_workspace >> 32));
}

}  // namespace heddle::core
