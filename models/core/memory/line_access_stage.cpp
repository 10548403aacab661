#include "core/memory/line_access_stage.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/memory/lsu_tags.h"
#include "core/memory/register_transfer.h"

namespace heddle::core {

using isa::CacheOp;
using isa::Opcode;
using Result = L1dRequest::Result;

LineAccessStage::LineAccessStage(const CoreConfig& config, base::CoreId core, sim::MemoryPool& pool,
                                 PendingRequestTable& requests, const LoadDataPath& loads,
                                 AccessStatistics* statistics, L1dPort& l1d, MemoryAccessPort& port)
    : l1d_config_(config.l1d),
      scoped_(config.memory_model == MemoryModel::kScoped),
      return_cycles_(config.lsu.atomic_return_cycles),
      lane_cycles_(config.lsu.reduction_lane_cycles),
      most_reductions_(config.lsu.reductions_in_flight),
      core_(core),
      pool_(pool),
      requests_(requests),
      load_path_(loads),
      statistics_(statistics),
      l1d_(l1d),
      port_(port) {}

void LineAccessStage::declare(base::StatGroup& stats) {
  stats.counter("loads", "accesses", "of these, loads", &loads_);
  stats.counter("stores", "accesses", "of these, stores", &stores_);
  stats.counter("atomics", "accesses", "of these, atomics", &atomics_);
}

bool LineAccessStage::bypasses_l1(const isa::Instruction& instruction) const {
  if (!l1d_config_.enabled) return true;
  switch (instruction.cache_op) {
    case CacheOp::kVolatile:  // .cv, and everything stronger than weak
      // What its CTA writes passes this L1, and that is all a load of CTA scope must see.
      if (scoped_ && instruction.scope == isa::MemoryScope::kCta) return !l1d_config_.cache_global_loads;
      return true;
    case CacheOp::kCacheGlobal:
      return true;
    case CacheOp::kCacheAll:
    case CacheOp::kNonCoherent:
      return false;
    default:
      return !l1d_config_.cache_global_loads;
  }
}

LsuStall LineAccessStage::access(MemoryInstruction& op, const LineAccess& access, Cycle cycle) {
  switch (op.instruction->op) {
    case Opcode::kLoad:
    case Opcode::kAsyncCopy:
      if (looks_into_l1(op, access)) return load(op, access, cycle);
      return load_past_l1(op, access, cycle);
    case Opcode::kStore:
    case Opcode::kSurfaceStore:
      return store(op, access, cycle);
    default:
      return atomic(op, access, cycle);
  }
}

bool LineAccessStage::pass_l1(L1dRequest::Op kind, const MemoryInstruction& op, const LineAccess& access,
                              Cycle cycle) {
  if (!l1d_config_.enabled) return true;
  L1dRequest evict{.op = kind, .line = access.line};
  l1d_.call(evict);
  if (!evict.writes_back) return true;
  write_back_line(evict.dirty, op, access, cycle);  // only if the address of a local variable was forged
  return false;
}

LsuStall LineAccessStage::load_past_l1(MemoryInstruction& op, const LineAccess& access, Cycle cycle) {
  if (!port_room()) return LsuStall::kPort;
  // Requests for a line stay in order up to L2: what is fetched from here on is no older than what this load gets. Had an
  // older copy stayed, a weak load that the memory model orders behind this one would find it (in program order, or in
  // another thread of the CTA, behind synchronisation at its scope).
  if (scoped_ && op.instruction->cache_op == CacheOp::kVolatile &&
      !pass_l1(L1dRequest::Op::kStrongLoad, op, access, cycle))
    return LsuStall::kPort;
  ++loads_;
  send_read(op, access, cycle);
  return LsuStall::kNone;
}

LsuStall LineAccessStage::load(MemoryInstruction& op, const LineAccess& access, Cycle cycle) {
  L1dRequest look_up{.op = L1dRequest::Op::kLoad,
                     .line = access.line,
                     .target = {op.index, op.next_access, load_path_.sectors_of(op, access)},
                     .may_send = false};
  l1d_.load(look_up);
  if (look_up.result == Result::kHit) {
    ++loads_;
    note_found(op, access);
    load_path_.deliver(op, access, look_up.line_data);
    // The instruction left issue a cycle ago, which the latency includes.
    requests_.part_done(op, cycle + l1d_config_.latency_cycles - 1, cycle);
    return LsuStall::kNone;
  }
  unsigned char wanted[sim::kMaxLineBytes];
  if (look_up.result == Result::kPartial) {
    std::memset(wanted, 0, l1d_config_.line_bytes);
    mark_block(op.offsets(access), op.unit(access), wanted);
    look_up.enables = wanted;
    look_up.result = Result::kPort;
  }
  if (look_up.result == Result::kPort) {
    look_up.may_send = port_room();
    l1d_.load(look_up);
    if (look_up.writes_back) write_back_line(look_up.dirty, op, access, cycle);
  }
  switch (look_up.result) {
    case Result::kMshrs:
      return LsuStall::kMshr;
    case Result::kPort:
    case Result::kPartial:
      return LsuStall::kPort;
    case Result::kHit:
      note_found(op, access);
      load_path_.deliver(op, access, look_up.line_data);
      requests_.part_done(op, cycle + l1d_config_.latency_cycles - 1, cycle);
      break;
    case Result::kMissSend: {
      note_found(op, access, look_up.fetch);
      op.pending += static_cast<std::uint16_t>(look_up.fills - 1);
      mshrs_full_ = look_up.full;
      if (look_up.found != 0) load_path_.deliver(op, access, look_up.line_data, look_up.found);
      sim::MemoryTransaction& read =
          transaction(op, access, sim::MemoryOp::kRead, lsu_tag(LsuTag::kFill, look_up.mshr), cycle);
      read.extension.wanted_sectors = wanted_sectors(look_up.fetch);
      if (scoped_) read.extension.join_from = acquired_at_;
      send(read);
      break;
    }
    case Result::kMissMerged:
      note_found(op, access);
      op.pending += static_cast<std::uint16_t>(look_up.fills - 1);
      if (look_up.found != 0) load_path_.deliver(op, access, look_up.line_data, look_up.found);
      break;
    case Result::kBypass:
      if (!port_room()) return LsuStall::kPort;
      send_read(op, access, cycle);
      break;
  }
  ++loads_;
  return LsuStall::kNone;
}

LsuStall LineAccessStage::store(MemoryInstruction& op, const LineAccess& access, Cycle cycle) {
  const WritePolicy policy = op.is_private(access) ? l1d_config_.local_write : l1d_config_.global_write;
  if (policy == WritePolicy::kWriteBack && l1d_config_.enabled) return keep_store(op, access, cycle);
  if (!port_room()) return LsuStall::kPort;
  sim::MemoryTransaction& write = transaction(op, access, sim::MemoryOp::kWrite, lsu_access_tag(op), cycle);
  const LaneOffsets offsets = op.offsets(access);
  const unsigned unit = op.unit(access);
  store_block(offsets, op.data.data(), op.bytes, MemoryInstruction::first_byte(access), unit,
              write.data.data());
  mark_block(offsets, unit, write.enables.data());
  if (l1d_config_.enabled) {
    L1dRequest pass{.op = L1dRequest::Op::kPass,
                    .line = access.line,
                    .update = policy != WritePolicy::kWriteEvict,
                    .allocate = policy == WritePolicy::kWriteThroughAllocate,
                    .data = write.data.data(),
                    .enables = write.enables.data()};
    l1d_.call(pass);
    // Only if local memory is written back, and the address of a local variable was forged or a copy is made.
    if (pass.writes_back) {
      write.release();
      write_back_line(pass.dirty, op, access, cycle);
      return LsuStall::kPort;
    }
  }
  ++stores_;
  send(write);
  return LsuStall::kNone;
}

LsuStall LineAccessStage::keep_store(MemoryInstruction& op, const LineAccess& access, Cycle cycle) {
  unsigned char data[sim::kMaxLineBytes];
  unsigned char enables[sim::kMaxLineBytes];
  const LaneOffsets offsets = op.offsets(access);
  const unsigned unit = op.unit(access);
  std::memset(data, 0, l1d_config_.line_bytes);
  std::memset(enables, 0, l1d_config_.line_bytes);
  store_block(offsets, op.data.data(), op.bytes, MemoryInstruction::first_byte(access), unit, data);
  mark_block(offsets, unit, enables);
  L1dRequest store{.op = L1dRequest::Op::kStore,
                   .line = access.line,
                   .may_send = displaced_.sent(),
                   .data = data,
                   .enables = enables};
  l1d_.call(store);
  if (store.writes_back) write_back_line(store.dirty, op, access, cycle);
  if (store.result == Result::kMshrs) return LsuStall::kMshr;
  if (store.result == Result::kPort) return LsuStall::kPort;
  ++stores_;
  requests_.part_done(op, cycle + 1, cycle);
  return LsuStall::kNone;
}

LsuStall LineAccessStage::atomic(MemoryInstruction& op, const LineAccess& access, Cycle cycle) {
  const bool returns = op.instruction->write_count != 0;
  if (!returns && most_reductions_ != 0 && reductions_ >= most_reductions_) [[unlikely]]
    return LsuStall::kReductions;
  if (!port_room()) return LsuStall::kPort;
  if (!pass_l1(L1dRequest::Op::kAtomic, op, access, cycle)) return LsuStall::kPort;
  ++atomics_;
  sim::MemoryTransaction& atomic = transaction(op, access, sim::MemoryOp::kAtomic, lsu_access_tag(op), cycle);
  sim::MemoryExtension& extension = atomic.extension;
  extension.warp = op.slices[0].linear_warp;
  extension.atomic_op = op.instruction->atomic_op;
  extension.atomic_type = op.instruction->type;
  extension.atomic_returns = returns;
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
  if ((lane_cycles_ != 0 || most_reductions_ != 0) && !returns) [[unlikely]] {
    const unsigned messages = most_on_one_word(extension);
    reduction_cycles_ = lane_cycles_ * messages;
    if (most_reductions_ != 0) reductions_ += messages;
  }
  send(atomic);
  return LsuStall::kNone;
}

sim::MemoryTransaction& LineAccessStage::transaction(const MemoryInstruction& op, const LineAccess& access,
                                                     sim::MemoryOp kind, std::uint32_t tag, Cycle cycle) {
  sim::MemoryTransaction& transaction = pool_.allocate(kind, access.line, l1d_config_.line_bytes);
  transaction.extension.core = core_;
  transaction.extension.tag = tag;
  transaction.extension.bypass_l1 = op.bypass_l1;
  transaction.extension.issued_at = cycle;
  return transaction;
}

void LineAccessStage::send_read(const MemoryInstruction& op, const LineAccess& access, Cycle cycle) {
  sim::MemoryTransaction& read = transaction(op, access, sim::MemoryOp::kRead, lsu_access_tag(op), cycle);
  read.extension.wanted_sectors = wanted_sectors(load_path_.sectors_of(op, access));
  send(read);
}

sim::SectorMask LineAccessStage::wanted_sectors(sim::SectorMask sectors) const {
  if (l1d_config_.sector_bytes == 0) return sim::kAllSectors;
  const unsigned ratio = l1d_config_.sector_bytes / sim::kSectorBytes;
  unsigned wanted = 0;
  for (unsigned i = 0; i * sim::kSectorBytes < l1d_config_.line_bytes; ++i)
    wanted |= (sectors >> i / ratio & 1u) << i;
  return static_cast<sim::SectorMask>(wanted);
}

bool LineAccessStage::port_room() {
  // What L1 gave up goes first (displaced_lines.h).
  return displaced_.sent() && port_.room(PortClient::kData);
}

void LineAccessStage::write_back_line(const DirtyLine& dirty, const MemoryInstruction& op,
                                      const LineAccess& access, Cycle cycle) {
  const std::uint32_t bytes = l1d_config_.line_bytes;
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

void LineAccessStage::send_displaced() {
  if (port_.room(PortClient::kData)) send(displaced_.send());
}

void LineAccessStage::send_message(Cycle cycle) {
  if (!port_.room(PortClient::kData)) return;
  const std::uint32_t number = messages_.next();
  const FenceMessages::Message& to = messages_.message(number);
  sim::MemoryTransaction& message = pool_.allocate(sim::MemoryOp::kRead, to.line, l1d_config_.line_bytes);
  if (to.slice != FenceMessages::Message::kOfLine) {
    message.extension.to_partition = true;
    message.extension.partition = base::PartitionId{to.slice};
  }
  message.extension.core = core_;
  message.extension.tag = lsu_tag(LsuTag::kFence, number);
  message.extension.wanted_sectors = 0;
  message.extension.issued_at = cycle;
  messages_.pop();
  send(message);
}

// ---- What comes back from L2

std::optional<WriteMark> LineAccessStage::take_message(const PortResponse& response) {
  const std::uint32_t tag = sim::memory_extension(*response.payload).tag;
  if (static_cast<LsuTag>(tag % kLsuTags) != LsuTag::kFence) return std::nullopt;
  return messages_.answered(tag / kLsuTags);
}

std::optional<DisplacedLines::Line> LineAccessStage::take_response(const PortResponse& response) {
  const std::uint32_t tag = sim::memory_extension(*response.payload).tag;
  const std::uint32_t index = tag / kLsuTags;
  switch (static_cast<LsuTag>(tag % kLsuTags)) {
    case LsuTag::kFill:
      take_fill(response, index);
      break;
    case LsuTag::kDisplaced:
      return displaced_.acknowledge(index);
    case LsuTag::kFence:
      break;  // take_message()
    case LsuTag::kAccess: {
      MemoryInstruction& op = requests_[index / kMaxAccesses];
      take_answer(response, op, op.accesses[index % kMaxAccesses]);
      break;
    }
  }
  return std::nullopt;
}

void LineAccessStage::take_answer(const PortResponse& response, MemoryInstruction& op,
                                  const LineAccess& access) {
  const sim::MemoryExtension& extension = sim::memory_extension(*response.payload);
  if (extension.op == sim::MemoryOp::kRead) load_path_.deliver(op, access, response.payload->get_data_ptr());
  if (most_reductions_ != 0 && extension.op == sim::MemoryOp::kAtomic && !extension.atomic_returns)
      [[unlikely]]
    reductions_ -= most_on_one_word(extension);
  Cycle back = response.cycle;
  if (extension.op == sim::MemoryOp::kAtomic && extension.atomic_returns) {
    for (unsigned i = 0; i < extension.atomic_count; ++i)
      op.load_one(extension.atomics[i].lane, 0, op.bytes,
                  reinterpret_cast<const unsigned char*>(&extension.atomics[i].old));
    if (return_cycles_ != 0) [[unlikely]]
      back = returned(extension, back);
  }
  requests_.part_done(op, back + 1, response.cycle);
}

unsigned LineAccessStage::most_on_one_word(const sim::MemoryExtension& atomic) {
  std::array<std::uint8_t, sim::kMaxLineBytes> lanes_at{};
  unsigned most = 1;
  for (unsigned i = 0; i < atomic.atomic_count; ++i)
    most = std::max<unsigned>(most, ++lanes_at[atomic.atomics[i].offset]);
  return most;
}

Cycle LineAccessStage::returned(const sim::MemoryExtension& atomic, Cycle now) {
  const unsigned most = most_on_one_word(atomic);
  if (most == 1) return now;
  returns_until_ = std::max(returns_until_, now) + (most - 1) * return_cycles_;
  return returns_until_;
}

void LineAccessStage::take_fill(const PortResponse& response, std::uint32_t mshr) {
  mshrs_full_ = false;
  L1dRequest fill{.op = L1dRequest::Op::kFill, .data = response.payload->get_data_ptr(), .mshr = mshr};
  l1d_.call(fill);
  if (fill.writes_back) {
    const MemoryInstruction& first = requests_[fill.targets[0].op];
    write_back_line(fill.dirty, first, first.accesses[fill.targets[0].access], response.cycle);
  }
  for (std::uint32_t i = 0; i < fill.target_count; ++i) {
    const FillTarget& target = fill.targets[i];
    MemoryInstruction& op = requests_[target.op];
    load_path_.deliver(op, op.accesses[target.access], fill.data, target.sectors);
    requests_.part_done(op, response.cycle + 1, response.cycle);
  }
}

}  // namespace heddle::core
