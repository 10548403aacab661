// Payloads of the block sockets inside a core. Every exchange is one b_transport call in zero time: the
// caller fills the request part, the block fills the answer part.
#pragma once

#include <array>
#include <cstdint>
#include <tlm>
#include <vector>

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

/// No cycle at all: "nothing is due".
inline constexpr Cycle kNoCycle = ~Cycle{0};

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
  Cycle next_due = kNoCycle;  ///< kTick: when it must be called again
};
using FetchProtocol = ProtocolOf<FetchRequest>;

// ---- Scoreboard
// ------------------------------------------------------------------------------------------------------

enum class Hazard : std::uint8_t { kNone, kAlu, kMemory, kFull };

struct ScoreboardRequest {
  enum class Op : std::uint8_t {
    kCheck,    ///< may `instruction` of the warp issue?
    kReserve,  ///< it issues: its destinations become pending
    kRelease,  ///< its destinations have been written
    kClear,    ///< the warp slot is reused
  };
  Op op = Op::kCheck;
  WarpId warp{};
  LaneMask mask{};
  const isa::Instruction* instruction = nullptr;
  Hazard hazard = Hazard::kNone;  ///< answer of kCheck
};
using ScoreboardProtocol = ProtocolOf<ScoreboardRequest>;

// ---- Warp scheduler
// --------------------------------------------------------------------------------------------------

struct SchedulerRequest {
  enum class Op : std::uint8_t {
    kAssign,  ///< group's warp was launched: it becomes the youngest
    kPick,    ///< choose one of `candidates`
    kIssued,  ///< the picked group did issue
  };
  Op op = Op::kPick;
  GroupId group{};                            ///< kAssign, kIssued; answer of kPick
  const sim::IndexSet* candidates = nullptr;  ///< groups that can issue now
  bool found = false;                         ///< answer of kPick
};
using SchedulerProtocol = ProtocolOf<SchedulerRequest>;

// ---- Execution pipes
// --------------------------------------------------------------------------------------------------

struct PipesRequest {
  enum class Op : std::uint8_t {
    kIssue,  ///< instruction of `warp` enters a pipe of its unit (there is a free one)
    kTick,   ///< results that are due are written back through the writeback socket
  };
  Op op = Op::kTick;
  WarpId warp{};
  LaneMask mask{};
  const isa::Instruction* instruction = nullptr;
  Cycle cycle = 0;

  // Answer
  bool unit_free[isa::kUnits] = {};  ///< kTick and kIssue: which units accept an instruction in this cycle
  Cycle next_due = kNoCycle;         ///< kTick: next completion, or next time a busy unit becomes free
};
using PipesProtocol = ProtocolOf<PipesRequest>;

/// From pipes and load/store unit to the core: an instruction's results are in the registers.
struct WritebackRequest {
  WarpId warp{};
  LaneMask mask{};
  const isa::Instruction* instruction = nullptr;
};
using WritebackProtocol = ProtocolOf<WritebackRequest>;

// ---- CTA barriers
// ----------------------------------------------------------------------------------------------------

struct BarrierRequest {
  enum class Op : std::uint8_t {
    kArrive,   ///< `threads` of the CTA arrive at barrier `id` and their warp waits if `waits`
    kExit,     ///< `threads` of the CTA have exited
    kLaunch,   ///< the CTA slot is reused by a CTA of `threads`
    kInspect,  ///< debug: arrived and expected threads of `id`
  };
  Op op = Op::kArrive;
  CtaSlot cta{};
  std::uint32_t id = 0;  ///< 0..15
  std::uint32_t threads = 0;
  std::uint32_t expected =
      0;  ///< kArrive: thread count of the instruction, 0: all live threads of the CTA; answer of kInspect
  WarpId warp{};
  bool waits = true;

  // Answer
  std::uint32_t arrived = 0;
  std::vector<WarpId>* released = nullptr;  ///< caller's list: warps whose wait ended are appended
};
using BarrierProtocol = ProtocolOf<BarrierRequest>;

// ---- Memory port
// -------------------------------------------------------------------------------------------------------

/// Blocks of a core that use its memory port.
enum class PortClient : std::uint8_t { kData, kConstant };
inline constexpr unsigned kPortClients = 2;

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
  bool room = false;  ///< the request queue has a place
  bool busy = false;  ///< something to do next cycle without anybody waking the core
};
using PortProtocol = ProtocolOf<PortRequest>;

/// A response for a client, which must not keep the payload beyond the call.
struct PortResponse {
  tlm::tlm_generic_payload* payload = nullptr;
  Cycle cycle = 0;
};
using PortResponseProtocol = ProtocolOf<PortResponse>;

}  // namespace heddle::core
