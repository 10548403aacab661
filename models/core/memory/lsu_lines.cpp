// Line accesses of the load/store unit: to L1, to L2, and what comes back.
#include <algorithm>
#include <cstring>

#include "core/memory/load_store_unit.h"
#include "core/memory/register_transfer.h"

namespace heddle::core {

using isa::Opcode;
using Result = L1dRequest::Result;

namespace {

// A response finds its way back by tag: what it is, and which MSHR, which operation and line access, or which
// write-back.
enum class TagKind : std::uint32_t { kAccess, kFill, kWriteBack };
constexpr std::uint32_t kTagKinds = 4;

constexpr std::uint32_t tag_of(TagKind kind, std::uint32_t index) {
  return index * kTagKinds + static_cast<std::uint32_t>(kind);
}
constexpr std::uint32_t access_tag(const MemoryInstruction& op) {
  return tag_of(TagKind::kAccess, op.index * kMaxAccesses + op.next_access);
}

constexpr sim::SectorMask kWholeLine = 1;  ///< the one sector of a cache without sectors

}  // namespace

LoadStoreUnit::Stall LoadStoreUnit::access_line(MemoryInstruction& op, const LineAccess& access,
                                                Cycle cycle) {
  switch (op.instruction->op) {
    case Opcode::kLoad:
      if (op.is_private(access) ? config_.l1d.enabled : !op.bypass_l1) return load_line(op, access, cycle);
      if (!port_room()) return Stall::kPort;
      ++loads_;
      send_read(op, access, cycle);
      return Stall::kNone;
    case Opcode::kStore:
      return store_line(op, access, cycle);
    default:
      return atomic_line(op, access, cycle);
  }
}

LoadStoreUnit::Stall LoadStoreUnit::load_line(MemoryInstruction& op, const LineAccess& access, Cycle cycle) {
  L1dRequest look_up;
  look_up.line = access.line;
  look_up.target = {op.index, op.next_access, sectors_of(op, access)};
  look_up.may_send = false;
  l1d_isock.call(look_up);
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
    mark_block(op.places(access), op.unit(access), wanted);
    look_up.enables = wanted;
    look_up.result = Result::kPort;
  }
  if (look_up.result == Result::kPort) {
    look_up.may_send = port_room();
    l1d_isock.call(look_up);
    if (look_up.writes_back) write_back_line(look_up.dirty, op.warp, op.warp_id, cycle);
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
          transaction(op, access, sim::MemoryOp::kRead, tag_of(TagKind::kFill, look_up.mshr), cycle);
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
  sim::MemoryTransaction& write = transaction(op, access, sim::MemoryOp::kWrite, access_tag(op), cycle);
  const LaneOffsets places = op.places(access);
  const unsigned unit = op.unit(access);
  store_block(places, op.data.data(), op.bytes, MemoryInstruction::first_byte(access), unit,
              write.data.data());
  mark_block(places, unit, write.enables.data());
  if (config_.l1d.enabled) {
    L1dRequest pass;
    pass.op = L1dRequest::Op::kPass;
    pass.line = access.line;
    pass.update = policy == WritePolicy::kWriteThrough;
    pass.data = write.data.data();
    pass.enables = write.enables.data();
    l1d_isock.call(pass);
    if (pass.writes_back) {  // only if the address of a local variable was forged
      write.release();
      write_back_line(pass.dirty, op.warp, op.warp_id, cycle);
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
  const LaneOffsets places = op.places(access);
  const unsigned unit = op.unit(access);
  std::memset(data, 0, config_.l1d.line_bytes);
  std::memset(enables, 0, config_.l1d.line_bytes);
  store_block(places, op.data.data(), op.bytes, MemoryInstruction::first_byte(access), unit, data);
  mark_block(places, unit, enables);
  L1dRequest store;
  store.op = L1dRequest::Op::kStore;
  store.line = access.line;
  store.data = data;
  store.enables = enables;
  store.may_send = write_backs_.empty();
  l1d_isock.call(store);
  if (store.writes_back) write_back_line(store.dirty, op.warp, op.warp_id, cycle);
  if (store.result == Result::kMshrs) return Stall::kMshr;
  if (store.result == Result::kPort) return Stall::kPort;
  ++stores_;
  part_done(op, cycle + 1, cycle);
  return Stall::kNone;
}

LoadStoreUnit::Stall LoadStoreUnit::atomic_line(MemoryInstruction& op, const LineAccess& access,
                                                Cycle cycle) {
  if (!port_room()) return Stall::kPort;
  if (config_.l1d.enabled) {
    L1dRequest evict;
    evict.op = L1dRequest::Op::kAtomic;
    evict.line = access.line;
    l1d_isock.call(evict);
    if (evict.writes_back) {
      write_back_line(evict.dirty, op.warp, op.warp_id, cycle);
      return Stall::kPort;
    }
  }
  ++atomics_;
  sim::MemoryTransaction& atomic = transaction(op, access, sim::MemoryOp::kAtomic, access_tag(op), cycle);
  sim::MemoryExtension& extension = atomic.extension;
  extension.warp = op.warp->linear_warp;
  extension.atomic_op = op.instruction->atomic_op;
  extension.atomic_type = op.instruction->type;
  extension.atomic_returns = op.instruction->write_count != 0;
  const LaneOffsets places = op.places(access);
  std::uint8_t count = 0;
  access.lanes.for_each([&](unsigned lane) {
    extension.atomics[count++] = {static_cast<std::uint8_t>(lane),
                                  static_cast<std::uint8_t>(places.offset(lane, op.bytes)), op.operand[lane],
                                  op.compare[lane], 0};
  });
  extension.atomic_count = count;
  send(atomic);
  return Stall::kNone;
}

// ---- Towards L2
// ------------------------------------------------------------------------------------------------------

sim::MemoryTransaction& LoadStoreUnit::transaction(const MemoryInstruction& op, const LineAccess& access,
                                                   sim::MemoryOp kind, std::uint32_t tag, Cycle cycle) {
  sim::MemoryTransaction& transaction = pool_.allocate(kind, access.line, config_.l1d.line_bytes);
  transaction.extension.core = core_;
  transaction.extension.tag = tag;
  transaction.extension.bypass_l1 = op.bypass_l1;
  transaction.extension.issued_at = cycle;
  return transaction;
}

void LoadStoreUnit::send(sim::MemoryTransaction& transaction) {
  PortRequest request;
  request.op = PortRequest::Op::kSend;
  request.client = PortClient::kData;
  request.transaction = &transaction;
  port_isock.call(request);
}

void LoadStoreUnit::send_read(const MemoryInstruction& op, const LineAccess& access, Cycle cycle) {
  sim::MemoryTransaction& read = transaction(op, access, sim::MemoryOp::kRead, access_tag(op), cycle);
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
  // What L1 gave up goes first: a later read of that line must find it in L2.
  if (!write_backs_.empty()) return false;
  PortRequest request;
  port_isock.call(request);
  return request.room;
}

void LoadStoreUnit::write_back_line(const DirtyLine& dirty, WarpContext* warp, WarpId warp_id, Cycle cycle) {
  if (free_write_backs_.empty()) {
    free_write_backs_.push_back(static_cast<std::uint32_t>(write_backs_on_way_.size()));
    write_backs_on_way_.emplace_back();
  }
  const std::uint32_t slot = free_write_backs_.back();
  free_write_backs_.pop_back();
  const std::uint32_t bytes = config_.l1d.line_bytes;
  sim::MemoryTransaction& write = pool_.allocate(sim::MemoryOp::kWrite, dirty.line, bytes);
  write.extension.core = core_;
  write.extension.tag = tag_of(TagKind::kWriteBack, slot);
  write.extension.issued_at = cycle;
  std::memcpy(write.data.data(), dirty.data, bytes);
  std::memcpy(write.enables.data(), dirty.enables, bytes);
  write_backs_on_way_[slot] = {&write, warp, warp_id, slot};
  write_backs_.push_back(write_backs_on_way_[slot]);
  ++warp->memory_outstanding;
}

void LoadStoreUnit::send_write_back() {
  PortRequest request;
  port_isock.call(request);
  if (!request.room) return;
  send(*write_backs_.front().transaction);
  write_backs_.pop_front();
}

bool LoadStoreUnit::on_its_way(std::uint64_t address, std::byte& to) const {
  const std::uint64_t offset = address & (config_.l1d.line_bytes - 1);
  const sim::MemoryTransaction* newest = nullptr;  // a line can be given up again before L2 has it
  for (const WriteBack& write_back : write_backs_on_way_) {
    const sim::MemoryTransaction* const line = write_back.transaction;
    if (line == nullptr || line->get_address() != address - offset || line->enables[offset] == 0) continue;
    if (newest == nullptr || line->extension.issued_at > newest->extension.issued_at) newest = line;
  }
  if (newest != nullptr) to = static_cast<std::byte>(newest->data[offset]);
  return newest != nullptr;
}

// ---- From L2
// ---------------------------------------------------------------------------------------------------------

void LoadStoreUnit::take_response(PortResponse& response) {
  const sim::MemoryExtension& extension = sim::memory_extension(*response.payload);
  const Cycle cycle = response.cycle;
  const std::uint32_t index = extension.tag / kTagKinds;
  switch (static_cast<TagKind>(extension.tag % kTagKinds)) {
    case TagKind::kFill:
      take_fill(response, index);
      break;
    case TagKind::kWriteBack: {
      const WriteBack done = write_backs_on_way_[index];
      write_backs_on_way_[index].transaction = nullptr;
      free_write_backs_.push_back(index);
      --done.warp->memory_outstanding;
      WritebackRequest performed{done.warp_id, {}, LaneMask{}, nullptr};
      writeback_isock.call(performed);
      break;
    }
    case TagKind::kAccess: {
      MemoryInstruction& op = *ops_[index / kMaxAccesses];
      if (extension.op == sim::MemoryOp::kRead)
        deliver(op, op.accesses[index % kMaxAccesses], response.payload->get_data_ptr());
      if (extension.op == sim::MemoryOp::kAtomic && extension.atomic_returns)
        for (unsigned i = 0; i < extension.atomic_count; ++i)
          load_lane(*op.instruction, op.registers, extension.atomics[i].lane, 0, op.bytes,
                    reinterpret_cast<const unsigned char*>(&extension.atomics[i].old));
      part_done(op, cycle + 1, cycle);
      break;
    }
  }
}

void LoadStoreUnit::take_fill(const PortResponse& response, std::uint32_t mshr) {
  L1dRequest fill;
  fill.op = L1dRequest::Op::kFill;
  fill.mshr = mshr;
  fill.data = response.payload->get_data_ptr();
  l1d_isock.call(fill);
  if (fill.writes_back) {
    const MemoryInstruction& first = *ops_[fill.targets[0].op];
    write_back_line(fill.dirty, first.warp, first.warp_id, response.cycle);
  }
  for (std::uint32_t i = 0; i < fill.target_count; ++i) {
    const FillTarget& target = fill.targets[i];
    MemoryInstruction& op = *ops_[target.op];
    deliver(op, op.accesses[target.access], fill.data, target.sectors);
    part_done(op, response.cycle + 1, response.cycle);
  }
}

sim::SectorMask LoadStoreUnit::sectors_of(const MemoryInstruction& op, const LineAccess& access) const {
  if (config_.l1d.sector_bytes == 0) return kWholeLine;
  const LaneOffsets places = op.places(access);
  const unsigned unit = op.unit(access);
  unsigned sectors = 0;
  if (places.shape == Shape::kUniform)
    sectors = 1u << places.first / sector_bytes_;
  else
    access.lanes.for_each([&](unsigned lane) { sectors |= 1u << places.offset(lane, unit) / sector_bytes_; });
  return static_cast<sim::SectorMask>(sectors);
}

void LoadStoreUnit::log_delivered(const MemoryInstruction& op, const LineAccess& access,
                                  const unsigned char* line) const {
  const LaneOffsets places = op.places(access);
  const unsigned unit = op.unit(access);
  constexpr std::size_t kWord = 4;
  access.lanes.for_each([&](unsigned lane) {
    const std::size_t first = places.offset(lane, unit) & ~(kWord - 1);
    for (std::size_t at = first; at < places.offset(lane, unit) + unit; at += kWord) {
      std::uint32_t value = 0;
      std::memcpy(&value, line + at, kWord);
      log_->held(sim::MemoryLog::Space::kDelivered, core_.value(), access.line + at, value);
    }
  });
}

void LoadStoreUnit::deliver(MemoryInstruction& op, const LineAccess& access, const unsigned char* line) {
  if (log_ != nullptr && log_->active()) log_delivered(op, access, line);
  load_registers(*op.instruction, op.registers, op.places(access), MemoryInstruction::first_byte(access),
                 op.unit(access), line);
}

void LoadStoreUnit::deliver(MemoryInstruction& op, const LineAccess& access, const unsigned char* line,
                            sim::SectorMask sectors) {
  if (sectors_of(op, access) == sectors) {
    deliver(op, access, line);
    return;
  }
  if (log_ != nullptr && log_->active()) log_delivered(op, access, line);
  const LaneOffsets places = op.places(access);
  const unsigned unit = op.unit(access);
  access.lanes.for_each([&](unsigned lane) {
    const std::size_t offset = places.offset(lane, unit);
    if ((sectors >> offset / sector_bytes_ & 1u) != 0)
      load_lane(*op.instruction, op.registers, lane, MemoryInstruction::first_byte(access), unit,
                line + offset);
  });
}

}  // namespace heddle::core
