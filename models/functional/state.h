// What runs of a launch: CTAs, their warps, and the groups into which a warp's lanes have parted.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "core/cta/barrier_unit.h"
#include "core/memory/shared_memory.h"
#include "core/state/warp_sync.h"
#include "core/warp_context.h"

namespace heddle::functional {

using base::kLanes;
using base::LaneMask;
using base::Pc;

/// Lanes of a warp at one PC.
struct Group {
  enum class State : std::uint8_t {
    kReady,
    kAtBarrier,      ///< of the CTA
    kAtMeeting,      ///< a .sync instruction (core/state/warp_sync.h)
    kAtConvergence,  ///< BSYNC, of the barrier register `number`
    kAtWarpSync,     ///< WARPSYNC
    kAtMatrices      ///< a load of matrices, until all lanes are there, or no other one can come
  };
  Pc pc{};
  LaneMask lanes;
  State state = State::kReady;
  std::uint8_t number = 0;  ///< kAtWarpSync: the isa::WarpSyncKind
  bool apart = false;       ///< from an exclusive or collective WARPSYNC: joins no other one until it parts
  std::uint64_t turn = 0;   ///< when it ran last
  std::uint32_t jumps = 0;  ///< back, since it has given way last
  std::uint32_t depth = 0;  ///< of calls

  /// Some of its lanes, ready at `to`.
  [[nodiscard]] Group some(Pc to, LaneMask which) const {
    Group group = *this;
    group.pc = to;
    group.lanes = which;
    group.state = State::kReady;
    group.number = 0;
    group.apart = false;
    return group;
  }
};

/// The local memory of a warp's threads, word-interleaved as in device memory. The operating system's zeros serve large ones: threads
/// touch little of what they may have.
class LocalMemory {
 public:
  /// Zeros.
  void reset(std::size_t bytes) {
    if (bytes == 0) return;
    bytes_.reset();
    bytes_.reset(static_cast<unsigned char*>(std::calloc(bytes, 1)));  // NOLINT(cppcoreguidelines-no-malloc)
    if (!bytes_) throw std::bad_alloc();
  }
  [[nodiscard]] unsigned char* at(std::size_t offset) const { return &bytes_[offset]; }

 private:
  struct Free {
    void operator()(unsigned char* bytes) const { std::free(bytes); }  // NOLINT(cppcoreguidelines-no-malloc)
  };
  std::unique_ptr<unsigned char[], Free> bytes_;  // NOLINT(modernize-avoid-c-arrays)
};

struct Warp {
  core::WarpContext context;
  std::vector<Group> groups;
  std::uint64_t turns = 0;      ///< of its groups
  bool others_first = false;    ///< the group that ran last gives way to the one that has waited longest
  bool loads_matrices = false;  ///< lanes at a load of matrices wait no longer
  bool waits = false;           ///< its last turn polled memory, and has changed none
  LocalMemory local;
  /// Of a kernel with convergence instructions, by barrier register and lane: the lanes that are to meet.
  std::vector<std::array<std::uint32_t, kLanes>> convergence;
  std::array<std::uint32_t, kLanes> members{};  ///< of lanes at a WARPSYNC
};

struct Cta {
  explicit Cta(const core::SharedMemoryConfig& shared_memory, std::uint32_t warp_count)
      : shared(shared_memory, progress), barriers(1), meetings(warp_count), warps(warp_count) {}

  core::CtaContext context;
  sim::ProgressMonitor progress;
  core::SharedMemoryModel shared;
  core::BarrierModel barriers;
  core::WarpSync meetings;
  std::vector<Warp> warps;
  std::uint32_t warps_left = 0;
  bool waits = false;  ///< in its last turn, no warp did anything but wait
};

}  // namespace heddle::functional
