// What synchronisation costs ([ElTantawy18] Fig 1.2, [DDOS/BOWS] Fig 6.1, Fig 6.11): the outcome of each attempt to
// acquire a lock and of each pass of a wait, and the instructions and memory transactions that waiting loops take.
// Costs no hardware: it is how the model is measured. README.md has the rules.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "core/core_extension.h"
#include "core/memory/lsu_interposer.h"
#include "spin/sync_loops.h"
#include "spin/thread_cycles.h"

namespace heddle::spin {

struct SyncStatisticsConfig {
  bool enabled = false;

  void visit(base::ConfigVisitor& v);
};

/// For the registry of core units: key core.sync_statistics.
[[nodiscard]] core::CoreUnit sync_statistics_core_unit();

/// Hears of results by standing before the load/store unit, and passes everything on as it comes.
class SyncStatistics : public core::LsuInterposer, public core::CoreExtension {
 public:
  SyncStatistics(const sc_core::sc_module_name& name, const core::CoreExtensionSite& site);

  [[nodiscard]] std::vector<TapTarget*> taps() override { return {&tap_tsock}; }
  [[nodiscard]] core::LsuInterposer* interposer() override { return this; }

 private:
  void tap(core::IssueTapRequest& request);

 public:
  sim::BlockTarget<core::IssueTapProtocol, SyncStatistics, &SyncStatistics::tap> tap_tsock{"tap_tsock", this};

 private:
  /// An attempt whose result is on its way.
  struct Attempt {
    const isa::Instruction* instruction = nullptr;
    base::LaneMask lanes;
    base::LaneMask asking;  ///< of these, those that do not give back a lock they hold
    std::array<std::uint64_t, base::kLanes> address{};
    std::array<std::uint64_t, base::kLanes>
        reference{};  ///< cas: what it compares with; exchange: what it writes
  };
  struct Held {
    unsigned lane = 0;
    std::uint64_t address = 0;
  };
  struct Warp {
    std::vector<Attempt> attempts;
    std::vector<Held> held;
    base::LaneMask holders;  ///< lanes in `held`
  };

  void serve(core::LsuRequest& request) override;
  void complete(core::LsuCompletion& done) override;
  void begin(const core::LaunchContext& launch);
  void count_cycles(const core::IssueTapRequest& issue);
  void count_instruction(const core::IssueTapRequest& issue);
  void count_pass(const core::IssueTapRequest& issue);
  void starts_attempt(const core::IssueTapRequest& issue);
  /// Lanes write: locks at these addresses are given back.
  void writes(const core::IssueTapRequest& issue);
  void outcome(Warp& warp, const Attempt& attempt, const core::MemorySlice& slice);
  /// Forgets held locks; how many.
  template <class Fn>
  static std::size_t forget(Warp& warp, Fn which);
  static std::uint64_t address_of(const core::IssueTapRequest& issue, unsigned lane);

  SyncLoops loops_;
  std::shared_ptr<const isa::Kernel> kernel_;
  ThreadCycles cycles_;
  std::vector<Warp> warps_;  ///< by slot
  bool critical_issue_ =
      false;  ///< the instruction of a loop's body that issued last is of a lane that holds a lock

  std::uint64_t lock_success_ = 0, intra_warp_fail_ = 0, inter_warp_fail_ = 0, released_ = 0;
  std::uint64_t wait_exit_success_ = 0, wait_exit_fail_ = 0;
  struct Share {
    std::uint64_t warp_instructions = 0, lane_instructions = 0, transactions = 0;
  };
  Share waiting_, critical_;
};

}  // namespace heddle::spin
