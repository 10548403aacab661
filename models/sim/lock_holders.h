// Who took which lock last: the lane whose compare-and-swap or exchange changed a word. Read when a hang is
// diagnosed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::sim {

/// A table of fixed size without search: of two words with one slot the later one is remembered.
class LockHolders {
 public:
  struct Holder {
    std::uint64_t word = ~std::uint64_t{0};  ///< see word_of()
    std::uint64_t warp = 0;                  ///< number of the warp in its grid
    std::uint32_t lane = 0;
    std::uint64_t value = 0;  ///< what it left there
  };

  /// Device memory: the byte address. Shared memory: a number that no address has.
  [[nodiscard]] static std::uint64_t shared_word(std::uint32_t core, std::uint32_t offset) {
    constexpr unsigned kTag = 63, kCore = 32;
    return (std::uint64_t{1} << kTag) | (std::uint64_t{core} << kCore) | offset;
  }
  void took(std::uint64_t word, std::uint64_t warp, std::uint32_t lane, std::uint64_t value) {
    if (slots_.empty()) slots_.resize(kSlots);
    slots_[slot_of(word)] = {word, warp, lane, value};
  }
  /// nullptr: nobody, or forgotten.
  [[nodiscard]] const Holder* last(std::uint64_t word) const {
    if (slots_.empty()) return nullptr;
    const Holder& holder = slots_[slot_of(word)];
    return holder.word == word ? &holder : nullptr;
  }
  void clear() { slots_.clear(); }

 private:
  static constexpr std::size_t kSlots = 1024;
  [[nodiscard]] static std::size_t slot_of(std::uint64_t word) {
    constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15ull;
    constexpr unsigned kTop = 54;  // 64 - log2(kSlots)
    return static_cast<std::size_t>((word * kMix) >> kTop);
  }
  std::vector<Holder> slots_;  ///< empty until the first lock is taken
};

}  // namespace heddle::sim
