// An H100 for tests of what one core does: most of the time of a short run is the making of its 132 cores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "depth.h"

namespace heddle::depth {

/// What is set for case number `index` on a platform: every fourth one meets all cores of an H100, the others twelve; from
/// HEDDLE_TEST_DEPTH=4 on, every one meets all.
[[nodiscard]] inline std::vector<std::string> fewer_cores(std::size_t index, const std::string& platform) {
  const std::vector<std::size_t> ways = turns(index, 4);
  const bool all = std::find(ways.begin(), ways.end(), std::size_t{0}) != ways.end();
  if (platform != "h100" || all) return {};
  return {"cores=12", "dispatch.gpc.tpcs=3 3", "dispatch.gpc.order=0 1"};
}

}  // namespace heddle::depth
