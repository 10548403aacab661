// The columns of a page: of each run its parameters, its end and its metrics, as JSON. README.md has the form.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "report/machine.h"
#include "report/synthesis_sheets.h"
#include "results/results.h"

namespace heddle::report {

/// What a configuration key means; empty texts: it is none.
struct KeyMeaning {
  std::string unit;
  std::string description;
};
using DescribeKey = std::function<KeyMeaning(const std::string& key)>;

/// The different machines of the runs. Runs with the same configuration share one.
class Machines {
 public:
  Machines(const results::Results& results, const std::map<std::string, Sheet>& sheets);
  /// Number of a run's machine; nothing: it has left no configuration.
  [[nodiscard]] std::optional<std::size_t> of(std::size_t run) const { return of_run_[run]; }
  [[nodiscard]] const std::vector<Machine>& all() const { return machines_; }
  [[nodiscard]] const BlocksInUse& blocks(std::size_t machine) const { return blocks_[machine]; }
  [[nodiscard]] const std::map<std::string, Sheet>& sheets() const { return sheets_; }

 private:
  const std::map<std::string, Sheet>& sheets_;
  std::vector<std::optional<std::size_t>> of_run_;
  std::vector<Machine> machines_;
  std::vector<BlocksInUse> blocks_;
};

/// {"texts": [different ones], "index": [by run; -1: it has none]}
[[nodiscard]] nlohmann::ordered_json text_column(const std::vector<const std::string*>& by_run);

[[nodiscard]] nlohmann::ordered_json parameters_json(const results::Results& results,
                                                     const DescribeKey& describe);
/// What all runs have in common: [{"key", "text"}].
[[nodiscard]] nlohmann::ordered_json common_json(const results::Results& results);
[[nodiscard]] nlohmann::ordered_json metrics_json(const results::Results& results, const Machines& machines);
/// Issue slots: {"causes": [...], "values": [[by run] by cause]}
[[nodiscard]] nlohmann::ordered_json slots_json(const results::Results& results);
/// The same of core cycles, by the resource that keeps a further CTA from the core.
[[nodiscard]] nlohmann::ordered_json occupancy_limits_json(const results::Results& results);
/// Sheets of the blocks that some machine has, and by machine which of them.
[[nodiscard]] nlohmann::ordered_json blocks_json(const Machines& machines);

}  // namespace heddle::report
