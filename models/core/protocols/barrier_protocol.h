// CTA barriers.
#pragma once

#include <cstdint>
#include <vector>

#include "core/protocols/protocol_of.h"
#include "core/warp_context.h"
#include "isa/instruction.h"

namespace heddle::core {

inline constexpr unsigned kBarriersPerCta = 16;

/// Lanes of a warp that need not wait any longer at a barrier, and what they are to be given.
struct BarrierRelease {
  WarpId warp{};
  LaneMask waiting;  ///< the lanes that arrived together
  LaneMask lanes;    ///< of these, those that take the result of a reduction
  const isa::Instruction* instruction = nullptr;
  std::uint32_t result = 0;  ///< of a reduction: the count, or the predicate as 0 or 1
};

struct BarrierRequest {
  enum class Op : std::uint8_t {
    kArrive,   ///< `threads` of the CTA arrive at barrier `id` and their warp waits if `waits`
    kExit,     ///< `threads` of the CTA have exited
    kLaunch,   ///< the CTA slot is reused by a CTA of `threads`
    kInspect,  ///< debug: arrived and expected threads of `id`
    kFind,     ///< debug: the barrier `id` at which lanes `waiting` of `warp` wait, and its threads
  };
  Op op = Op::kArrive;
  CtaSlot cta{};
  std::uint32_t id = 0;  ///< below kBarriersPerCta
  std::uint32_t threads = 0;
  std::uint32_t expected =
      0;  ///< kArrive: thread count of the instruction, 0: all live threads of the CTA; answer of kInspect
  WarpId warp{};
  bool waits = true;
  LaneMask waiting{};                             ///< kArrive: the lanes that arrive
  LaneMask lanes{};                               ///< kArrive: those of them that take a reduction's result
  LaneMask predicate{};                           ///< kArrive at a reduction: those of them where it is true
  const isa::Instruction* instruction = nullptr;  ///< kArrive; given back with the release

  // Answer
  std::uint32_t arrived = 0;
  std::vector<BarrierRelease>* released = nullptr;  ///< caller's list: warps whose wait ended are appended
};
using BarrierProtocol = ProtocolOf<BarrierRequest>;

class BarrierPort : public sim::BlockInitiator<BarrierProtocol> {
 public:
  using BlockInitiator::BlockInitiator;
  using Op = BarrierRequest::Op;

  void launch(CtaSlot cta, std::uint32_t threads) {
    call({.op = Op::kLaunch, .cta = cta, .threads = threads});
  }
  void arrive(BarrierRequest& arrival) { call(arrival); }
  void exit(CtaSlot cta, std::uint32_t threads, std::vector<BarrierRelease>& released) {
    call({.op = Op::kExit, .cta = cta, .threads = threads, .released = &released});
  }
  // Questions. Nothing changes.
  /// `arrived` and `expected` threads of barrier `id`.
  [[nodiscard]] BarrierRequest look(CtaSlot cta, std::uint32_t id) {
    return call({.op = Op::kInspect, .cta = cta, .id = id});
  }
  /// The barrier at which the lanes wait; `arrived` is 0 if there is none.
  [[nodiscard]] BarrierRequest find(CtaSlot cta, WarpId warp, LaneMask lanes) {
    return call({.op = Op::kFind, .cta = cta, .warp = warp, .waiting = lanes});
  }
};

}  // namespace heddle::core

HEDDLE_SOCKETS_ELSEWHERE(heddle::core::BarrierProtocol);
