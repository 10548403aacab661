#include "report/block_area.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace heddle::report {
namespace {

/// A parameter that a point must have, and how far from it a point may be.
struct Wanted {
  std::string parameter;
  double value = 0;
  bool exact = false;  ///< another value is another circuit: no point with it is taken
};

/// Steps of size count by their ratio: 6 entries are as far from 3 as from 12.
double distance(double a, double b) { return std::abs(std::log2((a + 1) / (b + 1))); }

std::string difference(const SheetPoint& point, const std::vector<Wanted>& wanted) {
  std::string text;
  for (const Wanted& want : wanted) {
    const auto has = point.parameters.find(want.parameter);
    if (has == point.parameters.end() || has->second == want.value) continue;
    text += fmt::format("{}{} {:g} instead of {:g}", text.empty() ? "" : ", ", want.parameter, has->second,
                        want.value);
  }
  return text;
}

class Selection {
 public:
  Selection(const ConfigValue& value, const std::map<std::string, Sheet>& sheets)
      : value_(value), sheets_(sheets) {}

  [[nodiscard]] std::string text(const std::string& key) const {
    const std::string* value = value_(key);
    return value == nullptr ? std::string() : *value;
  }
  [[nodiscard]] double number(const std::string& key, double otherwise) const {
    const std::string* value = value_(key);
    if (value == nullptr) return otherwise;
    char* end = nullptr;
    const double number = std::strtod(value->c_str(), &end);
    return end == value->c_str() ? otherwise : number;
  }

  void use(const std::string& block, const std::vector<Wanted>& wanted, unsigned instances = 1) {
    const auto sheet = sheets_.find(block);
    std::optional<std::size_t> best;
    double best_distance = 0;
    for (std::size_t i = 0; sheet != sheets_.end() && i < sheet->second.points.size(); ++i) {
      const auto& parameters = sheet->second.points[i].parameters;
      double away = 0;
      for (const Wanted& want : wanted) {
        const auto has = parameters.find(want.parameter);
        if (has == parameters.end()) continue;
        if (want.exact && has->second != want.value) away = INFINITY;
        away += distance(has->second, want.value);
      }
      if (std::isfinite(away) && (!best || away < best_distance)) {
        best = i;
        best_distance = away;
      }
    }
    if (best)
      found_.uses.push_back({block, *best, instances, difference(sheet->second.points[*best], wanted)});
    else
      found_.without_rtl.push_back(block);
  }
  void without_rtl(const std::string& what) { found_.without_rtl.push_back(what); }
  [[nodiscard]] BlocksInUse found() && { return std::move(found_); }

 private:
  const ConfigValue& value_;
  const std::map<std::string, Sheet>& sheets_;
  BlocksInUse found_;
};

void add_mechanism(Selection& machine) {
  const std::string mechanism = machine.text("core.control_flow.mechanism");
  const Wanted one_warp{"Warps", 1, true};
  const double timers = machine.number("core.control_flow.timeout.cycles", 0) > 0 ? 1 : 0;
  if (mechanism == "simt_stack") {
    machine.use(
        "simt_stack",
        {one_warp, {"Depth", 32}, {"Frames", 1, true}});  // of the model: any depth; [AWARE] Tab 5.2 has 32
  } else if (mechanism == "aware") {
    machine.use("split_table", {one_warp,
                                {"Physical", machine.number("core.control_flow.aware.st_entries", 32)},
                                {"Match", 0, true},
                                {"Calls", timers, true}});
    machine.use("reconvergence_table",
                {one_warp,
                 {"Physical", machine.number("core.control_flow.aware.rt_entries", 32)},
                 {"Timers", timers, true},
                 {"Calls", timers, true}});
    machine.use("split_fifo", {one_warp, {"Entries", 32}});
  } else if (mechanism == "multi_path") {
    const bool merges = machine.text("core.control_flow.multi_path.opportunistic_reconvergence") == "true";
    const double paths = machine.number("core.control_flow.multi_path.paths", 32);
    machine.use("split_table", {one_warp,
                                {"Physical", paths},
                                {"Match", merges ? 1.0 : 0.0, true},
                                {"Calls", merges ? 1.0 : 0.0, true}});
    machine.use("reconvergence_table",
                {one_warp, {"Physical", 32}, {"Timers", timers, true}, {"Calls", timers, true}});
  } else {
    machine.without_rtl("mechanism " + mechanism);
  }
}

void add_scheduler(Selection& machine) {
  const std::string policy = machine.text("core.scheduler.policy");
  const double schedulers = machine.number("core.scheduler.count", 1);
  const double warps = std::ceil(machine.number("core.occupancy.max_warps", 48) / schedulers);
  if (policy == "lrr" || policy == "gto")
    machine.use("warp_scheduler", {{"Warps", warps}, {"Gto", policy == "gto" ? 1.0 : 0.0, true}},
                static_cast<unsigned>(schedulers));
  else
    machine.without_rtl("scheduling policy " + policy);
}

}  // namespace

BlocksInUse blocks_in_use(const ConfigValue& value, const std::map<std::string, Sheet>& sheets) {
  Selection machine(value, sheets);
  add_mechanism(machine);
  const std::string kind = machine.text("core.scoreboard.kind");
  if (kind == "per_warp" || kind == "per_thread_mask")
    machine.use("scoreboard", {{"Warps", 1, true},
                               {"Entries", machine.number("core.scoreboard.entries_per_warp", 8)},
                               {"Masks", kind == "per_warp" ? 0.0 : 1.0, true}});
  else
    machine.without_rtl("scoreboard " + kind);
  add_scheduler(machine);
  if (machine.text("core.spin.source") == "ddos")
    machine.use("sib_table", {{"Entries", machine.number("core.spin.ddos.table_entries", 16)},
                              {"Threshold", machine.number("core.spin.ddos.threshold", 4)},
                              {"Requesters", machine.number("core.scheduler.count", 1)}});
  return std::move(machine).found();
}

std::optional<double> BlocksInUse::gate_equivalents(const std::map<std::string, Sheet>& sheets) const {
  if (!without_rtl.empty()) return std::nullopt;
  double sum = 0;
  for (const BlockUse& use : uses)
    sum += use.instances * sheets.at(use.block).points.at(use.point).gate_equivalents;
  return sum;
}

}  // namespace heddle::report
