// Random traffic: every timing rule is obeyed, requests are not reordered where forbidden, and sleeping has
// no effect.
#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <vector>

#include "unit/memory/dram_rig.h"

namespace heddle::memory::dram_random_test {
namespace {

/// Checks a log against the timing rules, written independently of the scheduler: from every command to every
/// later one.
class LegalityCheck {
 public:
  LegalityCheck(const DramConfig& config, const std::vector<DramAccess>& accesses,
                const std::vector<IssuedCommand>& log)
      : t_(config), b_(config.burst_cycles()), accesses_(accesses), log_(log) {
    for (const IssuedCommand& i : log_)
      if (i.last) completed_[i.id] = i.cycle;
  }

  void run() {
    for (std::size_t j = 0; j < log_.size(); ++j) {
      if (j > 0) {
        EXPECT_GT(log_[j].cycle, log_[j - 1].cycle);
      }
      idle_refreshes(log_[j]);
      state(log_[j]);
      for (std::size_t i = j; i-- > 0 && log_[i].cycle + 600 > log_[j].cycle;) pair(log_[i], log_[j]);
    }
  }
  [[nodiscard]] std::uint64_t refreshes() const { return refreshes_; }
  [[nodiscard]] std::uint64_t unseen() const { return unseen_; }
  [[nodiscard]] std::uint64_t closed() const { return closed_; }

 private:
  [[nodiscard]] bool wanted_at(base::Cycle cycle) const {
    return std::any_of(accesses_.begin(), accesses_.end(), [&](const DramAccess& a) {
      return a.arrival <= cycle && completed_.at(a.id) >= cycle;
    });
  }

  /// Refreshes without a command in the log: the channel must have been idle when they were due.
  void idle_refreshes(const IssuedCommand& y) {
    if (t_.t_refi == 0 || refreshing_) return;
    while (due_ < y.cycle && !(y.kind == Kind::kPrechargeAll || y.kind == Kind::kRefresh)) {
      EXPECT_FALSE(wanted_at(due_)) << "the refresh due at " << due_ << " is not in the log, before " << y;
      const bool any_open =
          std::any_of(open_.begin(), open_.end(), [](const auto& o) { return o.second >= 0; });
      refreshed_ = due_ + (any_open ? t_.t_rp : 0);
      close_all();
      due_ += t_.t_refi;
      ++refreshes_;
      ++unseen_;
    }
    if (y.kind != Kind::kPrechargeAll && y.kind != Kind::kRefresh) return;
    // Earlier ones may have happened unseen, and so may the precharge for this one.
    while (due_ + t_.t_refi <= y.cycle) {
      EXPECT_FALSE(wanted_at(due_));
      close_all();
      due_ += t_.t_refi;
      ++refreshes_;
      ++unseen_;
    }
    if (y.kind == Kind::kRefresh && !wanted_at(due_)) close_all();
  }

  void close_all() {
    for (auto& [bank, row] : open_) row = -1;
  }

  void state(const IssuedCommand& y) {
    if (y.kind == Kind::kPrechargeAll) {
      EXPECT_GE(y.cycle, due_);
      refreshing_ = true;
      close_all();
      return;
    }
    if (y.kind == Kind::kRefresh) {
      EXPECT_GE(y.cycle, due_);
      for (const auto& [bank, row] : open_) EXPECT_EQ(row, -1) << "refresh with an open row";
      for (const auto& [bank, ready] : ready_) EXPECT_GE(y.cycle, ready) << y;
      refreshing_ = false;
      refreshed_ = y.cycle;
      due_ += t_.t_refi;
      ++refreshes_;
      return;
    }
    EXPECT_FALSE(refreshing_) << y << " between precharge and refresh";
    if (t_.t_refi != 0) {
      EXPECT_LT(y.cycle, due_) << y;
    }
    const auto [open, fresh] = open_.try_emplace(y.bank, -1);
    if (y.kind == Kind::kActivate) {
      EXPECT_EQ(open->second, -1) << y;
      EXPECT_GE(y.cycle, refreshed_ == 0 ? 0 : refreshed_ + t_.t_rfc) << y;
      open->second = static_cast<std::int64_t>(y.row);
      EXPECT_GE(y.cycle, ready_[y.bank]) << y << " after an auto-precharge";
      closable_[y.bank] = y.cycle + t_.t_ras;
      activates_.push_back(y.cycle);
      const std::size_t n = activates_.size();
      if (t_.t_faw != 0 && n > 4) {
        EXPECT_GE(y.cycle, activates_[n - 5] + t_.t_faw);
      }
      if (t_.t_32aw != 0 && n > 32) {
        EXPECT_GE(y.cycle, activates_[n - 33] + t_.t_32aw);
      }
      return;
    }
    EXPECT_EQ(open->second, static_cast<std::int64_t>(y.row)) << y;
    auto_precharge(y);
    if (y.kind == Kind::kPrecharge) {
      open->second = -1;
      return;
    }
    const base::Cycle start = y.cycle + (y.kind == Kind::kRead ? t_.t_cl : t_.t_wl);
    EXPECT_EQ(y.data_end, start + b_);
    EXPECT_GE(start, bus_free_) << y;
    bus_free_ = y.data_end;
  }

  /// When the bank could be precharged, after column commands; one that closes its row is followed by a precharge then.
  void auto_precharge(const IssuedCommand& y) {
    if (y.kind != Kind::kRead && y.kind != Kind::kWrite) return;
    base::Cycle& closable = closable_[y.bank];
    if (y.kind == Kind::kWrite) closable = std::max(closable, y.data_end + t_.t_wr);
    if (y.kind == Kind::kRead) {
      closable = std::max(closable, y.cycle + t_.t_rtp);
      base::Cycle& group = closable_group_[y.bank % t_.bank_groups];
      group = std::max(group, y.cycle + t_.t_rtpl);
    }
    if (!y.closes) return;
    EXPECT_TRUE(y.last) << y;
    ready_[y.bank] = std::max(closable, closable_group_[y.bank % t_.bank_groups]) + t_.t_rp;
    open_[y.bank] = -1;
    ++closed_;
  }

  void pair(const IssuedCommand& x, const IssuedCommand& y) const {
    const base::Cycle gap = y.cycle - x.cycle;
    const bool same = x.bank == y.bank, group = x.bank % t_.bank_groups == y.bank % t_.bank_groups;
    const auto need = [&](Kind from, Kind to, bool related, base::Cycle cycles) {
      EXPECT_TRUE(x.kind != from || y.kind != to || !related || gap >= cycles) << x << " / " << y;
    };
    const Kind act = Kind::kActivate, pre = Kind::kPrecharge, rd = Kind::kRead, wr = Kind::kWrite;
    const Kind all = Kind::kPrechargeAll, ref = Kind::kRefresh;
    need(act, rd, same, t_.t_rcd);
    need(act, wr, same, t_.t_rcdwr != 0 ? t_.t_rcdwr : t_.t_rcd);
    need(act, pre, same, t_.t_ras);
    need(act, all, true, t_.t_ras);
    need(act, act, same, t_.t_rc);
    need(act, act, group, t_.t_rrdl);
    need(act, act, true, t_.t_rrd);
    need(act, ref, true, t_.t_rc);
    need(pre, act, same, t_.t_rp);
    need(pre, ref, true, t_.t_rp);
    need(all, ref, true, t_.t_rp);
    need(pre, pre, true, t_.t_ppd);
    need(pre, all, true, t_.t_ppd);
    need(rd, pre, same, t_.t_rtp);
    need(rd, pre, group, t_.t_rtpl);
    need(rd, all, true, std::max(t_.t_rtp, t_.t_rtpl));
    need(wr, pre, same, t_.t_wl + b_ + t_.t_wr);
    need(wr, all, true, t_.t_wl + b_ + t_.t_wr);
    need(rd, rd, true, t_.t_ccd);
    need(wr, wr, true, t_.t_ccd);
    for (const Kind from : {rd, wr})
      for (const Kind to : {rd, wr}) need(from, to, group, t_.t_ccdl);
    need(rd, wr, true, t_.t_rtw != 0 ? t_.t_rtw : t_.t_cl + b_ + 2 - t_.t_wl);
    need(wr, rd, true, t_.t_wl + b_ + t_.t_cdlr);
    need(wr, rd, group, t_.t_wl + b_ + t_.t_cdlrl);
    need(ref, act, true, t_.t_rfc);
  }

  const DramConfig& t_;
  base::Cycle b_;
  const std::vector<DramAccess>& accesses_;
  const std::vector<IssuedCommand>& log_;
  std::map<std::uint32_t, base::Cycle> completed_;
  std::map<std::uint32_t, std::int64_t> open_;                      // bank -> row, -1 closed
  std::map<std::uint32_t, base::Cycle> closable_, closable_group_;  // bank, group -> precharge allowed
  std::map<std::uint32_t, base::Cycle> ready_;  // bank -> activate allowed after an auto-precharge
  std::vector<base::Cycle> activates_;
  base::Cycle bus_free_ = 0;
  base::Cycle due_ = t_.t_refi;
  base::Cycle refreshed_ = 0;
  bool refreshing_ = false;
  std::uint64_t refreshes_ = 0, unseen_ = 0, closed_ = 0;
};

DramConfig random_config(std::mt19937_64& random) {
  const auto draw = [&](std::uint32_t from, std::uint32_t to) {
    return from + static_cast<std::uint32_t>(random() % (to - from + 1));
  };
  DramConfig c;
  c.banks = draw(1, 16);
  c.bank_groups = draw(1, std::min(c.banks, 5u));
  c.t_rcdwr = draw(0, 1) * draw(6, 20);
  c.t_rrd = draw(1, 8);
  c.t_rrdl = draw(0, 10);
  c.t_faw = draw(0, 1) * draw(10, 60);
  c.t_32aw = draw(0, 1) * draw(200, 400);
  c.t_cdlrl = draw(0, 9);
  c.t_rtp = draw(0, 6);
  c.t_rtpl = draw(0, 6);
  c.t_rtw = draw(0, 1) * draw(10, 20);
  c.t_ccd = draw(1, 4);
  c.t_ccdl = draw(0, 6);
  c.t_ppd = draw(0, 3);
  c.t_refi = draw(0, 2) == 0 ? 0 : draw(300, 2000);
  c.t_rfc = draw(1, 80);
  c.row_bytes = 128 * draw(1, 40);
  c.bank_interleave_bytes = 128 * draw(1, 40);
  c.bank_skew = draw(0, 1) != 0;
  c.starvation_limit_cycles = draw(0, 2) == 0 ? draw(0, 60) : 2000;
  c.scheduler = all_schedulers();
  c.scheduler.select(std::array{"fr_fcfs", "fcfs", "fr_fcfs_cap"}[draw(0, 2)]);
  c.page_policy = all_page_policies();
  c.page_policy.select(std::array{"open", "closed"}[draw(0, 1)]);
  c.validate();
  return c;
}

TEST(DramScheduler, RandomTrafficIsLegalOrderedAndIndependentOfSleeping) {
  std::mt19937_64 random(3);
  std::uint64_t refreshes = 0, unseen = 0, closed = 0;
  for (int round = 0; round < 40; ++round) {
    const DramConfig config = random_config(random);
    std::vector<DramAccess> accesses;
    base::Cycle at = 0;
    const unsigned pace = 1 + random() % 40;
    for (std::uint32_t k = 0; k < 1000; ++k) {
      at += random() % pace;
      if (random() % 100 == 0) at += random() % 5000;  // idle for some refreshes
      accesses.push_back({.id = k,
                          .write = random() % 3 == 0,
                          .address = random() % (4ull * config.banks * config.row_bytes / 128) * 128,
                          .bytes = 128,
                          .arrival = at});
    }
    DramCounters every, skipped;
    const auto log = run(config, accesses, &every);
    EXPECT_EQ(log, run(config, accesses, &skipped, true)) << "sleeping between events changed the schedule";
    LegalityCheck check(config, accesses, log);
    check.run();
    EXPECT_EQ(check.refreshes(), every.refreshes);
    refreshes += check.refreshes();
    unseen += check.unseen();
    closed += check.closed();
    EXPECT_EQ(check.closed() != 0, config.page_policy.name() == "closed");

    std::map<std::uint64_t, std::uint32_t> last_of_line;
    for (const IssuedCommand& i : log) {
      if (!i.last) continue;
      const auto [it, first] = last_of_line.try_emplace(accesses[i.id].address, i.id);
      if (!first) {
        EXPECT_LT(it->second, i.id) << "accesses to one line were reordered";
        it->second = i.id;
      }
    }
    EXPECT_EQ(last_of_line.empty(), false);
    EXPECT_EQ(every.reads + every.writes, 1000u);
    EXPECT_EQ(every.row_hits + every.row_misses + every.row_conflicts, 1000u);
    EXPECT_EQ(every.queue_cycles, skipped.queue_cycles);
    EXPECT_EQ(every.refreshes, skipped.refreshes);
    EXPECT_EQ(every.precharges, skipped.precharges);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
  EXPECT_GT(refreshes - unseen, 200u);
  EXPECT_GT(unseen, 200u);
  EXPECT_GT(closed, 2000u);
}

TEST(DramMap, FillsBanksAndRowsWithoutOverlapForAnySizes) {
  for (const bool skew : {false, true}) {
    DramConfig config;
    config.banks = 3;
    config.row_bytes = 5 * 128;
    config.bank_interleave_bytes = 3 * 128;
    config.bank_skew = skew;
    const DramMap map(config);
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> bytes;
    const std::uint64_t span = 3ull * 5 * 3 * 128 * 7;  // whole rows in every bank
    for (std::uint64_t a = 0; a < span; a += 128) {
      const DramMap::BankRow place = map.bank_row(a);
      EXPECT_TRUE(map.in_one_row(a, 128));
      bytes[{place.bank, place.row}] += 128;
    }
    EXPECT_EQ(bytes.size(), 3u * 3 * 7);
    for (const auto& [place, count] : bytes) EXPECT_EQ(count, config.row_bytes);
  }
}

TEST(DramMap, SkewStartsEveryTurnOneBankFurther) {
  DramConfig config;
  config.banks = 4;
  config.bank_interleave_bytes = 256;
  config.bank_skew = true;
  const DramMap map(config);
  for (std::uint64_t chunk = 0; chunk < 40; ++chunk)
    EXPECT_EQ(map.bank_row(chunk * 256).bank, (chunk % 4 + chunk / 4) % 4);
}

TEST(DramMap, ARangeInTwoChunksOrRowsIsNotInOneRow) {
  DramConfig config;
  config.banks = 4;
  config.bank_interleave_bytes = 256;
  config.row_bytes = 512;
  const DramMap map(config);
  EXPECT_TRUE(map.in_one_row(0, 256));
  EXPECT_FALSE(map.in_one_row(128, 256));
  EXPECT_FALSE(map.in_one_row(0, 4 * 256 + 1));  // ends in its first bank and row
  config.banks = 1;
  const DramMap one(config);
  EXPECT_TRUE(one.in_one_row(0, 512));
  EXPECT_FALSE(one.in_one_row(256, 512));
}

}  // namespace
}  // namespace heddle::memory::dram_random_test
