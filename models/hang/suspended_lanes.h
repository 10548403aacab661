// Lanes that a warp's control-flow mechanism does not run, as it tells: for proof, name and words of a hang. The one record of
// it from the mechanism (simt::ControlFlowRequest::suspended) to the diagnosis.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/lane_mask.h"

namespace heddle::hang {

/// Why lanes of a warp are not running.
enum class Suspension : std::uint8_t {
  kReconverging,  ///< they have arrived at `at` and wait there for other lanes
  kNotStarted,    ///< their side of a branch, which starts at `at`, has not run yet
  kTurn,          ///< they could go on at `at`, other lanes of the warp have their turn
  kNoTurn,        ///< they could go on at `at`, but lanes of the warp that run give them no turn
  kPriority,      ///< they could go on at `at`, lanes of the warp that go before them have not passed it
  kBarrier,       ///< they wait at a CTA barrier or a .sync instruction, to go on at `at`
};

struct SuspendedLanes {
  base::LaneMask mask{};
  base::Pc at{};  ///< where they continue
  Suspension why = Suspension::kNotStarted;
  /// Lanes of the warp have to come to one of these PCs before these may go on (kNoPc: to leave their
  /// function or end). Empty: they need nobody.
  std::vector<base::Pc> until{};
  bool until_blocked = false;  ///< or to wait at a barrier or .sync instruction
  bool until_behind = false;   ///< or to come to any PC behind `at`
  bool until_cta = false;      ///< lanes of any warp of the CTA do, not only of their own
  /// They wait at the convergence barrier of this barrier register, for the lanes `missing`.
  std::uint32_t barrier = kNoBarrier;
  base::LaneMask missing{};
  bool spilled = false;        ///< the register is invalid: its lanes are in a general register
  const char* hint = nullptr;  ///< what keeps them there besides the program, and what to set against it
  bool passed_over = false;    ///< they could run, have not been chosen for long, and need never be
  static constexpr std::uint32_t kNoBarrier = ~0u;
};

}  // namespace heddle::hang
