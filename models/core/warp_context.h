// Architectural state of a warp slot, and of the CTA it belongs to. Values only: no timing lives here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/lane_mask.h"
#include "core/async_copies.h"
#include "core/memory_counters.h"
#include "host/device.h"
#include "isa/kernel.h"

namespace heddle::core {

using base::CtaSlot;
using base::Cycle;
using base::GroupId;
using base::kLanes;
using base::kNever;
using base::kNoPc;
using base::LaneMask;
using base::Pc;
using base::WarpId;
using FormationId = base::Id<struct FormationTag>;  ///< whose lanes a group has (state/formation_table.h)

class KernelProfile;
class TraceSink;

/// What a kernel asks of the host while it runs.
class KernelServices {
 public:
  virtual ~KernelServices() = default;
  /// Bytes of device memory as they are now; false: they are not all part of one allocation that kernels may read.
  virtual bool read_memory(std::uint64_t address, std::span<std::byte> bytes) = 0;
  /// Bytes of the launch's local memory, named by their device address, as they are in device memory now.
  virtual void read_local(std::uint64_t address, std::span<std::byte> bytes) = 0;
  /// What printf prints, in the order of execution.
  virtual void print(const std::string& text) = 0;
  /// malloc: the address of a block, or 0.
  virtual std::uint64_t heap_allocate(std::uint64_t bytes) = 0;
  /// free: nothing, or what is wrong with the address.
  virtual std::optional<std::string> heap_free(std::uint64_t address) = 0;
  /// An access that is wrong and goes on all the same (AllocationTable::tolerates). True: it is the instruction's first, which
  /// is to be told. From any host thread.
  virtual bool is_first_stray(const std::shared_ptr<const isa::Kernel>& /*kernel*/, Pc) { return false; }
  virtual void tell_stray(const std::string& /*where*/, const std::string& /*what*/) {}
};

/// Bytes of constant memory, from a device address on.
struct HeldConstants {
  std::uint64_t address = 0;
  std::vector<std::byte> bytes;
};

/// What all CTAs of one launch share. Built by the GPU, outlives the launch.
struct LaunchContext {
  std::shared_ptr<const isa::Kernel> kernel;
  host::Launch shape;
  std::vector<std::byte> params;
  const isa::ProgramFacts* facts = nullptr;  ///< of the kernel, if the cores want them
  isa::RowBytes own_constants;               ///< empty: the kernel's constants serve every launch
  std::uint64_t code_base = 0;               ///< device address of the first instruction
  std::uint64_t code_generation =
      0;  ///< another one than at the last launch: what instruction caches hold is void
  std::uint64_t param_base = 0;  ///< device address of the parameters, which constant caches read
  bool replayed =
      false;  ///< it has run before: the second levels of instruction and constant caches hold what it needs
  std::vector<HeldConstants> held_constants;  ///< replayed: those of the second level of constant caches
  std::uint32_t shared_bytes_per_cta = 0;     ///< static + dynamic
  std::uint64_t table_base = 0;               ///< device address of the cores' spilled control-flow tables
  std::uint64_t table_bytes = 0;              ///< of them
  std::uint64_t local_base = 0;               ///< device address of local memory, word-interleaved per warp
  std::uint32_t local_bytes_per_thread = 0;   ///< multiple of 4
  std::uint32_t local_limit = 0;              ///< of them, those that the thread may access: the others pad
  std::uint32_t warps_per_cta = 0;
  std::uint32_t cores = 0;
  std::uint32_t ctas_per_core = 0;     ///< that fit on an empty one
  std::uint64_t grid_workspace = 0;    ///< device address; 0: the launch is not cooperative
  std::uint64_t grid_id = 0;           ///< launches on the device before this one
  KernelProfile* profile = nullptr;    ///< nullptr: none is taken
  TraceSink* trace = nullptr;          ///< nullptr: nothing is recorded
  KernelServices* services = nullptr;  ///< nullptr: the kernel neither prints nor asserts

  [[nodiscard]] std::uint32_t threads_per_cta() const {
    return static_cast<std::uint32_t>(shape.block.count());
  }
  /// The block that operands name constant rows of.
  [[nodiscard]] const std::byte* constants() const {
    return own_constants.empty() ? kernel->constants.data() : own_constants.data();
  }
};

/// Of all threads' local memory.
[[nodiscard]] inline std::uint64_t local_bytes(const LaunchContext& launch) {
  return std::uint64_t{launch.local_bytes_per_thread} * kLanes * launch.warps_per_cta *
         launch.shape.grid.count();
}

/// One warp slot of a core. The counters are those of its memory instructions.
struct WarpContext : MemoryCounters {
  bool resident = false;
  CtaSlot cta{};
  std::uint32_t warp_in_cta = 0;
  std::uint64_t linear_warp = 0;  ///< CTA number * warps per CTA + warp_in_cta: names the local memory region
  LaneMask live;                  ///< lanes that have not exited
  isa::RowBytes registers;        ///< laid out by the kernel's RegisterLayout
  isa::RowBytes special;          ///< isa::SpecialRow
  std::uint32_t alu_outstanding = 0;    ///< instructions whose result is still in an execution pipe
  std::unique_ptr<AsyncCopies> copies;  ///< of cp.async; null: it has made none
};

/// One CTA slot of a core.
struct CtaContext {
  bool resident = false;
  host::Dim3 id;
  std::uint64_t linear_id = 0;
  std::uint64_t order = 0;       ///< CTAs that the core was given before
  std::uint32_t warps_left = 0;  ///< warps with live lanes or outstanding memory operations
  std::uint32_t shared_base = 0;  ///< byte offset in the core's shared memory
  std::vector<WarpId> warps;
};

}  // namespace heddle::core
