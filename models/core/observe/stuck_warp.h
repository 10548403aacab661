// What the warps of a launch are doing, in words: of a hang, and of a launch that is ended.
#pragma once

#include <string>
#include <vector>

namespace heddle::core {

/// One warp, in words ready to print.
struct StuckWarp {
  std::string warp;      ///< "core 0, CTA (0,0,0), warp 2"
  std::string lanes;     ///< lanes that are scheduled, as a mask
  std::string activity;  ///< "spin" or "wait at barrier 0 (32 of 64 threads have arrived)"
  std::string place;     ///< file:line (pc) of the loop or barrier
  std::string source;    ///< its PTX line
  struct Waiting {
    std::string lanes;
    std::string how;  ///< "wait to reconverge" or "have not run their side of the branch"
    std::string place;
    std::string source;
  };
  std::vector<Waiting> waiting;  ///< other lanes of the warp that the control-flow mechanism holds back
};

/// Those first whose own lanes hold each other back; one entry of a few lines each.
[[nodiscard]] std::string describe_warps(const std::vector<StuckWarp>& warps);

}  // namespace heddle::core
