// Sustained throughput: every warp repeats a body for a given time and counts the repetitions. The difference
// between a longer and a shorter time is free of start and end effects, even if the scheduler is unfair.
#pragma once

#include <functional>
#include <string>

#include "microbench/session.h"

namespace heddle::microbench {

struct Rate {
  double bodies = 0;  ///< executed by all warps within `cycles`
  double cycles = 0;
  [[nodiscard]] double per_cycle() const { return bodies / cycles; }
};

/// Instructions of the loop around the body: four integer instructions and a branch.
inline constexpr std::uint32_t kLoopArithmetic = 4;
inline constexpr std::uint32_t kLoopBranches = 1;

/// A kernel that repeats `body` until the number of cycles in its first parameter has passed. `setup` runs
/// before; parameters it adds come after the first one. All warps of the CTA start the loop together.
[[nodiscard]] TimedKernel repeating(const std::string& name, const std::function<void(TimedKernel&)>& setup,
                                    const std::function<void(TimedKernel&)>& body);

/// Bodies completed in the time.
[[nodiscard]] double bodies(const TimedRun& run);

/// Core cycles per load of `passes` passes, with `loads` loads and `others` other instructions in the body,
/// needed to fetch the loop (one warp per cycle) and to issue it, including the replays of loads with several
/// passes.
[[nodiscard]] double loop_interval(const gpu::GpuConfig& config, std::uint32_t loads, double passes,
                                   std::uint32_t others);

/// Rate between `cycles` and 3 x `cycles`.
template <class... T>
Rate sustained(Session& session, const TimedKernel& kernel, std::uint32_t ctas, std::uint32_t threads,
               std::uint32_t cycles, const T&... arguments) {
  const LoadedKernel loaded = session.load(kernel);
  (void)session.run(loaded, ctas, threads, 0u, arguments...);  // brings the code into L2
  const double shorter = bodies(session.run(loaded, ctas, threads, cycles, arguments...));
  const double longer = bodies(session.run(loaded, ctas, threads, 3 * cycles, arguments...));
  return {longer - shorter, 2.0 * cycles};
}

}  // namespace heddle::microbench
