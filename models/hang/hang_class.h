// Names a hang by what the lanes wait for: the wait-for graph over lanes, warps, CTAs, locks, barriers and
// CTAs that were not dispatched, asked by "what would happen if".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hang/hang_proof.h"
#include "hang/snapshot.h"

namespace heddle::hang {

enum class HangKind {
  kSimtInduced,      ///< the lanes waited for are held back by the mechanism of their own warp
  kLockOrder,        ///< lanes hold locks that they wait for in a ring
  kNobodyWrites,     ///< a value that no lane will write
  kCtaNotResident,   ///< a value that a CTA would write which cannot start
  kBarrierMismatch,  ///< a barrier that too few threads reach
  kWarpSync,         ///< lanes of a member mask that do not come
  kInfiniteLoop,     ///< nothing ends the loop
  kLivelock,         ///< values change, and never to what is waited for
  kStarvation,       ///< lanes that could run and are never chosen
};

/// The words that name it in the first line of a diagnosis.
[[nodiscard]] std::string_view kind_name(HangKind kind);

struct HangReport {
  HangKind kind = HangKind::kNobodyWrites;
  std::string title;                 ///< kind_name() and what belongs to it
  std::vector<std::string> details;  ///< who waits for what
  std::string remedy;
};

/// Of a snapshot of which it is certain that no lane will end.
[[nodiscard]] HangReport classify(const Snapshot& snapshot);

}  // namespace heddle::hang
