// Line accesses of the load/store unit: to L1 and to L2.
#include <cstring>

#include "core/memory/load_store_unit.h"
#include "core/memory/lsu_tags.h"
#include "core/memory/register_transfer.h"

namespace heddle::core {

using isa::CacheOp;
using isa::Opcode;
using Result = L1dRequest::Result;

bool LoadStoreUnit::bypasses_l1(const isa::Instruction& instruction) const {
  if (!config_.l1d.enabled) return true;
  switch (instruction.cache_op) {
    case CacheOp::kVolatile:  // .cv, and everything stronger than weak
      // What its CTA writes passes this L1, and that is all a load of CTA scope must see.
      if (scoped_ && instruction.scope == isa::MemoryScope::kCta) return !config_.l1d.cache_global_loads;
      return true;
    case CacheOp::kCacheGlobal:
      return true;
    case CacheOp::kCacheAll:
    case CacheOp::kNonCoherent:
      return false;
    default:
      return !config_.l1d.cache_global_loads;
  }
}

LoadStoreUnit::Stall LoadStoreUnit::access_line(MemoryInstruction& op, const LineAccess& access,
                                                Cycle cycle) {
  switch (op.instruction->op) {
    case Opcode::kLoad:
      if (op.is_private(access) ? config_.l1d.enabled : !op.bypass_l1) return load_line(op, access, cycle);
      return load_past_l1(op, access, cycle);
    case Opcode::kStore:
      return store_line(op, access, cycle);
    default:
      return atomic_line(op, access, cycle);
  }
}

bool LoadStoreUnit::pass_l1(L1dRequest::Op kind, const MemoryInstruction& op, const LineAccess& access,
                            Cycle cycle) {
  if (!config_.l1d.enabled) return true;
  L1dRequest evict{.op = kind, .line = access.line};
  l1d_isock.call(evict);
  if (!evict.writes_back) return true;
  write_back_line(evict.dirty, op, access, cycle);  // only if the address of a local variable was forged
  return false;
}

LoadStoreUnit::Stall LoadStoreUnit::load_past_l1(MemoryInstruction& op, const LineAccess& access,
                                                 Cycle cycle) {
  if (!port_room()) return Stall::kPort;
  // Requests for a line stay in order up to L2: what is fetched from here on is no older than what this load gets. Had an
  // older copy stayed, a weak load that the memory model orders behind this one would find it (in program order, or in
  // another thread of the CTA, behind synchronisation at its scope).
  if (scoped_ && op.instruction->cache_op == CacheOp::kVolatile &&
      !pass_l1(L1dRequest::Op::kStrongLoad, op, access, cycle))
    return Stall::kPort;
  ++loads_;
  send_read(op, access, cycle);
  return Stall::kNone;
}

LoadStoreUnit::Stall LoadStoreUnit::load_line(MemoryInstruction& op, const LineAccess& access, Cycle cycle) {
  L1dRequest look_up{.op = L1dRequest::Op::kLoad,
                     .line = access.line,
                     .target = {op.index, op.next_access, sectors_of(op, access)},
                     .may_send = false};
  l1d_isock.load(look_up);
  if (look_up.result == Result::kHit) {
    ++loads_;
    deliver(op, access, look_up.line_data);
    // The instruction left issue a cycle ago, which the latency includes.
    part_done(op, cycle + config_.l1d.latency_cycles - 1, cycle);
    return Stall::kNone;
  }
  unsigned char wanted[sim::kMaxLineBytes];
  if (look_up.result == Result::kPartial) {
    std::memset(wanted, 0, config_.l1d.line_bytes);
    mark_block(op.offsets(access), op.unit(access), wanted);
    look_up.enables = wanted;
    look_up.result = Result::kPort;
  }
  if (look_up.result == Result::kPort) {
    look_up.may_send = port_room();
    l1d_isock.load(look_up);
    if (look_up.writes_back) write_back_line(look_up.dirty, op, access, cycle);
  }
  switch (look_up.result) {
    case Result::kMshrs:
      return Stall::kMshr;
    case Result::kPort:
    case Result::kPartial:
      return Stall::kPort;
    case Result::kHit:
      deliver(op, access, look_up.line_data);
      part_done(op, cycle + config_.l1d.latency_cycles - 1, cycle);
      break;
    case Result::kMissSend: {
      if (look_up.found != 0) deliver(op, access, look_up.line_data, look_up.found);
      sim::MemoryTransaction& read =
          transaction(op, access, sim::MemoryOp::kRead, lsu_tag(LsuTag::kFill, look_up.mshr), cycle);
      read.extension.wanted_sectors = wanted_sectors(look_up.fetch);
      send(read);
      break;
    }
    case Result::kMissMerged:
      if (look_up.found != 0) deliver(op, access, look_up.line_data, look_up.found);
      break;
    case Result::kBypass:
      if (!port_room()) return Stall::kPort;
      send_read(op, access, cycle);
      break;
  }
  ++loads_;
  return Stall::kNone;
}

LoadStoreUnit::Stall LoadStoreUnit::store_line(MemoryInstruction& op, const LineAccess& access, Cycle cycle) {
  const WritePolicy policy = op.is_private(access) ? config_.l1d.local_write : config_.l1d.global_write;
  if (policy == WritePolicy::kWriteBack && config_.l1d.enabled) return keep_store(op, access, cycle);
  if (!port_room()) return Stall::kPort;
  sim::MemoryTransaction& write = transaction(op, access, sim::MemoryOp::kWrite, lsu_access_tag(op), cycle);
  const LaneOffsets offsets = op.offsets(access);
  const unsigned unit = op.unit(access);
  store_block(offsets, op.data.data(), op.bytes, MemoryInstruction::first_byte(access), unit,
              write.data.data());
  mark_block(offsets, unit, write.enables.data());
  if (config_.l1d.enabled) {
    L1dRequest pass{.op = L1dRequest::Op::kPass,
                    .line = access.line,
                    .update = policy == WritePolicy::kWriteThrough,
                    .data = write.data.data(),
                    .enables = write.enables.data()};
    l1d_isock.call(pass);
    if (pass.writes_back) {  // only if the address of a local variable was forged
      write.release();
      write_back_line(pass.dirty, op, access, cycle);
      return Stall::kPort;
    }
  }
  ++stores_;
  send(write);
  return Stall::kNone;
}

LoadStoreUnit::Stall LoadStoreUnit::keep_store(MemoryInstruction& op, const LineAccess& access, Cycle cycle) {
  unsigned char data[sim::kMaxLineBytes];
  unsigned char enables[sim::kMaxLineBytes];
  const LaneOffsets offsets = op.offsets(access);
  const unsigned unit = op.unit(access);
  std::memset(data, 0, config_.l1d.line_bytes);
  std::memset(enables, 0, config_.l1d.line_bytes);
  store_block(offsets, op.data.data(), op.bytes, MemoryInstruction::first_byte(access), unit, data);
  mark_block(offsets, unit, enables);
  L1dRequest store{.op = L1dRequest::Op::kStore,
                   .line = access.line,
                   .may_send = displaced_.sent(),
                   .data = data,
                   .enables = enables};
  l1d_isock.call(store);
  if (store.writes_back) write_back_line(store.dirty, op, access, cycle);
  if (store.result == Result::kMshrs) return Stall::kMshr;
  if (store.result == Result::kPort) return Stall::kPort;
  ++stores_;
  part_done(op, cycle + 1, cycle);
  return Stall::kNone;
}

LoadStoreUnit::Stall LoadStoreUnit::atomic_line(MemoryInstruction& op, const LineAccess& access,
                                                Cycle cycle) {
  if (!port_room()) return Stall::kPort;
  if (!pass_l1(L1dRequest::Op::kAtomic, op, access, cycle)) return Stall::kPort;
  ++atomics_;
  sim::MemoryTransaction& atomic = transaction(op, access, sim::MemoryOp::kAtomic, lsu_access_tag(op), cycle);
  sim::MemoryExtension& extension = atomic.extension;
  extension.warp = op.slices[0].linear_warp;
  extension.atomic_op = op.instruction->atomic_op;
  extension.atomic_type = op.instruction->type;
  extension.atomic_returns = op.instruction->write_count != 0;
  const LaneOffsets offsets = op.offsets(access);
  std::uint8_t count = 0;
  access.lanes.for_each([&](unsigned lane) {
    extension.atomics[count++] = {
        .lane = static_cast<std::uint8_t>(lane),
        .offset = static_cast<std::uint8_t>(offsets.offset(lane, op.bytes)),
        .warp = static_cast<std::int16_t>(op.slice(lane).linear_warp - extension.warp),
        .operand = op.operand[lane],
        .compare = op.compare[lane]};
  });
  extension.atomic_count = count;
  send(atomic);
  return Stall::kNone;
}

sim::MemoryTransaction& LoadStoreUnit::transaction(const MemoryInstruction& op, const LineAccess& access,
                                                   sim::MemoryOp kind, std::uint32_t tag, Cycle cycle) {
  sim::MemoryTransaction& transaction = pool_.allocate(kind, access.line, config_.l1d.line_bytes);
  transaction.extension.core = core_;
  transaction.extension.tag = tag;
  transaction.extension.bypass_l1 = op.bypass_l1;
  transaction.extension.issued_at = cycle;
  return transaction;
}

void LoadStoreUnit::send_read(const MemoryInstruction& op, const LineAccess& access, Cycle cycle) {
  sim::MemoryTransaction& read = transaction(op, access, sim::MemoryOp::kRead, lsu_access_tag(op), cycle);
  read.extension.wanted_sectors = wanted_sectors(sectors_of(op, access));
  send(read);
}

sim::SectorMask LoadStoreUnit::wanted_sectors(sim::SectorMask sectors) const {
  if (config_.l1d.sector_bytes == 0) return sim::kAllSectors;
  const unsigned ratio = sector_bytes_ / sim::kSectorBytes;
  unsigned wanted = 0;
  for (unsigned i = 0; i * sim::kSectorBytes < config_.l1d.line_bytes; ++i)
    wanted |= (sectors >> i / ratio & 1u) << i;
  return static_cast<sim::SectorMask>(wanted);
}

bool LoadStoreUnit::port_room() {
  // What L1 gave up goes first (displaced_lines.h).
  return displaced_.sent() && port_isock.room(PortClient::kData);
}

void LoadStoreUnit::write_back_line(const DirtyLine& dirty, const MemoryInstruction& op,
                                    const LineAccess& access, Cycle cycle) {
  const std::uint32_t bytes = config_.l1d.line_bytes;
  sim::MemoryTransaction& write = pool_.allocate(sim::MemoryOp::kWrite, dirty.line, bytes);
  write.extension.core = core_;
  write.extension.tag = lsu_tag(LsuTag::kDisplaced, displaced_.next());
  write.extension.issued_at = cycle;
  std::memcpy(write.data.data(), dirty.data, bytes);
  std::memcpy(write.enables.data(), dirty.enables, bytes);
  DisplacedLines::Line line{&write, op.client, op.slice(access.lanes.lowest())};
  line.owner.lanes = LaneMask{};
  ++line.owner.counters->memory_outstanding;
  displaced_.add(line);
}

void LoadStoreUnit::send_displaced() {
  if (port_isock.room(PortClient::kData)) send(displaced_.send());
}

}  // namespace heddle::core
