// The data of `heddle run --profile` for a kernel: launches summed up by PC, PCs by heat and by line.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/state/profile.h"
#include "gpu/gpu_device.h"
#include "isa/kernel.h"

namespace heddle::cli {

/// All launches of one kernel combined.
struct KernelHeat {
  std::shared_ptr<const isa::Kernel> code;
  std::uint64_t launches = 0;
  bool complete = true;                  ///< all launches have finished
  std::uint64_t cycles = 0;              ///< core cycles of the launches
  std::vector<core::PcProfile> by_pc{};  ///< by Pc, for the whole kernel
  std::vector<std::string> causes{};     ///< names of the entries of PcProfile::waiting
  core::PcProfile total{};
  /// Waits at the scoreboard, those with most group-cycles first.
  struct Dependence {
    base::Pc pc{}, producer{};  ///< producer: kNoPc if the wait ended without a result
    core::DependenceWait wait{};
  };
  std::vector<Dependence> dependences{};

  /// All PCs that ever issued or waited, hottest first: by group-cycles, then in program order.
  [[nodiscard]] std::vector<base::Pc> hottest() const;
};

/// Kernels with a profile, by group-cycles, then in order of their first launch.
[[nodiscard]] std::vector<KernelHeat> profiled_kernels(const std::vector<gpu::KernelRecord>& records);

/// Names of the files that machine code was made of, for people: without their folders, but for files of the same name.
class ProgramFiles {
 public:
  explicit ProgramFiles(const isa::Kernel& kernel);
  /// "lock.cu:12", "some/folder/lock.cu:12" where that is ambiguous; empty: not known.
  [[nodiscard]] std::string text(const isa::SourceOrigin& origin) const;

 private:
  std::set<std::string> ambiguous_;  ///< names without their folders
};

/// Totals of one line: of the program that machine code was made of, where that is known, or else of PTX or the listing.
struct LineHeat {
  std::string
      file{};  ///< of the program, as in isa::SourceOrigin; empty: the line is one of the kernel's text
  std::uint32_t line = 0;  ///< from 1; 0: instructions without a line
  std::uint32_t pcs = 0;
  core::PcProfile sum{};
};
/// Hottest first, then in line order; lines without any counts are left out.
[[nodiscard]] std::vector<LineHeat> hottest_lines(const KernelHeat& kernel);

/// The main reasons why a PC waited: the dominant one, and up to two more of at least a tenth.
/// "scoreboard_memory 71 %, not_selected 20 %"; empty if it never waited.
[[nodiscard]] std::string waits_for(const core::PcProfile& profile, const std::vector<std::string>& causes);

}  // namespace heddle::cli
