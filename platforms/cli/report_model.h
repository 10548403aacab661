// The contents of a launch's report, extracted from the statistics tree. Only this file knows the names of
// statistics.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gpu/gpu_device.h"

namespace heddle::cli {

/// A fraction; rate() is 0 when the whole is 0.
struct Share {
  std::uint64_t part = 0;
  std::uint64_t whole = 0;
  [[nodiscard]] double rate() const {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  }
};

struct SlotCause {
  std::string name;
  std::uint64_t slots = 0;
};

/// Dynamic energy of a class of events (models/energy).
struct ClassEnergy {
  std::string name;
  std::uint64_t femtojoules = 0;
};

/// Synchronisation in the loops that the kernel's text names, of all cores (core.sync_statistics).
struct SyncCounts {
  std::uint64_t lock_success = 0, lock_fail_inter_warp = 0, lock_fail_intra_warp = 0;
  std::uint64_t wait_exit_success = 0, wait_exit_fail = 0;
  Share waiting_instructions, critical_instructions;  ///< of warp instructions
  Share waiting_transactions, critical_transactions;  ///< of line accesses
};

/// Counts of one launch, or the sums of several.
struct LaunchSummary {
  std::string kernel;
  std::string source;          ///< file name of the kernel's PTX, without its folder
  std::uint64_t launches = 1;  ///< number of launches summed up
  host::Launch shape;          ///< of the first one
  bool one_shape = true;       ///< all have the same
  bool complete = true;        ///< all have finished
  std::uint64_t cycles = 0;    ///< core cycles from launch to completion, of the CTAs that were simulated
  gpu::Estimate whole;         ///< with those that were not
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t busy_core_cycles = 0;  ///< summed over cores: cycles in which the core was not parked
  std::vector<SlotCause> slots;        ///< outcome of every issue slot of every core
  Share l1d_loads;                     ///< hits of line look-ups
  Share l2;                            ///< hits of requests; joining a fetch in flight is not a hit
  Share dram_rows;                     ///< requests served from an open row
  std::optional<SyncCounts> sync;      ///< if they are counted
  std::uint64_t dram_read_bytes = 0;
  std::uint64_t dram_write_bytes = 0;
  std::vector<ClassEnergy> energy;  ///< in order of declaration; empty: switched off
  double host_seconds = 0;          ///< of the launch calls
  double simulation_seconds = 0;    ///< of these, in the simulation

  /// Warp instructions per core cycle, of the whole GPU.
  [[nodiscard]] double ipc() const;
  /// Active lanes per warp instruction, of 32.
  [[nodiscard]] Share simd() const;
  [[nodiscard]] std::uint64_t all_slots() const;
  [[nodiscard]] std::uint64_t all_femtojoules() const;
};

/// Summary of a run: its launches by kernel, and the launches that the report lists individually.
struct RunSummary {
  std::vector<LaunchSummary> kernels;
  std::vector<LaunchSummary> first_launches;  ///< without values that need the statistics tree
                                              ///< (summarize_briefly())

  /// All launches combined; kernel name and shape only if there is a single launch.
  [[nodiscard]] LaunchSummary total() const;
};

/// `statistics`: the tree that belongs to the record. Throws std::out_of_range if a required name is missing.
[[nodiscard]] LaunchSummary summarize(const gpu::LaunchRecord& record,
                                      const nlohmann::ordered_json& statistics);
[[nodiscard]] LaunchSummary summarize(const gpu::KernelRecord& record,
                                      const nlohmann::ordered_json& statistics);
/// Kernel, shape, cycles, instructions and host time only.
[[nodiscard]] LaunchSummary summarize_briefly(const gpu::LaunchRecord& record);

/// Sum of the numbers at all matching paths; '*' matches any characters within one path element. Throws
/// std::out_of_range if nothing matches.
[[nodiscard]] std::uint64_t sum_at(const nlohmann::ordered_json& statistics, const std::string& pattern);

}  // namespace heddle::cli
