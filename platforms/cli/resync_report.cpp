#include "cli/resync_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/text_table.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;
using resync::ReplayStatistics;

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

template <class List>
std::uint64_t sum(const List& list) {
  std::uint64_t total = 0;
  for (const std::uint64_t value : list) total += value;
  return total;
}

std::string details_of(const ResyncRow& row) {
  const ReplayStatistics& s = row.statistics;
  std::string text = fmt::format("\n{}\n", row.policy);
  TextTable table(2, {.right = {0, 1, 2, 3, 4, 5, 6}});
  table.row({"active", "fetches", "% of fetches", "identical %", "uniform %", "affine %", "scattered %"});
  for (std::size_t k = 1; k < s.active.size(); ++k) {
    if (s.active[k] == 0) continue;
    const std::uint64_t accesses = sum(s.patterns[k]);
    const auto share = [&](std::size_t i) {
      return accesses == 0 ? std::string("-") : fmt::format("{:.1f}", percent(s.patterns[k][i], accesses));
    };
    table.row({std::to_string(k), std::to_string(s.active[k]),
               fmt::format("{:.1f}", percent(s.active[k], s.fetches)),
               fmt::format("{:.1f}", percent(s.identical[k], s.active[k])), share(0), share(1), share(2)});
  }
  text += table.text();
  TextTable distances(2, {.right = {1, 2}});
  distances.row({"log2 of the distance", "affine strides", "scattered intervals"});
  for (std::size_t i = 0; i < resync::kDistanceClasses; ++i) {
    std::uint64_t strides = 0, intervals = 0;
    for (std::size_t k = 1; k < s.active.size(); ++k) {
      strides += s.strides[k][i];
      intervals += s.intervals[k][i];
    }
    distances.row({resync::kDistanceClassNames[i], std::to_string(strides), std::to_string(intervals)});
  }
  return text + distances.text();
}

}  // namespace

std::string resync_text(const ResyncResult& result, bool details) {
  std::string text;
  if (!result.rows.empty())
    text += fmt::format("{} sets, up to {} threads, {} instructions\n", result.sets,
                        result.rows[0].statistics.threads, result.rows[0].statistics.instructions);
  TextTable table(0, {.right = {1, 2, 3, 4, 5, 6}});
  table.row({"policy", "fetches", "cycles", "DLP", "TLP", "throughput", "M instr./s"});
  for (const ResyncRow& row : result.rows) {
    const ReplayStatistics& s = row.statistics;
    table.row(
        {row.policy, std::to_string(s.fetches), std::to_string(s.cycles), fmt::format("{:.3f}", s.dlp()),
         fmt::format("{:.3f}", s.tlp()), fmt::format("{:.3f}", s.throughput()),
         row.seconds == 0 ? "-"
                          : fmt::format("{:.1f}", static_cast<double>(s.instructions) / row.seconds / 1e6)});
  }
  if (result.optimum) table.row({"optimum", std::to_string(*result.optimum)});
  text += table.text();
  if (details)
    for (const ResyncRow& row : result.rows) text += details_of(row);
  return text;
}

Json resync_json(const ResyncResult& result) {
  Json json;
  json["traces"] = result.traces;
  json["sets"] = result.sets;
  if (result.optimum) json["optimum"] = *result.optimum;
  for (const ResyncRow& row : result.rows) {
    const ReplayStatistics& s = row.statistics;
    Json entry = {{"policy", row.policy}, {"threads", s.threads},        {"instructions", s.instructions},
                  {"fetches", s.fetches}, {"cycles", s.cycles},          {"dlp", s.dlp()},
                  {"tlp", s.tlp()},       {"throughput", s.throughput()}};
    for (std::size_t k = 1; k < s.active.size(); ++k) {
      if (s.active[k] == 0) continue;
      entry["active"].push_back({{"threads", k},
                                 {"fetches", s.active[k]},
                                 {"execute_identical", s.identical[k]},
                                 {"uniform", s.patterns[k][0]},
                                 {"affine", s.patterns[k][1]},
                                 {"scattered", s.patterns[k][2]},
                                 {"affine_strides", s.strides[k]},
                                 {"scattered_intervals", s.intervals[k]}});
    }
    json["policies"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace heddle::cli
