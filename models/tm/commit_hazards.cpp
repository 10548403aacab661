// Hazard detection of a commit unit: who wrote a word last, in the order of ids ([KiloTM] §4.2.5, §4.4.3,
// [KiloTM:E1], [KiloTM:E2]).
#include <algorithm>

#include "tm/commit_unit_model.h"
#include "tm/tx_log.h"

namespace heddle::tm {

HazardEvent CommitUnitModel::hazard_event(HazardEvent::Op op, const Row& row, std::uint64_t address) const {
  return {.op = op,
          .row = row.first,
          .count = row.count,
          .since = row.rcid,
          .retired = retire_,
          .word = address / kWordBytes};
}

void CommitUnitModel::look_up(Row& row, const LogWord& word) {
  looked_ = true;
  const HazardEvent event = hazards_.ask(hazard_event(HazardEvent::Op::kLookUp, row, word.address));
  if (!event.writer) return;
  if (!row.hazard.test(word.lane)) ++counters_.hazards;
  row.hazard |= lane_bit(word.lane);
  if (*event.writer >= row.ycid) row.hazard_word = word.address;
  row.ycid = std::max(row.ycid, *event.writer);
}

/// What can be said of all that the row has read only.
void CommitUnitModel::reads_end(Row& row) {
  const HazardEvent event = hazards_.ask(hazard_event(HazardEvent::Op::kReadsEnd, row, 0));
  comparing_ = event.clocks;
  if (!event.writer) return;
  counters_.hazards += LaneMask::difference(row.readers, row.hazard).count();
  row.hazard |= row.readers;
  if (row.stored_reads != 0) row.hazard_word = stored_word(row, false, 0).address;
  row.ycid = std::max(row.ycid, *event.writer);
}

void CommitUnitModel::insert(Row& row, const LogWord& word) {
  looked_ = true;
  HazardEvent event = hazard_event(HazardEvent::Op::kInsert, row, word.address);
  event.writer = row.group.cid_of(word.lane);
  hazards_.serve(event);
}

/// Rows before that id have passed the stage.
void CommitUnitModel::tell_passed(Cid before) {
  hazards_.ask({.op = HazardEvent::Op::kPass, .row = before, .retired = retire_});
}

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
      if (row.first >= pointer(RingStage::kHazard)) return {false};
      const LaneMask again = LaneMask::difference(row.hazard, failed);
      // A row that has to wait for a transaction of its own warp gets that one's outcome through the same port.
      return {again.none() || retire_ > row.ycid, any(again & row.read_overflow), false};
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
    const Row* const of_lane = this->row(row.group.cid_of(lane));
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
  const Row* const r = row(message_.group.cid_of(lane));
  if (r == nullptr) return Resent::kStale;
  const RingStage stage = resend_.stage == Stage::kRevalidate ? RingStage::kWait
                          : resend_.stage == Stage::kCommit   ? RingStage::kCommit
                                                              : RingStage::kHazard;
  if (r->first < pointer(stage)) return Resent::kStale;
  if (r != head(stage)) return Resent::kWaits;
  const bool hazard = stage == RingStage::kHazard;
  const WantedSets wants = wanted_sets(*r, hazard ? Stage::kHazardReads : resend_.stage);
  if (!(message_.writes ? wants.writes : wants.reads)) return Resent::kStale;
  // The stage's own words of this clock have taken the port.
  if (hazard && (looked_ || (message_.writes && !r->reads_looked_up))) return Resent::kWaits;
  if (stage == RingStage::kWait && r->next != r->stored_reads + 1) return Resent::kWaits;
  return Resent::kTaken;
}

/// All of a lane's set has come.
void CommitUnitModel::resent_ends(bool stale) {
  if (!resend_.active || resend_.base != message_.group.base) return;
  LaneMask& left = message_.writes ? resend_.writes : resend_.reads;
  left = LaneMask::difference(left, message_.touched);
  if (!stale) row(message_.group.cid_of(message_.touched.lowest()))->resent = true;
  if (resend_.reads.none() && resend_.writes.none()) resend_.active = false;
}

bool CommitUnitModel::hazard_stage() {
  bool happened = false;
  Row* const at = head(RingStage::kHazard);
  if (at == nullptr || !at->complete) return false;
  Row& r = *at;
  ++counters_.hazard_clocks;
  if (!look_for_hazards(r, happened)) return happened;
  r.next = 0;
  advance(RingStage::kHazard);
  tell_passed(r.first + r.count);
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
      reads_end(r);
    }
    if (comparing_ != 0) {
      --comparing_;
      happened = true;
      return false;
    }
    if (r.next == words) break;
    if (budget-- == 0) return false;
    happened = true;
    const bool read = r.next < r.stored_reads;
    const LogWord word = stored_word(r, !read, read ? r.next : r.next - r.stored_reads);
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
