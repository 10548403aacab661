// Random numbers that perturb timing ([GPUDet] §2.2, §5.2): what a block's key `perturb_seed` turns on.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::base {

/// The stream of a block with this path: FNV-1a.
[[nodiscard]] constexpr std::uint64_t stream_of(std::string_view path) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325ull;
  for (const char c : path) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3ull;
  return hash;
}

/// splitmix64, identical on every machine. A block owns one of its own, so that what it draws does not depend on
/// the order in which blocks are made or run. Off with seed 0: the block tests on() and draws nothing.
class Perturbation {
 public:
  Perturbation() = default;
  /// `stream`: which of the blocks with this seed.
  Perturbation(std::uint64_t seed, std::uint64_t stream) : on_(seed != 0), state_(seed) {
    state_ = next() + stream;
    state_ = next();
  }
  [[nodiscard]] bool on() const { return on_; }
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e37'79b9'7f4a'7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11ebull;
    return z ^ (z >> 31);
  }
  /// 0..bound-1; bound at least 1.
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(next() % bound); }

 private:
  bool on_ = false;
  std::uint64_t state_ = 0;
};

}  // namespace heddle::base
