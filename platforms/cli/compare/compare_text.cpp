// heddle compare as text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "cli/compare/compare_means.h"
#include "cli/compare/compare_report.h"
#include "cli/compare/pc_difference.h"
#include "cli/compare/run_difference.h"
#include "cli/report.h"
#include "cli/text_table.h"

namespace heddle::cli {
namespace {

using results::Results;
using results::Run;

constexpr std::size_t kBar = 40;  ///< characters of the longest bar

std::string number_text(double value) {
  if (std::floor(value) == value && std::abs(value) < 1e15) {
    const std::string digits = grouped(static_cast<std::uint64_t>(std::abs(value)));
    return value < 0 ? "-" + digits : digits;
  }
  return fmt::format("{:.4g}", value);
}

std::string change_text(const std::optional<double>& relative) {
  if (!relative) return "new";
  if (*relative == 0) return "same";
  return fmt::format("{:+.1f} %", 100 * *relative);
}

std::string cycles_text(double cycles) {
  const std::string digits = grouped(static_cast<std::uint64_t>(std::abs(cycles)));
  const auto tenth = static_cast<unsigned>(std::llround(std::abs(cycles) * 10)) % 10;
  return fmt::format("{}{}.{}", cycles < 0 ? "-" : "+", digits, tenth);
}

/// Which run, in a line: its path, or what it has that others do not.
std::string name_of_run(const Results& results, std::size_t run, const std::string& side) {
  const Run& of = results.runs()[run];
  std::string text = side;
  for (const char* name : {"workload", "kernel", "entry", "platform"})
    if (const std::string* value = of.parameter(name))
      text += fmt::format("{}{}", text == side ? ": " : " on ", *value);
  if (!of.complete()) text += fmt::format("; INCOMPLETE ({}): {}", results::name_of(of.status), of.verdict);
  if (of.status == results::RunStatus::kWrong) text += "; WRONG RESULTS: " + of.verdict;
  return text;
}

std::string keys_text(const std::vector<KeyDifference>& keys) {
  if (keys.empty()) return "configuration: the same\n";
  TextTable table(2, {});
  table.row({"configuration", "A", "B"});
  for (const KeyDifference& each : keys)
    table.row({each.key, each.base.empty() ? "-" : each.base, each.other.empty() ? "-" : each.other});
  return table.text();
}

std::string causes_text(const std::vector<CauseDifference>& causes, double base_cycles,
                        const std::string& head) {
  double largest = 0;
  for (const CauseDifference& each : causes) largest = std::max(largest, std::abs(each.cycles));
  TextTable table(2, {{1, 2}});
  table.row({"issue slots", "cycles", "of A", head});
  for (const CauseDifference& each : causes) {
    if (each.cycles == 0) continue;
    const auto length = static_cast<std::size_t>(std::lround(kBar * std::abs(each.cycles) / largest));
    table.row({each.cause, cycles_text(each.cycles),
               fmt::format("{:+.1f} %", 100 * each.cycles / base_cycles),
               std::string(length, each.cycles < 0 ? '-' : '+')});
  }
  return table.text();
}

std::string waterfall_text(const Waterfall& fall) {
  const auto base = static_cast<double>(fall.base_cycles), other = static_cast<double>(fall.other_cycles);
  std::string text = fmt::format("cycles: {} in A, {} in B, {} ({})\n", grouped(fall.base_cycles),
                                 grouped(fall.other_cycles),
                                 cycles_text(other - base).substr(0, cycles_text(other - base).size() - 2),
                                 change_text((other - base) / base));
  if (fall.base_cycles == fall.other_cycles &&
      std::ranges::all_of(fall.causes, [](const CauseDifference& each) { return each.cycles == 0; }))
    return text;
  return text + "\nThe difference by what issue slots were used for (the lines sum to it):\n" +
         causes_text(fall.causes, base, "");
}

std::string statistics_text(const std::vector<StatisticDifference>& all, std::size_t most) {
  TextTable table(2, {{1, 2, 3}});
  table.row({"statistic", "A", "B", "change", "unit"});
  std::size_t differing = 0, shown = 0;
  for (const StatisticDifference& each : all) {
    const bool summary = is_summary(each.statistic.name);
    if (summary && std::ranges::find(main_figures(), each.statistic.name) == main_figures().end()) continue;
    if (!summary && each.difference() == 0) continue;
    if (!summary && (++differing > most)) continue;
    if (!summary && shown++ == 0) table.row({""});
    table.row({each.statistic.name, number_text(each.base), number_text(each.other),
               change_text(each.relative()), each.statistic.unit});
  }
  std::string text = table.text();
  if (differing > most)
    text += fmt::format("  ... {} more differ: --top N, --json or --csv\n", differing - most);
  return text;
}

/// The causes that make up most of an instruction's difference.
std::string causes_of(const PcDifference& pc) {
  std::vector<std::pair<std::string, std::int64_t>> causes(pc.by_cause.begin(), pc.by_cause.end());
  std::ranges::stable_sort(
      causes, [](const auto& a, const auto& b) { return std::abs(a.second) > std::abs(b.second); });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(causes.size(), 2); ++i)
    text += fmt::format("{}{} {:+}", i == 0 ? "" : ", ", causes[i].first, causes[i].second);
  return text;
}

std::string pcs_text(const PcDifferences& differences, std::size_t most) {
  std::string text = "\ninstructions, by group-cycles (issues and waiting):";
  if (!differences.problem.empty()) text += " " + differences.problem;
  if (differences.pcs.empty()) return text + (differences.problem.empty() ? " the same\n" : "\n");
  std::int64_t all = 0;
  for (const PcDifference& each : differences.pcs) all += each.difference();
  text += fmt::format(" {:+} in all\n", all);
  TextTable table(2, {{0, 1, 2, 4}});
  table.row({"B - A", "A", "B", "pc", "line", "of them", "instruction"});
  for (std::size_t i = 0; i < std::min(most, differences.pcs.size()); ++i) {
    const PcDifference& each = differences.pcs[i];
    table.row({fmt::format("{:+}", each.difference()), grouped(each.base), grouped(each.other), each.pc,
               each.line == 0 ? "-" : fmt::format("{}", each.line), causes_of(each), each.text});
  }
  text += table.text();
  if (differences.pcs.size() > most) text += fmt::format("  ... {} more\n", differences.pcs.size() - most);
  return text;
}

std::string pair_text(const Results& results, const PairGroup& group, const CompareLimits& limits) {
  const RunPair& pair = group.pairs.front();
  std::string text = fmt::format("A  {}\nB  {}\n\n{}\n", name_of_run(results, pair.base, group.base),
                                 name_of_run(results, pair.other, group.other),
                                 keys_text(key_differences(results, pair.base, pair.other)));
  const auto fall = waterfall(results, pair.base, pair.other);
  if (!fall)
    text += "no cycles to compare: one of the runs has none\n";
  else if (!is_complete(results, pair))
    text += "cycles are not compared: one of the runs did not come to its end\n";
  else
    text += waterfall_text(*fall);
  text += "\n" + statistics_text(statistic_differences(results, pair.base, pair.other), limits.statistics);
  return text + pcs_text(pc_differences(results, pair.base, pair.other), limits.statistics);
}

/// What all pairs of a group differ in; of keys with several values the number of them.
std::string common_keys_text(const Results& results, const PairGroup& group) {
  const std::vector<KeyDifference> keys =
      key_differences(results, group.pairs.front().base, group.pairs.front().other);
  return keys_text(keys) + (group.pairs.size() > 1 ? "  (of the first pair)\n" : "");
}

std::string group_text(const Results& results, const PairGroup& group, const CompareLimits& limits) {
  std::string text =
      fmt::format("A  {}\nB  {}\n\n{}\n", group.base, group.other, common_keys_text(results, group));
  TextTable table(2, {{1, 2, 3}});
  table.row({"pair", "A cycles", "B cycles", "change"});
  for (std::size_t i = 0; i < std::min(limits.pairs, group.pairs.size()); ++i) {
    const RunPair& pair = group.pairs[i];
    const Run &base = results.runs()[pair.base], &other = results.runs()[pair.other];
    const auto cycles = [](const Run& run) {
      return run.complete() && run.cycles ? grouped(*run.cycles) : std::string(results::name_of(run.status));
    };
    std::string change = "-";
    if (is_complete(results, pair))
      change = change_text((static_cast<double>(*other.cycles) - static_cast<double>(*base.cycles)) /
                           static_cast<double>(*base.cycles));
    table.row({pair.program, cycles(base), cycles(other), change});
  }
  text += table.text();
  if (group.pairs.size() > limits.pairs)
    text += fmt::format("  ... {} more: --json, --csv\n", group.pairs.size() - limits.pairs);
  const GroupMeans means = means_of(results, group);
  text += fmt::format("{} pairs: {} faster, {} slower, {} equal", group.pairs.size(), means.faster,
                      means.slower, means.equal);
  if (means.incomplete != 0)
    text += fmt::format(", {} with a run that did not come to its end", means.incomplete);
  if (group.unmatched != 0) text += fmt::format("; {} runs have no partner", group.unmatched);
  text += "\n\n";
  TextTable ratios(2, {{1, 2}});
  ratios.row({"geometric mean of B / A", "ratio", "pairs"});
  for (const MeanRatio& each : means.ratios)
    ratios.row({each.statistic.name, fmt::format("{:.4f}", each.ratio), fmt::format("{}", each.pairs)});
  text += ratios.text();
  double base_cycles = 0;
  for (const RunPair& pair : group.pairs)
    if (is_complete(results, pair)) base_cycles += static_cast<double>(*results.runs()[pair.base].cycles);
  if (std::ranges::any_of(means.causes, [](const CauseDifference& each) { return each.cycles != 0; }))
    text += fmt::format(
        "\ncycles of all pairs: {:+}; by what issue slots were used for (the lines sum to it):\n{}",
        means.cycles, causes_text(means.causes, base_cycles, ""));
  return text;
}

}  // namespace

std::string compare_text(const Results& results, const std::vector<PairGroup>& groups,
                         const CompareLimits& limits) {
  std::string text;
  for (const PairGroup& group : groups)
    text += (text.empty() ? "" : "\n") + (group.pairs.size() == 1 ? pair_text(results, group, limits)
                                                                  : group_text(results, group, limits));
  return text;
}

}  // namespace heddle::cli
