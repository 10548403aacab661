// Memory operations whose data is complete, by the cycle of their write-back: a calendar of one list per
// cycle, linked through the operations themselves, as long as the longest latency.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace heddle::core {

using base::Cycle;
using base::kNever;

class CompletionWheel {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// Operations are added at most `horizon` cycles ahead.
  explicit CompletionWheel(std::uint32_t horizon)
      : days_(std::bit_ceil(std::max(horizon + 1, 64u))), bits_(days_.size() / 64) {}

  [[nodiscard]] Cycle next_due() const { return next_due_; }

  /// `link` is the operation's own next-in-list index. `cycle` lies after the last take().
  template <class LinkOf>
  void add(Cycle cycle, std::uint32_t op, LinkOf&& link_of) {
    const std::size_t i = cycle & (days_.size() - 1);
    Day& day = days_[i];
    link_of(op) = kNone;
    if (day.last == kNone) {
      day.first = op;
      ++filled_;
    } else {
      link_of(day.last) = op;
    }
    day.last = op;
    bits_[i / 64] |= std::uint64_t{1} << (i % 64);
    next_due_ = std::min(next_due_, cycle);
  }

  /// Calls fn(op) for every operation due at or before `now`, in order of cycle, then of addition. fn may
  /// add().
  template <class LinkOf, class Fn>
  void take(Cycle now, LinkOf&& link_of, Fn&& fn) {
    while (next_due_ <= now) {
      const std::size_t i = next_due_ & (days_.size() - 1);
      std::uint32_t op = days_[i].first;
      days_[i] = {};
      --filled_;
      bits_[i / 64] &= ~(std::uint64_t{1} << (i % 64));
      next_due_ = find_after(next_due_);
      while (op != kNone) {
        const std::uint32_t next = link_of(op);
        fn(op);
        op = next;
      }
    }
  }

 private:
  struct Day {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };
  /// The first cycle after `from` that has an operation.
  [[nodiscard]] Cycle find_after(Cycle from) const {
    if (filled_ == 0) return kNever;
    const std::size_t start = (from + 1) & (days_.size() - 1);
    for (std::size_t step = 0; step <= bits_.size(); ++step) {
      const std::size_t word = (start / 64 + step) & (bits_.size() - 1);
      std::uint64_t bits = bits_[word];
      if (step == 0) bits &= ~std::uint64_t{0} << (start % 64);
      if (bits == 0) continue;
      const std::size_t i = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      return from + 1 + ((i - start) & (days_.size() - 1));
    }
    return kNever;
  }

  std::vector<Day> days_;  ///< their number is a power of two
  std::vector<std::uint64_t> bits_;
  std::uint32_t filled_ = 0;  ///< days with operations
  Cycle next_due_ = kNever;
};

}  // namespace heddle::core
