#include "tm/commit_ring.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace heddle::tm {

void CommitRing::allocate(const RingEvent& event) {
  const Cid oldest = pointer(RingStage::kRetire);
  youngest_ = std::max(youngest_, event.cid + event.count);
  if (entries_most_ != 0 && youngest_ - oldest > entries_most_)
    throw std::logic_error(
        fmt::format("commit unit: ring overflow: entry {} while {} has not retired, of {} entries",
                    youngest_ - 1, oldest, entries_most_));
  if (entries_.size() < youngest_ - oldest) entries_.resize(youngest_ - oldest);
  entries_[event.cid - oldest] = {event.slot, event.count, false};
}

/// Of a stage behind what it passes over.
const CommitRing::Entry* CommitRing::head(RingStage stage, bool& moved) {
  Cid& here = pointer(stage);
  const Cid limit = stage == RingStage::kHazard   ? youngest_
                    : stage == RingStage::kRetire ? committed_
                                                  : pointers_[static_cast<unsigned>(stage) - 1];
  while (here < limit) {
    const Entry* const entry = at(here);
    if (entry == nullptr || !entry->skip || stage == RingStage::kRetire) return entry;
    here += entry->count;
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
  const std::uint32_t count = at(here)->count;
  if (event.stage == RingStage::kRetire)
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(count));
  here += count;
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
