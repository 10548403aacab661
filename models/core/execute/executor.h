// Executes lane operations and memory instructions: reads registers, computes values, and sends each instruction on its
// way, into a pipe or to the load/store unit. Values are computed at issue; when a result may be used is the business of
// pipes, load/store unit and scoreboard.
#pragma once

#include <span>

#include "core/issue/issue_stage.h"
#include "core/observe/core_tracer.h"
#include "core/protocols/core_ports.h"
#include "core/state/core_state.h"

namespace heddle::core {

class Executor {
 public:
  Executor(CoreState& state, CorePorts& ports, IssueStage& issue, CoreTracer& tracer)
      : state_(state),
        scoreboard_(ports.scoreboard_isock),
        pipes_(ports.pipes_isock),
        lsu_(ports.lsu_isock),
        issue_(issue),
        tracer_(tracer) {}

  /// A lane operation of lanes `exec`; `clock`: what a clock register reads.
  void lanes(const IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec, Cycle clock);
  /// The same cross-lane operation at several places (.sync instructions that meet): a group of lanes of one warp for
  /// each. Its registers may be the same; the scoreboard takes each once.
  void exchange(std::span<IssueTable::Group> places);
  /// A load, store or atomic. `tag`: comes back with its completion.
  void memory(const IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec,
              std::uint32_t tag = 0);
  /// One whose guard no lane passes: it takes its place in the sub-core's queue, if there is one.
  void memory_without_lanes(const IssueTable::Group& group);
  /// cp.async; commit_group.
  void copy(const IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec);
  void commit_copies(const IssueTable::Group& group, LaneMask exec);
  /// ldmatrix. Throws base::KernelFault if lanes are missing.
  void load_matrix(const IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec);

 private:
  [[gnu::always_inline]] void reserve(const IssueTable::Group& group, WarpId home, LaneMask lanes,
                                      const isa::Instruction& instruction);
  /// Control codes: the operands are collected then.
  [[gnu::noinline]] void read_sources(const IssueTable::Group& group, const isa::Instruction& instruction,
                                      LaneMask exec, Cycle collected);
  /// Reserves destinations and lets the instruction into a collector of its pipe; how many cycles late its
  /// operands are.
  Cycle enter_pipe(const IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec);
  [[gnu::noinline]] void memory_of_slices(const IssueTable::Group& group, LaneMask exec, LsuRequest& request);
  /// The lane operation on the rows of one home warp.
  [[gnu::always_inline]] void lanes_of(WarpContext& warp, const isa::Instruction& instruction, LaneMask exec,
                                       Cycle clock) const;

  CoreState& state_;
  ScoreboardPort& scoreboard_;
  PipesPort& pipes_;
  LsuPort& lsu_;
  IssueStage& issue_;
  CoreTracer& tracer_;
  std::uint32_t next_copy_ = 0;
};

}  // namespace heddle::core
