// Profile of a launch by PC, or of several launches of one kernel. It is taken only on request, and taking it
// changes no result and no statistic.
//
// Every group-cycle (one issue group on a core in one core cycle) is in it once: as an issue of the
// instruction that the group issues in this cycle, or as waiting, charged to the instruction that it issues
// next (at a barrier: to the barrier).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "simt/control_flow_protocol.h"

namespace heddle::core {

/// Why a group does not issue in a cycle. All but the first are also uses of an issue slot (SlotUse,
/// issue_table.h), under the same names and in the same order; the cause here is the group's own, not that of
/// the group of its scheduler which is closest to issue.
enum class WaitCause : std::uint8_t {
  kNotSelected,      ///< it could issue, its scheduler issued another group
  kReplay,           ///< it could issue, its scheduler's slot went to a further pass of a memory instruction
  kHeldBack,         ///< it could issue, the scheduling policy issued nothing
  kScoreboardPorts,  ///< it could issue, but its scheduler's choice (it or another group) had no scoreboard
                     ///< ports
  kPipeBusy,
  kOperandCollector,
  kMemoryBackPressure,
  kScoreboardAlu,
  kScoreboardMemory,
  kIBufferEmpty,
  kControlFlow,
  kTables,
  kFence,
  kBarrier,
  // kBarrier + 1 ...: behind an extension's gate.
};
/// Those that every core has.
inline constexpr unsigned kOwnWaitCauses = static_cast<unsigned>(WaitCause::kBarrier) + 1;
inline constexpr unsigned kWaitCauses = kOwnWaitCauses + 6;
/// The cause of a group behind a gate (issue_gate_protocol.h).
[[nodiscard]] constexpr WaitCause gate_wait_cause(std::uint32_t gate) {
  const auto own = static_cast<unsigned>(gate < 2 ? WaitCause::kTables : WaitCause::kBarrier);
  return static_cast<WaitCause>(gate < 2 ? own + gate : own + gate - 1);
}
/// The causes that a group has whose head instruction is ready: kNotSelected to kMemoryBackPressure. Units between the
/// issue stage and the schedulers add theirs behind kBarrier, as gates do.
inline constexpr unsigned kReadyCauses = static_cast<unsigned>(WaitCause::kMemoryBackPressure) + 1;
/// "not_selected", then as in slot_use_names().
[[nodiscard]] std::vector<std::string> wait_cause_names(const std::vector<std::string>& gates = {});

struct PcProfile {
  std::uint64_t issues = 0;        ///< warp instructions issued
  std::uint64_t lanes = 0;         ///< active lanes, summed over issues (InstructionDispatch)
  std::uint64_t divergences = 0;   ///< branches that split their group
  std::uint64_t transactions = 0;  ///< line accesses of memory instructions, after coalescing
  std::uint64_t extra_passes = 0;  ///< passes of memory instructions after the first: lines, bank conflicts,
                                   ///< constant addresses
  std::array<std::uint64_t, kWaitCauses> waiting{};  ///< group-cycles by WaitCause
  simt::PartedPaths parted{};                        ///< what became of threads that it parted (tbc)

  [[nodiscard]] std::uint64_t waited() const;
  [[nodiscard]] std::uint64_t group_cycles() const { return issues + waited(); }
  PcProfile& operator+=(const PcProfile& other);
};

/// Waits of an instruction for the result of another one, in group-cycles.
struct DependenceWait {
  std::uint64_t cycles = 0;
  std::uint64_t waits = 0;    ///< intervals
  std::uint64_t longest = 0;  ///< of them
};

/// All cores of a GPU add to one.
class KernelProfile {
 public:
  /// `gates`: names of the extensions' gates.
  explicit KernelProfile(std::size_t instructions, const std::vector<std::string>& gates = {})
      : by_pc_(instructions), causes_(wait_cause_names(gates)) {}
  [[nodiscard]] PcProfile& at(base::Pc pc) { return by_pc_[pc.value()]; }
  [[nodiscard]] const std::vector<PcProfile>& by_pc() const { return by_pc_; }
  /// Names of the entries of PcProfile::waiting that are in use, those of extensions' gates among them.
  [[nodiscard]] const std::vector<std::string>& causes() const { return causes_; }
  /// A group has waited at the scoreboard with its next instruction at `pc`, and went on when the instruction at `producer` had
  /// written its results. kNoPc: it did not go on, or for another reason.
  void waited_on(base::Pc pc, base::Pc producer, std::uint64_t cycles) {
    DependenceWait& wait = dependences_[{pc.value(), producer.value()}];
    wait.cycles += cycles;
    ++wait.waits;
    wait.longest = std::max(wait.longest, cycles);
  }
  /// By waiting instruction and producer. Those of an instruction sum to what it has waited at the scoreboard.
  [[nodiscard]] const std::map<std::pair<std::uint32_t, std::uint32_t>, DependenceWait>& dependences() const {
    return dependences_;
  }
  /// Of another launch of the same kernel.
  KernelProfile& operator+=(const KernelProfile& other) {
    for (const auto& [pcs, wait] : other.dependences_) {
      DependenceWait& sum = dependences_[pcs];
      sum.cycles += wait.cycles;
      sum.waits += wait.waits;
      sum.longest = std::max(sum.longest, wait.longest);
    }
    for (std::size_t pc = 0; pc < by_pc_.size(); ++pc) by_pc_[pc] += other.by_pc_[pc];
    return *this;
  }

 private:
  std::vector<PcProfile> by_pc_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, DependenceWait> dependences_;
  std::vector<std::string> causes_;
};

}  // namespace heddle::core
