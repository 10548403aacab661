#include "core/execute/writeback_stage.h"

namespace heddle::core {

WritebackStage::WritebackStage(CoreState& state, CorePorts& ports, const Watching& watching,
                               const Waiting& waiting)
    : state_(state), scoreboard_(ports.scoreboard_isock), watching_(watching), waiting_(waiting) {}

inline void WritebackStage::release_registers(WarpId home, LaneMask lanes,
                                              const isa::Instruction& instruction) {
  scoreboard_.release(home, lanes, instruction, state_.now);
  if (state_.observed()) [[unlikely]]
    watched(home, lanes, instruction);
  waiting_.issue.refresh_waiting(home);
}

void WritebackStage::watched(WarpId home, LaneMask lanes, const isa::Instruction& instruction) {
  if (state_.trace != nullptr) watching_.tracer.registers("write_back", home, instruction, lanes);
  if (state_.profile != nullptr) watching_.waits.wrote_back(home, instruction);
}

inline void WritebackStage::operation_done(WarpId warp) {
  waiting_.fences.operation_done(warp);
  waiting_.meetings.written_back(warp);
  waiting_.ctas.retire_if_finished(warp);
}

[[gnu::always_inline]] inline void WritebackStage::written_back(WarpId home, LaneMask lanes,
                                                                const isa::Instruction& instruction) {
  --state_.warp(home).alu_outstanding;
  release_registers(home, lanes, instruction);
  operation_done(home);
}

void WritebackStage::write_back(WritebackRequest& request) {
  if (state_.formations.is_static(request.formation)) [[likely]] {
    written_back(WarpId{request.formation.value()}, request.mask, *request.instruction);
    return;
  }
  write_back_slices(request);
}

/// Apart, so that the common case stays small enough to be part of its caller.
void WritebackStage::write_back_slices(const WritebackRequest& request) {
  const isa::Instruction& instruction = *request.instruction;
  if (request.mask.none()) {  // no lane executed it, but the launch had to wait for it (Executor::lanes)
    const WarpId home = state_.formations.first_home(request.formation);
    --state_.warp(home).alu_outstanding;
    operation_done(home);
  }
  state_.formations.for_each_slice(request.formation, request.mask, [&](WarpId home, LaneMask lanes) {
    written_back(home, lanes, instruction);
  });
  state_.formations.drop_reference(request.formation);
}

void WritebackStage::complete_memory(LsuCompletion& done) {
  const bool writes = done.kind == LsuCompletion::Kind::kFinished && done.instruction->write_count != 0;
  for (const MemorySlice& slice : done.slices) {
    if (writes) release_registers(slice.warp, slice.lanes, *done.instruction);
    if (done.kind == LsuCompletion::Kind::kFinished && done.instruction->op == isa::Opcode::kAsyncCopy)
        [[unlikely]]
      state_.warp(slice.warp).copies->done(done.tag);
    operation_done(slice.warp);
  }
}

void WritebackStage::table_entry_moved(TableMoved& moved) {
  if (moved.filled != nullptr) waiting_.paths.table_filled(moved.warp, *moved.filled);
  operation_done(moved.warp);  // what waited for it may go on
}

}  // namespace heddle::core
