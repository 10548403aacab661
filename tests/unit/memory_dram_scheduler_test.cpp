#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "memory/dram_scheduler.h"

namespace heddle::memory {
namespace {

using Kind = DramCommand::Kind;

struct Issued {
  sim::Cycle cycle;
  Kind kind;
  std::uint32_t bank;
  std::uint64_t row;
  std::uint32_t id;
  bool last = false;
  sim::Cycle data_end = 0;
  bool operator==(const Issued&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Issued& i) {
  static const char* const names[] = {"ACT", "PRE", "RD", "WR"};
  return out << i.cycle << " " << names[static_cast<int>(i.kind)] << " b" << i.bank << " r" << i.row << " #"
             << i.id << (i.last ? " last " : " ") << i.data_end;
}

/// Pushes each access at its arrival and runs to the end.
std::vector<Issued> run(const DramConfig& config, std::vector<DramAccess> accesses,
                        DramCounters* counters = nullptr, bool skip = false) {
  DramScheduler scheduler(config);
  std::vector<Issued> log;
  std::size_t pushed = 0;
  sim::Cycle next = 0;
  for (sim::Cycle now = 0; pushed < accesses.size() || !scheduler.empty(); ++now) {
    bool touched = now >= next;
    while (pushed < accesses.size() && accesses[pushed].arrival <= now && !scheduler.full()) {
      accesses[pushed].arrival = now;  // later than asked for when the queue was full
      scheduler.push(accesses[pushed++]);
      touched = true;
    }
    if (skip && !touched) continue;
    if (const auto c = scheduler.tick(now))
      log.push_back({now, c->kind, c->bank, c->row, c->id, c->last, c->data_end});
    next = scheduler.next_cycle(now);
    if (now > 1'000'000) {
      ADD_FAILURE() << "the scheduler hangs";
      break;
    }
  }
  if (counters != nullptr) *counters = scheduler.counters();
  return log;
}

constexpr std::uint64_t kRow = 4096;         // bytes
constexpr std::uint64_t kBankStride = 4096;  // next bank
constexpr std::uint64_t kRowStride = 16 * kBankStride;

DramAccess read(std::uint32_t id, std::uint64_t address, sim::Cycle arrival = 0) {
  return {.id = id, .write = false, .address = address, .bytes = 128, .arrival = arrival};
}
DramAccess write(std::uint32_t id, std::uint64_t address, sim::Cycle arrival = 0) {
  return {.id = id, .write = true, .address = address, .bytes = 128, .arrival = arrival};
}

TEST(DramScheduler, RowMissThenHitThenConflict) {
  DramCounters c;
  const auto log = run({}, {read(0, 0), read(1, 128), read(2, kRowStride)}, &c);
  EXPECT_EQ(log, (std::vector<Issued>{
                     {0, Kind::kActivate, 0, 0, 0},
                     {12, Kind::kRead, 0, 0, 0, false, 26},  // tRCD; data after tCL = 12 for 2 cycles
                     {14, Kind::kRead, 0, 0, 0, true, 28},   // tCCD
                     {16, Kind::kRead, 0, 0, 1, false, 30},
                     {18, Kind::kRead, 0, 0, 1, true, 32},
                     {28, Kind::kPrecharge, 0, 0, 2},  // tRAS after the activate
                     {40, Kind::kActivate, 0, 1, 2},   // tRP, tRC
                     {52, Kind::kRead, 0, 1, 2, false, 66},
                     {54, Kind::kRead, 0, 1, 2, true, 68},
                 }));
  EXPECT_EQ(c.row_misses, 1u);
  EXPECT_EQ(c.row_hits, 1u);
  EXPECT_EQ(c.row_conflicts, 1u);
  EXPECT_EQ(c.data_cycles, 12u);
  EXPECT_EQ(c.queue_cycles, 14u + 18u + 54u);
}

TEST(DramScheduler, WriteRecoveryDelaysThePrecharge) {
  const auto log = run({}, {write(0, 0), read(1, kRowStride)});
  EXPECT_EQ(log, (std::vector<Issued>{
                     {0, Kind::kActivate, 0, 0, 0},
                     {12, Kind::kWrite, 0, 0, 0, false, 18},  // tWL = 4, 2 cycles of data
                     {14, Kind::kWrite, 0, 0, 0, true, 20},
                     {32, Kind::kPrecharge, 0, 0, 1},  // 20 + tWR
                     {44, Kind::kActivate, 0, 1, 1},
                     {56, Kind::kRead, 0, 1, 1, false, 70},
                     {58, Kind::kRead, 0, 1, 1, true, 72},
                 }));
}

TEST(DramScheduler, BusTurnsRoundBetweenReadsAndWrites) {
  const auto log = run({}, {write(0, 0), read(1, 128), write(2, 256)});
  EXPECT_EQ(log, (std::vector<Issued>{
                     {0, Kind::kActivate, 0, 0, 0},
                     {12, Kind::kWrite, 0, 0, 0, false, 18},
                     {14, Kind::kWrite, 0, 0, 0, true, 20},
                     {25, Kind::kRead, 0, 0, 1, false, 39},  // 20 + tCDLR
                     {27, Kind::kRead, 0, 0, 1, true, 41},
                     {39, Kind::kWrite, 0, 0, 2, false, 45},  // 27 + tCL + 2 + 2 - tWL
                     {41, Kind::kWrite, 0, 0, 2, true, 47},
                 }));
}

TEST(DramScheduler, BanksOverlapButActivatesKeepTheirDistance) {
  const auto log = run({}, {read(0, 0), read(1, kBankStride), read(2, 2 * kBankStride)});
  EXPECT_EQ(log, (std::vector<Issued>{
                     {0, Kind::kActivate, 0, 0, 0},
                     {6, Kind::kActivate, 1, 0, 1},          // tRRD
                     {12, Kind::kRead, 0, 0, 0, false, 26},  // a column command goes before a row command
                     {13, Kind::kActivate, 2, 0, 2},
                     {14, Kind::kRead, 0, 0, 0, true, 28},
                     {18, Kind::kRead, 1, 0, 1, false, 32},
                     {20, Kind::kRead, 1, 0, 1, true, 34},
                     {25, Kind::kRead, 2, 0, 2, false, 39},
                     {27, Kind::kRead, 2, 0, 2, true, 41},
                 }));
}

std::vector<std::uint32_t> completion_order(const std::vector<Issued>& log) {
  std::vector<std::uint32_t> order;
  for (const Issued& i : log)
    if (i.last) order.push_back(i.id);
  return order;
}

TEST(DramScheduler, RowHitsOvertakeAnOlderConflict) {
  const auto log = run({}, {read(0, 0), read(1, kRowStride), read(2, 128), read(3, 256)});
  EXPECT_EQ(completion_order(log), (std::vector<std::uint32_t>{0, 2, 3, 1}));
}

TEST(DramScheduler, WithLimitZeroNothingOvertakes) {
  DramConfig config;
  config.starvation_limit_cycles = 0;
  const auto log = run(config, {read(0, 0), read(1, kRowStride), read(2, 128), read(3, 256)});
  EXPECT_EQ(completion_order(log), (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(DramScheduler, AStreamOfHitsCannotStarveAConflict) {
  DramConfig config;
  config.starvation_limit_cycles = 100;
  std::vector<DramAccess> accesses{read(0, 0), read(1, kRowStride)};
  for (std::uint32_t k = 0; k < 200; ++k) accesses.push_back(read(2 + k, 128ull * (k % 32), 4ull * k));
  DramCounters counters;
  const auto order = completion_order(run(config, accesses, &counters));
  const auto position = std::find(order.begin(), order.end(), 1u) - order.begin();
  // 4 cycles a hit: about 25 hits fit before the limit, none after it.
  EXPECT_GT(position, 15);
  EXPECT_LT(position, 30);
  EXPECT_GE(counters.starved, 1u);
  config.starvation_limit_cycles = 1'000'000;
  const auto without = completion_order(run(config, accesses));
  EXPECT_EQ(without.back(), 1u);
}

TEST(DramScheduler, SustainsTheConfiguredBandwidthOnHits) {
  std::vector<DramAccess> accesses;
  for (std::uint32_t k = 0; k < 32 * 64; ++k) accesses.push_back(read(k, std::uint64_t{k} * 128));
  DramCounters counters;
  const auto log = run({}, accesses, &counters);
  const double bytes_per_cycle = 32.0 * 64 * 128 / static_cast<double>(log.back().data_end);
  EXPECT_GT(bytes_per_cycle, 31.0);  // 32 at most; the next row opens while this one is read
  EXPECT_EQ(counters.data_cycles, 32u * 64 * 4);
}

/// Checks a log against the timing rules, written down independently of the scheduler: from every command to
/// every later one.
void expect_legal(const DramConfig& t, const std::vector<Issued>& log) {
  const sim::Cycle b = t.burst_cycles();
  std::map<std::uint32_t, std::int64_t> open;  // bank -> row, -1 closed
  sim::Cycle bus_free = 0, previous = 0;
  for (std::size_t j = 0; j < log.size(); ++j) {
    const Issued& y = log[j];
    if (j > 0) {
      EXPECT_GT(y.cycle, previous);
    }
    previous = y.cycle;
    const bool column = y.kind == Kind::kRead || y.kind == Kind::kWrite;
    const auto [state, fresh] = open.try_emplace(y.bank, -1);
    if (y.kind == Kind::kActivate) {
      EXPECT_EQ(state->second, -1);
      state->second = static_cast<std::int64_t>(y.row);
    } else {
      EXPECT_EQ(state->second, static_cast<std::int64_t>(y.row));
      if (y.kind == Kind::kPrecharge) state->second = -1;
    }
    if (column) {
      const sim::Cycle start = y.cycle + (y.kind == Kind::kRead ? t.t_cl : t.t_wl);
      EXPECT_EQ(y.data_end, start + b);
      EXPECT_GE(start, bus_free) << y;
      bus_free = y.data_end;
    }
    for (std::size_t i = j; i-- > 0 && log[i].cycle + 200 > y.cycle;) {
      const Issued& x = log[i];
      const sim::Cycle gap = y.cycle - x.cycle;
      const bool same = x.bank == y.bank;
      const auto need = [&](Kind from, Kind to, bool same_bank_only, sim::Cycle cycles) {
        const bool applies = x.kind == from && y.kind == to && (same || !same_bank_only);
        EXPECT_TRUE(!applies || gap >= cycles) << x << " / " << y;
      };
      need(Kind::kActivate, Kind::kRead, true, t.t_rcd);
      need(Kind::kActivate, Kind::kWrite, true, t.t_rcd);
      need(Kind::kActivate, Kind::kPrecharge, true, t.t_ras);
      need(Kind::kActivate, Kind::kActivate, true, t.t_rc);
      need(Kind::kActivate, Kind::kActivate, false, t.t_rrd);
      need(Kind::kPrecharge, Kind::kActivate, true, t.t_rp);
      need(Kind::kWrite, Kind::kPrecharge, true, t.t_wl + b + t.t_wr);
      need(Kind::kRead, Kind::kPrecharge, true, b);
      need(Kind::kRead, Kind::kRead, false, t.t_ccd);
      need(Kind::kWrite, Kind::kWrite, false, t.t_ccd);
      need(Kind::kWrite, Kind::kRead, false, t.t_wl + b + t.t_cdlr);
    }
  }
}

TEST(DramScheduler, RandomTrafficIsLegalOrderedAndIndependentOfSleeping) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 12; ++round) {
    DramConfig config;
    config.banks = 1 + static_cast<std::uint32_t>(random() % 16);
    config.t_rrd = 1 + static_cast<std::uint32_t>(random() % 8);
    config.t_ccd = 1 + static_cast<std::uint32_t>(random() % 4);
    config.starvation_limit_cycles = random() % 3 == 0 ? 60 : 2000;
    std::vector<DramAccess> accesses;
    sim::Cycle at = 0;
    const unsigned pace = 1 + random() % 40;
    for (std::uint32_t k = 0; k < 1500; ++k) {
      at += random() % pace;
      accesses.push_back({.id = k,
                          .write = random() % 3 == 0,
                          .address = random() % 4 * kRow * config.banks + random() % config.banks * kRow +
                                     random() % 8 * 128,
                          .bytes = 128,
                          .arrival = at});
    }
    DramCounters every, skipped;
    const auto log = run(config, accesses, &every);
    expect_legal(config, log);
    EXPECT_EQ(log, run(config, accesses, &skipped, true)) << "sleeping between events changed the schedule";

    std::map<std::uint64_t, std::uint32_t> last_of_line;
    for (const std::uint32_t id : completion_order(log)) {
      const auto [it, first] = last_of_line.try_emplace(accesses[id].address, id);
      if (!first) {
        EXPECT_LT(it->second, id) << "accesses to one line were reordered";
        it->second = id;
      }
    }
    EXPECT_EQ(every.reads + every.writes, 1500u);
    EXPECT_EQ(every.row_hits + every.row_misses + every.row_conflicts, 1500u);
    EXPECT_EQ(every.queue_cycles, skipped.queue_cycles);
  }
}

TEST(DramScheduler, AddressesFillBanksAndRowsWithoutOverlap) {
  DramConfig config;
  config.banks = 3;
  config.row_bytes = 1024;
  config.bank_interleave_bytes = 256;
  const DramScheduler scheduler(config);
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> bytes;
  for (std::uint64_t a = 0; a < 3ull * 1024 * 5; a += 64)
    bytes[{scheduler.bank_of(a), scheduler.row_of(a)}] += 64;
  EXPECT_EQ(bytes.size(), 15u);
  for (const auto& [place, count] : bytes) EXPECT_EQ(count, 1024u);
}

}  // namespace
}  // namespace heddle::memory
