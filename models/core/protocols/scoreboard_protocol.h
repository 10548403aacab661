// Scoreboard: which instructions may issue, and which registers are pending.
#pragma once

#include <cstdint>
#include <vector>

#include "core/protocols/protocol_of.h"
#include "core/warp_context.h"
#include "isa/instruction.h"

namespace heddle::core {

enum class Hazard : std::uint8_t {
  kNone,
  kAlu,
  kMemory,
  kFull,
  kPorts,  ///< only of kAdmit
};
inline constexpr const char* kHazardNames[] = {"none", "alu", "memory", "full", "ports"};

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
  static constexpr const char* kOpNames[] = {"check", "reserve", "release", "clear", "admit"};
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

class ScoreboardPort : public sim::BlockInitiator<ScoreboardProtocol> {
 public:
  using BlockInitiator::BlockInitiator;
  using Op = ScoreboardRequest::Op;

  [[nodiscard]] Hazard check(WarpId warp, LaneMask lanes, const isa::Instruction& instruction) {
    return call({.op = Op::kCheck, .warp = warp, .mask = lanes, .instruction = &instruction}).hazard;
  }
  void reserve(WarpId warp, LaneMask lanes, const isa::Instruction& instruction) {
    call({.op = Op::kReserve, .warp = warp, .mask = lanes, .instruction = &instruction});
  }
  void release(WarpId warp, LaneMask lanes, const isa::Instruction& instruction, Cycle cycle) {
    call({.op = Op::kRelease, .warp = warp, .mask = lanes, .instruction = &instruction, .cycle = cycle});
  }
  void clear(WarpId warp) { call({.op = Op::kClear, .warp = warp}); }
  /// kNone, or kPorts.
  [[nodiscard]] Hazard admit(WarpId warp, LaneMask lanes, const isa::Instruction& instruction, Cycle cycle,
                             bool refused_before) {
    return call({.op = Op::kAdmit,
                 .warp = warp,
                 .mask = lanes,
                 .instruction = &instruction,
                 .cycle = cycle,
                 .refused_before = refused_before})
        .hazard;
  }
  [[nodiscard]] std::vector<PendingRegister> pending(WarpId warp) {
    std::vector<PendingRegister> found;
    inspect({.warp = warp, .pending = &found});
    return found;
  }
};

}  // namespace heddle::core
