// Between register rows and lines: operands when the load/store unit takes an operation, results when an
// access is served.
#include <cstring>

#include "core/memory/load_store_unit.h"
#include "core/memory/register_transfer.h"

namespace heddle::core {

void LoadStoreUnit::read_operands(MemoryInstruction& op) {
  const isa::Instruction& instruction = *op.instruction;
  if (instruction.op == isa::Opcode::kStore) {
    const std::byte* rows[kMaxOperandRows] = {};
    for (unsigned e = 0; e < instruction.vector; ++e) rows[e] = row_of(op, instruction.src[e], e);
    capture_store(instruction, rows, op.data.data());
    return;
  }
  const bool cas = instruction.atomic_op == isa::AtomicOp::kCas;
  const isa::Operand& value = instruction.src[cas ? 1 : 0];
  const isa::Operand& compare = instruction.src[0];
  const std::byte* value_row = row_of(op, value, 0);
  const std::byte* compare_row = cas ? row_of(op, compare, 1) : nullptr;
  op.mask.for_each([&](unsigned lane) {
    op.operand[lane] = lane_value(value_row, value.width, lane);
    op.compare[lane] = cas ? lane_value(compare_row, compare.width, lane) : 0;
  });
}

sim::SectorMask LoadStoreUnit::sectors_of(const MemoryInstruction& op, const LineAccess& access) const {
  if (config_.l1d.sector_bytes == 0) return 1;  // the one sector of a cache without sectors
  const LaneOffsets offsets = op.offsets(access);
  const unsigned unit = op.unit(access);
  unsigned sectors = 0;
  if (offsets.shape == Shape::kUniform)
    sectors = 1u << offsets.first / sector_bytes_;
  else
    access.lanes.for_each(
        [&](unsigned lane) { sectors |= 1u << offsets.offset(lane, unit) / sector_bytes_; });
  return static_cast<sim::SectorMask>(sectors);
}

void LoadStoreUnit::log_delivered(const MemoryInstruction& op, const LineAccess& access,
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

void LoadStoreUnit::deliver(const MemoryInstruction& op, const LineAccess& access,
                            const unsigned char* line) {
  if (log_ != nullptr && log_->active()) log_delivered(op, access, line);
  op.load(op.offsets(access), MemoryInstruction::first_byte(access), op.unit(access), line);
}

void LoadStoreUnit::deliver(const MemoryInstruction& op, const LineAccess& access, const unsigned char* line,
                            sim::SectorMask sectors) {
  if (sectors_of(op, access) == sectors) {
    deliver(op, access, line);
    return;
  }
  if (log_ != nullptr && log_->active()) log_delivered(op, access, line);
  const LaneOffsets offsets = op.offsets(access);
  const unsigned unit = op.unit(access);
  access.lanes.for_each([&](unsigned lane) {
    const std::size_t offset = offsets.offset(lane, unit);
    if ((sectors >> offset / sector_bytes_ & 1u) != 0)
      op.load_one(lane, MemoryInstruction::first_byte(access), unit, line + offset);
  });
}

}  // namespace heddle::core
