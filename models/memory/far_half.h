// An L2 of two halves: what a slice's lines cost the cores of the other half of the chip. Plain C++.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "base/host_heap.h"
#include "memory/config.h"
#include "memory/l2_request.h"

namespace heddle::memory {

struct FarCounters {
  std::uint64_t requests = 0;  ///< of cores of the other half that had to cross
  std::array<std::uint64_t, 3>
      sectors{};                    ///< by MemoryOp, touched by those: hardware looks each up in both halves
  std::uint64_t copy_hits = 0;      ///< reads of cores of the other half that found a copy there
  std::uint64_t invalidations = 0;  ///< writes of cores of this half that waited for copies to be taken back
  std::uint64_t copies_replaced = 0;           ///< by lines and other copies
  std::uint64_t invalidation_wait_cycles = 0;  ///< L2 cycles that responses are later for those, summed
};

/// The home of a line is one slice, in one half (L2Config::half). A core of the other half asks its own half first: a read
/// hits there if the sectors have been read by that half before and nobody has written them since, and takes as long as a near
/// one. Else it crosses to the home, which takes `far_cycles` more, and leaves a copy. Reads of sectors that are on their way already
/// wait for them and do not cross, whoever writes meanwhile. Writes and atomics cross always, and copies of what they touch are gone, or do not
/// outlast their arrival. With `await_invalidation` a write from the home's half waits until the copy is gone, and so do accesses to
/// its sectors behind it (not an atomic: nobody waits for the copy that it ends); and a write from the other half passes the copy there and changes it: reads of that half find it until
/// the write has been answered, and a near write until then takes it back.
///
/// With `copies_take_ways` a copy takes a way of its set, and whoever needs the way replaces it as it would a line; a line that
/// is replaced takes its copy along. Without, a copy takes no capacity.
///
/// Abstracted: hardware has the copy in a slice of the other half. Here it is in the home's own set, in the place of a copy of
/// that slice's: both have as many. The link between the halves takes no time beyond the latency, and a request that crosses is
/// performed at the time of a near one; its response comes later.
class FarHalf {
 public:
  static constexpr std::uint32_t kNoPlace = ~std::uint32_t{0};

  FarHalf(const L2Config& config, std::uint32_t frames) : half_(config.half), far_cycles_(config.far_cycles) {
    if (config.halves > 1) copies_ = base::ZeroedArray<Copy>(frames);
    if (config.halves > 1 && config.copies_take_ways) places_ = base::ZeroedArray<std::uint32_t>(frames);
    if (config.halves > 1 && config.await_invalidation)
      locked_until_ = base::ZeroedArray<SectorTimes>(frames);
  }
  [[nodiscard]] bool on() const { return !copies_.empty(); }
  [[nodiscard]] bool copies_take_ways() const { return !places_.empty(); }
  /// The frame that the copy of the frame's line takes; kNoPlace: none.
  [[nodiscard]] std::uint32_t place(std::uint32_t frame) const { return ~places_[frame]; }
  void set_place(std::uint32_t frame, std::uint32_t place) { places_[frame] = ~place; }
  /// Sectors of the copy that will be there for later reads.
  [[nodiscard]] SectorMask copy(std::uint32_t frame) const {
    return static_cast<SectorMask>(copies_[frame].sectors & ~copies_[frame].stale);
  }
  /// The copy of the frame's line is replaced, or was not kept: gone when its last sector has arrived.
  void lose_copy(std::uint32_t frame) {
    copies_[frame].stale = copies_[frame].sectors;
    set_place(frame, kNoPlace);
  }
  /// The half of a core: cores come in pairs (TPCs), pairs go to GPCs in turns, and GPCs to the halves.
  [[nodiscard]] static std::uint32_t half_of(base::CoreId core) { return core.value() / 2 % 2; }

  /// The frame gets another line.
  void clear(std::uint32_t frame) {
    if (on()) copies_[frame] = {};
    if (copies_take_ways()) set_place(frame, kNoPlace);
    if (!locked_until_.empty()) locked_until_[frame] = {};
  }
  /// A request to the frame is performed. `ready`: cycle of its response if it is a near one. Returns the cycle of its
  /// response.
  [[nodiscard]] base::Cycle ready(const L2Request& request, std::uint32_t frame, base::Cycle ready,
                                  FarCounters& counters) {
    Copy& copy = copies_[frame];
    const sim::MemoryExtension& extension = *request.extension;
    const bool read = extension.op == sim::MemoryOp::kRead;
    copy.drop_stale(ready);
    if (!locked_until_.empty()) {
      ready = invalidated(request, frame, ready, counters);
      copy.drop_stale(ready);
    }
    const bool near = !is_far(request);
    if (!read) {
      const auto written = static_cast<SectorMask>(request.touched & copy.sectors);
      copy.stale |= written;
      if (!locked_until_.empty() && !near && written != 0 && extension.op == sim::MemoryOp::kWrite)
        copy.there = std::max(copy.there, ready + far_cycles_);
      copy.drop_stale(ready);
    }
    if (near) return ready;
    if (read && (request.touched & ~copy.sectors) == 0) {
      ++counters.copy_hits;
      return std::max(ready, copy.there);
    }
    ++counters.requests;
    counters.sectors[request.kind()] += static_cast<unsigned>(std::popcount(request.touched));
    const base::Cycle later = ready + far_cycles_;
    if (read) {
      copy.stale &= static_cast<SectorMask>(~request.touched);
      copy.sectors |= request.touched;
      copy.there = std::max(copy.there, later);
    }
    return later;
  }

  [[nodiscard]] bool is_far(const L2Request& request) const {
    const base::CoreId core = request.extension->core;
    return core != sim::kUnitInitiator && half_of(core) != half_;
  }
  /// The same of a request that touches no line: it goes to the home.
  [[nodiscard]] base::Cycle ready(const L2Request& request, base::Cycle ready) const {
    return is_far(request) ? ready + far_cycles_ : ready;
  }

 private:
  struct Copy {
    base::Cycle there = 0;   ///< when the last of its sectors has arrived, or a far write to it been answered
    SectorMask sectors = 0;  ///< of the line, in the other half or on their way there
    SectorMask stale = 0;    ///< of these, written since they were asked for: gone when they have arrived
    /// Forgets what is stale at `now`, if it has arrived.
    void drop_stale(base::Cycle now) {
      if (now >= there) sectors &= static_cast<SectorMask>(~std::exchange(stale, SectorMask{0}));
    }
  };
  /// When the sectors are free for the request, and if it is a near write, the copies of them gone. A far write takes the copy along
  /// on its way here.
  [[nodiscard]] base::Cycle invalidated(const L2Request& request, std::uint32_t frame, base::Cycle ready,
                                        FarCounters& counters) {
    const base::Cycle near = ready;
    SectorTimes& until = locked_until_[frame];
    for (SectorMask left = request.touched; left != 0; left &= static_cast<SectorMask>(left - 1))
      ready = std::max(ready, until[static_cast<unsigned>(std::countr_zero(left))]);
    const Copy& copy = copies_[frame];
    if (request.extension->op == sim::MemoryOp::kWrite && !is_far(request) &&
        (request.touched & copy.sectors) != 0) {
      ++counters.invalidations;
      ready = std::max(ready, copy.there) + far_cycles_;
      for (SectorMask left = request.touched; left != 0; left &= static_cast<SectorMask>(left - 1))
        until[static_cast<unsigned>(std::countr_zero(left))] = ready;
    }
    counters.invalidation_wait_cycles += ready - near;
    return ready;
  }

  using SectorTimes = std::array<base::Cycle, 8 * sizeof(SectorMask)>;
  std::uint32_t half_;
  std::uint32_t far_cycles_;
  base::ZeroedArray<Copy> copies_;           ///< by frame; empty: one half
  base::ZeroedArray<std::uint32_t> places_;  ///< by frame, inverted; empty: copies take none
  base::ZeroedArray<SectorTimes>
      locked_until_;  ///< by frame and sector, until when a copy is being taken back; empty: that takes no time
};

}  // namespace heddle::memory
