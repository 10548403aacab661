// A commit unit reads and writes L2: validation as logs arrive and once more behind hazards, outcomes, why they failed.
#include <algorithm>

#include "tm/commit_unit_model.h"
#include "tm/tx_log.h"

namespace heddle::tm {

std::span<const LogWord> CommitUnitModel::gather(const Row& row, bool write, std::uint32_t from) {
  return ask_buffers({.op = SetBufferEvent::Op::kWords,
                      .slot = row.slot,
                      .write = write,
                      .from = from,
                      .most = config_.by_warp ? base::kLanes : 1})
      .words;
}

LogWord CommitUnitModel::stored_word(const Row& row, bool write, std::uint32_t index) {
  return ask_buffers({.op = SetBufferEvent::Op::kWords, .slot = row.slot, .write = write, .from = index})
      .words.front();
}

void CommitUnitModel::access(Row& row, const LogWord* words, std::size_t count, LaneMask lanes, bool write,
                             bool again) {
  std::array<std::uint32_t, base::kLanes> made{};
  std::size_t made_count = 0;
  auto& queue = write ? writes_ : again ? second_reads_ : first_reads_;
  const std::size_t queued = queue.size();
  for (std::size_t i = 0; i < count; ++i) {
    const LogWord& word = words[i];
    if (!lanes.test(word.lane)) continue;
    const std::uint64_t block = word.address / config_.access_bytes * config_.access_bytes;
    const auto index = static_cast<std::uint8_t>((word.address - block) / kWordBytes);
    std::size_t found = 0;
    while (found < made_count && accesses_[made[found]].block != block) ++found;
    if (found == made_count) {
      if (free_accesses_.empty()) {
        free_accesses_.push_back(static_cast<std::uint32_t>(accesses_.size()));
        accesses_.emplace_back();
      }
      const std::uint32_t tag = free_accesses_.back();
      free_accesses_.pop_back();
      Access& access = accesses_[tag];
      access.row = &row;
      access.write = write;
      access.again = again;
      access.block = block;
      access.words.clear();
      queue.push_back({.write = write, .block = block, .tag = tag});
      made[made_count++] = tag;
      ++(write ? row.writing : row.reading);
      ++(write ? counters_.writes : again ? counters_.second_reads : counters_.speculative_reads);
    }
    accesses_[made[found]].words.push_back({word.lane, index, word.value});
    L2Request& request = queue[queued + found];
    request.words |= 1u << index;
    if (write) {
      request.cid = std::max(request.cid, row.group.cid_of(word.lane));
      request.values[index] = word.value;
      request.bytes[index] = word.bytes;
    }
    if (observer_ != nullptr) {
      const Cid cid = row.group.cid_of(word.lane);
      if (write)
        observer_->write_issued(cid, word.address);
      else
        observer_->read_issued(cid, word.address, again);
    }
  }
}

void CommitUnitModel::returned(std::uint32_t tag, const std::uint32_t* block) {
  Access& access = accesses_[tag];
  Row& row = *access.row;
  for (const Access::Word& word : access.words) {
    if (block[word.index] != word.value)
      fails(row, word.lane, access.block + word.index * kWordBytes, access.again);
    if (observer_ != nullptr)
      observer_->read_returned(row.group.cid_of(word.lane), access.block + word.index * kWordBytes);
  }
  --row.reading;
  free_accesses_.push_back(tag);
}

void CommitUnitModel::fails(Row& row, unsigned lane, std::uint64_t word, bool again) {
  if (row.failed.test(lane)) return;
  row.failed |= lane_bit(lane);
  Cid writer = row.ycid;
  if (!again) {
    HazardEvent event = hazard_event(HazardEvent::Op::kExplain, row, word);
    hazards_.serve(event);
    writer = event.writer.value_or(0);
  }
  failures_[std::uint64_t{row.group.core} << 32 | row.group.warp] = {row.group.cid_of(lane), writer, word};
}

const CommitUnitModel::Failure* CommitUnitModel::last_failure(std::uint32_t core, std::uint32_t warp) const {
  const auto known = failures_.find(std::uint64_t{core} << 32 | warp);
  return known == failures_.end() ? nullptr : &known->second;
}

const CommitGroup* CommitUnitModel::group_of(Cid cid) const {
  for (Cid first = cid; first >= retire_ && first + base::kLanes > cid; --first)
    if (const Row* const live = row(first)) return &live->group;
  const auto known = std::find_if(retired_.rbegin(), retired_.rend(), [cid](const CommitGroup& group) {
    return cid >= group.base && cid < group.end();
  });
  return known == retired_.rend() ? nullptr : &*known;
}

void CommitUnitModel::ordered(std::uint32_t tag) {
  --accesses_[tag].row->writing;
  free_accesses_.push_back(tag);
}

bool CommitUnitModel::wait_stage() {
  bool happened = false;
  Row* const at = head(RingStage::kWait);
  if (at == nullptr || comes_again(*at) || (at->next == 0 && at->reading != 0))
    return happened;  // speculative reads are on their way
  Row& r = *at;
  const LaneMask again = LaneMask::difference(r.hazard, r.failed);  // a failure is final ([KiloTM:E5])
  if (again.any()) {
    if (retire_ <= r.ycid) return happened;
    const LaneMask stored = LaneMask::difference(again, r.read_overflow);
    while (r.next < r.stored_reads) {
      const std::span<const LogWord> words = gather(r, false, r.next);
      if (!stored.test(words.front().lane)) {
        ++r.next;
        continue;
      }
      const auto count = static_cast<std::uint32_t>(words.size());
      if (++gathering_again_ < (count + config_.gathered_words - 1) / config_.gathered_words) return true;
      gathering_again_ = 0;
      access(r, words.data(), count, stored, false, true);
      r.next += count;
      if (r.next < r.stored_reads) return true;
    }
    r.next = r.stored_reads + 1;  // what comes back from L2 is of the second reads
    if (!resent(r, Stage::kRevalidate, again & r.read_overflow, happened)) return happened;
  }
  r.resent = false;
  r.next = 0;
  advance(RingStage::kWait);
  return true;
}

bool CommitUnitModel::outcome_stage() {
  Row* const at = head(RingStage::kOutcome);
  if (at == nullptr || at->reading != 0) return false;
  Row& r = *at;
  const LaneMask pass = LaneMask::difference(r.touched, r.failed);
  to_cores_.push_back({CoreMessage::Kind::kLocalOutcome, r.group, r.touched, pass});
  counters_.failed += (r.touched & r.failed).count();
  counters_.second_chances += (r.hazard & pass).count();
  if (observer_ != nullptr)
    r.touched.for_each([&](unsigned lane) { observer_->outcome_sent(r.group.cid_of(lane)); });
  // Reads are not needed any more, and nothing is of those that have failed.
  ask_buffers({.op = SetBufferEvent::Op::kDecided, .slot = r.slot, .needed = (pass & r.touched).any()});
  advance(RingStage::kOutcome);
  return true;
}

}  // namespace heddle::tm
