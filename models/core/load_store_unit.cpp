#include "core/load_store_unit.h"

#include <algorithm>
#include <cstring>

#include "core/access_check.h"
#include "core/register_transfer.h"

namespace heddle::core {
namespace {

using isa::Opcode;
using isa::StateSpace;

// A response finds its way back by tag: an MSHR number, or an operation and one of its line accesses.
constexpr std::uint32_t fill_tag(std::uint32_t mshr) { return mshr << 1 | 1u; }
constexpr std::uint32_t access_tag(std::uint32_t op, std::uint32_t access) {
  return (op * kMaxPieces + access) << 1;
}

bool writes_memory(const isa::Instruction& instruction) { return instruction.op != Opcode::kLoad; }

}  // namespace

LoadStoreUnit::LoadStoreUnit(const sc_core::sc_module_name& name, const CoreConfig& config, sim::CoreId core,
                             sim::MemoryPool& pool, const host::AllocationTable& allocations,
                             sim::StatGroup& stats)
    : sc_module(name), config_(config), core_(core), pool_(pool), allocations_(allocations) {
  stats.counter("instructions", "warp-instructions", "memory instructions with at least one active lane",
                &instructions_);
  stats.counter("line_accesses", "accesses", "lines touched by them in device memory, after coalescing",
                &line_accesses_);
  stats.counter("loads", "accesses", "of these, loads", &loads_);
  stats.counter("stores", "accesses", "of these, stores", &stores_);
  stats.counter("atomics", "accesses", "of these, atomics", &atomics_);
  stats.counter("constant_accesses", "addresses", "distinct addresses read by ld.const and ld.param",
                &constant_accesses_);
  stats.counter("mshr_stall_cycles", "core cycles", "head of the queue waited for an MSHR or a target slot",
                &mshr_stall_cycles_);
  stats.counter("constant_stall_cycles", "core cycles",
                "head of the queue waited for an MSHR of the constant cache", &constant_stall_cycles_);
  stats.counter("port_stall_cycles", "core cycles", "head of the queue waited for room towards the crossbar",
                &port_stall_cycles_);
  stats.counter("load_latency_sum", "core cycles",
                "sum over warp loads and atomics (constants left out) of issue to write-back",
                &load_latency_sum_);
  stats.counter("load_latency_count", "warp-instructions",
                "warp loads and atomics written back (constants left out)", &load_latency_count_);
}

void LoadStoreUnit::begin_launch(const LaunchContext* launch) {
  launch_ = launch;
  L1dRequest flush;
  flush.op = L1dRequest::Op::kFlush;
  l1d_isock.call(flush);
  ConstantRequest invalidate;
  invalidate.op = ConstantRequest::Op::kInvalidate;
  constant_isock.call(invalidate);
}

void LoadStoreUnit::clear_shared(std::uint32_t offset, std::uint32_t bytes) {
  if (bytes == 0) return;
  SharedMemoryRequest clear;
  clear.op = SharedMemoryRequest::Op::kClear;
  clear.offset = offset;
  clear.bytes = bytes;
  shared_isock.call(clear);
}

MemoryOp& LoadStoreUnit::allocate() {
  if (free_ops_.empty()) {
    free_ops_.push_back(static_cast<std::uint32_t>(ops_.size()));
    ops_.push_back(std::make_unique<MemoryOp>());
    ops_.back()->index = free_ops_.back();
    warp_of_op_.push_back(nullptr);
  }
  MemoryOp& op = *ops_[free_ops_.back()];
  free_ops_.pop_back();
  ++in_use_;
  return op;
}

void LoadStoreUnit::free(MemoryOp& op) {
  free_ops_.push_back(op.index);
  --in_use_;
}

void LoadStoreUnit::serve(LsuRequest& request) {
  if (request.op == LsuRequest::Op::kIssue)
    issue(request);
  else
    tick(request);
  request.full = queue_.size() >= config_.lsu.queue_entries;
}

// ---- Issue
// -----------------------------------------------------------------------------------------------------------

void LoadStoreUnit::issue(const LsuRequest& request) {
  const isa::Instruction& instruction = *request.instruction;
  MemoryOp& op = allocate();
  warp_of_op_[op.index] = request.warp;
  op.instruction = &instruction;
  op.warp = request.warp_id;
  op.mask = request.mask;
  op.next_access = 0;
  op.shared_done = false;
  op.ready_at = 0;
  op.issued_at = request.cycle;
  op.available_at = request.cycle + 1 + request.operands_late;
  op.write_granted = false;
  op.generation = generation_;

  op.constant = instruction.space == StateSpace::kConst || instruction.space == StateSpace::kParam;
  if (op.constant) {
    op.shared_lanes = LaneMask{};
    resolve_constant(op, request);
    op.pending = op.coalesced.access_count;
  } else {
    resolve_addresses(op, request);
    read_operands(op, *request.warp);
    op.pending = op.coalesced.access_count + (op.shared_lanes.any() ? 1 : 0);
    line_accesses_ += op.coalesced.access_count;
  }
  ++instructions_;
  ++request.warp->memory_outstanding;
  ++request.warp->order_outstanding;
  if (instruction.write_count != 0) ++request.warp->fills_outstanding;
  if (writes_memory(instruction)) ++writes_outstanding_[generation_];
  queue_.push_back(&op);
}

void LoadStoreUnit::resolve_addresses(MemoryOp& op, const LsuRequest& request) {
  const isa::Instruction& instruction = *op.instruction;
  const isa::Operand& base = instruction.memory.base;
  const auto displacement = static_cast<std::uint64_t>(instruction.memory.displacement);
  if (base.present) {
    const std::byte* row = request.warp->registers.data() + base.offset;
    op.mask.for_each(
        [&](unsigned lane) { op.address[lane] = lane_value(row, base.width, lane) + displacement; });
  } else {
    op.address.fill(displacement);
  }

  LaneMask device;
  LaneMask local;
  op.shared_lanes = LaneMask{};
  switch (instruction.space) {
    case StateSpace::kShared:
      op.shared_lanes = op.mask;
      break;
    case StateSpace::kLocal:
      local = op.mask;
      break;
    case StateSpace::kGeneric:
      op.mask.for_each([&](unsigned lane) {
        const std::uint64_t at = op.address[lane];
        if (at - isa::kSharedWindowBase < isa::kSharedWindowBytes) {
          op.shared_lanes |= LaneMask(1u << lane);
          op.address[lane] = at - isa::kSharedWindowBase;
        } else if (at - isa::kLocalWindowBase < isa::kLocalWindowBytes) {
          local |= LaneMask(1u << lane);
          op.address[lane] = at - isa::kLocalWindowBase;
        } else {
          device |= LaneMask(1u << lane);
        }
      });
      break;
    default:
      device = op.mask;
      break;
  }
  const isa::CacheOp cache_op = instruction.cache_op;
  op.bypass_l1 = cache_op == isa::CacheOp::kVolatile || cache_op == isa::CacheOp::kCacheGlobal ||
                 (!config_.l1d.cache_global_loads && device.any());

  const unsigned bytes = op.bytes_per_lane();
  const AccessSite site{launch_, request.cta, request.warp, request.pc, op.instruction};
  if (op.shared_lanes.any()) {
    check_access(site, StateSpace::kShared, op.address, op.shared_lanes, bytes, launch_->shared_bytes_per_cta,
                 nullptr);
    op.shared_lanes.for_each([&](unsigned lane) { op.address[lane] += request.cta->shared_base; });
  }
  op.coalesced.access_count = op.coalesced.piece_count = 0;
  if (device.any()) {
    check_access(site, StateSpace::kGlobal, op.address, device, bytes, 0, &allocations_);
    coalesce(op.address, device, bytes, config_.l1d.line_bytes, op.coalesced);
  }
  if (local.any()) {
    check_access(site, StateSpace::kLocal, op.address, local, bytes, launch_->local_bytes_per_thread,
                 nullptr);
    const std::uint64_t region =
        launch_->local_base + request.warp->linear_warp * launch_->local_bytes_per_thread * kLanes;
    coalesce_local(region, op.address, local, bytes, config_.l1d.line_bytes, op.coalesced, device.any());
  }
}

void LoadStoreUnit::read_operands(MemoryOp& op, const WarpContext& warp) {
  const isa::Instruction& instruction = *op.instruction;
  if (instruction.op == Opcode::kLoad) return;
  const auto row_of = [&](const isa::Operand& operand) {
    switch (operand.space) {
      case isa::RowSpace::kRegister:
        return warp.registers.data() + operand.offset;
      case isa::RowSpace::kConstant:
        return launch_->kernel->constants.data() + operand.offset;
      case isa::RowSpace::kSpecial:
        return warp.special.data() + operand.offset;
    }
    return warp.registers.data();
  };
  if (instruction.op == Opcode::kAtomic) {
    const bool cas = instruction.atomic_op == isa::AtomicOp::kCas;
    const isa::Operand& value = instruction.src[cas ? 1 : 0];
    const isa::Operand& compare = instruction.src[0];
    const std::byte* value_row = row_of(value);
    const std::byte* compare_row = row_of(compare);
    op.mask.for_each([&](unsigned lane) {
      op.operand[lane] = lane_value(value_row, value.width, lane);
      op.compare[lane] = cas ? lane_value(compare_row, compare.width, lane) : 0;
    });
    return;
  }
  const unsigned size = isa::type_bytes(instruction.type);
  for (unsigned e = 0; e < instruction.vector; ++e) {
    const std::byte* row = row_of(instruction.src[e]);
    op.mask.for_each([&](unsigned lane) {
      const std::uint64_t value = lane_value(row, instruction.src[e].width, lane);
      op.data.put(lane, e * size, reinterpret_cast<const unsigned char*>(&value), size);
    });
  }
}

// ---- One cycle
// -------------------------------------------------------------------------------------------------------

void LoadStoreUnit::tick(LsuRequest& request) {
  const Cycle cycle = request.cycle;
  // Cycles the core slept through count as well: nothing changed meanwhile.
  if (stalled_ == Stall::kMshr) mshr_stall_cycles_ += cycle - last_tick_;
  if (stalled_ == Stall::kConstant) constant_stall_cycles_ += cycle - last_tick_;
  if (stalled_ == Stall::kPort) port_stall_cycles_ += cycle - last_tick_;
  last_tick_ = cycle;

  finishing_.take(cycle, [this](std::uint32_t index) {
    MemoryOp& op = *ops_[index];
    if (!may_write(op)) return;
    if (op.instruction->write_count != 0 && !op.constant) {
      load_latency_sum_ += last_tick_ - op.issued_at;
      ++load_latency_count_;
    }
    write_back(op);
  });
  if (!queue_.empty() && std::max(shared_busy_until_, queue_.front()->available_at) <= cycle &&
      advance_head(cycle))
    queue_.pop_front();

  request.next_due = finishing_.next_due();
  if (!queue_.empty() && stalled_ == Stall::kNone)
    request.next_due =
        std::min(request.next_due, std::max({cycle + 1, shared_busy_until_, queue_.front()->available_at}));
  request.wants_port = stalled_ == Stall::kPort;
}

bool LoadStoreUnit::advance_head(Cycle cycle) {
  MemoryOp& op = *queue_.front();
  stalled_ = Stall::kNone;
  if (op.shared_lanes.any() && !op.shared_done) {
    SharedMemoryRequest access;
    access.memory_op = &op;
    shared_isock.call(access);
    op.shared_done = true;
    shared_busy_until_ = cycle + access.passes;
    part_done(op, cycle + config_.shared_memory.latency_cycles + access.passes - 1, cycle);
  } else if (op.constant) {
    stalled_ = read_constant(op, cycle);
    if (stalled_ != Stall::kNone) return false;
    ++op.next_access;
  } else {
    stalled_ = access_line(op, op.coalesced.accesses[op.next_access], cycle);
    if (stalled_ != Stall::kNone) return false;
    ++op.next_access;
  }
  if (op.next_access < op.coalesced.access_count) return false;
  if (op.instruction->write_count == 0) {
    // A store that has left the core is ordered before everything this core does later (point-to-point
    // order).
    --warp_of_op_[op.index]->order_outstanding;
    WritebackRequest left{op.warp, op.mask, nullptr};
    writeback_isock.call(left);
  }
  return true;
}

LoadStoreUnit::Stall LoadStoreUnit::access_line(MemoryOp& op, const LineAccess& access, Cycle cycle) {
  if (op.instruction->op == Opcode::kLoad && !op.bypass_l1) return load_line(op, access, cycle);
  if (!port_room()) return Stall::kPort;
  if (op.instruction->op != Opcode::kLoad) {
    L1dRequest evict;
    evict.op = L1dRequest::Op::kWrite;
    evict.line = access.line;
    l1d_isock.call(evict);
  }
  switch (op.instruction->op) {
    case Opcode::kLoad:
      ++loads_;
      send(op, access, sim::MemoryOp::kRead, access_tag(op.index, op.next_access), cycle);
      break;
    case Opcode::kStore:
      ++stores_;
      send(op, access, sim::MemoryOp::kWrite, access_tag(op.index, op.next_access), cycle);
      break;
    default:
      ++atomics_;
      send(op, access, sim::MemoryOp::kAtomic, access_tag(op.index, op.next_access), cycle);
      break;
  }
  return Stall::kNone;
}

LoadStoreUnit::Stall LoadStoreUnit::load_line(MemoryOp& op, const LineAccess& access, Cycle cycle) {
  L1dRequest look_up;
  look_up.line = access.line;
  look_up.target = {op.index, op.next_access};
  look_up.may_send = port_room();
  l1d_isock.call(look_up);
  switch (look_up.result) {
    case L1dRequest::Result::kHit:
      deliver(op, access, look_up.data);
      part_done(op, cycle + config_.l1d.latency_cycles, cycle);
      break;
    case L1dRequest::Result::kMissSend:
      send(op, access, sim::MemoryOp::kRead, fill_tag(look_up.mshr), cycle);
      break;
    case L1dRequest::Result::kMissMerged:
      break;
    case L1dRequest::Result::kBypass:
      if (!port_room()) return Stall::kPort;
      send(op, access, sim::MemoryOp::kRead, access_tag(op.index, op.next_access), cycle);
      break;
    case L1dRequest::Result::kStall:
      return look_up.may_send ? Stall::kMshr : Stall::kPort;
  }
  ++loads_;
  return Stall::kNone;
}

void LoadStoreUnit::send(MemoryOp& op, const LineAccess& access, sim::MemoryOp kind, std::uint32_t tag,
                         Cycle cycle) {
  sim::MemoryTransaction& transaction = pool_.allocate(kind, access.line, config_.l1d.line_bytes);
  sim::MemoryExtension& extension = transaction.extension;
  extension.core = core_;
  extension.tag = tag;
  extension.bypass_l1 = op.bypass_l1;
  extension.issued_at = cycle;
  const Piece* pieces = &op.coalesced.pieces[access.first];
  if (kind == sim::MemoryOp::kWrite) {
    std::memset(transaction.enables.data(), 0, config_.l1d.line_bytes);
    for (unsigned p = 0; p < access.count; ++p) {
      op.data.get(pieces[p].lane, pieces[p].byte, transaction.data.data() + pieces[p].line_offset,
                  pieces[p].size);
      std::memset(transaction.enables.data() + pieces[p].line_offset, 0xff, pieces[p].size);
    }
  } else if (kind == sim::MemoryOp::kAtomic) {
    extension.atomic_op = op.instruction->atomic_op;
    extension.atomic_type = op.instruction->type;
    extension.atomic_returns = op.instruction->write_count != 0;
    extension.atomic_count = static_cast<std::uint8_t>(access.count);
    for (unsigned p = 0; p < access.count; ++p) {
      const unsigned lane = pieces[p].lane;
      extension.atomics[p] = {static_cast<std::uint8_t>(lane), pieces[p].line_offset, op.operand[lane],
                              op.compare[lane], 0};
    }
  }
  PortRequest request;
  request.op = PortRequest::Op::kSend;
  request.client = PortClient::kData;
  request.transaction = &transaction;
  port_isock.call(request);
}

bool LoadStoreUnit::port_room() {
  PortRequest request;
  port_isock.call(request);
  return request.room;
}

void LoadStoreUnit::take_response(PortResponse& response) {
  tlm::tlm_generic_payload* const payload = response.payload;
  const Cycle cycle = response.cycle;
  const sim::MemoryExtension& extension = sim::memory_extension(*payload);
  if ((extension.tag & 1u) != 0) {
    L1dRequest fill;
    fill.op = L1dRequest::Op::kFill;
    fill.mshr = extension.tag >> 1;
    fill.fill = payload->get_data_ptr();
    fill.targets = &fill_targets_;
    l1d_isock.call(fill);
    for (const FillTarget& target : fill_targets_) {
      MemoryOp& op = *ops_[target.op];
      deliver(op, op.coalesced.accesses[target.access], payload->get_data_ptr());
      part_done(op, cycle + 1, cycle);
    }
  } else {
    const std::uint32_t index = extension.tag >> 1;
    MemoryOp& op = *ops_[index / kMaxPieces];
    if (extension.op == sim::MemoryOp::kRead)
      deliver(op, op.coalesced.accesses[index % kMaxPieces], payload->get_data_ptr());
    if (extension.op == sim::MemoryOp::kAtomic && extension.atomic_returns)
      for (unsigned i = 0; i < extension.atomic_count; ++i)
        op.data.put(extension.atomics[i].lane, 0,
                    reinterpret_cast<const unsigned char*>(&extension.atomics[i].old),
                    isa::type_bytes(extension.atomic_type));
    part_done(op, cycle + 1, cycle);
  }
}

void LoadStoreUnit::deliver(MemoryOp& op, const LineAccess& access, const unsigned char* line) {
  const Piece* pieces = &op.coalesced.pieces[access.first];
  for (unsigned p = 0; p < access.count; ++p)
    op.data.put(pieces[p].lane, pieces[p].byte, line + pieces[p].line_offset, pieces[p].size);
}

void LoadStoreUnit::part_done(MemoryOp& op, Cycle usable_at, Cycle now) {
  op.ready_at = std::max(op.ready_at, usable_at);
  if (--op.pending == 0) finishing_.add(std::max(op.ready_at, now + 1), op.index);
}

bool LoadStoreUnit::may_write(MemoryOp& op) {
  if (op.write_granted || op.instruction->write_count == 0) return true;
  RegisterFileRequest write;
  write.op = RegisterFileRequest::Op::kWrite;
  write.sub_core =
      op.warp.value() % config_.scheduler.count * config_.scheduler.sub_cores / config_.scheduler.count;
  write.warp = op.warp;
  write.instruction = op.instruction;
  write.cycle = last_tick_;
  register_isock.call(write);
  if (write.late == 0) return true;
  op.write_granted = true;
  finishing_.add(last_tick_ + write.late, op.index);
  return false;
}

void LoadStoreUnit::write_back(MemoryOp& op) {
  const isa::Instruction& instruction = *op.instruction;
  WarpContext& warp = *warp_of_op_[op.index];
  const unsigned size = isa::type_bytes(instruction.type);
  const bool sign_extend = isa::is_signed(instruction.type);
  const bool here = instruction.write_count != 0 && !op.constant;  // constants are in their registers already
  for (unsigned e = 0; here && e < instruction.vector; ++e) {
    const isa::Operand& dst = instruction.dst[e];
    if (!dst.present) continue;
    std::byte* row = warp.registers.data() + dst.offset;
    if (size == 4 && dst.width == isa::RowWidth::k32) {
      const auto& words = op.data.words[e];
      if (op.mask == LaneMask::all())
        std::memcpy(row, words.data(), sizeof(words));
      else
        op.mask.for_each([&](unsigned lane) { std::memcpy(row + lane * std::size_t{4}, &words[lane], 4); });
      continue;
    }
    op.mask.for_each([&](unsigned lane) {
      std::uint64_t value = 0;
      op.data.get(lane, e * size, reinterpret_cast<unsigned char*>(&value), size);
      if (sign_extend && size < 8) {
        const std::uint64_t sign = std::uint64_t{1} << (size * 8 - 1);
        value = (value ^ sign) - sign;
      }
      std::memcpy(row + lane * std::size_t{dst.width == isa::RowWidth::k64 ? 8u : 4u}, &value,
                  dst.width == isa::RowWidth::k64 ? 8 : 4);
    });
  }
  --warp.memory_outstanding;
  if (instruction.write_count != 0) {
    --warp.order_outstanding;
    --warp.fills_outstanding;
  }
  if (writes_memory(instruction)) --writes_outstanding_[op.generation];
  WritebackRequest done{op.warp, op.mask, op.instruction};
  free(op);
  writeback_isock.call(done);
}

}  // namespace heddle::core
