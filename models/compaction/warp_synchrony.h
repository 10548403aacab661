// Names kernels that rely on warps that run in lockstep, which mechanisms that put threads into other warps do not give
// them ([TBC] §3.2, §3.3.2): rather than wrong in silence, they are stopped. Costs no hardware.
//
// Found are, while the kernel runs:
// * a thread that reads or writes bytes of shared memory that another thread of its warp has written, or writes one that
//   such a thread has read, with no barrier, __syncwarp() or other .sync instruction between, if the two were in one group at
//   neither access. Two that write the same value do not matter to each other;
// * a thread that reads what another thread of its warp has written to global memory, by weak accesses (not volatile, relaxed or
//   atomic), if the writer has executed no barrier, .sync instruction, fence or atomic since, and the two were in one group at
//   neither access. Such a pair is a race in the memory model, whatever the warps do: programs without one are never named;
// * threads of one warp that access a word of global memory, volatile or not, in another order than in lockstep, if nothing but
//   lockstep orders them (lockstep_order.h);
// * votes, shuffles and activemask without .sync by a group that has not all lanes of a warp that are left.
// Not found: the same by atomics, or where a value from memory decides whether an access is made (lockstep_order.h); and what this
// run's order of execution did not bring about.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "compaction/lockstep_order.h"
#include "compaction/written_words.h"
#include "core/core_extension.h"
#include "core/memory/lsu_interposer.h"

namespace heddle::compaction {

/// For the registry of core units: key core.warp_synchrony.
[[nodiscard]] core::CoreUnit warp_synchrony_core_unit();

enum class WarpSynchronyCheck : std::uint8_t { kAuto, kOff, kStop };

struct WarpSynchronyConfig {
  WarpSynchronyCheck check = WarpSynchronyCheck::kAuto;

  void visit(base::ConfigVisitor& v);
};

class WarpSynchrony : public core::LsuInterposer, public core::CoreExtension {
 public:
  WarpSynchrony(const sc_core::sc_module_name& name, const core::CoreExtensionSite& site);

  [[nodiscard]] std::vector<TapTarget*> taps() override { return {&tap_tsock}; }
  [[nodiscard]] core::LsuInterposer* interposer() override { return this; }

 private:
  void tap(core::IssueTapRequest& request);

 public:
  sim::BlockTarget<core::IssueTapProtocol, WarpSynchrony, &WarpSynchrony::tap> tap_tsock{"tap_tsock", this};

 private:
  static constexpr std::uint32_t kNoWarp = ~0u;
  /// Who accessed a word of shared memory last. Of bytes that different lanes access only the last access is kept: so less is
  /// found, and nothing that is not there.
  struct Word {
    std::uint32_t writer = kNoWarp;  ///< home warp
    unsigned lane = 0;
    std::uint8_t written = 0;      ///< bit per byte
    std::uint64_t written_at = 0;  ///< time of the warp
    base::LaneMask wrote_with;     ///< lanes of that warp in its group
    base::Pc write_pc{};
    std::optional<std::uint64_t> value;  ///< written, unless a vector
    std::uint32_t reader = kNoWarp;
    std::uint8_t read = 0;   ///< bit per byte
    base::LaneMask readers;  ///< that have not synchronised since
    std::uint64_t read_at = 0;
    base::LaneMask read_with;  ///< lanes that were in the groups of all of them
    base::Pc read_pc{};
  };
  void serve(core::LsuRequest& request) override;
  void access(const core::LsuRequest& request, const core::MemorySlice& slice);
  void access_global(const core::LsuRequest& request, const core::MemorySlice& slice);
  void check_race(const core::LsuRequest& request, const core::MemorySlice& slice, unsigned lane,
                  std::uint64_t word, std::uint8_t bytes);
  void check_order(const LockstepOrder::Access& access);
  void check_lanes(const core::IssueTapRequest& issue) const;
  /// A warp's time counts the synchronising instructions that any of its lanes has issued. A lane's access is ordered
  /// before what others do as soon as the lane has issued a later one.
  [[nodiscard]] std::uint64_t& synchronised_at(std::uint32_t home, unsigned lane) {
    return synchronised_at_[home * std::size_t{base::kLanes} + lane];
  }
  /// Whether an access of `lane` at time `at` is ordered before what `other` does now. A lane that has ended has arrived at the
  /// barriers of others.
  [[nodiscard]] bool synchronised(std::uint32_t home, unsigned lane, unsigned other, std::uint64_t at) {
    return synchronised_at(home, lane) > at || (ended_[home].test(lane) && synchronised_at(home, other) > at);
  }
  /// Two accesses that nothing orders.
  struct Pair {
    unsigned lane = 0;
    unsigned other = 0;
    base::Pc pc{};
    base::Pc other_pc{};
    const char* what = "";
    bool global = false;
    bool reversed = false;  ///< in lockstep their order is the other one
  };
  [[noreturn]] void stop(const Pair& pair) const;

  std::string but_;  ///< what the mechanism does to warps, for messages
  const core::LaunchContext* launch_ = nullptr;
  std::vector<Word> words_;                     ///< of the core's shared memory
  std::vector<std::uint64_t> time_;             ///< by home warp
  std::vector<std::uint64_t> synchronised_at_;  ///< by home warp, then lane
  // The same for global memory, where fences and atomics count, too.
  WrittenWords global_;
  std::vector<std::uint64_t> global_time_;
  std::vector<std::uint64_t> ordered_at_;
  std::vector<base::LaneMask> ended_;  ///< by home warp
  LockstepOrder order_;
};

}  // namespace heddle::compaction
