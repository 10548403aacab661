// The write-back stage: what becomes of a warp when an instruction leaves its pipe, a memory operation is done or an entry of
// the mechanism's tables has been moved. Registers are released, and what waited is looked at: groups, fences, meeting points,
// the end of the warp.
#pragma once

#include "core/cta/cta_launcher.h"
#include "core/execute/meeting_point.h"
#include "core/issue/fence_unit.h"
#include "core/issue/issue_stage.h"
#include "core/issue/path_control.h"
#include "core/observe/core_tracer.h"
#include "core/observe/wait_tracer.h"
#include "core/protocols/core_ports.h"
#include "core/protocols/lsu_protocol.h"
#include "core/protocols/pipes_protocol.h"
#include "core/protocols/table_traffic_protocol.h"
#include "core/state/core_state.h"
#include "sim/block_socket.h"

namespace heddle::core {

class WritebackStage {
 public:
  /// What write-back may let go on.
  struct Waiting {
    IssueStage& issue;
    PathControl& paths;
    FenceUnit& fences;
    MeetingPoint& meetings;
    CtaLauncher& ctas;
  };
  /// Who is told of write-backs while something is recorded.
  struct Watching {
    CoreTracer& tracer;
    WaitTracer& waits;
  };
  /// Within the constructor of the core's module.
  WritebackStage(CoreState& state, CorePorts& ports, const Watching& watching, const Waiting& waiting);

 private:
  void write_back(WritebackRequest& request);
  [[gnu::noinline]] void write_back_slices(const WritebackRequest& request);
  void complete_memory(LsuCompletion& done);
  void table_entry_moved(TableMoved& moved);
  [[gnu::noinline]] void watched(WarpId home, LaneMask lanes, const isa::Instruction& instruction);
  /// The instruction's destinations have been written, of lanes of a home warp.
  [[gnu::always_inline]] void release_registers(WarpId home, LaneMask lanes,
                                                const isa::Instruction& instruction);
  /// Something of the warp that others may wait for is done.
  [[gnu::always_inline]] void operation_done(WarpId warp);
  /// An instruction of lanes of a home warp has left its pipe.
  void written_back(WarpId home, LaneMask lanes, const isa::Instruction& instruction);

 public:
  sim::BlockTarget<WritebackProtocol, WritebackStage, &WritebackStage::write_back> pipes_writeback_tsock{
      "pipes_writeback_tsock", this};
  sim::BlockTarget<LsuCompletionProtocol, WritebackStage, &WritebackStage::complete_memory>
      lsu_completion_tsock{"lsu_completion_tsock", this};
  sim::BlockTarget<TableMovedProtocol, WritebackStage, &WritebackStage::table_entry_moved> table_moved_tsock{
      "table_moved_tsock", this};

 private:
  CoreState& state_;
  ScoreboardPort& scoreboard_;
  Watching watching_;
  Waiting waiting_;
};

}  // namespace heddle::core
