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
// Its parts: CoreBlocks what stands behind sockets, WritebackStage what ends operations, CoreCycles the cycles,
// CoreExtensionSet what is added. Files: core_composition.cpp how the stages are put together; core.cpp launches and the cycle.
#pragma once

#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "core/config.h"
#include "core/core_blocks.h"
#include "core/core_cycles.h"
#include "core/core_extension.h"
#include "core/core_extension_set.h"
#include "core/cta/cta_barriers.h"
#include "core/cta/cta_launcher.h"
#include "core/execute/control_execution.h"
#include "core/execute/executor.h"
#include "core/execute/host_calls.h"
#include "core/execute/instruction_dispatch.h"
#include "core/execute/meeting_point.h"
#include "core/execute/writeback_stage.h"
#include "core/issue/barrier_order.h"
#include "core/issue/fence_unit.h"
#include "core/issue/issue_stage.h"
#include "core/issue/issue_taps.h"
#include "core/issue/path_control.h"
#include "core/memory/memory_view.h"
#include "core/observe/core_tracer.h"
#include "core/observe/hang_view.h"
#include "core/observe/wait_tracer.h"
#include "core/protocols/core_ports.h"
#include "core/protocols/cta_protocol.h"
#include "core/state/core_state.h"
#include "core/state/warp_sync.h"
#include "sim/clock.h"
#include "sim/watchdog.h"

namespace heddle::core {

class Core : public sc_core::sc_module, public sim::HangVeto, public sim::LaneProbe, private GroupView {
 public:
  Core(const sc_core::sc_module_name& name, base::CoreId id, const CoreConfig& config, CoreServices services,
       base::StatGroup& stats);

 private:
  void serve_cta(CtaRequest& request);
  void wake_memory(LsuWake& wake);
  /// The mechanism asks where a group is.
  void serve_progress(simt::GroupProgress& progress) { progress.next = state_.groups[progress.group].pc; }

  sim::ClockMember clock_;  // before the blocks: the memory port keeps a reference

 public:
  // Towards the GPU.
  sim::BlockTarget<CtaProtocol, Core, &Core::serve_cta> cta_tsock{"cta_tsock", this};
  sim::BlockInitiator<CtaDoneProtocol> cta_done_isock{"cta_done_isock"};
  [[nodiscard]] sim::MemoryInitiatorSocket& memory_isock() { return blocks_.memory_port.memory_isock; }
  /// For further clients (MemoryPort::add_client).
  [[nodiscard]] MemoryPort& memory_port() { return blocks_.memory_port; }

  [[nodiscard]] bool has_ctas() const { return ctas_.resident() != 0; }
  /// Core cycles that it runs at least until it is done with the CTAs that it has, the one that it runs next included; 0: it
  /// has none.
  [[nodiscard]] Cycle least_cycles_left() const;
  /// Threads that exit in a cycle at most: a scheduler issues one exit, for the lanes of a warp.
  [[nodiscard]] std::uint64_t exits_per_cycle() const {
    return std::uint64_t{base::kLanes} * state_.config.scheduler.count;
  }
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
  void add_activity(std::vector<hang::GroupActivity>& groups) const { hang_.add_activity(groups); }

  // For the proof of a hang (hang/snapshot.h).
  /// Adds what is resident here.
  void hang_view(hang::Snapshot& snapshot) const { hang_.snapshot(snapshot); }
  /// Names of the stall causes that extensions' gates add.
  [[nodiscard]] const std::vector<std::string>& gate_names() const { return issue_stage_.gate_names(); }
  /// Of the control-flow mechanism.
  [[nodiscard]] const simt::Traits& control_flow() const { return blocks_.control_flow_unit.traits(); }
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
    return paths_.releases_pending(warp) || warp_sync_.postponed(warp) || fences_.waits(warp);
  }
  [[nodiscard]] std::uint64_t digest(WarpId warp) const override { return hang_.digest(warp); }

  // core_composition.cpp
  void bind();
  void declare(base::StatGroup& stats);

  // core.cpp
  /// All cores hear of a launch. Of those that stay without a CTA most only count its cycles.
  void launch_begins(const LaunchContext* launch);
  void begin_launch(const LaunchContext* launch);
  /// Something happens here.
  void take_part();
  void end_launch();
  /// Before its first CTA: a core that gets none need not look at the kernel's instructions.
  void learn_kernel();
  void learn_facts();
  void tick();
  void cycle(Cycle now);
  void memory_stage(Cycle now);
  void fetch_stage(Cycle now);
  void sleep(Cycle now);

  CoreBlocks blocks_;
  CoreState state_;
  CorePorts ports_;
  sim::BlockTarget<simt::GroupProgressProtocol, Core, &Core::serve_progress> progress_tsock_{"progress_tsock",
                                                                                             this};
  sim::BlockTarget<LsuWakeProtocol, Core, &Core::wake_memory> lsu_wake_tsock_{"lsu_wake_tsock", this};

  // Stages.
  WarpSync warp_sync_;
  IssueStage issue_stage_;
  CoreTracer tracer_;
  WaitTracer waits_;
  HangView hang_;
  PathControl paths_;
  FenceUnit fences_;
  std::optional<BarrierOrder> barrier_order_;  ///< with core.lsu.local_queue_entries
  CtaBarriers barriers_;
  MeetingPoint meetings_;
  CtaLauncher ctas_;
  Executor executor_;
  MemoryView memory_view_;
  IssueTaps taps_;
  ControlExecution control_;
  HostCalls host_calls_;
  InstructionDispatch dispatch_;
  WritebackStage writeback_;

  CoreCycles cycles_;
  CoreExtensionSet extensions_;

  /// In a launch.
  enum class Part : std::uint8_t {
    kRuns,   ///< it has done something; also before the first launch
    kBegun,  ///< blocks know of it
    kNone,   ///< they do not, and are as a launch before it has left them, which did nothing here
    kRests,  ///< between launches: the last one did nothing here
  };
  Part part_ = Part::kRuns;
  /// Statistics other than those of CoreCycles::rest() may have changed since they were reset.
  bool counted_ = true;
  Cycle launch_began_ = 0;
  bool lsu_wants_port_ = false;
  bool knows_kernel_ = false;                    ///< learn_kernel() of this launch
  std::shared_ptr<const isa::Kernel> facts_of_;  ///< whose facts state_ has: kept for its next launch
};

}  // namespace heddle::core
