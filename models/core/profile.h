// Profile of one launch by PC, taken only on request; taking it changes no result and no statistic.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/ids.h"

namespace heddle::core {

/// States of an issue group that the profile tells apart: the GroupStatus values (issue_table.h).
inline constexpr unsigned kProfileStates = 8;

struct PcProfile {
  std::uint64_t issues = 0;        ///< warp instructions issued
  std::uint64_t lanes = 0;         ///< lanes that executed, summed over issues
  std::uint64_t divergences = 0;   ///< branches that split their group
  std::uint64_t transactions = 0;  ///< line accesses of memory instructions, after coalescing
  std::uint64_t extra_passes = 0;  ///< further passes of memory instructions (conflicts, uncoalesced)
  /// Group-cycles in which this was the next instruction of a group, by the group's status.
  std::array<std::uint64_t, kProfileStates> waiting{};
};

/// All cores of a GPU add to one.
class KernelProfile {
 public:
  explicit KernelProfile(std::size_t instructions) : by_pc_(instructions) {}
  [[nodiscard]] PcProfile& at(sim::Pc pc) { return by_pc_[pc.value()]; }
  [[nodiscard]] const std::vector<PcProfile>& by_pc() const { return by_pc_; }

 private:
  std::vector<PcProfile> by_pc_;
};

}  // namespace heddle::core
