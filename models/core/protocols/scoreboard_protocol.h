// Scoreboard: which instructions may issue, and which registers are pending. Three blocks serve it: the scoreboard of registers
// (issue/scoreboard.h; with timing: contract issue/clocked_scoreboard.h), and the dependence counters that control codes speak of
// (issue/dependence_counters.h).
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
  kLooking,     ///< timing: contract: the head has not been looked up
  kConstant,    ///< control codes: an operand's line of a constant bank is not there
};
inline constexpr const char* kHazardNames[] = {"none",  "alu",         "memory",  "full",
                                               "ports", "stall_count", "looking", "constant"};

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
    // Control codes only, but for kIssue.
    kIssue,  ///< it issues in `cycle`, whatever lanes execute it: its stall count begins; timing: contract: the head of
    ///< `group` is gone
    kReadSources,  ///< after kReserve: its operands are collected in `cycle`
    // timing: contract only.
    kBegin,  ///< a launch begins in `cycle`: nothing of one before waits any more
    kHead,  ///< `instruction` of lanes `mask` is at the head of `group`: what keeps it, as far as known in `cycle`?
    kGone,  ///< `group` has no head in `cycle`
    kStep,  ///< issue of `cycle` begins: `changed`, `busy`
    kNext,  ///< that of `cycle` is over: in which the block must be stepped next (`due`)
  };
  static constexpr const char* kOpNames[] = {"check",        "reserve", "release", "clear", "admit", "issue",
                                             "read_sources", "begin",   "head",    "gone",  "step",  "next"};
  Op op = Op::kCheck;
  WarpId warp{};
  GroupId group{};  ///< timing: contract
  LaneMask mask{};
  const isa::Instruction* instruction = nullptr;
  LaneMask exec{};  ///< control codes, kCheck: lanes of `mask` whose guard holds
  Cycle cycle = 0;  ///< in which that happens; control codes, kCheck: the first one in which it could issue
  bool refused_before = false;    ///< kAdmit, in an earlier cycle: while it waits nobody else is admitted
  Hazard hazard = Hazard::kNone;  ///< answer of kCheck; of kAdmit: kNone or kPorts
  Cycle due = kNever;  ///< control codes, kCheck: when to ask again unless something is released before
  std::vector<GroupId>* changed =
      nullptr;             ///< kStep: appended are the groups for which kHead answers otherwise now
  std::uint32_t busy = 0;  ///< kStep: bit per scheduler, whose block takes no instruction that issues
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
  void clear(WarpId warp, Cycle cycle) { call({.op = Op::kClear, .warp = warp, .cycle = cycle}); }
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
  // timing: contract only.
  void begin_launch(Cycle cycle) { call({.op = Op::kBegin, .cycle = cycle}); }
  [[nodiscard]] Hazard head(WarpId warp, GroupId group, LaneMask lanes, const isa::Instruction& instruction,
                            Cycle cycle) {
    return call({.op = Op::kHead,
                 .warp = warp,
                 .group = group,
                 .mask = lanes,
                 .instruction = &instruction,
                 .cycle = cycle})
        .hazard;
  }
  void gone(WarpId warp, GroupId group, Cycle cycle) {
    call({.op = Op::kGone, .warp = warp, .group = group, .cycle = cycle});
  }
  void issue(WarpId warp, GroupId group, const isa::Instruction& instruction, Cycle cycle) {
    call({.op = Op::kIssue, .warp = warp, .group = group, .instruction = &instruction, .cycle = cycle});
  }
  /// Schedulers that issue nothing in this cycle, a bit each.
  [[nodiscard]] std::uint32_t step(Cycle cycle, std::vector<GroupId>& changed) {
    return call({.op = Op::kStep, .cycle = cycle, .changed = &changed}).busy;
  }
  [[nodiscard]] Cycle next(Cycle cycle) { return call({.op = Op::kNext, .cycle = cycle}).due; }
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
