// The control-flow protocol: one protocol for every mechanism (stack, AWARE, Multi-Path, Hanoi, compaction
// ...), so that the core does not know which one it has.
//
// The core reports outcomes of instructions; the answer says which issue groups appeared, moved, vanished,
// became blocked or schedulable. An issue group is a set of lanes of one warp that share a PC: the unit of
// fetch and issue. Each group number owns an I-buffer; warp w has the numbers w * groups_per_warp ...
// (w+1) * groups_per_warp - 1.
//
// An answer without an update for the group that asked means: it goes on at `next` with the lanes, watches and
// hold that it has, and what it has fetched stays. So an instruction that changes tables but not the flow costs
// no refetch. Nothing else is left out: a group that moves, blocks or vanishes is named.
//
// Sequential flow (pc+1) needs no report unless the group asked for it: every kMoved answer carries up to two
// PCs to watch for, and the core reports kAdvance when the next PC equals one of them (the stack watches for its
// reconvergence PC).
//
// Events come in families; a mechanism serves those that it has a function for (control_flow.h) and refuses the
// others under its name.
//
// Time passes for a mechanism only if it asks: an answer names the cycle at which it is `due`, and the core
// reports kTick then. The latest answer counts, for the whole core.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <tlm>
#include <vector>

#include "base/ids.h"
#include "base/lane_mask.h"
#include "hang/suspended_lanes.h"
#include "isa/instruction.h"
#include "isa/program_facts.h"
#include "sim/block_socket.h"
#include "simt/formation.h"

namespace heddle::simt {

using base::Cycle;
using base::GroupId;
using base::kNever;
using base::kNoPc;
using base::LaneMask;
using base::Pc;
using base::WarpId;

enum class ControlFlowEvent : std::uint8_t {
  kBeginLaunch,  ///< a kernel begins, of which `facts` are known; no warp of an earlier one is left
  kLaunch,       ///< warp starts at `next` with lanes `mask`; with Scope::kCta all `warps` of a CTA do
  kAdvance,      ///< group's next PC is `next`, which it watches
  kTransfer,     ///< group executed a `transfer`
  kConvergence,  ///< lanes `mask` of the group executed a `convergence` operation; sequential flow is `next`
  kExit,         ///< lanes `mask` of the group ended; the rest continue at `next`
  kBarrierArrive,   ///< lanes `mask` of the group wait at a CTA barrier or a .sync instruction, to go on at
                    ///< `next`: all, unless the mechanism parts them there, then the others go on at `next`
  kBarrierRelease,  ///< lanes `mask` of the warp, which wait there, may continue
  kTick,            ///< the cycle that an answer named as `due` has come; the mechanism names the `warp`
  kTableFilled,     ///< `filled`, a spilled entry of the warp's tables, is back from memory
  kEndLaunch,  ///< no warp of the kernel is left; a clocked block is told, and serves what has been asked of it
};

/// What sends lanes to another place than the next instruction.
enum class Transfer : std::uint8_t {
  kJump,    ///< a branch: `taken` of `mask` go to `target`, the rest to `next`; they meet at `rpc`
  kCall,    ///< the same into a function; its lanes come back to `next` by kReturn
  kReturn,  ///< `taken` of `mask` leave their function, to `lane_target`; the rest continue at `next`
};

/// Instructions that name the lanes that are to meet ([Hanoi] Tab I).
using isa::ConvergenceOp;
struct ConvergenceOperation {
  ConvergenceOp op = ConvergenceOp::kSync;
  std::uint32_t barrier = 0;  ///< number of the barrier register
  Pc point = kNoPc;           ///< kSet
  LaneMask value{};           ///< kWrite, kWarpSync; answer of kRead and kReadClear
  /// kWarpSync: the lanes that each lane names, if they differ; else null.
  const std::uint32_t* members = nullptr;
};

/// Whose control flow a mechanism keeps together.
enum class Scope : std::uint8_t { kWarp, kCta };
/// A warp that starts with its CTA.
struct WarpLaunch {
  WarpId warp{};
  LaneMask mask{};
};

enum class GroupChange : std::uint8_t {
  kMoved,        ///< group exists with this pc, mask and watch; what it had fetched is void
  kBlocked,      ///< group keeps its place but may not be fetched or issued
  kSchedulable,  ///< group may be fetched and issued again, at pc
  kVanished,     ///< group is gone
  kHeld,         ///< only what it is held from changes; what it has fetched stays
  kWatches,      ///< only the PCs that it watches change; what it has fetched stays
  kJoined,       ///< its lanes and watches change; its place and what it has fetched stay
};
inline constexpr const char* kGroupChangeNames[] = {"moved", "blocked", "schedulable", "vanished",
                                                    "held",  "watches", "joined"};

/// Why a group is blocked.
enum class BlockCause : std::uint8_t {
  kBarrier,  ///< its lanes wait at a CTA barrier or a .sync instruction
  kTables,   ///< the mechanism's tables are busy: an entry it needs is being filled from memory
  kUnit,     ///< the mechanism is a clocked block, which has not answered yet
};

/// What a group may not issue for want of room in the mechanism's buffers, although it may be fetched
/// ([AWARE] §5.5.2).
enum class Hold : std::uint8_t { kNothing, kBranches, kEverything };

struct GroupUpdate {
  GroupId group{};
  GroupChange change = GroupChange::kMoved;
  Pc pc{};
  Pc watch = kNoPc;
  LaneMask mask{};
  BlockCause cause = BlockCause::kBarrier;  ///< kBlocked
  Hold hold = Hold::kNothing;               ///< of any change: what holds from now on
  /// Whose lanes they are, if not all of the warp whose slot the group occupies; of kMoved, kSchedulable,
  /// kBlocked and kJoined. Valid until the next request.
  std::span<const Slice> slices{};
  Pc also_watch = kNoPc;  ///< a second PC to watch for
};

// Why lanes of a warp are not running, for diagnosis.
using hang::SuspendedLanes;
using hang::Suspension;

/// Lanes that run or get their turn by themselves: a split that neither waits at a barrier nor has arrived at
/// its reconvergence point nor has to wait until another one ends.
struct RunnableSplit {
  Pc pc{};  ///< where it was when it was scheduled last
  LaneMask mask{};
  /// It has a turn only when lanes that run come to a YIELD: it is one of the suspended lanes, whose `until` says where.
  bool if_yielded_to = false;
};

/// An entry of a split or reconvergence table on its way to or from memory ([AWARE] §5.5.2).
struct TableEntryTransfer {
  enum class Op : std::uint8_t { kSpill, kFill };
  enum class Table : std::uint8_t { kSplit, kReconvergence };
  Op op = Op::kSpill;
  Table table = Table::kSplit;
  WarpId warp{};
  std::uint32_t entry = 0;               ///< virtual number, 0..31
  std::array<std::uint32_t, 4> words{};  ///< kSpill: the record; kFill, when it is back: what memory held
  std::uint32_t word_count = 0;          ///< 3: split table, 4: reconvergence table
  Cycle cycle = 0;                       ///< in which it is offered

  bool accepted = false;  ///< answer: false: no room in the load/store unit, offer it again later
};
inline constexpr std::uint32_t kTableRecordBytes = 32;  ///< in memory: both records of an entry
/// Memory of a warp that records of all entries may be spilled to.
inline constexpr std::uint32_t kTableBytesPerWarp = base::kLanes * kTableRecordBytes;
struct TableMemoryProtocol {
  using tlm_payload_type = TableEntryTransfer;
  using tlm_phase_type = tlm::tlm_phase;
};

/// What a mechanism may ask the core about a group.
struct GroupProgress {
  GroupId group{};
  Pc next{};  ///< answer: next instruction it will issue
};
struct GroupProgressProtocol {
  using tlm_payload_type = GroupProgress;
  using tlm_phase_type = tlm::tlm_phase;
};

/// What became of threads that one instruction of a kernel parted, with a mechanism that makes warps of them.
struct PartedPaths {
  std::uint64_t paths = 0;          ///< times that warps were made for such threads
  std::uint64_t warps = 0;          ///< made for them
  std::uint64_t static_warps = 0;   ///< that had such threads
  std::uint64_t issues = 0;         ///< warp instructions that those made issued
  std::uint64_t static_issues = 0;  ///< that the static ones would have issued
  PartedPaths& operator+=(const PartedPaths& other) {
    paths += other.paths;
    warps += other.warps;
    static_warps += other.static_warps;
    issues += other.issues;
    static_issues += other.static_issues;
    return *this;
  }
};

struct ControlFlowRequest {
  void set(ControlFlowEvent kind) { event = kind; }
  void set(Transfer kind) {
    event = ControlFlowEvent::kTransfer;
    transfer = kind;
  }
  [[nodiscard]] bool is(Transfer kind) const {
    return event == ControlFlowEvent::kTransfer && transfer == kind;
  }

  ControlFlowEvent event = ControlFlowEvent::kAdvance;
  Transfer transfer = Transfer::kJump;  ///< kTransfer
  Cycle cycle = 0;                      ///< when it happens, in core cycles
  WarpId warp{};
  GroupId group{};
  LaneMask mask{};
  LaneMask taken{};
  Pc target = kNoPc;
  /// Where lane l of `taken` goes, if lanes may go to different places (indirect branches and calls,
  /// returns); null: all to `target`. 32 elements.
  const Pc* lane_target = nullptr;
  Pc next = kNoPc;
  Pc rpc = kNoPc;  ///< kJump: reconvergence PC; kNoPc: only where the function returns or the thread ends

  /// kBeginLaunch, of a mechanism that wants them; null: not known. They outlive the launch.
  const isa::ProgramFacts* facts = nullptr;
  ConvergenceOperation* convergence = nullptr;  ///< kConvergence
  LaneMask again{};  ///< kConvergence: lanes that execute the instruction again, having named other ones
  const TableEntryTransfer* filled = nullptr;  ///< kTableFilled
  std::span<const WarpLaunch> warps{};         ///< kLaunch, Scope::kCta

  // Answer
  std::span<const GroupUpdate> updates{};  ///< valid until the next request
  Cycle due = kNever;     ///< when the mechanism wants its next kTick; not later than `cycle`: at once
  bool diverged = false;  ///< kJump, kCall: lanes went to more than one place
  std::uint8_t busy =
      0;  ///< of a clocked block: bit per scheduler whose event waits for it, until the next answer
  std::uint32_t call_depth = 0;  ///< kCall: how deep the callee is nested, 1: called by the kernel itself
  const char* fault = nullptr;   ///< the rule of the mechanism that the program breaks; null: none
  const char* remedy = "";

  // transport_dbg only: filled for `warp` where not null. Nothing changes.
  nlohmann::ordered_json* table = nullptr;           ///< the mechanism's tables
  std::vector<SuspendedLanes>* suspended = nullptr;  ///< lanes that do not run now
  std::vector<RunnableSplit>* runnable = nullptr;    ///< whether in a group now or not
  /// Of the launch so far, by the PC that parted them; not by `warp`. Mechanisms that make no warps leave it.
  std::vector<PartedPaths>* parted = nullptr;
  /// Hash of what decides where the group with lanes `mask` goes on, as far as it is in the tables: the same
  /// at two visits of a loop head means that nothing has happened in between that could end the loop. What
  /// other lanes do while they neither arrive anywhere nor leave is not part of it; a running timer makes it
  /// different every time.
  std::uint64_t digest = 0;
};

struct ControlFlowProtocol {
  using tlm_payload_type = ControlFlowRequest;
  using tlm_phase_type = tlm::tlm_phase;
};

/// Events go by call(). The others are questions: nothing changes.
class ControlFlowPort : public sim::BlockInitiator<ControlFlowProtocol> {
 public:
  using BlockInitiator::BlockInitiator;

  [[nodiscard]] std::vector<SuspendedLanes> suspended(WarpId warp) {
    std::vector<SuspendedLanes> found;
    inspect({.warp = warp, .suspended = &found});
    return found;
  }
  [[nodiscard]] std::vector<RunnableSplit> runnable(WarpId warp) {
    std::vector<RunnableSplit> found;
    inspect({.warp = warp, .runnable = &found});
    return found;
  }
  /// By PC.
  [[nodiscard]] std::vector<PartedPaths> parted() {
    std::vector<PartedPaths> found;
    inspect({.parted = &found});
    return found;
  }
  void show(WarpId warp, Cycle cycle, nlohmann::ordered_json& tables) {
    inspect({.cycle = cycle, .warp = warp, .table = &tables});
  }
  [[nodiscard]] std::uint64_t digest(WarpId warp, GroupId group, LaneMask lanes, Cycle cycle) {
    return inspect({.cycle = cycle, .warp = warp, .group = group, .mask = lanes}).digest;
  }
};

}  // namespace heddle::simt

HEDDLE_SOCKETS_ELSEWHERE(heddle::simt::TableMemoryProtocol);
HEDDLE_SOCKETS_ELSEWHERE(heddle::simt::GroupProgressProtocol);
HEDDLE_SOCKETS_ELSEWHERE(heddle::simt::ControlFlowProtocol);
