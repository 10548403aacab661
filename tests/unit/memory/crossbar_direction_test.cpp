#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "memory/crossbar_direction.h"

namespace heddle::memory::crossbar_direction_test {
namespace {

using Payload = CrossbarDirection::Payload;

/// Packets are opaque to the lanes, so a number works as well as a pointer.
Payload* packet(std::uintptr_t number) {
  return reinterpret_cast<Payload*>(number);  // NOLINT(performance-no-int-to-ptr)
}

struct Arrival {
  unsigned output;
  std::uintptr_t packet;
  base::Cycle cycle;
  bool operator==(const Arrival&) const = default;
};

/// Runs every cycle up to `end`, accepting everything at once.
std::vector<Arrival> drain(CrossbarDirection& lanes, base::Cycle from, base::Cycle end) {
  std::vector<Arrival> arrivals;
  for (base::Cycle now = from; now < end; ++now) {
    lanes.deliver(now, [&](unsigned output, Payload* p) {
      arrivals.push_back({output, reinterpret_cast<std::uintptr_t>(p), now});
      return true;
    });
    lanes.arbitrate(now);
  }
  return arrivals;
}

TEST(CrossbarConfig, ResponsesHaveLinksOfTheirOwnWidthIfAKeySaysSo) {
  EXPECT_EQ(CrossbarConfig{.flit_bytes = 40}.of_responses().flit_bytes, 40u);
  const CrossbarConfig config{.flit_bytes = 40, .response_flit_bytes = 68};
  EXPECT_EQ(config.of_responses().flit_bytes, 68u);
  EXPECT_EQ(config.flit_bytes, 40u);
}

TEST(CrossbarDirection, APacketTakesItsFlitsPlusTheLatency) {
  CrossbarDirection lanes(2, 1, 2, {.flit_bytes = 32, .latency_cycles = 5});
  lanes.push(0, 1, 136, packet(7), 0);  // 5 flits
  EXPECT_EQ(drain(lanes, 0, 20), (std::vector<Arrival>{{1, 7, 10}}));
  EXPECT_TRUE(lanes.idle());
}

TEST(CrossbarDirection, AnInputSendsItsNextPacketWhenItsLinkIsFree) {
  CrossbarDirection lanes(1, 1, 2, {.flit_bytes = 32, .latency_cycles = 5});
  lanes.push(0, 0, 136, packet(1), 0);
  lanes.push(0, 1, 8, packet(2), 0);  // a free output does not help
  EXPECT_EQ(drain(lanes, 0, 20), (std::vector<Arrival>{{0, 1, 10}, {1, 2, 11}}));
}

TEST(CrossbarDirection, AFreeOutputHelpsWithVirtualOutputQueues) {
  CrossbarDirection lanes(
      2, 1, 3, {.flit_bytes = 32, .latency_cycles = 0, .virtual_output_queues = VirtualOutputs::kBoth});
  lanes.push(1, 0, 128, packet(11), 0);  // keeps output 0 busy
  EXPECT_EQ(lanes.arbitrate(0), std::vector<unsigned>{1});
  for (const unsigned output : {0u, 0u, 1u}) lanes.push(0, output, 8, packet(1 + lanes.free_entries(0)), 0);
  EXPECT_EQ(lanes.arbitrate(1), std::vector<unsigned>{0}) << "the third one goes";
  lanes.push(0, 2, 8, packet(1), 2);  // while the first two wait
  EXPECT_EQ(lanes.arbitrate(2), std::vector<unsigned>{0});
  EXPECT_TRUE(lanes.arbitrate(3).empty());
  EXPECT_EQ(drain(lanes, 4, 20),
            (std::vector<Arrival>{{0, 11, 4}, {1, 7, 4}, {2, 1, 4}, {0, 9, 5}, {0, 8, 6}}))
      << "and those to output 0 in their order";
}

/// Packets of a flit a cycle and output that arrive if all inputs always have packets to random outputs.
double random_throughput(VirtualOutputs virtual_outputs) {
  constexpr unsigned ports = 16;
  constexpr base::Cycle cycles = 4000;
  CrossbarDirection lanes(ports, 1, ports, {.flit_bytes = 32, .virtual_output_queues = virtual_outputs});
  std::mt19937 random(1);
  std::vector<unsigned> arrived(ports);
  for (base::Cycle now = 0; now < cycles; ++now) {
    for (unsigned input = 0; input < ports; ++input)
      while (lanes.can_accept(input)) lanes.push(input, random() % ports, 8, packet(1), now);
    lanes.deliver(now, [&](unsigned output, Payload*) { return ++arrived[output] != 0; });
    lanes.arbitrate(now);
  }
  const auto [least, most] = std::minmax_element(arrived.begin(), arrived.end());
  EXPECT_GT(*least, *most * 0.9) << "no output is favoured";
  return static_cast<double>(lanes.counters().packets) / (cycles * ports);
}

TEST(CrossbarDirection, RandomTrafficGetsThreeFifthsOfTheLinksAndMoreWithVirtualOutputQueues) {
  EXPECT_NEAR(random_throughput(VirtualOutputs::kNone), 0.60, 0.02) << "2 - sqrt(2) of infinitely many ports";
  EXPECT_GT(random_throughput(VirtualOutputs::kBoth), 0.85);
}

TEST(CrossbarConfig, VirtualOutputQueuesAreOfResponsesOrOfBoth) {
  const CrossbarConfig responses{.virtual_output_queues = VirtualOutputs::kResponses};
  EXPECT_EQ(responses.of_requests().virtual_output_queues, VirtualOutputs::kNone);
  EXPECT_EQ(responses.of_responses().virtual_output_queues, VirtualOutputs::kResponses);
  const CrossbarConfig both{.virtual_output_queues = VirtualOutputs::kBoth};
  EXPECT_EQ(both.of_requests().virtual_output_queues, VirtualOutputs::kBoth);
}

TEST(CrossbarDirection, ContendingInputsAreServedRoundRobin) {
  CrossbarDirection lanes(3, 1, 1, {.flit_bytes = 32, .latency_cycles = 0, .output_queue_packets = 64});
  for (unsigned input = 0; input < 3; ++input)
    for (unsigned k = 0; k < 3; ++k) lanes.push(input, 0, 64, packet(10 * input + k + 1), 0);
  std::vector<std::uintptr_t> order;
  for (const Arrival& a : drain(lanes, 0, 40)) order.push_back(a.packet);
  EXPECT_EQ(order, (std::vector<std::uintptr_t>{1, 11, 21, 2, 12, 22, 3, 13, 23}));
}

TEST(CrossbarDirection, OnlyGrantsWithACredit) {
  CrossbarDirection lanes(1, 1, 1,
                          {.latency_cycles = 1, .input_queue_packets = 4, .output_queue_packets = 2});
  for (std::uintptr_t k = 1; k <= 4; ++k) lanes.push(0, 0, 8, packet(k), 0);
  EXPECT_FALSE(lanes.can_accept(0));
  for (base::Cycle now = 0; now < 10; ++now) {
    lanes.deliver(now, [](unsigned, Payload*) { return false; });  // the receiver does not answer
    lanes.arbitrate(now);
  }
  EXPECT_EQ(lanes.counters().packets, 2u);
  EXPECT_EQ(lanes.next_cycle(10), base::kNever);
  lanes.complete(0, 10);
  EXPECT_EQ(lanes.next_cycle(10), 11u);
  EXPECT_EQ(lanes.arbitrate(11).size(), 1u);
}

TEST(CrossbarDirection, InputsThatShareALinkTakeTurns) {
  CrossbarDirection lanes(5, 2, 2, {.flit_bytes = 32, .latency_cycles = 0});
  // Inputs 0 and 1 share a link, 2 and 3 another, 4 has one to itself; outputs are not contended.
  lanes.push(1, 0, 64, packet(11), 0);
  lanes.push(1, 0, 64, packet(12), 0);
  lanes.push(0, 0, 64, packet(1), 0);
  lanes.push(0, 0, 64, packet(2), 0);
  lanes.push(4, 1, 64, packet(41), 0);
  lanes.push(4, 1, 64, packet(42), 0);
  EXPECT_EQ(drain(lanes, 0, 20),
            (std::vector<Arrival>{{0, 1, 2}, {1, 41, 2}, {0, 11, 4}, {1, 42, 4}, {0, 2, 6}, {0, 12, 8}}));
}

TEST(CrossbarDirection, ASharedLinkStaysWithThePacketItTookUp) {
  CrossbarDirection lanes(3, 2, 2, {.flit_bytes = 32, .latency_cycles = 0, .output_queue_packets = 8});
  for (std::uintptr_t k = 1; k <= 3; ++k) lanes.push(2, 0, 64, packet(20 + k), 0);  // keeps output 0 busy
  EXPECT_EQ(lanes.arbitrate(0), std::vector<unsigned>{2});
  lanes.push(0, 0, 64, packet(1), 1);
  lanes.push(1, 1, 64, packet(11), 1);  // its output is free, but the link holds the other input's packet
  EXPECT_EQ(lanes.arbitrate(1), std::vector<unsigned>{});
  EXPECT_EQ(lanes.arbitrate(2), std::vector<unsigned>{0});
  EXPECT_EQ(lanes.arbitrate(3), std::vector<unsigned>{});
  EXPECT_EQ(lanes.arbitrate(4), (std::vector<unsigned>{2, 1}));
}

TEST(CrossbarDirection, FlitsAreCounted) {
  CrossbarDirection lanes(1, 1, 1, {.flit_bytes = 32, .latency_cycles = 0});
  lanes.push(0, 0, 8, packet(1), 0);
  lanes.push(0, 0, 32, packet(2), 0);
  lanes.push(0, 0, 33, packet(3), 0);
  drain(lanes, 0, 10);
  EXPECT_EQ(lanes.counters().flits, 1u + 1 + 2);
  EXPECT_EQ(lanes.counters().bytes, 73u);
}

struct RandomRun {
  std::uint64_t seed = 1;
  unsigned share = 1;
  bool skip = false;     ///< run only in the cycles that next_cycle() and the environment require
  bool reverse = false;  ///< within a cycle, push in the opposite order
  VirtualOutputs virtual_outputs = VirtualOutputs::kNone;
  CrossbarCounters counters{};

  /// Random traffic with stalls on both sides.
  std::vector<Arrival> operator()() {
    constexpr unsigned kInputs = 70, kOutputs = 5;  // more than one word of the port sets
    std::mt19937_64 random(seed);
    CrossbarDirection lanes(kInputs, share, kOutputs,
                            {.flit_bytes = 32,
                             .latency_cycles = 3,
                             .input_queue_packets = 3,
                             .output_queue_packets = 4,
                             .virtual_output_queues = virtual_outputs});
    struct Event {
      unsigned input, output;
      std::uint32_t bytes;
    };
    std::vector<Event> events;
    std::map<base::Cycle, std::map<unsigned, std::uintptr_t>> pushes;  // cycle, input: number of the event
    for (std::uintptr_t number = 1; number <= 3000; ++number) {
      const unsigned input = static_cast<unsigned>(random() % kInputs);
      events.push_back({input, static_cast<unsigned>(random() % kOutputs),
                        static_cast<std::uint32_t>(8 + random() % 200)});
      pushes[random() % 1500][input] = number;
    }
    std::map<base::Cycle, std::vector<unsigned>> completes;
    std::vector<Arrival> arrivals;
    std::map<std::pair<unsigned, unsigned>, std::vector<std::uintptr_t>> sent, received;
    std::size_t count = 0;
    for (base::Cycle now = 0, next = 0; now < 20000; ++now) {
      bool touched = now == next;
      const auto push = [&](std::uintptr_t number) {
        const Event& e = events[number - 1];
        if (!lanes.can_accept(e.input)) return;
        lanes.push(e.input, e.output, e.bytes, packet(number), now);
        sent[{e.input, e.output}].push_back(number);
        ++count;
        touched = true;
      };
      if (const auto it = pushes.find(now); it != pushes.end()) {
        if (reverse)
          for (auto e = it->second.rbegin(); e != it->second.rend(); ++e) push(e->second);
        else
          for (const auto& e : it->second) push(e.second);
      }
      if (const auto it = completes.find(now); it != completes.end()) {
        for (const unsigned output : it->second) lanes.complete(output, now);
        touched = true;
      }
      if (skip && !touched) continue;
      lanes.deliver(now, [&](unsigned output, Payload* p) {
        const auto id = reinterpret_cast<std::uintptr_t>(p);
        const Event& e = events[id - 1];
        arrivals.push_back({output, id, now});
        received[{e.input, e.output}].push_back(id);
        EXPECT_EQ(e.output, output);
        const std::uint64_t stall = id * 2654435761u % 7;  // the same in all runs
        if (stall < 4) return true;
        completes[now + stall * 3].push_back(output);
        return false;
      });
      std::array<base::Cycle, kInputs> earliest{};
      for (unsigned input = 0; input < kInputs; ++input)
        earliest[input] = lanes.earliest_grant(input, now, now + 9);
      for (const unsigned input : lanes.arbitrate(now)) EXPECT_LE(earliest[input], now);
      next = lanes.next_cycle(now);
    }
    EXPECT_TRUE(lanes.idle());
    EXPECT_EQ(sent, received);  // nothing lost, and in order for every pair
    EXPECT_EQ(arrivals.size(), count);
    EXPECT_GT(count, 500u);  // the single shared link is soon saturated
    counters = lanes.counters();
    return arrivals;
  }
};

void expect_equal(const CrossbarCounters& a, const CrossbarCounters& b) {
  EXPECT_EQ(a.flits, b.flits);
  EXPECT_EQ(a.input_wait_cycles, b.input_wait_cycles);
  EXPECT_EQ(a.output_wait_cycles, b.output_wait_cycles);
}

TEST(CrossbarDirection, KeepsPairOrderUnderRandomStalls) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    for (const unsigned share : {1u, 3u, 70u}) {
      const VirtualOutputs virtual_outputs = seed % 2 == 0 ? VirtualOutputs::kBoth : VirtualOutputs::kNone;
      RandomRun every{.seed = seed, .share = share, .virtual_outputs = virtual_outputs};
      RandomRun skipped{.seed = seed, .share = share, .skip = true, .virtual_outputs = virtual_outputs};
      RandomRun reversed{.seed = seed, .share = share, .reverse = true, .virtual_outputs = virtual_outputs};
      const auto arrivals = every();
      EXPECT_EQ(arrivals, skipped()) << "sleeping between events changed the result";
      expect_equal(every.counters, skipped.counters);
      EXPECT_EQ(arrivals, reversed()) << "the order of pushes within a cycle changed the result";
      expect_equal(every.counters, reversed.counters);
    }
  }
}

/// Nine packets of each of four inputs (two to a link with `share` 2) to three outputs.
std::vector<Arrival> contended(const CrossbarConfig& config, unsigned share = 1, unsigned stream = 0) {
  CrossbarDirection lanes(4, share, 3, config, stream);
  for (unsigned input = 0; input < 4; ++input)
    for (unsigned k = 0; k < 9; ++k) lanes.push(input, k / 3, 64, packet(10 * input + k + 1), 0);
  return drain(lanes, 0, 2000);
}

CrossbarConfig perturbed(std::uint32_t seed, std::uint32_t cycles) {
  return {.flit_bytes = 32,
          .latency_cycles = 1,
          .input_queue_packets = 16,
          .output_queue_packets = 64,
          .perturb_seed = seed,
          .perturb_cycles = cycles};
}

TEST(CrossbarDirection, APerturbedOrderIsThatOfItsSeedAndStream) {
  for (const unsigned share : {1u, 2u})
    for (const unsigned cycles : {0u, 7u}) {
      EXPECT_EQ(contended(perturbed(5, cycles), share), contended(perturbed(5, cycles), share));
      EXPECT_NE(contended(perturbed(5, cycles), share), contended(perturbed(6, cycles), share));
      EXPECT_NE(contended(perturbed(5, cycles), share), contended(perturbed(5, cycles), share, 1));
      EXPECT_NE(contended(perturbed(5, cycles), share), contended(perturbed(0, cycles), share));
    }
}

TEST(CrossbarDirection, PerturbCyclesWithoutASeedDoNothing) {
  EXPECT_EQ(contended(perturbed(0, 0)), contended(perturbed(0, 9)));
}

TEST(CrossbarDirection, APerturbedInputKeepsItsOwnOrder) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const auto arrivals = contended(perturbed(seed, seed % 5), 1 + seed % 2);
    ASSERT_EQ(arrivals.size(), 36u);
    std::map<std::uintptr_t, std::map<unsigned, std::uintptr_t>> last;
    for (const Arrival& a : arrivals) {
      std::uintptr_t& before = last[a.packet / 10][a.output];
      EXPECT_LT(before, a.packet) << "seed " << seed;
      before = a.packet;
    }
  }
}

TEST(CrossbarDirection, APerturbedPacketWaitsForAtMostPerturbCycles) {
  std::map<base::Cycle, unsigned> waits;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    CrossbarDirection lanes(1, 1, 1, perturbed(seed, 3));
    lanes.push(0, 0, 32, packet(1), 0);
    const auto arrivals = drain(lanes, 0, 20);
    ASSERT_EQ(arrivals.size(), 1u);
    ++waits[arrivals.front().cycle - 2];  // a flit and a cycle of flight
  }
  ASSERT_EQ(waits.size(), 4u);
  for (const auto& [wait, count] : waits) {
    EXPECT_LE(wait, 3u);
    EXPECT_GT(count, 70u);  // of about 100
  }
}

/// A receiver with a queue of limited length, which empties it at cycles of its own; who was refused is taken when it does.
struct Receiver {
  std::size_t queued = 0;
  bool holds = false;
  std::vector<Arrival> log;

  bool offer(unsigned output, Payload* p, base::Cycle now) {
    log.push_back({output, reinterpret_cast<std::uintptr_t>(p), now});
    if (queued == 2) {
      holds = true;
      return false;
    }
    ++queued;
    return true;
  }
  /// True: the packet that it has refused is taken now.
  bool work(unsigned output, base::Cycle now) {
    if ((now * 7 + output * 5) % 11 < 7 || queued == 0) return false;
    if (!holds) --queued;
    return std::exchange(holds, false);
  }
};

/// What receivers see of random packets, if they learn up to `window` cycles before which packets come.
std::vector<std::vector<Arrival>> receivers_see(base::Cycle window, VirtualOutputs virtual_outputs,
                                                std::uint64_t* waits) {
  constexpr unsigned ports = 5;
  CrossbarDirection lanes(ports, 1, ports,
                          {.flit_bytes = 32,
                           .latency_cycles = 6,
                           .output_queue_packets = 4,
                           .virtual_output_queues = virtual_outputs});
  std::array<Receiver, ports> receivers;
  std::array<std::deque<std::pair<base::Cycle, Payload*>>, ports> coming;
  std::mt19937 random(3);
  std::uintptr_t number = 0;
  for (base::Cycle now = 0; now < 3000; ++now) {
    if (window != 0)
      lanes.hand_over(now, now + window, [&](unsigned output, base::Cycle cycle, Payload* p) {
        coming[output].emplace_back(cycle, p);
      });
    for (unsigned output = 0; output < ports; ++output) {
      if (coming[output].empty() || coming[output].front().first != now) continue;
      const bool accepted = receivers[output].offer(output, coming[output].front().second, now);
      coming[output].pop_front();
      if (!accepted) coming[output].clear();
      lanes.answered(output, accepted);
    }
    lanes.deliver(now, [&](unsigned output, Payload* p) {
      const std::optional<bool> answer = lanes.take_answer(output);
      EXPECT_EQ(answer.has_value(), window != 0) << "who looks ahead knows of all packets";
      return answer ? *answer : receivers[output].offer(output, p, now);
    });
    lanes.arbitrate(now);
    for (unsigned output = 0; output < ports; ++output)
      if (receivers[output].work(output, now)) lanes.complete(output, now);
    for (unsigned input = 0; input < ports; ++input) {
      const bool sends = random() % 5 < 2;
      const auto to = static_cast<unsigned>(random() % ports), bytes = static_cast<unsigned>(random() % 100);
      if (sends && lanes.can_accept(input)) lanes.push(input, to, bytes, packet(++number), now + 1);
    }
  }
  *waits = lanes.counters().output_wait_cycles;
  std::vector<std::vector<Arrival>> logs;
  for (const Receiver& receiver : receivers) logs.push_back(receiver.log);
  return logs;
}

TEST(CrossbarDirection, WhoKnowsWhatComesGetsTheSameInTheSameCycles) {
  for (const VirtualOutputs queues : {VirtualOutputs::kNone, VirtualOutputs::kBoth}) {
    std::uint64_t waits = 0, same_waits = 0;
    const auto expected = receivers_see(0, queues, &waits);
    for (const auto& log : expected) ASSERT_GT(log.size(), 300u);
    EXPECT_GT(waits, 1000u) << "some are refused";
    for (const base::Cycle window : {1, 3, 7}) {
      EXPECT_EQ(receivers_see(window, queues, &same_waits), expected) << window;
      EXPECT_EQ(same_waits, waits) << window;
    }
  }
}

TEST(CrossbarDirection, NoPacketIsGrantedBeforeTheEarliestGrant) {
  CrossbarDirection lanes(2, 1, 2, {.flit_bytes = 32, .latency_cycles = 1});
  EXPECT_EQ(lanes.earliest_grant(0, 4, 100), 4u);
  lanes.push(0, 0, 136, packet(1), 0);  // 5 flits
  lanes.push(0, 1, 8, packet(2), 0);
  lanes.push(1, 0, 8, packet(3), 0);
  EXPECT_EQ(lanes.arbitrate(0), std::vector<unsigned>{0});
  EXPECT_EQ(lanes.earliest_grant(0, 1, 100), 5u) << "its link is busy";
  EXPECT_EQ(lanes.earliest_grant(1, 1, 100), 5u) << "the link that it asks for is busy";
  EXPECT_EQ(lanes.earliest_grant(1, 1, 3), 3u) << "nobody asks about later ones";
  for (base::Cycle now = 1; now < 5; ++now) EXPECT_TRUE(lanes.arbitrate(now).empty()) << now;
  EXPECT_EQ(lanes.arbitrate(5), (std::vector<unsigned>{1, 0}));
}

TEST(CrossbarDirection, WhoseTurnComesLaterIsGrantedBehindTheOthersFlits) {
  CrossbarDirection lanes(4, 1, 1, {.flit_bytes = 32, .latency_cycles = 1});
  for (unsigned input = 0; input < 4; ++input) lanes.push(input, 0, 32 * (input + 1), packet(input + 1), 0);
  EXPECT_EQ(lanes.arbitrate(0), std::vector<unsigned>{0});
  std::map<unsigned, base::Cycle> earliest;
  for (const unsigned input : {1u, 2u, 3u}) earliest[input] = lanes.earliest_grant(input, 1, 100);
  EXPECT_EQ(earliest, (std::map<unsigned, base::Cycle>{{1, 1}, {2, 1 + 2}, {3, 1 + 2 + 3}}));
  for (base::Cycle now = 1; now < 7; ++now)
    for (const unsigned input : lanes.arbitrate(now)) EXPECT_EQ(earliest[input], now) << input;
}

}  // namespace
}  // namespace heddle::memory::crossbar_direction_test
