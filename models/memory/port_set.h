// A set of ports as a bit vector in storage owned by somebody else: many small sets fit side by side in one
// array.
#pragma once

#include <bit>
#include <cstdint>

namespace heddle::memory {

/// Refers to `count` words; bit i % 64 of word i / 64 stands for port i.
class PortSet {
 public:
  PortSet(std::uint64_t* words, unsigned count) : words_(words), count_(count) {}
  [[nodiscard]] static unsigned words_for(unsigned ports) { return (ports + 63) / 64; }

  void insert(unsigned i) const { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  void erase(unsigned i) const { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  [[nodiscard]] bool empty() const {
    std::uint64_t any = words_[0];
    for (unsigned w = 1; w < count_; ++w) any |= words_[w];
    return any == 0;
  }
  /// The member that follows `last` in cyclic order (possibly `last` itself); the set is not empty.
  [[nodiscard]] unsigned next_cyclic(unsigned last) const {
    unsigned w = last / 64;
    // Two shifts, because the total may be 64 bits.
    std::uint64_t word = words_[w] & (~std::uint64_t{0} << (last % 64) << 1);
    while (word == 0) {
      w = w + 1 == count_ ? 0 : w + 1;
      word = words_[w];
    }
    return w * 64 + static_cast<unsigned>(std::countr_zero(word));
  }
  /// The same of those that are in `others` as well; there are some.
  [[nodiscard]] unsigned next_cyclic(unsigned last, const PortSet& others) const {
    unsigned w = last / 64;
    std::uint64_t word = words_[w] & others.words_[w] & (~std::uint64_t{0} << (last % 64) << 1);
    while (word == 0) {
      w = w + 1 == count_ ? 0 : w + 1;
      word = words_[w] & others.words_[w];
    }
    return w * 64 + static_cast<unsigned>(std::countr_zero(word));
  }
  [[nodiscard]] bool contains(unsigned i) const { return (words_[i / 64] >> (i % 64) & 1u) != 0; }
  [[nodiscard]] bool meets(const PortSet& others) const {
    std::uint64_t any = words_[0] & others.words_[0];
    for (unsigned w = 1; w < count_; ++w) any |= words_[w] & others.words_[w];
    return any != 0;
  }
  /// `fn` may insert and erase members. It is called for the members of a 64-bit word that were present when
  /// that word was reached.
  template <class Fn>
  void for_each(Fn&& fn) const {
    for (unsigned w = 0; w < count_; ++w)
      for (std::uint64_t word = words_[w]; word != 0; word &= word - 1)
        fn(w * 64 + static_cast<unsigned>(std::countr_zero(word)));
  }

 private:
  std::uint64_t* words_;
  unsigned count_;
};

}  // namespace heddle::memory
