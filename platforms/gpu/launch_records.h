// Records of a GPU's launches: summed up by kernel, and individually only on request.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/stats.h"
#include "core/state/profile.h"
#include "gpu/estimated_launch.h"
#include "host/device.h"
#include "isa/kernel.h"

namespace heddle::gpu {

/// Counts of one launch, or of several.
struct LaunchCounts {
  std::uint64_t cycles =
      0;  ///< core cycles from launch to the last CTA's completion, of those that were simulated
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  Estimate whole;  ///< with the CTAs that were not simulated; all other counts are without them
  // Host time is not a statistic: it differs from run to run.
  double host_seconds = 0;        ///< of the whole call of launch()
  double simulation_seconds = 0;  ///< of these, in the simulation; the rest is set-up and statistics
  LaunchCounts& operator+=(const LaunchCounts& other);
};

/// One launch: finished, or ended by an error and with the counts up to that point.
struct LaunchRecord : LaunchCounts {
  bool complete = false;  ///< it ran to its end
  std::string kernel;
  std::shared_ptr<const isa::Kernel> code;
  host::Launch shape;
  // Only if RunOptions::per_launch:
  base::StatValues values;                     ///< of the whole statistics tree: GpuDevice::statistics()
  std::optional<core::KernelProfile> profile;  ///< of all cores combined, if RunOptions::profile
};

/// All launches of one kernel combined. A kernel that is loaded again from the same text counts as the same.
struct KernelRecord : LaunchCounts {
  std::string kernel;
  std::string module;                       ///< name of the file or text it was loaded from
  std::shared_ptr<const isa::Kernel> code;  ///< nullptr once unloaded, unless RunOptions::profile
  std::uint64_t launches = 0;
  bool complete = true;   ///< all of them have finished
  host::Launch shape;     ///< of the first one
  bool one_shape = true;  ///< all have the same dimensions
  base::StatValues values;
  std::optional<core::KernelProfile> profile;  ///< if RunOptions::profile
};

class LaunchHistory {
 public:
  LaunchHistory(bool per_launch, bool profile) : per_launch_(per_launch), profile_(profile) {}

  /// Records a launch that has ended; `stats` has its interval. `text_digest` distinguishes modules of the
  /// same name.
  void add(LaunchRecord record, std::uint64_t text_digest, const base::StatGroup& stats);
  /// Host time of the last launch, known once its statistics are complete.
  void charge_host(double seconds, double simulation_seconds);
  /// The module is being unloaded.
  void unload(const isa::Module& module);
  /// Drops all records. The launch count continues.
  void clear();

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] const std::vector<KernelRecord>& kernels() const { return kernels_; }
  /// Throws base::InputError if there is none.
  [[nodiscard]] const LaunchRecord& last() const;
  /// Throws base::InputError if they are not kept.
  [[nodiscard]] const std::vector<LaunchRecord>& launches() const;

 private:
  [[nodiscard]] KernelRecord& kernel_of(const LaunchRecord& record, std::uint64_t text_digest);

  bool per_launch_;
  bool profile_;
  std::uint64_t count_ = 0;
  std::vector<KernelRecord> kernels_;                  ///< in order of their first launches
  std::vector<std::uint64_t> digests_;                 ///< of the texts they come from
  std::map<const isa::Kernel*, std::size_t> by_code_;  ///< those that are loaded
  std::vector<LaunchRecord> launches_;                 ///< all, if per_launch_
  std::optional<LaunchRecord> last_;                   ///< without values that only per_launch_ keeps
};

}  // namespace heddle::gpu
