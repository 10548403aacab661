// Executes instructions: reads registers, computes values, and sends each instruction on its way - into a pipe, to the
// load/store unit, to barriers and fences, to the control-flow mechanism. Values are computed at issue; when a result
// may be used is the business of pipes, load/store unit and scoreboard.
//
// Files: executor.cpp what an instruction needs, by kind; executor_control.cpp where lanes go on; host_calls.cpp what
// kernels ask of the host.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <systemc>
#include <vector>

#include "base/stats.h"
#include "core/core_state.h"
#include "core/execute/cta_barriers.h"
#include "core/issue/fence_unit.h"
#include "core/issue/issue_stage.h"
#include "core/issue/meeting_point.h"
#include "core/issue/path_control.h"
#include "core/memory/access_check.h"
#include "core/memory/memory_view.h"
#include "core/observe/core_tracer.h"
#include "core/observe/hang_view.h"
#include "core/protocols/issue_tap_protocol.h"
#include "core/protocols/lsu_protocol.h"
#include "core/protocols/pipes_protocol.h"
#include "core/protocols/scoreboard_protocol.h"
#include "core/protocols/transaction_protocol.h"
#include "sim/block_socket.h"

namespace heddle::core {

class CtaLauncher;

class Executor {
 public:
  Executor(CoreState& state, IssueStage& issue, PathControl& paths, FenceUnit& fences, MeetingPoint& meetings,
           CtaBarriers& barriers, CtaLauncher& ctas, CoreTracer& tracer, HangView& hang,
           const MemoryView& memory, bool sleep_yields, bool warps_together);
  sim::BlockInitiator<PipesProtocol> pipes_isock{"pipes_isock"};
  sim::BlockInitiator<LsuProtocol> lsu_isock{"lsu_isock"};

  void declare(base::StatGroup& issue);
  [[nodiscard]] std::uint64_t warp_instructions() const { return warp_instructions_; }

  /// Adds a tap: it is asked about every instruction when a launch begins. The sockets are by scheduler, if there are
  /// several, each hearing of what its own scheduler chose.
  void add_tap(std::vector<sim::BlockInitiator<IssueTapProtocol>*> sockets);
  /// The bits of the taps that want to hear of an instruction.
  [[nodiscard]] std::uint8_t tapped(const isa::Instruction& instruction, Pc pc);

  /// The unit that executes transactions.
  void execute_transactions(sim::BlockInitiator<TransactionProtocol>* unit) { transaction_isock_ = unit; }

  /// The head of the group's I-buffer issues.
  void issue(GroupId id);
  /// Lanes of groups of the warp that could issue return to `targets`, by lane, instead of what they would execute next.
  /// Which have.
  LaneMask leave_transaction(WarpId warp, LaneMask lanes, const Pc* targets);
  /// A lane operation of lanes `exec`; `clock`: what a clock register reads.
  void lanes(const IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec, Cycle clock);

  // Registers, for those who execute parts of an instruction.
  [[nodiscard]] const std::byte* row(const WarpContext& warp, const isa::Operand& operand) const;
  /// What lane `lane` holds in a row of 32 or 64 bits.
  [[nodiscard]] std::uint64_t lane_of(const WarpContext& warp, const isa::Operand& operand,
                                      unsigned lane) const;
  [[nodiscard]] AccessSite site_of(WarpId home, Pc pc) const;

 private:
  // executor.cpp
  /// For profile and trace.
  [[gnu::noinline]] void observe(const IssueTable::Group& group, GroupId id, LaneMask exec,
                                 unsigned lane_count);
  void tell_taps(unsigned taps, GroupId id, LaneMask exec);
  [[gnu::always_inline]] void reserve(const IssueTable::Group& group, WarpId home, LaneMask lanes,
                                      const isa::Instruction& instruction);
  /// Reserves destinations and lets the instruction into a collector of its pipe; how many cycles late its
  /// operands are.
  Cycle enter_pipe(const IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec);
  void memory(const IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec);
  [[gnu::noinline]] void memory_of_slices(const IssueTable::Group& group, LaneMask exec, LsuRequest& request);
  /// The lane operation on the rows of one home warp.
  [[gnu::always_inline]] void lanes_of(WarpContext& warp, const isa::Instruction& instruction, LaneMask exec,
                                       Cycle clock) const;
  void sleep(GroupId id, const isa::Instruction& instruction, LaneMask exec);
  /// Nanoseconds since the start of the simulation, for %globaltimer.
  [[nodiscard]] std::uint64_t nanoseconds() const;

  [[nodiscard]] std::uint64_t lane_of(const IssueTable::Group& group, const isa::Operand& operand,
                                      unsigned lane) const {
    return lane_of(state_.warp(state_.home(group, lane)), operand, lane);
  }

  // executor_control.cpp
  void branch(GroupId id, const isa::Instruction& instruction, LaneMask exec);
  void indirect(GroupId id, const isa::Instruction& instruction, LaneMask exec);
  void call(GroupId id, const isa::Instruction& instruction, LaneMask exec);
  void return_from(GroupId id, const isa::Instruction& instruction, LaneMask exec);
  void exit(GroupId id, LaneMask exec);
  void converge(GroupId id, const isa::Instruction& instruction, LaneMask exec);
  void transaction(GroupId id, const isa::Instruction& instruction, LaneMask exec);
  void count_divergence(Pc pc);

  // host_calls.cpp
  void print(const IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec);
  [[noreturn]] void fail_assertion(const IssueTable::Group& group, const isa::Instruction& instruction,
                                   LaneMask exec) const;
  [[noreturn]] void trap(const IssueTable::Group& group, const isa::Instruction& instruction,
                         LaneMask exec) const;
  /// Reads a thread's memory by generic address; throws if it cannot. Refers to `site`.
  [[nodiscard]] std::function<void(std::uint64_t, std::span<std::byte>)> thread_memory(const AccessSite& site,
                                                                                       unsigned lane) const;

  CoreState& state_;
  IssueStage& issue_;
  PathControl& paths_;
  FenceUnit& fences_;
  MeetingPoint& meetings_;
  CtaBarriers& barriers_;
  CtaLauncher& ctas_;
  CoreTracer& tracer_;
  HangView& hang_;
  const MemoryView& memory_;  ///< for what reads memory without taking time (host_calls.cpp)
  std::vector<std::vector<sim::BlockInitiator<IssueTapProtocol>*>> taps_;
  sim::BlockInitiator<TransactionProtocol>* transaction_isock_ = nullptr;  ///< null: no kernel has any
  bool sleep_yields_;  ///< a nanosleep gives way to other lanes of the warp first
  /// The mechanism hears of calls, returns and indirect branches of groups with no lane that takes them, too: other
  /// warps of the CTA have lanes that do, and they all wait for each other there.
  bool warps_together_;
  std::uint64_t warp_instructions_ = 0;
  std::uint64_t thread_instructions_ = 0;
};

}  // namespace heddle::core
