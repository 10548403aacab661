#include "core/shared_memory.h"

#include <algorithm>
#include <cstring>

namespace heddle::core {

SharedMemoryModel::SharedMemoryModel(const SharedMemoryConfig& config, sim::ProgressMonitor& progress)
    : config_(config), progress_(progress), bytes_(std::size_t{config.size_kib} * 1024) {}

unsigned SharedMemoryModel::count_passes(const MemoryOp& op) {
  const bool is_atomic = op.instruction->op == isa::Opcode::kAtomic;
  const unsigned words_per_lane = std::max(1u, op.bytes_per_lane() / 4);
  // Words seen so far, chained per bank; a warp touches at most 128.
  std::array<std::uint64_t, kMaxPieces> word;
  std::array<std::uint8_t, kMaxPieces> next;
  std::array<std::uint8_t, 32> head;
  std::array<std::uint8_t, 32> load{};
  head.fill(0xff);
  unsigned count = 0;
  unsigned passes = 1;
  op.shared_lanes.for_each([&](unsigned lane) {
    for (unsigned w = 0; w < words_per_lane; ++w) {
      const std::uint64_t index = op.address[lane] / 4 + w;
      const auto bank = static_cast<unsigned>(index % config_.banks);
      bool known = false;
      if (!is_atomic)
        for (std::uint8_t i = head[bank]; i != 0xff && !known; i = next[i]) known = word[i] == index;
      if (known) continue;
      word[count] = index;
      next[count] = head[bank];
      head[bank] = static_cast<std::uint8_t>(count++);
      passes = std::max<unsigned>(passes, ++load[bank]);
    }
  });
  return passes;
}

void SharedMemoryModel::atomic(MemoryOp& op) {
  const isa::Instruction& instruction = *op.instruction;
  const unsigned size = isa::type_bytes(instruction.type);
  op.shared_lanes.for_each([&](unsigned lane) {
    std::uint64_t old = 0;
    std::memcpy(&old, &bytes_[op.address[lane]], size);
    const std::uint64_t value =
        isa::apply_atomic(instruction.atomic_op, instruction.type, old, op.operand[lane], op.compare[lane],
                          /*flush_f32=*/false);
    if (std::memcmp(&value, &old, size) != 0) progress_.memory_changed();
    std::memcpy(&bytes_[op.address[lane]], &value, size);
    op.data.put(lane, 0, reinterpret_cast<const unsigned char*>(&old), size);
  });
}

void SharedMemoryModel::serve(SharedMemoryRequest& request) {
  if (request.op == SharedMemoryRequest::Op::kClear) {
    std::fill_n(bytes_.begin() + request.offset, request.bytes, static_cast<unsigned char>(0));
    return;
  }
  MemoryOp& op = *request.memory_op;
  const unsigned size = op.bytes_per_lane();
  ++accesses;
  request.passes = count_passes(op);
  conflict_passes += request.passes - 1;
  switch (op.instruction->op) {
    case isa::Opcode::kLoad:
      op.shared_lanes.for_each([&](unsigned lane) { op.data.put(lane, 0, &bytes_[op.address[lane]], size); });
      break;
    case isa::Opcode::kStore:
      // Lanes in ascending order: of several lanes writing one word, the highest wins (gpudet §1.1).
      op.shared_lanes.for_each([&](unsigned lane) {
        unsigned char value[16];
        op.data.get(lane, 0, value, size);
        if (std::memcmp(value, &bytes_[op.address[lane]], size) != 0) progress_.memory_changed();
        std::memcpy(&bytes_[op.address[lane]], value, size);
      });
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
