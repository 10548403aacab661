// A SIMT core: composes its blocks and runs them, one SC_METHOD per cycle, stages in reverse pipeline order:
//
//   write-back (pipes, load/store unit) -> memory -> barrier release -> issue (per scheduler) -> fetch
//
// so that state written in a cycle is seen by earlier stages in the next one. A core with nothing to do sleeps or
// parks; skipped cycles are charged to the same causes as if it had looked.
//
// What the stages do is theirs: IssueStage which instruction issues, InstructionDispatch who executes it, PathControl
// where lanes go on, CtaLauncher what is resident. They share CoreState, which is data only.
//
// Files: core_composition.cpp what it is made of and who is bound to whom; core.cpp launches and the cycle.
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "core/config.h"
#include "core/core_extension.h"
#include "core/cta/barrier_unit.h"
#include "core/cta/cta_barriers.h"
#include "core/cta/cta_launcher.h"
#include "core/execute/control_execution.h"
#include "core/execute/exec_pipes.h"
#include "core/execute/executor.h"
#include "core/execute/host_calls.h"
#include "core/execute/instruction_dispatch.h"
#include "core/execute/meeting_point.h"
#include "core/execute/register_file.h"
#include "core/fetch/fetch.h"
#include "core/fetch/instruction_cache.h"
#include "core/issue/dependence_block.h"
#include "core/issue/fence_unit.h"
#include "core/issue/issue_stage.h"
#include "core/issue/issue_taps.h"
#include "core/issue/path_control.h"
#include "core/memory/constant_cache.h"
#include "core/memory/l1_data_cache.h"
#include "core/memory/load_store_unit.h"
#include "core/memory/memory_port.h"
#include "core/memory/memory_view.h"
#include "core/memory/shared_memory.h"
#include "core/memory/table_traffic.h"
#include "core/observe/core_tracer.h"
#include "core/observe/hang_view.h"
#include "core/protocols/core_ports.h"
#include "core/protocols/cta_protocol.h"
#include "core/state/core_state.h"
#include "core/state/warp_sync.h"
#include "sim/clock.h"
#include "sim/watchdog.h"
#include "simt/control_flow_unit.h"

namespace heddle::core {

class Core : public sc_core::sc_module, public sim::HangVeto, public sim::LaneProbe, private GroupView {
 public:
  Core(const sc_core::sc_module_name& name, base::CoreId id, const CoreConfig& config, CoreServices services,
       base::StatGroup& stats);

 private:
  void serve_cta(CtaRequest& request);
  void write_back(WritebackRequest& request);
  [[gnu::noinline]] void write_back_slices(const WritebackRequest& request);
  void complete_memory(LsuCompletion& done);
  void wake_memory(LsuWake& wake);
  /// An entry of the mechanism's tables has been moved to or from memory.
  void table_entry_moved(TableMoved& moved);
  /// The instruction's destinations have been written, of lanes of a home warp.
  [[gnu::always_inline]] void release_registers(WarpId home, LaneMask lanes,
                                                const isa::Instruction& instruction);
  /// Something of the warp that others may wait for is done.
  [[gnu::always_inline]] void operation_done(WarpId warp);
  /// An instruction of lanes of a home warp has left its pipe.
  void written_back(WarpId home, LaneMask lanes, const isa::Instruction& instruction);
  /// The mechanism asks where a group is.
  void serve_progress(simt::GroupProgress& progress) { progress.next = state_.groups[progress.group].pc; }

  sim::ClockMember clock_;  // before the blocks: the memory port keeps a reference

 public:
  // Towards the GPU.
  sim::BlockTarget<CtaProtocol, Core, &Core::serve_cta> cta_tsock{"cta_tsock", this};
  sim::BlockInitiator<CtaDoneProtocol> cta_done_isock{"cta_done_isock"};
  [[nodiscard]] sim::MemoryInitiatorSocket& memory_isock() { return memory_port_.memory_isock; }
  /// For further clients (MemoryPort::add_client).
  [[nodiscard]] MemoryPort& memory_port() { return memory_port_; }

  [[nodiscard]] std::uint64_t warp_instructions() const { return dispatch_.warp_instructions(); }

  // sim::HangVeto
  void next_write_generation() override { ports_.lsu_isock.next_write_generation(); }
  [[nodiscard]] bool old_writes_performed() const override {
    return !memory_view_.ask({.ask = LsuInspection::Ask::kOldWrites}).yes;
  }
  [[nodiscard]] bool repeated() const override { return hang_.repeated(); }
  [[nodiscard]] bool settled() const override { return hang_.settled(); }
  // sim::LaneProbe
  void start_probe() override { hang_.start(); }
  void freeze_probe() override { hang_.freeze(); }
  void stop_probe() override { hang_.stop(); }
  [[nodiscard]] bool all_in_loops() const override { return hang_.all_in_loops(); }
  [[nodiscard]] bool passes_over() const override { return hang_.passes_over(); }

  /// Adds what the warps here are doing.
  void describe_warps(std::vector<StuckWarp>& stuck) const { hang_.describe_warps(stuck); }

  // For the proof of a hang (hang/snapshot.h).
  /// Adds what is resident here.
  void hang_view(hang::Snapshot& snapshot) const { hang_.snapshot(snapshot); }
  /// Names of the stall causes that extensions' gates add.
  [[nodiscard]] const std::vector<std::string>& gate_names() const { return issue_stage_.gate_names(); }
  /// Of the control-flow mechanism.
  [[nodiscard]] const simt::Traits& control_flow() const { return control_flow_unit_.traits(); }
  /// Barriers count whole warps (barrier_unit.h): only where the lanes of a warp run one group after another.
  [[nodiscard]] bool barriers_count_warps() const { return barriers_.counts_warps(); }
  [[nodiscard]] const MemoryView& memory_view() const { return memory_view_; }
  /// A word of local memory, named by its device address, as its thread sees it.
  [[nodiscard]] std::uint32_t local_word(std::uint64_t address) const {
    return memory_view_.local_word(address, *state_.launch->services);
  }

 private:
  // GroupView
  void groups(WarpId warp, std::vector<GroupState>& groups) const override;
  [[nodiscard]] bool releases_pending(WarpId warp) const override {
    return paths_.releases_pending(warp) || warp_sync_.postponed(warp);
  }
  [[nodiscard]] std::uint64_t digest(WarpId warp) const override { return hang_.digest(warp); }

  // core_composition.cpp
  void bind_blocks();
  void bind_releases(const CoreExtension::Releases& releases);
  void bind_transactions(tlm::tlm_target_socket<32, TransactionProtocol>& unit, CoreExtension& of);
  /// Makes what is added to the core; `declare` comes after it, since gates name stall causes.
  void add_extensions(base::StatGroup& stats);
  /// The issue stage to the warp schedulers, with the extensions' units between.
  void bind_schedulers();
  /// The core to the load/store unit, with the extensions' interposers between.
  void bind_load_store_unit();
  void declare(base::StatGroup& stats);

  // core.cpp
  void begin_launch(const LaunchContext* launch);
  void tick();
  void cycle(Cycle now);
  void memory_stage(Cycle now);
  void fetch_stage(Cycle now);
  void account_idle(Cycle until);
  /// What extensions tell comes between cycles: those before this one are charged as they were.
  void account_until_now();
  void sleep(Cycle now);

  // Blocks.
  simt::ControlFlowUnit control_flow_unit_;
  CoreState state_;
  Fetch fetch_;
  InstructionCache l1i_;
  DependenceBlock scoreboard_;
  ExecPipes pipes_;
  RegisterFile register_file_;
  BarrierUnit barrier_unit_;
  MemoryPort memory_port_;
  L1DataCache l1d_;
  ConstantCache constant_cache_;
  SharedMemory shared_memory_;
  LoadStoreUnit lsu_;
  TableTraffic table_traffic_;

  CorePorts ports_;
  sim::BlockTarget<simt::GroupProgressProtocol, Core, &Core::serve_progress> progress_tsock_{"progress_tsock",
                                                                                             this};
  sim::BlockTarget<WritebackProtocol, Core, &Core::write_back> pipes_writeback_tsock_{"pipes_writeback_tsock",
                                                                                      this};
  sim::BlockTarget<LsuCompletionProtocol, Core, &Core::complete_memory> lsu_completion_tsock_{
      "lsu_completion_tsock", this};
  sim::BlockTarget<LsuWakeProtocol, Core, &Core::wake_memory> lsu_wake_tsock_{"lsu_wake_tsock", this};
  sim::BlockTarget<TableMovedProtocol, Core, &Core::table_entry_moved> table_moved_tsock_{"table_moved_tsock",
                                                                                          this};

  // Stages.
  WarpSync warp_sync_;
  IssueStage issue_stage_;
  CoreTracer tracer_;
  HangView hang_;
  PathControl paths_;
  FenceUnit fences_;
  CtaBarriers barriers_;
  MeetingPoint meetings_;
  CtaLauncher ctas_;
  Executor executor_;
  MemoryView memory_view_;
  IssueTaps taps_;
  ControlExecution control_;
  HostCalls host_calls_;
  InstructionDispatch dispatch_;

  std::vector<std::unique_ptr<CoreExtension>> extensions_;
  std::vector<std::unique_ptr<SocketGate>> extension_gates_;
  std::vector<std::unique_ptr<IssueTapPort>> extension_taps_;
  void serve_release(ReleaseControl& request);
  struct ReleaseSockets {
    explicit ReleaseSockets(Core* core) : control_tsock("release_control_tsock", core) {}
    ReleasePort release_isock{"release_isock"};
    sim::BlockTarget<ReleaseControlProtocol, Core, &Core::serve_release> control_tsock;
  };
  std::unique_ptr<ReleaseSockets> extension_releases_;
  std::unique_ptr<TransactionPort> transaction_isock_;  ///< null: there are none
  void serve_transactions(TransactionControl& request);
  using TransactionControlTarget =
      sim::BlockTarget<TransactionControlProtocol, Core, &Core::serve_transactions>;
  std::unique_ptr<TransactionControlTarget> transaction_control_tsock_;

  bool lsu_wants_port_ = false;
  Cycle last_cycle_ = 0;  ///< cycles up to and including this one are accounted

  std::uint64_t cycles_ = 0;
  std::uint64_t active_cycles_ = 0;    ///< cycles in which the core was evaluated
  std::uint64_t resident_cycles_ = 0;  ///< cycles with at least one resident warp
  std::uint64_t group_cycles_ = 0;     ///< issue groups present, summed over cycles
};

}  // namespace heddle::core
