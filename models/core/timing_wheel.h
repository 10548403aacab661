// Events at known future cycles, O(1) to add and to take, with the next due cycle found by bitmap.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/ids.h"

namespace heddle::core {

using sim::Cycle;

template <class Event>
class TimingWheel {
 public:
  static constexpr std::uint32_t kSlots = 256;  ///< horizon; later events wait in an ordered map

  /// `cycle` must be after the cycle of the last take().
  void add(Cycle cycle, const Event& event) {
    ++size_;
    if (cycle - now_ >= kSlots) {
      later_[cycle].push_back(event);
      return;
    }
    slots_[cycle % kSlots].push_back(event);
    bits_[cycle % kSlots / 64] |= std::uint64_t{1} << (cycle % 64);
  }

  /// Calls fn(event) for every event due at or before `cycle`, in order of cycle, then of addition.
  template <class Fn>
  void take(Cycle cycle, Fn&& fn) {
    while (size_ != 0) {
      const Cycle due = next_due();
      if (due > cycle) break;
      now_ = due;
      refill();
      auto& slot = slots_[due % kSlots];
      bits_[due % kSlots / 64] &= ~(std::uint64_t{1} << (due % 64));
      size_ -= slot.size();
      scratch_.swap(slot);
      for (const Event& event : scratch_) fn(event);
      scratch_.clear();
    }
    now_ = cycle;
    refill();
  }

  /// ~0 if there is none.
  [[nodiscard]] Cycle next_due() const {
    if (size_ == 0) return ~Cycle{0};
    const std::uint32_t start = now_ % kSlots;
    for (std::uint32_t step = 0; step <= kSlots / 64; ++step) {
      const std::uint32_t word = (start / 64 + step) % (kSlots / 64);
      std::uint64_t bits = bits_[word];
      if (step == 0) bits &= ~std::uint64_t{0} << (start % 64);
      if (step == kSlots / 64) bits &= (std::uint64_t{1} << (start % 64)) - 1;
      if (bits != 0) {
        const std::uint32_t slot = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
        return now_ + (slot + kSlots - start) % kSlots;
      }
    }
    return later_.begin()->first;
  }
  [[nodiscard]] bool empty() const { return size_ == 0; }

 private:
  void refill() {
    while (!later_.empty() && later_.begin()->first - now_ < kSlots) {
      const Cycle cycle = later_.begin()->first;
      auto& slot = slots_[cycle % kSlots];
      for (const Event& event : later_.begin()->second) slot.push_back(event);
      bits_[cycle % kSlots / 64] |= std::uint64_t{1} << (cycle % 64);
      later_.erase(later_.begin());
    }
  }

  std::vector<Event> slots_[kSlots];
  std::uint64_t bits_[kSlots / 64] = {};
  std::map<Cycle, std::vector<Event>> later_;
  std::vector<Event> scratch_;
  std::size_t size_ = 0;
  Cycle now_ = 0;
};

}  // namespace heddle::core
