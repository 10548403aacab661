// Transactions that take longer than tm.hang_cycles, all attempts together: they end the launch, with what is known of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "system/gpu_mechanism.h"
#include "tm/attempts.h"
#include "tm/look_queue.h"

namespace heddle::tm {

class HangWatch {
 public:
  /// `hang_cycles`: 0: transactions may take any time. `core`: its number in the GPU.
  HangWatch(std::uint64_t hang_cycles, std::uint32_t core, std::size_t warps, const Attempts& attempts,
            const CommitProtocol& commit, const TransactionShared& shared)
      : hang_cycles_(hang_cycles),
        core_(core),
        attempts_(attempts),
        commit_(commit),
        shared_(shared),
        committed_before_(warps) {}

  void begin_launch(const core::LaunchContext* launch) { launch_ = launch; }
  /// A transaction of the warp begins.
  void begin(WarpId id);
  /// A cycle.
  void tick(Cycle cycle) {
    if (!looks_.empty()) look(cycle);
  }
  [[nodiscard]] Cycle due(Cycle now) const { return std::max(looks_.due(), now + 1); }

 private:
  void look(Cycle cycle);
  [[nodiscard]] system::MechanismHang story_of(WarpId id, Cycle now) const;
  /// What it has been at for most of its time.
  [[nodiscard]] hang::HangKind kind_of(WarpId id, Cycle now) const;

  const std::uint64_t hang_cycles_;
  const std::uint32_t core_;
  const Attempts& attempts_;
  const CommitProtocol& commit_;
  const TransactionShared& shared_;
  const core::LaunchContext* launch_ = nullptr;
  LookQueue looks_;
  std::vector<std::uint64_t> committed_before_;  ///< by warp: transactions of all cores, when its own began
  bool told_ = false;
};

}  // namespace heddle::tm
