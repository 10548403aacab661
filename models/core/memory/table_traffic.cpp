#include "core/memory/table_traffic.h"

#include <algorithm>
#include <cstring>

namespace heddle::core {
namespace {

constexpr std::uint32_t kAddressRowBytes = kLanes * 8;
constexpr std::uint32_t kWordRowBytes = kLanes * 4;
constexpr std::uint32_t kMostWords = 4;
constexpr std::uint32_t kReconvergenceOffset = 16;  ///< of the second record in an entry's 32 bytes
constexpr LaneMask kOneLane{1};

isa::Operand row(std::uint32_t offset, isa::RowWidth width) {
  isa::Operand operand;
  operand.offset = offset;
  operand.width = width;
  operand.present = true;
  return operand;
}

isa::Operand word_row(std::uint32_t word) {
  return row(kAddressRowBytes + word * kWordRowBytes, isa::RowWidth::k32);
}

}  // namespace

TableTraffic::TableTraffic(const sc_core::sc_module_name& name, std::uint32_t warps, base::StatGroup& stats)
    : sc_module(name), contexts_(std::size_t{warps} * kKinds) {
  for (const Op op : {Op::kSpill, Op::kFill})
    for (const Table table : {Table::kSplit, Table::kReconvergence}) {
      isa::Instruction& instruction = instructions_[kind(op, table)];
      instruction.op = op == Op::kSpill ? isa::Opcode::kStore : isa::Opcode::kLoad;
      instruction.unit = isa::Unit::kMemory;
      instruction.latency_class = isa::LatencyClass::kMemory;
      instruction.type = isa::Type::kB32;
      instruction.space = isa::StateSpace::kGlobal;
      instruction.vector = table == Table::kSplit ? 3 : 4;
      instruction.memory.base = row(0, isa::RowWidth::k64);
      if (op == Op::kFill) instruction.write_count = instruction.vector;
      for (std::uint32_t word = 0; word < instruction.vector; ++word)
        (op == Op::kSpill ? instruction.src[word] : instruction.dst[word]) = word_row(word);
    }
  stats.counter("spills", "table entries", "entries written to memory", &spills_);
  stats.counter("fills", "table entries", "entries read back", &fills_);
  stats.counter("refused", "attempts", "transfers put off because the load/store unit was full", &refused_);
}

void TableTraffic::bind(LsuClientPort& port) {
  client_ = port.id;
  lsu_isock.bind(port.lsu_tsock);
  port.completion_isock.bind(completion_tsock);
}

void TableTraffic::start(simt::TableEntryTransfer& transfer) {
  const std::uint32_t k = kind(transfer.op, transfer.table);
  SpillContext& slot = context(transfer.warp, k);
  transfer.accepted = false;
  // The record of a fill comes back into the slot: one of a kind at a time.
  if (transfer.op == Op::kFill && slot.counters.memory_outstanding != 0) {
    ++refused_;
    return;
  }
  if (slot.rows.empty())
    slot.rows.assign(kAddressRowBytes + std::size_t{kMostWords} * kWordRowBytes, std::byte{0});
  std::byte* const rows = slot.rows.data();
  const std::uint64_t address = base_ + std::uint64_t{transfer.warp.value()} * kTableBytesPerWarp +
                                std::uint64_t{transfer.entry} * kTableRecordBytes +
                                (transfer.table == Table::kReconvergence ? kReconvergenceOffset : 0);
  std::memcpy(rows, &address, sizeof address);
  if (transfer.op == Op::kSpill)
    for (std::uint32_t word = 0; word < transfer.word_count; ++word)
      std::memcpy(rows + word_row(word).offset, &transfer.words[word], sizeof transfer.words[word]);
  const MemorySlice slice{transfer.warp, kOneLane, rows, rows, nullptr, &slot.counters, 0};
  transfer.accepted = lsu_isock.offer({.client = client_,
                                       .core_private = true,
                                       .tag = k,
                                       .instruction = &instructions_[k],
                                       .slices = {&slice, 1},
                                       .cycle = transfer.cycle});
  if (!transfer.accepted) {
    ++refused_;
    return;
  }
  slot.entry = transfer.entry;
  ++(transfer.op == Op::kSpill ? spills_ : fills_);
}

void TableTraffic::complete(LsuCompletion& done) {
  if (done.kind == LsuCompletion::Kind::kLeft) return;
  TableMoved moved{done.slices[0].warp};
  simt::TableEntryTransfer filled;
  if (done.kind == LsuCompletion::Kind::kFinished && done.instruction->op == isa::Opcode::kLoad) {
    const SpillContext& slot = context(moved.warp, done.tag);
    filled.op = Op::kFill;
    filled.table = static_cast<Table>(done.tag % kTables);
    filled.warp = moved.warp;
    filled.entry = slot.entry;
    filled.word_count = done.instruction->vector;
    for (std::uint32_t word = 0; word < filled.word_count; ++word)
      std::memcpy(&filled.words[word], slot.rows.data() + word_row(word).offset, sizeof filled.words[word]);
    moved.filled = &filled;
  }
  moved_isock.call(moved);
}

void TableTraffic::inspect(TableTrafficRequest& question) const {
  const auto first = contexts_.begin() + static_cast<std::ptrdiff_t>(question.warp.value() * kKinds);
  question.quiet = std::all_of(
      first, first + kKinds, [](const SpillContext& slot) { return slot.counters.memory_outstanding == 0; });
}

}  // namespace heddle::core
