// The control-flow protocol: one protocol for every mechanism (stack, AWARE, Multi-Path, Hanoi, compaction
// ...), so that the core does not know which one it has.
//
// The core reports outcomes of instructions; the answer says which issue groups appeared, moved, vanished,
// became blocked or schedulable. An issue group is a set of lanes of one warp that share a PC: the unit of
// fetch and issue. A mechanism numbers its groups 0 .. groups_per_core-1; each number owns an I-buffer.
//
// Sequential flow (pc+1) needs no report unless the group asked for it: every kMoved answer carries a `watch`
// PC, and the core reports kAdvance when the next PC equals it (the stack watches for its reconvergence PC).
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <tlm>
#include <vector>

#include "sim/ids.h"
#include "sim/lane_mask.h"

namespace heddle::simt {

using sim::GroupId;
using sim::kNoPc;
using sim::LaneMask;
using sim::Pc;
using sim::WarpId;

enum class BranchEvent : std::uint8_t {
  kLaunch,          ///< warp starts at `next` with lanes `mask`
  kAdvance,         ///< group's next PC is `next`, which it watches
  kBranch,          ///< group executed a branch: `taken` of `mask` go to `target`, the rest to `next`; `rpc`
  kCall,            ///< like kBranch, into a function; its lanes come back to `next` by kReturn
  kReturn,          ///< `taken` of `mask` leave their function, to `lane_target`; the rest continue at `next`
  kExit,            ///< lanes `mask` of the group ended; the rest continue at `next`
  kBarrierArrive,   ///< group waits at a CTA barrier, to continue at `next`
  kBarrierRelease,  ///< every group of the warp that waits at the barrier may continue
};

enum class GroupChange : std::uint8_t {
  kMoved,        ///< group exists with this pc, mask and watch; what it had fetched is void
  kBlocked,      ///< group keeps its place but may not be fetched or issued
  kSchedulable,  ///< group may be fetched and issued again, at pc
  kVanished,     ///< group is gone
};

struct GroupUpdate {
  GroupId group{};
  GroupChange change = GroupChange::kMoved;
  Pc pc{};
  Pc watch = kNoPc;
  LaneMask mask{};
};

/// Why lanes of a warp are not running, for diagnosis.
struct SuspendedLanes {
  LaneMask mask{};
  Pc at{};  ///< where they wait (reconvergence point, or the start of a path not yet run)
  bool reconverging =
      false;  ///< true: they have arrived at `at` and wait for other lanes; false: waiting to run
};

struct BranchRequest {
  BranchEvent event = BranchEvent::kAdvance;
  WarpId warp{};
  GroupId group{};
  LaneMask mask{};
  LaneMask taken{};
  Pc target = kNoPc;
  /// Where lane l of `taken` goes, if lanes may go to different places (indirect branches and calls,
  /// returns); null: all to `target`. 32 elements.
  const Pc* lane_target = nullptr;
  Pc next = kNoPc;
  Pc rpc = kNoPc;  ///< kBranch: reconvergence PC; kNoPc: only where the function returns or the thread ends

  // Answer
  static constexpr unsigned kMaxUpdates = 8;
  std::array<GroupUpdate, kMaxUpdates> updates{};
  unsigned update_count = 0;
  bool diverged = false;         ///< kBranch, kCall: lanes went to more than one place
  std::uint32_t call_depth = 0;  ///< kCall: how deep the callee is nested, 1: called by the kernel itself

  // transport_dbg only: filled for `warp` where not null. Nothing changes.
  nlohmann::ordered_json* table = nullptr;           ///< the mechanism's tables
  std::vector<SuspendedLanes>* suspended = nullptr;  ///< lanes that do not run now
  std::uint64_t digest = 0;                          ///< hash of the warp's control-flow state

  void add(const GroupUpdate& update) {
    if (update_count == kMaxUpdates)
      throw std::logic_error("BranchRequest: more group updates than one event can have");
    updates[update_count++] = update;
  }
};

struct BranchProtocol {
  using tlm_payload_type = BranchRequest;
  using tlm_phase_type = tlm::tlm_phase;
};

}  // namespace heddle::simt
