#include "cli/compare/run_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "cli/errors.h"

namespace heddle::cli {
namespace {

using results::Results;
using results::Run;

std::string value_in(const Run& run, const std::string& name) {
  const std::string* const value = run.parameter(name);
  return value == nullptr ? "" : *value;
}

/// What a run is matched by, as text: "workload=bfs seed=2".
std::string key_of(const Run& run, const std::vector<std::string>& names) {
  std::string key;
  for (const std::string& name : names) key += (key.empty() ? "" : " ") + name + "=" + value_in(run, name);
  return key;
}

/// The runs of each side by key. Throws if two runs of a side have one key.
std::map<std::string, std::size_t> by_key(const Results& results, const std::vector<std::size_t>& side,
                                          const std::vector<std::string>& names, const std::string& where) {
  std::map<std::string, std::size_t> runs;
  for (const std::size_t run : side)
    if (!runs.emplace(key_of(results.runs()[run], names), run).second)
      throw base::InputError(where, fmt::format("several runs have {}", key_of(results.runs()[run], names)),
                             "compare results in which runs differ by their parameters");
  return runs;
}

PairGroup match(const Results& results, const std::vector<std::size_t>& base,
                const std::vector<std::size_t>& other, const std::vector<std::string>& names,
                const std::string& where) {
  PairGroup group;
  const auto theirs = by_key(results, other, names, where);
  const auto ours = by_key(results, base, names, where);
  for (const std::size_t run : base) {  // in the order of the results
    const std::string key = key_of(results.runs()[run], names);
    const auto partner = theirs.find(key);
    if (partner == theirs.end())
      ++group.unmatched;
    else
      group.pairs.push_back({run, partner->second, key});
  }
  group.unmatched += other.size() - group.pairs.size();
  if (group.pairs.size() == 1 && base.size() == 1) group.pairs[0].program.clear();
  return group;
}

bool differs_within(const Results& results, const std::vector<std::size_t>& side, const std::string& name) {
  return std::ranges::any_of(side, [&](std::size_t run) {
    return value_in(results.runs()[run], name) != value_in(results.runs()[side.front()], name);
  });
}

}  // namespace

std::vector<PairGroup> pairs_of_paths(const Results& results, const std::vector<std::string>& paths) {
  std::map<std::string, std::vector<std::size_t>> sides;
  for (std::size_t i = 0; i < results.runs().size(); ++i)
    sides[value_in(results.runs()[i], "results")].push_back(i);
  std::vector<PairGroup> groups;
  const std::vector<std::size_t>& base = sides[paths.front()];
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const std::vector<std::size_t>& other = sides[paths[i]];
    if (base.empty() || other.empty())
      throw base::InputError(base.empty() ? paths.front() : paths[i], "has no runs",
                             "give results with runs");
    std::vector<std::string> names;
    for (const std::string& name : results.parameters())
      if (name != "results" && (differs_within(results, base, name) || differs_within(results, other, name)))
        names.push_back(name);
    PairGroup group = match(results, base, other, names, paths[i]);
    if (group.pairs.empty())
      throw base::InputError(
          paths[i], fmt::format("no run matches one of {} in {}", paths.front(), fmt::join(names, ", ")),
          "compare sweeps of the same workloads, sizes and seeds");
    group.base = paths.front();
    group.other = paths[i];
    groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<PairGroup> pairs_by(const Results& results, const std::string& parameter) {
  const std::string where = "--by " + parameter;
  const std::vector<std::string> differing = results.differing();
  if (std::ranges::find(differing, parameter) == differing.end()) {
    if (differing.empty())
      throw base::InputError(where, "the runs differ in no parameter", "compare results of a sweep");
    throw unknown_name(where, "varied parameter", parameter, differing);
  }
  std::vector<std::string> values, names;
  std::map<std::string, std::vector<std::size_t>> sides;
  for (std::size_t i = 0; i < results.runs().size(); ++i) {
    const std::string value = value_in(results.runs()[i], parameter);
    if (!sides.contains(value)) values.push_back(value);
    sides[value].push_back(i);
  }
  // A variant's settings follow from its name.
  for (const std::string& name : differing) {
    const bool follows = std::ranges::none_of(
        sides, [&](const auto& side) { return differs_within(results, side.second, name); });
    if (name != parameter && !follows) names.push_back(name);
  }
  std::vector<PairGroup> groups;
  for (std::size_t i = 1; i < values.size(); ++i) {
    PairGroup group = match(results, sides[values[0]], sides[values[i]], names, where);
    if (group.pairs.empty())
      throw base::InputError(
          where, fmt::format("no run with {} matches one with {} in all else", values[i], values[0]),
          "vary other parameters in a sweep of their own");
    group.base = parameter + "=" + values[0];
    group.other = parameter + "=" + values[i];
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace heddle::cli
