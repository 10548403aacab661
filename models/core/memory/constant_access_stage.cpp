#include "core/memory/constant_access_stage.h"

#include <algorithm>

#include "core/memory/coalescer.h"

namespace heddle::core {

using isa::StateSpace;

void ConstantAccessStage::resolve(MemoryInstruction& op, const AccessContext& context) {
  const isa::Instruction& instruction = *op.instruction;
  const bool param = instruction.space == StateSpace::kParam;
  const auto displacement = static_cast<std::uint64_t>(instruction.memory.displacement);
  const auto [row, base] = resolver_.base_of(op);
  AddressPattern pattern = recognise(row, base, displacement, op.mask, op.bytes, op.runs);
  if (pattern.shape != Shape::kUniform) {
    expand(row, base, displacement, op.address.data());
    pattern.shape = Shape::kScattered;
  }
  check_access(context, instruction.space, op, pattern, op.mask, param ? context.launch->params.size() : 0,
               param ? nullptr : &allocations_);
  if (param) {
    pattern.first += context.launch->param_base;
    if (pattern.shape == Shape::kScattered)
      op.mask.for_each([&](unsigned lane) { op.address[lane] += context.launch->param_base; });
  }
  // Lanes share an access if they want the same word, or the same wider element.
  coalesce(op, pattern, op.mask, std::max<unsigned>(op.bytes, 4));
}

LsuStall ConstantAccessStage::access(MemoryInstruction& op, Cycle cycle, Cycle hit) {
  const LineAccess& access = op.accesses[op.next_access];
  const ConstantRequest read = port_.read(access.line, {op.index, op.next_access}, cycle);
  switch (read.result) {
    case ConstantRequest::Result::kHit:
      load_path_.deliver(op, access, read.data);
      // The instruction left issue a cycle ago, which the latencies include.
      requests_.part_done(op, cycle + (read.late == 0 ? hit : latency_cycles_ - 1 + read.late), cycle);
      break;
    case ConstantRequest::Result::kMiss:
      break;
    case ConstantRequest::Result::kStall:
      return LsuStall::kConstant;
    case ConstantRequest::Result::kNoPort:
      return LsuStall::kPort;
  }
  ++accesses_;
  return LsuStall::kNone;
}

void ConstantAccessStage::take(const ConstantValue& value) {
  MemoryInstruction& op = requests_[value.target.op];
  load_path_.deliver(op, op.accesses[value.target.access], value.data);
  requests_.part_done(op, value.cycle + 1, value.cycle);
}

}  // namespace heddle::core
