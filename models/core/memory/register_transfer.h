// Between memory bytes and register rows: the elements of a load, extended to the width of their registers,
// and the bytes of a store.
//
// A load's registers are written when its data arrives and released by the scoreboard when its latency is
// over. Nothing can tell the difference: until then no instruction of the warp may read or write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/memory/lane_offsets.h"
#include "isa/instruction.h"

namespace heddle::core {

/// A register operand of a lane, zero-extended.
[[nodiscard]] inline std::uint64_t lane_value(const std::byte* row, isa::RowWidth width, unsigned lane) {
  if (width == isa::RowWidth::k64) {
    std::uint64_t value;
    std::memcpy(&value, row + lane * std::size_t{8}, 8);
    return value;
  }
  std::uint32_t value;
  std::memcpy(&value, row + lane * std::size_t{4}, 4);
  return value;
}

/// Writes bytes [byte, byte+unit) of the lanes' data, found in `block` at `offsets`, to the destination
/// registers of `load` in the register block of its warp. The range covers whole elements, or four bytes of
/// an eight-byte element.
void load_registers(const isa::Instruction& load, std::byte* registers, const LaneOffsets& offsets,
                    unsigned byte, unsigned unit, const unsigned char* block);

/// The same for one lane, whose bytes begin at `from`.
void load_lane(const isa::Instruction& load, std::byte* registers, unsigned lane, unsigned byte,
               unsigned unit, const unsigned char* from);

/// Copies the data of all 32 lanes of a store, lane after lane, to `data`. `rows`: the source rows, one an
/// element.
void capture_store(const isa::Instruction& store, const std::byte* const (&rows)[4], unsigned char* data);

/// Copies bytes [byte, byte+unit) of each lane's data (`bytes` per lane, lane after lane) to its offset in
/// `block`, lanes in ascending order: of several lanes with one offset the highest wins ([GPUDet] §4.1).
void store_block(const LaneOffsets& offsets, const unsigned char* data, unsigned bytes, unsigned byte,
                 unsigned unit, unsigned char* block);

/// 0xff for every byte of `block` that store_block() writes or load_registers() reads; others are left alone.
void mark_block(const LaneOffsets& offsets, unsigned unit, unsigned char* block);

}  // namespace heddle::core
