// Bloom signatures of sets of words, as hardware transactional memories before Kilo TM have them ([KiloTM] §4.1.1, §4.2.2):
// equal sub-arrays of bits, an H3 hash function each. Not the filter of a log (warp_log/bloom_filter.h): it has any size, and
// two signatures can be intersected.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "tm/h3_hash.h"

namespace heddle::tm {

/// Of all signatures that are compared with each other. `bits` / `arrays`: a power of two.
struct SignatureShape {
  SignatureShape(std::uint32_t bits, std::uint32_t sub_arrays, std::uint64_t seed)
      : arrays(sub_arrays),
        array_words((bits / sub_arrays + kWordBits - 1) / kWordBits),
        hash(sub_arrays, static_cast<unsigned>(std::countr_zero(bits / sub_arrays)), seed) {}

  static constexpr std::uint32_t kWordBits = 64;
  std::uint32_t arrays;
  std::uint32_t array_words;  ///< of storage, of each sub-array
  H3Hash hash;
};

class Signature {
 public:
  [[nodiscard]] bool empty() const { return !any_; }
  void clear() {
    if (any_) bits_.assign(bits_.size(), 0);
    any_ = false;
  }
  void insert(const SignatureShape& shape, std::uint64_t key) {
    bits_.resize(std::size_t{shape.arrays} * shape.array_words);
    any_ = true;
    for (std::uint32_t j = 0; j < shape.arrays; ++j) {
      const std::uint32_t bit = shape.hash(j, key);
      bits_[j * shape.array_words + bit / SignatureShape::kWordBits] |= std::uint64_t{1}
                                                                        << bit % SignatureShape::kWordBits;
    }
  }
  /// False: it has not been inserted. True: it may have been.
  [[nodiscard]] bool may_hold(const SignatureShape& shape, std::uint64_t key) const {
    if (!any_) return false;
    for (std::uint32_t j = 0; j < shape.arrays; ++j) {
      const std::uint32_t bit = shape.hash(j, key);
      if ((bits_[j * shape.array_words + bit / SignatureShape::kWordBits] >> bit % SignatureShape::kWordBits &
           1u) == 0)
        return false;
    }
    return true;
  }
  /// False: the sets have nothing in common. True, if every sub-array has a common bit: they may have.
  [[nodiscard]] bool may_meet(const SignatureShape& shape, const Signature& other) const {
    if (!any_ || !other.any_) return false;
    for (std::uint32_t j = 0; j < shape.arrays; ++j) {
      std::uint64_t common = 0;
      for (std::uint32_t w = j * shape.array_words; w < (j + 1) * shape.array_words; ++w)
        common |= bits_[w] & other.bits_[w];
      if (common == 0) return false;
    }
    return true;
  }

 private:
  bool any_ = false;
  std::vector<std::uint64_t> bits_;
};

}  // namespace heddle::tm
