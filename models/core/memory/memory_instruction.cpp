#include "core/memory/memory_instruction.h"

#include <cstring>

namespace heddle::core {

void MemoryInstruction::take_many(std::span<const MemorySlice> from) {
  mask = LaneMask{};
  for (std::uint8_t s = 0; s < slice_count; ++s) {
    slices[s] = from[s];
    mask |= from[s].lanes;
    from[s].lanes.for_each([&](unsigned lane) { slice_of_lane[lane] = s; });
  }
}

const std::byte* MemoryInstruction::gather_many(const isa::Operand& source, GatheredRow& row) const {
  if (!source.present) return row.data();
  const std::size_t bytes_per_lane = source.width == isa::RowWidth::k64 ? 8 : 4;
  for (const MemorySlice& part : all_slices()) {
    const std::byte* const from = block_of(part, source) + source.offset;
    part.lanes.for_each([&](unsigned lane) {
      std::memcpy(row.data() + lane * bytes_per_lane, from + lane * bytes_per_lane, bytes_per_lane);
    });
  }
  return row.data();
}

void MemoryInstruction::hold(const LaneOffsets& at, unsigned byte, unsigned unit_bytes,
                             const unsigned char* block) {
  at.lanes.for_each([&](unsigned lane) {
    std::memcpy(data.data() + std::size_t{lane} * bytes + byte, block + at.offset(lane, unit_bytes),
                unit_bytes);
  });
}

void MemoryInstruction::load_many(const LaneOffsets& at, unsigned byte, unsigned unit_bytes,
                                  const unsigned char* block) const {
  for (const MemorySlice& part : all_slices())
    if (const LaneOffsets here = at.within(part.lanes, unit_bytes); here.lanes.any())
      load_registers(*instruction, part.registers, here, byte, unit_bytes, block);
}

void MemoryInstruction::load_one(unsigned lane, unsigned byte, unsigned unit_bytes,
                                 const unsigned char* from) {
  if (instruction->op == isa::Opcode::kAsyncCopy) [[unlikely]] {
    std::memcpy(data.data() + std::size_t{lane} * bytes + byte, from, unit_bytes);
    return;
  }
  load_lane(*instruction, slice(lane).registers, lane, byte, unit_bytes, from);
}

}  // namespace heddle::core
