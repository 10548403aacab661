// The table of kernels that hang or only look as if they did (tests/data/hangs/corpus.json), and its use by
// the tests: every case on every control-flow mechanism.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace heddle::testing {

inline const std::string kFinishes = "finishes";

struct HangMachine {
  std::string name;      ///< a control-flow mechanism, as in the table
  std::string watchdog;  ///< its check interval, as an assignment
  [[nodiscard]] std::string title() const { return name + ", " + watchdog; }
};

[[nodiscard]] std::string hangs_folder();
[[nodiscard]] const nlohmann::ordered_json& hang_corpus();

/// The machines that the compiler's code of case number `index` is run on: each mechanism with a watchdog that checks very often,
/// to provoke false alarms, and the stack with the default interval. Two compilers share the machines between them, the other
/// way round in the next case, unless they are expected to differ; from HEDDLE_TEST_DEPTH=2 on each runs on all.
[[nodiscard]] std::vector<HangMachine> machines_of(const nlohmann::ordered_json& one, std::size_t index,
                                                   const std::string& compiler);
[[nodiscard]] std::vector<std::string> assignments_of(const nlohmann::ordered_json& one,
                                                      const HangMachine& machine);

/// The accepted outcomes, as first words of a diagnosis; only kFinishes if it must finish.
[[nodiscard]] std::vector<std::string> accepted(const nlohmann::ordered_json& one,
                                                const std::string& compiler, const HangMachine& machine);

/// Whether it finishes when all threads run independently and see the same memory: as stated in the table
/// ("oracle"), or else implied by the kind of hang on most mechanisms.
[[nodiscard]] bool finishes_by_itself(const nlohmann::ordered_json& one);

/// Whether the diagnosis names the kernel ("" for any) and one of the classes in its first line.
[[nodiscard]] bool names_one_of(const std::vector<std::string>& classes, const std::string& diagnosis,
                                const std::string& kernel);

}  // namespace heddle::testing
