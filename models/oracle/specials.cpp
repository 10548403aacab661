// Names of PTX's special registers.
#include "oracle/specials.h"

#include <array>
#include <cctype>
#include <string_view>
#include <utility>

namespace heddle::oracle {

std::optional<Special> special_named(const std::string& name) {
  static constexpr std::array<std::pair<std::string_view, Special>, 60> kNames{{
      {"%tid.x", Special::kTidX},
      {"%tid.y", Special::kTidY},
      {"%tid.z", Special::kTidZ},
      {"%ntid.x", Special::kNtidX},
      {"%ntid.y", Special::kNtidY},
      {"%ntid.z", Special::kNtidZ},
      {"%ctaid.x", Special::kCtaidX},
      {"%ctaid.y", Special::kCtaidY},
      {"%ctaid.z", Special::kCtaidZ},
      {"%nctaid.x", Special::kNctaidX},
      {"%nctaid.y", Special::kNctaidY},
      {"%nctaid.z", Special::kNctaidZ},
      {"%laneid", Special::kLaneId},
      {"%warpid", Special::kWarpId},
      {"%nwarpid", Special::kNwarpId},
      {"%smid", Special::kZero},
      {"%nsmid", Special::kOne},
      {"%gridid", Special::kZero},
      {"%lanemask_eq", Special::kLanemaskEq},
      {"%lanemask_le", Special::kLanemaskLe},
      {"%lanemask_lt", Special::kLanemaskLt},
      {"%lanemask_ge", Special::kLanemaskGe},
      {"%lanemask_gt", Special::kLanemaskGt},
      {"%clock", Special::kClock},
      {"%clock_hi", Special::kZero},
      {"%clock64", Special::kClock},
      {"%globaltimer", Special::kClock},
      {"%globaltimer_lo", Special::kClock},
      {"%globaltimer_hi", Special::kZero},
      {"%is_explicit_cluster", Special::kZero},
      {"%clusterid.x", Special::kCtaidX},
      {"%nclusterid.x", Special::kNctaidX},
      {"%cluster_ctaid.x", Special::kZero},
      {"%cluster_nctaid.x", Special::kOne},
      {"%clusterid.y", Special::kCtaidY},
      {"%nclusterid.y", Special::kNctaidY},
      {"%cluster_ctaid.y", Special::kZero},
      {"%cluster_nctaid.y", Special::kOne},
      {"%clusterid.z", Special::kCtaidZ},
      {"%nclusterid.z", Special::kNctaidZ},
      {"%cluster_ctaid.z", Special::kZero},
      {"%cluster_nctaid.z", Special::kOne},
      {"%cluster_ctarank", Special::kZero},
      {"%cluster_nctarank", Special::kOne},
      {"%dynamic_smem_size", Special::kDynamicSharedSize},
      {"%total_smem_size", Special::kTotalSharedSize},
      {"%envreg1", Special::kWorkspaceHigh},
      {"%envreg2", Special::kWorkspaceLow},
      {"%tid.w", Special::kZero},
      {"%ctaid.w", Special::kZero},
      {"%ntid.w", Special::kZero},
      {"%nctaid.w", Special::kZero},
      {"%tid", Special::kTidX},
      {"%ntid", Special::kNtidX},
      {"%ctaid", Special::kCtaidX},
      {"%nctaid", Special::kNctaidX},
      {"%current_graph_exec", Special::kZero},
      {"%reserved_smem_offset_begin", Special::kZero},
      {"%reserved_smem_offset_cap", Special::kZero},
      {"%reserved_smem_offset_end", Special::kZero},
  }};
  for (const auto& [word, special] : kNames)
    if (word == name) return special;
  // Performance counters and environment registers read as zero.
  for (const std::string_view prefix : {"%pm", "%envreg"})
    if (name.size() > prefix.size() && name.starts_with(prefix) &&
        std::isdigit(static_cast<unsigned char>(name[prefix.size()])) != 0)
      return Special::kZero;
  return std::nullopt;
}

}  // namespace heddle::oracle
