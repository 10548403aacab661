#include "tm/row_hazards.h"

#include <algorithm>

#include "tm/tx_log.h"

namespace heddle::tm {

HazardEvent RowHazards::event(HazardEvent::Op op, const CommitRow& row, std::uint64_t address) const {
  return {.op = op,
          .row = row.first,
          .count = row.count,
          .since = row.rcid,
          .retired = rows_.retire_pointer(),
          .word = address / kWordBytes};
}

void RowHazards::begin(CommitRow& row) {
  if (row.begun) return;
  row.begun = true;
  row.rcid = rows_.retire_pointer();
  detection_.ask(event(HazardEvent::Op::kBegin, row, 0));
}

void RowHazards::look_up(CommitRow& row, const LogWord& word) {
  looked_ = true;
  const HazardEvent found = detection_.ask(event(HazardEvent::Op::kLookUp, row, word.address));
  if (!found.writer) return;
  if (!row.hazard.test(word.lane)) ++counters_.hazards;
  row.hazard |= lane_bit(word.lane);
  if (*found.writer >= row.ycid) row.hazard_word = word.address;
  row.ycid = std::max(row.ycid, *found.writer);
}

void RowHazards::reads_end(CommitRow& row) {
  const HazardEvent found = detection_.ask(event(HazardEvent::Op::kReadsEnd, row, 0));
  comparing_ = found.clocks;
  if (!found.writer) return;
  counters_.hazards += LaneMask::difference(row.readers, row.hazard).count();
  row.hazard |= row.readers;
  if (row.stored_reads != 0) row.hazard_word = rows_.stored_word(row, false, 0).address;
  row.ycid = std::max(row.ycid, *found.writer);
}

void RowHazards::insert(const CommitRow& row, const LogWord& word) {
  looked_ = true;
  HazardEvent written = event(HazardEvent::Op::kInsert, row, word.address);
  written.writer = row.group.cid_of(word.lane);
  detection_.serve(written);
}

void RowHazards::pass(Cid before) {
  detection_.ask({.op = HazardEvent::Op::kPass, .row = before, .retired = rows_.retire_pointer()});
}

Cid RowHazards::writer_of(const CommitRow& row, std::uint64_t address) const {
  return detection_.ask(event(HazardEvent::Op::kExplain, row, address)).writer.value_or(0);
}

}  // namespace heddle::tm
