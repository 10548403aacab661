#include "core/memory/table_traffic.h"

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
    : sc_module(name), lanes_(warps * std::size_t{kOps} * kTables) {
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
      // No register of the kernel is written: write_count stays 0, so that neither scoreboard nor register
      // file know of it.
      for (std::uint32_t word = 0; word < instruction.vector; ++word)
        (op == Op::kSpill ? instruction.src : instruction.dst)[word] = word_row(word);
    }
  stats.counter("spills", "table entries", "entries written to memory", &spills_);
  stats.counter("fills", "table entries", "entries read back", &fills_);
  stats.counter("refused", "attempts", "transfers put off because the load/store unit was full", &refused_);
}

void TableTraffic::start(simt::TableEntryTransfer& transfer) {
  const std::size_t k = kind(transfer.op, transfer.table);
  Lane& slot = lane(transfer.warp, k);
  transfer.accepted = false;
  // The record of a fill comes back into the slot: one of a kind at a time.
  if (transfer.op == Op::kFill && slot.context.memory_outstanding != 0) {
    ++refused_;
    return;
  }
  isa::RowBytes& registers = slot.context.registers;
  if (registers.empty())
    registers.assign(kAddressRowBytes + std::size_t{kMostWords} * kWordRowBytes, std::byte{0});
  const std::uint64_t address = base_ + std::uint64_t{transfer.warp.value()} * kTableBytesPerWarp +
                                std::uint64_t{transfer.entry} * kTableRecordBytes +
                                (transfer.table == Table::kReconvergence ? kReconvergenceOffset : 0);
  std::memcpy(registers.data(), &address, sizeof address);
  if (transfer.op == Op::kSpill)
    for (std::uint32_t word = 0; word < transfer.word_count; ++word)
      std::memcpy(registers.data() + word_row(word).offset, &transfer.words[word],
                  sizeof transfer.words[word]);
  LsuRequest request;
  request.op = LsuRequest::Op::kOffer;
  request.cycle = now_;
  request.instruction = &instructions_[k];
  request.warp_id = transfer.warp;
  request.warp = &slot.context;
  request.mask = kOneLane;
  request.table = true;
  lsu_isock.call(request);
  if (!request.accepted) {
    ++refused_;
    return;
  }
  slot.entry = transfer.entry;
  transfer.accepted = true;
  started_ = true;
  full_ = request.full;
  ++(transfer.op == Op::kSpill ? spills_ : fills_);
}

bool TableTraffic::finished(WarpId warp, const isa::Instruction& instruction,
                            simt::TableEntryTransfer& filled) {
  if (instruction.op != isa::Opcode::kLoad) return false;
  const auto k = static_cast<std::size_t>(&instruction - instructions_.data());
  const Lane& slot = lane(warp, k);
  filled.op = Op::kFill;
  filled.table = static_cast<Table>(k % kTables);
  filled.warp = warp;
  filled.entry = slot.entry;
  filled.word_count = instruction.vector;
  for (std::uint32_t word = 0; word < filled.word_count; ++word)
    std::memcpy(&filled.words[word], slot.context.registers.data() + word_row(word).offset,
                sizeof filled.words[word]);
  return true;
}

bool TableTraffic::quiet(WarpId warp) const {
  for (std::size_t k = 0; k < std::size_t{kOps} * kTables; ++k)
    if (lanes_[std::size_t{warp.value()} * kOps * kTables + k].context.memory_outstanding != 0) return false;
  return true;
}

}  // namespace heddle::core
