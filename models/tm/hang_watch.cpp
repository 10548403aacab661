#include "tm/hang_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/state/core_state.h"

namespace heddle::tm {

using hang::HangKind;
using Phase = Attempts::Phase;

namespace {

const char* does(Phase phase, CommitStage stage) {
  static constexpr const char* kCommit[] = {"executes",
                                            "looks for conflicts within the warp",
                                            "waits for entries of the commit units",
                                            "waits for commit ids",
                                            "sends its logs",
                                            "waits for outcomes of the commit units"};
  switch (phase) {
    case Phase::kIdle:
      return "is over";
    case Phase::kDrains:
      return "waits for its accesses";
    case Phase::kResolved:
      return "has its outcomes";
    default:
      return kCommit[static_cast<unsigned>(stage)];
  }
}

}  // namespace

void HangWatch::begin(WarpId id) {
  const Attempts::Progress& of = attempts_.progress(id);
  committed_before_[id.value()] = shared_.committed;
  if (hang_cycles_ != 0) looks_.add(of.began_at + hang_cycles_, id, of.transactions);
}

void HangWatch::look(Cycle cycle) {
  const auto same = [this](WarpId id, std::uint64_t number) {
    const Attempts::Progress& of = attempts_.progress(id);
    return of.transactions == number && of.phase != Phase::kIdle;
  };
  while (const auto due = looks_.take_due(cycle, same))
    if (!std::exchange(told_, true) && shared_.on_hang) shared_.on_hang(story_of(*due, cycle));
}

HangKind HangWatch::kind_of(WarpId id, Cycle now) const {
  const Attempts::Progress& of = attempts_.progress(id);
  const Cycle half = of.began_at + (now - of.began_at) / 2;
  const bool runs =
      of.phase == Phase::kDrains || ((of.phase == Phase::kRuns || of.phase == Phase::kValidates) &&
                                     commit_.stage(id) == CommitStage::kNone);
  if (of.failures == 0 || of.since <= half)
    return runs || of.in_commit_since > half ? HangKind::kTransactionLoops : HangKind::kTransactionWaits;
  if (of.conflicts == 0) return HangKind::kTransactionAborts;
  return shared_.committed != committed_before_[id.value()] && shared_.committed_at > half
             ? HangKind::kTransactionStarves
             : HangKind::kTransactionLivelock;
}

system::MechanismHang HangWatch::story_of(WarpId id, Cycle now) const {
  const Attempts::Progress& of = attempts_.progress(id);
  system::MechanismHang hang;
  hang.kind = kind_of(id, now);
  hang.how = "timed, not proven";
  hang.why = fmt::format(
      "the transaction at {} of warp slot {} of core {} (warp {} of the grid) is not over after {} cycles: "
      "it {}; "
      "{} attempts have failed in a row, lanes {:#010x} are in the present one\n  {}",
      launch_->kernel->location(of.region->begin), id.value(), core_, of.grid_warp, now - of.began_at,
      does(of.phase, commit_.stage(id)), of.failures, of.attempt.bits(),
      launch_->kernel->source_line(of.region->begin));
  hang.why += fmt::format("\n  {} transactions of threads have committed meanwhile",
                          shared_.committed - committed_before_[id.value()]);
  const std::string conflict = shared_.conflict_of ? shared_.conflict_of(core_, id.value()) : std::string();
  hang.why +=
      conflict.empty() ? "\n  no conflict of it is known: it aborts by itself, or loops" : "\n  " + conflict;
  switch (*hang.kind) {
    case HangKind::kTransactionAborts:
      hang.remedy =
          "nobody commits what it waits for before its tx_abort; or that takes longer than tm.hang_cycles";
      break;
    case HangKind::kTransactionLoops:
      hang.remedy = "check the loops between tx_begin and tx_commit; or it takes longer than tm.hang_cycles";
      break;
    case HangKind::kTransactionWaits:
      hang.remedy = "commits take longer than tm.hang_cycles";
      break;
    default:
      hang.remedy =
          "the protocol promises that somebody commits, not who: make the transaction shorter, or let fewer "
          "compete "
          "(tm.concurrent_warps), or those that have failed wait (tm.backoff_cycles); tm.hang_cycles says "
          "how long "
          "that may take";
  }
  return hang;
}

}  // namespace heddle::tm
