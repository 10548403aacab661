#include "core/register_transfer.h"

#include <algorithm>
#include <array>

namespace heddle::core {

using sim::kLanes;
using sim::LaneMask;

namespace {

constexpr std::size_t row_bytes(isa::RowWidth width) { return width == isa::RowWidth::k64 ? 8 : 4; }

template <class Word>
void broadcast(std::byte* row, LaneMask lanes, std::uint64_t value) {
  const Word word = static_cast<Word>(value);
  if (lanes == LaneMask::all()) {
    std::array<Word, kLanes> all;
    all.fill(word);
    std::memcpy(row, all.data(), sizeof(all));
    return;
  }
  lanes.for_each([&](unsigned lane) { std::memcpy(row + lane * sizeof(Word), &word, sizeof(Word)); });
}

}  // namespace

void load_lane(const isa::Instruction& load, std::byte* registers, unsigned lane, unsigned byte,
               unsigned size, const unsigned char* from) {
  const unsigned element = isa::type_bytes(load.type);
  const bool is_signed = isa::is_signed(load.type);
  for (unsigned at = byte; at < byte + size;) {
    const isa::Operand& dst = load.dst[at / element];
    const unsigned part = std::min(element - at % element, byte + size - at);
    if (dst.present) {
      std::byte* const to = registers + dst.offset + lane * row_bytes(dst.width);
      if (part < element) {  // half of an eight-byte element, which only an eight-byte register holds
        if (dst.width == isa::RowWidth::k64 || at % element == 0) std::memcpy(to + at % element, from, part);
      } else {
        const std::uint64_t value = extended(from, element, is_signed);
        std::memcpy(to, &value, row_bytes(dst.width));
      }
    }
    from += part;
    at += part;
  }
}

void load_uniform(const isa::Instruction& load, std::byte* registers, LaneMask lanes,
                  const unsigned char* from) {
  const unsigned element = isa::type_bytes(load.type);
  const bool is_signed = isa::is_signed(load.type);
  for (unsigned e = 0; e < load.vector; ++e) {
    const isa::Operand& dst = load.dst[e];
    if (!dst.present) continue;
    const std::uint64_t value = extended(from + std::size_t{e} * element, element, is_signed);
    if (dst.width == isa::RowWidth::k64)
      broadcast<std::uint64_t>(registers + dst.offset, lanes, value);
    else
      broadcast<std::uint32_t>(registers + dst.offset, lanes, value);
  }
}

}  // namespace heddle::core
