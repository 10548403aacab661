// Between the CTA dispatcher and the cores.
#pragma once

#include <optional>

#include "core/protocols/protocol_of.h"
#include "core/warp_context.h"

namespace heddle::core {

/// Dispatcher to core.
struct CtaRequest {
  enum class Op : std::uint8_t {
    kBegin,  ///< a launch begins: `launch`; caches are invalidated, statistics continue
    kFits,   ///< for how many more CTAs of the launch is there room?
    kStart,  ///< start CTA `linear_id` (there was room)
    kEnd,    ///< the launch is over: account idle time up to now
  };
  Op op = Op::kFits;
  const LaunchContext* launch = nullptr;
  std::uint64_t linear_id = 0;
  std::optional<CtaSlot> at{};  ///< kStart: a free slot, see CtaChoice; none: any
  std::uint32_t room = 0;       ///< answer of kFits
  CtaSlot slot{};               ///< answer of kStart: where it is
};
using CtaProtocol = ProtocolOf<CtaRequest>;

class CtaPort : public sim::BlockInitiator<CtaProtocol> {
 public:
  using BlockInitiator::BlockInitiator;
  using Op = CtaRequest::Op;

  void begin(const LaunchContext* launch) { call({.op = Op::kBegin, .launch = launch}); }
  [[nodiscard]] std::uint32_t room() { return call({.op = Op::kFits}).room; }
  CtaSlot start(std::uint64_t linear_id, std::optional<CtaSlot> at) {
    return call({.op = Op::kStart, .linear_id = linear_id, .at = at}).slot;
  }
  void end() { call({.op = Op::kEnd}); }
};

/// Core to dispatcher: a CTA is done and its resources are free.
struct CtaDone {
  std::uint32_t core = 0;
  CtaSlot slot{};
  std::uint64_t linear_id = 0;
};
using CtaDoneProtocol = ProtocolOf<CtaDone>;

}  // namespace heddle::core

HEDDLE_SOCKETS_ELSEWHERE(heddle::core::CtaProtocol);
HEDDLE_SOCKETS_ELSEWHERE(heddle::core::CtaDoneProtocol);
