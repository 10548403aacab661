#include "warp_log/log_traffic.h"

#include <cstring>

namespace heddle::warp_log {
namespace {

constexpr std::uint32_t kAddressRowBytes = core::kLanes * 8;
constexpr std::uint32_t kWordRowBytes = core::kLanes * 4;
constexpr std::uint64_t kWordBytes = 4;

isa::Operand row(std::uint32_t offset, isa::RowWidth width) {
  isa::Operand operand;
  operand.offset = offset;
  operand.width = width;
  operand.present = true;
  return operand;
}

isa::Instruction access(isa::Opcode op) {
  isa::Instruction instruction;
  instruction.op = op;
  instruction.unit = isa::Unit::kMemory;
  instruction.latency_class = isa::LatencyClass::kMemory;
  instruction.type = isa::Type::kB32;
  instruction.space = isa::StateSpace::kGlobal;
  instruction.vector = 1;
  instruction.memory.base = row(0, isa::RowWidth::k64);
  const isa::Operand words = row(kAddressRowBytes, isa::RowWidth::k32);
  if (op == isa::Opcode::kLoad) {
    instruction.write_count = 1;
    instruction.dst[0] = words;
  } else {
    instruction.src[0] = words;
  }
  return instruction;
}

}  // namespace

LogTraffic::LogTraffic(const sc_core::sc_module_name& name, base::StatGroup& stats)
    : sc_module(name), store_(access(isa::Opcode::kStore)), load_(access(isa::Opcode::kLoad)) {
  stats.counter("stores", "accesses", "lines or parts of lines written to logs", &stores_);
  stats.counter("loads", "accesses", "lines or parts of lines read from logs", &loads_);
  stats.counter("refused", "attempts", "accesses put off because the load/store unit was full", &refused_);
}

void LogTraffic::bind_unit(core::LoadStoreUnit& unit, const std::string& name) {
  core::LsuClientPort& port = unit.add_client(name);
  client_ = port.id;
  lsu_isock_.bind(port.lsu_tsock);
  port.completion_isock.bind(completion_tsock_);
}

std::uint32_t LogTraffic::allocate() {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(accesses_.size()));
    accesses_.push_back(std::make_unique<Access>());
    accesses_.back()->rows.assign(kAddressRowBytes + kWordRowBytes, std::byte{0});
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  return index;
}

bool LogTraffic::offer(core::WarpId warp, std::uint64_t address, unsigned words,
                       const isa::Instruction& instruction, std::uint32_t index, core::Cycle cycle) {
  std::byte* const rows = accesses_[index]->rows.data();
  for (unsigned lane = 0; lane < words; ++lane) {
    const std::uint64_t at = address + lane * kWordBytes;
    std::memcpy(rows + lane * sizeof at, &at, sizeof at);
  }
  const core::MemorySlice slice{warp, core::LaneMask::first_lanes(words), rows, rows, nullptr, &counters_, 0};
  if (!lsu_isock_.offer({.client = client_,
                         .core_private = true,
                         .tag = index,
                         .instruction = &instruction,
                         .slices = {&slice, 1},
                         .cycle = cycle})) {
    ++refused_;
    free_.push_back(index);
    return false;
  }
  ++outstanding_;
  return true;
}

bool LogTraffic::store(core::WarpId warp, std::uint64_t address, std::span<const std::uint32_t> words,
                       std::uint64_t tag, core::Cycle cycle) {
  const std::uint32_t index = allocate();
  accesses_[index]->tag = tag;
  std::memcpy(accesses_[index]->rows.data() + kAddressRowBytes, words.data(), words.size_bytes());
  if (!offer(warp, address, static_cast<unsigned>(words.size()), store_, index, cycle)) return false;
  ++stores_;
  return true;
}

bool LogTraffic::load(core::WarpId warp, std::uint64_t address, unsigned words, std::uint64_t tag,
                      core::Cycle cycle) {
  const std::uint32_t index = allocate();
  accesses_[index]->tag = tag;
  if (!offer(warp, address, words, load_, index, cycle)) return false;
  ++loads_;
  return true;
}

void LogTraffic::complete(core::LsuCompletion& done) {
  LogAnswer answer;
  if (done.kind == core::LsuCompletion::Kind::kFinished) {
    const Access& access = *accesses_[done.tag];
    --outstanding_;
    answer.was_load = done.instruction == &load_;
    answer.tag = access.tag;
    std::array<std::uint32_t, kLineWords> words{};
    if (answer.was_load) {
      std::memcpy(words.data(), access.rows.data() + kAddressRowBytes, sizeof words);
      answer.words = {words.data(), done.slices[0].lanes.count()};
    }
    free_.push_back(done.tag);
    answer_isock.call(answer);
  } else if (done.kind == core::LsuCompletion::Kind::kLineWritten) {
    answer.displaced_line = true;
    answer_isock.call(answer);
  }
}

}  // namespace heddle::warp_log
