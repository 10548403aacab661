#include "results/run_statistics.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>

namespace heddle::results {
namespace {

using Json = nlohmann::ordered_json;

/// What the run's summary says, besides counts that need no words.
struct Meaning {
  const char* name;
  const char* unit;
  const char* description;
};
constexpr Meaning kTotals[] = {
    {"total.launches", "launches", "kernels launched"},
    {"total.cycles", "core cycles", "from launch to completion, of all launches"},
    {"total.warp_instructions", "instructions", "warp instructions issued"},
    {"total.thread_instructions", "instructions", "active lanes of the warp instructions issued"},
    {"total.ipc", "warp instructions/cycle", "of the whole GPU"},
    {"total.simd_efficiency", "", "active lanes per warp instruction, of 32"},
    {"total.busy_core_cycles", "core cycles", "in which a core was not parked, of all cores"},
    {"total.issue_slots.all", "slots", "issue slots of all cores"},
    {"total.issue_slots.by_cause", "slots", "issue slots by what became of them"},
    {"total.l1d.load_accesses", "accesses", "line look-ups of loads in L1D"},
    {"total.l1d.load_hits", "accesses", "of them, hits"},
    {"total.l1d.rate", "", "hits of the look-ups in L1D"},
    {"total.l2.accesses", "accesses", "requests to L2"},
    {"total.l2.hits", "accesses", "of them, hits"},
    {"total.l2.rate", "", "hits of the requests to L2"},
    {"total.dram.read_bytes", "bytes", "read from DRAM"},
    {"total.dram.write_bytes", "bytes", "written to DRAM"},
    {"total.dram.gigabytes_per_second", "GB/s", "read and written"},
    {"total.dram.row_accesses", "accesses", "requests to DRAM banks"},
    {"total.dram.row_hits", "accesses", "of them, to the open row"},
    {"total.dram.row_hit_rate", "", "hits of open rows"},
    {"total.energy.dynamic_femtojoules", "fJ", "dynamic energy, for ratios only"},
    {"total.energy.by_class", "fJ", "dynamic energy by class of event"},
};

/// "core0" beside "core1" is "core", as in the dictionary (base/stats_report.cpp); "l2" without an "l0" beside it stays.
std::string common_name(const std::string& name, const Json& siblings) {
  const auto last = name.find_last_not_of("0123456789");
  if (last == std::string::npos || last + 1 == name.size()) return name;
  std::string stem = name.substr(0, last + 1);
  const auto first = siblings.find(stem + "0");
  return first != siblings.end() && first->is_object() ? stem : name;
}

class Collector {
 public:
  explicit Collector(const Json& dictionary) : dictionary_(dictionary) {}

  void add_total(const Json& tree, const std::string& path) {
    for (const auto& [name, value] : tree.items()) {
      const std::string below = path + "." + name;
      if (value.is_object())
        add_total(value, below);
      else if (value.is_number())
        put(below, value.get<double>());
    }
  }
  /// Of a kernel. "core3.l1d.hits" has the name "core.l1d.hits".
  void add_statistics(const Json& tree, const std::string& above = {}) {
    for (const auto& [key, value] : tree.items()) {
      if (value.is_object())
        add_statistics(value, above + common_name(key, tree) + ".");
      else if (value.is_number_integer())  // rates are not, and cannot be summed
        put(above + key, value.get<double>());
    }
  }
  RunStatistics take() { return std::move(result_); }

 private:
  void put(const std::string& name, double value) {
    const auto [at, is_new] = index_.emplace(name, result_.values.size());
    if (is_new) {
      result_.statistics.push_back(meaning_of(name, dictionary_));
      result_.values.push_back(value);
      return;
    }
    double& sum = result_.values[at->second];
    sum = is_maximum(name) ? std::max(sum, value) : sum + value;
  }
  const Json& dictionary_;
  RunStatistics result_;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace

/// Of the name itself, or of that without its label.
Statistic meaning_of(const std::string& name, const Json& dictionary) {
  for (const std::string& known : {name, name.substr(0, name.rfind('.'))}) {
    for (const Meaning& total : kTotals)
      if (total.name == known) return {name, total.unit, total.description};
    if (const auto entry = dictionary.find(known); entry != dictionary.end())
      return {name, entry->value("unit", ""), entry->value("description", "")};
  }
  return {name, "", ""};
}

bool is_maximum(std::string_view path) {
  const auto dot = path.rfind('.');
  const std::string_view name = dot == std::string_view::npos ? path : path.substr(dot + 1);
  return name.starts_with("max_") || name.starts_with("most");
}

RunStatistics statistics_of(const Json& stats) {
  Collector collector(stats.at("dictionary"));
  collector.add_total(stats.at("total"), "total");
  for (const Json& kernel : stats.at("kernels")) collector.add_statistics(kernel.at("statistics"));
  return collector.take();
}

}  // namespace heddle::results
