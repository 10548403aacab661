// A workload: kernels with their host side. Runs on any host::Device (the GPU or the oracle).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/device.h"

namespace heddle::workloads {

enum class Compiler { kNvcc, kClang };  ///< which committed PTX to run
enum class Size { kTiny, kSmall, kPaper };

struct Options {
  Compiler compiler = Compiler::kNvcc;
  Size size = Size::kSmall;
  std::uint64_t seed = 1;
  std::map<std::string, std::uint32_t> parameters{};  ///< chosen instead of those of the size (parameters.h)
  /// A file with the workload's kernels as machine code, or a folder with STEM.cubin, STEM.sm_90.cubin or STEM.sm_75.cubin
  /// for the stem of each committed PTX file. Empty: that PTX.
  std::string machine_code{};
};

/// A number of a workload's input that can be chosen.
struct Parameter {
  std::string name;
  std::string meaning;
  std::uint32_t least = 1;
  std::uint32_t most = 1;
  bool power_of_two = false;
};

/// Outcome of the comparison with the CPU reference.
struct Verdict {
  bool passed = false;
  std::string summary;  ///< "16384 floats match" or "c[17] = 3, expected 4 (12 of 16384 differ)"
};

struct Workload {
  std::string name;
  std::string description;  ///< one line, for `heddle list`
  std::string stresses;     ///< the parts of the machine it exercises
  std::string source;       ///< .cu file name within platforms/workloads
  /// True if the memory result depends on a legal race. It can then only be checked against the CPU reference
  /// (an invariant), not compared byte for byte with the oracle.
  bool racy = false;
  /// True if it cannot finish on a plain SIMT stack ([SSDE:K0]): the run is then expected to end in a
  /// diagnosed hang.
  bool needs_simt_progress = false;
  /// True if it is only correct where the lanes of a warp execute together and wait for each other after
  /// their loops (implicit warp synchrony, K12): on the SIMT stack, not on the oracle's independent threads.
  bool needs_lockstep = false;
  /// True if it has transactions, which only a GPU with tm.enabled executes.
  bool needs_transactions = false;
  std::vector<Parameter> parameters{};
  std::function<Verdict(host::Device&, const Options&)> run;
};

/// All workloads, in the order of `heddle list`.
[[nodiscard]] const std::vector<Workload>& all();
/// nullptr if there is no workload of that name.
[[nodiscard]] const Workload* find(const std::string& name);
/// Path of the committed PTX: <workload folder>/ptx/<stem>.<compiler>.ptx.
[[nodiscard]] std::string ptx_path(const std::string& stem, Compiler compiler);
/// Path of the module that the options ask for. Throws base::InputError if a folder of machine code has none for the stem,
/// or several.
[[nodiscard]] std::string module_path(const std::string& stem, const Options& options);

}  // namespace heddle::workloads
