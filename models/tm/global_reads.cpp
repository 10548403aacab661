#include "tm/global_reads.h"

#include <cstring>

namespace heddle::tm {
namespace {

constexpr std::uint32_t kAddressRowBytes = base::kLanes * 8;
constexpr std::uint32_t kWordRowBytes = base::kLanes * 4;

isa::Operand row(std::uint32_t offset, isa::RowWidth width) {
  isa::Operand operand;
  operand.offset = offset;
  operand.width = width;
  operand.present = true;
  return operand;
}

isa::Instruction load_of(unsigned words) {
  isa::Instruction load;
  load.op = isa::Opcode::kLoad;
  load.unit = isa::Unit::kMemory;
  load.latency_class = isa::LatencyClass::kMemory;
  load.type = isa::Type::kB32;
  load.space = isa::StateSpace::kGlobal;
  load.cache_op = isa::CacheOp::kCacheGlobal;
  load.vector = static_cast<std::uint8_t>(words);
  load.memory.base = row(0, isa::RowWidth::k64);
  load.write_count = static_cast<std::uint8_t>(words);
  for (unsigned i = 0; i < words; ++i)
    load.dst[i] = row(kAddressRowBytes + i * kWordRowBytes, isa::RowWidth::k32);
  return load;
}

}  // namespace

GlobalReads::GlobalReads(const sc_core::sc_module_name& name) : sc_module(name) {
  for (const unsigned words : {1u, 2u, 4u}) loads_[words] = load_of(words);
}

void GlobalReads::bind_unit(core::LoadStoreUnit& unit, const std::string& name) {
  core::LsuClientPort& port = unit.add_client(name);
  client_ = port.id;
  lsu_isock_.bind(port.lsu_tsock);
  port.completion_isock.bind(completion_tsock_);
}

bool GlobalReads::load(const core::MemorySlice& like, LaneMask lanes, const LaneAddresses& address,
                       unsigned words, const core::CtaContext* cta, core::Pc pc, std::uint32_t tag,
                       core::Cycle cycle) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(accesses_.size()));
    accesses_.push_back(std::make_unique<Access>());
    accesses_.back()->rows.assign(kAddressRowBytes + kMostWords * kWordRowBytes, std::byte{0});
  }
  const std::uint32_t index = free_.back();
  Access& access = *accesses_[index];
  std::memcpy(access.rows.data(), address.data(), kAddressRowBytes);
  core::MemorySlice slice = like;
  slice.lanes = lanes;
  slice.sources = slice.registers = access.rows.data();
  slice.counters = &counters_;
  core::LsuRequest request;
  request.op = core::LsuRequest::Op::kOffer;
  request.client = client_;
  request.tag = index;
  request.pc = pc;
  request.cta = cta;
  request.cycle = cycle;
  request.instruction = &loads_[words];
  request.slices = {&slice, 1};
  lsu_isock_.call(request);
  if (!request.accepted) return false;
  access.tag = tag;
  free_.pop_back();
  return true;
}

void GlobalReads::complete(core::LsuCompletion& done) {
  if (done.kind != core::LsuCompletion::Kind::kFinished) return;
  const Access& access = *accesses_[done.tag];
  const unsigned words = done.instruction->vector;
  LaneWords values{};
  done.slices[0].lanes.for_each([&](unsigned lane) {
    for (unsigned w = 0; w < words; ++w)
      std::memcpy(&values[lane][w], access.rows.data() + kAddressRowBytes + w * kWordRowBytes + lane * 4u, 4);
  });
  GlobalAnswer answer{access.tag, done.slices[0].lanes, &values};
  free_.push_back(done.tag);
  answer_isock.call(answer);
}

}  // namespace heddle::tm
