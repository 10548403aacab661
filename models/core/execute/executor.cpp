#include "core/execute/executor.h"

#include <array>
#include <cstring>
#include <vector>

#include "base/error.h"
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

/// What the lanes of a meeting bring with them, or take away.
struct StagedRow {
  alignas(64) std::array<std::byte, sizeof(std::uint64_t) * kLanes> bytes{};

  [[nodiscard]] std::uint32_t word() const {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  void set_word(std::uint32_t value) { std::memcpy(bytes.data(), &value, sizeof value); }
};

void copy_lanes(std::byte* to, const std::byte* from, const isa::Operand& operand, LaneMask lanes) {
  const std::size_t size = operand.width == isa::RowWidth::k64 ? 8 : 4;
  lanes.for_each([&](unsigned lane) { std::memcpy(to + lane * size, from + lane * size, size); });
}

void gather(StagedRow& row, const std::byte* from, const isa::Operand& operand, LaneMask lanes) {
  if (operand.width != isa::RowWidth::kPredicate) return copy_lanes(row.bytes.data(), from, operand, lanes);
  std::uint32_t values = 0;
  std::memcpy(&values, from, sizeof values);
  if (operand.negated) values = ~values;
  row.set_word(row.word() | (values & lanes.bits()));
}

void scatter(const StagedRow& row, std::byte* to, const isa::Operand& operand, LaneMask lanes) {
  if (operand.width != isa::RowWidth::kPredicate) return copy_lanes(to, row.bytes.data(), operand, lanes);
  std::uint32_t values = 0;
  std::memcpy(&values, to, sizeof values);
  values = (values & ~lanes.bits()) | (row.word() & lanes.bits());
  std::memcpy(to, &values, sizeof values);
}

}  // namespace

void Executor::exchange(std::span<IssueTable::Group> places) {
  WarpContext& warp = state_.warp(places.front().warp);
  std::array<StagedRow, isa::kMaxSources> sources;
  std::array<StagedRow, isa::kMaxDestinations> results;
  isa::LaneArgs args;
  for (const IssueTable::Group& place : places) {
    const isa::Instruction& instruction = state_.instruction(place.pc);
    args.mask |= place.mask.bits();
    for (unsigned i = 0; i < instruction.source_count; ++i)
      gather(sources[i], row_of(state_, warp, instruction.src[i]), instruction.src[i], place.mask);
  }
  for (unsigned i = 0; i < sources.size(); ++i) args.src[i] = sources[i].bytes.data();
  for (unsigned i = 0; i < results.size(); ++i) args.dst[i] = results[i].bytes.data();
  args.cycle = state_.now;
  args.immediate = state_.instruction(places.front().pc).immediate;
  // Lanes that meet name the same members, so it does not matter whether this one's function reads the masks.
  state_.instruction(places.front().pc).lane_fn(args);
  for (IssueTable::Group& place : places) {
    const isa::Instruction& instruction = state_.instruction(place.pc);
    for (unsigned i = 0; i < results.size(); ++i)
      if (instruction.dst[i].present)
        scatter(results[i], warp.registers.data() + instruction.dst[i].offset, instruction.dst[i],
                place.mask);
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
  if (!state_.is_static(group) || exec != LaneMask::all())
    throw base::KernelFault(
        state_.kernel().location(group.pc),
        "a load of matrices by a part of a warp\n  " + state_.kernel().source_line(group.pc),
        "all 32 threads of the warp must execute ldmatrix together");
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
