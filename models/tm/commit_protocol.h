// How attempts of a core's warps commit, as their life sees it (attempts.h): by commit units (committer.h), or in no time, as
// a yardstick (comparison/ideal_transactions.h).
#pragma once

#include <cstdint>
#include <exception>
#include <functional>

#include "base/ids.h"
#include "base/lane_mask.h"

namespace heddle::tm {

/// Where a commit, or a validation on the way, is.
enum class CommitStage : std::uint8_t {
  kNone,
  kResolves,  ///< conflicts within the warp are looked for
  kCredits,   ///< waits for entries of the commit units
  kIds,       ///< waits for the vendor
  kTransfer,  ///< logs go to the commit units
  kWaits,     ///< for outcomes
};

class CommitProtocol {
 public:
  virtual ~CommitProtocol() = default;

  /// An attempt with no access under way.
  struct Attempt {
    base::WarpId warp{};
    base::LaneMask lanes;
    base::LaneMask faulted;    ///< have done what is a fault if what they have read is valid
    std::exception_ptr fault;  ///< of these; thrown if it is
    std::uint64_t grid_warp = 0;
  };
  /// The attempt commits: on_resolved, at once or later.
  virtual void commit(const Attempt& attempt) = 0;
  /// What it has read so far is validated, and nothing of it committed: on_validated.
  virtual void validate(const Attempt& attempt) = 0;
  [[nodiscard]] virtual CommitStage stage(base::WarpId id) const = 0;
  /// While an attempt commits: lanes that have nothing left to do, of these those that have committed.
  struct Outcome {
    base::LaneMask finished, passed;
  };
  [[nodiscard]] virtual Outcome outcome(base::WarpId id) const = 0;

  /// Of an attempt that is resolved.
  struct Conclusion {
    base::LaneMask passed;
    base::LaneMask losers;  ///< of those that have not: conflicted with lower lanes of the warp
  };
  /// Once for each. Who listens hears of transactions that no unit has been asked about.
  [[nodiscard]] virtual Conclusion conclude(base::WarpId id) = 0;

  /// Fences may have to wait for transactions before them.
  [[nodiscard]] virtual bool holds_fences() const = 0;
  /// Whether that of `lanes` does; then the commit gate is asked again.
  [[nodiscard]] virtual bool holds_fence(base::WarpId id, base::LaneMask lanes) = 0;

  virtual void tick(base::Cycle cycle) = 0;
  /// When tick() must be called again, unless the core is woken earlier.
  [[nodiscard]] virtual base::Cycle due(base::Cycle now) const = 0;

  struct Counters {
    std::uint64_t credit_waits = 0, fence_waits = 0, resolution_steps = 0, false_conflicts = 0;
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }

  std::function<void(base::WarpId)> on_resolved;
  std::function<void(base::WarpId, base::LaneMask invalid)> on_validated;

 protected:
  Counters counters_;
};

}  // namespace heddle::tm
