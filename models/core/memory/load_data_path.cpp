#include "core/memory/load_data_path.h"

#include <cstring>

namespace heddle::core {

sim::SectorMask LoadDataPath::sectors_of(const MemoryInstruction& op, const LineAccess& access) const {
  if (!sectored_) return 1;  // the one sector of a cache without sectors
  const LaneOffsets offsets = op.offsets(access);
  const unsigned unit = op.unit(access);
  unsigned sectors = 0;
  if (offsets.shape == Shape::kUniform)
    sectors = 1u << offsets.first / sector_bytes_;
  else if (offsets.contiguous())  // no lane is larger than a sector: none is left out
    sectors = (2u << (offsets.first + (access.lanes.count() - 1) * unit) / sector_bytes_) -
              (1u << offsets.first / sector_bytes_);
  else
    access.lanes.for_each(
        [&](unsigned lane) { sectors |= 1u << offsets.offset(lane, unit) / sector_bytes_; });
  return static_cast<sim::SectorMask>(sectors);
}

void LoadDataPath::log(const MemoryInstruction& op, const LineAccess& access,
                       const unsigned char* line) const {
  const LaneOffsets offsets = op.offsets(access);
  const unsigned unit = op.unit(access);
  constexpr std::size_t kWord = 4;
  access.lanes.for_each([&](unsigned lane) {
    const std::size_t first = offsets.offset(lane, unit) & ~(kWord - 1);
    for (std::size_t at = first; at < offsets.offset(lane, unit) + unit; at += kWord) {
      std::uint32_t value = 0;
      std::memcpy(&value, line + at, kWord);
      log_->held(sim::MemoryLog::Space::kDelivered, core_.value(), access.line + at, value);
    }
  });
}

void LoadDataPath::deliver(MemoryInstruction& op, const LineAccess& access, const unsigned char* line) const {
  if (logs(op, access)) log(op, access, line);
  op.load(op.offsets(access), MemoryInstruction::first_byte(access), op.unit(access), line);
}

void LoadDataPath::deliver(MemoryInstruction& op, const LineAccess& access, const unsigned char* line,
                           sim::SectorMask sectors) const {
  if (sectors_of(op, access) == sectors) {
    deliver(op, access, line);
    return;
  }
  if (logs(op, access)) log(op, access, line);
  const LaneOffsets offsets = op.offsets(access);
  const unsigned unit = op.unit(access);
  access.lanes.for_each([&](unsigned lane) {
    const std::size_t offset = offsets.offset(lane, unit);
    if ((sectors >> offset / sector_bytes_ & 1u) != 0)
      op.load_one(lane, MemoryInstruction::first_byte(access), unit, line + offset);
  });
}

}  // namespace heddle::core
