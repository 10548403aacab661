// What a SIMT stack consists of, for the model (simt_stack.h) and for readers of the state of its RTL
// twin.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "base/stats.h"
#include "simt/mechanism.h"

namespace heddle::simt {

struct StackEntry {
  Pc pc{};
  Pc rpc = kNoPc;
  LaneMask mask{};
  std::uint32_t frame = 0;  ///< calls that the entry is deep in
  Pc lpc = kNoPc;           ///< likely-convergence point ([TBC] §3.4)
  std::uint32_t lpos = 0;   ///< with one: the entry that collects lanes there; bottom = 0
  bool operator==(const StackEntry&) const = default;
};

/// Where the lanes of the top go, in the order in which the sides are pushed: the last one runs first.
class StackSides {
 public:
  struct Side {
    Pc pc{};
    LaneMask lanes{};
  };
  /// Of an indirect branch of a top with lanes `mask`. The lanes that do not branch count as one side.
  static StackSides of_branch(const ControlFlowRequest& request, LaneMask mask, FirstSide first_side);
  /// Of a call by `taken`.
  static StackSides of_call(const ControlFlowRequest& request, LaneMask taken);

  [[nodiscard]] unsigned count() const { return count_; }
  [[nodiscard]] const Side* begin() const { return sides_.data(); }
  [[nodiscard]] const Side* end() const { return sides_.data() + count_; }

 private:
  void add(Pc pc, LaneMask lanes) { sides_[count_++] = {pc, lanes}; }
  /// In the order of their first lanes.
  void add_targets(const ControlFlowRequest& request, LaneMask taken);

  std::array<Side, base::kLanes> sides_;
  unsigned count_ = 0;
};

struct StackStats {
  std::uint64_t branches = 0;
  std::uint64_t divergences = 0;
  std::uint64_t calls = 0;
  std::uint64_t reconvergences = 0;
  std::uint64_t likely_reconvergences = 0;
  std::uint64_t max_depth = 0;

  void grown_to(std::size_t depth) {
    if (depth > max_depth) max_depth = depth;
  }
  void register_stats(base::StatGroup& stats);
};

/// Fills the debug part of `request` from a warp's entries, bottom first. `at_barrier`: the top waits at one.
void inspect_stack(std::span<const StackEntry> entries, bool at_barrier, ControlFlowRequest& request);

}  // namespace heddle::simt
