#include "memory/atomic_unit.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/atomic.h"

namespace heddle::memory {

static_assert(std::endian::native == std::endian::little,
              "device memory is little-endian and copied as it is");

AtomicUnit::Result AtomicUnit::execute(sim::MemoryExtension& ext, unsigned char* data, unsigned bytes) const {
  const unsigned width = isa::type_bytes(ext.atomic_type);
  const unsigned count = std::min<unsigned>(ext.atomic_count, static_cast<unsigned>(ext.atomics.size()));
  Result result;
  if (width == 0 || width > 8) return {.ok = false};
  for (unsigned i = 0; i < count; ++i)
    if (ext.atomics[i].offset + width > bytes) return {.ok = false};
  for (unsigned i = 0; i < count; ++i) {
    sim::LaneAtomic& lane = ext.atomics[i];
    unsigned char* const at = data + lane.offset;
    std::uint64_t old = 0;
    std::memcpy(&old, at, width);
    const std::uint64_t now =
        isa::apply_atomic(ext.atomic_op, ext.atomic_type, old, lane.operand, lane.compare);
    result.changed |= std::memcmp(&old, &now, width) != 0;
    std::memcpy(at, &now, width);
    lane.old = old;
  }
  result.cycles = std::max(1u, (count + lanes_per_cycle_ - 1) / lanes_per_cycle_);
  return result;
}

}  // namespace heddle::memory
