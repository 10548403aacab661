#include "microbench/memory_path.h"

#include <algorithm>
#include <cmath>

#include "microbench/core_timing.h"

namespace heddle::microbench {
namespace {

constexpr std::uint64_t kPhases = 64;  // core cycles at which a load is tried

}  // namespace

Edges::Edges(double mhz) : khz_(static_cast<std::uint64_t>(std::llround(mhz * 1e3))) {}

std::uint64_t Edges::time(std::uint64_t k) const { return (k * 1'000'000'000 + khz_ / 2) / khz_; }

std::uint64_t Edges::at_or_after(std::uint64_t time_ps) const {
  std::uint64_t k = time_ps * khz_ / 1'000'000'000;
  while (k > 0 && time(k) >= time_ps) --k;
  while (time(k) < time_ps) ++k;
  return k;
}

MemoryPath::MemoryPath(const gpu::GpuConfig& config)
    : config_(config),
      core_(config.clocks.core_mhz),
      interconnect_(config.clocks.interconnect_mhz),
      l2_(config.clocks.l2_mhz),
      dram_(config.clocks.dram_mhz),
      l2_sector_bytes_(config.memory.l2.sector_bytes != 0 ? config.memory.l2.sector_bytes
                                                          : config.memory.l2.line_bytes),
      map_(config.memory.map()),
      channels_(config.memory.partitions, DramPath(config.memory.dram)) {}

std::uint64_t MemoryPath::flits(std::uint64_t bytes, Way way) const {
  return static_cast<std::uint64_t>(packet_flits(config_, static_cast<double>(bytes), way));
}

// The load/store unit starts on an instruction in the cycle after its issue. The value is in the registers
// one cycle after the response is delivered.
std::uint64_t MemoryPath::l2_hit(std::uint64_t issued) const {
  return delivered(issued + 1, fetched_bytes(config_)) + 1;
}

std::uint64_t MemoryPath::delivered(std::uint64_t sent, std::uint32_t bytes) const {
  return from_l2(to_l2(sent), bytes);
}

MemoryPath::Fetched MemoryPath::l2_miss(std::uint64_t issued, std::uint64_t address) {
  return l2_miss(issued, address, fetched_bytes(config_));
}

MemoryPath::Fetched MemoryPath::l2_miss(std::uint64_t issued, std::uint64_t address, std::uint32_t wanted,
                                        bool far) {
  DramPath& channel = channels_[map_.partition(address).value()];
  const std::uint32_t fetched = std::max(wanted, l2_sector_bytes_);
  const std::uint64_t arrived = dram_.at_or_after(l2_.time(to_l2(issued + 1)));
  const DramPath::Read read = channel.read(map_.local(address) / fetched * fetched, fetched, arrived);
  return {read.outcome, from_l2(l2_.after(dram_.time(read.answered)), wanted, far) + 1};
}

MemoryPath::Trips MemoryPath::l2_trips(std::uint32_t bytes) const {
  Trips trips;
  for (std::uint64_t issued = 0; issued < kPhases; ++issued)
    trips.add(delivered(issued + 1, bytes) + 1 - issued);
  return trips;
}

MemoryPath::Trips MemoryPath::dram_trips(std::uint32_t bytes) const {
  gpu::GpuConfig config = config_;
  config.memory.dram.t_refi = 0;
  const memory::DramConfig& dram = config.memory.dram;
  const std::uint64_t all_banks =
      std::uint64_t{dram.banks} * std::max(dram.row_bytes, dram.bank_interleave_bytes);
  // A line, the next one of its row, and the same offset in other rows, at least one of them in the same
  // bank.
  std::vector<std::uint64_t> locals = {0, bytes};
  for (std::uint64_t row = 1; row <= dram.banks; ++row) locals.push_back(row * all_banks);

  // Pause until the next load, so that no bank is still busy.
  const auto pause = static_cast<std::uint64_t>(std::ceil(2.0 * (dram.t_rc + dram.t_ras + dram.t_faw) *
                                                          config.clocks.core_mhz / config.clocks.dram_mhz));
  Trips trips;
  for (std::uint64_t phase = 0; phase < kPhases * config.memory.l2.halves; ++phase) {
    MemoryPath path(config);
    std::uint64_t issued = phase;
    for (const std::uint64_t local : locals) {
      const Fetched fetched =
          path.l2_miss(issued, map_.global(base::PartitionId{0}, local), bytes, phase >= kPhases);
      if (fetched.outcome == RowOutcome::kHit || fetched.outcome == RowOutcome::kConflict)
        trips.add(fetched.done - issued);
      issued = fetched.done + pause + phase;
    }
  }
  return trips;
}

// Within an instant, cores run before the interconnect, the interconnect before the L2, and the L2 before the
// DRAM (sim/clock.h). So a message in this direction may be handled at a coincident edge; one in the other
// direction only at a later edge.
std::uint64_t MemoryPath::to_l2(std::uint64_t accessed) const {
  const memory::CrossbarConfig& crossbar = config_.memory.crossbar;
  const std::uint64_t granted = interconnect_.at_or_after(core_.time(accessed));
  const std::uint64_t arrived =
      granted + flits(crossbar.header_bytes, Way::kToPartition) + crossbar.latency_cycles;
  return l2_.at_or_after(interconnect_.time(arrived));
}

std::uint64_t MemoryPath::from_l2(std::uint64_t performed, std::uint32_t bytes, bool far) const {
  const memory::CrossbarConfig& crossbar = config_.memory.crossbar;
  const std::uint64_t ready =
      performed + std::max(1u, config_.memory.l2.latency_cycles) + (far ? config_.memory.l2.far_cycles : 0);
  const std::uint64_t granted = interconnect_.after(l2_.time(ready));
  const std::uint64_t arrived =
      granted + flits(crossbar.header_bytes + bytes, Way::kToCore) + crossbar.latency_cycles;
  return core_.after(interconnect_.time(arrived));
}

}  // namespace heddle::microbench
