// Classifies a hang by what the lanes wait for: the wait-for graph over lanes, warps, CTAs, locks, barriers
// and undispatched CTAs, built from what-if questions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hang/hang_proof.h"
#include "hang/snapshot.h"

namespace heddle::hang {

enum class HangKind {
  kSimtInduced,      ///< the awaited lanes are blocked by the control-flow mechanism of their own warp
  kLockOrder,        ///< lanes hold locks and wait for each other's in a cycle
  kNobodyWrites,     ///< a value that no lane will write
  kCtaNotResident,   ///< a value that only a CTA which cannot start would write
  kBarrierMismatch,  ///< a barrier that too few threads reach
  kWarpSync,         ///< lanes of a member mask that do not arrive
  kInfiniteLoop,     ///< nothing ends the loop
  kLivelock,         ///< values change, but never to the awaited one
  kConvergence,      ///< lanes of a barrier register that neither arrive nor leave
  kStarvation,       ///< lanes that are ready but never scheduled
  kPassedOver,       ///< lanes that could run but are never selected by their warp's control-flow mechanism
  // Of transactions: their mechanism times them (models/tm).
  kTransactionStarves,   ///< its attempts fail, while others commit
  kTransactionLivelock,  ///< its attempts fail, and nobody commits
  kTransactionAborts,    ///< it gives up each attempt by itself
  kTransactionLoops,     ///< an attempt does not come to its end
  kTransactionWaits,     ///< nobody says what becomes of its attempt
};

/// The term used for it in the first line of a diagnosis.
[[nodiscard]] std::string_view kind_name(HangKind kind);

struct HangReport {
  HangKind kind = HangKind::kNobodyWrites;
  std::string how = "no progress";   ///< it was found
  std::string title;                 ///< kind_name() and its qualifiers
  std::vector<std::string> details;  ///< who waits for what
  std::string remedy;
  std::uint64_t steps = 0;  ///< instructions that were explored for it
};

/// Instructions that naming a hang may explore, about a second.
inline constexpr std::uint64_t kMostNamingSteps = 1'000'000;

/// For a snapshot in which provably no lane will exit.
[[nodiscard]] HangReport classify(const Snapshot& snapshot, std::uint64_t most_steps = kMostNamingSteps);

/// For one of a machine whose running lanes have only repeated themselves for long, without a proof, while others that could
/// run were not selected.
[[nodiscard]] HangReport passed_over(const Snapshot& snapshot);

}  // namespace heddle::hang
