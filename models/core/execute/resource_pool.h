// Slots (collectors, pipes) that are each held until a known cycle, soonest free first.
#pragma once

#include <cstddef>
#include <vector>

#include "base/ids.h"

namespace heddle::core {

using base::Cycle;

/// A sorted ring: releases mostly come in order, so a slot given away goes near the end in a few steps.
class ResourcePool {
 public:
  /// All free from cycle 0 on.
  explicit ResourcePool(std::size_t slots = 0) : until_(slots, 0) {}

  [[nodiscard]] bool none() const { return until_.empty(); }
  /// First cycle in which a slot is free.
  [[nodiscard]] Cycle first() const { return until_[head_]; }
  /// Gives the slot that is free first to an instruction that holds it until `until`; returns when the next
  /// slot is free.
  Cycle take(Cycle until) {
    // The ring is full: the slot behind the last one is that of the first, which is vacant now.
    std::size_t slot = head_;
    head_ = after(head_);
    while (slot != head_) {
      const std::size_t before = slot == 0 ? until_.size() - 1 : slot - 1;
      if (until_[before] <= until) break;
      until_[slot] = until_[before];
      slot = before;
    }
    until_[slot] = until;
    return until_[head_];
  }

 private:
  [[nodiscard]] std::size_t after(std::size_t i) const { return i + 1 == until_.size() ? 0 : i + 1; }
  std::vector<Cycle> until_;
  std::size_t head_ = 0;
};

}  // namespace heddle::core
