// Lanes that may go on behind a CTA barrier, towards an extension of the core that decides when they do.
#pragma once

#include "core/protocols/protocol_of.h"
#include "core/warp_context.h"

namespace heddle::core {

/// Core to extension: the barrier is complete. `kept`: the lanes wait until the extension gives them back.
struct ReleaseRequest {
  WarpId warp{};
  LaneMask lanes;
  bool kept = false;
};
using ReleaseProtocol = ProtocolOf<ReleaseRequest>;

class ReleasePort : public sim::BlockInitiator<ReleaseProtocol> {
 public:
  using BlockInitiator::BlockInitiator;

  [[nodiscard]] bool keeps(WarpId warp, LaneMask lanes) { return call({warp, lanes}).kept; }
};

/// Extension to core, at any time: the lanes go on after the barrier's latency.
struct ReleaseControl {
  WarpId warp{};
  LaneMask lanes;
};
using ReleaseControlProtocol = ProtocolOf<ReleaseControl>;

class ReleaseControlPort : public sim::BlockInitiator<ReleaseControlProtocol> {
 public:
  using BlockInitiator::BlockInitiator;

  void go_on(WarpId warp, LaneMask lanes) { call({warp, lanes}); }
};

}  // namespace heddle::core

HEDDLE_SOCKETS_ELSEWHERE(heddle::core::ReleaseProtocol);
HEDDLE_SOCKETS_ELSEWHERE(heddle::core::ReleaseControlProtocol);
