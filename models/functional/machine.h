// A launch without time: its CTAs, one after another as far as they do not wait for each other.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/cta/special_rows.h"
#include "functional/lane_groups.h"
#include "functional/memory_unit.h"
#include "functional/state.h"

namespace heddle::functional {

struct Surroundings {
  const core::LaunchContext& launch;
  const core::CoreConfig& core;  ///< numbers that special registers tell
  const host::AllocationTable& allocations;
  MemoryImage& memory;
  std::uint64_t resident_ctas = 1;          ///< that exist at once, where CTAs wait for others; at least 1
  std::function<void()> on_turn = nullptr;  ///< called now and then; an exception it throws ends the launch
  std::uint64_t clock = 0;                  ///< what clocks read at the beginning
  std::uint64_t quiet_instructions =
      2'000'000'000;  ///< it hangs if its warps execute so many and change nothing
};

struct Counts {
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
};

/// Why a kernel cannot run so; empty: it can.
[[nodiscard]] std::string refusal(const isa::Kernel& kernel);

/// Runs the CTAs of the launch, or those of its part. Barriers count threads, whatever the platform's do (core.barrier.counts): all lanes of a warp arrive before
/// it goes on, as they do where a warp arrives as a whole after it has reconverged. Throws base::KernelFault as the core does, and base::Error with
/// ExitCode::kHang if no thread can go on, or if memory has not changed for very long.
class Machine {
 public:
  explicit Machine(const Surroundings& surroundings);
  Counts run();

 private:
  /// What an instruction does to the group that executes it.
  enum class Then : std::uint8_t {
    kNext,  ///< it goes on behind it, with all its lanes
    kEnds   ///< the warp's groups are as they should be; another one may be next
  };
  struct Executing {
    Cta& cta;
    Warp& warp;
    std::size_t group = 0;  ///< in the warp: its PC is the instruction's
    LaneMask lanes;         ///< of the group
    LaneMask exec;          ///< of these, those that execute the instruction
  };

  std::unique_ptr<Cta> start(std::uint64_t number);
  void place(Cta& cta, std::uint32_t warp_in_cta);
  /// Until it ends, waits for other CTAs, or has had its turn. Whether anything has happened.
  bool turn_of(Cta& cta);
  /// Whether it has executed anything.
  bool turn_of(Cta& cta, Warp& warp);
  /// What threads have done that others may wait for.
  [[nodiscard]] std::uint64_t changes(const Cta& cta) const {
    return events_ + memory_.changes() + cta.progress.changes();
  }
  void run_group(Cta& cta, Warp& warp, const Turn& turn, std::uint64_t& budget);
  /// Where lanes are, for messages.
  [[nodiscard]] std::string places() const;
  void check_progress();
  /// While memory does not change: whether all registers and places are as they were at an earlier call.
  bool comes_back(std::uint64_t quiet);

  Then execute(const Executing& at, const isa::Instruction& instruction);
  /// `depth`: of calls, what it becomes.
  Then move(const Executing& at, Pc (*target)(const core::AccessSite&, unsigned), std::uint32_t depth);
  /// Lanes `lanes` go to `target`, the others of the group go on behind the instruction.
  Then part(const Executing& at, LaneMask lanes, Pc target, std::uint32_t calls = 0);
  Then wait(const Executing& at, Group::State state, LaneMask lanes, std::uint8_t number = 0);
  Then exit(const Executing& at);
  Then converge(const Executing& at, const isa::Instruction& instruction);
  Then arrive_at_barrier(const Executing& at, const isa::Instruction& instruction);
  Then meet(const Executing& at, const isa::Instruction& instruction);
  void release(Cta& cta, const std::vector<core::BarrierRelease>& released);
  void let_meet(Cta& cta, Warp& warp);
  void ask_host(const Executing& at, const isa::Instruction& instruction);
  [[nodiscard]] LaneMask taken(const Executing& at, const isa::Instruction& instruction) const;
  [[nodiscard]] core::AccessSite site_of(const Executing& at) const;

  const Surroundings around_;
  const core::LaunchContext& launch_;
  const isa::Kernel& kernel_;
  const isa::Instruction* const code_;
  const std::byte* const constants_;
  unsigned barrier_registers_ = 0;  ///< that the kernel names
  bool converges_ = false;          ///< it has convergence instructions
  std::vector<std::uint32_t> order_;
  MemoryUnit memory_;
  core::SharedMemoryConfig shared_;
  std::deque<std::unique_ptr<Cta>> resident_;
  std::vector<std::unique_ptr<Cta>> free_;
  std::uint64_t started_ = 0;
  std::uint64_t events_ = 0;       ///< what never happens twice: lanes exited, barriers were released
  std::uint64_t polls_ = 0;        ///< weighted (machine.cpp): whether a warp has polled in its turn
  std::uint64_t quiet_since_ = 0;  ///< warp instructions when memory changed last, or an event came
  std::uint64_t seen_ = 0;         ///< changes and events then
  std::uint64_t kept_state_ = 0, kept_at_ = 0;  ///< of comes_back(): a state, and how long it was quiet then
  Counts counts_;
};

}  // namespace heddle::functional
