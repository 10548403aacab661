#include "core/execute/executor.h"

#include <vector>

#include "core/execute/lane_execution.h"
#include "core/execute/member_masks.h"
#include "core/issue/operands.h"

namespace heddle::core {

inline void Executor::reserve(const IssueTable::Group& group, WarpId home, LaneMask lanes,
                              const isa::Instruction& instruction) {
  scoreboard_.reserve(home, lanes, instruction, state_.now);
  if (state_.trace != nullptr) tracer_.registers("issue", home, instruction, lanes);
  // What other splits of the warp found out before no longer holds: registers are pending, entries taken.
  if (const auto& of_warp = state_.groups_of_warp[home.value()]; of_warp.size() > 1)
    for (const GroupId other : of_warp)
      if (&state_.groups[other] != &group && state_.groups[other].status == GroupStatus::kReady)
        issue_.refresh_ready(other, home);
}

void Executor::read_sources(const IssueTable::Group& group, const isa::Instruction& instruction,
                            LaneMask exec, Cycle collected) {
  if (state_.is_static(group)) return scoreboard_.read_sources(group.warp, exec, instruction, collected);
  state_.for_each_slice(group, exec, [&](WarpId home, LaneMask lanes) {
    scoreboard_.read_sources(home, lanes, instruction, collected);
  });
}

Cycle Executor::enter_pipe(const IssueTable::Group& group, const isa::Instruction& instruction,
                           LaneMask exec) {
  // A dependence counter is also of those that write nothing.
  if (instruction.write_count != 0 || issue_.codes().on()) {
    if (state_.is_static(group)) [[likely]]
      reserve(group, group.warp, exec, instruction);
    else
      state_.for_each_slice(group, exec,
                            [&](WarpId home, LaneMask lanes) { reserve(group, home, lanes, instruction); });
  }
  PipesRequest enter{.warp = group.warp,
                     .formation = group.formation,
                     .mask = exec,
                     .instruction = &instruction,
                     .pipe = state_.facts[group.pc.value()].pipe,
                     .sub_core = group.sub_core,
                     .cycle = state_.now};
  if (!state_.is_static(group)) [[unlikely]] {
    enter.homes = 0;
    state_.for_each_slice(group, exec, [&](WarpId, LaneMask) { ++enter.homes; });
  }
  pipes_.issue(enter);
  state_.due.pipes = enter.next_due;
  issue_.entered(group.scheduler, enter);
  if (issue_.codes().on()) [[unlikely]]
    read_sources(group, instruction, exec, state_.now + enter.operands_late);
  return enter.operands_late;
}

inline void Executor::lanes_of(WarpContext& warp, const isa::Instruction& instruction, LaneMask exec,
                               Cycle clock) const {
  execute_lanes(warp, state_.constants, instruction, exec, clock);
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

void Executor::exchange(std::span<IssueTable::Group> places) {
  WarpContext& warp = state_.warp(places.front().warp);
  std::vector<WarpSync::Place> at;
  for (const IssueTable::Group& place : places) at.push_back({place.pc, place.mask});
  exchange_lanes(warp, state_.constants, state_.code, at, state_.now);
  for (IssueTable::Group& place : places) {
    const isa::Instruction& instruction = state_.instruction(place.pc);
    // A register that another place's lanes wait for already, in a scoreboard that knows no lanes: with their
    // write-back these have theirs.
    if (&place != &places.front() && issue_.hazard(place, instruction) != Hazard::kNone) continue;
    if (instruction.write_count != 0) ++warp.alu_outstanding;
    enter_pipe(place, instruction, place.mask);
  }
}

namespace {

MemorySlice slice_of(WarpContext& warp, WarpId home, LaneMask lanes, const CtaContext* cta) {
  std::byte* const rows = warp.registers.data();
  return {home, lanes, rows, rows, warp.special.data(), &warp, warp.linear_warp, cta};
}

}  // namespace

void Executor::copy(const IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec) {
  const std::uint32_t tag = next_copy_++;
  state_.for_each_slice(group, exec, [&](WarpId home, LaneMask lanes) {
    auto& copies = state_.warp(home).copies;
    if (!copies) copies = std::make_unique<AsyncCopies>();
    copies->begin(tag, lanes);
  });
  memory(group, instruction, exec, tag);
}

void Executor::commit_copies(const IssueTable::Group& group, LaneMask exec) {
  state_.for_each_slice(group, exec, [&](WarpId home, LaneMask lanes) {
    if (auto& copies = state_.warp(home).copies) copies->commit(lanes);
  });
}

void Executor::load_matrix(const IssueTable::Group& group, const isa::Instruction& instruction,
                           LaneMask exec) {
  check_matrix_load(state_.kernel(), group.pc, state_.is_static(group) ? exec : LaneMask{});
  memory(group, instruction, exec);
}

void Executor::memory(const IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec,
                      std::uint32_t tag) {
  LsuRequest request{.tag = tag,
                     .pc = group.pc,
                     .instruction = &instruction,
                     .operands_late = enter_pipe(group, instruction, exec),
                     .cycle = state_.now};
  if (state_.is_static(group)) [[likely]] {
    WarpContext& warp = state_.warp(group.warp);
    request.cta = &state_.ctas[warp.cta.value()];
    const MemorySlice slice = slice_of(warp, group.warp, exec, request.cta);
    request.slices = {&slice, 1};
    lsu_.issue(request);
  } else {
    memory_of_slices(group, exec, request);
  }
  if (state_.profile != nullptr) {
    PcProfile& profile = state_.profile->at(group.pc);
    profile.transactions += request.transactions;
    profile.extra_passes += request.extra_passes;
  }
  issue_.memory_full(request.full, request.full_sub_cores);
  state_.due.lsu_after(state_.now);  // the memory stage of this cycle has already run
}

void Executor::memory_without_lanes(const IssueTable::Group& group) {
  if (state_.config.lsu.local_queue_entries == 0) return;
  LsuRequest request{.warp = group.warp, .cycle = state_.now};
  lsu_.issue_empty(request);
  issue_.memory_full(request.full, request.full_sub_cores);
  state_.due.lsu_after(state_.now);
}

void Executor::memory_of_slices(const IssueTable::Group& group, LaneMask exec, LsuRequest& request) {
  std::vector<MemorySlice> slices;
  state_.for_each_slice(group, exec, [&](WarpId home, LaneMask lanes) {
    WarpContext& warp = state_.warp(home);
    slices.push_back(slice_of(warp, home, lanes, &state_.ctas[warp.cta.value()]));
  });
  request.slices = slices;
  request.cta = slices.front().cta;
  lsu_.issue(request);
}

}  // namespace heddle::core
