#include "memory/atomic_unit.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "isa/atomic_answer.h"

namespace heddle::memory {

static_assert(std::endian::native == std::endian::little,
              "device memory is little-endian and copied as it is");

AtomicUnit::Result AtomicUnit::execute(sim::MemoryExtension& ext, unsigned char* data, unsigned bytes,
                                       std::uint64_t line, base::Cycle now) {
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
    const std::uint64_t now_there =
        isa::apply_atomic(ext.atomic_op, ext.atomic_type, old, lane.operand, lane.compare);
    result.changed |= std::memcmp(&old, &now_there, width) != 0;
    std::memcpy(at, &now_there, width);
    lane.old = isa::answer_of(ext.atomic_op, old, lane.compare);
  }
  time(ext, count, result);
  free_at_ = now + result.unit_cycles;
  if (!recent_.empty()) {
    recent_[oldest_] = {line, now};
    oldest_ = (oldest_ + 1) % recent_.size();
  }
  return result;
}

// Only what a tree of adders or comparators can compute on integers: integer sums and extrema do not depend
// on the order.
bool AtomicUnit::combines(const sim::MemoryExtension& ext) const {
  if (combine_ == AtomicCombine::kNone || (combine_ == AtomicCombine::kReductions && ext.atomic_returns))
    return false;
  if (isa::is_float(ext.atomic_type)) return false;
  switch (ext.atomic_op) {
    case isa::AtomicOp::kAdd:
    case isa::AtomicOp::kMin:
    case isa::AtomicOp::kMax:
    case isa::AtomicOp::kAnd:
    case isa::AtomicOp::kOr:
    case isa::AtomicOp::kXor:
      return true;
    default:
      return false;
  }
}

void AtomicUnit::time(const sim::MemoryExtension& ext, unsigned count, Result& result) const {
  static_assert(sim::kMaxLineBytes <= 256, "an offset has 8 bits");
  std::array<std::uint8_t, sim::kMaxLineBytes> lanes_at{};
  unsigned addresses = 0, longest = 0;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned lanes = ++lanes_at[ext.atomics[i].offset];
    addresses += lanes == 1;
    longest = std::max(longest, lanes);
  }
  result.operations = count;
  if (combines(ext)) {
    result.operations = addresses;
    longest = std::min(longest, 1u);
  }
  result.unit_cycles = std::max(1u, (result.operations + lanes_per_cycle_ - 1) / lanes_per_cycle_);
  result.bank_cycles = std::max(result.unit_cycles, longest * same_address_cycles_);
  if (results_stream_) return;
  // The next operation on an address starts later than the last one's own result.
  result.done_cycles = longest == 0 ? result.unit_cycles
                                    : std::max(result.unit_cycles, (longest - 1) * same_address_cycles_ + 1);
}

}  // namespace heddle::memory
