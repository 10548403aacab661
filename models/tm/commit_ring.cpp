#include "tm/commit_ring.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace heddle::tm {

void CommitRing::allocate(const RingEvent& event) {
  const Cid oldest = pointer(RingStage::kRetire);
  youngest_ = std::max(youngest_, event.cid + event.count);
  if (entries_most_ != 0 && youngest_ - oldest > entries_most_)
    throw std::logic_error(
        fmt::format("commit unit: ring overflow: entry {} while {} has not retired, of {} entries",
                    youngest_ - 1, oldest, entries_most_));
  if (entries_.size() < youngest_ - oldest) grow(youngest_ - oldest);
  entry(event.cid) = {event.slot, event.count, false};
}

void CommitRing::grow(Cid entries) {
  std::vector<Entry> before(std::bit_ceil(entries));
  before.swap(entries_);
  const Cid oldest = pointer(RingStage::kRetire);
  for (Cid cid = oldest; cid < oldest + before.size(); ++cid) entry(cid) = before[cid & (before.size() - 1)];
}

/// Of a stage behind what it passes over.
const CommitRing::Entry* CommitRing::head(RingStage stage, bool& moved) {
  Cid& here = pointer(stage);
  const Cid limit = stage == RingStage::kHazard   ? youngest_
                    : stage == RingStage::kRetire ? committed_
                                                  : pointers_[static_cast<unsigned>(stage) - 1];
  while (here < limit) {
    const Entry& found = entry(here);  // not before the retire pointer
    if (found.slot == RingEvent::kNoSlot) return nullptr;
    if (!found.skip || stage == RingStage::kRetire) return &found;
    here += found.count;
    moved = true;
  }
  return nullptr;
}

/// The oldest stage first: none sees what another one does in this clock.
void CommitRing::clock(RingEvent& event) {
  committed_ = pointer(RingStage::kCommit);
  for (unsigned stage = kRingStages; stage-- > 0;) {
    const Entry* const entry = head(static_cast<RingStage>(stage), event.moved);
    heads_[stage] = entry == nullptr ? RingEvent::kNoSlot : entry->slot;
  }
  event.heads = heads_.data();
}

void CommitRing::advance(const RingEvent& event) {
  Cid& here = pointer(event.stage);
  Entry& passed = entry(here);
  here += passed.count;
  if (event.stage == RingStage::kRetire) passed = {};
}

void CommitRing::serve(RingEvent& event) {
  switch (event.op) {
    case RingEvent::Op::kAllocate:
      allocate(event);
      break;
    case RingEvent::Op::kSkip:
      at(event.cid)->skip = true;
      break;
    case RingEvent::Op::kFind: {
      const Entry* const entry = at(event.cid);
      event.found = entry != nullptr;
      if (event.found) event.slot = entry->slot;
      break;
    }
    case RingEvent::Op::kClock:
      clock(event);
      break;
    case RingEvent::Op::kOldest: {
      const Entry* const entry = head(RingStage::kRetire, event.moved);
      event.found = entry != nullptr;
      if (event.found) event.slot = entry->slot;
      break;
    }
    case RingEvent::Op::kAdvance:
      advance(event);
      break;
    case RingEvent::Op::kPointers:
      event.pointers = pointers_.data();
      break;
  }
  event.oldest = pointer(RingStage::kRetire);
  event.youngest = youngest_;
}

}  // namespace heddle::tm
