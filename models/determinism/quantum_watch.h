// What must hold of a core's quanta whatever the timing (preconditions.h), looked at while it runs. Does nothing unless the
// preconditions are watched.
#pragma once

#include <cstdint>
#include <string>

#include "core/core_extension.h"
#include "determinism/preconditions.h"
#include "determinism/quantum_protocol.h"

namespace heddle::determinism {

class QuantumWatch {
 public:
  /// `preconditions`: of the GPU.
  QuantumWatch(Preconditions& preconditions, base::CoreId core)
      : preconditions_(preconditions), core_(core) {}

  [[nodiscard]] bool on() const { return preconditions_.watched(); }
  void begin_launch(const core::LaunchContext* launch) { launch_ = launch; }

  /// [GPUDet:D3]: the wavefront has nothing on its way when a commit begins.
  void check_drained(base::WarpId warp, bool quiet) const;
  /// [GPUDet:D9]: the CTA has the warp slots of a CTA slot.
  void check_mapping(const core::CtaContext& cta, std::uint32_t warps_per_cta) const;
  /// [GPUDet:D10]: who executes in serial mode is the one whose turn it is.
  void check_serial(const core::IssueTapRequest& issue, bool its_turn) const;
  /// [GPUDet:D12]: who issues in a parallel mode may: its mode has not ended, it is its split's turn, and no lane is `waiting`
  /// at a barrier.
  void check_issue(const core::IssueTapRequest& issue, bool parallel, bool its_turn,
                   base::LaneMask waiting) const;
  /// [GPUDet:D12]: the reason, after `count` instructions, holds by what the wavefront has executed.
  void check_end(base::WarpId warp, EndReason reason, std::uint32_t count, bool holds) const;

 private:
  [[nodiscard]] std::string wavefront_name(base::WarpId warp) const;

  Preconditions& preconditions_;
  base::CoreId core_;
  const core::LaunchContext* launch_ = nullptr;
};

}  // namespace heddle::determinism
