#include "tm/commit_unit_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "tm/tx_log.h"

namespace heddle::tm {

CommitUnitModel::CommitUnitModel(const CommitUnitConfig& config, const CommitBlocks& blocks)
    : config_(config), ring_(blocks.ring), buffers_(blocks.buffers), hazards_(blocks.hazards) {}

CommitUnitModel::CommitUnitModel(const CommitUnitConfig& config)
    : config_(config),
      own_blocks_(std::make_unique<PlainCommitBlocks>(config)),
      ring_(own_blocks_->ports().ring),
      buffers_(own_blocks_->ports().buffers),
      hazards_(own_blocks_->ports().hazards) {}

// ---- entries

CommitUnitModel::Row* CommitUnitModel::row(Cid cid) const {
  RingEvent event{.op = RingEvent::Op::kFind, .cid = cid};
  ring_.serve(event);
  return event.found ? storage_[event.slot].get() : nullptr;
}

CommitUnitModel::Row* CommitUnitModel::oldest() {
  RingEvent event{.op = RingEvent::Op::kOldest};
  ring_.serve(event);
  return event.found ? storage_[event.slot].get() : nullptr;
}

void CommitUnitModel::advance(RingStage stage) {
  retire_ = ring_.ask({.op = RingEvent::Op::kAdvance, .stage = stage}).oldest;
}

Cid CommitUnitModel::pointer(RingStage stage) const {
  return ring_.ask({.op = RingEvent::Op::kPointers}).pointers[static_cast<unsigned>(stage)];
}

void CommitUnitModel::know(const CommitGroup& group) {
  if (row(group.base) != nullptr) return;
  const auto make = [&](Cid first, std::uint32_t count, LaneMask lanes) {
    if (free_rows_.empty()) {
      storage_.push_back(std::make_unique<Row>());
      storage_.back()->slot = static_cast<std::uint32_t>(storage_.size() - 1);
      free_rows_.push_back(storage_.back().get());
    }
    Row& made = *free_rows_.back();
    free_rows_.pop_back();
    const std::uint32_t slot = made.slot;
    made = Row{};
    made.slot = slot;
    made.group = group;
    made.first = first;
    made.count = count;
    made.lanes = lanes;
    youngest_ =
        ring_.ask({.op = RingEvent::Op::kAllocate, .cid = first, .count = count, .slot = slot}).youngest;
    ++begun_rows_;
    ++counters_.rows;
    ask_buffers({.op = SetBufferEvent::Op::kOpen, .slot = slot});
  };
  if (config_.by_warp)
    make(group.base, group.count(), group.lanes);
  else
    group.lanes.for_each([&](unsigned lane) { make(group.cid_of(lane), 1, lane_bit(lane)); });
  counters_.most_rows = std::max(counters_.most_rows, youngest_ - retire_);
}

CommitUnitModel::Row& CommitUnitModel::row_of(const CommitGroup& group, unsigned lane) {
  Row* const found = row(config_.by_warp ? group.base : group.cid_of(lane));
  if (found == nullptr) throw std::logic_error("commit unit: a message about nobody");
  return *found;
}

void CommitUnitModel::begin(Row& row) {
  if (row.begun) return;
  row.begun = true;
  row.rcid = retire_;
  HazardEvent event = hazard_event(HazardEvent::Op::kBegin, row, 0);
  event.since = retire_;
  hazards_.serve(event);
}

void CommitUnitModel::free_row(Row& row) {
  ask_buffers({.op = SetBufferEvent::Op::kClose, .slot = row.slot});
  --begun_rows_;
  free_rows_.push_back(&row);
}

// ---- L2

const CommitUnitModel::L2Request* CommitUnitModel::l2_request() const {
  if (!writes_.empty()) return &writes_.front();
  if (!second_reads_.empty()) return &second_reads_.front();
  return first_reads_.empty() ? nullptr : &first_reads_.front();
}

void CommitUnitModel::l2_sent() {
  auto& queue = !writes_.empty() ? writes_ : !second_reads_.empty() ? second_reads_ : first_reads_;
  queue.pop_front();
}

// ---- commit

bool CommitUnitModel::final_stage() {
  const Row* const r = head(RingStage::kFinal);
  if (r == nullptr || (r->finals & r->touched) != r->touched) return false;
  advance(RingStage::kFinal);
  return true;
}

bool CommitUnitModel::commit_stage() {
  bool happened = false;
  Row* const at = head(RingStage::kCommit);
  if (at == nullptr || comes_again(*at)) return happened;
  Row& r = *at;
  const LaneMask stored = LaneMask::difference(r.passes, r.write_overflow);
  while (r.next < r.stored_writes) {
    const std::span<const LogWord> words = gather(r, true, r.next);
    if (!stored.test(words.front().lane)) {
      ++r.next;
      continue;
    }
    const auto count = static_cast<std::uint32_t>(words.size());
    if (++gathering_ < (count + config_.gathered_words - 1) / config_.gathered_words) return true;
    gathering_ = 0;
    access(r, words.data(), count, stored, true, false);
    r.next += count;
    if (r.next < r.stored_writes) return true;
  }
  if (!resent(r, Stage::kCommit, r.passes & r.write_overflow, happened)) return happened;
  r.next = 0;
  advance(RingStage::kCommit);
  return true;
}

bool CommitUnitModel::retire_stage() {
  bool happened = false;
  bool stepped = false;
  for (Row* at = head(RingStage::kRetire); at != nullptr; at = oldest()) {
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
    advance(RingStage::kRetire);
    free_row(r);
    happened = true;
  }
  return happened;
}

bool CommitUnitModel::clock(Cycle /*now*/) {
  RingEvent event{.op = RingEvent::Op::kClock};
  ring_.serve(event);
  std::copy_n(event.heads, kRingStages, heads_.begin());
  looked_ = false;
  bool happened = event.moved;
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
  const Cid waits = pointer(RingStage::kWait);
  if (waits >= pointer(RingStage::kHazard)) return std::nullopt;
  const Row* const r = row(waits);
  if (r == nullptr || r->hazard.none() || retire_ > r->ycid) return std::nullopt;
  return Conflict{r->first, r->ycid, r->hazard_word};
}

std::optional<std::pair<Cid, Cid>> CommitUnitModel::stands_behind(std::uint32_t core,
                                                                  std::uint32_t warp) const {
  std::optional<Cid> oldest;
  for (Cid cid = retire_; cid < youngest_; ++cid) {
    const Row* const r = row(cid);
    if (r == nullptr || r->skip()) continue;
    const bool own = r->group.core == core && r->group.warp == warp;
    if (own && cid >= pointer(RingStage::kOutcome))
      return oldest ? std::optional(std::pair(cid, *oldest)) : std::nullopt;
    if (!own && !oldest) oldest = cid;
  }
  return std::nullopt;
}

std::string CommitUnitModel::describe() const {
  return fmt::format(
      "commit unit: oldest entry {}, youngest {}; stages retire {}, commit {}, final {}, outcome {}, wait "
      "{}, hazard {}",
      retire_, youngest_ - 1, retire_, pointer(RingStage::kCommit), pointer(RingStage::kFinal),
      pointer(RingStage::kOutcome), pointer(RingStage::kWait), pointer(RingStage::kHazard));
}

}  // namespace heddle::tm
