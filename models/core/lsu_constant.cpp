// ld.const and ld.param in the load/store unit.
#include <algorithm>

#include "core/access_check.h"
#include "core/load_store_unit.h"
#include "core/register_transfer.h"

namespace heddle::core {

using isa::StateSpace;

void LoadStoreUnit::resolve_constant(MemoryOp& op, const LsuRequest& request) {
  const isa::Instruction& instruction = *op.instruction;
  const isa::Operand& base = instruction.memory.base;
  const bool param = instruction.space == StateSpace::kParam;
  const unsigned bytes = op.bytes_per_lane();
  auto first = static_cast<std::uint64_t>(instruction.memory.displacement);
  op.uniform = true;
  if (base.present) {
    const std::byte* row = request.warp->registers.data() + base.offset;
    const std::uint64_t lowest = lane_value(row, base.width, op.mask.lowest());
    op.mask.for_each([&](unsigned lane) { op.uniform &= lane_value(row, base.width, lane) == lowest; });
    if (!op.uniform)
      op.mask.for_each([&](unsigned lane) { op.address[lane] = lane_value(row, base.width, lane) + first; });
    first += lowest;
  }
  const std::uint64_t region = param ? launch_->param_base : 0;
  const std::uint64_t limit = param ? launch_->params.size() : 0;
  const AccessSite site{launch_, request.cta, request.warp, request.pc, op.instruction};
  const auto check = [&] {
    check_access(site, instruction.space, op.address, op.mask, bytes, limit, param ? nullptr : &allocations_);
  };
  if (op.uniform) {
    const bool inside = param ? first < limit && bytes <= limit - first : allocations_.contains(first, bytes);
    if ((first & (bytes - 1)) != 0 || !inside) {
      op.address.fill(first);
      check();
    }
    op.coalesced.access_count = 1;
    op.coalesced.accesses[0] = {region + first, 0, 0};
    return;
  }
  check();
  op.mask.for_each([&](unsigned lane) { op.address[lane] += region; });
  // Lanes share an access if they want the same word, or the same wider element.
  coalesce(op.address, op.mask, bytes, std::max(bytes, 4u), op.coalesced);
}

LoadStoreUnit::Stall LoadStoreUnit::read_constant(MemoryOp& op, Cycle cycle) {
  const LineAccess& access = op.coalesced.accesses[op.next_access];
  ConstantRequest read;
  read.address = access.line;
  read.target = {op.index, op.next_access};
  read.cycle = cycle;
  constant_isock.call(read);
  switch (read.result) {
    case ConstantRequest::Result::kHit:
      deliver_constant(op, access, read.data);
      // The address left the queue the cycle after issue, which the latency includes.
      part_done(op, cycle + config_.constant_cache.latency_cycles - 1, cycle);
      break;
    case ConstantRequest::Result::kMiss:
      break;
    case ConstantRequest::Result::kStall:
      return Stall::kConstant;
    case ConstantRequest::Result::kNoPort:
      return Stall::kPort;
  }
  ++constant_accesses_;
  return Stall::kNone;
}

void LoadStoreUnit::take_constant(ConstantValue& value) {
  MemoryOp& op = *ops_[value.target.op];
  deliver_constant(op, op.coalesced.accesses[value.target.access], value.data);
  part_done(op, value.cycle + 1, value.cycle);
}

void LoadStoreUnit::deliver_constant(MemoryOp& op, const LineAccess& access, const unsigned char* data) {
  std::byte* registers = warp_of_op_[op.index]->registers.data();
  if (op.uniform) {
    load_uniform(*op.instruction, registers, op.mask, data);
    return;
  }
  const Piece* pieces = &op.coalesced.pieces[access.first];
  for (unsigned p = 0; p < access.count; ++p)
    load_lane(*op.instruction, registers, pieces[p].lane, 0, pieces[p].size, data + pieces[p].line_offset);
}

}  // namespace heddle::core
