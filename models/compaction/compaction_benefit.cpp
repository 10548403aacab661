#include "compaction/compaction_benefit.h"

namespace heddle::compaction {

void CompactionBenefit::register_stats(base::StatGroup& stats) {
  stats.counter("path_issues", "warp-instructions", "issued by warps that the compactor made", &issues_);
  stats.counter("path_issues_uncompacted", "warp-instructions",
                "that static warps would have issued instead of them", &static_issues_);
}

void CompactionBenefit::book(const Entry& entry) {
  if (entry.warps == 0) return;
  const std::uint64_t kept = entry.issues * entry.static_warps / entry.warps;
  issues_ += entry.issues;
  static_issues_ += kept;
  if (entry.parted_at == base::kNoPc) return;
  if (entry.parted_at.value() >= by_pc_.size()) by_pc_.resize(entry.parted_at.value() + std::size_t{1});
  by_pc_[entry.parted_at.value()] += {1, entry.warps, entry.static_warps, entry.issues, kept};
}

void CompactionBenefit::inspect(std::vector<simt::PartedPaths>& parted) const { parted = by_pc_; }

}  // namespace heddle::compaction
