// FIFOs that do not allocate while a simulation runs: one of fixed capacity, one that grows to what it needs.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace heddle::base {

/// The caller checks full() before push_back() and empty() before front() and pop_front().
template <class T>
class Ring {
 public:
  Ring() = default;
  explicit Ring(std::size_t capacity) : items_(capacity), capacity_(capacity) {}

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] bool full() const { return size_ == capacity_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] std::size_t space() const { return capacity_ - size_; }
  [[nodiscard]] T& front() { return items_[head_]; }
  [[nodiscard]] const T& front() const { return items_[head_]; }
  /// i-th from the front.
  [[nodiscard]] T& operator[](std::size_t i) { return items_[wrap(head_ + i)]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return items_[wrap(head_ + i)]; }

  T& push_back(T item) {
    T& slot = items_[wrap(head_ + size_++)];
    slot = std::move(item);
    return slot;
  }
  /// A slot at the end, with whatever was in it before: for large items that are filled in place.
  T& push_back() { return items_[wrap(head_ + size_++)]; }
  void pop_front() {
    head_ = wrap(head_ + 1);
    --size_;
  }

 private:
  [[nodiscard]] std::size_t wrap(std::size_t i) const { return i >= capacity_ ? i - capacity_ : i; }
  std::vector<T> items_;
  std::size_t capacity_ = 0;  ///< = items_.size(), which is a division by sizeof(T)
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

/// Keeps its storage: no allocation once it has been as long as it gets. The caller checks empty() before front()
/// and pop_front().
template <class T>
class GrowingRing {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T& front() { return items_[head_]; }
  [[nodiscard]] const T& front() const { return items_[head_]; }
  /// i-th from the front.
  [[nodiscard]] T& operator[](std::size_t i) { return items_[(head_ + i) & (items_.size() - 1)]; }

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

}  // namespace heddle::base
