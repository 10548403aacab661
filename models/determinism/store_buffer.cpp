#include "determinism/store_buffer.h"

#include <algorithm>

#include "core/state/core_state.h"

namespace heddle::determinism {

using core::LsuCompletion;
using core::LsuRequest;

namespace {

bool goes_to_global(const isa::Instruction& instruction) {
  return instruction.space != isa::StateSpace::kShared && instruction.space != isa::StateSpace::kLocal &&
         instruction.space != isa::StateSpace::kConst && instruction.space != isa::StateSpace::kParam;
}

}  // namespace

StoreBuffer::StoreBuffer(const sc_core::sc_module_name& name, const DeterminismConfig& config,
                         const DepthFormat& depths, Preconditions& preconditions,
                         const core::CoreExtensionSite& site)
    : LsuInterposer(name),
      config_(config),
      depths_(depths),
      preconditions_(preconditions),
      site_(site),
      traffic_("traffic", site.stats.child("determinism").child("traffic", "accesses to logs")),
      resolver_(kChunkBytes, site.services.allocations),
      most_held_(site.config.lsu.queue_entries) {
  waves_.assign(site.config.occupancy.max_warps, Wave(warp_log::BloomFilter::bits_of(config.log.bloom_bits)));
  traffic_.answer_isock.bind(log_answer_tsock_);
  base::StatGroup& stats = site.stats.child("determinism").child("store_buffer", "logs of the wavefronts");
  stats.counter("stores", "warp-instructions", "stores to global memory", &stores_);
  stats.counter("appends", "log entries", "chunks stored to", &appends_);
  stats.counter("partial_appends", "log entries", "of these, with a part of a 32-bit word",
                &partial_appends_);
  stats.counter("loads", "warp-instructions", "loads of global memory", &loads_);
  stats.counter("bloom_look_ups", "chunks", "that loads looked up in the Bloom filter of a log with entries",
                &bloom_look_ups_);
  stats.counter("searches", "searches",
                "chunks that were looked for in the log: the Bloom filter did not exclude them", &searches_);
  stats.counter("compared", "log entries", "looked at by searches", &compared_);
  stats.counter("forwards", "searches", "that found all bytes", &forwards_);
  stats.counter("partial_forwards", "searches", "that found some of the bytes", &partial_forwards_);
  stats.counter("false_positives", "searches", "that found none of the bytes", &false_positives_);
  stats.counter("updates", "log entries", "sent to the commit engine", &updates_);
  stats.counter("serial_writes", "log entries", "committed serially", &serial_writes_);
  stats.counter("most_entries", "log entries", "longest log", &most_entries_);
}

void StoreBuffer::add_clients(core::LoadStoreUnit& unit) { traffic_.bind_unit(unit, "store_buffer"); }

void StoreBuffer::set_log_base(std::uint64_t base) {
  const std::uint64_t waves = waves_.size();
  log_base_ = base + site_.core.value() * log_bytes(config_, waves);
  log_end_ = log_base_ + log_bytes(config_, waves);
  layout_ = warp_log::LogLayout(base, config_.log.capacity, kMetaBytes, site_.core.value() * waves);
}

void StoreBuffer::tell(StoreBufferEvent::Kind kind, WarpId warp) {
  event_isock.call({.kind = kind, .warp = warp});
}

// ---- The core's side

void StoreBuffer::begin_launch(LsuRequest& request) {
  launch_ = request.launch;
  resolver_.begin_launch(launch_);
  own_ = {{log_base_, log_end_}, {launch_->local_base, launch_->local_base + core::local_bytes(*launch_)}};
  if (launch_->table_bytes != 0)
    own_.push_back({launch_->table_base, launch_->table_base + launch_->table_bytes});
  event_isock.call({.kind = StoreBufferEvent::Kind::kBeginLaunch, .launch = launch_});
}

void StoreBuffer::serve(LsuRequest& request) {
  switch (request.op) {
    case LsuRequest::Op::kIssue:
      issue(request);
      break;
    case LsuRequest::Op::kTick:
      tick(request);
      break;
    case LsuRequest::Op::kBeginLaunch:
      lsu_isock.call(request);
      begin_launch(request);
      break;
    case LsuRequest::Op::kStartCta:
      lsu_isock.call(request);
      event_isock.call({.kind = StoreBufferEvent::Kind::kStartCta, .cta = request.cta});
      break;
    case LsuRequest::Op::kNextWriteGeneration:
      generation_ ^= 1;
      lsu_isock.call(request);
      break;
    case LsuRequest::Op::kOffer:
    case LsuRequest::Op::kInvalidateGlobal:
    case LsuRequest::Op::kAcquire:
    case LsuRequest::Op::kMarkWrites:
      lsu_isock.call(request);
      break;
  }
  lsu_full_ = request.full;
  request.full = request.full || full();
}

void StoreBuffer::issue(LsuRequest& request) {
  ++wave(request.slices[0].warp).outstanding;
  request.full = lsu_full_;
  const isa::Instruction& instruction = *request.instruction;
  const bool global = goes_to_global(instruction);
  if (global && instruction.op == isa::Opcode::kStore) return store(request);
  if (global && instruction.op == isa::Opcode::kLoad) return load(request);
  if (global && preconditions_.watched()) check_passed(request);
  lsu_isock.call(request);
}

void StoreBuffer::wake(core::LsuWake& wake) {
  lsu_full_ = wake.full;
  wake.full = wake.full || full();
  wake_isock.call(wake);
}

void StoreBuffer::wake_core() {
  core::LsuWake wake{0, lsu_full_ || full()};
  wake_isock.call(wake);
}

void StoreBuffer::operation_done(WarpId warp) {
  if (--wave(warp).outstanding == 0) tell(StoreBufferEvent::Kind::kQuiet, warp);
}

void StoreBuffer::complete(LsuCompletion& done) {
  if (done.kind == LsuCompletion::Kind::kLineWritten) return completion_isock.call(done);
  if (done.tag != 0) {  // a part of a held operation
    if (done.kind == LsuCompletion::Kind::kFinished) {
      const std::uint32_t owner = done.tag - 1;
      if (done.instruction->write_count != 0)
        if (const LaneMask lanes = done.slices[0].lanes & held_[owner]->searched; lanes.any())
          merge(*held_[owner], lanes, true);
      piece_done(owner);
    }
    return;
  }
  const WarpId warp = done.slices[0].warp;
  const bool finished = done.kind == LsuCompletion::Kind::kFinished;
  completion_isock.call(done);
  if (finished) operation_done(warp);
}

void StoreBuffer::inspect(LsuRequest& request) {
  lsu_isock.inspect(request);
  core::LsuInspection& look = *request.look;
  if (look.ask == core::LsuInspection::Ask::kOldWrites)
    look.yes = look.yes || appended_in_[generation_ ^ 1] != 0;
  if (look.ask == core::LsuInspection::Ask::kPendingLoads)
    for (const auto& held : held_.items())
      if (held && held->operation.instruction().write_count != 0 &&
          held->operation.slices()[0].warp == look.warp)
        look.pending->push_back({&held->operation.instruction(), held->operation.slices()[0].lanes});
}

// ---- A cycle

void StoreBuffer::tick(LsuRequest& request) {
  lsu_isock.call(request);
  lsu_full_ = request.full;
  const Cycle cycle = request.cycle;
  again_ = false;
  while (!to_pass_.empty() && offer_pass(to_pass_.front(), cycle)) to_pass_.pop_front();
  if (committing() || engine_due_ <= cycle) commit_cycle(cycle);
  offer_access(cycle);
  request.full = lsu_full_;
  // What is on its way in the load/store unit, or at the engine, brings its own cycles.
  if (again_ || !to_pass_.empty() || !to_lsu_.empty())
    request.next_due = std::min(request.next_due, cycle + 1);
  request.next_due = std::min(request.next_due, std::max(engine_due_, cycle + 1));
}

void StoreBuffer::answer_for_nothing() {
  while (!to_lsu_.empty()) {
    const LogAccess access = to_lsu_.front();
    to_lsu_.pop_front();
    again_ = true;
    if (writes(access.purpose)) shadow_.store(access.address, {access.data.data(), access.words});
    answered(access, shadow_.load(access.address, access.words));
  }
}

void StoreBuffer::offer_access(Cycle cycle) {
  if (config_.log.cost == LogCost::kNone) return answer_for_nothing();
  if (to_lsu_.empty()) return;
  LogAccess& access = to_lsu_.front();
  const std::uint32_t tag = in_lsu_.next();
  const bool taken =
      writes(access.purpose)
          ? traffic_.store(access.warp, access.address, {access.data.data(), access.words}, tag, cycle)
          : traffic_.load(access.warp, access.address, access.words, tag, cycle);
  if (!taken) return;
  again_ = true;
  in_lsu_.put(access);
  to_lsu_.pop_front();
}

void StoreBuffer::take_log(warp_log::LogAnswer& answer) {
  if (answer.displaced_line) return commit_ends();
  const LogAccess access = in_lsu_.take(static_cast<std::uint32_t>(answer.tag));
  answered(access, answer.words);
}

void StoreBuffer::queue(const LogAccess& access) { to_lsu_.push_back(access); }

void StoreBuffer::answered(const LogAccess& access, std::span<const std::uint32_t> words) {
  if (preconditions_.watched()) check_read(access, words);
  switch (access.purpose) {
    case Purpose::kAppend:
      piece_done(access.owner);
      break;
    case Purpose::kSearchMeta:
    case Purpose::kSearchData:
      take_search(access.owner, access, words);
      break;
    case Purpose::kReplayMeta:
      --reads_;
      wave(access.warp).replay.take_meta(words);
      break;
    case Purpose::kReplayData:
      --reads_;
      wave(access.warp).replay.take_data(access.entry, words);
      break;
  }
}

// ---- The quantum unit's side

void StoreBuffer::control(StoreBufferRequest& request) {
  const Wave& of = wave(request.warp);
  switch (request.op) {
    case StoreBufferRequest::Op::kAsk:
      request.quiet = of.outstanding == 0;
      request.has_partial = of.has_partial;
      request.entries = of.entries;
      request.digest = of.digest.value();
      break;
    case StoreBufferRequest::Op::kParallel:
      watch_ = request.watch;
      if (watch_)
        for (Wave& each : waves_) each.digest = {};
      if (preconditions_.watched()) check_caches();
      break;
    case StoreBufferRequest::Op::kCommit:
      begin_commit(request.quantum);
      break;
    case StoreBufferRequest::Op::kEndCommit:
      end_commit();
      break;
    case StoreBufferRequest::Op::kSerialLog:
      begin_serial(request.warp);
      break;
    case StoreBufferRequest::Op::kResetDepths:
      engine_due_ = commit_isock.reset_depths(request.cycle);
      wake_core();
      break;
  }
}

}  // namespace heddle::determinism
