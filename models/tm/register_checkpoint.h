// Registers of a warp as they were when a transaction began ([KiloTM] §4.2.3): those that are live there and written
// within it. Taken while no load of the warp is under way.
#pragma once

#include <cstring>
#include <vector>

#include "base/lane_mask.h"
#include "isa/kernel.h"

namespace heddle::tm {

class RegisterCheckpoint {
 public:
  void take(const isa::Kernel& kernel, const std::vector<isa::RegId>& which, const std::byte* registers) {
    rows_.clear();
    bytes_.clear();
    for (const isa::RegId reg : which) {
      const isa::Operand row = kernel.registers.row(reg);
      rows_.push_back(row);
      bytes_.insert(bytes_.end(), registers + row.offset, registers + row.offset + row_bytes(row));
    }
  }
  void restore(base::LaneMask lanes, std::byte* registers) const {
    const std::byte* from = bytes_.data();
    for (const isa::Operand& row : rows_) {
      std::byte* const to = registers + row.offset;
      if (row.width == isa::RowWidth::kPredicate) {
        std::uint32_t now = 0, then = 0;
        std::memcpy(&now, to, sizeof now);
        std::memcpy(&then, from, sizeof then);
        now = (now & ~lanes.bits()) | (then & lanes.bits());
        std::memcpy(to, &now, sizeof now);
      } else {
        const std::size_t each = row_bytes(row) / base::kLanes;
        lanes.for_each([&](unsigned lane) { std::memcpy(to + lane * each, from + lane * each, each); });
      }
      from += row_bytes(row);
    }
  }

 private:
  static std::size_t row_bytes(const isa::Operand& row) {
    if (row.width == isa::RowWidth::kPredicate) return sizeof(std::uint32_t);
    return base::kLanes * std::size_t{row.width == isa::RowWidth::k64 ? 8u : 4u};
  }
  std::vector<isa::Operand> rows_;
  std::vector<std::byte> bytes_;
};

}  // namespace heddle::tm
