// A set of small integers as a bitmap, with the searches that ready lists and round-robin arbiters need.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace heddle::base {

class IndexSet {
 public:
  explicit IndexSet(std::uint32_t capacity = 0) { resize(capacity); }
  /// Empties the set and lets it hold 0 .. capacity-1.
  void resize(std::uint32_t capacity) { words_.assign((capacity + 63) / 64, 0); }

  void insert(std::uint32_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  void erase(std::uint32_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  [[nodiscard]] bool contains(std::uint32_t i) const { return (words_[i / 64] >> (i % 64)) & 1u; }
  [[nodiscard]] bool empty() const {
    for (std::uint64_t word : words_)
      if (word != 0) return false;
    return true;
  }
  void clear() {
    for (std::uint64_t& word : words_) word = 0;
  }

  /// Smallest member >= from.
  [[nodiscard]] std::optional<std::uint32_t> next(std::uint32_t from) const {
    std::size_t w = from / 64;
    if (w >= words_.size()) return std::nullopt;
    std::uint64_t word = words_[w] & (~std::uint64_t{0} << (from % 64));
    while (word == 0) {
      if (++w == words_.size()) return std::nullopt;
      word = words_[w];
    }
    return static_cast<std::uint32_t>(w * 64 + static_cast<unsigned>(std::countr_zero(word)));
  }
  /// The member that follows `last` in cyclic order (possibly `last` itself).
  [[nodiscard]] std::optional<std::uint32_t> next_cyclic(std::uint32_t last) const {
    if (const auto i = next(last + 1)) return i;
    return next(0);
  }

  template <class Fn>
  void for_each(Fn&& fn) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (std::uint64_t word = words_[w]; word != 0; word &= word - 1)
        fn(static_cast<std::uint32_t>(w * 64 + static_cast<unsigned>(std::countr_zero(word))));
  }

  IndexSet& operator|=(const IndexSet& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
    return *this;
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace heddle::base
