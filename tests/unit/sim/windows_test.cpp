// Logical processes that run ahead in windows do what they do when nobody runs ahead: a random machine of processes and a
// network with queues of limited length, whose log is the same for any number of threads, however late they are.
#include "sim/windows.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <numeric>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "blocks/isolated.h"

namespace heddle::sim::windows_test {
namespace {

constexpr base::Cycle kLatency = 5;
constexpr std::size_t kQueue = 2;
constexpr std::uint64_t kLastCycle = 400;

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  return x ^ x >> 29;
}

class Network;

/// Sends, sleeps and computes as its state says, into which every answer goes with its cycle.
class Process {
 public:
  Process(unsigned number, ClockDomain& clock, Network& network)
      : clock_(clock, on_tick<&Process::tick>(this)),
        network_(network),
        number_(number),
        state_(mix(number + 1)) {}
  void start() { clock_.wake(); }
  void answer(std::uint64_t value) {
    answers_.push_back(value);
    clock_.wake();
  }
  void accepted() {
    held_ = false;
    clock_.wake();
  }
  std::vector<std::uint64_t> log;

 private:
  void tick();

  ClockMember clock_;
  Network& network_;
  unsigned number_;
  std::uint64_t state_;
  std::deque<std::uint64_t> answers_;
  bool held_ = false;
};

/// A queue for each process; a request a cycle and process goes on, all to one sum, and is answered kLatency cycles later.
class Network final : public Lookahead {
 public:
  Network(ClockDomain& clock, unsigned processes)
      : clock_(clock, on_tick<&Network::tick>(this)), queues_(processes), ahead_(processes) {}
  void bind(std::vector<std::unique_ptr<Process>>& processes, Windows& windows) {
    processes_ = &processes;
    windows_ = &windows;
  }

  bool send(unsigned from, std::uint64_t value) {
    if (LogicalProcess* const process = LogicalProcess::running()) {
      Ahead& ahead = ahead_[from];
      const bool room = ahead.room != 0;
      ahead.values.push_back(value);
      const auto effect = [](void* self, void* what) {
        auto& network = *static_cast<Network*>(self);
        const auto port = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(what));
        const std::uint64_t sent = network.ahead_[port].values.front();
        network.ahead_[port].values.pop_front();
        network.send(port, sent);
      };
      void* const port = reinterpret_cast<void*>(static_cast<std::uintptr_t>(from));
      if (room || from % 2 == 0)
        process->defer(effect, this, port);
      else  // the same for those that wait for their effect
        process->defer_and_stop(effect, this, port);
      // The network's next cycle takes one out of the queue.
      if (!room || --ahead.room == 0) process->limit(turn_of(edge_));
      return room;
    }
    clock_.wake();
    queues_[from].push_back(value);
    return queues_[from].size() <= kQueue;
  }
  Turn begin_window(Turn floor) override {
    if (!apart) return floor;
    edge_ = clock_.domain().first_edge_at(time_of(floor));
    if (turn_of(edge_) < floor) ++edge_;
    for (Flight& flight : flights_) {
      if (std::exchange(flight.announced, true)) continue;
      windows_->arrive(
          flight.to, turn_of(std::max(flight.at, edge_)),
          [](void* self, void* what) {
            const auto* const coming = static_cast<const Flight*>(what);
            (*static_cast<Network*>(self)->processes_)[coming->to]->answer(coming->value);
          },
          this, &flight);
    }
    end_ = turn_of(edge_ + kLatency + too_far_);
    return end_;
  }
  Turn reach(unsigned process) override {
    Ahead& ahead = ahead_[process];
    const std::size_t used = queues_[process].size() + ahead.values.size();
    ahead.room = used < kQueue ? kQueue - used : 0;
    if (ahead.room == 0) return turn_of(edge_);
    const auto to_it = [process](const Flight& flight) { return flight.to == process; };
    if (used != 0 || std::ranges::any_of(flights_, to_it)) return end_;
    // Nothing comes to it that it has not sent, and it sends nothing before its next edge.
    const base::Cycle sends = clock_.domain().first_edge_at(time_of(windows_->next_edge(process)));
    return std::max(end_, turn_of(sends + kLatency));
  }
  void end_windows() override {
    for (Flight& flight : flights_) flight.announced = false;
  }
  /// The look-ahead is longer than the latency.
  void look_too_far() { too_far_ = 40; }

  bool apart = true;
  std::uint64_t sum = 0;

 private:
  struct Ahead {
    std::deque<std::uint64_t> values;
    std::size_t room = 0;
  };
  struct Flight {
    base::Cycle at = 0;
    unsigned to = 0;
    std::uint64_t value = 0;
    bool announced = false;
  };
  [[nodiscard]] Turn turn_of(base::Cycle edge) const {
    return turn_at(clock_.domain().edge_time(edge), ClockRank::kInterconnect);
  }
  void tick() {
    const base::Cycle now = clock_.cycle();
    while (!flights_.empty() && flights_.front().at <= now) {
      const Flight flight = flights_.front();
      flights_.pop_front();
      if (!flight.announced) (*processes_)[flight.to]->answer(flight.value);
    }
    bool more = false;
    for (unsigned i = 0; i < queues_.size(); ++i) {
      if (queues_[i].empty()) continue;
      const bool was_held = queues_[i].size() > kQueue;
      sum = mix(sum + queues_[i].front());
      flights_.push_back({now + kLatency, i, sum});
      queues_[i].pop_front();
      if (was_held) (*processes_)[i]->accepted();
      more |= !queues_[i].empty();
    }
    if (more)
      clock_.again();
    else if (!flights_.empty())
      clock_.sleep_until(flights_.front().at);
    else
      clock_.park();
  }

  ClockMember clock_;
  std::vector<std::deque<std::uint64_t>> queues_;
  std::vector<Ahead> ahead_;
  std::deque<Flight> flights_;
  std::vector<std::unique_ptr<Process>>* processes_ = nullptr;
  Windows* windows_ = nullptr;
  base::Cycle edge_ = 0;
  base::Cycle too_far_ = 0;
  Turn end_ = 0;  ///< of this window
};

void Process::tick() {
  const base::Cycle now = clock_.cycle();
  while (!answers_.empty()) {
    state_ = mix(state_ ^ answers_.front());
    answers_.pop_front();
  }
  state_ = mix(state_ + now);
  log.push_back(now);
  log.push_back(state_);
  if (now > kLastCycle) return clock_.park();
  const bool busy = state_ / 512 % 7 != 0;  // phases of much and of little traffic
  if (!held_ && state_ % (number_ % 3 == 0 ? 2 : 9) == 0) held_ = !network_.send(number_, state_);
  if (busy)
    clock_.again();
  else
    clock_.sleep_until(now + 1 + state_ % 23);
}

/// {"logs", "sum", "windows", "parallel"} of 13 processes at 1000 MHz.
nlohmann::ordered_json simulate_here(unsigned threads, double network_mhz, bool apart, unsigned delay_seed,
                                     bool too_far) {
  constexpr unsigned processes = 13;
  ClockManager manager("clocks");
  manager.set_quantum(sc_core::sc_time(1, sc_core::SC_US));
  ClockDomain interconnect(manager, "interconnect", network_mhz, ClockRank::kInterconnect);
  Network network(interconnect, processes);
  network.apart = apart;
  if (too_far) network.look_too_far();
  ClockDomain core(manager, "core", 1000, ClockRank::kCore);
  using Ahead = AheadGain::Policy;
  Windows windows(manager, processes, network, threads,
                  threads == 1      ? Ahead::kAhead
                  : delay_seed != 0 ? Ahead::kByTurns
                                    : Ahead::kMeasured,
                  delay_seed);
  std::vector<std::unique_ptr<Process>> all;
  for (unsigned i = 0; i < processes; ++i)
    all.push_back(std::make_unique<Process>(
        i, windows.process(i).add_domain(core, "core" + std::to_string(i)), network));
  network.bind(all, windows);
  for (auto& process : all) process->start();
  sc_core::sc_start();
  nlohmann::ordered_json result = {{"sum", network.sum},
                                   {"windows", windows.counters().windows},
                                   {"parallel", windows.counters().parallel},
                                   {"joins", windows.counters().joins},
                                   {"logs", nlohmann::ordered_json::array()}};
  for (auto& process : all) result["logs"].push_back(process->log);
  return result;
}

nlohmann::ordered_json simulate(unsigned threads, double network_mhz, bool apart, unsigned delay_seed = 0,
                                bool too_far = false) {
  return tb::isolated([&] { return simulate_here(threads, network_mhz, apart, delay_seed, too_far); });
}

class WindowsOf : public ::testing::TestWithParam<double> {};

TEST_P(WindowsOf, GiveWhatIsThereWhenNobodyRunsAhead) {
  const auto alone = simulate(1, GetParam(), false);
  ASSERT_FALSE(alone.contains("errors")) << alone;
  ASSERT_GT(alone["logs"][0].size(), 300u);
  const auto ahead = simulate(1, GetParam(), true);
  EXPECT_EQ(ahead["logs"], alone["logs"]);
  EXPECT_EQ(ahead["sum"], alone["sum"]);
  // They run ahead by the network's latency. A slow one has something for one of them in each of its cycles.
  const unsigned windows = ahead["windows"].get<unsigned>(), edges = alone["windows"].get<unsigned>();
  if (GetParam() >= 1000) {
    EXPECT_LT(3 * windows, 2 * edges);
  } else {
    EXPECT_LE(windows, edges + edges / 100);
  }
}

INSTANTIATE_TEST_SUITE_P(Frequencies, WindowsOf, ::testing::Values(1000.0, 500.0, 700.0, 1371.0));

TEST(Windows, AreTheSameOnAnyNumberOfThreads) {
  const auto one = simulate(1, 700, true);
  ASSERT_FALSE(one.contains("errors")) << one;
  for (const unsigned threads : {2u, 3u, 8u, 16u}) {
    const auto several = simulate(threads, 700, true, threads);
    EXPECT_EQ(several["logs"], one["logs"]) << threads;
    EXPECT_EQ(several["sum"], one["sum"]) << threads;
    EXPECT_GT(several["parallel"].get<unsigned>(), 0u) << threads;
    EXPECT_GT(several["joins"].get<unsigned>(), 1u) << threads << ": now and then nobody runs ahead";
    EXPECT_LT(several["windows"].get<unsigned>(), one["windows"].get<unsigned>()) << threads;
  }
}

TEST(Windows, ThatLookTooFarAreFound) {
  const auto result = simulate(1, 700, true, 0, true);
  ASSERT_TRUE(result.contains("errors")) << result;
  EXPECT_NE(result["errors"].dump().find("it may not have run ahead so far"), std::string::npos) << result;
}

}  // namespace
}  // namespace heddle::sim::windows_test
