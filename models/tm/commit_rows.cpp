#include "tm/commit_rows.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tm/tx_log.h"

namespace heddle::tm {

bool CommitRows::clock() {
  RingEvent event{.op = RingEvent::Op::kClock};
  ring_.serve(event);
  std::copy_n(event.heads, kRingStages, heads_.begin());
  return event.moved;
}

CommitRow* CommitRows::find(Cid cid) const {
  RingEvent event{.op = RingEvent::Op::kFind, .cid = cid};
  ring_.serve(event);
  return event.found ? storage_[event.slot].get() : nullptr;
}

CommitRow& CommitRows::of(const CommitGroup& group, unsigned lane) const {
  CommitRow* const found = find(config_.by_warp ? group.base : group.cid_of(lane));
  if (found == nullptr) throw std::logic_error("commit unit: a message about nobody");
  return *found;
}

CommitRow* CommitRows::oldest() const {
  RingEvent event{.op = RingEvent::Op::kOldest};
  ring_.serve(event);
  return event.found ? storage_[event.slot].get() : nullptr;
}

Cid CommitRows::pointer(RingStage stage) const {
  return ring_.ask({.op = RingEvent::Op::kPointers}).pointers[static_cast<unsigned>(stage)];
}

void CommitRows::make(const CommitGroup& group, Cid first, std::uint32_t count, LaneMask lanes) {
  if (free_rows_.empty()) {
    storage_.push_back(std::make_unique<CommitRow>());
    storage_.back()->slot = static_cast<std::uint32_t>(storage_.size() - 1);
    free_rows_.push_back(storage_.back().get());
  }
  CommitRow& made = *free_rows_.back();
  free_rows_.pop_back();
  const std::uint32_t slot = made.slot;
  made = CommitRow{};
  made.slot = slot;
  made.group = group;
  made.first = first;
  made.count = count;
  made.lanes = lanes;
  youngest_ =
      ring_.ask({.op = RingEvent::Op::kAllocate, .cid = first, .count = count, .slot = slot}).youngest;
  ++live_;
  ++counters_.rows;
  ask_buffers({.op = SetBufferEvent::Op::kOpen, .slot = slot});
}

void CommitRows::know(const CommitGroup& group) {
  if (find(group.base) != nullptr) return;
  if (config_.by_warp)
    make(group, group.base, group.count(), group.lanes);
  else
    group.lanes.for_each([&](unsigned lane) { make(group, group.cid_of(lane), 1, lane_bit(lane)); });
  counters_.most_rows = std::max(counters_.most_rows, youngest_ - retire_);
}

void CommitRows::advance(RingStage stage) {
  retire_ = ring_.ask({.op = RingEvent::Op::kAdvance, .stage = stage}).oldest;
}

void CommitRows::skip(const CommitRow& row) {
  ring_.ask({.op = RingEvent::Op::kSkip, .cid = row.first});
  ++counters_.skipped;
}

void CommitRows::free(CommitRow& row) {
  ask_buffers({.op = SetBufferEvent::Op::kClose, .slot = row.slot});
  --live_;
  free_rows_.push_back(&row);
}

SetBufferEvent&& CommitRows::ask_buffers(SetBufferEvent&& event) {
  buffers_.serve(event);
  counters_.buffers = event.in_use;
  counters_.most_buffers = std::max(counters_.most_buffers, event.in_use);
  return std::move(event);
}

void CommitRows::store(CommitRow& row, const LogWord& word, bool write) {
  LaneMask& overflow = write ? row.write_overflow : row.read_overflow;
  ++(write ? row.write_words : row.read_words);
  (write ? row.writers : row.readers) |= lane_bit(word.lane);
  ++(write ? counters_.write_words : counters_.read_words);
  if (overflow.test(word.lane)) return;
  if (ask_buffers({.op = SetBufferEvent::Op::kStore, .slot = row.slot, .write = write, .word = word})
          .stored) {
    ++(write ? row.stored_writes : row.stored_reads);
    return;
  }
  overflow |= lane_bit(word.lane);
  ++counters_.overflows;
}

std::span<const LogWord> CommitRows::gather(const CommitRow& row, bool write, std::uint32_t from) {
  return ask_buffers({.op = SetBufferEvent::Op::kWords,
                      .slot = row.slot,
                      .write = write,
                      .from = from,
                      .most = config_.by_warp ? base::kLanes : 1})
      .words;
}

LogWord CommitRows::stored_word(const CommitRow& row, bool write, std::uint32_t index) {
  return ask_buffers({.op = SetBufferEvent::Op::kWords, .slot = row.slot, .write = write, .from = index})
      .words.front();
}

void CommitRows::decided(const CommitRow& row, bool needed) {
  ask_buffers({.op = SetBufferEvent::Op::kDecided, .slot = row.slot, .needed = needed});
}

}  // namespace heddle::tm
