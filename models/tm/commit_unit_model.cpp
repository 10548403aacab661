#include "tm/commit_unit_model.h"

#include <fmt/format.h>

#include <utility>

#include "tm/tx_log.h"

namespace heddle::tm {

CommitUnitModel::CommitUnitModel(const CommitUnitConfig& config, const CommitBlocks& blocks)
    : config_(config),
      rows_(config_, blocks, counters_),
      hazards_(blocks.hazards, rows_, counters_),
      accesses_(config_, counters_) {}

CommitUnitModel::CommitUnitModel(const CommitUnitConfig& config)
    : config_(config),
      own_blocks_(std::make_unique<PlainCommitBlocks>(config)),
      rows_(config_, own_blocks_->ports(), counters_),
      hazards_(own_blocks_->ports().hazards, rows_, counters_),
      accesses_(config_, counters_) {}

bool CommitUnitModel::final_stage() {
  const Row* const r = rows_.head(RingStage::kFinal);
  if (r == nullptr || (r->finals & r->touched) != r->touched) return false;
  rows_.advance(RingStage::kFinal);
  return true;
}

bool CommitUnitModel::commit_stage() {
  bool happened = false;
  Row* const at = rows_.head(RingStage::kCommit);
  if (at == nullptr || comes_again(*at)) return happened;
  Row& r = *at;
  const LaneMask stored = LaneMask::difference(r.passes, r.write_overflow);
  while (r.next < r.stored_writes) {
    const std::span<const LogWord> words = rows_.gather(r, true, r.next);
    if (!stored.test(words.front().lane)) {
      ++r.next;
      continue;
    }
    const auto count = static_cast<std::uint32_t>(words.size());
    if (++gathering_ < (count + config_.gathered_words - 1) / config_.gathered_words) return true;
    gathering_ = 0;
    accesses_.add(r, words.data(), count, stored, CommitAccesses::Kind::kWrite);
    r.next += count;
    if (r.next < r.stored_writes) return true;
  }
  if (!resent(r, Stage::kCommit, r.passes & r.write_overflow, happened)) return happened;
  r.next = 0;
  rows_.advance(RingStage::kCommit);
  return true;
}

bool CommitUnitModel::retire_stage() {
  bool happened = false;
  bool stepped = false;
  for (Row* at = rows_.head(RingStage::kRetire); at != nullptr; at = rows_.oldest()) {
    Row& r = *at;
    if (!r.skip()) {
      if (stepped || r.writing != 0) return happened;
      stepped = true;
      if (retired_.empty() || retired_.back().base != r.group.base) retired_.push_back(r.group);
      if (retired_.size() > kRemembered) retired_.pop_front();
      to_cores_.push_back({CoreMessage::Kind::kDone, r.group, r.touched, r.passes});
      if (observer_ != nullptr)
        r.touched.for_each([&](unsigned lane) { observer_->retired(r.group.cid_of(lane)); });
    }
    rows_.advance(RingStage::kRetire);
    rows_.free(r);
    happened = true;
  }
  return happened;
}

bool CommitUnitModel::clock(Cycle /*now*/) {
  bool happened = rows_.clock();
  hazards_.clock();
  happened |= retire_stage();
  happened |= commit_stage();
  happened |= final_stage();
  happened |= outcome_stage();
  happened |= wait_stage();
  happened |= hazard_stage();
  happened |= absorb();
  return happened;
}

std::optional<CommitUnitModel::Conflict> CommitUnitModel::conflict() const {
  const Cid waits = rows_.pointer(RingStage::kWait);
  if (waits >= rows_.pointer(RingStage::kHazard)) return std::nullopt;
  const Row* const r = rows_.find(waits);
  if (r == nullptr || r->hazard.none() || rows_.retire_pointer() > r->ycid) return std::nullopt;
  return Conflict{r->first, r->ycid, r->hazard_word};
}

std::optional<std::pair<Cid, Cid>> CommitUnitModel::stands_behind(std::uint32_t core,
                                                                  std::uint32_t warp) const {
  std::optional<Cid> oldest;
  for (Cid cid = rows_.retire_pointer(); cid < rows_.youngest(); ++cid) {
    const Row* const r = rows_.find(cid);
    if (r == nullptr || r->skip()) continue;
    const bool own = r->group.core == core && r->group.warp == warp;
    if (own && cid >= rows_.pointer(RingStage::kOutcome))
      return oldest ? std::optional(std::pair(cid, *oldest)) : std::nullopt;
    if (!own && !oldest) oldest = cid;
  }
  return std::nullopt;
}

std::string CommitUnitModel::describe() const {
  return fmt::format(
      "commit unit: oldest entry {}, youngest {}; stages retire {}, commit {}, final {}, outcome {}, wait "
      "{}, hazard {}",
      rows_.retire_pointer(), rows_.youngest() - 1, rows_.retire_pointer(), rows_.pointer(RingStage::kCommit),
      rows_.pointer(RingStage::kFinal), rows_.pointer(RingStage::kOutcome), rows_.pointer(RingStage::kWait),
      rows_.pointer(RingStage::kHazard));
}

}  // namespace heddle::tm
