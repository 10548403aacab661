#include "report/run_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "report/metrics.h"

namespace heddle::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Counts are exact; of what is computed a page shows four digits, and seven are kept: a third of the size.
Json column(const std::vector<double>& values) {
  Json array = Json::array();
  for (const double value : values) {
    if (!std::isfinite(value))
      array.push_back(nullptr);
    else if (std::nearbyint(value) == value && std::abs(value) < 9e15)
      array.push_back(static_cast<std::int64_t>(value));
    else {
      const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 6);
      array.push_back(unit < 1 ? std::round(value / unit) / std::round(1 / unit)
                               : std::round(value / unit) * unit);
    }
  }
  return array;
}

Json json_of(const Metric& metric, const std::vector<double>& values) {
  return {{"key", metric.key},
          {"label", metric.label},
          {"unit", metric.unit},
          {"description", metric.description},
          {"better", static_cast<int>(metric.better)},
          {"first", metric.shown.first},
          {"axis", metric.shown.axis},
          {"hidden", metric.shown.hidden},
          {"values", column(values)}};
}

/// Not of statistics, but of the machine and of the host.
Json area_json(std::size_t runs, const Machines& machines) {
  std::vector<double> values(runs, kNone);
  for (std::size_t run = 0; run < runs; ++run)
    if (const auto machine = machines.of(run))
      values[run] = machines.blocks(*machine).gate_equivalents(machines.sheets()).value_or(kNone);
  return json_of({.key = "area_ge",
                  .label = "Area of control blocks",
                  .unit = "GE",
                  .description = "gate equivalents (NAND2X1) of a core's blocks that exist in RTL, at the "
                                 "nearest points of their synthesis sheets, with the contexts of one warp.",
                  .better = Better::kLess,
                  .shown = {.first = true, .axis = true, .hidden = false},
                  .statistics = {}},
                 values);
}

/// Configurations may differ in keys that a page does not look at.
std::string identity(const Machine& machine, const BlocksInUse& blocks) {
  std::string text = machine_json(machine).dump() + Json(blocks.without_rtl).dump();
  text += fmt::format(" {} {} {} {} {}", machine.interconnect_mhz, machine.l2_mhz, machine.l2_banks,
                      machine.register_ports, machine.response_links);
  for (const BlockUse& use : blocks.uses)
    text += fmt::format(" {} {} {} {}", use.block, use.point, use.instances, use.note);
  return text;
}

Json host_json(const results::Results& results) {
  std::vector<double> seconds, speed;
  const std::vector<double> instructions = results.values("total.warp_instructions");
  for (std::size_t run = 0; run < results.runs().size(); ++run) {
    const double time = results.runs()[run].seconds;
    seconds.push_back(time > 0 ? time : kNone);
    speed.push_back(time > 0 ? instructions[run] / time / 1e6 : kNone);
  }
  return {json_of({.key = "host_seconds",
                   .label = "Host time",
                   .unit = "s",
                   .description = "host time of the run",
                   .statistics = {}},
                  seconds),
          json_of({.key = "host_speed",
                   .label = "Host speed",
                   .unit = "M instr./s",
                   .description = "warp instructions simulated per second of host time, in millions",
                   .statistics = {}},
                  speed)};
}

}  // namespace

Machines::Machines(const results::Results& results, const std::map<std::string, Sheet>& sheets)
    : sheets_(sheets) {
  std::unordered_map<std::string, std::optional<std::size_t>> known;  // by digest
  std::unordered_map<std::string, std::size_t> different;
  for (std::size_t run = 0; run < results.runs().size(); ++run) {
    const results::Run& each = results.runs()[run];
    if (const auto found = known.find(each.configuration);
        !each.configuration.empty() && found != known.end()) {
      of_run_.push_back(found->second);
      continue;
    }
    std::unordered_map<std::string, std::string> keys;
    for (results::Parameter& key : results.configuration(run))
      keys.emplace(std::move(key.name), std::move(key.value));
    std::optional<std::size_t> machine;
    if (!keys.empty()) {
      const ConfigValue value = [&](const std::string& key) {
        const auto found = keys.find(key);
        return found == keys.end() ? nullptr : &found->second;
      };
      Machine made = machine_of(value, each.folder);
      BlocksInUse blocks = blocks_in_use(value, sheets);
      const auto [at, is_new] = different.emplace(identity(made, blocks), machines_.size());
      machine = at->second;
      if (is_new) {
        machines_.push_back(std::move(made));
        blocks_.push_back(std::move(blocks));
      }
    }
    of_run_.push_back(machine);
    if (!each.configuration.empty()) known.emplace(each.configuration, machine);
  }
}

Json text_column(const std::vector<const std::string*>& by_run) {
  std::unordered_map<std::string, int> numbers;
  Json texts = Json::array(), index = Json::array();
  for (const std::string* text : by_run) {
    if (text == nullptr) {
      index.push_back(-1);
      continue;
    }
    const auto [at, is_new] = numbers.emplace(*text, static_cast<int>(numbers.size()));
    if (is_new) texts.push_back(*text);
    index.push_back(at->second);
  }
  return {{"texts", texts}, {"index", index}};
}

Json parameters_json(const results::Results& results, const DescribeKey& describe) {
  Json parameters = Json::array();
  for (const std::string& name : results.differing()) {
    std::vector<const std::string*> by_run;
    for (const results::Run& run : results.runs()) by_run.push_back(run.parameter(name));
    const KeyMeaning meaning = describe ? describe(name) : KeyMeaning{};
    Json parameter = {{"key", name}, {"unit", meaning.unit}, {"description", meaning.description}};
    parameter.update(text_column(by_run));
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

Json common_json(const results::Results& results) {
  const std::vector<std::string> differing = results.differing();
  const std::set<std::string> differ(differing.begin(), differing.end());
  Json common = Json::array();
  if (results.runs().empty()) return common;
  for (const std::string& name : results.parameters())
    if (const std::string* value = results.runs()[0].parameter(name);
        value != nullptr && !differ.contains(name))
      common.push_back({{"key", name}, {"text", *value}});
  return common;
}

Json metrics_json(const results::Results& results, const Machines& machines) {
  std::vector<std::string> names;
  for (const Metric& metric : metrics())
    for (const std::string& name : metric.statistics)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  const std::vector<std::vector<double>> table = results.table(names);
  const std::size_t runs = results.runs().size();
  Json json = Json::array();
  const Machine unknown;
  for (const Metric& metric : metrics()) {
    std::vector<const std::vector<double>*> columns;
    for (const std::string& name : metric.statistics)
      columns.push_back(&table[static_cast<std::size_t>(std::ranges::find(names, name) - names.begin())]);
    std::vector<double> values(runs, kNone), arguments(columns.size());
    for (std::size_t run = 0; run < runs; ++run) {
      const auto machine = machines.of(run);
      if (metric.needs_machine && !machine) continue;
      for (std::size_t i = 0; i < columns.size(); ++i) arguments[i] = (*columns[i])[run];
      values[run] = metric.compute(arguments, machine ? machines.all()[*machine] : unknown);
    }
    json.push_back(json_of(metric, values));
    if (metric.key == "energy_uj") json.push_back(area_json(runs, machines));
  }
  for (Json& host : host_json(results)) json.push_back(std::move(host));
  return json;
}

namespace {

/// The statistics whose name begins with `prefix`, but for those that are 0 in all runs.
Json labelled_json(const results::Results& results, const std::string& prefix) {
  std::vector<std::string> names;
  for (const results::Statistic& statistic : results.statistics())
    if (statistic.name.starts_with(prefix)) names.push_back(statistic.name);
  Json causes = Json::array(), values = Json::array();
  const std::vector<std::vector<double>> table = results.table(names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::ranges::none_of(table[i], [](double slots) { return slots > 0; })) continue;
    causes.push_back(names[i].substr(prefix.size()));
    values.push_back(column(table[i]));
  }
  return {{"causes", causes}, {"values", values}};
}

}  // namespace

Json slots_json(const results::Results& results) {
  return labelled_json(results, "total.issue_slots.by_cause.");
}

Json occupancy_limits_json(const results::Results& results) {
  return labelled_json(results, "core.occupancy.limited_by.");
}

Json blocks_json(const Machines& machines) {
  std::vector<std::string> used;
  for (std::size_t machine = 0; machine < machines.all().size(); ++machine)
    for (const BlockUse& use : machines.blocks(machine).uses)
      if (std::ranges::find(used, use.block) == used.end()) used.push_back(use.block);
  Json sheets = Json::array();
  for (const std::string& block : used) {
    const Sheet& sheet = machines.sheets().at(block);
    Json points = Json::array();
    for (const SheetPoint& point : sheet.points)
      points.push_back({{"name", point.name},
                        {"ge", point.gate_equivalents},
                        {"state_ge", point.state_gate_equivalents},
                        {"bits_per_warp", point.bits_per_warp ? Json(*point.bits_per_warp) : Json(nullptr)},
                        {"period_ns", point.shortest_period_ns}});
    sheets.push_back({{"block", block}, {"process", sheet.process}, {"points", points}});
  }
  Json by_machine = Json::array();
  for (std::size_t machine = 0; machine < machines.all().size(); ++machine) {
    const BlocksInUse& blocks = machines.blocks(machine);
    Json uses = Json::array();
    for (const BlockUse& use : blocks.uses)
      uses.push_back(
          {{"block", use.block}, {"point", use.point}, {"instances", use.instances}, {"note", use.note}});
    by_machine.push_back({{"uses", uses}, {"without_rtl", blocks.without_rtl}});
  }
  return {{"sheets", sheets}, {"machines", by_machine}};
}

}  // namespace heddle::report
