// What makes a run differ from another one: configuration, cycles by stall cause, statistics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/results.h"

namespace heddle::cli {

struct KeyDifference {
  std::string key;
  std::string base, other;  ///< empty: it does not have the key
};

/// The share of one cause in a difference of cycles. An issue slot is a scheduler's cycle, and every slot of every core has one
/// cause, so that the cycles of a run are the slots of all causes divided by the slots of a cycle.
struct CauseDifference {
  std::string cause;
  std::uint64_t base_slots = 0, other_slots = 0;
  double cycles = 0;  ///< to tenths, which sum exactly to the difference
};
struct Waterfall {
  std::uint64_t base_cycles = 0, other_cycles = 0;
  std::uint64_t base_slots_per_cycle = 0, other_slots_per_cycle = 0;
  std::vector<CauseDifference> causes;  ///< the largest first
};

struct StatisticDifference {
  results::Statistic statistic;
  double base = 0, other = 0;
  double significance =
      0;  ///< 0 to 1: relative change, weighted by the square root of the share in the largest of its unit

  [[nodiscard]] double difference() const { return other - base; }
  /// Of the base; nothing: the base is 0.
  [[nodiscard]] std::optional<double> relative() const {
    return base == 0 ? std::nullopt : std::optional<double>((other - base) / base);
  }
};

/// Keys and parameters in which two runs differ, in order of the configuration.
[[nodiscard]] std::vector<KeyDifference> key_differences(const results::Results& results, std::size_t base,
                                                         std::size_t other);

/// Nothing: one of them has no cycles. Numbers are those of `causes_of()`.
[[nodiscard]] std::optional<Waterfall> waterfall(const results::Results& results, std::size_t base,
                                                 std::size_t other);

/// All statistics that both have, those of the summary (`total.`) first and in their order, the others by significance.
[[nodiscard]] std::vector<StatisticDifference> statistic_differences(const results::Results& results,
                                                                     std::size_t base, std::size_t other);

/// "total.cycles" and the like.
[[nodiscard]] bool is_summary(const std::string& statistic);

/// Tenths of cycles that sum exactly to 10 x (other_cycles - base_cycles): each cause's share, rounded by largest remainders. For
/// tests. `base`, `other`: slots by cause, of all of which there are slots_per_cycle x cycles.
[[nodiscard]] std::vector<std::int64_t> tenths_by_cause(const std::vector<std::uint64_t>& base,
                                                        std::uint64_t base_per_cycle,
                                                        const std::vector<std::uint64_t>& other,
                                                        std::uint64_t other_per_cycle);

}  // namespace heddle::cli
