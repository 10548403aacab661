// The scheduler of one DRAM channel. Plain C++.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/divisor.h"
#include "base/ids.h"
#include "memory/config.h"
#include "memory/dram_map.h"
#include "memory/dram_policy.h"
#include "memory/dram_queue.h"
#include "memory/dram_timing.h"

namespace heddle::memory {

struct DramCommand {
  DramKind kind = DramKind::kActivate;
  std::uint32_t bank = 0;  ///< unused by kPrechargeAll and kRefresh, like the next two
  std::uint64_t row = 0;
  std::uint32_t id = 0;      ///< request that the command serves
  bool last = false;         ///< column command that completes its request
  bool closes = false;       ///< column command with auto-precharge
  base::Cycle data_end = 0;  ///< column commands: first cycle after the burst has left the data bus
};

struct DramCounters {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t served = 0;         ///< reads + writes
  std::uint64_t row_hits = 0;       ///< requests that found their row open
  std::uint64_t row_misses = 0;     ///< requests that found their bank closed
  std::uint64_t row_conflicts = 0;  ///< requests that found another row open
  std::uint64_t activates = 0;
  std::uint64_t precharges = 0;    ///< rows closed, also for refreshes
  std::uint64_t refreshes = 0;     ///< up to the newest request
  std::uint64_t data_cycles = 0;   ///< cycles the data bus is occupied
  std::uint64_t queue_cycles = 0;  ///< arrival to the last column command, summed over requests
  std::uint64_t starved = 0;  ///< requests that had waited for the starvation limit when they were served
};

/// One command per cycle, timing by DramTiming. A bank's candidate is the request that the scheduling policy picks
/// (DramSchedulingPolicy; memory.dram.scheduler): by default the oldest one for its open row, else its oldest one, which
/// precharges or activates. Among the candidates that the timing allows now, column commands go before row commands and
/// older requests before younger ones. No policy of Heddle reorders requests for one row, and hence for one line.
/// From a cycle that the policy names on, only the commands of the oldest request of all are issued. A refresh that is
/// due goes first. Rows are closed as the page policy says (DramPagePolicy; memory.dram.page_policy).
///
/// A channel without requests need not be called: the effect of refreshes in the meantime is computed when
/// the next request arrives.
class DramScheduler {
 public:
  explicit DramScheduler(const DramConfig& config);

  [[nodiscard]] bool full() const { return queue_.full(); }
  [[nodiscard]] bool empty() const { return queue_.empty(); }
  /// The caller checks full(). Arrival cycles must not decrease.
  void push(const DramAccess& access);

  /// Issues the command of cycle `now`, if any. Cycles must not decrease; skipping cycles up to next_cycle()
  /// changes nothing.
  std::optional<DramCommand> tick(base::Cycle now) {
    const DramCommand* const command = issue_of(now);
    return command == nullptr ? std::nullopt : std::optional(*command);
  }
  /// The same without a copy; null: none. Valid until the next one.
  const DramCommand* issue_of(base::Cycle now);
  /// Earliest cycle after `now` at which tick() may issue something, provided there is no push() before;
  /// kNever if empty.
  [[nodiscard]] base::Cycle next_cycle(base::Cycle now) { return std::max(planned(), now + 1); }

  /// The cycle for which the next command is planned if no request arrives; kNever if empty. May be in the
  /// past when tick() was not called for it.
  [[nodiscard]] base::Cycle planned() {
    if (!plan_known_) plan(plan_from_);
    return plan_.cycle;
  }

  [[nodiscard]] const DramMap& map() const { return map_; }
  [[nodiscard]] const DramCounters& counters() const { return counters_; }

 private:
  static constexpr std::uint32_t kNone = DramQueue::kNone;
  using Request = DramQueue::Request;
  using RowOutcome = DramQueue::RowOutcome;

  /// All that plan() looks at of a bank.
  struct Bank {
    base::Cycle ready = 0;            ///< as far as the bank and the candidate's arrival are concerned
    std::uint64_t age = 0;            ///< the candidate's
    std::uint32_t candidate = kNone;  ///< kNone: the bank has no requests
    std::uint16_t group = 0;
    DramKind kind = DramKind::kActivate;           ///< what the candidate needs next
    std::uint32_t older = kNone, younger = kNone;  ///< banks whose candidates need the same
  };
  /// Banks whose candidates need one kind of command, by the candidates' age.
  struct Needing {
    std::uint32_t oldest = kNone, youngest = kNone;
  };
  /// The next command, if no request arrives.
  struct Plan {
    enum class Reason : std::uint8_t { kFirstReady, kInOrder, kRefresh };
    base::Cycle cycle = base::kNever;
    Reason reason = Reason::kFirstReady;
    std::uint32_t slot = kNone;
    DramKind kind = DramKind::kActivate;
  };

  [[nodiscard]] static bool is_column(DramKind kind) {
    return kind == DramKind::kRead || kind == DramKind::kWrite;
  }
  [[nodiscard]] DramKind next_command(const Request& request) const;
  [[nodiscard]] Plan candidate_plan(const Bank& bank, std::uint32_t index, base::Cycle from) const;
  [[nodiscard]] bool better(const Plan& a, const Plan& b) const;
  /// The channel's oldest request is another one.
  void ask_for_order() {
    if (!empty()) in_order_from_ = policy_->in_order_from(queue_[queue_.oldest()].access);
  }
  /// First cycle at which it is not the candidates that decide.
  [[nodiscard]] base::Cycle decided_otherwise() const {
    return std::min(in_order_from_, timing_.refresh_due());
  }
  [[nodiscard]] DramBankView view(std::uint32_t bank) const {
    const bool open = timing_.open(bank);
    return {queue_, bank, open, open ? timing_.row(bank) : 0};
  }
  void plan(base::Cycle from);
  /// The candidates do not decide, or not before that cycle.
  [[gnu::noinline]] void plan_otherwise(base::Cycle from);
  /// The bank has no candidate any more.
  void clear_candidate(std::uint32_t bank);
  /// The bank enters the list of those whose candidates need the same, or leaves it.
  void link(std::uint32_t bank);
  void unlink(std::uint32_t bank);
  /// The plan no longer holds; nothing is issued before `from`.
  void forget_plan(base::Cycle from) {
    plan_known_ = false;
    plan_from_ = from;
  }
  /// Asks for the bank's candidate; requests older than `from` do not hit the open row.
  void choose(std::uint32_t bank, std::uint32_t from);
  void choose(std::uint32_t bank) { choose(bank, queue_.oldest_of(bank)); }
  void set_candidate(std::uint32_t bank, std::uint32_t slot);
  void issue(base::Cycle now);
  void issue_refresh(base::Cycle now);
  void count_completion(const Request& request, base::Cycle now);

  DramConfig config_;
  DramMap map_;
  DramTiming timing_;
  base::Divisor burst_bytes_;
  std::unique_ptr<DramSchedulingPolicy> policy_;
  std::unique_ptr<DramPagePolicy> page_policy_;
  DramQueue queue_;
  std::vector<Bank> banks_;
  std::array<Needing, 4> needing_{};          ///< by kind of command
  base::Cycle in_order_from_ = base::kNever;  ///< of the channel's oldest request
  Plan plan_;
  bool plan_known_ = true;
  base::Cycle plan_from_ = 0;
  DramCommand command_;  ///< the last one
  DramCounters counters_;
};

}  // namespace heddle::memory
