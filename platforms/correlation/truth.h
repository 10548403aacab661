// What a real GPU counted of the launches of some workloads: the recorded truth that the model is compared with.
// README.md describes the JSON form.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace heddle::correlation {

/// How often a machine instruction ran.
struct InstructionCount {
  std::uint64_t offset = 0;  ///< bytes from the kernel's first instruction
  std::string text;          ///< as the profiler shows it; may be empty
  std::uint64_t warps = 0;   ///< executions by warps
  std::uint64_t lanes = 0;   ///< executions by lanes, summed over them
};

struct CardLaunch {
  std::string kernel;
  std::uint32_t launch_of_kernel = 1;        ///< counted from 1, among the launches of that kernel in its run
  std::map<std::string, double> counters{};  ///< by the profiler's names
  std::vector<InstructionCount> instructions{};  ///< empty: not recorded
};

/// A workload at one size.
struct CardRun {
  std::string workload;
  std::string size;
  std::vector<CardLaunch> launches;
};

struct Truth {
  std::string device;           ///< of the card; empty: not said
  bool cold_caches = true;      ///< the profiler emptied the card's caches before each launch
  bool replayed = true;         ///< it ran each launch several times
  std::vector<CardRun> runs{};  ///< in the order of the file
  /// Adds what another file says of the same launches, and its own runs. `file` names it in errors. Throws
  /// base::InputError where both have the same counter, or instructions, of one launch.
  void add(Truth other, const std::string& file);
};

/// Throws base::InputError with `file` and the path of the value that is wrong.
[[nodiscard]] Truth parse_truth(const std::string& text, const std::string& file);
[[nodiscard]] Truth read_truth(const std::string& file);

}  // namespace heddle::correlation
