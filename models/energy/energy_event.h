// Events that take energy: which statistics count them, and what one of them takes.
//
// A plain table (gpu::energy_events()), so that a mechanism adds its tables and look-ups with a few lines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/stats.h"

namespace heddle::energy {

/// Counters of the statistics tree that count an event.
struct EventCounter {
  std::string pattern;  ///< as for StatGroup::sum(): "core*.l1d.fills"; what the tree does not have counts 0
  std::uint32_t times = 1;  ///< events for each count
};

/// Key energy.<class>.<name>, statistic of the same path.
struct EnergyEvent {
  std::string name;
  double picojoules = 0;  ///< of one event: the default of the key
  std::string doc;        ///< what one event is
  std::vector<EventCounter> counters;
  /// What has the tables: the event counts 0 where this pattern does; empty: every GPU has them.
  std::string needs{};
};

/// Events of one block or mechanism.
struct EnergyClass {
  std::string name;
  std::string doc;  ///< one line
  std::vector<EnergyEvent> events;
  /// Mechanisms (core.control_flow.mechanism, or the section of one of the whole GPU) that have these tables, where
  /// several count under the same names, or nothing is to be said of one that is off; empty: any.
  std::vector<std::string> mechanisms{};

  /// One of them is there.
  [[nodiscard]] bool belongs_to(const std::vector<std::string>& there) const;
};

/// How often the event has happened since the last reset of the tree.
[[nodiscard]] std::uint64_t count_of(const EnergyEvent& event, const base::StatGroup& stats);

}  // namespace heddle::energy
