// Places (collectors, pipes) that are each held until a known cycle, soonest free first.
#pragma once

#include <cstddef>
#include <vector>

#include "base/ids.h"

namespace heddle::core {

using base::Cycle;

/// A sorted ring: releases mostly come in order, so a place given away goes near the end in a few steps.
class ResourcePool {
 public:
  /// All free from cycle 0 on.
  explicit ResourcePool(std::size_t places = 0) : until_(places, 0) {}

  [[nodiscard]] bool none() const { return until_.empty(); }
  /// First cycle in which a place is free.
  [[nodiscard]] Cycle first() const { return until_[head_]; }
  /// Gives the place that is free first to an instruction that holds it until `until`; returns when the next
  /// place is free.
  Cycle take(Cycle until) {
    // The ring is full: the place behind the last one is that of the first, which is vacant now.
    std::size_t place = head_;
    head_ = after(head_);
    while (place != head_) {
      const std::size_t before = place == 0 ? until_.size() - 1 : place - 1;
      if (until_[before] <= until) break;
      until_[place] = until_[before];
      place = before;
    }
    until_[place] = until;
    return until_[head_];
  }

 private:
  [[nodiscard]] std::size_t after(std::size_t i) const { return i + 1 == until_.size() ? 0 : i + 1; }
  std::vector<Cycle> until_;
  std::size_t head_ = 0;
};

}  // namespace heddle::core
