#include "core/execute/instruction_dispatch.h"

#include <systemc>

#include "core/issue/guards.h"

namespace heddle::core {

using isa::Opcode;

void InstructionDispatch::declare(base::StatGroup& issue) {
  issue.counter("warp_instructions", "warp-instructions", "instructions issued", &warp_instructions_);
  issue.counter("thread_instructions", "thread-instructions", "active lanes summed over issued instructions",
                &thread_instructions_);
}

void InstructionDispatch::observe(const IssueTable::Group& group, GroupId id, LaneMask exec,
                                  unsigned lane_count) {
  if (state_.profile != nullptr) {
    PcProfile& profile = state_.profile->at(group.pc);
    ++profile.issues;
    profile.lanes += lane_count;
  }
  if (state_.trace != nullptr) observers_.tracer.issue(group, id, exec);
}

void InstructionDispatch::issue(GroupId id) {
  IssueTable::Group& group = state_.groups[id];
  const isa::Instruction& instruction = state_.instruction(group.pc);
  const LaneMask exec = guarded(state_, group, instruction);
  const LaneMask active = instruction.op == Opcode::kBranch || counts_predicated_ ? group.mask : exec;
  const unsigned lane_count = active.count_of_mostly_full();
  ++warp_instructions_;
  thread_instructions_ += lane_count;
  if (state_.observed()) [[unlikely]]
    observe(group, id, exec, lane_count);
  if (const unsigned taps = state_.facts[group.pc.value()].taps; taps != 0) [[unlikely]]
    observers_.taps.tell(taps, id, exec);
  group.issued_at = state_.now;
  observers_.hang.issues(group, instruction);
  if (units_.codes.on()) [[unlikely]]
    units_.codes.issues(id, instruction);
  switch (instruction.op) {
    case Opcode::kLane:
      units_.executor.lanes(group, instruction, exec, state_.now);
      break;
    case Opcode::kTimer:
      units_.executor.lanes(group, instruction, exec, nanoseconds());
      break;
    case Opcode::kWarpSync:
      return units_.meetings.arrive(id, instruction, exec);
    case Opcode::kLoad:
    case Opcode::kStore:
    case Opcode::kAtomic:
    case Opcode::kTexture:
    case Opcode::kSurfaceStore:
      if (exec.any()) [[likely]]
        units_.executor.memory(group, instruction, exec);
      else
        units_.executor.memory_without_lanes(group);
      break;
    case Opcode::kAsyncCopy:
      if (exec.any()) {
        units_.executor.copy(group, instruction, exec);
        units_.fences.copy(id);
      }
      break;
    case Opcode::kAsyncCommit:
      units_.executor.commit_copies(group, exec);
      break;
    case Opcode::kAsyncWait:
      if (exec.any()) return units_.fences.issue(id, instruction);
      break;
    case Opcode::kLoadMatrix:
      if (exec.any()) units_.executor.load_matrix(group, instruction, exec);
      break;
    case Opcode::kBranch:
      return units_.control.branch(id, instruction, exec);
    case Opcode::kIndirect:
      if (exec.any() || warps_together_) return units_.control.indirect(id, instruction, exec);
      break;
    case Opcode::kCall:
      if (exec.any() || warps_together_) return units_.control.call(id, instruction, exec);
      break;
    case Opcode::kReturn:
      if (exec.any() || warps_together_) return units_.control.return_from(id, exec);
      break;
    case Opcode::kPrint:
      if (exec.any()) units_.host_calls.print(group, exec);
      break;
    case Opcode::kHeapAllocate:
      if (exec.any()) units_.host_calls.allocate(group, exec);
      break;
    case Opcode::kHeapFree:
      if (exec.any()) units_.host_calls.free(group, exec);
      break;
    case Opcode::kAssertFail:
      if (exec.any()) units_.host_calls.fail_assertion(group, exec);
      break;
    case Opcode::kExit:
      if (exec.any()) return units_.control.exit(id, exec);
      break;
    case Opcode::kBarrier:
      if (exec.any()) return units_.barriers.arrive(id, instruction, exec);
      break;
    case Opcode::kFence:
      if (exec.any()) return units_.fences.issue(id, instruction);
      break;
    case Opcode::kTrap:
      if (exec.any()) units_.host_calls.trap(group, exec);
      break;
    case Opcode::kSleep:
      if (exec.any()) return units_.control.sleep(id, instruction, exec);
      break;
    case Opcode::kConvergence:
      if (exec.any()) return units_.control.converge(id, instruction, exec);
      break;
    case Opcode::kTransaction:
      if (exec.any()) return units_.control.transaction(id, instruction, exec);
      break;
    case Opcode::kNop:
      break;
  }
  paths_.advance(id);
}

std::uint64_t InstructionDispatch::nanoseconds() const {
  constexpr double kPerSecond = 1e9;
  return static_cast<std::uint64_t>(
      sc_core::sc_time::from_value(state_.services.clock.edge_time(state_.now)).to_seconds() * kPerSecond);
}

}  // namespace heddle::core
