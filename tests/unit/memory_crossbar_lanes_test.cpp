#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "memory/crossbar_lanes.h"

namespace heddle::memory {
namespace {

using Payload = CrossbarLanes::Payload;

/// Packets are opaque to the lanes: a number serves as well as a pointer.
Payload* packet(std::uintptr_t number) {
  return reinterpret_cast<Payload*>(number);  // NOLINT(performance-no-int-to-ptr)
}

struct Arrival {
  unsigned output;
  std::uintptr_t packet;
  sim::Cycle cycle;
  bool operator==(const Arrival&) const = default;
};

/// Runs every cycle up to `end`, taking everything at once.
std::vector<Arrival> drain(CrossbarLanes& lanes, sim::Cycle from, sim::Cycle end) {
  std::vector<Arrival> arrivals;
  for (sim::Cycle now = from; now < end; ++now) {
    lanes.deliver(now, [&](unsigned output, Payload* p) {
      arrivals.push_back({output, reinterpret_cast<std::uintptr_t>(p), now});
      return true;
    });
    lanes.arbitrate(now);
  }
  return arrivals;
}

TEST(CrossbarLanes, APacketTakesItsFlitsPlusTheLatency) {
  CrossbarLanes lanes(2, 2, {.flit_bytes = 32, .latency_cycles = 5});
  lanes.push(0, 1, 136, packet(7), 0);  // 5 flits
  EXPECT_EQ(drain(lanes, 0, 20), (std::vector<Arrival>{{1, 7, 10}}));
  EXPECT_TRUE(lanes.idle());
}

TEST(CrossbarLanes, AnInputSendsItsNextPacketWhenItsLinkIsFree) {
  CrossbarLanes lanes(1, 2, {.flit_bytes = 32, .latency_cycles = 5});
  lanes.push(0, 0, 136, packet(1), 0);
  lanes.push(0, 1, 8, packet(2), 0);  // a free output does not help
  EXPECT_EQ(drain(lanes, 0, 20), (std::vector<Arrival>{{0, 1, 10}, {1, 2, 11}}));
}

TEST(CrossbarLanes, ContendingInputsAreServedRoundRobin) {
  CrossbarLanes lanes(3, 1, {.flit_bytes = 32, .latency_cycles = 0, .output_queue_packets = 64});
  for (unsigned input = 0; input < 3; ++input)
    for (unsigned k = 0; k < 3; ++k) lanes.push(input, 0, 64, packet(10 * input + k + 1), 0);
  std::vector<std::uintptr_t> order;
  for (const Arrival& a : drain(lanes, 0, 40)) order.push_back(a.packet);
  EXPECT_EQ(order, (std::vector<std::uintptr_t>{1, 11, 21, 2, 12, 22, 3, 13, 23}));
}

TEST(CrossbarLanes, OnlyGrantsWithACredit) {
  CrossbarLanes lanes(1, 1, {.latency_cycles = 1, .input_queue_packets = 4, .output_queue_packets = 2});
  for (std::uintptr_t k = 1; k <= 4; ++k) lanes.push(0, 0, 8, packet(k), 0);
  EXPECT_FALSE(lanes.can_accept(0));
  for (sim::Cycle now = 0; now < 10; ++now) {
    lanes.deliver(now, [](unsigned, Payload*) { return false; });  // the receiver does not answer
    lanes.arbitrate(now);
  }
  EXPECT_EQ(lanes.counters().packets, 2u);
  EXPECT_EQ(lanes.next_cycle(10), CrossbarLanes::kNever);
  lanes.complete(0, 10);
  EXPECT_EQ(lanes.next_cycle(10), 11u);
  EXPECT_EQ(lanes.arbitrate(11).size(), 1u);
}

/// Random traffic with stalls on both sides. `skip`: run only in the cycles next_cycle() and the environment
/// ask for.
std::vector<Arrival> random_run(std::uint64_t seed, bool skip, CrossbarCounters& counters) {
  constexpr unsigned kInputs = 70, kOutputs = 5;  // more than one word of the port sets
  std::mt19937_64 random(seed);
  CrossbarLanes lanes(
      kInputs, kOutputs,
      {.flit_bytes = 32, .latency_cycles = 3, .input_queue_packets = 3, .output_queue_packets = 4});
  struct Event {
    unsigned input, output;
    std::uint32_t bytes;
  };
  std::map<sim::Cycle, std::vector<Event>> pushes;  // what the environment wants to push, by cycle
  for (int i = 0; i < 3000; ++i)
    pushes[random() % 1500].push_back({static_cast<unsigned>(random() % kInputs),
                                       static_cast<unsigned>(random() % kOutputs),
                                       static_cast<std::uint32_t>(8 + random() % 200)});
  std::map<sim::Cycle, std::vector<unsigned>> completes;
  std::vector<Arrival> arrivals;
  std::map<std::pair<unsigned, unsigned>, std::vector<std::uintptr_t>> sent, received;
  std::map<std::uintptr_t, std::pair<unsigned, unsigned>> route;
  std::uintptr_t number = 0;
  for (sim::Cycle now = 0, next = 0; now < 20000; ++now) {
    bool touched = now == next;
    if (const auto it = pushes.find(now); it != pushes.end()) {
      for (const Event& e : it->second) {
        if (!lanes.can_accept(e.input)) continue;
        lanes.push(e.input, e.output, e.bytes, packet(++number), now);
        route[number] = {e.input, e.output};
        sent[{e.input, e.output}].push_back(number);
        touched = true;
      }
    }
    if (const auto it = completes.find(now); it != completes.end()) {
      for (const unsigned output : it->second) lanes.complete(output, now);
      touched = true;
    }
    if (skip && !touched) continue;
    lanes.deliver(now, [&](unsigned output, Payload* p) {
      const auto id = reinterpret_cast<std::uintptr_t>(p);
      arrivals.push_back({output, id, now});
      received[route.at(id)].push_back(id);
      EXPECT_EQ(route.at(id).second, output);
      const std::uint64_t stall = id * 2654435761u % 7;  // the same in both runs
      if (stall < 4) return true;
      completes[now + stall * 3].push_back(output);
      return false;
    });
    lanes.arbitrate(now);
    next = lanes.next_cycle(now);
  }
  EXPECT_TRUE(lanes.idle());
  EXPECT_EQ(sent, received);  // nothing lost, and in order for every pair
  EXPECT_EQ(arrivals.size(), number);
  EXPECT_GT(number, 1000u);
  counters = lanes.counters();
  return arrivals;
}

TEST(CrossbarLanes, KeepsPairOrderUnderRandomStalls) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CrossbarCounters every, skipped;
    const auto a = random_run(seed, false, every);
    const auto b = random_run(seed, true, skipped);
    EXPECT_EQ(a, b) << "sleeping between events changed the result";
    EXPECT_EQ(every.link_busy_cycles, skipped.link_busy_cycles);
    EXPECT_EQ(every.input_wait_cycles, skipped.input_wait_cycles);
    EXPECT_EQ(every.output_wait_cycles, skipped.output_wait_cycles);
  }
}

}  // namespace
}  // namespace heddle::memory
