#include "tm/comparison/bf_array.h"

namespace heddle::tm {

template <class Fn>
void BfArray::youngest(HazardEvent& event, Fn may_conflict) const {
  for (auto entry = writers_.rbegin(); entry != writers_.rend() && entry->first >= event.since; ++entry) {
    if (entry->first >= event.row || !may_conflict(entry->second)) continue;
    event.writer = entry->first;
    return;
  }
}

void BfArray::compare(HazardEvent& event) {
  if (reads_.empty()) return;
  youngest(event, [&](const Signature& written) { return reads_.may_meet(shape_, written); });
  reads_.clear();
  // The hardware does not know which entries are worth it: all from the RCID on are read.
  if (checked_ != 0) event.clocks = static_cast<std::uint32_t>((event.row - event.since) / checked_);
}

void BfArray::serve(HazardEvent& event) {
  switch (event.op) {
    case HazardEvent::Op::kBegin:
      window_.begin(event.since, event.row);
      break;
    case HazardEvent::Op::kLookUp:
      reads_.insert(shape_, event.word);
      break;
    case HazardEvent::Op::kReadsEnd:
      compare(event);
      break;
    case HazardEvent::Op::kInsert:
      if (writers_.empty() || writers_.back().first != *event.writer)
        writers_.emplace_back(*event.writer, Signature{});
      writers_.back().second.insert(shape_, event.word);
      break;
    case HazardEvent::Op::kPass: {
      window_.pass(event.row);
      const Cid oldest = window_.base(event.retired);
      while (!writers_.empty() && writers_.front().first < oldest) writers_.pop_front();
      break;
    }
    case HazardEvent::Op::kExplain:
      youngest(event, [&](const Signature& written) { return written.may_hold(shape_, event.word); });
      break;
  }
}

}  // namespace heddle::tm
