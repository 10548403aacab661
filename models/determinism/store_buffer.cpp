#include "determinism/store_buffer.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
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
      site_(site),
      log_watch_(preconditions, site.core, site.config.occupancy.max_warps, own_),
      accesses_(
          config.log.cost, site.stats.child("determinism").child("traffic", "accesses to logs"),
          [this](const LogAccess& access, std::span<const std::uint32_t> words) { answered(access, words); },
          [this] { committer_.look_for_end(); }),
      committer_({site.core, site.config.occupancy.max_warps, depths_, layout_, accesses_, log_watch_,
                  [this](CommitRequest& request) { commit_isock.call(request); },
                  [this](CommitRequest& request) { serial_isock.call(request); }},
                 [this] { committed(); }),
      resolver_(kChunkBytes, site.services.allocations),
      most_held_(site.config.lsu.queue_entries) {
  waves_.assign(site.config.occupancy.max_warps, Wave(warp_log::BloomFilter::bits_of(config.log.bloom_bits)));
  base::StatGroup& stats = site.stats.child("determinism").child("store_buffer", "logs of the wavefronts");
  stats.counter("stores", "warp-instructions", "stores to global memory", &stores_);
  stats.counter("appends", "log entries", "chunks stored to", &appends_);
  stats.counter("partial_appends", "log entries", "of these, with a part of a 32-bit word",
                &partial_appends_);
  stats.counter("loads", "warp-instructions", "loads of global memory", &loads_);
  stats.counter("bloom_look_ups", "chunks", "that loads looked up in the Bloom filter of a log with entries",
                &bloom_look_ups_);
  stats.counter("searches", "searches",
                "chunks that were looked for in the log: the Bloom filter did not exclude them",
                &forwarding_.searches);
  stats.counter("compared", "log entries", "looked at by searches", &forwarding_.compared);
  stats.counter("forwards", "searches", "that found all bytes", &forwarding_.forwards);
  stats.counter("partial_forwards", "searches", "that found some of the bytes",
                &forwarding_.partial_forwards);
  stats.counter("false_positives", "searches", "that found none of the bytes", &forwarding_.false_positives);
  stats.counter("updates", "log entries", "sent to the commit engine", &committer_.counters().updates);
  stats.counter("serial_writes", "log entries", "committed serially", &committer_.counters().serial_writes);
  stats.counter("most_entries", "log entries", "longest log", &most_entries_);
}

void StoreBuffer::add_clients(core::LoadStoreUnit& unit) { accesses_.bind_unit(unit, "store_buffer"); }

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
  log_watch_.begin_launch(launch_);
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
    case LsuRequest::Op::kIssueEmpty:
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
  if (instruction.op == isa::Opcode::kSurfaceStore)
    throw base::KernelFault(
        launch_->kernel->location(request.pc),
        "a store to a surface under determinism\n  " + launch_->kernel->source_line(request.pc),
        "store to plain memory, or set determinism.enabled=false");
  if (instruction.op == isa::Opcode::kAsyncCopy)
    throw base::KernelFault(launch_->kernel->location(request.pc),
                            "an asynchronous copy of global memory under determinism\n  " +
                                launch_->kernel->source_line(request.pc),
                            "copy with ld.global and st.shared, or set determinism.enabled=false");
  if (global) log_watch_.check_passed(request);
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
        if (const LaneMask lanes = done.slices[0].lanes & held_[owner]->load.searched(); lanes.any())
          held_[owner]->load.merge(*done.instruction, held_[owner]->operation.slices()[0].registers, lanes,
                                   true);
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
  if ((committer_.under_way() || committer_.engine_due() <= cycle) && committer_.cycle(cycle)) again_ = true;
  if (accesses_.offer(cycle)) again_ = true;
  request.full = lsu_full_;
  // What is on its way in the load/store unit, or at the engine, brings its own cycles.
  if (again_ || !to_pass_.empty() || accesses_.waiting() != 0)
    request.next_due = std::min(request.next_due, cycle + 1);
  request.next_due = std::min(request.next_due, std::max(committer_.engine_due(), cycle + 1));
}

void StoreBuffer::answered(const LogAccess& access, std::span<const std::uint32_t> words) {
  switch (access.purpose) {
    case LogAccess::Purpose::kAppend:
      log_watch_.check_access(access, words, nullptr);
      piece_done(access.owner);
      break;
    case LogAccess::Purpose::kSearchMeta:
    case LogAccess::Purpose::kSearchData:
      take_search(access, words);
      break;
    case LogAccess::Purpose::kReplayMeta:
    case LogAccess::Purpose::kReplayData:
      log_watch_.check_access(access, words, nullptr);
      committer_.read(access, words);
      break;
  }
}

// ---- Logs on their way out

void StoreBuffer::begin_commit(std::uint32_t quantum) {
  std::vector<LogCommitter::Log> logs;
  for (std::uint32_t w = 0; w < waves_.size(); ++w)
    if (waves_[w].entries != 0 && !waves_[w].has_partial) logs.push_back({w, waves_[w].entries});
  committer_.begin(quantum, logs);
  wake_core();
}

void StoreBuffer::begin_serial(WarpId warp) {
  serial_ = warp;
  committer_.begin_serial({warp.value(), wave(warp).entries});
  wake_core();
}

void StoreBuffer::committed() {
  if (!serial_) return tell(StoreBufferEvent::Kind::kCommitted);
  const WarpId warp = *std::exchange(serial_, std::nullopt);
  wave(warp).has_partial = false;
  clear(warp.value());
  tell(StoreBufferEvent::Kind::kSerialDone, warp);
}

void StoreBuffer::clear(std::uint32_t wave_slot) {
  waves_[wave_slot].clear();
  log_watch_.cleared(wave_slot);
}

void StoreBuffer::end_commit() {
  for (std::uint32_t w = 0; w < waves_.size(); ++w)
    if (!waves_[w].has_partial) clear(w);
  appended_in_ = {};
  lsu_isock.call(
      {.op = LsuRequest::Op::kInvalidateGlobal, .own = &own_, .keep_constants = !config_.constant_flush});
}

void StoreBuffer::take_ack(CommitAck& ack) {
  committer_.engine_is_due(ack.due);
  if (ack.kind == CommitAck::Kind::kDepthsReset) tell(StoreBufferEvent::Kind::kDepthsReset);
  if (ack.kind == CommitAck::Kind::kEntry) committer_.acknowledged(ack.wave_slot);
}

void StoreBuffer::take_serial_ack(CommitAck& ack) { committer_.acknowledged(ack.wave_slot); }

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
      log_watch_.check_caches(lsu_isock, config_.constant_flush);
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
      committer_.reset_depths(request.cycle);
      wake_core();
      break;
  }
}

}  // namespace heddle::determinism
