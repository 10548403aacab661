// What comes back to the load/store unit from L2.
#include "core/memory/load_store_unit.h"
#include "core/memory/lsu_tags.h"

namespace heddle::core {

void LoadStoreUnit::take_response(PortResponse& response) {
  const sim::MemoryExtension& extension = sim::memory_extension(*response.payload);
  const Cycle cycle = response.cycle;
  const std::uint32_t index = extension.tag / kLsuTags;
  switch (static_cast<LsuTag>(extension.tag % kLsuTags)) {
    case LsuTag::kFill:
      take_fill(response, index);
      break;
    case LsuTag::kDisplaced:
      take_displaced(index);
      break;
    case LsuTag::kAccess: {
      MemoryInstruction& op = *ops_[index / kMaxAccesses];
      if (extension.op == sim::MemoryOp::kRead)
        deliver(op, op.accesses[index % kMaxAccesses], response.payload->get_data_ptr());
      if (extension.op == sim::MemoryOp::kAtomic && extension.atomic_returns)
        for (unsigned i = 0; i < extension.atomic_count; ++i)
          op.load_one(extension.atomics[i].lane, 0, op.bytes,
                      reinterpret_cast<const unsigned char*>(&extension.atomics[i].old));
      part_done(op, cycle + 1, cycle);
      break;
    }
  }
}

void LoadStoreUnit::take_fill(const PortResponse& response, std::uint32_t mshr) {
  L1dRequest fill{.op = L1dRequest::Op::kFill, .data = response.payload->get_data_ptr(), .mshr = mshr};
  l1d_isock.call(fill);
  if (fill.writes_back) {
    const MemoryInstruction& first = *ops_[fill.targets[0].op];
    write_back_line(fill.dirty, first, first.accesses[fill.targets[0].access], response.cycle);
  }
  for (std::uint32_t i = 0; i < fill.target_count; ++i) {
    const FillTarget& target = fill.targets[i];
    MemoryInstruction& op = *ops_[target.op];
    deliver(op, op.accesses[target.access], fill.data, target.sectors);
    part_done(op, response.cycle + 1, response.cycle);
  }
}

void LoadStoreUnit::take_displaced(std::uint32_t number) {
  const DisplacedLines::Line line = displaced_.acknowledge(number);
  --line.owner.counters->memory_outstanding;
  LsuCompletion written{LsuCompletion::Kind::kLineWritten, line.client, 0, nullptr, {&line.owner, 1}};
  complete(written);
}

}  // namespace heddle::core
