// What the stages of a core share: the launch, what is resident, and when each stage must run again. Data only: who
// may change a part of it is said beside it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "core/config.h"
#include "core/core_extension.h"
#include "core/state/issue_table.h"
#include "core/warp_context.h"
#include "host/allocation.h"
#include "isa/instruction.h"
#include "sim/clock.h"
#include "sim/fault_latch.h"
#include "sim/memory_payload.h"
#include "sim/progress.h"
#include "sim/twins.h"

namespace heddle::core {

class HazardLog;

/// What a core shares with the rest of the GPU.
struct CoreServices {
  sim::ClockDomain& clock;
  sim::MemoryPool& pool;
  const host::AllocationTable& allocations;
  sim::ProgressMonitor& progress;
  sim::FaultLatch& faults;
  sim::Twins* twins = nullptr;  ///< RTL for blocks whose `impl` asks for it; null: there is none
  std::vector<CoreExtensionFactory> extensions{};  ///< what is added to every core
  HazardLog* hazards = nullptr;  ///< of control codes; only needed with core.scoreboard.check_hazards
};

/// What the issue stage must know of an instruction of the launched kernel, by PC.
struct IssueFacts {
  Pipe pipe = Pipe::kSp;
  std::uint8_t gates = 0;  ///< bit per gate that wants to be asked about it (protocols/issue_gate_protocol.h)
  std::uint8_t taps =
      0;  ///< bit per tap that wants to be told when it issues (protocols/issue_tap_protocol.h)
  std::uint8_t reserved = 0;  ///< four bytes: indexed once per instruction
};

/// First cycle in which a stage has something to do, kNever: nothing that is known of.
struct StageDue {
  Cycle pipes = kNever;
  Cycle lsu = kNever;
  Cycle fetch = kNever;
  Cycle control_flow = kNever;

  /// The load/store unit was given something after it ran in cycle `now`.
  void lsu_after(Cycle now) { lsu = std::min(lsu, now + 1); }
};

struct CoreState {
  CoreState(base::CoreId core, const CoreConfig& configuration, CoreServices shared,
            std::uint32_t groups_per_slot)
      : id(core),
        config(configuration),
        services(std::move(shared)),
        groups_per_warp(groups_per_slot),
        groups(configuration.occupancy.max_warps * groups_per_slot, configuration.scheduler.count),
        formations(configuration.occupancy.max_warps),
        groups_of_warp(configuration.occupancy.max_warps),
        groups_in_slot(configuration.occupancy.max_warps, 0),
        warps(configuration.occupancy.max_warps),
        gates_of_warp(configuration.occupancy.max_warps, 0),
        ctas(configuration.occupancy.max_ctas) {}

  const base::CoreId id;
  const CoreConfig config;
  CoreServices services;
  const std::uint32_t groups_per_warp;  ///< I-buffers of a warp slot

  // The launch: set when it begins (CtaLauncher).
  const LaunchContext* launch = nullptr;
  const isa::Instruction* code = nullptr;  ///< of the kernel, by PC
  const std::byte* constants = nullptr;    ///< rows of this launch
  KernelProfile* profile = nullptr;        ///< of the launch; nullptr: none is taken
  TraceSink* trace = nullptr;              ///< of the launch; nullptr: nothing is recorded
  std::vector<IssueFacts> facts;           ///< by PC

  Cycle now = 0;  ///< the cycle that is being evaluated (Core)
  StageDue due;

  // Issue groups: their status belongs to the issue stage, where they are to PathControl.
  IssueTable groups;
  FormationTable formations;
  std::vector<std::vector<GroupId>> groups_of_warp;  ///< by home warp: groups that have lanes of it
  std::vector<std::uint32_t> groups_in_slot;         ///< by warp slot: groups that occupy it

  // Architectural state: lives from CtaLauncher::start to its retirement; registers are written by the Executor and by
  // what the load/store unit delivers.
  std::vector<WarpContext> warps;
  std::vector<std::uint8_t> gates_of_warp;  ///< bit per gate that may be closed for it (IssueGates)
  std::vector<CtaContext> ctas;
  std::uint64_t live_threads = 0;  ///< of them all: what has started and not exited

  /// Calls fn(home, lanes) for each home warp that has some of the group's lanes `lanes`.
  template <class Fn>
  void for_each_slice(const IssueTable::Group& group, LaneMask lanes, Fn&& fn) const {
    formations.for_each_slice(group.formation, lanes, fn);
  }
  /// All of its lanes are of the warp whose slot it occupies.
  [[nodiscard]] static bool is_static(const IssueTable::Group& group) {
    return group.formation.value() == group.warp.value();
  }
  /// The home warp of one of the group's lanes.
  [[nodiscard]] WarpId home(const IssueTable::Group& group, unsigned lane) const {
    return formations.home(group.formation, lane);
  }

  [[nodiscard]] WarpContext& warp(WarpId id_of) { return warps[id_of.value()]; }
  [[nodiscard]] const WarpContext& warp(WarpId id_of) const { return warps[id_of.value()]; }
  [[nodiscard]] bool observed() const { return profile != nullptr || trace != nullptr; }
  [[nodiscard]] const isa::Kernel& kernel() const { return *launch->kernel; }
  [[nodiscard]] const isa::Instruction& instruction(Pc pc) const { return code[pc.value()]; }
  [[nodiscard]] std::uint32_t scheduler_of(WarpId slot) const {
    return slot.value() % config.scheduler.count;
  }
};

}  // namespace heddle::core
