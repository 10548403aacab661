// What windows (sim/windows.h) count.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace heddle::sim {

struct WindowCounters {
  /// Numbers of host threads that critical is counted for.
  static constexpr std::array<unsigned, 3> kThreads{2, 8, 16};

  std::uint64_t windows = 0;
  std::uint64_t runs = 0;      ///< of a process in a window
  std::uint64_t parallel = 0;  ///< windows that threads shared
  std::uint64_t joins = 0;     ///< how often all have begun to run one after another (AheadGain)
  std::uint64_t in_order = 0;  ///< edges of processes meanwhile, which are not among those below
  std::uint64_t edges = 0;     ///< of processes, arrivals included, and of the rest
  /// The edges that come one after another with so many threads: in a window those of the longest process, or an even share of
  /// all if that is more; and all of the rest.
  std::array<std::uint64_t, kThreads.size()> critical{};

  /// `more` edges, of which `longest` are of one process.
  void add(std::uint64_t more, std::uint64_t longest) {
    edges += more;
    for (std::size_t i = 0; i < kThreads.size(); ++i)
      critical[i] += std::max(longest, (more + kThreads[i] - 1) / kThreads[i]);
  }
  /// How much faster kThreads[i] threads are at most, if every edge takes the same time.
  [[nodiscard]] double speed_up_limit(std::size_t i) const {
    return critical[i] == 0 ? 1 : static_cast<double>(edges) / static_cast<double>(critical[i]);
  }
};

}  // namespace heddle::sim
