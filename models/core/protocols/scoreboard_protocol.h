// Scoreboard: which instructions may issue, and which registers are pending. Two blocks serve it: the scoreboard of registers
// (issue/scoreboard.h), and the dependence counters that control codes speak of (issue/dependence_counters.h).
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
  kPorts,       ///< only of kAdmit
  kStallCount,  ///< control codes: the stall count of the instruction before has not passed
};
inline constexpr const char* kHazardNames[] = {"none", "alu", "memory", "full", "ports", "stall_count"};

/// A register that waits for its value, in the threads `lanes`.
struct PendingRegister {
  isa::RegId reg = isa::kNoReg;
  LaneMask lanes;
};

/// A dependence counter that is not 0.
struct RaisedCounter {
  std::uint32_t number = 0;
  std::uint32_t count = 0;
};

struct ScoreboardRequest {
  enum class Op : std::uint8_t {
    kCheck,    ///< may `instruction` of the warp issue?
    kReserve,  ///< it issues: its destinations become pending
    kRelease,  ///< its destinations have been written, in `cycle`
    kClear,    ///< the warp slot is reused
    kAdmit,    ///< it may: does it, with the ports that are left in `cycle`? Needed with limited ports only
    // Control codes only.
    kIssue,        ///< it issues in `cycle`, whatever lanes execute it: its stall count begins
    kReadSources,  ///< after kReserve: its operands are collected in `cycle`
  };
  static constexpr const char* kOpNames[] = {"check", "reserve", "release",     "clear",
                                             "admit", "issue",   "read_sources"};
  Op op = Op::kCheck;
  WarpId warp{};
  LaneMask mask{};
  const isa::Instruction* instruction = nullptr;
  LaneMask exec{};  ///< control codes, kCheck: lanes of `mask` whose guard holds
  Cycle cycle = 0;  ///< in which that happens; control codes, kCheck: the first one in which it could issue
  bool refused_before = false;    ///< kAdmit, in an earlier cycle: while it waits nobody else is admitted
  Hazard hazard = Hazard::kNone;  ///< answer of kCheck; of kAdmit: kNone or kPorts
  Cycle due = kNever;  ///< control codes, kCheck: when to ask again unless something is released before
  /// transport_dbg only: the warp's pending registers are appended, by number.
  std::vector<PendingRegister>* pending = nullptr;
  /// transport_dbg only: its raised counters are appended, by number.
  std::vector<RaisedCounter>* counters = nullptr;
};
using ScoreboardProtocol = ProtocolOf<ScoreboardRequest>;

class ScoreboardPort : public sim::BlockInitiator<ScoreboardProtocol> {
 public:
  using BlockInitiator::BlockInitiator;
  using Op = ScoreboardRequest::Op;

  [[nodiscard]] Hazard check(WarpId warp, LaneMask lanes, const isa::Instruction& instruction) {
    return call({.op = Op::kCheck, .warp = warp, .mask = lanes, .instruction = &instruction}).hazard;
  }
  void reserve(WarpId warp, LaneMask lanes, const isa::Instruction& instruction, Cycle cycle) {
    call({.op = Op::kReserve, .warp = warp, .mask = lanes, .instruction = &instruction, .cycle = cycle});
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
  // Control codes only.
  /// Whether lanes `lanes` may issue it in `cycle` (`hazard`), and otherwise when to ask again (`due`).
  [[nodiscard]] ScoreboardRequest check_codes(WarpId warp, LaneMask lanes, LaneMask exec,
                                              const isa::Instruction& instruction, Cycle cycle) {
    return call({.op = Op::kCheck,
                 .warp = warp,
                 .mask = lanes,
                 .instruction = &instruction,
                 .exec = exec,
                 .cycle = cycle});
  }
  void issue(WarpId warp, const isa::Instruction& instruction, Cycle cycle) {
    call({.op = Op::kIssue, .warp = warp, .instruction = &instruction, .cycle = cycle});
  }
  void read_sources(WarpId warp, LaneMask lanes, const isa::Instruction& instruction, Cycle cycle) {
    call({.op = Op::kReadSources, .warp = warp, .mask = lanes, .instruction = &instruction, .cycle = cycle});
  }
  [[nodiscard]] std::vector<RaisedCounter> counters(WarpId warp) {
    std::vector<RaisedCounter> found;
    inspect({.warp = warp, .counters = &found});
    return found;
  }
  [[nodiscard]] std::vector<PendingRegister> pending(WarpId warp) {
    std::vector<PendingRegister> found;
    inspect({.warp = warp, .pending = &found});
    return found;
  }
};

}  // namespace heddle::core

HEDDLE_SOCKETS_ELSEWHERE(heddle::core::ScoreboardProtocol);
