// Does an issue group repeat its state? Used by the watchdog while it probes for a hang (sim/watchdog.h).
#pragma once

#include <cstdint>
#include <vector>

#include "core/warp_context.h"
#include "isa/kernel.h"

namespace heddle::core {

/// Per group the state at one visit of a loop head, compared with later visits. The remembered visit is
/// renewed after 1, 2, 4 ... visits (Brent), so that loops nested to any depth are recognised when the
/// outermost one repeats.
class SpinProbe {
 public:
  explicit SpinProbe(std::uint32_t groups) : groups_(groups) {}

  void start();
  void stop() { active_ = false; }
  [[nodiscard]] bool active() const { return active_; }

  /// Group arrives at `pc`, where `live` registers are live; `control_digest` stands for the state of the
  /// branch unit.
  void visit(GroupId group, Pc pc, LaneMask mask, const std::vector<isa::RegId>& live,
             const isa::RegisterLayout& layout, const isa::RowBytes& registers, std::uint64_t control_digest);
  /// The group executed something whose result depends on time.
  void spoil(GroupId group) { groups_[group.value()].spoiled = true; }
  [[nodiscard]] bool repeated(GroupId group) const {
    return groups_[group.value()].repeated && !groups_[group.value()].spoiled;
  }
  /// Loop head that repeated.
  [[nodiscard]] Pc loop_head(GroupId group) const { return groups_[group.value()].pc; }

 private:
  struct Group {
    bool sampled = false;
    bool repeated = false;
    bool spoiled = false;
    Pc pc{};
    std::vector<std::uint64_t> signature;  ///< hash after lanes and tables, and after each live register
    std::uint32_t visits = 0;              ///< since the sample was taken
    std::uint32_t renew = 1;
  };
  std::vector<Group> groups_;
  std::vector<std::uint64_t> fresh_;  ///< scratch of visit()
  bool active_ = false;
};

}  // namespace heddle::core
