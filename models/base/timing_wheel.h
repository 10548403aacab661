// Events at known future cycles, O(1) to add and to take, with the next due cycle found by bitmap.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <vector>

#include "base/ids.h"

namespace heddle::base {

template <class Event>
class TimingWheel {
 public:
  static constexpr std::uint32_t kSlots = 64;  ///< horizon; later events wait in an ordered map

  /// `cycle` must be after the cycle of the last take().
  void add(Cycle cycle, const Event& event) {
    if (cycle < due_) due_ = cycle;
    if (cycle - now_ >= kSlots) [[unlikely]]
      return add_later(cycle, event);
    slots_[cycle % kSlots].push_back(event);
    bits_ |= std::uint64_t{1} << (cycle % kSlots);
  }

  /// Calls fn(event) for every event due at or before `cycle`, in order of cycle, then of addition.
  template <class Fn>
  void take(Cycle cycle, Fn&& fn) {
    while (due_ <= cycle) {
      now_ = due_;
      refill();
      auto& slot = slots_[now_ % kSlots];
      bits_ &= ~(std::uint64_t{1} << (now_ % kSlots));
      // fn may add(), but only to other slots: a cycle kSlots ahead goes to later_.
      for (const Event& event : slot) fn(event);
      slot.clear();
      due_ = first();
    }
    now_ = cycle;
    refill();
  }

  /// kNever if there is none.
  [[nodiscard]] Cycle next_due() const { return due_; }
  [[nodiscard]] bool empty() const { return due_ == kNever; }

 private:
  [[nodiscard]] Cycle first() const {
    if (bits_ != 0)
      return now_ + static_cast<Cycle>(std::countr_zero(std::rotr(bits_, static_cast<int>(now_ % kSlots))));
    return later_.empty() ? kNever : later_.begin()->first;
  }
  void refill() {
    if (!later_.empty()) [[unlikely]]
      refill_from_later();
  }
  // Out of line, so that add() and take() are small enough to be compiled into their callers.
  [[gnu::noinline]] void add_later(Cycle cycle, const Event& event) { later_[cycle].push_back(event); }
  [[gnu::noinline]] void refill_from_later() {
    while (!later_.empty() && later_.begin()->first - now_ < kSlots) {
      const Cycle cycle = later_.begin()->first;
      auto& slot = slots_[cycle % kSlots];
      for (const Event& event : later_.begin()->second) slot.push_back(event);
      bits_ |= std::uint64_t{1} << (cycle % kSlots);
      later_.erase(later_.begin());
    }
  }

  std::vector<Event> slots_[kSlots];
  std::uint64_t bits_ = 0;  ///< non-empty slots
  std::map<Cycle, std::vector<Event>> later_;
  Cycle now_ = 0;
  Cycle due_ = kNever;  ///< of the first event
};

}  // namespace heddle::base
