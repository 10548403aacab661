// Provides the whole GPU's state to the proof and classification of hangs (models/hang).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/warp_context.h"
#include "gpu/gpu.h"
#include "hang/hang_class.h"
#include "hang/snapshot.h"

namespace heddle::gpu {

class HangDoctor {
 public:
  HangDoctor(Gpu& gpu, const host::AllocationTable& allocations) : gpu_(gpu), allocations_(allocations) {}

  /// A launch begins.
  void begin_launch(const core::LaunchContext& launch);
  /// Called at the end of a watchdog window: proves that no resident lane will ever end. `unchanged`: no
  /// memory value has changed in the window.
  ///
  /// What that costs is bounded by what the simulation costs: another attempt waits until the launch has issued as many warp
  /// instructions as all before it have explored, but for a free million. One that is cut short doubles the allowance.
  [[nodiscard]] bool proves(bool unchanged);
  /// The complete message: the kind of hang, who waits for what, what the warps are doing.
  [[nodiscard]] std::string diagnose(const std::string& kernel, base::Cycle cycles);
  /// The same for what a mechanism of the GPU has found out.
  [[nodiscard]] std::string diagnose(const std::string& kernel, base::Cycle cycles,
                                     const system::MechanismHang& hang);
  /// The same for lanes that are never selected, which is timed (sim/watchdog.h, S).
  [[nodiscard]] std::string diagnose_passed_over(const std::string& kernel, base::Cycle cycles);

  /// What the warps are doing, ready to print behind a message; `of`: on these cores only, on all if it is empty.
  [[nodiscard]] std::string describe_warps(std::span<const base::CoreId> of = {}) const;

 private:
  class View;
  [[nodiscard]] hang::Snapshot snapshot(const View& view) const;
  [[nodiscard]] std::string text(const std::string& kernel, base::Cycle cycles,
                                 const hang::HangReport& report) const;

  Gpu& gpu_;
  const host::AllocationTable& allocations_;
  const core::LaunchContext* launch_ = nullptr;
  [[nodiscard]] std::uint64_t warp_instructions() const;
  /// Of launches that share the GPU.
  [[nodiscard]] bool runs_launch(std::uint32_t core) const;

  std::optional<std::uint64_t> left_first_;  ///< warp with a lane that left in the last exploration
  std::uint64_t steps_ = 0;                  ///< instructions explored in this launch
  std::uint64_t allowance_ = 0;              ///< of the next exploration
  std::uint64_t issued_before_ = 0;          ///< warp instructions issued before this launch
};

}  // namespace heddle::gpu
