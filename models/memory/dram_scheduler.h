// The FR-FCFS scheduler of one DRAM channel. Plain C++.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/index_set.h"
#include "memory/config.h"
#include "memory/dram_map.h"
#include "memory/dram_timing.h"

namespace heddle::memory {

/// What the scheduler knows about a request; `id` is chosen by the caller. A request lies within one row.
struct DramAccess {
  std::uint32_t id = 0;
  bool write = false;
  std::uint64_t address = 0;  ///< channel-local
  std::uint32_t bytes = 0;
  base::Cycle arrival = 0;  ///< first cycle at which it may be scheduled
};

struct DramCommand {
  DramKind kind = DramKind::kActivate;
  std::uint32_t bank = 0;  ///< unused by kPrechargeAll and kRefresh, like the next two
  std::uint64_t row = 0;
  std::uint32_t id = 0;      ///< request that the command serves
  bool last = false;         ///< column command that completes its request
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

/// Open-row policy, one command per cycle, timing by DramTiming. First ready, first come first served: among
/// the banks' candidates that the timing allows now, column commands go before row commands and older
/// requests before younger ones. A bank's candidate is the oldest request for its open row, else its oldest
/// request (which precharges or activates). So requests for one row, and hence for one line, are never
/// reordered. Once the oldest request of all has waited starvation_limit_cycles, only its commands are
/// issued. A refresh that is due goes first.
///
/// A channel without requests need not be called: the effect of refreshes in the meantime is computed when
/// the next request arrives.
class DramScheduler {
 public:
  explicit DramScheduler(const DramConfig& config);

  [[nodiscard]] bool full() const { return free_.empty(); }
  [[nodiscard]] bool empty() const { return oldest_ == kNone; }
  /// The caller checks full(). Arrival cycles must not decrease.
  void push(const DramAccess& access);

  /// Issues the command of cycle `now`, if any. Cycles must not decrease; skipping cycles up to next_cycle()
  /// changes nothing.
  std::optional<DramCommand> tick(base::Cycle now);
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
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  enum class RowOutcome : std::uint8_t { kHit, kMiss, kConflict };

  struct Request {
    DramAccess access;
    DramMap::BankRow at;
    std::uint32_t bursts_left = 0;
    std::uint64_t age = 0;  ///< smaller is older
    bool started = false;   ///< a column command was issued
    RowOutcome outcome = RowOutcome::kHit;
    std::uint32_t older = kNone, younger = kNone;                  ///< all requests by age
    std::uint32_t older_in_bank = kNone, younger_in_bank = kNone;  ///< those of the bank by age
  };
  struct Bank {
    std::uint32_t first = kNone, last = kNone;  ///< its requests by age
    std::uint32_t candidate = kNone;
    DramKind kind = DramKind::kActivate;  ///< what the candidate needs next
    base::Cycle ready = 0;                ///< as far as the bank and the candidate's arrival are concerned
  };
  /// The next command, if no request arrives.
  struct Plan {
    enum class Reason : std::uint8_t { kFirstReady, kStarving, kRefresh };
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
  /// First cycle at which first ready, first come first served does not decide (starvation).
  [[nodiscard]] base::Cycle decided_otherwise() const {
    const base::Cycle starving = requests_[oldest_].access.arrival + config_.starvation_limit_cycles;
    return std::min(starving, timing_.refresh_due());
  }
  void plan(base::Cycle from);
  /// The plan no longer holds; nothing is issued before `from`.
  void forget_plan(base::Cycle from) {
    plan_known_ = false;
    plan_from_ = from;
  }
  /// Chooses the bank's candidate; requests older than `from` do not hit the open row.
  void choose(Bank& bank, std::uint32_t from);
  DramCommand issue(base::Cycle now);
  DramCommand issue_refresh(base::Cycle now);
  void count_completion(const Request& request, base::Cycle now);
  void link(std::uint32_t slot);
  void unlink(std::uint32_t slot);

  DramConfig config_;
  DramMap map_;
  DramTiming timing_;
  Divisor burst_bytes_;
  std::vector<Request> requests_;  ///< slots
  std::vector<std::uint32_t> free_;
  std::vector<Bank> banks_;
  base::IndexSet busy_banks_;  ///< with requests
  std::uint32_t oldest_ = kNone, youngest_ = kNone;
  std::uint64_t ages_ = 0;
  Plan plan_;
  bool plan_known_ = true;
  base::Cycle plan_from_ = 0;
  DramCounters counters_;
};

}  // namespace heddle::memory
