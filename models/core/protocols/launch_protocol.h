// Core to blocks that keep something of the kernel that runs.
#pragma once

#include "core/protocols/protocol_of.h"

namespace heddle::core {

struct LaunchContext;

/// A launch begins; nothing of the one before is under way.
struct LaunchNotice {
  const LaunchContext* launch = nullptr;  ///< stays until the next one
};
using LaunchProtocol = ProtocolOf<LaunchNotice>;

class LaunchPort : public sim::BlockInitiator<LaunchProtocol> {
 public:
  using BlockInitiator::BlockInitiator;

  void begins(const LaunchContext* launch) { call({launch}); }
};

}  // namespace heddle::core

HEDDLE_SOCKETS_ELSEWHERE(heddle::core::LaunchProtocol);
