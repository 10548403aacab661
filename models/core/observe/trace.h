// What a run records beside statistics, if asked to: the tables of the branch unit and the scoreboard after
// every event, where each split of a warp runs, and which instructions each warp executes. Recording changes no result and no statistic; without a
// sink it costs a comparison per event.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "base/ids.h"
#include "core/warp_context.h"
#include "isa/kernel.h"
#include "simt/control_flow_protocol.h"

namespace heddle::core {

/// Of which warp, and when.
struct TraceSite {
  base::CoreId core{};
  WarpId warp{};
  Cycle cycle = 0;
  std::uint64_t cta = 0;
  std::uint32_t warp_in_cta = 0;
};

/// After an event. Its tables live as long as the call that hands it over.
struct TableSnapshot {
  std::string_view event;  ///< "branch", "arrive", "issue", "write_back" ...
  Pc pc = kNoPc;           ///< of the instruction that caused it, if one did
  LaneMask lanes;          ///< that executed it, or that it is about
  LaneMask taken;          ///< branches, calls, returns: of these, those that go elsewhere
  const nlohmann::ordered_json* tables = nullptr;      ///< the mechanism's
  const nlohmann::ordered_json* scoreboard = nullptr;  ///< [{"reg": number, "lanes": mask} ...]
};

/// A group's wait for one cause.
struct TracedWait {
  std::string_view cause;  ///< as in profiles: "scoreboard_memory", "barrier" ...
  Pc pc = kNoPc;           ///< of the instruction that it issues next
  Pc producer = kNoPc;     ///< at a scoreboard: of the instruction whose result let it go on
  Cycle cycles = 0;
};

class TraceSink {
 public:
  virtual ~TraceSink() = default;
  /// A kernel's launch begins, and ends, in core cycles since the start of the simulation.
  virtual void launch_begins(const isa::Kernel& kernel, Cycle cycle) = 0;
  virtual void launch_ends(Cycle cycle) = 0;

  [[nodiscard]] virtual bool wants_tables(const TraceSite& site) const = 0;
  virtual void tables(const TraceSite& site, const TableSnapshot& snapshot) = 0;

  /// The timeline. A split is named by its lowest lane: those of a warp are disjoint.
  [[nodiscard]] virtual bool wants_timeline(const TraceSite& site) const = 0;
  /// Lanes `mask` run from `pc` on in the group.
  virtual void split_runs(const TraceSite& site, GroupId group, Pc pc, LaneMask mask) = 0;
  /// The group's lanes do not run any longer: "barrier", "tables", "gone".
  virtual void split_stops(const TraceSite& site, GroupId group, std::string_view why) = 0;
  virtual void issued(const TraceSite& site, GroupId group, Pc pc, LaneMask lanes) = 0;
  /// Of the timeline as well, and only while a profile is taken: a wait that has ended; it began in the site's cycle.
  virtual void waits(const TraceSite& /*site*/, GroupId /*group*/, const TracedWait& /*wait*/) {}
  /// Control flow: an instruction issues with the active lanes of the warp, before its guard.
  [[nodiscard]] virtual bool wants_control_flow(const TraceSite& site) const = 0;
  virtual void executes(const TraceSite& site, Pc pc, LaneMask active) = 0;
  /// From this cycle on, so many warps of the core are backed off (models/spin).
  virtual void backed_off(base::CoreId core, Cycle cycle, std::uint32_t warps) = 0;
  /// The whole GPU was in a mode from `begin` to `end`, in the launch's quantum of that number (models/determinism).
  virtual void gpu_mode(std::string_view mode, std::uint64_t quantum, Cycle begin, Cycle end) = 0;
};

}  // namespace heddle::core
