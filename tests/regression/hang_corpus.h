// The table of kernels that hang or only look as if they did (tests/data/hangs/corpus.json), and what the
// tests do with it: every case on every control-flow mechanism.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace heddle::testing {

inline const std::string kFinishes = "finishes";

struct HangMachine {
  std::string name;      ///< a control-flow mechanism, as in the table
  std::string watchdog;  ///< how often it looks, an assignment
  [[nodiscard]] std::string title() const { return name + ", " + watchdog; }
};

[[nodiscard]] std::string hangs_folder();
[[nodiscard]] const nlohmann::ordered_json& hang_corpus();

/// Those that the case is run on: each mechanism with a watchdog that looks so often that a false alarm has
/// every chance, and the stack with one that looks as often as by default.
[[nodiscard]] std::vector<HangMachine> machines_of(const nlohmann::ordered_json& one);
[[nodiscard]] std::vector<std::string> assignments_of(const nlohmann::ordered_json& one,
                                                      const HangMachine& machine);

/// What may become of it, first words of a diagnosis; kFinishes alone if it must finish.
[[nodiscard]] std::vector<std::string> accepted(const nlohmann::ordered_json& one,
                                                const std::string& compiler, const HangMachine& machine);

/// Whether it finishes where all threads run by themselves and see the same memory: what the table says of it
/// ("oracle"), or else what follows from the kind of hang on most mechanisms.
[[nodiscard]] bool finishes_by_itself(const nlohmann::ordered_json& one);

/// Whether the diagnosis names the kernel ("" for any) and one of the classes in its first line.
[[nodiscard]] bool names_one_of(const std::vector<std::string>& classes, const std::string& diagnosis,
                                const std::string& kernel);

}  // namespace heddle::testing
