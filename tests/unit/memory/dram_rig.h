// Runs a DramScheduler over a list of accesses.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <vector>

#include "memory/dram_scheduler.h"

namespace heddle::memory {

using Kind = DramKind;

struct IssuedCommand {
  base::Cycle cycle;
  Kind kind;
  std::uint32_t bank;
  std::uint64_t row;
  std::uint32_t id;
  bool last = false;
  base::Cycle data_end = 0;
  bool closes = false;
  bool operator==(const IssuedCommand&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const IssuedCommand& i) {
  return out << i.cycle << " " << kDramKindNames[static_cast<int>(i.kind)] << " b" << i.bank << " r" << i.row
             << " #" << i.id << (i.last ? " last " : " ") << i.data_end << (i.closes ? " closes" : "");
}

/// Pushes each access at its arrival and runs to the end. `skip`: runs only the cycles that next_cycle()
/// returns.
inline std::vector<IssuedCommand> run(const DramConfig& config, std::vector<DramAccess> accesses,
                                      DramCounters* counters = nullptr, bool skip = false) {
  DramScheduler scheduler(config);
  std::vector<IssuedCommand> log;
  std::size_t pushed = 0;
  base::Cycle next = 0;
  for (base::Cycle now = 0; pushed < accesses.size() || !scheduler.empty(); ++now) {
    bool touched = now >= next;
    while (pushed < accesses.size() && accesses[pushed].arrival <= now && !scheduler.full()) {
      accesses[pushed].arrival = now;  // later than requested if the queue was full
      scheduler.push(accesses[pushed++]);
      touched = true;
    }
    if (skip && !touched) continue;
    if (const auto c = scheduler.tick(now))
      log.push_back({now, c->kind, c->bank, c->row, c->id, c->last, c->data_end, c->closes});
    next = scheduler.next_cycle(now);
    if (now > 1'000'000) {
      ADD_FAILURE() << "the scheduler hangs";
      break;
    }
  }
  if (counters != nullptr) *counters = scheduler.counters();
  return log;
}

inline constexpr std::uint64_t kRow = 4096;         // bytes
inline constexpr std::uint64_t kBankStride = 4096;  // next bank
inline constexpr std::uint64_t kRowStride = 16 * kBankStride;

inline DramAccess read(std::uint32_t id, std::uint64_t address, base::Cycle arrival = 0) {
  return {.id = id, .write = false, .address = address, .bytes = 128, .arrival = arrival};
}
inline DramAccess write(std::uint32_t id, std::uint64_t address, base::Cycle arrival = 0) {
  return {.id = id, .write = true, .address = address, .bytes = 128, .arrival = arrival};
}

/// All of Heddle's; the first are the defaults.
inline DramSchedulingChoice all_schedulers() {
  return DramSchedulingChoice({fr_fcfs_scheduling(), fcfs_scheduling(), fr_fcfs_cap_scheduling()});
}
inline DramPagingChoice all_page_policies() { return DramPagingChoice({open_paging(), closed_paging()}); }

/// The rules needed by the examples of open rows and the bus, without bank groups, windows and refresh.
inline DramConfig plain() {
  DramConfig config;
  config.bank_groups = 1;
  config.t_faw = config.t_rtpl = config.t_ccdl = config.t_refi = 0;
  return config;
}

}  // namespace heddle::memory
