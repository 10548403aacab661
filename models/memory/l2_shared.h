// What the banks of an L2 slice share: counters, transfers to the DRAM, responses, the atomic unit.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/ring.h"
#include "base/stats.h"
#include "memory/atomic_unit.h"
#include "memory/far_half.h"
#include "memory/l2_request.h"
#include "sim/progress.h"

namespace heddle::memory {

/// Sectors of one line on their way to or from the DRAM. Addresses are channel-local.
struct LineTransfer {
  std::uint64_t line = 0;
  std::uint32_t frame = 0;  ///< fetch: the frame of its bank it goes to
  bool write = false;       ///< write-back; otherwise fetch
  SectorMask sectors = 0;
  bool masked = false;  ///< write-back: some sectors are present in part
  std::array<unsigned char, sim::kMaxLineBytes>
      data;  ///< write-back only; the sectors at their offsets in the line
  std::array<unsigned char, sim::kMaxLineBytes> enables;  ///< of a masked one
};

/// Why a bank could not serve the request or target it had to.
enum class L2Stall : std::uint8_t {
  kMshrs,       ///< a miss and no MSHR free
  kTargets,     ///< all target entries of the line's MSHR are in use
  kSet,         ///< every way of the set is reserved by a fetch
  kDramQueue,   ///< no free entry for the fetch or write-back
  kResponses,   ///< response pipeline and queue full
  kAtomicUnit,  ///< the bank is busy with an atomic, or has an atomic and the unit is busy with another
                ///< bank's
  kDataArray,   ///< the request before reads or writes more sectors than the data array does in a cycle,
                ///< or takes a turn for having crossed
};
inline constexpr unsigned kL2Stalls = 7;
/// Those that a slice of this configuration can have, in their order.
[[nodiscard]] std::vector<std::string> l2_stall_names(const L2Config& config);

struct L2Counters {
  // by MemoryOp: read, write, atomic
  std::array<std::uint64_t, 3> hits{};
  std::uint64_t sectorless_reads = 0;  ///< look nothing up: messages of fences; no statistic
  std::array<std::uint64_t, 3> misses{};
  std::array<std::uint64_t, 3> merged{};         ///< misses whose sectors were already being fetched
  std::array<std::uint64_t, 3> sector_misses{};  ///< of the misses: the line was present, a sector was not
  std::array<std::uint64_t, 3> sectors{};        ///< touched by requests; only with sector_statistics
  std::uint64_t writes_without_fetch = 0;        ///< write misses that covered all sectors they touched
  std::uint64_t masked_write_backs = 0;          ///< of the write-backs: with byte enables
  std::uint64_t fetches = 0;
  std::uint64_t write_backs = 0;
  std::array<std::uint64_t, kL2Stalls> stall_cycles{};  ///< summed over banks
  std::uint64_t bank_conflicts = 0;                     ///< requests that found others waiting for their bank
  std::uint64_t bank_wait_cycles = 0;                   ///< acceptance to leaving the bank's queue, summed
  std::uint64_t responses = 0;
  std::uint64_t service_cycles = 0;  ///< acceptance to response ready, summed over responses
  std::uint64_t atomic_lanes = 0;
  std::uint64_t atomic_operations = 0;   ///< number left after combining
  std::uint64_t atomic_busy_cycles = 0;  ///< of the unit
  FarCounters far;
};

/// Declares them in `group`; they live as long as it does.
void declare(base::StatGroup& group, const L2Counters& counters, const L2Config& config);

/// Responses by the time at which they are ready. Each bank's latency pipeline holds one per cycle. The queue
/// itself, from which one per cycle leaves, follows the pipelines. Those that come from the other half (FarHalf) are in a
/// pipeline of their own, so that none has to be moved past many.
class L2Responses {
 public:
  explicit L2Responses(const L2Config& config)
      : entries_(std::size_t{config.banks} * config.latency_cycles + config.response_queue),
        far_(config.halves > 1 ? std::size_t{config.banks} * (config.latency_cycles + config.far_cycles) +
                                     config.response_queue
                               : 0),
        two_(config.halves > 1) {}

  struct Entry {
    tlm::tlm_generic_payload* payload = nullptr;
    base::Cycle ready = 0;
  };
  [[nodiscard]] bool full() const { return entries_.full() || (two_ && far_.full()); }
  [[nodiscard]] bool empty() const { return entries_.empty() && far_.empty(); }
  [[nodiscard]] const Entry& front() const { return far_first() ? far_.front() : entries_.front(); }
  void pop() { (far_first() ? far_ : entries_).pop_front(); }
  void push(tlm::tlm_generic_payload* payload, base::Cycle ready, bool far) {
    base::Ring<Entry>& queue = far ? far_ : entries_;
    queue.push_back({payload, ready});
    // An atomic is ready later than requests that other banks serve after it.
    for (std::size_t i = queue.size() - 1; i > 0 && queue[i - 1].ready > queue[i].ready; --i)
      std::swap(queue[i - 1], queue[i]);
  }

 private:
  /// Of two that are ready at once the far one has waited for longer.
  [[nodiscard]] bool far_first() const {
    return !far_.empty() && (entries_.empty() || far_.front().ready <= entries_.front().ready);
  }
  base::Ring<Entry> entries_;
  base::Ring<Entry> far_;
  bool two_;
};

/// Lines that the slice holds or keeps a place for, counted by 4 KiB of the channel's addresses. Regions that are equal modulo
/// kCounts count together, so a count may be too large for one of them.
class HeldLines {
 public:
  static constexpr std::uint64_t kRegionBytes = 4096;

  void add(std::uint64_t line) { ++counts_[index(line)]; }
  void remove(std::uint64_t line) { --counts_[index(line)]; }
  /// No line of the address's region is held.
  [[nodiscard]] bool none(std::uint64_t local) const { return counts_[index(local)] == 0; }

 private:
  static constexpr std::size_t kCounts = 4096;
  [[nodiscard]] static std::size_t index(std::uint64_t local) { return local / kRegionBytes % kCounts; }
  std::vector<std::uint32_t> counts_ = std::vector<std::uint32_t>(kCounts);
};

struct L2Shared {
  L2Shared(const L2Config& config, sim::ProgressMonitor& monitor)
      : transfers(config.dram_queue), responses(config), atomic_unit(config), progress(monitor) {}

  base::Ring<LineTransfer> transfers;
  L2Responses responses;
  HeldLines held;
  AtomicUnit atomic_unit;
  sim::ProgressMonitor& progress;
  L2Counters counters;
};

}  // namespace heddle::memory
