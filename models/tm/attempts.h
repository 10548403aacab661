// The life of the transactions of a core's warps ([KiloTM] §4.2.1 to §4.2.6): gates in front of their instructions, what these
// do, attempts and who tries again.
//
// A warp is in one transaction at a time, of the lanes that began it together. Where lanes run apart an attempt ends when all of
// its lanes are in front of the tx_commit, whether they have met there or not. Then each split returns from the frame, and comes
// to the tx_commit once more: outside of the attempt, from where lanes try again or go on. Lanes that were sent out of their
// attempt (attempt_validation.h) come there, too, with any mechanism.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/core_extension.h"
#include "core/protocols/issue_gate_protocol.h"
#include "core/protocols/transaction_protocol.h"
#include "tm/access_log.h"
#include "tm/accesses.h"
#include "tm/commit_protocol.h"
#include "tm/config.h"
#include "tm/core_signals.h"
#include "tm/plain_loads.h"
#include "tm/register_checkpoint.h"
#include "tm/splits.h"
#include "tm/tokens.h"
#include "tm/transaction_shared.h"

namespace heddle::tm {

class Attempts {
 public:
  enum class Phase : std::uint8_t {
    kIdle,
    kRuns,       ///< an attempt
    kValidates,  ///< the attempt is validated; its accesses wait meanwhile
    kDrains,     ///< in front of the tx_commit; accesses are under way
    kCommits,
    kResolved,  ///< the tx_commit may issue
  };
  /// Of a warp's transaction, for who judges how it gets on.
  struct Progress {
    Phase phase = Phase::kIdle;
    const isa::TransactionRegion* region = nullptr;
    LaneMask attempt;            ///< lanes in the present one: those of the T entry ([KiloTM] §4.2.1)
    std::uint32_t failures = 0;  ///< attempts in a row
    std::uint64_t attempts = 0;  ///< that the warp has begun in this launch
    std::uint64_t transactions = 0;
    std::uint64_t conflicts = 0;  ///< attempts of the transaction that were not valid
    std::uint64_t grid_warp = 0;
    Cycle began_at = 0;
    Cycle since = 0;            ///< the present attempt began
    Cycle in_commit_since = 0;  ///< it came to the tx_commit
  };

  /// What an attempt consists of.
  struct Parts {
    Tokens& tokens;
    Splits& splits;
    PlainLoads& loads;
    Accesses& accesses;
    AccessLog& log;
    CommitProtocol& commit;
    CoreSignals& signals;
  };
  Attempts(const TmConfig& config, const core::CoreExtensionSite& site, TransactionShared& shared,
           const Parts& parts);

  void begin_launch(const core::LaunchContext* launch) { launch_ = launch; }

  // Of the core.
  void ask_token(core::IssueGateRequest& request);
  void ask_commit(core::IssueGateRequest& request);
  void execute(core::TransactionRequest& request);
  void show(core::TransactionRequest& request);
  /// A load outside of transactions is done.
  void plain_load_ended(WarpId id, LaneMask lanes);

  // Of other parts.
  /// No access of the warp is left.
  void drained(WarpId id);
  /// The attempt's commit is over.
  void resolved(WarpId id);
  void validation_begins(WarpId id) { warp(id).now.phase = Phase::kValidates; }
  void validation_ends(WarpId id) { warp(id).now.phase = Phase::kRuns; }
  /// Lanes that waited for a validation go on.
  void go_on(WarpId id);
  /// Lanes have returned from their attempt because what they have read has changed.
  void give_up(WarpId id, LaneMask lanes);
  std::function<void(WarpId)> on_transaction, on_attempt;  ///< another one begins

  [[nodiscard]] const Progress& progress(WarpId id) const { return warps_[id.value()].now; }
  [[nodiscard]] bool within(WarpId id, LaneMask lanes) const {
    const Progress& of = progress(id);
    return of.phase != Phase::kIdle && of.attempt.contains(lanes);
  }
  [[nodiscard]] CommitProtocol::Attempt as_it_stands(WarpId id) const;

  /// A cycle.
  void tick(Cycle cycle) {
    if (!backing_off_.empty()) end_backoffs(cycle);
  }
  [[nodiscard]] Cycle due(Cycle now) const;

  struct Counters {
    std::uint64_t begun = 0, committed = 0, aborted = 0, self_aborted = 0, intra_warp_aborted = 0,
                  read_only = 0;
    std::uint64_t warps = 0, retries = 0;
    std::uint64_t commit_cycles = 0, wait_cycles = 0, aborted_cycles = 0, useful_cycles = 0;
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  using Place = Splits::Place;
  struct Warp {
    Progress now;
    LaneMask began;          ///< lanes of the transaction that have not gone on behind it
    LaneMask retry;          ///< lanes that have aborted and wait for the next attempt: those of the R entry
    bool concluded = false;  ///< what becomes of the attempt is known
    std::uint32_t waiting = 0;  ///< lanes that have committed, and wait for others of the warp
    Cycle waiting_since = 0;
    Cycle backoff_until = 0;
    RegisterCheckpoint checkpoint;
  };
  [[nodiscard]] Warp& warp(WarpId id) { return warps_[id.value()]; }

  [[nodiscard]] bool take_token(WarpId id, LaneMask lanes);
  void begin(core::TransactionRequest& request);
  void commit(core::TransactionRequest& request);
  void commit_apart(core::TransactionRequest& request);
  void commit_outside(core::TransactionRequest& request);
  void abort(core::TransactionRequest& request);
  void next_attempt(core::TransactionRequest& request, LaneMask lanes);
  /// It is in front of the tx_commit.
  void drain(WarpId id);
  void drain_if_all_there(WarpId id);
  void begin_commit(WarpId id);
  /// The outcome of all lanes of the attempt is known: counts, and remembers who tries again.
  void conclude(WarpId id, Cycle cycle);
  /// The lanes have returned from the attempt without an outcome, and try again.
  void leave_attempt(WarpId id, LaneMask lanes);
  /// Who waits outside goes on, if nothing of the attempt is under way.
  void attempt_is_empty(WarpId id);
  /// All lanes go on behind the transaction.
  void ends(WarpId id);
  void end_backoffs(Cycle cycle);
  /// So many more lanes wait for others of the warp from now on, or fewer.
  void count_waiting(Warp& of, std::int64_t more);

  const TmConfig config_;
  TransactionShared& shared_;
  const Parts with_;
  const bool apart_;  ///< the mechanism runs lanes of a warp apart
  const core::LaunchContext* launch_ = nullptr;
  std::vector<Warp> warps_;
  std::vector<WarpId> backing_off_;
  Counters counters_;
};

}  // namespace heddle::tm
