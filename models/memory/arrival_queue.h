// Responses of the DRAM that have been announced and have not taken effect yet, by the cycle in which they do.
#pragma once

#include <cstddef>
#include <vector>

#include "base/ids.h"
#include "memory/dram_pool.h"

namespace heddle::memory {

/// Of two for one cycle the one that was announced first goes first. A channel announces its responses in order of time, so that
/// an entry is added at the end; others move those behind it. No allocation once it has been as long as it gets.
class ArrivalQueue {
 public:
  /// The cycle of the first; kNever: there is none.
  [[nodiscard]] base::Cycle next() const { return size_ == 0 ? base::kNever : at(0).cycle; }

  void push(DramTransaction& transaction, base::Cycle cycle) {
    if (size_ == entries_.size()) grow();
    std::size_t i = size_++;
    for (; i > 0 && at(i - 1).cycle > cycle; --i) at(i) = at(i - 1);
    at(i) = {&transaction, cycle};
  }
  /// Removes the first, which is there.
  DramTransaction& pop() {
    DramTransaction& first = *at(0).transaction;
    head_ = (head_ + 1) & (entries_.size() - 1);
    --size_;
    return first;
  }

 private:
  struct Entry {
    DramTransaction* transaction = nullptr;
    base::Cycle cycle = 0;
  };
  [[nodiscard]] Entry& at(std::size_t i) { return entries_[(head_ + i) & (entries_.size() - 1)]; }
  [[nodiscard]] const Entry& at(std::size_t i) const { return entries_[(head_ + i) & (entries_.size() - 1)]; }
  void grow() {
    std::vector<Entry> larger(entries_.empty() ? 8 : entries_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = at(i);
    entries_.swap(larger);
    head_ = 0;
  }
  std::vector<Entry> entries_;  ///< size: a power of two
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

}  // namespace heddle::memory
