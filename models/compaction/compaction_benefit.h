// What compaction saves, by the instruction that parted the threads. All warps of an entry of the block stack execute the
// same instructions until they arrive: if n were made where k static warps have threads, static warps would have issued
// k / n times as many.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/stats.h"
#include "simt/control_flow_protocol.h"

namespace heddle::compaction {

class CompactionBenefit {
 public:
  void register_stats(base::StatGroup& stats);
  /// Another kernel: what each of its instructions parts begins at 0. The statistics go on.
  void begin_launch() { by_pc_.clear(); }

  /// The warps of an entry have all arrived.
  struct Entry {
    base::Pc parted_at = base::kNoPc;  ///< kNoPc: the threads of the CTA as they were launched
    std::uint64_t static_warps = 0;
    std::uint64_t warps = 0;   ///< made
    std::uint64_t issues = 0;  ///< of these together
  };
  void book(const Entry& entry);
  /// By PC, for a profile.
  void inspect(std::vector<simt::PartedPaths>& parted) const;

 private:
  std::vector<simt::PartedPaths> by_pc_;
  std::uint64_t issues_ = 0, static_issues_ = 0;
};

}  // namespace heddle::compaction
