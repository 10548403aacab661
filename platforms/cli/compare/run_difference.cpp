#include "cli/compare/run_difference.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>

namespace heddle::cli {
namespace {

using results::Results;

constexpr std::string_view kCauses = "total.issue_slots.by_cause.";
constexpr const char* kOutside = "not in an issue slot";

struct Slots {
  std::uint64_t cycles = 0;
  std::uint64_t per_cycle = 1;
  std::map<std::string, std::uint64_t> by_cause;
};

/// The slots of a run. What a launch's cycles have beyond them is a cause of its own.
std::optional<Slots> slots_of(const Results& results, std::size_t run, std::vector<std::string>& order) {
  const std::optional<std::uint64_t> cycles = results.runs()[run].cycles;
  if (!cycles || *cycles == 0) return std::nullopt;
  Slots slots{*cycles, 1, {}};
  std::uint64_t all = 0;
  const std::vector<double> values = results.values_of(run);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string& name = results.statistics()[i].name;
    if (!name.starts_with(kCauses) || std::isnan(values[i])) continue;
    const std::string cause = name.substr(kCauses.size());
    if (std::ranges::find(order, cause) == order.end()) order.push_back(cause);
    slots.by_cause[cause] = static_cast<std::uint64_t>(values[i]);
    all += slots.by_cause[cause];
  }
  if (all == 0) return std::nullopt;
  slots.per_cycle = (all + slots.cycles - 1) / slots.cycles;
  if (const std::uint64_t missing = slots.per_cycle * slots.cycles - all; missing != 0) {
    slots.by_cause[kOutside] = missing;
    if (std::ranges::find(order, kOutside) == order.end()) order.emplace_back(kOutside);
  }
  return slots;
}

__extension__ using Wide = __int128;

}  // namespace

bool is_summary(const std::string& statistic) { return statistic.starts_with("total."); }

std::vector<std::int64_t> tenths_by_cause(const std::vector<std::uint64_t>& base,
                                          std::uint64_t base_per_cycle,
                                          const std::vector<std::uint64_t>& other,
                                          std::uint64_t other_per_cycle) {
  // In units of 1 / (10 x base_per_cycle x other_per_cycle) cycles all shares are whole.
  const Wide unit = Wide(base_per_cycle) * Wide(other_per_cycle);
  std::vector<std::int64_t> tenths(base.size());
  std::vector<Wide> remainders(base.size());
  Wide all = 0, rounded = 0;
  for (std::size_t i = 0; i < base.size(); ++i) {
    const Wide share = 10 * (Wide(other[i]) * Wide(base_per_cycle) - Wide(base[i]) * Wide(other_per_cycle));
    Wide whole = share / unit;
    if (share % unit < 0) --whole;  // towards minus infinity: remainders are not negative
    tenths[i] = static_cast<std::int64_t>(whole);
    remainders[i] = share - whole * unit;
    all += share;
    rounded += whole;
  }
  std::vector<std::size_t> order(base.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return remainders[a] > remainders[b]; });
  const auto left = static_cast<std::size_t>(all / unit - rounded);
  for (std::size_t i = 0; i < left && i < order.size(); ++i) ++tenths[order[i]];
  return tenths;
}

std::vector<KeyDifference> key_differences(const Results& results, std::size_t base, std::size_t other) {
  std::vector<KeyDifference> differences;
  const auto add = [&](const std::vector<results::Parameter>& ours,
                       const std::vector<results::Parameter>& theirs) {
    const auto find = [](const std::vector<results::Parameter>& in, const std::string& name) {
      for (const results::Parameter& each : in)
        if (each.name == name) return each.value;
      return std::string();
    };
    const auto known = [&](const std::string& name) {
      return std::ranges::any_of(differences, [&](const KeyDifference& each) { return each.key == name; });
    };
    for (const auto* side : {&ours, &theirs})
      for (const results::Parameter& each : *side) {
        const std::string a = find(ours, each.name), b = find(theirs, each.name);
        if (a != b && each.name != "results" && !known(each.name)) differences.push_back({each.name, a, b});
      }
  };
  // A run that was refused before it had a configuration would differ in every key.
  const std::vector<results::Parameter> ours = results.configuration(base),
                                        theirs = results.configuration(other);
  if (!ours.empty() && !theirs.empty()) add(ours, theirs);
  add(results.runs()[base].parameters, results.runs()[other].parameters);
  return differences;
}

std::optional<Waterfall> waterfall(const Results& results, std::size_t base, std::size_t other) {
  std::vector<std::string> order;
  const auto a = slots_of(results, base, order), b = slots_of(results, other, order);
  if (!a || !b) return std::nullopt;
  std::vector<std::uint64_t> ours, theirs;
  const auto slots = [](const Slots& of, const std::string& cause) {
    const auto found = of.by_cause.find(cause);
    return found == of.by_cause.end() ? std::uint64_t{0} : found->second;
  };
  for (const std::string& cause : order) {
    ours.push_back(slots(*a, cause));
    theirs.push_back(slots(*b, cause));
  }
  const std::vector<std::int64_t> tenths = tenths_by_cause(ours, a->per_cycle, theirs, b->per_cycle);
  Waterfall fall{a->cycles, b->cycles, a->per_cycle, b->per_cycle, {}};
  for (std::size_t i = 0; i < order.size(); ++i)
    fall.causes.push_back({order[i], ours[i], theirs[i], static_cast<double>(tenths[i]) / 10});
  std::ranges::stable_sort(fall.causes, [](const CauseDifference& x, const CauseDifference& y) {
    return std::abs(x.cycles) > std::abs(y.cycles);
  });
  return fall;
}

std::vector<StatisticDifference> statistic_differences(const Results& results, std::size_t base,
                                                       std::size_t other) {
  const std::vector<double> ours = results.values_of(base), theirs = results.values_of(other);
  std::map<std::string, double> largest;  // by unit
  for (std::size_t i = 0; i < ours.size(); ++i)
    for (const double value : {ours[i], theirs[i]})
      if (!std::isnan(value) && !is_summary(results.statistics()[i].name)) {
        double& most = largest[results.statistics()[i].unit];
        most = std::max(most, value);
      }
  std::vector<StatisticDifference> differences;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (std::isnan(ours[i]) || std::isnan(theirs[i])) continue;
    StatisticDifference difference{results.statistics()[i], ours[i], theirs[i], 0};
    const double most = std::max(std::abs(ours[i]), std::abs(theirs[i])),
                 of_unit = largest[difference.statistic.unit];
    if (most > 0 && of_unit > 0)
      difference.significance = std::abs(theirs[i] - ours[i]) / most * std::sqrt(most / of_unit);
    differences.push_back(std::move(difference));
  }
  std::ranges::stable_sort(differences, [](const StatisticDifference& a, const StatisticDifference& b) {
    const bool first = is_summary(a.statistic.name), second = is_summary(b.statistic.name);
    if (first || second) return first && !second;
    return a.significance > b.significance;
  });
  return differences;
}

}  // namespace heddle::cli
