// Clock domains: no drift, idle members cost no activation, coinciding edges run in rank order.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <systemc>
#include <vector>

#include "sim/clock.h"

namespace heddle::sim::clock_test {
namespace {

class Member : public sc_core::sc_module {
 public:
  Member(const sc_core::sc_module_name& name, ClockDomain& domain, std::function<void(Member&)> body)
      : sc_module(name), clock(domain, on_tick<&Member::tick>(this)), body_(std::move(body)) {}
  ClockMember clock;
  std::vector<base::Cycle> ran;

 private:
  void tick() {
    ran.push_back(clock.cycle());
    body_(*this);
  }
  std::function<void(Member&)> body_;
};

TEST(Clock, EdgesDoNotDrift) {
  ClockManager manager("clocks");
  ClockDomain odd(manager, "odd", 924, ClockRank::kDram);
  EXPECT_EQ(odd.edge_time(924), 1'000'000u);  // 924 cycles of 924 MHz are exactly one microsecond
  EXPECT_EQ(odd.edge_time(924'000'000), 1'000'000'000'000u);
  for (base::Cycle k : {base::Cycle{0}, base::Cycle{1}, base::Cycle{2}, base::Cycle{923}, base::Cycle{924},
                        base::Cycle{925}, base::Cycle{123'456'789}}) {
    EXPECT_EQ(odd.first_edge_at(odd.edge_time(k)), k);
    EXPECT_EQ(odd.first_edge_at(odd.edge_time(k) + 1), k + 1);
    if (k > 0) {
      EXPECT_EQ(odd.first_edge_at(odd.edge_time(k) - 1), k);
    }
  }
  EXPECT_EQ(odd.edge_time(1), 1082u);
}

TEST(Clock, NearEdgesAreWhereTheyAre) {
  ClockManager manager("clocks");
  ClockDomain odd(manager, "odd", 924, ClockRank::kL2);
  ClockDomain other(manager, "other", 1401.013, ClockRank::kDram);
  std::mt19937 random(7);
  std::uint64_t compared = 0;
  const auto compare = [&](const ClockDomain& domain) {
    const base::Cycle now = domain.cycle();
    for (const base::Cycle ahead : {0u, 1u, 2u, 40u, 65'535u, 65'536u, 1'000'000u})
      ASSERT_EQ(domain.edge_time_near(now + ahead), domain.edge_time(now + ahead)) << now << " + " << ahead;
    if (now != 0) {
      ASSERT_EQ(domain.edge_time_near(now - 1), domain.edge_time(now - 1));
    }
    for (const std::uint64_t ahead : {0u, 1u, 700u, 1081u, 1082u, 1083u, 50'000u, 200'000'000u}) {
      const base::Cycle exact = std::max(now, domain.first_edge_at(domain.now() + ahead));
      ASSERT_EQ(domain.first_edge_near(domain.now() + ahead), exact) << domain.now() << " + " << ahead;
    }
    ++compared;
  };
  const auto wander = [&](Member& m) {
    compare(odd);  // one of the two runs, the other one has an edge now and then
    compare(other);
    const base::Cycle far = random() % 50 == 0 ? 100'000 : random() % 20;
    m.ran.size() < 2000 ? m.clock.sleep_until(m.clock.cycle() + 1 + far) : m.clock.park();
  };
  Member first("first", odd, wander);
  Member second("second", other, wander);
  first.clock.wake();
  second.clock.wake();
  sc_core::sc_start();
  EXPECT_EQ(compared, 8000u);
}

TEST(Clock, RunsSleepsAndParksAsAsked) {
  ClockManager manager("clocks");
  ClockDomain domain(manager, "core", 1000, ClockRank::kCore);
  Member busy("busy", domain, [](Member& m) { m.clock.cycle() < 5 ? m.clock.again() : m.clock.park(); });
  Member sleeper("sleeper", domain, [](Member& m) {
    m.clock.cycle() < 20 ? m.clock.sleep_until(m.clock.cycle() + 7) : m.clock.park();
  });
  busy.clock.wake();
  sleeper.clock.wake();
  sc_core::sc_start();
  EXPECT_EQ(busy.ran, (std::vector<base::Cycle>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(sleeper.ran, (std::vector<base::Cycle>{0, 7, 14, 21}));
  EXPECT_EQ(domain.cycle(), 21u) << "nobody wants an edge: the simulation ends by itself";
}

TEST(Clock, WakeReachesAnEdgeOfTheSameInstantIfItsRankIsStillToCome) {
  ClockManager manager("clocks");
  ClockDomain fast(manager, "fast", 1000, ClockRank::kCore);
  ClockDomain slow(manager, "slow", 500, ClockRank::kInterconnect);
  Member receiver("receiver", slow, [](Member& m) { m.clock.park(); });
  Member sender("sender", fast, [&](Member& m) {
    receiver.clock.wake();
    m.clock.cycle() < 5 ? m.clock.again() : m.clock.park();
  });
  sender.clock.wake();
  sc_core::sc_start();
  // Sender cycles 0, 2, 4 coincide with edges 0, 1, 2; cycles 1, 3, 5 are served at the next edge.
  EXPECT_EQ(receiver.ran, (std::vector<base::Cycle>{0, 1, 2, 3}));
}

TEST(Clock, WakeAgainstRankOrderWaitsForTheNextEdge) {
  ClockManager manager("clocks");
  ClockDomain core(manager, "core", 1000, ClockRank::kCore);
  ClockDomain memory(manager, "memory", 1000, ClockRank::kL2);
  Member receiver("receiver", core, [](Member& m) { m.clock.park(); });
  Member sender("sender", memory, [&](Member& m) {
    receiver.clock.wake();
    m.clock.park();
  });
  sender.clock.wake();
  sc_core::sc_start();
  EXPECT_EQ(receiver.ran, (std::vector<base::Cycle>{1}));
}

TEST(Clock, WakeCutsASleepShortOnce) {
  ClockManager manager("clocks");
  ClockDomain domain(manager, "core", 1000, ClockRank::kCore);
  ClockDomain late(manager, "late", 1000, ClockRank::kSystem);
  Member sleeper("sleeper", domain,
                 [](Member& m) { m.ran.size() == 1 ? m.clock.sleep_until(100) : m.clock.park(); });
  Member waker("waker", late, [&](Member& m) {
    if (m.clock.cycle() == 10) {
      sleeper.clock.wake();
      sleeper.clock.wake();
    }
    m.clock.cycle() < 10 ? m.clock.sleep_until(10) : m.clock.park();
  });
  sleeper.clock.wake();
  waker.clock.wake();
  sc_core::sc_start();
  EXPECT_EQ(sleeper.ran, (std::vector<base::Cycle>{0, 11}));
}

TEST(Clock, RanksOfOneInstantRunInOrderWhateverTheOrderOfCreation) {
  ClockManager manager("clocks");
  ClockDomain dram(manager, "dram", 1000, ClockRank::kDram);
  ClockDomain core(manager, "core", 1000, ClockRank::kCore);
  ClockDomain l2(manager, "l2", 500, ClockRank::kL2);
  std::string order;
  const auto log = [&order](char who) {
    return [&order, who](Member& m) {
      order += who;
      m.clock.cycle() < 1 ? m.clock.again() : m.clock.park();
    };
  };
  Member d("d", dram, log('d'));
  Member l("l", l2, log('l'));
  Member c("c", core, log('c'));
  for (Member* m : {&d, &l, &c}) m->clock.wake();
  sc_core::sc_start();
  EXPECT_EQ(order, "cldcdl");
}

/// A module outside the clock domains: acts at 2.5 ns, 5 ns (an edge) and, woken by a member, later.
class Outsider : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Outsider);
  Outsider(const sc_core::sc_module_name& name, ClockManager& manager, std::string& order)
      : sc_module(name), manager_(manager), order_(order) {
    SC_THREAD(act);
    SC_METHOD(answer);
    dont_initialize();
    sensitive << asked_;
  }
  /// Called like a TLM target: with the delay by which the caller is ahead.
  void ask(const sc_core::sc_time& delay) { asked_.notify(delay + sc_core::sc_time(3.5, sc_core::SC_NS)); }

 private:
  void note() {
    EXPECT_EQ(manager_.now(), sc_core::sc_time_stamp().value()) << "nobody outside sees model time ahead";
    order_ += '(';
    order_ += std::to_string(sc_core::sc_time_stamp().value());
    order_ += ')';
  }
  void act() {
    wait(2500, sc_core::SC_PS);
    note();
    wait(2600, sc_core::SC_PS);
    note();
  }
  void answer() { note(); }
  ClockManager& manager_;
  std::string& order_;
  sc_core::sc_event asked_;
};

std::string run_with_quantum(const sc_core::sc_time& quantum) {
  ClockManager manager("clocks");
  manager.set_quantum(quantum);
  ClockDomain core(manager, "core", 1000, ClockRank::kCore);
  ClockDomain slow(manager, "slow", 300, ClockRank::kL2);
  std::string order;
  Outsider outsider("outsider", manager, order);
  Member c("c", core, [&](Member& m) {
    order += "c";
    if (m.clock.cycle() == 7) {
      outsider.ask(manager.ahead());
      manager.kernel_changed();
    }
    m.clock.cycle() < 14 ? m.clock.again() : m.clock.park();
  });
  Member s("s", slow, [&](Member& m) {
    order += "s";
    m.clock.cycle() < 5 ? m.clock.again() : m.clock.park();
  });
  c.clock.wake();
  s.clock.wake();
  sc_core::sc_start();
  return order;
}

// Core edges every 1000 ps, slow ones every 3333; the outsider at 2500, 5100 and 7000 + 3500.
constexpr const char* kExpectedOrder = "cscc(2500)cscc(5100)csccccs(10500)cccscs";

TEST(Clock, WithoutAQuantumEveryInstantIsAnActivationOfTheKernel) {
  EXPECT_EQ(run_with_quantum(sc_core::SC_ZERO_TIME), kExpectedOrder);
}

TEST(Clock, RunningAheadOfTheKernelNeverPassesItsNextEvent) {
  EXPECT_EQ(run_with_quantum(sc_core::sc_time(1, sc_core::SC_US)), kExpectedOrder);
}

TEST(Clock, PauseLetsTheKernelCatchUp) {
  ClockManager manager("clocks");
  manager.set_quantum(sc_core::sc_time(1, sc_core::SC_US));
  ClockDomain domain(manager, "core", 1000, ClockRank::kCore);
  Member member("member", domain, [&](Member& m) {
    if (m.clock.cycle() == 42) manager.pause();
    m.clock.again();
  });
  member.clock.wake();
  sc_core::sc_start();
  EXPECT_EQ(sc_core::sc_get_status(), sc_core::SC_PAUSED);
  EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(42, sc_core::SC_NS));
  EXPECT_EQ(member.ran.back(), 42u);
}

// A core that stops the simulation has woken the interconnect in the same instant: that edge still belongs to
// the instant.
TEST(Clock, PauseEndsTheInstantWhole) {
  ClockManager manager("clocks");
  manager.set_quantum(sc_core::sc_time(1, sc_core::SC_US));
  ClockDomain core(manager, "core", 1000, ClockRank::kCore);
  ClockDomain interconnect(manager, "interconnect", 1000, ClockRank::kInterconnect);
  Member later("later", interconnect, [](Member& m) { m.clock.park(); });
  Member member("member", core, [&](Member& m) {
    if (m.clock.cycle() == 42) {
      later.clock.wake();
      manager.pause();
    }
    m.clock.again();
  });
  member.clock.wake();
  sc_core::sc_start();
  EXPECT_EQ(sc_core::sc_get_status(), sc_core::SC_PAUSED);
  ASSERT_FALSE(later.ran.empty());
  EXPECT_EQ(later.ran.back(), 42u);
}

}  // namespace
}  // namespace heddle::sim::clock_test
