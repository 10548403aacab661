// What a sweep is to run: axes whose product are its runs. From a YAML file (platforms/USING.md has the form), and from options.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/run_ptx.h"

namespace heddle::cli {

/// Something that a run has: workload, platform, seed, "param.nodes", or a configuration key.
struct Setting {
  std::string name;
  std::string value;
  std::string place;  ///< where it was asked for: "spec.yaml:12", "--vary seed=1,2"
};

/// The runs that make a choice have these settings: of a list one, of paired lists and variants several.
using Choice = std::vector<Setting>;

struct Axis {
  std::vector<Choice> choices;
};

/// A kernel of one's own in the place of a workload.
struct SweepKernel {
  std::string name;
  PtxRequest request{};
  std::string place;
};

/// A CUDA program in the place of a workload, as `heddle cuda` runs it.
struct SweepProgram {
  std::string name;
  std::vector<std::string> command;  ///< program and arguments
  std::string place;
};

/// What all runs share.
struct SweepOptions {
  std::uint64_t max_cycles = 0;  ///< of a launch; 0: no limit
  double max_seconds = 0;        ///< of a run on the host; 0: no limit
  std::uint64_t sample = 0;      ///< core cycles; 0: no series
  bool profile = false;
  bool per_launch = false;
  bool cold_caches = false;
  bool check_oracle = false;
  bool trace_control_flow = false;  ///< into control_flow.cft of each run's folder
  bool trace_timeline = false;      ///< into timeline.json
};

struct SweepSpec {
  std::string name;
  std::string text{};              ///< as the user wrote it
  std::vector<Axis> axes{};        ///< the first changes slowest
  std::vector<Choice> excluded{};  ///< runs that have all settings of one of these are left out
  std::vector<SweepKernel> kernels{};
  std::vector<SweepProgram> programs{};
  SweepOptions options{};
};

/// Reads a spec. Throws base::InputError with FILE:LINE for what is no spec; whether its names and values exist is check_spec()'s
/// question.
[[nodiscard]] SweepSpec read_spec(const std::string& file);
[[nodiscard]] SweepSpec parse_spec(const std::string& text, const std::string& name);

/// "NAME=V1,V2,...": an axis from the command line. `option` is its name, for messages.
[[nodiscard]] Axis axis_of(const std::string& assignment, const std::string& option);
/// "3" is itself, "1..4" are four numbers. Throws base::InputError.
[[nodiscard]] std::vector<std::string> values_in(const std::string& text, const std::string& place);

inline constexpr std::uint64_t kMostRuns = 1'000'000;

}  // namespace heddle::cli
