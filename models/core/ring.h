// A FIFO that keeps its storage: no allocation once it has been as long as it gets.
#pragma once

#include <cstddef>
#include <vector>

namespace heddle::core {

/// The caller checks empty() before front() and pop_front().
template <class T>
class GrowingRing {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T& front() { return items_[head_]; }

  void push_back(const T& item) {
    if (size_ == items_.size()) grow();
    items_[(head_ + size_++) & (items_.size() - 1)] = item;
  }
  void pop_front() {
    head_ = (head_ + 1) & (items_.size() - 1);
    --size_;
  }

 private:
  void grow() {
    std::vector<T> larger(items_.empty() ? 8 : items_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = items_[(head_ + i) & (items_.size() - 1)];
    items_.swap(larger);
    head_ = 0;
  }
  std::vector<T> items_;  ///< size: a power of two
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

}  // namespace heddle::core
