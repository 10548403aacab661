// Logs arrive at a commit unit: set buffers, speculative reads, DONE-FILL, final outcomes.
#include <algorithm>
#include <stdexcept>

#include "tm/commit_unit_model.h"
#include "tm/tx_log.h"

namespace heddle::tm {

void CommitUnitModel::accept(UnitMessage message) {
  message_ = std::move(message);
  absorbing_ = true;
  absorbed_ = 0;
  if (message_.kind != UnitMessage::Kind::kFinal && message_.kind != UnitMessage::Kind::kResentRow)
    rows_.know(message_.group);
}

void CommitUnitModel::take_words(std::size_t count) {
  const bool resent = message_.kind == UnitMessage::Kind::kResentRow;
  const bool write = message_.kind == UnitMessage::Kind::kWriteLog;
  const bool by_lane = resent && !config_.by_warp;
  for (std::size_t i = absorbed_; i < absorbed_ + count; ++i) {
    const LogWord& word = message_.words[i];
    Row& row = rows_.of(message_.group, word.lane);
    if (resent) {
      const LaneMask lanes = by_lane ? row.lanes : resend_.lanes;
      switch (resend_.stage) {
        case Stage::kHazardReads:
        case Stage::kHazardWrites:
          if (by_lane ? message_.writes : resend_.stage == Stage::kHazardWrites)
            hazards_.insert(row, word);
          else
            hazards_.look_up(row, word);
          break;
        case Stage::kRevalidate:
          accesses_.add(row, &word, 1, lanes, CommitAccesses::Kind::kSecondRead);
          break;
        case Stage::kCommit:
          accesses_.add(row, &word, 1, lanes, CommitAccesses::Kind::kWrite);
          break;
      }
      continue;
    }
    hazards_.begin(row);
    rows_.store(row, word, write);
    if (!write && !config_.by_warp) accesses_.add(row, &word, 1, row.lanes, CommitAccesses::Kind::kRead);
  }
  absorbed_ += count;
}

void CommitUnitModel::take_end() {
  switch (message_.kind) {
    case UnitMessage::Kind::kReadLog:
      if (config_.by_warp && !message_.words.empty()) {
        Row& row = rows_.of(message_.group, message_.words.front().lane);
        accesses_.add(row, message_.words.data(), message_.words.size(), row.lanes,
                      CommitAccesses::Kind::kRead);
      }
      break;
    case UnitMessage::Kind::kDoneFill: {
      const CommitGroup& group = message_.group;
      std::uint32_t reads = 0, writes = 0;
      const auto complete = [&](Row& row) {
        row.touched = message_.touched & row.lanes;
        row.complete = true;
        if (row.touched.any())
          hazards_.begin(row);
        else
          rows_.skip(row);
        reads += row.read_words;
        writes += row.write_words;
      };
      if (config_.by_warp)
        complete(*rows_.find(group.base));
      else
        group.lanes.for_each([&](unsigned lane) { complete(*rows_.find(group.cid_of(lane))); });
      if (reads != message_.read_words || writes != message_.write_words)
        throw std::logic_error("commit unit: words of a log are missing at its DONE-FILL");
      break;
    }
    case UnitMessage::Kind::kFinal:
      message_.touched.for_each([&](unsigned lane) {
        Row& row = rows_.of(message_.group, lane);
        row.finals |= lane_bit(lane);
        const bool pass = message_.pass.test(lane);
        if (pass) row.passes |= lane_bit(lane);
        if (observer_ != nullptr) observer_->final_received(message_.group.cid_of(lane), pass);
      });
      break;
    case UnitMessage::Kind::kResentRow:
      if (message_.last && !config_.by_warp) {
        resent_ends(/*stale=*/false);
      } else if (message_.last) {
        resend_.active = false;
        resend_.row->resent = true;
      }
      break;
    default:
      break;
  }
  absorbing_ = false;
}

bool CommitUnitModel::absorb() {
  if (!absorbing_) return false;
  const std::size_t left = message_.words.size() - absorbed_;
  if (message_.kind == UnitMessage::Kind::kResentRow && !config_.by_warp) {
    // The stage that has asked comes to the lanes in the order of their sets, without any other message.
    const Resent becomes = resent_message();
    if (becomes == Resent::kWaits) return false;
    if (becomes == Resent::kStale) {
      if (message_.last) resent_ends(/*stale=*/true);
      absorbing_ = false;
      return true;
    }
  }
  if (left != 0) {
    // L2 always goes on, so this is no wait for anybody's turn ([KiloTM:E6]).
    if (!accesses_.takes_reads()) return false;
    // A set that hazard detection has asked for once more takes the port that its stored words would.
    const bool hazards = message_.kind == UnitMessage::Kind::kResentRow &&
                         (resend_.stage == Stage::kHazardReads || resend_.stage == Stage::kHazardWrites);
    const std::size_t count =
        std::min<std::size_t>(left, hazards ? config_.hazard_words : config_.gathered_words);
    take_words(count);
    if (absorbed_ != message_.words.size()) return true;
  }
  take_end();
  return true;
}

}  // namespace heddle::tm
