#include "core/memory/shared_memory.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "isa/atomic_answer.h"
#include "isa/mbarrier.h"

namespace heddle::core {

SharedMemoryModel::SharedMemoryModel(const SharedMemoryConfig& config, sim::ProgressMonitor& progress,
                                     std::uint32_t core)
    : progress_(progress), core_(core), bytes_(base::zeroed_block(std::size_t{config.size_kib} * 1024)) {}

void SharedMemoryModel::replace(std::size_t offset, const unsigned char* from, std::size_t bytes) {
  unsigned char* const to = &bytes_[offset];
  if (std::memcmp(from, to, bytes) == 0) return;
  progress_.memory_changed();
  if (!progress_.log.active()) {
    std::memcpy(to, from, bytes);
    return;
  }
  // The log is in whole words.
  constexpr std::size_t kWordMask = 3;
  const std::size_t first = offset & ~kWordMask;
  const std::size_t size = ((offset + bytes + kWordMask) & ~kWordMask) - first;
  const std::vector<unsigned char> before(&bytes_[first], &bytes_[first] + size);
  std::memcpy(to, from, bytes);
  progress_.log.changed(sim::MemoryLog::Space::kShared, core_, first, before.data(), &bytes_[first],
                        static_cast<unsigned>(size));
}

void SharedMemoryModel::test_phases(const MemoryInstruction& op) const {
  const LaneOffsets offsets = op.shared_offsets();
  op.shared_lanes.for_each([&](unsigned lane) {
    std::uint64_t barrier = 0;
    std::memcpy(&barrier, &bytes_[offsets.offset(lane, op.bytes)], sizeof barrier);
    std::byte* const to = op.slice(lane).registers + op.instruction->dst[0].offset;
    std::uint32_t lanes = 0;
    std::memcpy(&lanes, to, sizeof lanes);
    const std::uint32_t bit = 1u << lane;
    lanes = isa::phase_is_over(barrier, op.operand[lane]) ? lanes | bit : lanes & ~bit;
    std::memcpy(to, &lanes, sizeof lanes);
  });
}

void SharedMemoryModel::atomic(MemoryInstruction& op) {
  const isa::Instruction& instruction = *op.instruction;
  if (isa::tests_phase(instruction)) [[unlikely]]
    return test_phases(op);
  const unsigned size = op.bytes;
  const LaneOffsets offsets = op.shared_offsets();
  op.shared_lanes.for_each([&](unsigned lane) {
    const std::size_t offset = offsets.offset(lane, size);
    std::uint64_t old = 0;
    std::memcpy(&old, &bytes_[offset], size);
    const std::uint64_t value =
        isa::apply_atomic(instruction.atomic_op, instruction.type, old, op.operand[lane], op.compare[lane],
                          /*in_global=*/false);
    replace(offset, reinterpret_cast<const unsigned char*>(&value), size);
    if (value != old &&
        (isa::compares(instruction.atomic_op) || instruction.atomic_op == isa::AtomicOp::kExch))
      progress_.locks.took(sim::LockHolders::shared_word(core_, static_cast<std::uint32_t>(offset)),
                           op.slice(lane).linear_warp, lane, value);
    old = isa::answer_of(instruction.atomic_op, old, op.compare[lane]);
    if (instruction.write_count != 0)
      op.load_one(lane, 0, size, reinterpret_cast<const unsigned char*>(&old));
  });
}

void SharedMemoryModel::store(const MemoryInstruction& op, const LaneOffsets& offsets) {
  if (offsets.shape == Shape::kRuns) {
    offsets.for_each_run(op.bytes, [&](const LaneOffsets& run) { store(op, run); });
    return;
  }
  if (offsets.contiguous()) {
    const unsigned char* from = op.data_of(offsets.lanes.lowest());
    replace(offsets.first, from, std::size_t{op.bytes} * offsets.lanes.count());
    return;
  }
  // Lanes in ascending order: of several lanes writing one word, the highest wins ([GPUDet] §4.1).
  offsets.lanes.for_each(
      [&](unsigned lane) { replace(offsets.offset(lane, op.bytes), op.data_of(lane), op.bytes); });
}

/// Lane l gets two elements of row l / 4 of each matrix, or of column l / 4.
void SharedMemoryModel::load_matrices(const MemoryInstruction& op) const {
  const isa::Instruction& instruction = *op.instruction;
  const isa::MatrixLoad what = isa::MatrixLoad::unpack(instruction.immediate);
  const LaneOffsets offsets = op.shared_offsets();
  constexpr unsigned kSide = 8;
  for (unsigned m = 0; m < what.matrices; ++m) {
    if (!instruction.dst[m].present) continue;
    std::array<std::array<std::uint16_t, kSide>, kSide> rows;
    for (unsigned r = 0; r < kSide; ++r)
      std::memcpy(rows[r].data(), &bytes_[offsets.offset(kSide * m + r, op.bytes)], sizeof rows[r]);
    std::byte* const to = op.slices[0].registers + instruction.dst[m].offset;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const unsigned line = lane / 4;
      const unsigned first = lane % 4 * 2;
      const std::uint16_t pair[2] = {what.transposed ? rows[first][line] : rows[line][first],
                                     what.transposed ? rows[first + 1][line] : rows[line][first + 1]};
      std::memcpy(to + lane * sizeof pair, pair, sizeof pair);
    }
  }
}

void SharedMemoryModel::serve(SharedMemoryRequest& request) {
  if (request.op == SharedMemoryRequest::Op::kClear) {
    std::fill_n(&bytes_[request.offset], request.bytes, static_cast<unsigned char>(0));
    return;
  }
  MemoryInstruction& op = *request.memory_op;
  ++accesses;
  wide_passes += op.passes_without_conflict - 1u;
  conflict_passes += op.shared_passes - op.passes_without_conflict;
  const unsigned words_per_lane = (op.bytes + 3u) / 4;
  words += std::uint64_t{op.shared_lanes.count_of_mostly_full()} * words_per_lane;
  switch (op.instruction->op) {
    case isa::Opcode::kLoad:
      op.load(op.shared_offsets(), 0, op.bytes, bytes_.get());
      break;
    case isa::Opcode::kStore:
    case isa::Opcode::kAsyncCopy:
      store(op, op.shared_offsets());
      break;
    case isa::Opcode::kLoadMatrix:
      load_matrices(op);
      break;
    default:
      atomic(op);
      break;
  }
}

SharedMemory::SharedMemory(const sc_core::sc_module_name& name, const SharedMemoryConfig& config,
                           sim::ProgressMonitor& progress, std::uint32_t core, base::StatGroup& stats)
    : sc_module(name), model_(config, progress, core) {
  stats.counter("accesses", "warp-instructions", "shared memory instructions served", &model_.accesses);
  stats.counter("conflict_passes", "cycles", "further cycles spent on bank conflicts",
                &model_.conflict_passes);
  stats.counter("wide_passes", "cycles",
                "further passes that accesses of 16 bytes a lane take by their width (wide_lanes)",
                &model_.wide_passes);
  stats.counter("words", "32-bit words", "words read, written or changed by atomics, by each active lane",
                &model_.words);
}

}  // namespace heddle::core
