#include "determinism/forwarded_load.h"

#include <cstring>

#include "core/memory/register_transfer.h"

namespace heddle::determinism {

using core::LaneMask;

void ForwardedLoad::search_for(const core::MemoryInstruction& op, const core::LineAccess& access,
                               std::uint32_t entries, std::uint32_t step) {
  std::array<unsigned char, kChunkBytes> wanted{};
  core::mark_block(op.offsets(access), op.bytes, wanted.data());
  ByteMask need;
  for (unsigned byte = 0; byte < kChunkBytes; ++byte)
    if (wanted[byte] != 0) need.set(byte);
  searches_.emplace_back(access.line, need, entries, step);
  searched_ |= access.lanes;
}

void ForwardedLoad::take_addresses(const core::MemoryInstruction& op) {
  for (unsigned i = 0; i < op.access_count; ++i) {
    const core::LineAccess& access = op.accesses[i];
    const core::LaneOffsets offsets = op.offsets(access);
    access.lanes.for_each(
        [&](unsigned lane) { address_[lane] = access.line + offsets.offset(lane, op.bytes); });
  }
}

LogSearch* ForwardedLoad::search(Counters& counters) {
  for (; current_ != searches_.size(); ++current_) {
    LogSearch& of = searches_[current_];
    if (!of.finished()) return &of;
    counters.compared += of.compared();
    ++(of.complete()              ? counters.forwards
       : of.bytes().known.empty() ? counters.false_positives
                                  : counters.partial_forwards);
  }
  return nullptr;
}

LaneMask ForwardedLoad::satisfy(const isa::Instruction& instruction) {
  const unsigned bytes = isa::type_bytes(instruction.type) * instruction.vector;
  LaneMask lanes;
  searched_.for_each([&](unsigned lane) {
    const std::uint64_t at = address_[lane];
    for (const LogSearch& of : searches_) {
      if (of.chunk() != at / kChunkBytes * kChunkBytes) continue;
      bool all = true;
      for (unsigned i = 0; i < bytes; ++i)
        all = all && of.bytes().known.test(static_cast<unsigned>(at - of.chunk()) + i);
      if (all) lanes |= LaneMask(1u << lane);
    }
  });
  searched_ = LaneMask::difference(searched_, lanes);
  return lanes;
}

void ForwardedLoad::merge(const isa::Instruction& instruction, std::byte* registers, LaneMask lanes,
                          bool partly) const {
  const unsigned element = isa::type_bytes(instruction.type);
  const unsigned bytes = element * instruction.vector;
  lanes.for_each([&](unsigned lane) {
    std::array<unsigned char, core::kMaxLaneBytes> raw{};
    if (partly)
      for (unsigned e = 0; e < instruction.vector; ++e) {
        if (!instruction.dst[e].present) continue;
        const std::uint64_t value =
            core::lane_value(registers + instruction.dst[e].offset, instruction.dst[e].width, lane);
        std::memcpy(raw.data() + std::size_t{e} * element, &value, element);
      }
    const std::uint64_t at = address_[lane];
    for (const LogSearch& of : searches_) {
      if (of.chunk() != at / kChunkBytes * kChunkBytes) continue;
      const auto first = static_cast<unsigned>(at - of.chunk());
      for (unsigned i = 0; i < bytes; ++i)
        if (of.bytes().known.test(first + i)) raw[i] = static_cast<unsigned char>(of.bytes().data[first + i]);
    }
    core::load_lane(instruction, registers, lane, 0, bytes, raw.data());
  });
}

}  // namespace heddle::determinism
