#include "spin/spin_hash.h"

namespace heddle::spin {

std::uint32_t hash(HashFunction function, std::uint64_t value, std::uint32_t bits) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  if (function == HashFunction::kModulo) return static_cast<std::uint32_t>(value & mask);
  std::uint64_t folded = 0;
  for (; value != 0; value >>= bits) folded ^= value & mask;
  return static_cast<std::uint32_t>(folded);
}

}  // namespace heddle::spin
