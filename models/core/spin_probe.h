// Do lanes of a warp that run together (a split) repeat their state? Used by the watchdog while it probes for
// a hang (sim/watchdog.h).
#pragma once

#include <cstdint>
#include <vector>

#include "core/warp_context.h"
#include "isa/kernel.h"

namespace heddle::core {

/// Per split, named by its warp and its lowest lane, the state at one visit of a loop head, compared with
/// later visits. The remembered visit is renewed after 1, 2, 4 ... visits (Brent), so that loops nested to
/// any depth are recognised when the outermost one repeats.
class SpinProbe {
 public:
  explicit SpinProbe(std::uint32_t warps) : splits_(std::size_t{warps} * kLanes) {}

  void start();
  void stop() { active_ = false; }
  [[nodiscard]] bool active() const { return active_; }

  /// The split `mask` of the warp arrives at `pc`, where `live` registers are live; `control_digest` stands
  /// for the state of the branch unit (simt::BranchRequest::digest).
  void visit(WarpId warp, Pc pc, LaneMask mask, const std::vector<isa::RegId>& live,
             const isa::RegisterLayout& layout, const isa::RowBytes& registers, std::uint64_t control_digest);
  /// The split executed something whose result depends on time.
  void spoil(WarpId warp, LaneMask mask) { at(warp, mask).spoiled = true; }
  [[nodiscard]] bool repeated(WarpId warp, LaneMask mask) const {
    const Split& split = at(warp, mask);
    return split.repeated && !split.spoiled;
  }
  /// Loop head that repeated.
  [[nodiscard]] Pc loop_head(WarpId warp, LaneMask mask) const { return at(warp, mask).pc; }

 private:
  struct Split {
    bool sampled = false;
    bool repeated = false;
    bool spoiled = false;
    Pc pc{};
    std::vector<std::uint64_t> signature;  ///< hash after lanes and tables, and after each live register
    std::uint32_t visits = 0;              ///< since the sample was taken
    std::uint32_t renew = 1;
  };
  [[nodiscard]] const Split& at(WarpId warp, LaneMask mask) const {
    return splits_[std::size_t{warp.value()} * kLanes + mask.lowest()];
  }
  [[nodiscard]] Split& at(WarpId warp, LaneMask mask) {
    return splits_[std::size_t{warp.value()} * kLanes + mask.lowest()];
  }
  std::vector<Split> splits_;
  std::vector<std::uint64_t> fresh_;  ///< scratch of visit()
  bool active_ = false;
};

}  // namespace heddle::core
