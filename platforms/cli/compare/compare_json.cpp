// heddle compare as JSON and CSV.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/compare/compare_means.h"
#include "cli/compare/compare_report.h"
#include "cli/compare/pc_difference.h"
#include "cli/compare/run_difference.h"
#include "cli/sweep/sweep_table.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;
using results::Results;
using results::Run;

Json run_json(const Run& run) {
  Json json;
  for (const results::Parameter& each : run.parameters) json["parameters"][each.name] = each.value;
  json["status"] = results::name_of(run.status);
  if (run.cycles) json["cycles"] = *run.cycles;
  json["configuration"] = run.configuration;
  json["heddle"] = run.heddle;
  if (!run.diagnosis.empty()) json["diagnosis"] = run.diagnosis;
  return json;
}

Json causes_json(const std::vector<CauseDifference>& causes) {
  Json json = Json::array();
  for (const CauseDifference& each : causes)
    json.push_back({{"cause", each.cause},
                    {"a_slots", each.base_slots},
                    {"b_slots", each.other_slots},
                    {"cycles", each.cycles}});
  return json;
}

Json pair_json(const Results& results, const RunPair& pair) {
  Json json{{"pair", pair.program},
            {"a", run_json(results.runs()[pair.base])},
            {"b", run_json(results.runs()[pair.other])}};
  json["differs"] = Json::array();
  for (const KeyDifference& each : key_differences(results, pair.base, pair.other))
    json["differs"].push_back({{"key", each.key}, {"a", each.base}, {"b", each.other}});
  if (const auto fall = waterfall(results, pair.base, pair.other); fall && is_complete(results, pair))
    json["cycles"] = {{"a", fall->base_cycles},
                      {"b", fall->other_cycles},
                      {"a_slots_per_cycle", fall->base_slots_per_cycle},
                      {"b_slots_per_cycle", fall->other_slots_per_cycle},
                      {"by_cause", causes_json(fall->causes)}};
  json["statistics"] = Json::array();
  for (const StatisticDifference& each : statistic_differences(results, pair.base, pair.other)) {
    Json entry{
        {"name", each.statistic.name}, {"unit", each.statistic.unit}, {"a", each.base}, {"b", each.other}};
    entry["relative"] = each.relative() ? Json(*each.relative()) : Json(nullptr);
    entry["significance"] = each.significance;
    json["statistics"].push_back(std::move(entry));
  }
  const PcDifferences pcs = pc_differences(results, pair.base, pair.other);
  json["instructions"] = Json::array();
  for (const PcDifference& each : pcs.pcs)
    json["instructions"].push_back({{"kernel", each.kernel},
                                    {"pc", each.pc},
                                    {"line", each.line},
                                    {"text", each.text},
                                    {"a", each.base},
                                    {"b", each.other},
                                    {"by_cause", each.by_cause}});
  if (!pcs.problem.empty()) json["no_instructions"] = pcs.problem;
  return json;
}

}  // namespace

Json compare_json(const Results& results, const std::vector<PairGroup>& groups) {
  Json json{{"heddle", HEDDLE_VERSION}, {"groups", Json::array()}};
  for (const PairGroup& group : groups) {
    Json entry{
        {"a", group.base}, {"b", group.other}, {"unmatched", group.unmatched}, {"pairs", Json::array()}};
    for (const RunPair& pair : group.pairs) entry["pairs"].push_back(pair_json(results, pair));
    const GroupMeans means = means_of(results, group);
    Json& mean = entry["means"];
    mean = {{"pairs", group.pairs.size()}, {"faster", means.faster},         {"slower", means.slower},
            {"equal", means.equal},        {"incomplete", means.incomplete}, {"cycles", means.cycles}};
    for (const MeanRatio& each : means.ratios)
      mean["geometric"].push_back(
          {{"name", each.statistic.name}, {"ratio", each.ratio}, {"pairs", each.pairs}});
    mean["by_cause"] = causes_json(means.causes);
    json["groups"].push_back(std::move(entry));
  }
  return json;
}

std::string compare_csv(const Results& results, const std::vector<PairGroup>& groups) {
  std::string text = "a,b,pair,statistic,unit,a_value,b_value,difference,relative,significance\n";
  for (const PairGroup& group : groups)
    for (const RunPair& pair : group.pairs)
      for (const StatisticDifference& each : statistic_differences(results, pair.base, pair.other)) {
        if (each.difference() == 0) continue;
        text += fmt::format("{},{},{},{},{},{},{},{},{},{:.6f}\n", csv_cell(group.base),
                            csv_cell(group.other), csv_cell(pair.program), csv_cell(each.statistic.name),
                            csv_cell(each.statistic.unit), each.base, each.other, each.difference(),
                            each.relative() ? fmt::format("{}", *each.relative()) : "", each.significance);
      }
  return text;
}

}  // namespace heddle::cli
