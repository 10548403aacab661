#include "core/execute/executor.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "core/issue/guards.h"

namespace heddle::core {

using isa::Opcode;

Executor::Executor(CoreState& state, IssueStage& issue, PathControl& paths, FenceUnit& fences,
                   MeetingPoint& meetings, CtaBarriers& barriers, CtaLauncher& ctas, CoreTracer& tracer,
                   HangView& hang, const MemoryView& memory, bool sleep_yields, bool warps_together)
    : state_(state),
      issue_(issue),
      paths_(paths),
      fences_(fences),
      meetings_(meetings),
      barriers_(barriers),
      ctas_(ctas),
      tracer_(tracer),
      hang_(hang),
      memory_(memory),
      sleep_yields_(sleep_yields),
      warps_together_(warps_together) {}

void Executor::declare(base::StatGroup& issue) {
  issue.counter("warp_instructions", "warp-instructions", "instructions issued", &warp_instructions_);
  issue.counter("thread_instructions", "thread-instructions", "active lanes summed over issued instructions",
                &thread_instructions_);
}

// ---- Registers

const std::byte* Executor::row(const WarpContext& warp, const isa::Operand& operand) const {
  return row_of(state_, warp, operand);
}

std::uint64_t Executor::lane_of(const WarpContext& warp, const isa::Operand& operand, unsigned lane) const {
  const std::size_t bytes = operand.width == isa::RowWidth::k64 ? 8 : 4;
  std::uint64_t value = 0;
  std::memcpy(&value, row(warp, operand) + lane * bytes, bytes);
  return value;
}

AccessSite Executor::site_of(WarpId home, Pc pc) const {
  const WarpContext& warp = state_.warp(home);
  return {state_.launch, &state_.ctas[warp.cta.value()], &warp, pc, &state_.instruction(pc)};
}

// ---- Taps

namespace {

class GroupOperands final : public OperandReader, public PathReader {
 public:
  GroupOperands(const Executor& executor, const CoreState& state, PathControl& paths,
                const IssueTable::Group& group)
      : executor_(executor), state_(state), paths_(paths), group_(group) {}
  [[nodiscard]] std::uint32_t runnable_splits(WarpId warp) const override {
    return static_cast<std::uint32_t>(paths_.runnable_splits(warp).size());
  }
  [[nodiscard]] WarpId home(unsigned lane) const override { return state_.home(group_, lane); }
  [[nodiscard]] LaneMask live(WarpId home) const override { return state_.warp(home).live; }
  [[nodiscard]] std::uint32_t homes(LaneMask lanes) const override {
    return state_.formations.homes(group_.formation, lanes);
  }
  [[nodiscard]] std::uint64_t value(const isa::Operand& operand, unsigned lane) const override {
    const std::byte* const row = executor_.row(state_.warp(state_.home(group_, lane)), operand);
    if (operand.width == isa::RowWidth::kPredicate) {
      std::uint32_t lanes = 0;
      std::memcpy(&lanes, row, sizeof lanes);
      return lanes >> lane & 1u;
    }
    const std::size_t bytes = operand.width == isa::RowWidth::k64 ? 8 : 4;
    std::uint64_t value = 0;
    std::memcpy(&value, row + lane * bytes, bytes);
    return value;
  }

 private:
  const Executor& executor_;
  const CoreState& state_;
  PathControl& paths_;
  const IssueTable::Group& group_;
};

}  // namespace

void Executor::add_tap(std::vector<sim::BlockInitiator<IssueTapProtocol>*> sockets) {
  if (taps_.size() == kIssueTaps) throw std::length_error("a core has at most 8 issue taps");
  taps_.push_back(std::move(sockets));
}

std::uint8_t Executor::tapped(const isa::Instruction& instruction, Pc pc) {
  unsigned bits = 0;
  for (std::size_t tap = 0; tap < taps_.size(); ++tap)
    for (sim::BlockInitiator<IssueTapProtocol>* const socket : taps_[tap]) {
      IssueTapRequest ask;
      ask.op = IssueTapRequest::Op::kInterest;
      ask.instruction = &instruction;
      ask.pc = pc;
      ask.launch = state_.launch;
      socket->call(ask);
      if (ask.wanted) bits |= 1u << tap;
    }
  return static_cast<std::uint8_t>(bits);
}

void Executor::tell_taps(unsigned taps, GroupId id, LaneMask exec) {
  const IssueTable::Group& group = state_.groups[id];
  const GroupOperands operands(*this, state_, paths_, group);
  IssueTapRequest issues;
  issues.instruction = &state_.instruction(group.pc);
  issues.pc = group.pc;
  issues.cycle = state_.now;
  issues.group = id;
  issues.warp = group.warp;
  issues.scheduler = group.scheduler;
  issues.mask = group.mask;
  issues.exec = exec;
  issues.operands = &operands;
  issues.paths = &operands;
  for (; taps != 0; taps &= taps - 1) {
    const auto& sockets = taps_[static_cast<unsigned>(std::countr_zero(taps))];
    sockets[sockets.size() == 1 ? 0 : group.scheduler]->call(issues);
  }
}

// ---- One instruction

void Executor::observe(const IssueTable::Group& group, GroupId id, LaneMask exec, unsigned lane_count) {
  if (state_.profile != nullptr) {
    PcProfile& profile = state_.profile->at(group.pc);
    ++profile.issues;
    profile.lanes += lane_count;
  }
  if (state_.trace != nullptr) tracer_.issue(group, id, exec);
}

void Executor::issue(GroupId id) {
  IssueTable::Group& group = state_.groups[id];
  const isa::Instruction& instruction = state_.instruction(group.pc);
  const LaneMask exec = guarded(state_, group, instruction);
  const LaneMask active = instruction.op == Opcode::kBranch ? group.mask : exec;
  const unsigned lane_count = active.count_of_mostly_full();
  ++warp_instructions_;
  thread_instructions_ += lane_count;
  if (state_.observed()) [[unlikely]]
    observe(group, id, exec, lane_count);
  if (const unsigned taps = state_.facts[group.pc.value()].taps; taps != 0) [[unlikely]]
    tell_taps(taps, id, exec);
  group.issued_at = state_.now;
  hang_.issues(group, instruction);
  switch (instruction.op) {
    case Opcode::kLane:
      lanes(group, instruction, exec, state_.now);
      break;
    case Opcode::kTimer:
      lanes(group, instruction, exec, nanoseconds());
      break;
    case Opcode::kWarpSync:
      return meetings_.arrive(id, instruction, exec);
    case Opcode::kLoad:
    case Opcode::kStore:
    case Opcode::kAtomic:
      if (exec.any()) memory(group, instruction, exec);
      break;
    case Opcode::kBranch:
      return branch(id, instruction, exec);
    case Opcode::kIndirect:
      if (exec.any() || warps_together_) return indirect(id, instruction, exec);
      break;
    case Opcode::kCall:
      if (exec.any() || warps_together_) return call(id, instruction, exec);
      break;
    case Opcode::kReturn:
      if (exec.any() || warps_together_) return return_from(id, instruction, exec);
      break;
    case Opcode::kPrint:
      if (exec.any()) print(group, instruction, exec);
      break;
    case Opcode::kAssertFail:
      if (exec.any()) fail_assertion(group, instruction, exec);
      break;
    case Opcode::kExit:
      if (exec.any()) return exit(id, exec);
      break;
    case Opcode::kBarrier:
      if (exec.any()) return barriers_.arrive(id, instruction, exec);
      break;
    case Opcode::kFence:
      return fences_.issue(id, instruction);
    case Opcode::kTrap:
      if (exec.any()) trap(group, instruction, exec);
      break;
    case Opcode::kSleep:
      if (exec.any()) return sleep(id, instruction, exec);
      break;
    case Opcode::kConvergence:
      if (exec.any()) return converge(id, instruction, exec);
      break;
    case Opcode::kTransaction:
      if (exec.any()) return transaction(id, instruction, exec);
      break;
    case Opcode::kNop:
      break;
  }
  paths_.advance(id);
}

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

std::uint64_t Executor::nanoseconds() const {
  constexpr double kPerSecond = 1e9;
  return static_cast<std::uint64_t>(
      sc_core::sc_time::from_value(state_.services.clock.edge_time(state_.now)).to_seconds() * kPerSecond);
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

/// The group sleeps as long as the longest of its lanes asks for. PTX lets the time be anything up to twice
/// that.
void Executor::sleep(GroupId id, const isa::Instruction& instruction, LaneMask exec) {
  if (sleep_yields_ && paths_.gives_way(id)) return;
  constexpr std::uint32_t kLongest = 1'000'000;  // nanoseconds, PTX ISA
  constexpr double kNanosecondsPerMicrosecond = 1e3;
  std::uint32_t longest = 0;
  state_.for_each_slice(state_.groups[id], exec, [&](WarpId home, LaneMask lanes) {
    lanes.for_each([&](unsigned lane) {
      const auto time = static_cast<std::uint32_t>(lane_of(state_.warp(home), instruction.src[0], lane));
      longest = std::max(longest, std::min(time, kLongest));
    });
  });
  const auto cycles =
      static_cast<Cycle>(longest * state_.services.clock.frequency_mhz() / kNanosecondsPerMicrosecond);
  if (cycles == 0)
    paths_.advance(id);
  else
    paths_.sleep_until(state_.now + cycles, id);
}

}  // namespace heddle::core
