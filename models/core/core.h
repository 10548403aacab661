// A SIMT core: composes its blocks and runs them, one SC_METHOD per cycle, stages in reverse pipeline order:
//
//   write-back (pipes, load/store unit) -> memory -> barrier release -> issue (per scheduler) -> fetch
//
// so that state written in a cycle is seen by earlier stages in the next one. The core itself holds the issue
// logic: it reads operands, computes values, and keeps branch unit, scoreboard and I-buffers in step. It does
// not know which control-flow mechanism it has (simt/control_flow_protocol.h). A core with nothing to do sleeps or
// parks; skipped cycles are charged to the same causes as if it had looked.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <systemc>
#include <vector>

#include "core/config.h"
#include "core/cta/barrier_unit.h"
#include "core/cta/cta_slots.h"
#include "core/execute/exec_pipes.h"
#include "core/execute/register_file.h"
#include "core/fetch/fetch.h"
#include "core/fetch/instruction_cache.h"
#include "core/issue/issue_table.h"
#include "core/issue/scoreboard.h"
#include "core/issue/warp_sync.h"
#include "core/memory/access_check.h"
#include "core/memory/constant_cache.h"
#include "core/memory/l1_data_cache.h"
#include "core/memory/load_store_unit.h"
#include "core/memory/memory_port.h"
#include "core/memory/shared_memory.h"
#include "core/memory/table_traffic.h"
#include "core/observe/hang_probe.h"
#include "core/observe/profile.h"
#include "core/observe/trace.h"
#include "core/protocols/cta_protocol.h"
#include "core/schedule/warp_scheduler.h"
#include "sim/clock.h"
#include "sim/fault_latch.h"
#include "sim/watchdog.h"
#include "simt/control_flow_unit.h"

namespace heddle::hang {
struct Snapshot;
struct WarpState;
}  // namespace heddle::hang

namespace heddle::core {

/// What a core shares with the rest of the GPU.
struct CoreServices {
  sim::ClockDomain& clock;
  sim::MemoryPool& pool;
  const host::AllocationTable& allocations;
  sim::ProgressMonitor& progress;
  sim::FaultLatch& faults;
  sim::Twins* twins = nullptr;  ///< RTL for blocks whose `impl` asks for it; null: there is none
};

class Core : public sc_core::sc_module, public sim::Watched {
 public:
  Core(const sc_core::sc_module_name& name, base::CoreId id, const CoreConfig& config, CoreServices services,
       base::StatGroup& stats);

 private:
  void serve_cta(CtaRequest& request);
  void write_back(WritebackRequest& request);
  /// The branch unit asks where a group is.
  void serve_progress(simt::GroupProgress& progress) { progress.next = groups_[progress.group].pc; }

  sim::ClockMember clock_;  // before the blocks: the memory port keeps a reference

 public:
  // Towards the GPU.
  sim::BlockTarget<CtaProtocol, Core, &Core::serve_cta> cta_tsock{"cta_tsock", this};
  sim::BlockInitiator<CtaDoneProtocol> cta_done_isock{"cta_done_isock"};
  [[nodiscard]] sim::MemoryInitiatorSocket& memory_isock() { return memory_port_.memory_isock; }

  [[nodiscard]] std::uint64_t warp_instructions() const { return warp_instructions_; }

  // sim::Watched
  void next_write_generation() override { lsu_.next_write_generation(); }
  [[nodiscard]] bool old_writes_performed() const override { return lsu_.old_writes_outstanding() == 0; }
  void start_probe() override { probe_.start(); }
  void freeze_probe() override;
  void stop_probe() override { probe_.stop(); }
  [[nodiscard]] bool repeated() const override;
  [[nodiscard]] bool settled() const override;
  void diagnose(std::vector<sim::StuckWarp>& stuck) const override;

  // For the proof of a hang (hang/snapshot.h).
  /// Adds what is resident here.
  void hang_view(hang::Snapshot& snapshot) const;
  /// Lanes of a warp wait for each other at .sync instructions.
  [[nodiscard]] bool lanes_meet() const { return branch_unit_.runs_lanes_apart(); }
  /// Barriers count whole warps (barrier_unit.h): only where the lanes of a warp run one group after another.
  [[nodiscard]] bool barriers_count_warps() const {
    return config_.barrier.counts == BarrierCounts::kWarps && !branch_unit_.runs_lanes_apart();
  }
  [[nodiscard]] bool loads_through_l1(const isa::Instruction& instruction) const;
  /// A load that looks into L1 finds the word there.
  [[nodiscard]] bool word_in_l1(std::uint64_t address, std::uint32_t& value) const;
  /// A line with the word is on its way to L1.
  [[nodiscard]] bool fetches_to_l1(std::uint64_t address) const { return l1d_.fetches(address); }
  /// A word of local memory, named by its device address, as its thread sees it.
  [[nodiscard]] bool local_word(std::uint64_t address, std::uint32_t& value) const;
  [[nodiscard]] std::uint32_t shared_word(std::uint32_t offset) const;

 private:
  // core.cpp: a cycle
  void bind_blocks();
  void declare(base::StatGroup& stats);
  void tick();
  void cycle(Cycle now);
  void memory_stage(Cycle now);
  void issue_stages(Cycle now);
  /// `refused`: what the scheduler chose before and the scoreboard had no ports for.
  void issue_stage(Cycle now, std::uint32_t scheduler, std::optional<GroupId> refused = {});
  /// Whether the scoreboard has the ports for what the group issues, if ports are limited.
  [[nodiscard]] bool admitted(GroupId group, bool refused_before);
  void fetch_stage(Cycle now);
  void account_idle(Cycle until);
  /// Charges the `cycles` cycles up to `now` of a scheduler's slot; `issuing`: the group, if `use` is
  /// kIssued.
  void charge(std::uint32_t scheduler, SlotUse use, Cycle now, Cycle cycles = 1, GroupId issuing = {}) {
    slots_[static_cast<unsigned>(use)] += cycles;
    if (groups_.profiled())
      groups_.profile_slot(scheduler, pipe_readiness_[sub_core_of(scheduler)], now, cycles, use, issuing);
  }
  void sleep(Cycle now);
  [[nodiscard]] std::uint32_t scheduler_of(WarpId warp) const {
    return warp.value() % config_.scheduler.count;
  }
  [[nodiscard]] std::uint32_t sub_core_of(std::uint32_t scheduler) const { return sub_core_of_[scheduler]; }

  // core_issue.cpp: one instruction
  void issue(GroupId id);
  /// `clock`: what a clock register reads.
  void issue_lane(IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec, Cycle clock);
  void issue_sleep(GroupId id, const isa::Instruction& instruction, LaneMask exec);
  [[noreturn]] void trap(const IssueTable::Group& group, const isa::Instruction& instruction,
                         LaneMask exec) const;
  /// Nanoseconds since the start of the simulation, for %globaltimer.
  [[nodiscard]] std::uint64_t nanoseconds() const;
  void issue_memory(IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec);
  void issue_branch(GroupId id, const isa::Instruction& instruction, LaneMask exec);
  void issue_exit(GroupId id, LaneMask exec);
  // core_warp_sync.cpp: where lanes of a warp wait for each other
  void issue_warp_sync(GroupId id, const isa::Instruction& instruction, LaneMask exec);
  /// The lanes that the member masks of lanes `exec` name, and the masks; throws if a lane's lacks itself.
  [[nodiscard]] LaneMask named_lanes(const IssueTable::Group& group, const isa::Instruction& instruction,
                                     LaneMask exec, std::array<std::uint32_t, kLanes>& members) const;
  /// Executes what lanes of the warp have met for and lets their splits go on; true: `arriving`, whose group
  /// still is at the instruction, is one of these. A scoreboard hazard, possible where lanes have exited or
  /// another split reserved since, postpones it to a write-back.
  bool meet(WarpId warp, const WarpSync::Split* arriving = nullptr);
  // core_calls.cpp: where lanes go to different places
  void issue_indirect(GroupId id, const isa::Instruction& instruction, LaneMask exec);
  void issue_call(GroupId id, const isa::Instruction& instruction, LaneMask exec);
  void issue_return(GroupId id, const isa::Instruction& instruction, LaneMask exec);
  void issue_print(const IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec);
  /// Reads a thread's memory by generic address as the thread itself sees it, taking no time; throws if it
  /// cannot. Refers to `site`.
  [[nodiscard]] std::function<void(std::uint64_t, std::span<std::byte>)> thread_memory(const AccessSite& site,
                                                                                       unsigned lane) const;
  [[noreturn]] void fail_assertion(const IssueTable::Group& group, const isa::Instruction& instruction,
                                   LaneMask exec) const;
  /// What lane `lane` holds in a row of 32 or 64 bits.
  [[nodiscard]] std::uint64_t lane_of(const WarpContext& warp, const isa::Operand& operand,
                                      unsigned lane) const;
  [[nodiscard]] AccessSite site_of(const IssueTable::Group& group, const isa::Instruction& instruction) const;
  void count_divergence(Pc pc);
  void issue_barrier(GroupId id, const isa::Instruction& instruction, LaneMask exec);
  /// How many threads, as the barrier unit counts them, a warp is of which these live.
  [[nodiscard]] std::uint32_t barrier_share(LaneMask live) const {
    return live.none() ? 0 : barriers_count_warps() ? kLanes : live.count();
  }
  void issue_fence(GroupId id, const isa::Instruction& instruction);
  /// Reserves destinations and lets the instruction into a collector of its pipe; how many cycles late its
  /// operands are.
  Cycle enter_pipe(const IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec);
  void set_status(GroupId id, GroupStatus status, Pipe pipe = Pipe::kSp) {
    groups_.set_status(id, status, pipe);
  }
  /// The group waits for memory, a fence or a barrier.
  void set_long_latency(GroupId id, GroupStatus status);
  [[nodiscard]] LaneMask guarded(const IssueTable::Group& group, const isa::Instruction& instruction) const;
  [[nodiscard]] const std::byte* row(const WarpContext& warp, const isa::Operand& operand) const;
  /// Sequential flow to pc+1.
  void advance(GroupId id, const isa::Instruction& instruction);
  /// Asks the branch unit, and does what it answers. The group may have moved or be gone then.
  void decide(simt::ControlFlowRequest& request);
  void apply(const simt::ControlFlowRequest& answer);
  void group_appears(WarpId warp, GroupId id);
  void group_moves(WarpId warp, const simt::GroupUpdate& update);
  void group_stops(WarpId warp, const simt::GroupUpdate& update);
  /// While the watchdog probes: a group has arrived at `pc`.
  void probe_visit(WarpId warp, const simt::GroupUpdate& update);
  void redirect(GroupId id, Pc pc, GroupStatus waiting);
  /// Re-examines the head of the group's I-buffer.
  void refresh(GroupId id);

  // core_trace.cpp: only while something is recorded
  [[nodiscard]] TraceSite trace_site(WarpId warp) const;
  void trace_tables(WarpId warp, TableSnapshot snapshot);
  /// After the branch unit's answer; `pc`: the instruction that asked.
  void trace_decision(const simt::ControlFlowRequest& request, Pc pc);
  /// After a change of the scoreboard.
  void trace_registers(std::string_view event, WarpId warp, const isa::Instruction& instruction,
                       LaneMask lanes);
  void trace_update(WarpId warp, const simt::GroupUpdate& update);
  void trace_issue(const IssueTable::Group& group, GroupId id, LaneMask lanes);

  // core_warps.cpp: CTAs, warps, barriers, fences
  void begin_launch(const LaunchContext* launch);
  void start_cta(std::uint64_t linear_id);
  void start_warp(const CtaContext& cta, CtaSlot slot, WarpId id, std::uint32_t warp_in_cta);
  void fill_special_rows(WarpContext& warp, const CtaContext& cta, WarpId id) const;
  [[nodiscard]] bool fence_satisfied(const WarpContext& warp, isa::FenceScope scope) const;
  void lift_fences(WarpId warp);
  /// An entry of the branch unit's tables has been moved to or from memory.
  void table_entry_moved(WarpId warp, const isa::Instruction& instruction);
  void retire_if_finished(WarpId id);
  void release_barriers(const std::vector<BarrierRelease>& released, Cycle when);
  /// Gives the threads of a warp the result of a barrier.red.
  void write_reduction(const BarrierRelease& release);

  // core_hang.cpp
  [[nodiscard]] std::vector<simt::RunnableSplit> runnable_splits(WarpId warp) const;
  /// Something of the warp will happen without any of its lanes running.
  [[nodiscard]] bool in_transit(WarpId warp) const;
  /// Lanes of the warp wait at a reconvergence point whose time-out will let them go.
  [[nodiscard]] bool timers_run(WarpId warp) const;
  [[nodiscard]] std::vector<simt::SuspendedLanes> suspended_lanes(WarpId warp) const;
  /// The split's group could issue, and has not been chosen for long, nor need it ever be.
  [[nodiscard]] bool starved(WarpId warp, LaneMask lanes) const;
  [[nodiscard]] std::vector<PendingLoad> pending_loads(WarpId warp) const;
  void view_warp(WarpId id, std::uint32_t cta, hang::WarpState& state) const;
  void view_waiting(WarpId id, hang::WarpState& state) const;
  /// Next instruction of the split.
  [[nodiscard]] Pc where_now(WarpId warp, const simt::RunnableSplit& split) const;
  /// The barrier at which the lanes wait; `arrived` is 0 if there is none.
  [[nodiscard]] BarrierRequest barrier_of(WarpId warp, LaneMask lanes) const;
  [[nodiscard]] std::string warp_name(WarpId id) const;
  /// "16 of 32 threads have arrived", of an inspected barrier.
  [[nodiscard]] std::string arrivals(const BarrierRequest& barrier) const;

  base::CoreId id_;
  CoreConfig config_;
  CoreServices services_;

  // Blocks and the sockets towards them.
  simt::ControlFlowUnit branch_unit_;
  Fetch fetch_;
  InstructionCache l1i_;
  Scoreboard scoreboard_;
  std::vector<std::unique_ptr<WarpScheduler>> schedulers_;
  ExecPipes pipes_;
  RegisterFile register_file_;
  BarrierUnit barrier_unit_;
  MemoryPort memory_port_;
  L1DataCache l1d_;
  ConstantCache constant_cache_;
  SharedMemory shared_memory_;
  LoadStoreUnit lsu_;
  TableTraffic table_traffic_;

  mutable sim::BlockInitiator<simt::ControlFlowProtocol> branch_isock_{
      "branch_isock"};  // inspection is const
  sim::BlockInitiator<FetchProtocol> fetch_isock_{"fetch_isock"};
  sim::BlockInitiator<ScoreboardProtocol> scoreboard_isock_{"scoreboard_isock"};
  std::vector<std::unique_ptr<sim::BlockInitiator<SchedulerProtocol>>> scheduler_isocks_;
  sim::BlockInitiator<PipesProtocol> pipes_isock_{"pipes_isock"};
  mutable sim::BlockInitiator<BarrierProtocol> barrier_isock_{"barrier_isock"};
  mutable sim::BlockInitiator<LsuProtocol> lsu_isock_{"lsu_isock"};  // inspection is const
  sim::BlockInitiator<PortProtocol> port_isock_{"port_isock"};
  sim::BlockTarget<simt::GroupProgressProtocol, Core, &Core::serve_progress> progress_tsock_{"progress_tsock",
                                                                                             this};
  sim::BlockTarget<WritebackProtocol, Core, &Core::write_back> pipes_writeback_tsock_{"pipes_writeback_tsock",
                                                                                      this};
  sim::BlockTarget<WritebackProtocol, Core, &Core::write_back> lsu_writeback_tsock_{"lsu_writeback_tsock",
                                                                                    this};

  // State
  const LaunchContext* launch_ = nullptr;
  const isa::Instruction* code_ = nullptr;  ///< of the kernel, by PC
  IssueTable groups_;
  std::vector<WarpContext> warps_;
  std::vector<std::vector<GroupId>> groups_of_warp_;
  std::vector<CtaContext> ctas_;
  CtaSlots cta_slots_;
  CtaNeeds needs_;
  struct Fence {
    GroupId group{};
    std::uint32_t epoch = 0;
    isa::FenceScope scope = isa::FenceScope::kGpu;
  };
  std::vector<std::vector<Fence>> fences_;  ///< by warp
  struct LanesOfWarp {
    WarpId warp{};
    LaneMask lanes;
  };
  base::TimingWheel<LanesOfWarp> barrier_releases_;
  struct Sleeper {
    GroupId group{};
    std::uint32_t epoch = 0;
  };
  base::TimingWheel<Sleeper> sleepers_;  ///< groups in nanosleep
  WarpSync warp_sync_;
  HangProbe probe_;
  std::vector<std::uint32_t> sub_core_of_;     ///< by scheduler
  std::vector<PipeReadiness> pipe_readiness_;  ///< by sub-core
  std::vector<Pipe> pipe_of_pc_;
  Cycle now_ = 0;
  // When each stage must run again, as far as known.
  Cycle pipes_due_ = kNever;
  Cycle lsu_due_ = kNever;
  Cycle port_due_ = kNever;
  Cycle fetch_due_ = kNever;
  Cycle branch_due_ = kNever;
  bool lsu_wants_port_ = false;
  bool held_back_ = false;  ///< a scheduling policy held all candidates back in this cycle
  struct PortWait {
    std::uint32_t scheduler = 0;
    GroupId group{};
  };
  /// Goes first: the one after that which last took the shared load/store unit. With a fixed order the
  /// spinning warps of one scheduler could keep the owner of their lock, a warp of another, from it for ever.
  std::uint32_t first_scheduler_ = 0;
  std::vector<PortWait> port_waits_;  ///< schedulers' choices that the scoreboard has no ports for, the first
                                      ///< refused in front
  std::vector<PortWait> earlier_waits_;  ///< scratch: those of the cycle before
  bool replay_ = false;                  ///< in this cycle a memory instruction takes a further pass ...
  std::uint32_t replay_scheduler_ = 0;   ///< ... and with it this scheduler's slot
  Cycle last_cycle_ = 0;                 ///< cycles up to and including this one are accounted

  std::uint64_t warp_instructions_ = 0;
  std::uint64_t thread_instructions_ = 0;
  std::uint64_t cycles_ = 0;
  std::uint64_t active_cycles_ = 0;    ///< cycles in which the core was evaluated
  std::uint64_t resident_cycles_ = 0;  ///< cycles with at least one resident warp
  std::uint64_t group_cycles_ = 0;     ///< issue groups present, summed over cycles
  std::uint64_t ctas_started_ = 0;
  std::array<std::uint64_t, kSlotUses> slots_{};
};

}  // namespace heddle::core
