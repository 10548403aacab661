// Schedulers and page policies of the DRAM channel.
#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "unit/memory/dram_rig.h"

namespace heddle::memory::dram_policies_test {
namespace {

DramConfig with(const std::string& scheduler, const std::string& page_policy = "open") {
  DramConfig config = plain();
  config.scheduler = all_schedulers();
  config.scheduler.select(scheduler);
  config.page_policy = all_page_policies();
  config.page_policy.select(page_policy);
  return config;
}

/// Reads and writes of a few rows of four banks; the queue takes all of them as they arrive.
std::vector<DramAccess> traffic(std::uint64_t seed, std::uint32_t count) {
  std::mt19937_64 random(seed);
  std::vector<DramAccess> accesses;
  base::Cycle at = 0;
  for (std::uint32_t id = 0; id < count; ++id) {
    at += random() % 12;
    const std::uint64_t address =
        random() % 4 * kBankStride + random() % 3 * kRowStride + random() % 32 * 128;
    accesses.push_back(random() % 4 == 0 ? write(id, address, at) : read(id, address, at));
  }
  return accesses;
}

std::vector<std::uint32_t> completed(const std::vector<IssuedCommand>& log) {
  std::vector<std::uint32_t> order;
  for (const IssuedCommand& i : log)
    if (i.last) order.push_back(i.id);
  return order;
}

TEST(DramPolicies, FcfsCompletesInOrderOfArrival) {
  DramConfig config = with("fcfs");
  config.queue_depth = 512;
  const auto accesses = traffic(1, 400);
  const auto log = run(config, accesses);
  const auto order = completed(log);
  EXPECT_EQ(order.size(), accesses.size());
  EXPECT_TRUE(std::ranges::is_sorted(order));
  DramConfig no_limit = with("fr_fcfs");
  no_limit.queue_depth = 512;
  EXPECT_FALSE(std::ranges::is_sorted(completed(run(no_limit, accesses))));
  no_limit.starvation_limit_cycles = 0;
  EXPECT_EQ(log, run(no_limit, accesses)) << "a limit of 0 is in order as well";
}

/// The most requests that overtook one that was the oldest of its bank.
std::uint32_t most_overtaken(const std::vector<DramAccess>& accesses, const std::vector<IssuedCommand>& log,
                             const DramConfig& config) {
  const DramMap map(config);
  std::map<std::uint32_t, std::vector<std::uint32_t>> waiting;  // by bank, oldest first
  std::map<std::uint32_t, std::uint32_t> overtaken;
  std::uint32_t most = 0;
  std::size_t next = 0;
  for (const IssuedCommand& i : log) {
    for (; next < accesses.size() && accesses[next].arrival <= i.cycle; ++next)
      waiting[map.bank_row(accesses[next].address).bank].push_back(accesses[next].id);
    if (!i.last) continue;
    auto& of_bank = waiting[i.bank];
    if (of_bank.front() == i.id)
      overtaken[i.bank] = 0;
    else
      most = std::max(most, ++overtaken[i.bank]);
    std::erase(of_bank, i.id);
  }
  return most;
}

TEST(DramPolicies, CapLimitsHowManyOvertake) {
  for (const std::uint32_t cap : {1u, 2u, 4u, 7u}) {
    for (const char* page_policy : {"open", "closed"}) {
      DramConfig config = with("fr_fcfs_cap", page_policy);
      config.queue_depth = 1024;
      config.starvation_limit_cycles = 1'000'000;
      config.scheduler.get<FrFcfsCapConfig>().row_hit_cap = cap;
      const auto accesses = traffic(cap, 800);
      EXPECT_EQ(most_overtaken(accesses, run(config, accesses), config), cap);
      EXPECT_EQ(run(config, accesses), run(config, accesses, nullptr, true))
          << "sleeping changes the schedule";
      config.scheduler.get<FrFcfsCapConfig>().row_hit_cap = 4096;
      DramConfig without = with("fr_fcfs", page_policy);
      without.queue_depth = 1024;
      without.starvation_limit_cycles = 1'000'000;
      const auto log = run(without, accesses);
      EXPECT_EQ(run(config, accesses), log) << "a cap that nobody reaches";
      EXPECT_GT(most_overtaken(accesses, log, without), cap);
    }
  }
}

TEST(DramPolicies, AClosedRowNeedsNoPrecharge) {
  DramCounters c;
  const auto log = run(with("fr_fcfs", "closed"), {read(0, 0), read(1, kRowStride)}, &c);
  EXPECT_EQ(log, (std::vector<IssuedCommand>{
                     {0, Kind::kActivate, 0, 0, 0},
                     {12, Kind::kRead, 0, 0, 0, false, 26},
                     {14, Kind::kRead, 0, 0, 0, true, 28, true},  // closes at 28: tRAS after the activate
                     {40, Kind::kActivate, 0, 1, 1},              // tRP, tRC
                     {52, Kind::kRead, 0, 1, 1, false, 66},
                     {54, Kind::kRead, 0, 1, 1, true, 68, true},
                 }));
  EXPECT_EQ(c.row_misses, 2u);
  EXPECT_EQ(c.row_conflicts, 0u);
  EXPECT_EQ(c.precharges, 2u);
}

TEST(DramPolicies, AWrittenRowClosesWhenItHasRecovered) {
  const auto log = run(with("fr_fcfs", "closed"), {write(0, 0), read(1, kRowStride)});
  EXPECT_EQ(log.at(2), (IssuedCommand{14, Kind::kWrite, 0, 0, 0, true, 20, true}));
  EXPECT_EQ(log.at(3), (IssuedCommand{44, Kind::kActivate, 0, 1, 1}));  // 20 + tWR + tRP
}

TEST(DramPolicies, ARowStaysOpenForWhoIsInTheQueue) {
  const auto log = run(with("fr_fcfs", "closed"), {read(0, 0), read(1, 128), read(2, 256, 500)});
  std::vector<bool> closes;
  for (const IssuedCommand& i : log)
    if (i.last) closes.push_back(i.closes);
  EXPECT_EQ(closes, (std::vector<bool>{false, true, true}));
  EXPECT_EQ(std::ranges::count(log, Kind::kActivate, &IssuedCommand::kind), 2);
}

}  // namespace
}  // namespace heddle::memory::dram_policies_test
