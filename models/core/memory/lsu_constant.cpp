// ld.const and ld.param in the load/store unit.
#include <algorithm>

#include "core/memory/coalescer.h"
#include "core/memory/load_store_unit.h"

namespace heddle::core {

using isa::StateSpace;

void LoadStoreUnit::resolve_constant(MemoryInstruction& op, const AccessContext& context) {
  const isa::Instruction& instruction = *op.instruction;
  const bool param = instruction.space == StateSpace::kParam;
  const auto displacement = static_cast<std::uint64_t>(instruction.memory.displacement);
  const auto [row, base] = resolver_.base_of(op);
  AddressPattern pattern = recognise(row, base, displacement, op.mask, op.bytes, op.runs);
  if (pattern.shape != Shape::kUniform) {
    expand(row, base, displacement, op.address.data());
    pattern.shape = Shape::kScattered;
  }
  check_access(context, instruction.space, op, pattern, op.mask, param ? launch_->params.size() : 0,
               param ? nullptr : &allocations_);
  if (param) {
    pattern.first += launch_->param_base;
    if (pattern.shape == Shape::kScattered)
      op.mask.for_each([&](unsigned lane) { op.address[lane] += launch_->param_base; });
  }
  // Lanes share an access if they want the same word, or the same wider element.
  coalesce(op, pattern, op.mask, std::max<unsigned>(op.bytes, 4));
}

LoadStoreUnit::Stall LoadStoreUnit::read_constant(MemoryInstruction& op, Cycle cycle) {
  const LineAccess& access = op.accesses[op.next_access];
  const ConstantRequest read = constant_isock.read(access.line, {op.index, op.next_access}, cycle);
  switch (read.result) {
    case ConstantRequest::Result::kHit:
      deliver(op, access, read.data);
      // The instruction left issue a cycle ago, which the latency includes.
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
  MemoryInstruction& op = *ops_[value.target.op];
  deliver(op, op.accesses[value.target.access], value.data);
  part_done(op, value.cycle + 1, value.cycle);
}

}  // namespace heddle::core
