// A core's side of commits ([KiloTM] §4.2.4, §4.2.5, [WarpTM] §6.2, §6.3): which lanes need commit units, conflicts within the
// warp, credits, commit ids, the logs to the units, outcomes.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "memory/address_map.h"
#include "tm/commit_credits.h"
#include "tm/commit_protocol.h"
#include "tm/committed_ids.h"
#include "tm/log_sender.h"
#include "tm/silent_commits.h"
#include "tm/transaction_shared.h"
#include "tm/warp_commit.h"
#include "tm/warp_conflicts.h"

namespace heddle::tm {

class Committer final : public CommitProtocol, private LogWalker::Reader {
 public:
  /// `core`: its number in the GPU.
  Committer(const TmConfig& config, std::uint32_t core, const memory::AddressMap& map,
            TransactionShared& shared, TransactionLog& log, SilentCommits& silent, CommittedIds& ids,
            CommitPort& port, CoreSignals& signals, std::size_t warps);

  void commit(const Attempt& attempt) override;
  void validate(const Attempt& attempt) override;
  [[nodiscard]] CommitStage stage(WarpId id) const override { return warps_[id.value()].stage; }
  [[nodiscard]] Outcome outcome(WarpId id) const override;
  [[nodiscard]] Conclusion conclude(WarpId id) override;
  [[nodiscard]] bool holds_fences() const override { return config_.fence_waits; }
  [[nodiscard]] bool holds_fence(WarpId id, LaneMask lanes) override;
  void tick(Cycle cycle) override;
  [[nodiscard]] Cycle due(Cycle now) const override;

 private:
  struct Warp {
    CommitStage stage = CommitStage::kNone;
    bool validates = false;
    Attempt attempt;
    LaneMask asks;     ///< commit units
    LaneMask trivial;  ///< of a commit: lanes that do not ask
    LaneMask silent;   ///< of these: have read, and nothing has changed since
    LaneMask losers;
    WarpCommit commit;
    std::uint32_t walks_again = 0;  ///< of its logs, that commit units have asked for
  };
  [[nodiscard]] Warp& warp(WarpId id) { return warps_[id.value()]; }

  // LogWalker::Reader
  void begins(const LogWalk& walk) override;
  void takes(const LogWalk& walk, const LogWalker::Row& row) override;
  void ends(const LogWalk& walk) override;

  void ask_for_credits(WarpId id);
  void take_credits();
  void take_ids(WarpId id, Cid base);
  void take_notice(const CoreMessage& notice, std::uint32_t partition);
  /// Final outcomes are known: to the units that have words of them.
  void decide(WarpId id, LaneMask lanes);
  void resolve_if_complete(WarpId id);

  const TmConfig config_;
  const std::uint32_t core_;
  const std::uint32_t partitions_;
  TransactionShared& shared_;
  TransactionLog& log_;
  SilentCommits& silent_;
  CommittedIds& ids_;
  CommitPort& port_;
  CoreSignals& signals_;
  LogWalker walker_;
  LogSender sender_;
  WarpConflicts conflicts_;
  CommitCredits credits_;
  std::vector<Warp> warps_;
  std::deque<WarpId> for_credits_;
  bool waits_for_board_ = false;
};

}  // namespace heddle::tm
