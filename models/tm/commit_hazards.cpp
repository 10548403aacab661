// The hazard stage of a commit unit ([KiloTM] §4.2.5, §4.4.3, [KiloTM:E1]), and sets that come again because there was no room for them.
#include <algorithm>

#include "tm/commit_unit_model.h"
#include "tm/tx_log.h"

namespace heddle::tm {

bool CommitUnitModel::resent(Row& row, Stage stage, LaneMask lanes, bool& happened) {
  if (row.resent || lanes.none()) {
    row.resent = false;  // the next stage asks for itself
    return true;
  }
  if (resend_.active) return false;
  happened = true;
  ++counters_.resends;
  if (config_.by_warp) {
    resend_ = {true, &row, stage, lanes, {}, {}, 0};
    const bool writes = stage == Stage::kHazardWrites || stage == Stage::kCommit;
    to_cores_.push_back(
        {writes ? CoreMessage::Kind::kResendWrites : CoreMessage::Kind::kResendReads, row.group, lanes, {}});
  } else {
    ask_for_sets(row, stage);
  }
  return false;
}

CommitUnitModel::WantedSets CommitUnitModel::wanted_sets(const Row& row, Stage stage) const {
  const auto any = [](LaneMask lanes) { return lanes.any(); };
  const LaneMask failed = row.failed;
  switch (stage) {
    case Stage::kHazardReads:
      return {row.complete, any(LaneMask::difference(row.read_overflow, failed)),
              any(LaneMask::difference(row.write_overflow, failed))};
    case Stage::kHazardWrites:
      return {row.complete, false, any(LaneMask::difference(row.write_overflow, failed))};
    case Stage::kRevalidate: {
      if (row.first >= rows_.pointer(RingStage::kHazard)) return {false};
      const LaneMask again = LaneMask::difference(row.hazard, failed);
      // A row that has to wait for a transaction of its own warp gets that one's outcome through the same port.
      return {again.none() || rows_.retire_pointer() > row.ycid, any(again & row.read_overflow), false};
    }
    case Stage::kCommit:
      return {(row.finals & row.touched) == row.touched, false, any(row.passes & row.write_overflow)};
  }
  return {false};
}

void CommitUnitModel::ask_for_sets(const Row& row, Stage stage) {
  resend_ = {true, nullptr, stage, {}, {}, {}, row.group.base};
  bool behind = false;
  for (unsigned lane = row.lanes.lowest(); lane < base::kLanes; ++lane) {
    if (!row.group.lanes.test(lane)) continue;
    const Row* const of_lane = rows_.find(row.group.cid_of(lane));
    if (of_lane == nullptr || of_lane->skip()) continue;
    // Behind the one whose writes are wanted, rows want both their sets.
    const Stage its = behind && stage == Stage::kHazardWrites ? Stage::kHazardReads : stage;
    const WantedSets wants = wanted_sets(*of_lane, its);
    if (!wants.known) break;
    if (wants.reads) resend_.reads |= lane_bit(lane);
    if (wants.writes) resend_.writes |= lane_bit(lane);
    behind = true;
  }
  to_cores_.push_back({CoreMessage::Kind::kResendSets, row.group, resend_.reads, resend_.writes});
}

CommitUnitModel::Resent CommitUnitModel::resent_message() const {
  const unsigned lane = message_.touched.lowest();
  if (!resend_.active || resend_.base != message_.group.base) return Resent::kStale;
  // The entry may have failed since, gone on without its set, and retired.
  const Row* const r = rows_.find(message_.group.cid_of(lane));
  if (r == nullptr) return Resent::kStale;
  const RingStage stage = resend_.stage == Stage::kRevalidate ? RingStage::kWait
                          : resend_.stage == Stage::kCommit   ? RingStage::kCommit
                                                              : RingStage::kHazard;
  if (r->first < rows_.pointer(stage)) return Resent::kStale;
  if (r != rows_.head(stage)) return Resent::kWaits;
  const bool hazard = stage == RingStage::kHazard;
  const WantedSets wants = wanted_sets(*r, hazard ? Stage::kHazardReads : resend_.stage);
  if (!(message_.writes ? wants.writes : wants.reads)) return Resent::kStale;
  // The stage's own words of this clock have taken the port.
  if (hazard && (hazards_.looked() || (message_.writes && !r->reads_looked_up))) return Resent::kWaits;
  if (stage == RingStage::kWait && r->next != r->stored_reads + 1) return Resent::kWaits;
  return Resent::kTaken;
}

/// All of a lane's set has come.
void CommitUnitModel::resent_ends(bool stale) {
  if (!resend_.active || resend_.base != message_.group.base) return;
  LaneMask& left = message_.writes ? resend_.writes : resend_.reads;
  left = LaneMask::difference(left, message_.touched);
  if (!stale) rows_.find(message_.group.cid_of(message_.touched.lowest()))->resent = true;
  if (resend_.reads.none() && resend_.writes.none()) resend_.active = false;
}

bool CommitUnitModel::hazard_stage() {
  bool happened = false;
  Row* const at = rows_.head(RingStage::kHazard);
  if (at == nullptr || !at->complete) return false;
  Row& r = *at;
  ++counters_.hazard_clocks;
  if (!look_for_hazards(r, happened)) return happened;
  r.next = 0;
  rows_.advance(RingStage::kHazard);
  hazards_.pass(r.first + r.count);
  return true;
}

/// As many words of a row as a clock allows: reads, then writes ([KiloTM:E1]). Whether that was all.
bool CommitUnitModel::look_for_hazards(Row& r, bool& happened) {
  const LaneMask failed = r.failed;
  const std::uint32_t words = r.stored_reads + r.stored_writes;
  const LaneMask reads_again = LaneMask::difference(r.read_overflow, failed);
  const LaneMask writes_again = LaneMask::difference(r.write_overflow, failed);
  std::uint32_t budget = config_.hazard_words;
  if (comes_again(r)) return false;
  while (true) {
    if (r.next == r.stored_reads && !r.reads_looked_up) {
      if (!resent(r, Stage::kHazardReads, reads_again, happened)) return false;
      r.reads_looked_up = true;
      hazards_.reads_end(r);
    }
    if (hazards_.compares()) {
      happened = true;
      return false;
    }
    if (r.next == words) break;
    if (budget-- == 0) return false;
    happened = true;
    const bool read = r.next < r.stored_reads;
    const LogWord word = rows_.stored_word(r, !read, read ? r.next : r.next - r.stored_reads);
    ++r.next;
    if (((read ? r.read_overflow : r.write_overflow) | failed).test(word.lane)) continue;
    if (read)
      hazards_.look_up(r, word);
    else
      hazards_.insert(r, word);
  }
  return resent(r, Stage::kHazardWrites, writes_again, happened);
}

}  // namespace heddle::tm
