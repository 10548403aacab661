// H3 hash functions ([KiloTM] §4.4.3): the index is the exclusive or of the fixed random rows that the key's bits select.
// The thesis gives no rows ([KiloTM:A19]): they come from a seed, so that RTL can have the same ones.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace heddle::tm {

class H3Hash {
 public:
  static constexpr unsigned kKeyBits = 32;

  /// Indices of `bits` bits of `functions` different functions.
  H3Hash(unsigned functions, unsigned bits, std::uint64_t seed) : rows_(functions) {
    std::uint64_t x = seed;
    for (auto& of_function : rows_)
      for (std::uint32_t& row : of_function) {
        // splitmix64
        std::uint64_t z = x += 0x9e37'79b9'7f4a'7c15ull;
        z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11ebull;
        row = static_cast<std::uint32_t>((z ^ (z >> 31)) & ((std::uint64_t{1} << bits) - 1));
      }
  }

  [[nodiscard]] std::uint32_t operator()(unsigned function, std::uint64_t key) const {
    std::uint32_t index = 0;
    for (auto left = static_cast<std::uint32_t>(key ^ (key >> kKeyBits)); left != 0; left &= left - 1)
      index ^= rows_[function][static_cast<unsigned>(std::countr_zero(left))];
    return index;
  }

 private:
  std::vector<std::array<std::uint32_t, kKeyBits>> rows_;
};

}  // namespace heddle::tm
