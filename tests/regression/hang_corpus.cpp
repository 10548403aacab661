#include "hang_corpus.h"

#include <algorithm>
#include <fstream>

#include "depth.h"

namespace heddle::testing {

using Json = nlohmann::ordered_json;

std::string hangs_folder() { return std::string(HEDDLE_SOURCE_DIR) + "/tests/data/hangs/"; }

const Json& hang_corpus() {
  static const Json table = [] {
    std::ifstream file(hangs_folder() + "corpus.json");
    return Json::parse(file);
  }();
  return table;
}

std::vector<HangMachine> machines_of(const Json& one, std::size_t index, const std::string& compiler) {
  std::vector<HangMachine> machines;
  const Json names = one.value("machines", Json::array());
  for (const auto& [name, assignments] : hang_corpus().at("machines").items())
    if (names.empty() || std::find(names.begin(), names.end(), name) != names.end())
      machines.push_back({name, "watchdog.check_cycles=64"});
  machines.push_back({"stack", "watchdog.check_cycles=2048"});
  const bool alike =
      !one.contains("compilers") && !one.contains("expect_nvcc") && !one.contains("expect_clang");
  if (!alike) return machines;
  const std::vector<std::size_t> halves = depth::turns(index + (compiler == "nvcc" ? 0 : 1), 2);
  std::vector<HangMachine> own;
  for (std::size_t i = 0; i < machines.size(); ++i)
    if (std::ranges::count(halves, i % 2) != 0) own.push_back(machines[i]);
  return own;
}

std::vector<std::string> assignments_of(const Json& one, const HangMachine& machine) {
  std::vector<std::string> all{machine.watchdog};
  const auto add = [&](const Json& more) { all.insert(all.end(), more.begin(), more.end()); };
  add(hang_corpus().at("machines").at(machine.name));
  if (one.contains("barrier_counts"))
    add(hang_corpus().at("barrier_counts").at(one.at("barrier_counts").get<std::string>()));
  if (one.contains("settings")) add(one.at("settings"));
  return all;
}

std::vector<std::string> accepted(const Json& one, const std::string& compiler, const HangMachine& machine) {
  const Json& general = one.at("expect");
  Json what = general.value(machine.name, general.at("all"));
  if (const auto other = one.find("expect_" + compiler); other != one.end())
    what = other->value(machine.name, what);
  std::vector<std::string> all;
  for (const Json& word : what.is_array() ? what : Json::array({what}))
    all.push_back(word == kFinishes
                      ? kFinishes
                      : hang_corpus().at("classes").at(word.get<std::string>()).get<std::string>());
  return all;
}

bool finishes_by_itself(const Json& one) {
  if (one.contains("oracle")) return one.at("oracle") == kFinishes;
  const Json& all = one.at("expect").at("all");
  const std::string most = all.is_array() ? all.front() : all;
  return most == kFinishes || most == "simt" || most == "cta" || most == "starvation";
}

bool names_one_of(const std::vector<std::string>& classes, const std::string& diagnosis,
                  const std::string& kernel) {
  const std::string first = diagnosis.substr(0, diagnosis.find('\n'));
  if (!first.starts_with("kernel " + kernel)) return false;
  return std::any_of(classes.begin(), classes.end(), [&](const std::string& name) {
    return first.find(" hangs: " + name) != std::string::npos;
  });
}

}  // namespace heddle::testing
