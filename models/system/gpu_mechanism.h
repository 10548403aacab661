// What can be added to a whole GPU without changing it: a mechanism that has a part in every core, a unit at every memory
// partition, a say in the distribution of CTAs, and modules of the system. It names its parts, and who composes the GPU
// puts them in their places (platforms/gpu); a mechanism that is switched off is not made.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/config_options.h"
#include "base/stats.h"
#include "core/config.h"
#include "core/core_extension.h"
#include "core/cta/cta_dispatch_policy.h"
#include "core/warp_context.h"
#include "hang/hang_class.h"
#include "host/allocation.h"
#include "memory/config.h"
#include "memory/partition_unit.h"
#include "sim/clock.h"
#include "sim/fault_latch.h"
#include "sim/memory_payload.h"
#include "sim/progress.h"
#include "sim/watchdog.h"

namespace heddle::system {

/// Where a mechanism is made: within the constructor of the GPU, which becomes the parent of its modules, before cores
/// and partitions. All of it outlives the mechanism.
struct GpuMechanismSite {
  std::uint32_t cores = 0;
  const core::CoreConfig& core;
  const memory::MemoryConfig& memory;
  const memory::AddressMap& map;
  sim::ClockManager& clocks;
  sim::ClockDomain& core_clock;
  sim::MemoryPool& pool;
  sim::ProgressMonitor& progress;
  sim::FaultLatch& faults;
  const host::AllocationTable& allocations;
  base::StatGroup& stats;  ///< the GPU's: child() for the mechanism's own
};

/// Before a launch begins.
struct LaunchPreparation {
  core::LaunchContext&
      launch;  ///< complete; a mechanism may put services of its own in front of those that it has
  /// Zero-filled device memory that stays allocated as long as the GPU is there, and which no kernel may access. Throws
  /// InputError.
  std::function<std::uint64_t(std::uint64_t bytes, const std::string& name)> allocate;
  /// What the host writes. Takes no time.
  std::function<void(std::uint64_t address, std::span<const std::byte> bytes)> write;
};

/// A hang that only the mechanism can know of.
struct MechanismHang {
  std::string why;  ///< lines
  std::optional<hang::HangKind>
      kind;                 ///< none: named by what the lanes wait for, as other hangs are (models/hang)
  std::string how, remedy;  ///< with a kind; as in hang::HangReport
};

class GpuMechanism {
 public:
  virtual ~GpuMechanism() = default;
  // Its parts; each is asked for once. Empty: it has none of the kind.

  /// Of every core: taps, gates, a unit before the load/store unit.
  [[nodiscard]] virtual core::CoreExtensionFactory core_extension() { return nullptr; }
  /// Before every partition.
  [[nodiscard]] virtual memory::PartitionUnitFactory partition_unit() { return nullptr; }
  /// Takes the place of the one that dispatch.policy selects.
  [[nodiscard]] virtual std::unique_ptr<core::CtaDispatchPolicy> dispatch_policy() { return nullptr; }

  /// Of the watchdog: no hang is certain while it denies that; nullptr: it has no say.
  [[nodiscard]] virtual sim::HangVeto* hang_veto() { return nullptr; }

  /// All parts are there.
  virtual void assembled() {}
  /// All CTAs are done: may the launch end? A mechanism that denies it calls ask_end when that may have changed.
  [[nodiscard]] virtual bool may_end() { return true; }
  /// Set when the GPU is there: may_end() is asked in the next cycle.
  std::function<void()> ask_end;
  /// Set before a launch begins: the mechanism has found out that the launch hangs. Ends it with a diagnosis.
  std::function<void(const MechanismHang& hang)> on_hang;
  /// A launch is about to begin. Throws InputError if the mechanism cannot run it.
  virtual void prepare(LaunchPreparation& /*preparation*/) {}
};

using GpuMechanismFactory = std::function<std::unique_ptr<GpuMechanism>(const GpuMechanismSite&)>;

/// What a mechanism looks at when it says whether a configuration asks for it.
struct GpuMechanismConfig {
  std::uint32_t cores = 0;
  const core::CoreConfig& core;
  const memory::MemoryConfig& memory;
  const base::ConfigOptions& sections;  ///< of all mechanisms
};

/// A mechanism that platform files know: a section of the configuration's root, and what makes it if that asks for it.
struct GpuMechanismEntry {
  std::string name;  ///< of the section
  std::string doc;
  base::ConfigOption section;  ///< of the key `name`
  /// Null: the configuration does not ask for it. Throws InputError if it cannot be.
  std::function<GpuMechanismFactory(const GpuMechanismConfig&)> make;
  /// The key that switches it on, if it decides when the stores of a kernel come to memory: of such mechanisms one at most may
  /// be on. Empty: it gets along with any other.
  std::string orders_stores;
};

}  // namespace heddle::system
