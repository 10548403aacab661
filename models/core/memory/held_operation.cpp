#include "core/memory/held_operation.h"

#include <algorithm>
#include <cstring>

namespace heddle::core {
namespace {

/// Copies a register row to its offset in `rows`.
void copy_row(const isa::Operand& operand, const std::byte* from, isa::RowBytes& rows) {
  if (!operand.present || operand.space != isa::RowSpace::kRegister) return;
  const std::size_t bytes = kLanes * std::size_t{operand.width == isa::RowWidth::k64 ? 8u : 4u};
  if (rows.size() < operand.offset + bytes) rows.resize(operand.offset + bytes);
  std::memcpy(rows.data() + operand.offset, from + operand.offset, bytes);
}

}  // namespace

HeldOperation::HeldOperation(const LsuRequest& request)
    : instruction_(request.instruction),
      pc_(request.pc),
      cta_(request.cta),
      tag_(request.tag),
      core_private_(request.core_private),
      slice_count_(static_cast<std::uint32_t>(request.slices.size())),
      rows_(slice_count_) {
  std::copy(request.slices.begin(), request.slices.end(), slices_.begin());
  for (std::uint32_t s = 0; s < slice_count_; ++s) {
    MemorySlice& slice = slices_[s];
    slice.counters->begin(instruction_->write_count != 0);
    for (const isa::Operand& row : instruction_->memory.rows()) copy_row(row, slice.sources, rows_[s]);
    for (const isa::Operand& source : instruction_->src) copy_row(source, slice.sources, rows_[s]);
    slice.sources = rows_[s].data();
  }
}

LsuRequest HeldOperation::request(LsuRequest::Op op, Cycle cycle) const {
  return {.op = op,
          .core_private = core_private_,
          .tag = tag_,
          .pc = pc_,
          .instruction = instruction_,
          .slices = slices(),
          .cta = cta_,
          .cycle = cycle};
}

LsuCompletion HeldOperation::answered() {
  count_end();
  return {LsuCompletion::Kind::kFinished, LsuClient::kCore, tag_, instruction_, slices()};
}

void HeldOperation::count_end() {
  const bool writes_registers = instruction_->write_count != 0;
  for (const MemorySlice& slice : slices()) {
    if (!writes_registers) slice.counters->left();
    slice.counters->finish(writes_registers);
  }
}

}  // namespace heddle::core
