// A CTA: warps, shared memory, barriers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "oracle/sass/warp.h"

namespace heddle::oracle::machine_code {

/// A barrier counts threads in units of warps: a warp with a thread that has arrived counts its arrived and its exited
/// threads. Of a barrier for the whole CTA, warps that have exited count too.
class CtaBarrier {
 public:
  static constexpr unsigned kCount = 16;
  enum class Reduction : std::uint8_t { kPopc, kAnd, kOr };

  /// Lanes of a warp arrive. `threads`: for how many the barrier is. `yes`: those with a true predicate. The answer is
  /// empty, or says why they cannot.
  [[nodiscard]] std::string arrive(std::size_t warp, std::uint32_t lanes, std::uint32_t threads,
                                   std::uint32_t yes, std::size_t warps);
  /// Whether all are there; never, if none is.
  [[nodiscard]] bool complete(const std::vector<Warp>& warps) const;
  [[nodiscard]] std::uint32_t result(Reduction how) const;

 private:
  std::vector<std::uint32_t> arrived_;  ///< lanes by warp; empty: none
  std::uint32_t expected_ = 0;
  std::uint32_t threads_ = 0;
  std::uint32_t yes_ = 0;
};

struct Cta {
  std::array<std::uint32_t, 3> id{};
  std::vector<Warp> warps;
  std::vector<std::byte> shared;
  std::array<CtaBarrier, CtaBarrier::kCount> barriers{};

  [[nodiscard]] bool finished() const {
    for (const Warp& warp : warps)
      if (warp.live != 0) return false;
    return true;
  }
};

}  // namespace heddle::oracle::machine_code
