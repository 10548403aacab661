#include "core/memory/constant_access_stage.h"

namespace heddle::core {

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
