// Puts BSSY, BSYNC, BREAK, YIELD and BMOV into kernels that have no convergence instructions ([Hanoi:P1],
// README.md).
#pragma once

#include <functional>
#include <string>

#include "compiler/convergence/allocation.h"
#include "compiler/convergence/regions.h"
#include "compiler/pipeline.h"

namespace heddle::compiler {

/// Where lanes meet that leave a loop in which others wait for them ([Hanoi:P1], step 2 and rules a and b).
enum class DelayedMeeting : std::uint8_t {
  kOff,  ///< where all lanes meet; they wait for each other forever if the others need what comes behind
  kNear,  ///< behind the writes that may end the waiting and are reached without another iteration of a loop around
  kFar,  ///< behind all such writes
};

/// Which of the loops whose lanes may wait for others begin with YIELD.
enum class Yields : std::uint8_t {
  kOff,
  kNeeded,  ///< those that lanes of their own warp may wait in for others that are elsewhere
  kAll,     ///< all, as ptxas does it
};

struct ConvergenceOptions {
  DelayedMeeting delay = DelayedMeeting::kFar;
  bool waits_by_weak_loads = false;  ///< loops may also wait by loads that a compiler could take out of them
  Yields yields = Yields::kNeeded;
  bool breaks = true;     ///< BREAK on the edges that leave a region; false: for showing what it is good for
  bool recursion = true;  ///< regions in recursive functions, where that is safe
  RegionOptions regions;
  AllocationOptions allocation;
  /// A kernel (`entry`) or a function whose loops wait for nobody.
  std::function<bool(const std::string& name, bool entry)> excepted;
};

struct PlacementReport {
  struct Region {
    base::Pc opens{};  ///< the BSSY
    base::Pc meets{};  ///< the BSYNC
    std::uint8_t barrier = 0;
    bool spilled = false;
    bool early = false;
    bool waits = false;       ///< of a loop in which lanes may wait for others
    bool saved = false;       ///< in a recursive function, which keeps the barrier register in its frame
    std::size_t leaving = 0;  ///< edges on which lanes leave it
  };
  std::vector<Region> regions;  ///< by function, outer before inner
  std::uint32_t dropped = 0;    ///< regions that were dropped (Allocation)
  std::uint32_t nested = 0;  ///< calls of a recursion that may have regions at the same time; 0: none has any
};
/// For a kernel without convergence instructions.
PlacementReport place_convergence(isa::Kernel& kernel, const ConvergenceOptions& options);

/// Kernels with convergence instructions stay as they are.
class PlaceConvergence : public Pass {
 public:
  explicit PlaceConvergence(ConvergenceOptions options) : options_(std::move(options)) {}
  [[nodiscard]] std::string_view name() const override { return "place_convergence"; }
  void run(isa::Kernel& kernel) const override;

 private:
  ConvergenceOptions options_;
};

/// Whether the code says where its lanes meet.
[[nodiscard]] bool has_convergence(const isa::Kernel& kernel);

}  // namespace heddle::compiler
