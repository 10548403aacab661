// Detects a memory channel that has stopped answering.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "memory/address_map.h"
#include "sim/clock.h"

namespace heddle::memory {

class MemoryPartition;
class PartitionUnit;

/// Unanswered requests of a partition to its memory. Times are model time (sim::ClockManager::now()).
struct ChannelWait {
  std::uint32_t outstanding = 0;  ///< requests without a response
  std::uint32_t queued = 0;       ///< lines in the L2 that have yet to be fetched or written back
  std::uint64_t answered = 0;     ///< responses so far
  std::uint64_t last_answer = 0;  ///< 0: none yet
  // The oldest request; only if there is one.
  std::uint64_t local = 0;    ///< AddressMap::local()
  std::uint64_t channel = 0;  ///< the address the memory received
  std::uint32_t bytes = 0;
  bool write = false;
  std::uint64_t sent = 0;
  bool no_end_request = false;      ///< a request has not received its END_REQ, so no other can be sent
  std::vector<base::CoreId> cores;  ///< whose requests wait for the oldest, once per request
  bool unit = false;                ///< a request of the partition's unit waits for it
};

/// A memory behind a partition may be slow, and parts of it may not be modelled here, so no state of the GPU
/// proves that it will never answer. Hence a limit: a channel is silent if it has requests outstanding and
/// has not answered any for `limit` core cycles. One answer restarts the count. The longest silence of a real
/// DRAM is its power-up (0.7 ms for DDR4, [DDR4] §3.3.1); refresh and self-refresh take microseconds.
///
/// A partition unit is silent if it holds requests or messages and neither it nor anything behind it has done
/// anything for twice the limit. If a memory is silent and a unit waits because of it, the memory is
/// reported.
///
/// Costs nothing between the watchdog's checks, which call silent().
class MemoryWatch {
 public:
  /// `core_clock`: the clock that counts the cycles. `limit` 0: no limit.
  MemoryWatch(base::Cycle limit, const sim::ClockDomain& core_clock, const AddressMap& map)
      : limit_(limit), core_clock_(core_clock), map_(map) {}

  /// All partitions, by number. Called before simulation starts.
  void watch(std::vector<const MemoryPartition*> partitions) { partitions_ = std::move(partitions); }
  /// The partitions' units, by number. Called before simulation starts.
  void watch_units(std::vector<const PartitionUnit*> units) { units_ = std::move(units); }

  struct Silence {
    std::string text;                 ///< which channel or unit, since when, and the request it has not
                                      ///< answered
    std::vector<base::CoreId> cores;  ///< those that wait for its oldest request; empty: unknown
  };
  /// The first silent channel, or else the first silent unit, if there is one. `name` describes a global
  /// address.
  [[nodiscard]] std::optional<Silence> silent(const std::function<std::string(std::uint64_t)>& name) const;
  [[nodiscard]] static std::string remedy();

 private:
  [[nodiscard]] base::Cycle cycles_since(std::uint64_t time) const;
  [[nodiscard]] std::optional<Silence> silent_unit() const;
  [[nodiscard]] std::string describe(std::uint32_t channel, const ChannelWait& wait,
                                     const std::function<std::string(std::uint64_t)>& name) const;

  base::Cycle limit_;
  const sim::ClockDomain& core_clock_;
  AddressMap map_;
  std::vector<const MemoryPartition*> partitions_;
  std::vector<const PartitionUnit*> units_;
};

}  // namespace heddle::memory
