// Warp schedulers: which of the groups that can issue does.
#pragma once

#include <cstdint>

#include "base/index_set.h"
#include "core/protocols/protocol_of.h"
#include "core/warp_context.h"

namespace heddle::core {

/// The groups of a core, for who chooses among them.
class GroupReader {
 public:
  virtual ~GroupReader() = default;
  [[nodiscard]] virtual WarpId warp(GroupId group) const = 0;  ///< whose slot it occupies
  [[nodiscard]] virtual LaneMask lanes(GroupId group) const = 0;
  [[nodiscard]] virtual Pc pc(GroupId group) const = 0;  ///< of its next instruction
};

struct SchedulerRequest {
  enum class Op : std::uint8_t {
    kAssign,       ///< warp was launched: it becomes the youngest
    kLeave,        ///< warp is gone
    kJoin,         ///< `group` is there: of its warp's groups the last to have its turn
    kPick,         ///< choose one of `candidates`, which then issues
    kLongLatency,  ///< all of the warp waits for memory, a fence or a barrier
    kMemoryRoom,   ///< memory instructions of its warps can issue again: a full queue has room
    kIssued,  ///< timing: contract: `group`, which a kPick of this cycle or of an earlier one chose, issues
  };
  Op op = Op::kPick;
  WarpId warp{};          ///< all but kPick, kMemoryRoom
  GroupId group{};        ///< kJoin, kIssued; answer of kPick
  std::uint64_t cta = 0;  ///< kAssign: number of the warp's CTA in the order in which the core was given them
  Cycle cycle = 0;
  const base::IndexSet* candidates = nullptr;  ///< kPick: groups that can issue now; not empty
  bool found = false;                          ///< answer of kPick: false: the policy holds them all back
  Cycle due = kNever;  ///< answer, not found: the first cycle in which the same candidates may be picked from
  /// Answer, not found: what the slot is charged to. 0: the policy holds them back; else the number of a unit's cause
  /// (schedule/scheduler_interposer.h), or of `block_busy`.
  std::uint8_t cause = 0;
  const GroupReader* groups = nullptr;  ///< kPick; valid during the call
};
using SchedulerProtocol = ProtocolOf<SchedulerRequest>;

class SchedulerPort : public sim::BlockInitiator<SchedulerProtocol> {
 public:
  using BlockInitiator::BlockInitiator;
  using Op = SchedulerRequest::Op;

  void assign(WarpId warp, std::uint64_t cta, Cycle cycle) {
    call({.op = Op::kAssign, .warp = warp, .cta = cta, .cycle = cycle});
  }
  void leave(WarpId warp, Cycle cycle) { call({.op = Op::kLeave, .warp = warp, .cycle = cycle}); }
  void join(GroupId group) { call({.op = Op::kJoin, .group = group}); }
  void issued(WarpId warp, GroupId group, Cycle cycle) {
    call({.op = Op::kIssued, .warp = warp, .group = group, .cycle = cycle});
  }
  void long_latency(WarpId warp) { call({.op = Op::kLongLatency, .warp = warp}); }
  void memory_room() { call({.op = Op::kMemoryRoom}); }
  [[nodiscard]] SchedulerRequest pick(const base::IndexSet& candidates, const GroupReader& groups,
                                      Cycle cycle) {
    SchedulerRequest request{.op = Op::kPick, .cycle = cycle, .candidates = &candidates, .groups = &groups};
    call(request);
    return request;
  }
};

}  // namespace heddle::core

HEDDLE_SOCKETS_ELSEWHERE(heddle::core::SchedulerProtocol);
