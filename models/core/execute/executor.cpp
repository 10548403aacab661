#include "core/execute/executor.h"

#include <vector>

namespace heddle::core {

inline void Executor::reserve(const IssueTable::Group& group, WarpId home, LaneMask lanes,
                              const isa::Instruction& instruction) {
  ScoreboardRequest reserve;
  reserve.op = ScoreboardRequest::Op::kReserve;
  reserve.warp = home;
  reserve.mask = lanes;
  reserve.instruction = &instruction;
  issue_.scoreboard_isock.call(reserve);
  if (state_.trace != nullptr) tracer_.registers("issue", home, instruction, lanes);
  // What other splits of the warp found out before no longer holds: registers are pending, entries taken.
  if (const auto& of_warp = state_.groups_of_warp[home.value()]; of_warp.size() > 1)
    for (const GroupId other : of_warp)
      if (&state_.groups[other] != &group && state_.groups[other].status == GroupStatus::kReady)
        issue_.refresh_ready(other, home);
}

Cycle Executor::enter_pipe(const IssueTable::Group& group, const isa::Instruction& instruction,
                           LaneMask exec) {
  if (instruction.write_count != 0) {
    if (state_.is_static(group)) [[likely]]
      reserve(group, group.warp, exec, instruction);
    else
      state_.for_each_slice(group, exec,
                            [&](WarpId home, LaneMask lanes) { reserve(group, home, lanes, instruction); });
  }
  PipesRequest enter;
  enter.op = PipesRequest::Op::kIssue;
  enter.warp = group.warp;
  enter.formation = group.formation;
  if (!state_.is_static(group)) [[unlikely]] {
    std::uint8_t homes = 0;
    state_.for_each_slice(group, exec, [&](WarpId, LaneMask) { ++homes; });
    enter.homes = homes;
  }
  enter.mask = exec;
  enter.instruction = &instruction;
  enter.pipe = state_.facts[group.pc.value()].pipe;
  enter.sub_core = group.sub_core;
  enter.cycle = state_.now;
  pipes_isock.call(enter);
  state_.due.pipes = enter.next_due;
  issue_.entered(group.scheduler, enter);
  return enter.operands_late;
}

inline void Executor::lanes_of(WarpContext& warp, const isa::Instruction& instruction, LaneMask exec,
                               Cycle clock) const {
  isa::LaneArgs args;
  std::byte* const registers = warp.registers.data();
  if (instruction.dst[0].present) args.dst[0] = registers + instruction.dst[0].offset;
  for (unsigned i = 1; i < instruction.destination_count; ++i)
    if (instruction.dst[i].present) args.dst[i] = registers + instruction.dst[i].offset;
  // By RowSpace. An absent source between others gets a row, which its operation does not read.
  const std::byte* const blocks[] = {registers, state_.constants, warp.special.data()};
  for (unsigned i = 0; i < instruction.source_count; ++i)
    args.src[i] = blocks[static_cast<unsigned>(instruction.src[i].space)] + instruction.src[i].offset;
  args.negated = instruction.negated_sources;
  args.mask = exec.bits();
  args.cycle = clock;
  args.immediate = instruction.immediate;
  if (exec.any()) instruction.lane_fn(args);
  if (instruction.write_count != 0) ++warp.alu_outstanding;
}

void Executor::lanes(const IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec,
                     Cycle clock) {
  if (state_.is_static(group)) [[likely]] {
    lanes_of(state_.warp(group.warp), instruction, exec, clock);
  } else {
    // Once per home warp, with its rows: lanes do not look at each other, and those that do (vote, shuffle) look at
    // lanes of their own warp.
    state_.for_each_slice(group, exec, [&](WarpId home, LaneMask mask) {
      lanes_of(state_.warp(home), instruction, mask, clock);
    });
    if (instruction.write_count != 0) {
      state_.formations.add_reference(group.formation);
      // It is in a pipe all the same, and the launch does not end before it has left it.
      if (exec.none()) ++state_.warp(state_.formations.first_home(group.formation)).alu_outstanding;
    }
  }
  enter_pipe(group, instruction, exec);
}

namespace {

MemorySlice slice_of(WarpContext& warp, WarpId home, LaneMask lanes, const CtaContext* cta) {
  std::byte* const rows = warp.registers.data();
  return {home, lanes, rows, rows, warp.special.data(), &warp, warp.linear_warp, cta};
}

}  // namespace

void Executor::memory(const IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec) {
  LsuRequest request;
  request.operands_late = enter_pipe(group, instruction, exec);
  request.op = LsuRequest::Op::kIssue;
  request.cycle = state_.now;
  request.instruction = &instruction;
  request.pc = group.pc;
  if (state_.is_static(group)) [[likely]] {
    WarpContext& warp = state_.warp(group.warp);
    request.cta = &state_.ctas[warp.cta.value()];
    const MemorySlice slice = slice_of(warp, group.warp, exec, request.cta);
    request.slices = {&slice, 1};
    lsu_isock.call(request);
  } else {
    memory_of_slices(group, exec, request);
  }
  if (state_.profile != nullptr) {
    PcProfile& profile = state_.profile->at(group.pc);
    profile.transactions += request.transactions;
    profile.extra_passes += request.extra_passes;
  }
  issue_.memory_full(request.full);
  state_.due.lsu_after(state_.now);  // the memory stage of this cycle has already run
}

void Executor::memory_of_slices(const IssueTable::Group& group, LaneMask exec, LsuRequest& request) {
  std::vector<MemorySlice> slices;
  state_.for_each_slice(group, exec, [&](WarpId home, LaneMask lanes) {
    WarpContext& warp = state_.warp(home);
    slices.push_back(slice_of(warp, home, lanes, &state_.ctas[warp.cta.value()]));
  });
  request.slices = slices;
  request.cta = slices.front().cta;
  lsu_isock.call(request);
}

}  // namespace heddle::core
