// Items by number, as hardware tags them: numbers of those that are gone are given again, the last one first.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace heddle::base {

template <class T>
class SlotPool {
 public:
  /// The number that the next put() gives.
  [[nodiscard]] std::uint32_t next() {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(items_.size()));
      items_.emplace_back();
    }
    return free_.back();
  }
  std::uint32_t put(T item) {
    const std::uint32_t slot = next();
    free_.pop_back();
    items_[slot] = std::move(item);
    return slot;
  }
  T take(std::uint32_t slot) {
    free_.push_back(slot);
    return std::exchange(items_[slot], T{});
  }
  [[nodiscard]] T& operator[](std::uint32_t slot) { return items_[slot]; }
  [[nodiscard]] const T& operator[](std::uint32_t slot) const { return items_[slot]; }
  [[nodiscard]] std::size_t size() const { return items_.size() - free_.size(); }
  /// By number; those that are not there are T{}.
  [[nodiscard]] std::span<const T> items() const { return items_; }

 private:
  std::vector<T> items_;
  std::vector<std::uint32_t> free_;
};

}  // namespace heddle::base
