// Banks, timing rules and the FR-FCFS scheduler of one DRAM channel. Plain C++.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "memory/config.h"
#include "sim/ids.h"
#include "sim/index_set.h"

namespace heddle::memory {

/// What the scheduler knows of a request; `id` is the caller's. A request lies within one row.
struct DramAccess {
  std::uint32_t id = 0;
  bool write = false;
  std::uint64_t address = 0;  ///< channel-local
  std::uint32_t bytes = 0;
  sim::Cycle arrival = 0;  ///< first cycle at which it may be scheduled
};

struct DramCommand {
  enum class Kind : std::uint8_t { kActivate, kPrecharge, kRead, kWrite };
  Kind kind = Kind::kActivate;
  std::uint32_t bank = 0;
  std::uint64_t row = 0;
  std::uint32_t id = 0;     ///< request on whose behalf
  bool last = false;        ///< column command that completes its request
  sim::Cycle data_end = 0;  ///< column commands: first cycle after the burst has left the data bus
};

struct DramCounters {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t served = 0;         ///< reads + writes
  std::uint64_t row_hits = 0;       ///< requests that found their row open
  std::uint64_t row_misses = 0;     ///< requests that found their bank closed
  std::uint64_t row_conflicts = 0;  ///< requests that found another row open
  std::uint64_t activates = 0;
  std::uint64_t precharges = 0;
  std::uint64_t data_cycles = 0;   ///< data bus taken
  std::uint64_t queue_cycles = 0;  ///< arrival to the last column command, summed over requests
  std::uint64_t starved = 0;       ///< requests that reached the starvation limit
};

/// Open-row policy, one command per cycle. First ready, first come first served: of the banks' candidates
/// that the timing allows now, column commands go before row commands and older requests before younger. A
/// bank's candidate is the oldest request for its open row, else its oldest request (which precharges or
/// activates); so requests for one row, and hence for one line, are never reordered. Once the oldest request
/// of all has waited starvation_limit_cycles only its commands are issued.
///
/// Timing rules (cycles from one command to the next; b = burst_cycles):
///   ACT->RD,WR tRCD   ACT->PRE tRAS   ACT->ACT tRC (same bank), tRRD (any)   PRE->ACT tRP
///   RD->PRE b   WR->PRE tWL+b+tWR   RD->RD, WR->WR max(tCCD, b)   WR->RD tWL+b+tCDLR   RD->WR tCL+b+2-tWL
/// (RD->WR leaves two cycles to turn the bus round; RD->PRE is JEDEC's minimum, as the sources give no tRTP).
class DramScheduler {
 public:
  static constexpr sim::Cycle kNever = ~sim::Cycle{0};

  explicit DramScheduler(const DramConfig& config);

  [[nodiscard]] bool full() const { return free_.empty(); }
  [[nodiscard]] bool empty() const { return oldest_ == kNone; }
  /// The caller checks full().
  void push(const DramAccess& access);

  /// Issues the command of cycle `now`, if any. Cycles must not go back; skipping cycles up to next_cycle()
  /// changes nothing.
  std::optional<DramCommand> tick(sim::Cycle now);
  /// Earliest cycle after `now` at which tick() may issue something, provided no push() before; kNever if
  /// empty.
  [[nodiscard]] sim::Cycle next_cycle(sim::Cycle now) const;

  [[nodiscard]] std::uint32_t bank_of(std::uint64_t address) const {
    return static_cast<std::uint32_t>(address / config_.bank_interleave_bytes % config_.banks);
  }
  [[nodiscard]] std::uint64_t row_of(std::uint64_t address) const;
  [[nodiscard]] const DramCounters& counters() const { return counters_; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  enum class RowOutcome : std::uint8_t { kHit, kMiss, kConflict };

  struct Request {
    DramAccess access;
    std::uint32_t bank = 0;
    std::uint64_t row = 0;
    std::uint32_t bursts_left = 0;
    std::uint64_t age = 0;  ///< smaller is older
    RowOutcome outcome = RowOutcome::kHit;
    bool starved = false;
    std::uint32_t older = kNone, younger = kNone;  ///< all requests by age
    std::uint32_t next_in_bank = kNone;            ///< by age
  };
  struct Bank {
    bool open = false;
    std::uint64_t row = 0;
    sim::Cycle activate_ready = 0;
    sim::Cycle precharge_ready = 0;
    sim::Cycle column_ready = 0;
    std::uint32_t first = kNone, last = kNone;  ///< its requests by age
    // What the bank wants to do next, kept up to date by refresh():
    std::uint32_t candidate = kNone;
    DramCommand::Kind kind = DramCommand::Kind::kActivate;
    sim::Cycle ready = 0;  ///< as far as the bank and the candidate's arrival are concerned
  };

  [[nodiscard]] DramCommand::Kind next_command(const Request& request) const;
  /// Earliest cycle at which that command of that request is legal.
  [[nodiscard]] sim::Cycle ready(const Request& request, DramCommand::Kind kind) const;
  [[nodiscard]] bool starving(sim::Cycle now) const;
  void refresh(Bank& bank) const;
  [[nodiscard]] sim::Cycle bank_ready(const Request& request, DramCommand::Kind kind) const;
  DramCommand issue(std::uint32_t slot, DramCommand::Kind kind, sim::Cycle now);
  void remove(std::uint32_t slot);

  DramConfig config_;
  std::uint32_t burst_cycles_;
  std::vector<Request> requests_;  ///< slots
  std::vector<std::uint32_t> free_;
  std::vector<Bank> banks_;
  sim::IndexSet busy_banks_;  ///< with requests
  std::uint32_t oldest_ = kNone, youngest_ = kNone;
  std::uint64_t ages_ = 0;
  // channel-wide rules
  std::array<sim::Cycle, 4> channel_ready_{};  ///< by kind of command
  sim::Cycle command_bus_ready_ = 0;
  DramCounters counters_;
};

}  // namespace heddle::memory
