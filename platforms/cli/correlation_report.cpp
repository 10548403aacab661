#include "cli/correlation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "cli/text_table.h"

namespace heddle::cli {
namespace {

using correlation::agreement_of;
using correlation::counters;
using correlation::CycleRange;
using correlation::cycles_counter;
using correlation::InstructionDifference;
using correlation::LaunchComparison;
using correlation::Means;
using correlation::means_of;
using correlation::Pair;

using Json = nlohmann::ordered_json;

std::string count_text(double value) {
  if (value != std::floor(value) || std::abs(value) > 1e15) return fmt::format("{:.4g}", value);
  std::string digits = fmt::format("{}", static_cast<std::int64_t>(value));
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (value < 0 ? 1 : 0); at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string count_text(const std::optional<double>& value) { return value ? count_text(*value) : "-"; }

std::string error_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string signed_error(const Pair& pair) {
  if (const auto error = pair.error()) return fmt::format("{:+.1f} %", 100 * *error);
  return pair.both() ? "new" : "-";  // the card has none
}

std::string launch_name(const LaunchComparison& launch) {
  return fmt::format("{} {} {} #{}", launch.workload, launch.size, launch.kernel, launch.launch_of_kernel);
}

std::string first_difference_text(const LaunchComparison& launch) {
  const auto first = launch.first_difference();
  if (!first) return "no counter differs";
  const Pair& pair = launch.values[*first];
  return fmt::format("{}: {}, model {} ({})", counters()[*first].name, count_text(pair.card),
                     count_text(pair.model), signed_error(pair));
}

std::string launch_table(const CorrelationResult& result) {
  TextTable table(2, {.right = {3, 4, 5, 6, 7, 8}});
  table.row({"workload", "size", "kernel", "launch", "card cycles", "model", "error", "warp instr.",
             "lane instr.", "first difference but cycles"});
  for (const LaunchComparison& launch : result.launches) {
    const Pair& cycles = launch.cycles();
    const auto first = launch.first_difference();
    table.row({launch.workload, launch.size, launch.kernel, std::to_string(launch.launch_of_kernel),
               count_text(cycles.card), count_text(cycles.model), signed_error(cycles),
               signed_error(launch.values[0]), signed_error(launch.values[1]),
               !launch.problem.empty() ? launch.problem
               : first ? fmt::format("{} {}", counters()[*first].name, signed_error(launch.values[*first]))
                       : ""});
  }
  return table.text();
}

struct Range {
  std::string name;
  CycleRange cycles;
};

std::vector<Range> ranges_of(const CorrelationResult& result) {
  const std::string limit = count_text(result.large_cycles);
  return {{"all launches", {}},
          {"of " + limit + " cycles and more", {result.large_cycles, 0}},
          {"of fewer than " + limit, {0, result.large_cycles}}};
}

std::string mean_table(const CorrelationResult& result) {
  TextTable table(2, {.right = {1, 2, 3, 4, 5, 6}});
  table.row(
      {"cycles", "launches", "workloads", "mean abs. error", "over workloads", "bias", "Pearson of logs"});
  for (const Range& range : ranges_of(result)) {
    const Means means = means_of(result.launches, cycles_counter(), range.cycles);
    if (means.launches == 0) continue;
    table.row({range.name, std::to_string(means.launches), std::to_string(means.workloads),
               error_text(means.absolute), error_text(means.by_workload),
               fmt::format("{:+.1f} %", 100 * means.bias),
               means.pearson ? fmt::format("{:.4f}", *means.pearson) : "-"});
  }
  return table.text();
}

std::string counter_table(const CorrelationResult& result) {
  TextTable table(2, {.right = {1, 2, 3, 4, 5}});
  table.row({"counter", "launches", "equal", "within tolerance", "mean abs. error", "bias", ""});
  for (std::size_t i = 0; i < counters().size(); ++i) {
    const correlation::Agreement agreement = agreement_of(result.launches, i);
    if (agreement.launches == 0) continue;
    const Means means = means_of(result.launches, i);
    table.row({counters()[i].name, std::to_string(agreement.launches), std::to_string(agreement.equal),
               std::to_string(agreement.within), error_text(means.absolute),
               fmt::format("{:+.1f} %", 100 * means.bias),
               counters()[i].comparable ? "" : "not the same thing"});
  }
  return table.text();
}

std::string worst_text(const CorrelationResult& result, std::size_t most) {
  TextTable table(2, {.right = {1}});
  for (const std::size_t i : correlation::worst(result.launches, most)) {
    const LaunchComparison& launch = result.launches[i];
    table.row({launch_name(launch), signed_error(launch.cycles()), first_difference_text(launch)});
  }
  return table.text();
}

std::string instruction_text(const CorrelationResult& result, std::size_t most) {
  std::string text;
  std::uint64_t launches = 0, same = 0;
  for (const LaunchComparison& launch : result.launches) {
    if (!launch.instructions_compared) continue;
    ++launches;
    same += launch.differences.empty();
  }
  if (launches == 0) return text;
  text += fmt::format("\ninstructions: {} of {} launches execute every instruction as often as the card\n",
                      same, launches);
  for (const LaunchComparison& launch : result.launches) {
    if (launch.differences.empty()) continue;
    text += fmt::format("  {}: {} of {} instructions differ\n", launch_name(launch),
                        launch.differences.size(), launch.instructions);
    TextTable table(4, {.right = {0, 2, 3, 4, 5}});
    table.row({"offset", "", "card warps", "model", "card lanes", "model"});
    std::size_t lines = 0;
    for (const InstructionDifference& each : launch.differences) {
      if (lines++ == most) break;
      table.row({fmt::format("0x{:04x}", each.offset), each.text, count_text(each.warps.card),
                 count_text(each.warps.model), count_text(each.lanes.card), count_text(each.lanes.model)});
    }
    text += table.text();
  }
  return text;
}

Json part_json(const Means& means) {
  Json json{{"launches", means.launches},
            {"workloads", means.workloads},
            {"mean_absolute_error", means.absolute},
            {"mean_absolute_error_over_workloads", means.by_workload},
            {"bias", means.bias}};
  if (means.pearson) json["pearson_of_logs"] = *means.pearson;
  return json;
}

Json part_json(const LaunchComparison& launch) {
  Json json{{"workload", launch.workload},
            {"size", launch.size},
            {"kernel", launch.kernel},
            {"launch_of_kernel", launch.launch_of_kernel}};
  if (!launch.problem.empty()) json["problem"] = launch.problem;
  if (const auto first = launch.first_difference()) json["first_difference"] = counters()[*first].name;
  Json& values = json["counters"] = Json::object();
  for (std::size_t i = 0; i < counters().size(); ++i) {
    const Pair& pair = launch.values[i];
    if (!pair.card && !pair.model) continue;
    Json& entry = values[counters()[i].name] = Json::object();
    if (pair.card) entry["card"] = *pair.card;
    if (pair.model) entry["model"] = *pair.model;
    if (const auto error = pair.error()) entry["error"] = *error;
  }
  if (!launch.instructions_compared) return json;
  Json& differences = json["instruction_differences"] = Json::array();
  for (const InstructionDifference& each : launch.differences)
    differences.push_back({{"offset", each.offset},
                           {"text", each.text},
                           {"card_warps", *each.warps.card},
                           {"model_warps", *each.warps.model},
                           {"card_lanes", *each.lanes.card},
                           {"model_lanes", *each.lanes.model}});
  return json;
}

/// As a field of a CSV file (RFC 4180).
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_number(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; }

}  // namespace

std::string correlation_text(const CorrelationResult& result, std::size_t most) {
  std::string text = fmt::format("{} ({}) against {}\n", result.platform, result.code,
                                 result.device.empty() ? "the card" : result.device);
  text += result.cold_caches ? "  caches are cold at each launch, on both\n"
                             : "  caches are as the launch before has left them\n";
  if (result.replayed)
    text += "  each launch has run before: its code and constants are where that left them\n";
  text +=
      result.add_cycles == 0
          ? "  the card's cycles contain what a launch costs; nothing is subtracted or added\n"
          : fmt::format("  {} cycles are added to each launch of the model\n", count_text(result.add_cycles));
  text += "\n" + launch_table(result) + "\n" + mean_table(result) + "\n" + counter_table(result);
  const std::string worst_ones = worst_text(result, most);
  if (!worst_ones.empty()) text += "\nthe worst launches, and the first counter that differs\n" + worst_ones;
  text += instruction_text(result, most);
  for (const std::string& note : result.notes) text += "\nnote: " + note;
  if (!result.notes.empty()) text += "\n";
  return text;
}

Json correlation_json(const CorrelationResult& result) {
  Json json{
      {"device", result.device},         {"platform", result.platform},        {"code", result.code},
      {"settings", result.settings},     {"cold_caches", result.cold_caches},  {"replayed", result.replayed},
      {"add_cycles", result.add_cycles}, {"large_cycles", result.large_cycles}};
  const auto ranges = ranges_of(result);
  const char* const names[] = {"all", "large", "small"};
  for (std::size_t i = 0; i < ranges.size(); ++i)
    json["cycles"][names[i]] = part_json(means_of(result.launches, cycles_counter(), ranges[i].cycles));
  for (std::size_t i = 0; i < counters().size(); ++i) {
    const correlation::Counter& counter = counters()[i];
    const correlation::Agreement agreement = agreement_of(result.launches, i);
    if (agreement.launches == 0) continue;
    Json& entry = json["counters"][counter.name];
    entry = {{"unit", counter.unit},
             {"card", counter.card},
             {"model", counter.model},
             {"comparable", counter.comparable},
             {"launches", agreement.launches},
             {"equal", agreement.equal},
             {"within_tolerance", agreement.within}};
    const Means means = means_of(result.launches, i);
    entry["mean_absolute_error"] = means.absolute;
    entry["bias"] = means.bias;
  }
  json["launches"] = Json::array();
  for (const LaunchComparison& launch : result.launches) json["launches"].push_back(part_json(launch));
  json["notes"] = result.notes;
  return json;
}

std::string correlation_csv(const CorrelationResult& result) {
  std::string text = "workload,size,kernel,launch_of_kernel,counter,unit,card,model,error,problem\n";
  for (const LaunchComparison& launch : result.launches)
    for (std::size_t i = 0; i < counters().size(); ++i) {
      const Pair& pair = launch.values[i];
      if (!pair.card && !pair.model) continue;
      text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", csv_field(launch.workload),
                          csv_field(launch.size), csv_field(launch.kernel), launch.launch_of_kernel,
                          counters()[i].name, counters()[i].unit, csv_number(pair.card),
                          csv_number(pair.model), csv_number(pair.error()), csv_field(launch.problem));
    }
  return text;
}

}  // namespace heddle::cli
