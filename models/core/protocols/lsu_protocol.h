// The load/store unit's protocols: operations towards it, completions back, and its call for the core's
// attention. An interposer sits on all three (memory/lsu_interposer.h); memory/README.md tells how.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/protocols/protocol_of.h"
#include "core/warp_context.h"
#include "isa/instruction.h"

namespace heddle::core {

/// Addresses [begin, end).
struct AddressRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};
[[nodiscard]] inline bool is_in(std::span<const AddressRange> ranges, std::uint64_t address) {
  for (const AddressRange& range : ranges)
    if (range.begin <= address && address < range.end) return true;
  return false;
}

/// Which of a core's writes have been performed: those taken before the mark was given (memory/write_order.h).
using WriteMark = std::uint64_t;

/// Who gave the unit an operation and gets its completions. All but the core: LoadStoreUnit::add_client().
enum class LsuClient : std::uint8_t { kCore };

/// One home warp's part of an operation. The slices of an operation share no lane; an operation of a static warp
/// has one. Rows are kept by lane: a thread never changes its lane.
struct MemorySlice {
  WarpId warp{};  ///< the home warp's slot
  LaneMask lanes;
  const std::byte* sources = nullptr;  ///< row block of addresses and operands, read when the unit takes it
  std::byte* registers = nullptr;      ///< row block that results go to
  const std::byte* special = nullptr;  ///< isa::SpecialRow; also names the threads in messages
  MemoryCounters* counters = nullptr;  ///< of the home warp, or the client's own
  std::uint64_t linear_warp = 0;       ///< number in the grid: names the region of local memory
  const CtaContext* cta = nullptr;     ///< of the warp; null: that of the operation
};

/// A load or atomic whose registers have not all got their values.
struct PendingLoad {
  const isa::Instruction* instruction = nullptr;
  LaneMask lanes;
};

/// A question that changes nothing. `address` is a device address, or an offset in the core's shared memory.
struct LsuInspection {
  enum class Ask : std::uint8_t {
    kPendingLoads,   ///< adds those of `warp` to `pending`
    kOldWrites,      ///< `yes`: writes taken before the last kNextWriteGeneration are not all performed
    kPerformed,      ///< `yes`: all writes taken before `mark` was given are performed
    kBypassesL1,     ///< `yes`: a global load like `instruction` does not look into L1
    kSharedByte,     ///< `value` of shared memory
    kHeldByte,       ///< `yes`: L1 holds the byte, its `value`
    kUnwrittenByte,  ///< `yes`: a store wrote the byte and L1 has not given it up, its `value`
    kDisplacedByte,  ///< `yes`: L1 gave up its line and L2 has not acknowledged it, its `value`
    kFetched,        ///< `yes`: a line with the byte is on its way to L1
    kForeignLine,  ///< `yes`: L1 holds a line outside LsuRequest::own, or, with `constants`, their cache any: at `address`
  };
  Ask ask = Ask::kPendingLoads;
  WarpId warp{};
  std::uint64_t address = 0;
  WriteMark mark = 0;
  const isa::Instruction* instruction = nullptr;
  std::vector<PendingLoad>* pending = nullptr;
  bool constants = true;  ///< kForeignLine

  bool yes = false;
  std::byte value{};
};

struct LsuRequest {
  enum class Op : std::uint8_t {
    kIssue,                ///< an operation (`full` == false announced room)
    kIssueEmpty,           ///< one of `warp` whose guard no lane passes: it takes its sub-core's address unit
    kOffer,                ///< an operation, if there is room: see `accepted`
    kTick,                 ///< one cycle
    kBeginLaunch,          ///< of `launch`: L1 and constant cache are invalidated
    kStartCta,             ///< `cta` starts: its shared memory reads as zero
    kNextWriteGeneration,  ///< for the watchdog: what was taken before counts as old writes
    /// L1 and constant cache forget what others may have written; lines in `own` stay (L1dRequest::kInvalidateGlobal).
    kInvalidateGlobal,
    kAcquire,  ///< a thread acquires: L1 forgets what other cores may have written, which takes its next pass
    kMarkWrites,  ///< a thread releases: see `mark`
  };
  Op op = Op::kTick;
  // kIssue, kOffer
  LsuClient client = LsuClient::kCore;
  WarpId warp{};              ///< kIssueEmpty
  bool core_private = false;  ///< only this core uses the addresses: L1 keeps them as it keeps local memory
  std::uint32_t tag = 0;      ///< the client's own, returned with completions
  Pc pc{};                    ///< for messages
  const isa::Instruction* instruction = nullptr;
  std::span<const MemorySlice> slices{};  ///< copied; at least one, each with lanes
  const CtaContext* cta =
      nullptr;  ///< of the first slice; also kStartCta. A client's accesses to global memory need none
  Cycle operands_late = 0;  ///< cycles until the operands are collected

  Cycle cycle = 0;                        ///< of kIssue, kIssueEmpty, kOffer, kTick, kAcquire
  const LaunchContext* launch = nullptr;  ///< kBeginLaunch
  std::uint32_t l1d_kib = 0;              ///< kBeginLaunch: size of L1 beside the shared memory of its CTAs
  const std::vector<AddressRange>* own =
      nullptr;                    ///< kInvalidateGlobal, kForeignLine: what only this core reads and writes
  bool sends_messages = true;     ///< kMarkWrites: those of a fence (core.fence.completion_cycles)
  bool keep_constants = false;    ///< kInvalidateGlobal: the constant cache stays as it is
  LsuInspection* look = nullptr;  ///< transport_dbg only

  // Answer
  bool accepted = false;             ///< kOffer
  WriteMark mark = 0;                ///< kMarkWrites: of the writes taken so far
  bool full = false;                 ///< no memory instruction can issue
  std::uint32_t full_sub_cores = 0;  ///< bit per sub-core that can issue none (core.lsu.local_queue_entries)
  bool foreseen = false;    ///< kTick: that of the next cycle would only find that the head has to wait
  bool wants_port = false;  ///< kTick: something waits for room in the memory port
  bool replay = false;      ///< kTick: a pass after the first of an instruction of `replay_warp` takes
                            ///< place in this cycle and takes an issue slot (core.lsu.replay_issue)
  WarpId replay_warp{};
  std::uint32_t transactions = 0;  ///< line accesses of the operation
  std::uint32_t extra_passes = 0;  ///< its passes after the first: lines, bank passes, constant addresses
  Cycle next_due = kNever;         ///< kTick: when to call again, unless the port wakes the core earlier
};
using LsuProtocol = ProtocolOf<LsuRequest>;

class LsuPort : public sim::BlockInitiator<LsuProtocol> {
 public:
  using BlockInitiator::BlockInitiator;
  using Op = LsuRequest::Op;

  void issue(LsuRequest& operation) {
    operation.op = Op::kIssue;
    call(operation);
  }
  void issue_empty(LsuRequest& operation) {
    operation.op = Op::kIssueEmpty;
    call(operation);
  }
  /// Whether there was room for it.
  [[nodiscard]] bool offer(LsuRequest operation) {
    operation.op = Op::kOffer;
    call(operation);
    return operation.accepted;
  }
  [[nodiscard]] LsuRequest tick(Cycle cycle) {
    LsuRequest request{.op = Op::kTick, .cycle = cycle};
    call(request);
    return request;
  }
  void begin_launch(const LaunchContext* launch, std::uint32_t l1d_kib) {
    call({.op = Op::kBeginLaunch, .launch = launch, .l1d_kib = l1d_kib});
  }
  void start_cta(const CtaContext& cta) { call({.op = Op::kStartCta, .cta = &cta}); }
  void next_write_generation() { call({.op = Op::kNextWriteGeneration}); }
  void acquire(Cycle cycle) { call({.op = Op::kAcquire, .cycle = cycle}); }
  [[nodiscard]] WriteMark mark_writes(bool sends_messages) {
    return call({.op = Op::kMarkWrites, .sends_messages = sends_messages}).mark;
  }
  /// Nothing changes. `own`: of kForeignLine.
  [[nodiscard]] LsuInspection ask(LsuInspection question, const std::vector<AddressRange>* own = nullptr) {
    inspect({.own = own, .look = &question});
    return question;
  }
};

/// From the load/store unit to the client of an operation. The counters have been brought up to date.
struct LsuCompletion {
  enum class Kind : std::uint8_t {
    kFinished,     ///< loads and atomics: the registers are written; stores and reductions: acknowledged
    kLeft,         ///< one without destinations has left the core: it is ordered before what follows
    kLineWritten,  ///< L2 has acknowledged a dirty line that one of the client's operations displaced
  };
  Kind kind = Kind::kFinished;
  LsuClient client = LsuClient::kCore;
  std::uint32_t tag = 0;                          ///< of the operation; kLineWritten: of none
  const isa::Instruction* instruction = nullptr;  ///< kLineWritten: nullptr
  std::span<const MemorySlice> slices;            ///< valid during the call; kLineWritten: one, without lanes
};
using LsuCompletionProtocol = ProtocolOf<LsuCompletion>;

/// The unit has taken an operation of a client that is not the core. Sent within the core's cycle.
struct LsuWake {
  Cycle due = kNever;                ///< the unit must be ticked then
  bool full = false;                 ///< no memory instruction can issue
  std::uint32_t full_sub_cores = 0;  ///< bit per sub-core that can issue none
};
using LsuWakeProtocol = ProtocolOf<LsuWake>;

}  // namespace heddle::core

HEDDLE_SOCKETS_ELSEWHERE(heddle::core::LsuProtocol);
HEDDLE_SOCKETS_ELSEWHERE(heddle::core::LsuCompletionProtocol);
HEDDLE_SOCKETS_ELSEWHERE(heddle::core::LsuWakeProtocol);
