// Which of a core's writes have been performed: stores acknowledged by L2, atomics answered, stores done in L1 or shared
// memory. Who waits for all that the load/store unit has taken so far takes a mark; later writes do not put it off.
//
// A release is cumulative (PTX ISA, causality order): what other threads of the CTA wrote before they met the releasing
// one, at a barrier or through an access of CTA scope, comes before the release as well. It has left the core by then, and
// need not have been performed. A release waits for the writes of the whole core: our choice, which needs no list by CTA.
#pragma once

#include <cstdint>
#include <deque>

#include "core/protocols/lsu_protocol.h"

namespace heddle::core {

class WriteOrder {
 public:
  /// Numbers the spans of time between marks.
  using Mark = WriteMark;

  /// A write is taken; its number goes to performed().
  Mark taken() {
    ++newest_writes_;
    return newest_;
  }
  void performed(Mark number) {
    if (number == newest_) [[likely]] {
      --newest_writes_;
      return;
    }
    --older_writes_[number - oldest()];
    while (!older_writes_.empty() && older_writes_.front() == 0) older_writes_.pop_front();
  }
  /// What has been taken until now.
  Mark mark() {
    if (newest_writes_ != 0) {
      older_writes_.push_back(newest_writes_);
      newest_writes_ = 0;
      ++newest_;
    }
    return newest_;
  }
  /// All that had been taken when the mark was given has been performed.
  [[nodiscard]] bool all_performed(Mark mark) const { return oldest() >= mark; }

 private:
  /// Of the numbers with writes outstanding; the newest if there are none.
  [[nodiscard]] Mark oldest() const { return newest_ - older_writes_.size(); }

  Mark newest_ = 0;
  std::uint32_t newest_writes_ = 0;         ///< outstanding
  std::deque<std::uint32_t> older_writes_;  ///< outstanding, by number from oldest(); the first is not 0
};

}  // namespace heddle::core
