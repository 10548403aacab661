// A commit unit reads and writes L2: validation as logs arrive and once more behind hazards, outcomes, why they failed.
#include <algorithm>

#include "tm/commit_unit_model.h"
#include "tm/tx_log.h"

namespace heddle::tm {

void CommitUnitModel::returned(std::uint32_t tag, const std::uint32_t* block) {
  const CommitAccesses::Access& access = accesses_.at(tag);
  Row& row = *access.row;
  for (const CommitAccesses::Access::Word& word : access.words) {
    if (block[word.index] != word.value)
      fails(row, word.lane, access.block + word.index * kWordBytes,
            access.kind == CommitAccesses::Kind::kSecondRead);
    if (observer_ != nullptr)
      observer_->read_returned(row.group.cid_of(word.lane), access.block + word.index * kWordBytes);
  }
  accesses_.ends(tag);
}

void CommitUnitModel::fails(Row& row, unsigned lane, std::uint64_t word, bool again) {
  if (row.failed.test(lane)) return;
  row.failed |= lane_bit(lane);
  const Cid writer = again ? row.ycid : hazards_.writer_of(row, word);
  failures_[std::uint64_t{row.group.core} << 32 | row.group.warp] = {row.group.cid_of(lane), writer, word};
}

const CommitUnitModel::Failure* CommitUnitModel::last_failure(std::uint32_t core, std::uint32_t warp) const {
  const auto known = failures_.find(std::uint64_t{core} << 32 | warp);
  return known == failures_.end() ? nullptr : &known->second;
}

const CommitGroup* CommitUnitModel::group_of(Cid cid) const {
  for (Cid first = cid; first >= rows_.retire_pointer() && first + base::kLanes > cid; --first)
    if (const Row* const live = rows_.find(first)) return &live->group;
  const auto known = std::find_if(retired_.rbegin(), retired_.rend(), [cid](const CommitGroup& group) {
    return cid >= group.base && cid < group.end();
  });
  return known == retired_.rend() ? nullptr : &*known;
}

bool CommitUnitModel::wait_stage() {
  bool happened = false;
  Row* const at = rows_.head(RingStage::kWait);
  if (at == nullptr || comes_again(*at) || (at->next == 0 && at->reading != 0))
    return happened;  // speculative reads are on their way
  Row& r = *at;
  const LaneMask again = LaneMask::difference(r.hazard, r.failed);  // a failure is final ([KiloTM:E5])
  if (again.any()) {
    if (rows_.retire_pointer() <= r.ycid) return happened;
    const LaneMask stored = LaneMask::difference(again, r.read_overflow);
    while (r.next < r.stored_reads) {
      const std::span<const LogWord> words = rows_.gather(r, false, r.next);
      if (!stored.test(words.front().lane)) {
        ++r.next;
        continue;
      }
      const auto count = static_cast<std::uint32_t>(words.size());
      if (++gathering_again_ < (count + config_.gathered_words - 1) / config_.gathered_words) return true;
      gathering_again_ = 0;
      accesses_.add(r, words.data(), count, stored, CommitAccesses::Kind::kSecondRead);
      r.next += count;
      if (r.next < r.stored_reads) return true;
    }
    r.next = r.stored_reads + 1;  // what comes back from L2 is of the second reads
    if (!resent(r, Stage::kRevalidate, again & r.read_overflow, happened)) return happened;
  }
  r.resent = false;
  r.next = 0;
  rows_.advance(RingStage::kWait);
  return true;
}

bool CommitUnitModel::outcome_stage() {
  Row* const at = rows_.head(RingStage::kOutcome);
  if (at == nullptr || at->reading != 0) return false;
  Row& r = *at;
  const LaneMask pass = LaneMask::difference(r.touched, r.failed);
  to_cores_.push_back({CoreMessage::Kind::kLocalOutcome, r.group, r.touched, pass});
  counters_.failed += (r.touched & r.failed).count();
  counters_.second_chances += (r.hazard & pass).count();
  if (observer_ != nullptr)
    r.touched.for_each([&](unsigned lane) { observer_->outcome_sent(r.group.cid_of(lane)); });
  // Reads are not needed any more, and nothing is of those that have failed.
  rows_.decided(r, (pass & r.touched).any());
  rows_.advance(RingStage::kOutcome);
  return true;
}

}  // namespace heddle::tm
