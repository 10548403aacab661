#include "tm/committer.h"

#include <algorithm>

namespace heddle::tm {

Committer::Committer(const TmConfig& config, std::uint32_t core, const memory::AddressMap& map,
                     TransactionShared& shared, TransactionLog& log, SilentCommits& silent, CommittedIds& ids,
                     CommitPort& port, CoreSignals& signals, std::size_t warps)
    : config_(config),
      core_(core),
      partitions_(map.partitions()),
      shared_(shared),
      log_(log),
      silent_(silent),
      ids_(ids),
      port_(port),
      signals_(signals),
      walker_(log, signals, *this, config.intra_warp.resolution == IntraWarp::kTwoPhase),
      sender_(map, log, port),
      conflicts_(config.intra_warp),
      credits_(shared.credits),
      warps_(warps) {
  port.on_ids = [this](WarpId id, Cid base) { take_ids(id, base); };
  port.on_notice = [this](const CoreMessage& notice, std::uint32_t partition) {
    take_notice(notice, partition);
  };
}

// ---- Who asks the commit units

void Committer::commit(const Attempt& attempt) {
  const WarpId id = attempt.warp;
  Warp& of = warp(id);
  of.attempt = attempt;
  of.validates = false;
  const LaneMask readers = log_.readers(id), writers = log_.writers(id);
  const LaneMask words = (readers | LaneMask::difference(writers, attempt.faulted)) & attempt.lanes;
  of.silent = silent_.commit(id, LaneMask::difference(words, writers | attempt.faulted));
  of.asks = LaneMask::difference(words, of.silent);
  of.trivial = LaneMask::difference(attempt.lanes, of.asks);
  of.losers = LaneMask{};
  of.commit.begin({}, {}, {}, {}, false);
  if (of.asks.none()) return on_resolved(id);
  if (config_.protocol == Protocol::kWarp && of.asks.count() > 1 && log_.rows(id, true) != 0) {
    of.stage = CommitStage::kResolves;
    walker_.add({id, LogWalk::Why::kResolve, false, of.asks, 0, false, {}});
    return signals_.wake();
  }
  ask_for_credits(id);
}

void Committer::validate(const Attempt& attempt) {
  Warp& of = warp(attempt.warp);
  of.attempt = attempt;
  of.validates = true;
  of.asks = attempt.lanes & log_.readers(attempt.warp);
  ask_for_credits(attempt.warp);
}

// ---- Credits, ids

void Committer::ask_for_credits(WarpId id) {
  warp(id).stage = CommitStage::kCredits;
  for_credits_.push_back(id);
  signals_.wake();
}

/// All that a warp needs, or none; in the order of their commits ([KiloTM:E3]).
void Committer::take_credits() {
  credits_.collect(shared_.board.oldest());
  while (!for_credits_.empty()) {
    const WarpId id = for_credits_.front();
    Warp& of = warp(id);
    if (!credits_.take(of.asks.count())) {
      if (waits_for_board_) return;
      ++counters_.credit_waits;
      waits_for_board_ = true;
      shared_.board.wait([this] {
        waits_for_board_ = false;
        signals_.recheck_now(for_credits_.front());
      });
      return;
    }
    UnitMessage ask;
    ask.kind = UnitMessage::Kind::kCommitIds;
    ask.group.lanes = of.asks;
    ask.group.core = core_;
    ask.group.warp = id.value();
    of.stage = CommitStage::kIds;
    for_credits_.pop_front();
    port_.send(0, std::move(ask));
  }
}

void Committer::take_ids(WarpId id, Cid base) {
  Warp& of = warp(id);
  CommitGroup group;
  group.base = base;
  group.lanes = of.asks;
  group.core = core_;
  group.warp = id.value();
  group.client = port_.client();
  credits_.assign(group.end(), group.count());
  if (!of.validates) group.lanes.for_each([&](unsigned lane) { ids_.set(id, lane, group.cid_of(lane)); });
  of.commit.begin(group, {}, {}, {}, false);
  of.stage = CommitStage::kTransfer;
  walker_.add({id,
               of.validates ? LogWalk::Why::kValidate : LogWalk::Why::kTransfer,
               false,
               group.lanes,
               0,
               false,
               {}});
}

// ---- The logs

void Committer::begins(const LogWalk& walk) {
  if (walk.why == LogWalk::Why::kResolve) return conflicts_.begin();
  sender_.begin();
}

void Committer::takes(const LogWalk& walk, const LogWalker::Row& row) {
  if (walk.why == LogWalk::Why::kResolve) return conflicts_.add(walk.lanes, row);
  const Warp& of = warp(walk.warp);
  sender_.send(walk, row, {of.commit.group(), of.attempt.faulted});
}

void Committer::ends(const LogWalk& walk) {
  Warp& of = warp(walk.warp);
  if (walk.why == LogWalk::Why::kResolve) {
    const Resolution resolution = conflicts_.resolve(walk.warp, of.asks, signals_.now());
    of.losers = LaneMask::difference(of.asks, resolution.survivors);
    of.asks = LaneMask::difference(of.asks, of.losers);
    counters_.resolution_steps += resolution.steps;
    return;
  }
  if (walk.by_lane) {
    --of.walks_again;
    return resolve_if_complete(walk.warp);
  }
  const CommitGroup group = of.commit.group();
  if (walk.why == LogWalk::Why::kAgain) return sender_.done_again(walk, group);
  const LaneMask faulted = of.attempt.faulted;
  if (of.validates)  // fails in any case
    of.commit.begin(group, sender_.done(group), {}, group.lanes, false);
  else
    of.commit.begin(group, sender_.done(group), LaneMask::difference(log_.writers(walk.warp), faulted),
                    faulted, false);
  of.stage = CommitStage::kWaits;
}

// ---- Outcomes

void Committer::take_notice(const CoreMessage& notice, std::uint32_t partition) {
  const WarpId id{notice.group.warp};
  Warp& of = warp(id);
  // Entries of transactions that have only read retire behind the core's back.
  if (of.commit.group().base != notice.group.base || of.stage == CommitStage::kNone) return;
  switch (notice.kind) {
    case CoreMessage::Kind::kLocalOutcome:
      decide(id, of.commit.outcome(notice.lanes, notice.pass));
      break;
    case CoreMessage::Kind::kDone:
      of.commit.done(notice.lanes);
      break;
    case CoreMessage::Kind::kResendReads:
    case CoreMessage::Kind::kResendWrites:
    case CoreMessage::Kind::kResendSets: {
      const LogWalk again{id,
                          LogWalk::Why::kAgain,
                          notice.kind == CoreMessage::Kind::kResendWrites,
                          notice.lanes,
                          partition,
                          notice.kind == CoreMessage::Kind::kResendSets,
                          notice.pass};
      if (again.by_lane) ++of.walks_again;
      return walker_.add_next(again);
    }
  }
  resolve_if_complete(id);
}

void Committer::decide(WarpId id, LaneMask lanes) {
  const Warp& of = warp(id);
  if (lanes.none()) return;
  if ((of.commit.valid() & of.attempt.faulted & lanes).any()) std::rethrow_exception(of.attempt.fault);
  const LaneMask passed = of.commit.passed();
  for (std::uint32_t p = 0; p < partitions_; ++p) {
    const LaneMask told = of.commit.touched(p) & lanes;
    const auto tell = [&](LaneMask which) {
      UnitMessage final;
      final.kind = UnitMessage::Kind::kFinal;
      final.group = of.commit.group();
      final.touched = which;
      final.pass = which & passed;
      port_.send(p, std::move(final));
    };
    if (config_.protocol == Protocol::kKilo)
      told.for_each([&](unsigned lane) { tell(lane_bit(lane)); });
    else if (told.any())
      tell(told);
  }
  (lanes & passed).for_each([&](unsigned lane) {
    ids_.tell(of.commit.group().cid_of(lane), of.attempt.grid_warp, lane, false);
  });
}

void Committer::resolve_if_complete(WarpId id) {
  Warp& of = warp(id);
  // The log stays until what is sent again has left: the unit may have gone on without it since it asked.
  if (of.stage != CommitStage::kWaits || !of.commit.resolved() || of.walks_again != 0) return;
  of.stage = CommitStage::kNone;
  if (!of.validates) return on_resolved(id);
  const LaneMask invalid = LaneMask::difference(of.commit.group().lanes, of.commit.valid());
  of.commit.begin({}, {}, {}, {}, false);
  on_validated(id, invalid);
}

CommitProtocol::Outcome Committer::outcome(WarpId id) const {
  const Warp& of = warps_[id.value()];
  if (of.validates || (of.stage != CommitStage::kTransfer && of.stage != CommitStage::kWaits)) return {};
  return {of.commit.finished(), of.commit.passed()};
}

CommitProtocol::Conclusion Committer::conclude(WarpId id) {
  const Warp& of = warp(id);
  of.trivial.for_each([&](unsigned lane) {
    const Cid behind = of.silent.test(lane) ? silent_.behind(id, lane) : ids_.last(id, lane);
    ids_.tell(behind, of.attempt.grid_warp, lane, true);
  });
  return {(of.commit.passed() | of.trivial) & of.attempt.lanes, of.losers};
}

/// [KiloTM:E8]: older transactions that touch the same words may still have writes to do in other units.
bool Committer::holds_fence(WarpId id, LaneMask lanes) {
  if (!config_.fence_waits || ids_.last(id, lanes) < shared_.board.oldest()) return false;
  ++counters_.fence_waits;
  shared_.board.wait([this, id] { signals_.recheck_now(id); });
  return true;
}

// ---- A cycle

void Committer::tick(Cycle cycle) {
  if (!for_credits_.empty() && !waits_for_board_) take_credits();
  if (const auto resolved = conflicts_.over(cycle)) ask_for_credits(*resolved);
  // The unit has one walker; a resolution keeps it to its end.
  if (walker_.waits() && !conflicts_.busy() && !port_.crowded()) walker_.tick();
  port_.tick(cycle);
}

Cycle Committer::due(Cycle now) const {
  if (walker_.waits() || port_.waits()) return now + 1;
  return conflicts_.busy() ? std::max(conflicts_.due(), now + 1) : base::kNever;
}

}  // namespace heddle::tm
