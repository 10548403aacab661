// Where the lanes of a split go after a branch, call or return.
#pragma once

#include <array>
#include <span>

#include "simt/control_flow.h"

namespace heddle::simt {

/// Lanes that go on at one place.
struct Side {
  Pc pc{};
  LaneMask lanes{};
  bool operator==(const Side&) const = default;
};

/// At most one per lane.
class Sides {
 public:
  Sides() = default;
  /// The sides of `taken`, one per distinct target in the order of their first lanes.
  Sides(const ControlFlowRequest& request, LaneMask taken) { add_targets(request, taken); }
  void add_targets(const ControlFlowRequest& request, LaneMask taken) {
    if (request.lane_target == nullptr) {
      if (taken.any()) add({request.target, taken});
      return;
    }
    taken.for_each([&](unsigned lane) { add({request.lane_target[lane], LaneMask(1u << lane)}); });
  }
  /// To an existing side of that PC or as a new one.
  void add(const Side& side) {
    for (Side& known : std::span(sides_.data(), count_))
      if (known.pc == side.pc) {
        known.lanes |= side.lanes;
        return;
      }
    sides_[count_++] = side;
  }
  [[nodiscard]] unsigned count() const { return count_; }
  [[nodiscard]] const Side* begin() const { return sides_.data(); }
  [[nodiscard]] const Side* end() const { return sides_.data() + count_; }
  [[nodiscard]] Side* begin() { return sides_.data(); }
  [[nodiscard]] Side* end() { return sides_.data() + count_; }

 private:
  std::array<Side, base::kLanes> sides_;
  unsigned count_ = 0;
};

}  // namespace heddle::simt
