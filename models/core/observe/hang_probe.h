// What the watchdog sees of lanes that run while it looks for a hang (sim/watchdog.h): do the lanes of a
// split repeat their state, and what are their registers at a loop head, for a proof that needs no repetition
// (hang/README.md).
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/protocols/lsu_protocol.h"
#include "core/warp_context.h"
#include "isa/kernel.h"

namespace heddle::core {

/// Per split, named by its warp and its lowest lane, the state at one visit of a loop head, compared with
/// later visits. The remembered visit is renewed after 1, 2, 4 ... visits (Brent), so that loops nested to
/// any depth are recognised when the outermost one repeats. The registers of a visit are kept at the same
/// intervals.
class HangProbe {
 public:
  explicit HangProbe(std::uint32_t warps) : seen_(warps), passed_(warps) {}

  void start();
  /// No further visit is remembered. `ran[warp]`: the lanes that run at this moment and were seen in a loop.
  void freeze(std::vector<LaneMask> ran) {
    frozen_ = true;
    ran_ = std::move(ran);
  }
  /// Lanes of the warp that ran when visits were frozen and had been seen; none before.
  [[nodiscard]] LaneMask ran(WarpId warp) const { return frozen_ ? ran_[warp.value()] : LaneMask{}; }
  /// Lanes issue. If they are not among those, what they may have written since is not known.
  void issues(WarpId warp, LaneMask lanes) {
    if (frozen_ && !ran_[warp.value()].contains(lanes)) disturbed_ = true;
  }
  [[nodiscard]] bool disturbed() const { return disturbed_; }
  /// Lanes of the warp went on behind a barrier or .sync instruction: where they were seen may lie before it.
  void passes(WarpId warp) { passed_[warp.value()] = true; }
  [[nodiscard]] bool passed(WarpId warp) const { return passed_[warp.value()]; }
  void stop() { active_ = false; }
  [[nodiscard]] bool active() const { return active_; }
  /// Visits are of interest.
  [[nodiscard]] bool looks() const { return active_ && !frozen_; }

  /// Lanes and their registers.
  struct Place {
    WarpId warp{};
    Pc pc{};
    LaneMask mask;
    const isa::RegisterLayout& layout;
    const isa::RowBytes& registers;
    const std::vector<PendingLoad>& pending;  ///< of the warp
  };
  /// A split arrives at a loop head.
  struct Visit : Place {
    const std::vector<isa::RegId>& live;  ///< there
    std::uint64_t control_digest = 0;     ///< simt::ControlFlowRequest::digest
  };
  void visit(const Visit& visit);
  /// Lanes that run without having come to a loop are remembered where they are, before freeze().
  void place(const Place& place) {
    remember(place);
    seen_[place.warp.value()].elsewhere |= place.mask;
  }
  /// The split executed something whose result depends on time.
  void spoil(WarpId warp, LaneMask mask) { at(warp, mask).spoiled = true; }
  [[nodiscard]] bool repeated(WarpId warp, LaneMask mask) const {
    if (splits_.empty()) return false;
    const Split& split = at(warp, mask);
    return split.repeated && !split.spoiled;
  }
  /// Loop head that repeated.
  [[nodiscard]] Pc loop_head(WarpId warp, LaneMask mask) const { return at(warp, mask).pc; }

  /// Registers of lanes at a loop head.
  struct Seen {
    LaneMask lanes;
    LaneMask elsewhere;  ///< of these, not at a loop head: see place()
    [[nodiscard]] LaneMask in_loops() const { return LaneMask::difference(lanes, elsewhere); }
    std::array<Pc, kLanes> pc{};
    isa::RowBytes registers;  ///< of `lanes`, each at its visit
    struct Unknown {
      isa::RegId reg = isa::kNoReg;
      LaneMask lanes;
    };
    std::vector<Unknown> unknown;  ///< registers that waited for memory then
  };
  [[nodiscard]] const Seen& seen(WarpId warp) const { return seen_[warp.value()]; }

 private:
  struct Split {
    bool sampled = false;
    bool repeated = false;
    bool spoiled = false;
    Pc pc{};
    std::vector<std::uint64_t> signature;  ///< hash after lanes and tables, and after each live register
    std::uint32_t visits = 0;              ///< since the sample was taken
    std::uint32_t renew = 1;
    std::uint32_t visits_seen = 0;
  };
  [[nodiscard]] const Split& at(WarpId warp, LaneMask mask) const {
    return splits_[std::size_t{warp.value()} * kLanes + mask.lowest()];
  }
  [[nodiscard]] Split& at(WarpId warp, LaneMask mask) {
    return splits_[std::size_t{warp.value()} * kLanes + mask.lowest()];
  }
  void compare(const Visit& visit, Split& split);
  void remember(const Place& place);

  std::vector<Split> splits_;         ///< by warp and lowest lane; empty before the first start()
  std::vector<Seen> seen_;            ///< by warp
  std::vector<std::uint64_t> fresh_;  ///< scratch of compare()
  bool active_ = false;
  bool frozen_ = false;
  bool disturbed_ = false;
  std::vector<LaneMask> ran_;  ///< by warp
  std::vector<bool> passed_;   ///< by warp
};

/// Copies the registers of some lanes.
void copy_lanes(const isa::RegisterLayout& layout, LaneMask lanes, const std::byte* from, std::byte* to);

}  // namespace heddle::core
