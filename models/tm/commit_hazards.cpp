// Hazard detection of a commit unit: who wrote a word last, in the order of ids (tbc-and-kilotm §5.6, E1, E2).
#include <algorithm>

#include "tm/commit_unit_model.h"
#include "tm/tx_log.h"

namespace heddle::tm {

CidWindow CommitUnitModel::window(const Row& row) const {
  // RCIDs are given in ascending order of time: the first that has not passed hazard detection has the oldest.
  const auto oldest =
      std::ranges::find_if(begun_, [this](const auto& begun) { return begun.second >= hazard_; });
  const Cid base = oldest == begun_.end() ? retire_ : oldest->first;
  return {base, rules_.window_ends_here ? row.first : youngest_, config_.stored_bits()};
}

void CommitUnitModel::look_up(Row& row, const LogWord& word) {
  const std::optional<Cid> writer = history_.lookup(word.address / kWordBytes, window(row));
  const Cid since = rules_.hazard_against_rcid ? row.rcid : retire_;
  if (!writer || *writer < since) return;
  if (!row.hazard.test(word.lane)) ++counters_.hazards;
  row.hazard |= lane_bit(word.lane);
  if (*writer >= row.ycid) row.hazard_word = word.address;
  row.ycid = std::max(row.ycid, *writer);
}

void CommitUnitModel::insert(Row& row, const LogWord& word) {
  const Cid cid = row.group.cid_of(word.lane);
  // Earlier words of its own row are somebody's: the window ends behind it.
  history_.insert(word.address / kWordBytes, cid,
                  {window(row).base(), rules_.window_ends_here ? row.first + row.count : youngest_,
                   config_.stored_bits()},
                  retire_);
}

bool CommitUnitModel::resent(Row& row, Stage stage, LaneMask lanes, bool& happened) {
  if (row.resent || lanes.none()) {
    row.resent = false;  // the next stage asks for itself
    return true;
  }
  if (!resend_.active) {
    resend_ = {true, &row, stage, lanes};
    const bool writes = stage == Stage::kHazardWrites || stage == Stage::kCommit;
    to_cores_.push_back(
        {writes ? CoreMessage::Kind::kResendWrites : CoreMessage::Kind::kResendReads, row.group, lanes, {}});
    ++counters_.resends;
    happened = true;
  }
  return false;
}

bool CommitUnitModel::hazard_stage() {
  bool happened = false;
  pass_over(hazard_, youngest_, happened);
  Row* const at = row(hazard_);
  if (at == nullptr || hazard_ >= youngest_ || !at->complete) return happened;
  Row& r = *at;
  ++counters_.hazard_clocks;
  if (!rules_.two_passes) {
    r.lanes.for_each([&](unsigned lane) {
      Row alone = r;
      alone.first = r.group.cid_of(lane);
      for (const LogWord& word : r.reads)
        if (word.lane == lane) look_up(alone, word);
      r.hazard |= alone.hazard;
      r.ycid = std::max(r.ycid, alone.ycid);
      for (const LogWord& word : r.writes)
        if (word.lane == lane) insert(r, word);
    });
    r.next = r.reads.size() + r.writes.size();
  }
  if (!look_for_hazards(r, happened)) return happened;
  r.next = 0;
  hazard_ += r.count;
  while (!begun_.empty() && begun_.front().second < hazard_) begun_.pop_front();
  return true;
}

/// As many words of a row as a clock allows: reads, then writes (E1). Whether that was all.
bool CommitUnitModel::look_for_hazards(Row& r, bool& happened) {
  const LaneMask failed = rules_.failure_is_final ? r.failed : LaneMask{};
  const std::size_t words = r.reads.size() + r.writes.size();
  const LaneMask reads_again = LaneMask::difference(r.read_overflow, failed);
  const LaneMask writes_again = LaneMask::difference(r.write_overflow, failed);
  std::uint32_t budget = config_.hazard_words;
  if (comes_again(r)) return false;
  while (true) {
    if (r.next == r.reads.size() && !r.reads_looked_up) {
      if (!resent(r, Stage::kHazardReads, reads_again, happened)) return false;
      r.reads_looked_up = true;
    }
    if (r.next == words) break;
    if (budget-- == 0) return false;
    happened = true;
    const bool read = r.next < r.reads.size();
    const LogWord& word = read ? r.reads[r.next] : r.writes[r.next - r.reads.size()];
    ++r.next;
    if (((read ? r.read_overflow : r.write_overflow) | failed).test(word.lane)) continue;
    if (read)
      look_up(r, word);
    else
      insert(r, word);
  }
  return resent(r, Stage::kHazardWrites, writes_again, happened);
}

}  // namespace heddle::tm
