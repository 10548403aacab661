// The state of all resident lanes of the GPU, and of memory: the input of proof and classification.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/lane_mask.h"
#include "hang/suspended_lanes.h"
#include "isa/kernel.h"

namespace heddle::hang {

using base::kLanes;
using base::kNoPc;
using base::LaneMask;
using base::Pc;

/// A word of memory: 32 bits, at a multiple of 4.
struct Word {
  enum class Space : std::uint8_t { kDevice, kShared, kLocal };
  Space space = Space::kDevice;
  std::uint32_t core = 0;     ///< kShared: the memory's core; kLocal: the thread's core; kDevice: 0
  std::uint64_t address = 0;  ///< device address (kLocal too); kShared: byte offset in the core's memory
  // NOLINTNEXTLINE(modernize-use-nullptr): not a pointer, the 0 with which the compiler compares
  auto operator<=>(const Word&) const = default;
};

/// Lanes that run, or will be scheduled without help from others.
struct RunningLanes {
  LaneMask lanes;
  Pc loop{};              ///< header of the loop in which they were seen
  bool seen = false;      ///< their registers are those at a visit of `loop`
  bool repeated = false;  ///< they returned to `loop` in an identical state, with memory unchanged
  bool starved = false;   ///< they could issue, but the scheduler has not chosen them for long
};

/// Lanes that wait at a CTA barrier or for lanes of their member mask.
struct WaitingLanes {
  LaneMask lanes;
  Pc at{};                    ///< where they continue
  std::uint32_t barrier = 0;  ///< CTA barrier
  bool meets = false;         ///< at a .sync instruction, not at a CTA barrier
};

struct WarpState {
  std::uint32_t core = 0;
  std::uint32_t cta = 0;  ///< index into Snapshot::ctas
  std::uint32_t warp_in_cta = 0;
  std::uint64_t linear_warp = 0;   ///< number in the grid
  std::uint32_t shared_base = 0;   ///< of the CTA, in the core's shared memory
  std::uint64_t local_region = 0;  ///< device address of the warp's local memory
  LaneMask live;
  bool passed = false;  ///< some lane has passed a barrier or .sync instruction since it was seen
  std::vector<RunningLanes> running;
  std::vector<SuspendedLanes> held;  ///< by the control-flow mechanism; those that wait are not among them
  std::vector<WaitingLanes> waiting;
  const std::byte* special = nullptr;  ///< isa::SpecialRow
  isa::RowBytes registers;             ///< running lanes: at their visit; others: at the snapshot
  struct Unknown {
    isa::RegId reg = isa::kNoReg;
    LaneMask lanes;
  };
  std::vector<Unknown> unknown;  ///< registers with a pending write
};

struct CtaState {
  std::uint32_t core = 0;
  std::array<std::uint32_t, 3> id{};
  std::array<std::uint32_t, 16> arrived{};   ///< by barrier, in threads
  std::array<std::uint32_t, 16> expected{};  ///< by barrier; without arrivals: all threads of the CTA
};

/// How the machine reads memory.
class MemoryView {
 public:
  virtual ~MemoryView() = default;
  /// The word's current value (kLocal: as its thread sees it). False: it is unknown.
  [[nodiscard]] virtual bool read(const Word& word, std::uint32_t& value) const = 0;
  /// Further values that lanes may find or have found there since they were seen in their loops.
  virtual void others(const Word& word, std::vector<std::uint64_t>& values) const = 0;
  /// Further values that loads of `core` through its L1 may find there.
  virtual void stale(std::uint32_t core, std::uint64_t address, std::vector<std::uint64_t>& values) const = 0;
  /// A fill of the word's line is in flight to that L1; its data is unknown.
  [[nodiscard]] virtual bool on_its_way(std::uint32_t core, std::uint64_t address) const = 0;
  /// Whether kernels may access device memory at [address, address + bytes).
  [[nodiscard]] virtual bool accessible(std::uint64_t address, std::uint64_t bytes, bool writes) const = 0;
  /// "counter[3]", "0x10000040 (16 bytes into 'locks')".
  [[nodiscard]] virtual std::string name(const Word& word) const = 0;
};

/// Last change of a word by a compare-and-swap or an exchange.
struct Holder {
  bool known = false;
  std::uint64_t linear_warp = 0;
  unsigned lane = 0;
};

struct Snapshot {
  const isa::Kernel* kernel = nullptr;
  const std::byte* constants = nullptr;  ///< rows of this launch; nullptr: the kernel's
  const MemoryView* memory = nullptr;
  std::function<Holder(const Word&)> holder;
  std::vector<WarpState> warps;
  std::vector<CtaState> ctas;
  std::uint64_t ctas_waiting = 0;  ///< not dispatched yet
  std::uint64_t ctas_started = 0;
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint32_t shared_bytes = 0;  ///< per CTA
  std::uint32_t local_bytes = 0;   ///< per thread
  std::uint32_t param_bytes = 0;
  std::uint64_t param_base = 0;  ///< device address of the parameters
  std::vector<bool> through_l1;  ///< by PC: a load that looks up L1
  /// Lanes that have met at a convergence instruction may go on at the point of any other one.
  bool may_misroute = false;
  bool serves_convergence = false;    ///< lanes meet and take turns where convergence instructions say so
  bool barriers_count_warps = false;  ///< a lane that arrives at a CTA barrier arrives for its whole warp,
                                      ///< counted as 32

  [[nodiscard]] std::string warp_name(const WarpState& warp) const;
  [[nodiscard]] std::string thread_name(const WarpState& warp, unsigned lane) const;
};

}  // namespace heddle::hang
