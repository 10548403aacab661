#include "core/shared_memory.h"

#include <algorithm>
#include <cstring>

#include "core/register_transfer.h"

namespace heddle::core {

SharedMemoryModel::SharedMemoryModel(const SharedMemoryConfig& config, sim::ProgressMonitor& progress)
    : progress_(progress), bytes_(std::size_t{config.size_kib} * 1024) {}

void SharedMemoryModel::atomic(MemoryOp& op) {
  const isa::Instruction& instruction = *op.instruction;
  const unsigned size = op.bytes;
  const LanePlaces places = op.shared_places();
  op.shared_lanes.for_each([&](unsigned lane) {
    unsigned char* const at = &bytes_[places.offset(lane, size)];
    std::uint64_t old = 0;
    std::memcpy(&old, at, size);
    const std::uint64_t value =
        isa::apply_atomic(instruction.atomic_op, instruction.type, old, op.operand[lane], op.compare[lane],
                          /*flush_f32=*/false);
    if (std::memcmp(&value, &old, size) != 0) progress_.memory_changed();
    std::memcpy(at, &value, size);
    if (instruction.write_count != 0)
      load_lane(instruction, op.registers, lane, 0, size, reinterpret_cast<const unsigned char*>(&old));
  });
}

void SharedMemoryModel::store(const MemoryOp& op, const LanePlaces& places) {
  if (places.shape == Shape::kRuns) {
    places.for_each_run(op.bytes, [&](const LanePlaces& run) { store(op, run); });
    return;
  }
  if (places.contiguous()) {
    const unsigned char* from = op.data_of(places.lanes.lowest());
    const std::size_t size = std::size_t{op.bytes} * places.lanes.count();
    if (std::memcmp(from, &bytes_[places.first], size) == 0) return;
    progress_.memory_changed();
    std::memcpy(&bytes_[places.first], from, size);
    return;
  }
  // Lanes in ascending order: of several lanes writing one word, the highest wins (gpudet §1.1).
  places.lanes.for_each([&](unsigned lane) {
    unsigned char* const to = &bytes_[places.offset(lane, op.bytes)];
    if (std::memcmp(op.data_of(lane), to, op.bytes) == 0) return;
    progress_.memory_changed();
    std::memcpy(to, op.data_of(lane), op.bytes);
  });
}

void SharedMemoryModel::serve(SharedMemoryRequest& request) {
  if (request.op == SharedMemoryRequest::Op::kClear) {
    std::fill_n(bytes_.begin() + request.offset, request.bytes, static_cast<unsigned char>(0));
    return;
  }
  MemoryOp& op = *request.memory_op;
  ++accesses;
  conflict_passes += op.shared_passes - 1u;
  switch (op.instruction->op) {
    case isa::Opcode::kLoad:
      load_registers(*op.instruction, op.registers, op.shared_places(), 0, op.bytes, bytes_.data());
      break;
    case isa::Opcode::kStore:
      store(op, op.shared_places());
      break;
    default:
      atomic(op);
      break;
  }
}

SharedMemory::SharedMemory(const sc_core::sc_module_name& name, const SharedMemoryConfig& config,
                           sim::ProgressMonitor& progress, sim::StatGroup& stats)
    : sc_module(name), model_(config, progress) {
  stats.counter("accesses", "warp-instructions", "shared memory instructions served", &model_.accesses);
  stats.counter("conflict_passes", "cycles", "further cycles spent on bank conflicts",
                &model_.conflict_passes);
}

}  // namespace heddle::core
