// Asynchronous copies of a warp that are under way (cp.async), and the groups that they belong to.
//
// Groups are those of a thread (PTX ISA, cp.async.commit_group). Where the lanes of a warp have taken different ways, each has its
// own count of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/lane_mask.h"
#include "isa/instruction.h"

namespace heddle::core {

using base::kLanes;
using base::LaneMask;

class AsyncCopies {
 public:
  /// A copy begins. `tag` names it among those under way.
  void begin(std::uint32_t tag, LaneMask lanes) { under_way_.push_back({tag, lanes, committed_}); }
  void done(std::uint32_t tag) {
    std::erase_if(under_way_, [tag](const Copy& copy) { return copy.tag == tag; });
  }
  /// What the lanes have copied since their last group is their next one.
  void commit(LaneMask lanes) {
    lanes.for_each([this](unsigned lane) { ++committed_[lane]; });
  }
  /// A copy of one of the lanes is under way that is in none of the lane's last `newest` groups; isa::kAllCopies: any copy.
  [[nodiscard]] bool pending(LaneMask lanes, std::uint64_t newest) const {
    return std::any_of(under_way_.begin(), under_way_.end(), [&](const Copy& copy) {
      bool waits = false;
      (copy.lanes & lanes).for_each([&](unsigned lane) {
        waits = waits || newest == isa::kAllCopies || copy.group[lane] + newest < committed_[lane];
      });
      return waits;
    });
  }
  [[nodiscard]] bool any() const { return !under_way_.empty(); }

 private:
  using Groups = std::array<std::uint32_t, kLanes>;  ///< groups that a lane had committed
  struct Copy {
    std::uint32_t tag = 0;
    LaneMask lanes;
    Groups group;
  };
  Groups committed_{};
  std::vector<Copy> under_way_;
};

}  // namespace heddle::core
