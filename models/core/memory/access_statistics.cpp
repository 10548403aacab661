#include "core/memory/access_statistics.h"

#include <bit>
#include <string>
#include <vector>

namespace heddle::core {
namespace {

/// 32-byte sectors of the access's line, a bit each.
unsigned sectors_of(const MemoryInstruction& op, const LineAccess& access) {
  const LaneOffsets offsets = op.offsets(access);
  const unsigned unit = op.unit(access);
  unsigned sectors = 0;
  if (offsets.contiguous())
    return (2u << (offsets.first + access.lanes.count() * unit - 1) / sim::kSectorBytes) -
           (1u << offsets.first / sim::kSectorBytes);
  access.lanes.for_each([&](unsigned lane) {
    const unsigned first = offsets.offset(lane, unit);
    sectors |= 1u << first / sim::kSectorBytes | 1u << (first + unit - 1) / sim::kSectorBytes;
  });
  return sectors;
}

}  // namespace

void AccessStatistics::declare(base::StatGroup& stats) {
  const std::vector<std::string> kinds{"global_load",      "global_store", "global_atomic",
                                       "global_reduction", "local_load",   "local_store"};
  stats.counters("requests", "warp-instructions", "memory instructions, by what they access", kinds,
                 requests_.data());
  base::StatGroup& sectors = stats.child("sectors", "32-byte sectors that memory instructions touch");
  for (unsigned k = 0; k < kKinds; ++k)
    sectors.counter(kinds[k], "sectors", "sectors touched, those of an instruction once", &sectors_[k]);
  sectors.counter("global_load_hit", "sectors", "of global_load: found in L1, or on their way to it",
                  &load_hits_);
}

AccessStatistics::Kind AccessStatistics::kind_of(const MemoryInstruction& op) {
  const bool local = op.accesses[0].local;
  switch (op.instruction->op) {
    case isa::Opcode::kLoad:
    case isa::Opcode::kAsyncCopy:
      return local ? Kind::kLocalLoad : Kind::kGlobalLoad;
    case isa::Opcode::kStore:
    case isa::Opcode::kSurfaceStore:
      return local ? Kind::kLocalStore : Kind::kGlobalStore;
    default:
      // Reductions neither exchange nor compare: those are atomics, whose old value nobody may want.
      return op.instruction->write_count != 0 || op.instruction->atomic_op == isa::AtomicOp::kExch ||
                     isa::compares(op.instruction->atomic_op)
                 ? Kind::kGlobalAtomic
                 : Kind::kGlobalReduction;
  }
}

void AccessStatistics::count(const MemoryInstruction& op) {
  if (op.access_count == 0) return;
  const auto kind = static_cast<unsigned>(kind_of(op));
  ++requests_[kind];
  for (unsigned i = 0; i < op.access_count; ++i)
    sectors_[kind] += static_cast<unsigned>(std::popcount(sectors_of(op, op.accesses[i])));
}

void AccessStatistics::hit(const MemoryInstruction& op, const LineAccess& access, sim::SectorMask found,
                           unsigned sector_bytes) {
  if (access.local ||
      (op.instruction->op != isa::Opcode::kLoad && op.instruction->op != isa::Opcode::kAsyncCopy))
    return;
  // The cache's sectors in those of the statistics; a cache without sectors has one, the line.
  const unsigned touched = sectors_of(op, access);
  unsigned hits = 0;
  for (unsigned i = 0; i < sim::kMaxLineBytes / sim::kSectorBytes; ++i)
    if ((touched >> i & 1u) != 0 && (found >> i * sim::kSectorBytes / sector_bytes & 1u) != 0) ++hits;
  load_hits_ += hits;
}

}  // namespace heddle::core
