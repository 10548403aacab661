#include "core/memory/register_transfer.h"

#include <algorithm>
#include <array>

namespace heddle::core {
namespace {

constexpr std::size_t row_bytes(isa::RowWidth width) { return width == isa::RowWidth::k64 ? 8 : 4; }

/// An element of `size` bytes (1, 2, 4 or 8), zero- or sign-extended to 64 bits.
std::uint64_t extended(const unsigned char* from, unsigned size, bool is_signed) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, size);
  if (!is_signed || size == 8) return value;
  const std::uint64_t sign = std::uint64_t{1} << (size * 8 - 1);
  return (value ^ sign) - sign;
}

template <class Word>
void broadcast(std::byte* row, LaneMask lanes, std::uint64_t value) {
  const Word word = static_cast<Word>(value);
  if (lanes == LaneMask::all()) {
    std::array<Word, kLanes> all;
    all.fill(word);
    std::memcpy(row, all.data(), sizeof(all));
    return;
  }
  const unsigned lowest = lanes.lowest();
  const std::uint32_t run = lanes.bits() >> lowest;
  if ((run & (run + 1)) == 0) {
    std::byte* to = row + lowest * sizeof(Word);
    for (unsigned i = lanes.count(); i > 0; --i, to += sizeof(Word)) std::memcpy(to, &word, sizeof(Word));
    return;
  }
  lanes.for_each([&](unsigned lane) { std::memcpy(row + lane * sizeof(Word), &word, sizeof(Word)); });
}

void load_uniform(const isa::Instruction& load, std::byte* registers, LaneMask lanes, unsigned byte,
                  unsigned unit, const unsigned char* from) {
  const unsigned element = isa::type_bytes(load.type);
  const bool is_signed = isa::is_signed(load.type);
  for (unsigned e = byte / element; e < (byte + unit) / element; ++e, from += element) {
    const isa::Operand& dst = load.dst[e];
    if (!dst.present) continue;
    const std::uint64_t value = extended(from, element, is_signed);
    if (dst.width == isa::RowWidth::k64)
      broadcast<std::uint64_t>(registers + dst.offset, lanes, value);
    else
      broadcast<std::uint32_t>(registers + dst.offset, lanes, value);
  }
}

/// One element per lane, as wide as its register.
template <class Word>
void load_row(std::byte* row, const LaneOffsets& offsets, const unsigned char* block) {
  const unsigned lowest = offsets.lanes.lowest();
  if (offsets.contiguous()) {
    std::memcpy(row + lowest * sizeof(Word), block + offsets.first, offsets.lanes.count() * sizeof(Word));
    return;
  }
  offsets.lanes.for_each([&](unsigned lane) {
    std::memcpy(row + lane * sizeof(Word), block + offsets.offset(lane, sizeof(Word)), sizeof(Word));
  });
}

template <std::size_t kElement, std::size_t kRow>
void capture_element(const std::byte* row, unsigned bytes, unsigned char* data) {
  if (bytes == kElement && kElement == kRow) {
    std::memcpy(data, row, kElement * kLanes);
    return;
  }
  for (unsigned lane = 0; lane < kLanes; ++lane)
    std::memcpy(data + std::size_t{lane} * bytes, row + lane * kRow, kElement);
}

}  // namespace

void load_lane(const isa::Instruction& load, std::byte* registers, unsigned lane, unsigned byte,
               unsigned unit, const unsigned char* from) {
  const unsigned element = isa::type_bytes(load.type);
  // Mostly it is one element, as wide as its register: nothing is extended.
  if (unit == element && byte == 0 && element == row_bytes(load.dst[0].width) &&
      load.op == isa::Opcode::kLoad) {
    std::byte* const to = registers + load.dst[0].offset + std::size_t{lane} * element;
    if (!load.dst[0].present) return;
    if (element == 8)
      std::memcpy(to, from, 8);
    else
      std::memcpy(to, from, 4);
    return;
  }
  const bool is_signed = isa::is_signed(load.type);
  for (unsigned at = byte; at < byte + unit;) {
    const isa::Operand& dst = load.dst[at / element];
    const unsigned part = std::min(element - at % element, byte + unit - at);
    if (dst.present) {
      std::byte* const to = registers + dst.offset + lane * row_bytes(dst.width);
      if (part < element) {  // half of an eight-byte element, which only an eight-byte register holds
        if (dst.width == isa::RowWidth::k64 || at % element == 0) std::memcpy(to + at % element, from, part);
      } else {
        const std::uint64_t value = extended(from, element, is_signed);
        std::memcpy(to, &value, row_bytes(dst.width));
      }
    }
    if (load.op == isa::Opcode::kAtomic && load.dst[1].present) [[unlikely]] {  // a pair of rows
      std::memcpy(registers + load.dst[1].offset + lane * row_bytes(load.dst[1].width),
                  from + row_bytes(load.dst[1].width), row_bytes(load.dst[1].width));
    }
    from += part;
    at += part;
  }
}

void load_registers(const isa::Instruction& load, std::byte* registers, const LaneOffsets& offsets,
                    unsigned byte, unsigned unit, const unsigned char* block) {
  // Scattered loads have little else. (std::has_single_bit counts bits, which is a call for the oldest x86-64.)
  if (const std::uint32_t lanes = offsets.lanes.bits(); (lanes & (lanes - 1)) == 0) {
    const unsigned lane = offsets.lanes.lowest();
    return load_lane(load, registers, lane, byte, unit, block + offsets.offset(lane, unit));
  }
  if (offsets.shape == Shape::kRuns) {
    offsets.for_each_run(
        unit, [&](const LaneOffsets& run) { load_registers(load, registers, run, byte, unit, block); });
    return;
  }
  const unsigned element = isa::type_bytes(load.type);
  if (offsets.shape == Shape::kUniform && unit >= element) {
    load_uniform(load, registers, offsets.lanes, byte, unit, block + offsets.first);
    return;
  }
  if (unit == element) {
    const isa::Operand& dst = load.dst[byte / element];
    if (!dst.present) return;
    if (element == 4 && dst.width == isa::RowWidth::k32) {
      load_row<std::uint32_t>(registers + dst.offset, offsets, block);
      return;
    }
    if (element == 8 && dst.width == isa::RowWidth::k64) {
      load_row<std::uint64_t>(registers + dst.offset, offsets, block);
      return;
    }
  }
  offsets.lanes.for_each([&](unsigned lane) {
    load_lane(load, registers, lane, byte, unit, block + offsets.offset(lane, unit));
  });
}

void capture_store(const isa::Instruction& store, const std::byte* const (&rows)[4], unsigned char* data) {
  const unsigned element = isa::type_bytes(store.type);
  const unsigned bytes = element * store.vector;
  for (unsigned e = 0; e < store.vector; ++e) {
    const bool wide = store.src[e].width == isa::RowWidth::k64;
    unsigned char* const to = data + std::size_t{e} * element;
    switch (element) {
      case 1:
        wide ? capture_element<1, 8>(rows[e], bytes, to) : capture_element<1, 4>(rows[e], bytes, to);
        break;
      case 2:
        wide ? capture_element<2, 8>(rows[e], bytes, to) : capture_element<2, 4>(rows[e], bytes, to);
        break;
      case 4:
        wide ? capture_element<4, 8>(rows[e], bytes, to) : capture_element<4, 4>(rows[e], bytes, to);
        break;
      default:
        capture_element<8, 8>(rows[e], bytes, to);
        break;
    }
  }
}

void store_block(const LaneOffsets& offsets, const unsigned char* data, unsigned bytes, unsigned byte,
                 unsigned unit, unsigned char* block) {
  if (offsets.shape == Shape::kRuns) {
    offsets.for_each_run(unit,
                         [&](const LaneOffsets& run) { store_block(run, data, bytes, byte, unit, block); });
    return;
  }
  const unsigned lowest = offsets.lanes.lowest();
  if (unit == bytes && offsets.contiguous()) {
    std::memcpy(block + offsets.first, data + std::size_t{lowest} * bytes,
                std::size_t{offsets.lanes.count()} * bytes);
    return;
  }
  offsets.lanes.for_each([&](unsigned lane) {
    std::memcpy(block + offsets.offset(lane, unit), data + std::size_t{lane} * bytes + byte, unit);
  });
}

void mark_block(const LaneOffsets& offsets, unsigned unit, unsigned char* block) {
  if (offsets.shape == Shape::kRuns) {
    offsets.for_each_run(unit, [&](const LaneOffsets& run) { mark_block(run, unit, block); });
    return;
  }
  if (offsets.contiguous()) {
    std::memset(block + offsets.first, 0xff, std::size_t{offsets.lanes.count()} * unit);
    return;
  }
  offsets.lanes.for_each([&](unsigned lane) { std::memset(block + offsets.offset(lane, unit), 0xff, unit); });
}

}  // namespace heddle::core
