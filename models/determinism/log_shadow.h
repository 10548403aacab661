// Contents of logs that cost nothing (determinism.log.cost=none): what stores would have brought to memory and loads from it,
// without an access. With the same contents, the difference in time is what logs cost ([GPUDet] §6.3.1).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>

#include "warp_log/log_traffic.h"

namespace heddle::determinism {

class LogShadow {
 public:
  void store(std::uint64_t address, std::span<const std::uint32_t> words) {
    std::ranges::copy(words, line(address).begin() + word(address));
  }
  /// Within a line; valid until the next call.
  [[nodiscard]] std::span<const std::uint32_t> load(std::uint64_t address, unsigned words) {
    return std::span(line(address)).subspan(word(address), words);
  }

 private:
  static constexpr std::uint64_t kLineBytes = warp_log::kLineWords * 4;
  using Line = std::array<std::uint32_t, warp_log::kLineWords>;
  [[nodiscard]] Line& line(std::uint64_t address) { return lines_[address / kLineBytes]; }
  [[nodiscard]] static unsigned word(std::uint64_t address) {
    return static_cast<unsigned>(address % kLineBytes / 4);
  }

  std::unordered_map<std::uint64_t, Line> lines_;
};

}  // namespace heddle::determinism
