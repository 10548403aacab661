// Payloads of the block sockets inside a core. Every exchange is one b_transport call in zero time: the
// caller fills the request part, the block fills the answer part.
#pragma once

#include <array>
#include <cstdint>
#include <tlm>
#include <vector>

#include "core/config.h"
#include "core/warp_context.h"
#include "isa/instruction.h"
#include "sim/index_set.h"
#include "sim/memory_payload.h"

namespace heddle::core {

template <class Request>
struct ProtocolOf {
  using tlm_payload_type = Request;
  using tlm_phase_type = tlm::tlm_phase;
};

// ---- Fetch: keeps the I-buffer of every issue group filled
// -----------------------------------------------------

struct FetchRequest {
  enum class Op : std::uint8_t {
    kRedirect,  ///< group starts (again) at `pc`; whatever was fetched for it is void
    kStop,      ///< group is blocked or gone: fetch nothing for it
    kPop,       ///< the head instruction of the group was issued
    kTick,      ///< one cycle passes
  };
  Op op = Op::kTick;
  GroupId group{};
  Pc pc{};
  Cycle cycle = 0;

  // Answer
  bool head_valid = false;          ///< kPop: the I-buffer holds a next instruction
  Pc head{};                        ///< kPop: its PC
  std::array<GroupId, 8> filled{};  ///< kTick: groups whose empty I-buffer received a head instruction
  unsigned filled_count = 0;
  GroupId missed{};  ///< kTick: group whose fetch missed in the instruction cache, if `miss`
  bool miss = false;
  Cycle next_due = kNoCycle;  ///< kTick: when it must be called again
};
using FetchProtocol = ProtocolOf<FetchRequest>;

/// From fetch to the instruction cache.
struct L1iRequest {
  enum class Op : std::uint8_t {
    kFetch,  ///< is `line` there? If not, it is asked for
    kFlush,  ///< invalidate everything
  };
  enum class Result : std::uint8_t {
    kHit,
    kMiss,   ///< the line is on its way: a refill will say when it is there
    kStall,  ///< no MSHR or no room towards memory: try again
  };
  Op op = Op::kFetch;
  std::uint64_t line = 0;
  Result result = Result::kHit;
};
using L1iProtocol = ProtocolOf<L1iRequest>;

/// From the instruction cache to fetch: `line` is there now.
struct L1iRefill {
  std::uint64_t line = 0;
};
using L1iRefillProtocol = ProtocolOf<L1iRefill>;

// ---- Scoreboard
// ------------------------------------------------------------------------------------------------------

enum class Hazard : std::uint8_t {
  kNone,
  kAlu,
  kMemory,
  kFull,
  kPorts,  ///< only of kAdmit
};

/// A register that waits for its value, in the threads `lanes`.
struct PendingRegister {
  isa::RegId reg = isa::kNoReg;
  LaneMask lanes;
};

struct ScoreboardRequest {
  enum class Op : std::uint8_t {
    kCheck,    ///< may `instruction` of the warp issue?
    kReserve,  ///< it issues: its destinations become pending
    kRelease,  ///< its destinations have been written, in `cycle`
    kClear,    ///< the warp slot is reused
    kAdmit,    ///< it may: does it, with the ports that are left in `cycle`? Needed with limited ports only
  };
  Op op = Op::kCheck;
  WarpId warp{};
  LaneMask mask{};
  const isa::Instruction* instruction = nullptr;
  Cycle cycle = 0;
  bool refused_before = false;    ///< kAdmit, in an earlier cycle: while it waits nobody else is admitted
  Hazard hazard = Hazard::kNone;  ///< answer of kCheck; of kAdmit: kNone or kPorts
  /// transport_dbg only: the warp's pending registers are appended, by number.
  std::vector<PendingRegister>* pending = nullptr;
};
using ScoreboardProtocol = ProtocolOf<ScoreboardRequest>;

// ---- Warp scheduler
// --------------------------------------------------------------------------------------------------

struct SchedulerRequest {
  enum class Op : std::uint8_t {
    kAssign,       ///< warp was launched: it becomes the youngest
    kLeave,        ///< warp is gone
    kJoin,         ///< `group` is there: of its warp's groups the last to have its turn
    kPick,         ///< choose one of `candidates`, which then issues
    kBranch,       ///< what a group of the warp issued was a branch: `path_instructions`
    kLongLatency,  ///< all of the warp waits for memory, a fence or a barrier
  };
  Op op = Op::kPick;
  WarpId warp{};    ///< all but kPick
  GroupId group{};  ///< kJoin; answer of kPick
  Cycle cycle = 0;
  const sim::IndexSet* candidates = nullptr;  ///< kPick: groups that can issue now; not empty
  std::uint32_t path_instructions = 0;        ///< kBranch: instructions on the paths it chose
  bool found = false;                         ///< answer of kPick: false: the policy holds them all back
};
using SchedulerProtocol = ProtocolOf<SchedulerRequest>;

// ---- Execution pipes
// --------------------------------------------------------------------------------------------------

struct PipesRequest {
  enum class Op : std::uint8_t {
    kIssue,  ///< instruction of `warp` enters a collector of `pipe` (there is a free one)
    kTick,   ///< results that are due are written back through the writeback socket
  };
  Op op = Op::kTick;
  WarpId warp{};
  LaneMask mask{};
  const isa::Instruction* instruction = nullptr;
  Pipe pipe = Pipe::kSp;
  std::uint32_t sub_core = 0;
  Cycle cycle = 0;

  // Answer
  Cycle accepts_from = 0;     ///< kIssue: first cycle in which the next instruction may enter that pipe
  Cycle busy_until = 0;       ///< kIssue: first cycle in which one of its units is free
  Cycle operands_late = 0;    ///< kIssue, memory: cycles by which its operands are late
  Cycle next_due = kNoCycle;  ///< next completion
};
using PipesProtocol = ProtocolOf<PipesRequest>;

// ---- Register file
// -------------------------------------------------------------------------------------------------------

struct RegisterFileRequest {
  enum class Op : std::uint8_t {
    kRead,   ///< `instruction` was issued in `cycle`: its operands are collected
    kWrite,  ///< its result is there in `cycle`
  };
  Op op = Op::kRead;
  std::uint32_t sub_core = 0;
  WarpId warp{};
  const isa::Instruction* instruction = nullptr;
  Cycle cycle = 0;
  Cycle late = 0;  ///< answer: cycles later than without any conflict
};
using RegisterFileProtocol = ProtocolOf<RegisterFileRequest>;

/// From pipes and load/store unit to the core: an instruction's results are in the registers.
struct WritebackRequest {
  WarpId warp{};
  LaneMask mask{};
  const isa::Instruction* instruction = nullptr;
};
using WritebackProtocol = ProtocolOf<WritebackRequest>;

// ---- CTA barriers
// ----------------------------------------------------------------------------------------------------

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
  std::uint32_t id = 0;  ///< 0..15
  std::uint32_t threads = 0;
  std::uint32_t expected =
      0;  ///< kArrive: thread count of the instruction, 0: all live threads of the CTA; answer of kInspect
  WarpId warp{};
  bool waits = true;
  LaneMask waiting;                               ///< kArrive: the lanes that arrive
  LaneMask lanes;                                 ///< kArrive: those of them that take a reduction's result
  LaneMask predicate;                             ///< kArrive at a reduction: those of them where it is true
  const isa::Instruction* instruction = nullptr;  ///< kArrive; given back with the release

  // Answer
  std::uint32_t arrived = 0;
  std::vector<BarrierRelease>* released = nullptr;  ///< caller's list: warps whose wait ended are appended
};
using BarrierProtocol = ProtocolOf<BarrierRequest>;

// ---- Memory port
// -------------------------------------------------------------------------------------------------------

/// Blocks of a core that use its memory port.
enum class PortClient : std::uint8_t { kData, kInstruction, kConstant };
inline constexpr unsigned kPortClients = 3;

struct PortRequest {
  enum class Op : std::uint8_t {
    kRoom,     ///< may something be sent?
    kSend,     ///< `transaction` goes to memory (room was announced); the port takes over the reference
    kDeliver,  ///< the core's memory stage begins: one response goes to the client it belongs to
    kTick,     ///< the core's memory stage ends: the oldest request is put on the crossbar
  };
  Op op = Op::kRoom;
  PortClient client = PortClient::kData;
  sim::MemoryTransaction* transaction = nullptr;
  Cycle cycle = 0;

  // Answer
  bool delivered = false;  ///< kDeliver: a response went to `client`
  bool room = false;       ///< the request queue has a place
  bool busy = false;       ///< something to do next cycle without anybody waking the core
};
using PortProtocol = ProtocolOf<PortRequest>;

/// A response for a client, which must not keep the payload beyond the call.
struct PortResponse {
  tlm::tlm_generic_payload* payload = nullptr;
  Cycle cycle = 0;
};
using PortResponseProtocol = ProtocolOf<PortResponse>;

}  // namespace heddle::core
