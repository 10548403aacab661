#include "core/memory/load_store_unit.h"

#include <algorithm>

#include "core/memory/bank_conflicts.h"

namespace heddle::core {

using isa::Opcode;

namespace {

bool writes_memory(const isa::Instruction& instruction) {
  return instruction.op == Opcode::kStore || instruction.op == Opcode::kAtomic ||
         instruction.op == Opcode::kSurfaceStore;
}

/// Longest from serving a part to its write-back, which the port may put off by less than 64 cycles more.
std::uint32_t horizon(const CoreConfig& config) {
  const ConstantCacheConfig& constants = config.constant_cache;
  // Behind a fetch's last texel the unit may still address others.
  const std::uint32_t texture =
      config.texture.latency_cycles +
      (config.texture.queue_entries + 1) * (2 * kLanes / config.texture.lanes_per_cycle + 1);
  return std::max({config.l1d.latency_cycles, constants.latency_cycles, texture,
                   constants.second_kib != 0 ? constants.second_latency_cycles : 0,
                   config.shared_memory.latency_cycles + kMaxAccesses * config.lsu.pass_cycles,
                   config.occupancy.max_warps * kLanes * config.lsu.atomic_return_cycles}) +
         2;
}

}  // namespace

LoadStoreUnit::LoadStoreUnit(const sc_core::sc_module_name& name, const CoreConfig& config, base::CoreId core,
                             sim::MemoryPool& pool, const host::AllocationTable& allocations,
                             base::StatGroup& stats, sim::MemoryLog* log)
    : sc_module(name),
      config_(config),
      resolver_(config.l1d.line_bytes, allocations),
      requests_(horizon(config)),
      load_path_(config.l1d, core, log),
      access_statistics_(config.lsu.access_statistics ? std::optional<AccessStatistics>(std::in_place)
                                                      : std::nullopt),
      lines_(config, core, pool, requests_, load_path_, access_statistics_ ? &*access_statistics_ : nullptr,
             l1d_isock, port_isock),
      constants_(config.constant_cache, requests_, load_path_, constant_isock),
      textures_(config.texture, config.l1d.line_bytes, allocations, resolver_, requests_),
      local_queues_(config.lsu, config.scheduler.sub_cores) {
  const SchedulerConfig& schedulers = config.scheduler;
  for (std::uint32_t warp = 0; warp < config.occupancy.max_warps; ++warp)
    sub_core_of_warp_.push_back(warp % schedulers.count * schedulers.sub_cores / schedulers.count);
  declare(stats);
}

void LoadStoreUnit::begin_launch(const LaunchContext* launch, std::uint32_t l1d_kib) {
  launch_ = launch;
  resolver_.begin_launch(launch);
  own_ = {{launch->local_base, launch->local_base + local_bytes(*launch)},
          {launch->table_base, launch->table_base + launch->table_bytes}};
  l1d_isock.invalidate(l1d_kib);
  constant_isock.invalidate();
  for (const HeldConstants& held : launch->held_constants) constant_isock.hold(held.address, held.bytes);
}

void LoadStoreUnit::invalidate_global(const LsuRequest& request) {
  l1d_isock.invalidate_global(*request.own);
  if (!request.keep_constants) constant_isock.invalidate();
}

void LoadStoreUnit::acquire(Cycle cycle) {
  ++acquires_;
  lines_.acquired(cycle);
  if (!config_.l1d.enabled) return;
  // All valid bits are cleared at once, in one cycle: "flash" invalidation (Hechtman et al., HPCA 2014).
  clears_at_ = cycle + 1;
  l1d_isock.invalidate_global(own_);
}

void LoadStoreUnit::start_cta(const CtaContext& cta) {
  if (launch_->shared_bytes_per_cta != 0) shared_isock.clear(cta.shared_base, launch_->shared_bytes_per_cta);
}

LsuClientPort& LoadStoreUnit::add_client(const std::string& name) {
  const auto id = static_cast<LsuClient>(clients_.size() + 1);
  return *clients_.emplace_back(std::make_unique<LsuClientPort>(name, id, this));
}

void LoadStoreUnit::serve(LsuRequest& request) {
  switch (request.op) {
    case LsuRequest::Op::kIssue:
      take(request);
      break;
    case LsuRequest::Op::kIssueEmpty:
      if (local_queues_.on())
        local_queues_.push_empty(sub_core_of_warp_[request.warp.value()], request.cycle + 1);
      break;
    case LsuRequest::Op::kOffer:
      request.accepted = queue_.size() < config_.lsu.queue_entries;
      if (request.accepted) take(request);
      break;
    case LsuRequest::Op::kTick:
      tick(request);
      break;
    case LsuRequest::Op::kBeginLaunch:
      begin_launch(request.launch, request.l1d_kib);
      break;
    case LsuRequest::Op::kStartCta:
      start_cta(*request.cta);
      break;
    case LsuRequest::Op::kNextWriteGeneration:
      watched_ = writes_.mark();
      break;
    case LsuRequest::Op::kInvalidateGlobal:
      invalidate_global(request);
      break;
    case LsuRequest::Op::kAcquire:
      acquire(request.cycle);
      break;
    case LsuRequest::Op::kMarkWrites:
      if (config_.fence.completion_cycles != 0 && request.sends_messages) [[unlikely]]
        lines_.add_messages(config_.fence, [this] { return writes_.taken(); });
      request.mark = writes_.mark();
      break;
  }
  announce_full(request);
}

void LoadStoreUnit::take(LsuRequest& request) {
  const isa::Instruction& instruction = *request.instruction;
  MemoryInstruction& op = requests_.allocate();
  op.instruction = &instruction;
  op.client = request.client;
  op.tag = request.tag;
  op.take(request.slices);
  if (instruction.op == Opcode::kLoadMatrix) [[unlikely]]
    op.mask &= LaneMask::first_lanes(8 * isa::MatrixLoad::unpack(instruction.immediate).matrices);
  op.shared_lanes = LaneMask{};
  op.bytes = static_cast<std::uint8_t>(isa::type_bytes(instruction.type) * instruction.vector);
  op.access_count = op.next_access = op.line_passes = 0;
  op.shared_done = false;
  op.ready_at = 0;
  op.issued_at = request.cycle;
  op.available_at = request.cycle + 1 + request.operands_late;
  op.write_granted = false;
  op.core_private = request.core_private;
  op.constant = instruction.space == isa::StateSpace::kConst || instruction.space == isa::StateSpace::kParam;

  const AccessContext context{launch_, request.cta, request.pc};
  if (op.constant) {
    resolver_.resolve_constant(op, context);
    op.pending = op.access_count;
    request.extra_passes = op.access_count - 1u;
    replays_[static_cast<unsigned>(PassCause::kConstant)] += request.extra_passes;
  } else if (instruction.op == Opcode::kTexture || instruction.op == Opcode::kSurfaceStore) [[unlikely]] {
    take_texture(op, context, request);
  } else {
    op.bypass_l1 = lines_.bypasses_l1(instruction);
    if (instruction.op == Opcode::kAsyncCopy) [[unlikely]]
      resolver_.resolve_copy(op, context);
    else
      resolver_.resolve(op, context);
    if (writes_memory(instruction)) resolver_.read_operands(op);
    if (access_statistics_) [[unlikely]]
      access_statistics_->count(op);
    op.pending = op.access_count;
    line_accesses_ += request.transactions = op.access_count;
    if (op.shared_lanes.any()) {
      ++op.pending;
      set_shared_passes(op);
      replays_[static_cast<unsigned>(PassCause::kBankConflict)] += op.shared_passes - 1u;
      replays_[static_cast<unsigned>(PassCause::kUncoalesced)] += op.access_count;
      request.extra_passes = op.shared_passes - 1u + op.access_count;
    } else if (op.access_count == 0) [[unlikely]] {
      op.pending = 1;  // a copy of zeros
    } else {
      if (config_.lsu.tags_per_pass != 0 && op.access_count > 1 && instruction.op != isa::Opcode::kAtomic)
          [[unlikely]]
        op.line_passes = static_cast<std::uint16_t>(
            std::max(line_bank_passes(op, config_.l1d.line_bytes),
                     (op.access_count + config_.lsu.tags_per_pass - 1) / config_.lsu.tags_per_pass));
      request.extra_passes = (op.line_passes != 0 ? op.line_passes : op.access_count) - 1u;
      replays_[static_cast<unsigned>(PassCause::kUncoalesced)] += request.extra_passes;
    }
  }
  ++instructions_;
  op.for_each_slice([&](const MemorySlice& slice) { slice.counters->begin(instruction.write_count != 0); });
  if (writes_memory(instruction)) op.write_number = writes_.taken();
  if (op.constant && constants_.at_issue(op) &&
      constants_.access_at_issue(op, request.cycle) == LsuStall::kNone)
    return;
  if (request.client == LsuClient::kCore) [[likely]] {
    if (local_queues_.on()) [[unlikely]] {
      op.for_each_slice([](const MemorySlice& slice) { ++slice.counters->queued; });
      local_queues_.push(sub_core_of_warp_[op.slices[0].warp.value()], op);
    } else
      queue_.push_back(&op);
    return;
  }
  queue_.push_back(&op);
  LsuWake wake{.due = request.cycle + 1};
  announce_full(wake);
  wake_isock.call(wake);
}

void LoadStoreUnit::take_texture(MemoryInstruction& op, const AccessContext& context, LsuRequest& request) {
  if (op.instruction->op == Opcode::kTexture) {
    textures_.take(op, context, [&](const isa::Instruction& load) { return lines_.bypasses_l1(load); });
    op.pending = 1;
    request.extra_passes = 0;
    return;
  }
  textures_.resolve_store(op, context);
  if (access_statistics_ && op.access_count != 0) access_statistics_->count(op);
  line_accesses_ += request.transactions = op.access_count;
  op.pending = std::max<std::uint16_t>(op.access_count, 1);  // none: all lanes are outside
  request.extra_passes = op.pending - 1u;
  replays_[static_cast<unsigned>(PassCause::kUncoalesced)] += request.extra_passes;
}

void LoadStoreUnit::serve_texels(Cycle cycle) {
  MemoryInstruction& read = textures_.read();
  stalled_ = lines_.access(read, read.accesses[read.next_access], cycle);
  if (stalled_ == LsuStall::kNone && ++read.next_access == read.access_count) textures_.read_done();
}

void LoadStoreUnit::replay(LsuRequest& request, LsuClient client, WarpId warp) const {
  if (!config_.lsu.replay_issue || client != LsuClient::kCore) return;
  request.replay = true;
  request.replay_warp = warp;
}

void LoadStoreUnit::serve_pass(LsuRequest& request, MemoryInstruction& op) {
  const Cycle cycle = request.cycle;
  const auto pass = [&op] { return op.next_access * unsigned{op.line_passes} / op.access_count; };
  const unsigned now = pass();
  do {
    stalled_ = lines_.access(op, op.accesses[op.next_access], cycle);
    if (stalled_ != LsuStall::kNone) return;
    ++op.next_access;
  } while (op.next_access < op.access_count && pass() == now);
  if (now != 0) replay(request, op.client, op.slices[0].warp);
  if (op.next_access < op.access_count) next_pass_ = cycle + pass_time(op, now + 2) - pass_time(op, now + 1);
}

bool LoadStoreUnit::advance_head(LsuRequest& request) {
  const Cycle cycle = request.cycle;
  MemoryInstruction& op = *queue_.front();
  stalled_ = LsuStall::kNone;
  if (op.shared_lanes.any() && !op.shared_done) {
    shared_isock.access(op);
    op.shared_done = true;
    const Cycle passes = pass_time(op, op.shared_passes);
    shared_busy_until_ = cycle + (passes_overlap(op) ? op.shared_passes : passes);
    shared_warp_ = op.slices[0].warp;
    shared_client_ = op.client;
    shared_replays_ = true;
    // The instruction left issue a cycle ago, which the latency includes.
    requests_.part_done(op, cycle + config_.shared_memory.latency_cycles + passes - 2, cycle);
  } else if (op.instruction->op == Opcode::kTexture) [[unlikely]] {
    return textures_.start(op, cycle);
  } else if (op.access_count == 0) [[unlikely]] {
    requests_.part_done(op, cycle + 1, cycle);
  } else if (op.line_passes != 0) [[unlikely]] {
    serve_pass(request, op);
  } else {
    stalled_ =
        op.constant ? constants_.access(op, cycle) : lines_.access(op, op.accesses[op.next_access], cycle);
    if (stalled_ != LsuStall::kNone) return false;
    if (op.next_access != 0 || op.shared_done) replay(request, op.client, op.slices[0].warp);
    ++op.next_access;
    if (const Cycle reduction = op.constant ? 0 : lines_.reduction_cycles(op); reduction != 0) [[unlikely]]
      next_pass_ = cycle + reduction;
    else if (config_.lsu.pass_cycles != 1 && !op.constant && op.next_access < op.access_count) [[unlikely]]
      next_pass_ = cycle + pass_time(op, op.next_access + 1u) - pass_time(op, op.next_access);
  }
  if (op.next_access < op.access_count) return false;
  if (op.instruction->write_count == 0) {
    // A store that has left the core is ordered before everything this core does later (point-to-point
    // order).
    op.for_each_slice([](const MemorySlice& slice) { slice.counters->left(); });
    LsuCompletion left{LsuCompletion::Kind::kLeft, op.client, op.tag, op.instruction, op.all_slices()};
    complete(left);
  }
  return true;
}

bool LoadStoreUnit::foresees_stall(Cycle cycle) {
  // An acquire takes the unit's next cycle.
  if (config_.memory_model == MemoryModel::kScoped || local_queues_.on() || textures_.busy()) return false;
  const MemoryInstruction& op = *queue_.front();
  if (std::max({next_pass_, shared_busy_until_, op.available_at}) > cycle + 1) return false;
  if (requests_.next_due() <= cycle + 1) return false;  // it runs then anyway, and a copy may take the banks
  if (op.constant || op.line_passes != 0 || op.shared_lanes.any() || op.next_access >= op.access_count)
    return false;
  return lines_.waits_for_mshr(op, op.accesses[op.next_access]);
}

void LoadStoreUnit::tick(LsuRequest& request) {
  const Cycle cycle = request.cycle;
  // Cycles the core slept through count as well: nothing changed meanwhile.
  stall_cycles_[static_cast<unsigned>(stalled_)] += cycle - last_tick_;
  last_tick_ = cycle;

  requests_.take_complete(cycle, [this, cycle](MemoryInstruction& op) { finish(op, cycle); });
  if (lines_.displaced_waits()) lines_.send_displaced();
  if (lines_.message_waits()) [[unlikely]]
    lines_.send_message(cycle);
  if (local_queues_.on()) [[unlikely]]
    hand_on(cycle);
  if (shared_busy_until_ > cycle) {
    if (shared_replays_) [[likely]]
      replay(request, shared_client_, shared_warp_);
  } else if (clears_at_ == cycle)
    stalled_ = LsuStall::kNone;  // what the head waited for may have come: it looks again in the next cycle
  else if (textures_.busy() && textures_.next_read() <= cycle) [[unlikely]]
    serve_texels(cycle);
  else if (!queue_.empty() && std::max(queue_.front()->available_at, next_pass_) <= cycle &&
           advance_head(request))
    queue_.pop_front();

  if (!queue_.empty() && stalled_ == LsuStall::kNone && foresees_stall(cycle)) {
    stalled_ = LsuStall::kMshr;
    last_tick_ = cycle + 1;
    request.foreseen = true;
  }

  request.next_due = requests_.next_due();
  if (!queue_.empty() && stalled_ == LsuStall::kNone)
    request.next_due =
        std::min(request.next_due,
                 std::max({cycle + 1, shared_busy_until_, next_pass_, queue_.front()->available_at}));
  if (textures_.busy() && stalled_ == LsuStall::kNone) [[unlikely]]
    request.next_due =
        std::min(request.next_due, std::max({cycle + 1, shared_busy_until_, textures_.next_read()}));
  if (local_queues_.on() && queue_.size() < config_.lsu.queue_entries) [[unlikely]]
    request.next_due = std::min(request.next_due, std::max(cycle + 1, local_queues_.next_due()));
  if (config_.lsu.replay_issue && shared_busy_until_ > cycle + 1) request.next_due = cycle + 1;
  request.wants_port = stalled_ == LsuStall::kPort || lines_.displaced_waits() || lines_.message_waits();
}

void LoadStoreUnit::hand_on(Cycle cycle) {
  const std::size_t entries = config_.lsu.queue_entries;
  const std::size_t room = queue_.size() < entries ? entries - queue_.size() : 0;
  local_queues_.hand_on(cycle, room, [this](MemoryInstruction& op) {
    op.for_each_slice([](const MemorySlice& slice) { --slice.counters->queued; });
    queue_.push_back(&op);
    return passes_overlap(op) ? pass_time(op, op.shared_passes) : Cycle{1};
  });
}

bool LoadStoreUnit::may_write(MemoryInstruction& op, Cycle cycle) {
  // A client's rows are its own: they are not in the register file.
  if (op.write_granted || op.instruction->write_count == 0 || op.client != LsuClient::kCore) return true;
  const WarpId warp = op.slices[0].warp;
  const Cycle late = register_isock.write({.lanes = static_cast<std::uint8_t>(op.mask.count_of_mostly_full()),
                                           .homes = static_cast<std::uint8_t>(op.slice_count),
                                           .sub_core = sub_core_of_warp_[warp.value()],
                                           .warp = warp,
                                           .instruction = op.instruction,
                                           .cycle = cycle});
  if (late == 0) return true;
  op.write_granted = true;
  requests_.complete_at(op, cycle + late);
  return false;
}

void LoadStoreUnit::set_shared_passes(MemoryInstruction& op) const {
  const BankPasses passes = bank_passes(op, config_.shared_memory);
  op.shared_passes = static_cast<std::uint16_t>(passes.all);
  op.passes_without_conflict = static_cast<std::uint16_t>(passes.without_conflict);
}

void LoadStoreUnit::write_copy(MemoryInstruction& op, Cycle cycle) {
  constexpr Cycle kLookAgain = 32;  // what the calendar of completions always reaches
  if (shared_busy_until_ > cycle)
    return requests_.complete_at(op, std::min(shared_busy_until_, cycle + kLookAgain));
  op.shared_lanes = LaneMask{};
  op.for_each_slice([&](const MemorySlice& slice) { op.shared_lanes |= slice.lanes; });
  op.shared_lanes.for_each([&](unsigned lane) {
    unsigned char* const data = op.data.data() + std::size_t{lane} * op.bytes;
    std::fill(data + op.compare[lane], data + op.bytes, static_cast<unsigned char>(0));
  });
  op.shared_shape = Shape::kScattered;
  op.address = op.operand;
  set_shared_passes(op);
  shared_isock.access(op);
  op.shared_done = true;
  const Cycle passes = pass_time(op, op.shared_passes);
  shared_busy_until_ = cycle + passes;
  shared_replays_ = false;
  requests_.complete_at(op, cycle + passes);
}

void LoadStoreUnit::finish(MemoryInstruction& op, Cycle cycle) {
  if (op.client == kTextureClient) [[unlikely]]
    return textures_.take_texels(op, cycle);
  if (op.instruction->op == Opcode::kAsyncCopy && !op.shared_done) [[unlikely]]
    return write_copy(op, cycle);
  if (!may_write(op, cycle)) return;
  if (op.instruction->op == Opcode::kTexture) [[unlikely]]
    textures_.write_back(op);
  const isa::Instruction& instruction = *op.instruction;
  const bool writes_registers = instruction.write_count != 0;
  op.for_each_slice([&](const MemorySlice& slice) { slice.counters->finish(writes_registers); });
  if (writes_registers && !op.constant && op.client == LsuClient::kCore) {
    load_latency_.sum += cycle - op.issued_at;
    ++load_latency_.count;
  }
  if (writes_memory(instruction)) writes_.performed(op.write_number);
  LsuCompletion done{LsuCompletion::Kind::kFinished, op.client, op.tag, &instruction, op.all_slices()};
  complete(done);
  requests_.free(op);
}

void LoadStoreUnit::take_response(PortResponse& response) {
  if (config_.fence.completion_cycles != 0) [[unlikely]] {
    if (const std::optional<WriteMark> message = lines_.take_message(response)) {
      writes_.performed(*message);
      return;
    }
  }
  const std::optional<DisplacedLines::Line> line = lines_.take_response(response);
  if (!line) return;
  --line->owner.counters->memory_outstanding;
  LsuCompletion written{LsuCompletion::Kind::kLineWritten, line->client, 0, nullptr, {&line->owner, 1}};
  complete(written);
}

void LoadStoreUnit::complete_client(LsuCompletion& done) {
  if (done.client == kTextureClient) {  // a line that a texel's read displaced: its warp waits for it
    done.client = LsuClient::kCore;
    return completion_isock.call(done);
  }
  clients_[static_cast<std::size_t>(done.client) - 1]->completion_isock.call(done);
}

}  // namespace heddle::core
