// GPC by GPC: CTAs in order, each sweep gives every core one, the cores of a GPC after each other, TPC by TPC. Whether a
// small grid fills a few GPCs or all of them follows from the order of the sweep, which is measured: a kernel whose CTAs
// store %smid.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/cta/cta_dispatch_policy.h"

namespace heddle::core {

/// Keys dispatch.gpc.*
struct GpcDispatchConfig {
  std::string tpcs;
  std::string order;
  std::uint32_t cores_per_tpc = 2;
  void visit(base::ConfigVisitor& v);
};

/// The cores in the order of a sweep. Cores are numbered as %smid does: the first TPC of every GPC, then the second of those
/// that have one, and so on; those of the shape beyond `cores` are left out. Throws base::InputError if it has fewer.
[[nodiscard]] std::vector<std::uint32_t> gpc_sweep(const GpcDispatchConfig& config, std::uint32_t cores);

/// The GPC of each core, by its number in tpcs. Throws as gpc_sweep() does.
[[nodiscard]] std::vector<std::uint32_t> gpc_of_cores(const GpcDispatchConfig& config, std::uint32_t cores);

[[nodiscard]] DispatchPolicy gpc_dispatch();

}  // namespace heddle::core
