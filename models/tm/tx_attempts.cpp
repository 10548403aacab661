// Gates in front of the instructions of transactions, and what these do: tokens, attempts, outcomes ([KiloTM] §4.2.1 to
// §4.2.6).
#include <algorithm>

#include "core/core_state.h"
#include "tm/transaction_unit.h"

namespace heddle::tm {

using isa::Opcode;
using isa::TransactionOp;

namespace {

constexpr std::uint32_t kMostBackoff = 16;  ///< attempts in a row that make it longer

}  // namespace

// ---- Gates

void TransactionUnit::ask_token(core::IssueGateRequest& request) {
  const isa::Instruction& instruction = *request.instruction;
  if (request.op == core::IssueGateRequest::Op::kInterest) {
    token_gate_ = request.gate;
    request.closed =
        instruction.op == Opcode::kTransaction && instruction.transaction == TransactionOp::kBegin;
    return;
  }
  Warp& of = warp(request.warp);
  if (within(of, request.mask)) return;  // nested
  if (apart_) {  // a split waits for the token as at a barrier, but not for its registers
    request.mask.for_each(
        [&](unsigned lane) { request.closed = request.closed || of.lane_loads[lane] != 0; });
    return;
  }
  request.closed = true;
  if (of.phase != Phase::kIdle) return;  // another part of the warp is in a transaction
  if (of.loads != 0) return;             // registers are saved when they have got their values
  request.closed = !of.token && !take_token(request.warp, request.mask);
}

bool TransactionUnit::take_token(WarpId id, LaneMask lanes) {
  Warp& of = warp(id);
  const Cycle now = site_.services.clock.cycle();
  if (of.phase != Phase::kIdle || (config_.concurrent_warps != 0 && tokens_ >= config_.concurrent_warps)) {
    if (!of.waits_for_token) {
      of.waits_for_token = true;
      of.waits_since = now;
      token_queue_.push_back(id);
    }
    return false;
  }
  of.token = true;
  ++tokens_;
  if (of.waits_for_token) {
    stats_.token_cycles += (now - of.waits_since) * lanes.count();
    of.waits_since = now;
    if (LaneMask::difference(of.at_begin, lanes).any()) return true;  // others of the warp go on waiting
    of.waits_for_token = false;
    std::erase(token_queue_, id);
  }
  return true;
}

void TransactionUnit::release_token(Warp& of) {
  of.token = false;
  --tokens_;
  if (!apart_) {
    if (!token_queue_.empty()) recheck(true, token_queue_.front());
    return;
  }
  const auto next = std::ranges::find_if(
      token_queue_, [this](WarpId id) { return warp(id).phase == Phase::kIdle && !warp(id).token; });
  if (next != token_queue_.end()) resume(*next, warp(*next).at_begin);
}

void TransactionUnit::ask_commit(core::IssueGateRequest& request) {
  const isa::Instruction& instruction = *request.instruction;
  const bool transaction = instruction.op == Opcode::kTransaction;
  const auto behind_begin = [&] {
    if (config_.backoff_cycles == 0 || request.pc.value() == 0) return false;
    const isa::Instruction& before = launch_->kernel->code[request.pc.value() - 1];
    return before.op == Opcode::kTransaction && before.transaction == TransactionOp::kBegin;
  };
  if (request.op == core::IssueGateRequest::Op::kInterest) {
    commit_gate_ = request.gate;
    request.closed = (transaction && instruction.transaction != TransactionOp::kBegin) || behind_begin() ||
                     ((config_.fence_waits || ideal_stores_) && instruction.op == Opcode::kFence);
    return;
  }
  Warp& of = warp(request.warp);
  if (!within(of, request.mask)) {
    if (instruction.op == Opcode::kFence) request.closed = fence_waits(request);
    return;
  }
  if (instruction.op == Opcode::kFence || (apart_ && transaction)) return;
  if (!transaction) {
    request.closed = of.backoff_until > site_.services.clock.cycle();
  } else if (instruction.transaction == TransactionOp::kAbort) {
    request.closed = of.accesses != 0 || of.validates;
  } else if (request.pc == of.region->commit) {
    if (of.phase == Phase::kRuns && !of.validates) {
      of.phase = Phase::kDrains;
      of.in_commit_since = site_.services.clock.cycle();
      drain(request.warp);
    }
    request.closed = of.phase != Phase::kResolved;
  }
}

/// [KiloTM:E8]: older transactions that touch the same words may still have writes to do in other units.
bool TransactionUnit::fence_waits(const core::IssueGateRequest& request) {
  // What ideal transactional memory has sent to L2 comes before what follows the fence.
  if (ideal_stores_) return ideal_stores_->await(request.warp);
  if (!config_.fence_waits) return false;
  const Warp& of = warp(request.warp);
  Cid last = 0;
  request.mask.for_each([&](unsigned lane) { last = std::max(last, of.last_cid[lane]); });
  if (last < shared_.board.oldest()) return false;
  ++stats_.fence_waits;
  const WarpId id = request.warp;
  shared_.board.wait([this, id] { wake_from_outside(id); });
  return true;
}

void TransactionUnit::wake_from_outside(WarpId id) {
  wake_core();
  core::GateControlRequest look;
  look.op = core::GateControlRequest::Op::kRecheck;
  look.gate = commit_gate_;
  look.warp = id;
  commit_control_isock.call(look);
}

// ---- Instructions

void TransactionUnit::execute(core::TransactionRequest& request) {
  Warp& of = warp(request.warp);
  if (request.op == TransactionOp::kBegin) {
    request.nested = within(of, request.lanes);
    if (!request.nested) apart_ ? begin_apart(request) : begin(request);
    return;
  }
  request.begin = of.region->begin;
  request.commit = of.region->commit;
  if (request.op == TransactionOp::kAbort) return abort(request);
  request.nested = request.pc != of.region->commit;
  if (request.nested) return;
  if (!within(of, request.lanes)) return commit_outside(request);
  apart_ ? commit_apart(request) : commit(request);
}

void TransactionUnit::begin(core::TransactionRequest& request) {
  Warp& of = warp(request.warp);
  const auto& regions = launch_->kernel->transactions;
  of.region = &*std::ranges::find(regions, request.pc, &isa::TransactionRegion::begin);
  of.checkpoint.take(*launch_->kernel, of.region->checkpoint, request.registers);
  of.linear_warp = request.linear_warp;
  of.retry = of.began = request.lanes;
  of.failures = 0;
  of.began_at = request.cycle;
  of.conflicts = 0;
  of.committed_before = shared_.committed;
  ++of.transactions;
  if (config_.hang_cycles != 0)
    transactions_.push_back({request.cycle + config_.hang_cycles, request.warp, of.transactions});
  stats_.begun += request.lanes.count();
  ++stats_.warps;
  next_attempt(request.warp, request, request.lanes);
}

void TransactionUnit::next_attempt(WarpId id, core::TransactionRequest& request, LaneMask lanes) {
  Warp& of = warp(id);
  request.retry = lanes;
  of.attempt = lanes;
  of.retry = LaneMask::difference(of.retry, lanes);
  of.phase = Phase::kRuns;
  of.concluded = false;
  of.arrived = of.doomed = LaneMask{};
  ++of.attempts;
  if (config_.validate_cycles != 0) {
    for (std::vector<Pc>& calls : of.calls) calls.clear();
    attempts_.push_back({request.cycle + config_.validate_cycles, id, of.attempts});
  }
  of.read_rows = of.write_rows = 0;
  of.write_bytes.clear();
  for (warp_log::BloomFilter& filter : of.filters) filter.clear();
  of.silent = LaneMask{};
  for (FirstRead& first : of.first_read) first.begin();
  of.readers = of.writers = of.faulted = of.trivial = of.losers = LaneMask{};
  of.fault = nullptr;
  of.since = request.cycle;
  if (shared_.ideal) begin_ideal(id);
  if (of.failures == 0) return;
  ++stats_.retries;
  of.checkpoint.restore(of.attempt, request.registers);
  if (config_.backoff_cycles == 0) return;
  of.backoff_until = request.cycle + config_.backoff_cycles * std::min(of.failures, kMostBackoff);
  backing_off_.push_back(id);
  wake_core();
}

void TransactionUnit::conclude(Warp& of, Cycle cycle) {
  const LaneMask passed = (of.commit.passed() | of.trivial) & of.attempt;
  const LaneMask failed = LaneMask::difference(of.attempt, passed);
  stats_.committed += passed.count();
  shared_.committed += passed.count();
  if (passed.any()) shared_.committed_at = cycle;
  of.conflicts += failed.any() ? 1 : 0;
  stats_.aborted += LaneMask::difference(failed, of.losers).count();
  stats_.intra_warp_aborted += of.losers.count();
  stats_.read_only += LaneMask::difference(passed, of.writers).count();
  stats_.useful_cycles += (of.in_commit_since - of.since) * passed.count();
  stats_.aborted_cycles += (of.in_commit_since - of.since) * failed.count();
  stats_.commit_cycles += (cycle - of.in_commit_since) * of.attempt.count();
  if (shared_.on_commit)
    of.trivial.for_each([&](unsigned lane) {
      const Cid behind = of.silent.test(lane) ? of.first_read[lane].behind() : of.last_cid[lane];
      shared_.on_commit({behind, of.linear_warp, lane, true, ++records_});
    });
  if (shared_.early_credits) {
    for (const auto& [end, count] : credits_out_) credits_used_ -= count;
    credits_out_.clear();
  }
  of.retry |= failed;
  of.concluded = true;
  count_waiting(of, passed.count());
}

void TransactionUnit::count_waiting(Warp& of, std::int64_t more) {
  const Cycle now = site_.services.clock.cycle();
  stats_.wait_cycles += (now - of.waiting_since) * of.waiting;
  of.waiting = static_cast<std::uint32_t>(of.waiting + more);
  of.waiting_since = now;
}

void TransactionUnit::commit(core::TransactionRequest& request) {
  Warp& of = warp(request.warp);
  conclude(of, request.cycle);
  request.all_left = true;
  if (of.retry.any()) {
    ++of.failures;
    return next_attempt(request.warp, request, of.retry);
  }
  ends(request.warp);
}

/// All lanes go on behind the transaction.
void TransactionUnit::ends(WarpId id) {
  Warp& of = warp(id);
  count_waiting(of, -std::int64_t{of.waiting});
  of.phase = Phase::kIdle;
  of.attempt = of.began = LaneMask{};
  release_token(of);
}

void TransactionUnit::abort(core::TransactionRequest& request) {
  Warp& of = warp(request.warp);
  if (of.validates) {  // since the gate was asked: what the attempt has read is on its way to the commit units
    of.at_abort |= request.lanes;
    request.waits = true;
    return;
  }
  if (apart_) return abort_apart(request);
  stats_.self_aborted += request.lanes.count();
  stats_.aborted_cycles += (request.cycle - of.since) * request.lanes.count();
  of.retry |= request.lanes;
  of.attempt = LaneMask::difference(of.attempt, request.lanes);
  if (of.attempt.any()) return;
  request.all_left = true;
  ++of.failures;
  next_attempt(request.warp, request, of.retry);
}

void TransactionUnit::resolved(WarpId id) {
  if (apart_)
    resume(id, warp(id).attempt);
  else
    recheck(false, id);
}

}  // namespace heddle::tm
