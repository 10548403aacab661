#include "report/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace heddle::report {
namespace {

class Keys {
 public:
  Keys(const ConfigValue& value, const std::string& place) : value_(value), place_(place) {}
  [[nodiscard]] const std::string& text(const std::string& key) const {
    const std::string* value = value_(key);
    if (value == nullptr)
      throw base::InputError(place_, "config.yaml has no " + key,
                             "The run is of another version of Heddle: run it again.");
    return *value;
  }
  [[nodiscard]] double number(const std::string& key) const {
    const std::string& value = text(key);
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size())
      throw base::InputError(place_, fmt::format("{} in config.yaml is '{}', not a number", key, value));
    return number;
  }

 private:
  const ConfigValue& value_;
  const std::string& place_;
};

}  // namespace

Machine machine_of(const ConfigValue& value, const std::string& place) {
  const Keys keys(value, place);
  Machine machine;
  machine.name = keys.text("name");
  machine.cores = keys.number("cores");
  machine.schedulers = keys.number("core.scheduler.count");
  machine.max_warps = keys.number("core.occupancy.max_warps");
  machine.partitions = keys.number("memory.partitions");
  machine.core_mhz = keys.number("clocks.core_mhz");
  machine.interconnect_mhz = keys.number("clocks.interconnect_mhz");
  machine.l2_mhz = keys.number("clocks.l2_mhz");
  machine.dram_mhz = keys.number("clocks.dram_mhz");
  machine.dram_bytes_per_dram_cycle = keys.number("memory.dram.bytes_per_cycle");
  machine.l2_banks = keys.number("memory.l2.banks");
  machine.register_ports =
      keys.number("core.register_file.banks") * keys.number("core.register_file.ports_per_bank");
  machine.response_links = machine.cores / std::max(1.0, keys.number("memory.crossbar.cluster_cores"));
  machine.l1d = keys.text("core.l1d.enabled") == "true" ? keys.text("core.l1d.size_kib") + " KiB" : "none";
  machine.shared_memory = keys.text("core.shared_memory.size_kib") + " KiB";
  machine.l2 = fmt::format("{:.0f} x {} KiB", machine.partitions, keys.text("memory.l2.size_kib"));
  machine.mechanism = keys.text("core.control_flow.mechanism");
  machine.policy = keys.text("core.scheduler.policy");
  machine.scoreboard = keys.text("core.scoreboard.kind");
  return machine;
}

nlohmann::ordered_json machine_json(const Machine& machine) {
  return {{"label", machine.name},
          {"cores", machine.cores},
          {"schedulers", machine.schedulers},
          {"max_warps", machine.max_warps},
          {"partitions", machine.partitions},
          {"core_mhz", machine.core_mhz},
          {"l1d", machine.l1d},
          {"shared_memory", machine.shared_memory},
          {"l2", machine.l2},
          {"mechanism", machine.mechanism},
          {"policy", machine.policy},
          {"scoreboard", machine.scoreboard},
          {"peak_thread_ipc", machine.peak_thread_instructions()},
          {"dram_bytes_per_cycle", machine.peak_dram_bytes()},
          {"dram_gbs", machine.peak_dram_bytes() * machine.core_mhz / 1000}};
}

}  // namespace heddle::report
