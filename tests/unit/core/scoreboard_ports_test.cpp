// The ports of the scoreboard's array: the number of accesses per cycle, and those left for the next cycles.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "base/error.h"
#include "core/config.h"
#include "core/issue/scoreboard.h"
#include "core/issue/scoreboard_ports.h"
#include "unit/core/instruction.h"

namespace heddle::core::scoreboard_ports_test {
namespace {

/// Uses the ports if they are free.
bool issues(ScoreboardPorts& ports, PortNeed need, Cycle now) {
  if (!ports.admits(need, now)) return false;
  ports.take(need, now);
  return true;
}

TEST(ScoreboardPorts, AnInstructionNeedsOnePortForEveryDistinctRegister) {
  const PortNeed mad = port_need(instruction({1, 2, 3}, {4}));
  EXPECT_EQ(mad.reads, 4u);
  EXPECT_EQ(mad.writes, 1u);
  const PortNeed accumulate = port_need(instruction({1, 2, 4}, {4}));
  EXPECT_EQ(accumulate.reads, 3u) << "r4 is looked up once";
  EXPECT_EQ(accumulate.writes, 1u);
  const PortNeed vector_load = port_need(instruction({9}, {1, 2, 3, 4}, isa::Opcode::kLoad));
  EXPECT_EQ(vector_load.reads, 5u);
  EXPECT_EQ(vector_load.writes, 4u);
  const PortNeed store = port_need(instruction({9, 1}, {}, isa::Opcode::kStore));
  EXPECT_EQ(store.reads, 2u);
  EXPECT_EQ(store.writes, 0u);
  EXPECT_EQ(port_need(instruction({}, {})).reads, 0u);
}

TEST(ScoreboardPorts, WhatIsNeverPendingTakesNoWritePort) {
  for (const isa::Opcode op : {isa::Opcode::kCall, isa::Opcode::kBarrier, isa::Opcode::kPrint}) {
    const PortNeed need = port_need(instruction({1}, {2}, op));
    EXPECT_EQ(need.reads, 2u);
    EXPECT_EQ(need.writes, 0u);
  }
  for (const isa::Opcode op : {isa::Opcode::kLane, isa::Opcode::kTimer, isa::Opcode::kWarpSync,
                               isa::Opcode::kAtomic, isa::Opcode::kLoadMatrix})
    EXPECT_EQ(port_need(instruction({1}, {2}, op)).writes, 1u);
}

TEST(ScoreboardPorts, InstructionsOfACycleShareThem) {
  ScoreboardPorts ports(6, 3);
  EXPECT_TRUE(issues(ports, {4, 1}, 10));
  EXPECT_FALSE(issues(ports, {3, 1}, 10)) << "two read ports are left";
  EXPECT_TRUE(issues(ports, {2, 1}, 10));
  EXPECT_FALSE(issues(ports, {1, 0}, 10));
  EXPECT_TRUE(issues(ports, {0, 1}, 10)) << "each kind for itself";
  EXPECT_FALSE(issues(ports, {0, 1}, 10));
  EXPECT_TRUE(issues(ports, {0, 0}, 10)) << "who needs none gets through";
  EXPECT_TRUE(issues(ports, {6, 3}, 11)) << "a new cycle";
  EXPECT_EQ(ports.reads(), 12u);
  EXPECT_EQ(ports.writes(), 6u);
}

TEST(ScoreboardPorts, ReleasesComeFirst) {
  ScoreboardPorts ports(6, 3);
  ports.release(2, 5);
  EXPECT_FALSE(ports.admits({1, 2}, 5));
  EXPECT_TRUE(issues(ports, {1, 1}, 5));
  EXPECT_FALSE(ports.admits({1, 1}, 5));
  EXPECT_TRUE(ports.admits({5, 0}, 5));
}

TEST(ScoreboardPorts, ReleasesBeyondTheirCycleTakePortsOfTheNext) {
  ScoreboardPorts ports(6, 3);
  ports.release(4, 5);
  ports.release(4, 5);
  EXPECT_FALSE(ports.admits({0, 1}, 6));
  EXPECT_FALSE(ports.admits({0, 2}, 7));
  EXPECT_TRUE(issues(ports, {0, 1}, 7));
  EXPECT_FALSE(ports.admits({0, 1}, 7));
  EXPECT_TRUE(ports.admits({0, 3}, 8));
  ports.release(1, 100);
  EXPECT_TRUE(ports.admits({0, 2}, 100)) << "ports that nobody took are not saved up";
  EXPECT_FALSE(ports.admits({0, 3}, 100));
}

TEST(ScoreboardPorts, WhoNeedsMoreThanThereAreTakesAllAndTheSurplusLater) {
  ScoreboardPorts ports(6, 3);
  EXPECT_TRUE(issues(ports, {1, 1}, 1));
  EXPECT_FALSE(ports.admits({5, 4}, 1)) << "not all write ports are free";
  EXPECT_TRUE(issues(ports, {5, 4}, 2));
  EXPECT_FALSE(ports.admits({5, 4}, 3)) << "one of the surplus";
  EXPECT_TRUE(issues(ports, {1, 2}, 3));
  EXPECT_TRUE(issues(ports, {13, 0}, 4));
  EXPECT_FALSE(ports.admits({1, 0}, 5));
  EXPECT_FALSE(ports.admits({6, 0}, 6));
  EXPECT_TRUE(ports.admits({5, 0}, 6));
}

TEST(ScoreboardPorts, KeptOnesGoToNobodyForTheRestOfTheCycle) {
  ScoreboardPorts ports(6, 0);
  ports.keep(3);
  EXPECT_FALSE(ports.admits({1, 0}, 3));
  EXPECT_TRUE(ports.admits({0, 5}, 3)) << "write ports are not limited";
  EXPECT_TRUE(ports.admits({6, 0}, 4));
}

TEST(ScoreboardPorts, ZeroIsAnyNumber) {
  ScoreboardPorts ports(0, 0);
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(issues(ports, {12, 4}, 7));
    ports.release(4, 7);
  }
  EXPECT_EQ(ports.reads(), 0u) << "and not counted";
}

// Compared with a list of the ports used in every cycle.
TEST(ScoreboardPorts, EqualACountOfEveryCycle) {
  std::mt19937 random(11);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (std::uint32_t count = 1; count <= 6; ++count) {
    ScoreboardPorts ports(count, 0);
    std::vector<std::uint32_t> taken(20'000, 0);
    std::uint64_t refused = 0;
    for (Cycle now = 0; now < 10'000; now += 1 + (below(4) == 0 ? below(9) : 0))
      for (std::uint32_t n = below(4); n != 0; --n) {
        const std::uint32_t need = below(9);
        const bool fits = need == 0 || taken[now] + std::min(need, count) <= count;
        ASSERT_EQ(ports.admits({need, 0}, now), fits) << count << " ports, cycle " << now;
        if (!fits) {
          ++refused;
          continue;
        }
        ports.take({need, 0}, now);
        Cycle at = now;
        for (std::uint32_t port = 0; port < need; ++port) {
          while (taken[at] == count) ++at;
          ++taken[at];
        }
      }
    EXPECT_GT(refused, 1'000u);
  }
}

TEST(ScoreboardPorts, AutoIsTheKindsOwn) {
  const ScoreboardConfig bits;
  EXPECT_EQ(bits.resolved_read_ports(), 0u);
  EXPECT_EQ(bits.resolved_write_ports(), 0u);
  const ScoreboardConfig masks{.kind = ScoreboardKind::kPerThreadMask};
  EXPECT_EQ(masks.resolved_read_ports(), 6u) << "[MultiPath] §7.5.6";
  EXPECT_EQ(masks.resolved_write_ports(), 3u);
  const ScoreboardConfig given{.kind = ScoreboardKind::kPerThreadMask, .read_ports = 0, .write_ports = 1};
  EXPECT_EQ(given.resolved_read_ports(), 0u);
  EXPECT_EQ(given.resolved_write_ports(), 1u);
}

TEST(ScoreboardPorts, AreAutoOrANumberInAConfiguration) {
  ScoreboardConfig config;
  const auto load = [&config](const std::string& text) {
    base::ConfigSource source;
    source.add_text(text, "ports.yaml");
    base::load_config(source, config);
  };
  load("read_ports: 4\nwrite_ports: 0\n");
  EXPECT_EQ(config.read_ports, 4u);
  EXPECT_EQ(config.write_ports, 0u);
  EXPECT_NE(base::write_config(config).find("read_ports: 4"), std::string::npos)
      << base::write_config(config);
  load("read_ports: auto\n");
  EXPECT_EQ(config.read_ports, ScoreboardConfig::kAutoPorts);
  EXPECT_NE(base::write_config(config).find("read_ports: auto"), std::string::npos);
  for (const char* wrong : {"read_ports: 17\n", "read_ports: many\n", "write_ports: -1\n"})
    EXPECT_THROW(load(wrong), base::InputError) << wrong;
}

TEST(ControlCodesConfig, WhatIsOfAnotherBlockIsRefused) {
  const auto refused = [](ScoreboardConfig config, const std::string& says) {
    try {
      config.validate();
      ADD_FAILURE() << says;
    } catch (const base::InputError& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    }
  };
  refused({.check_hazards = true}, "core.scoreboard.kind=control_codes");
  refused({.kind = ScoreboardKind::kControlCodes, .impl = sim::Implementation::kRtl}, "have no RTL");
  refused({.kind = ScoreboardKind::kControlCodes, .read_ports = 6},
          "core.scoreboard.read_ports: control codes have no");
  refused({.kind = ScoreboardKind::kControlCodes, .write_ports = 3},
          "core.scoreboard.write_ports: control codes have no");
  refused({.operand_read_cycles = 10}, "core.scoreboard.operand_read_cycles");
  ScoreboardConfig{.kind = ScoreboardKind::kControlCodes, .operand_read_cycles = 10}.validate();
  // rtx2060.yaml sets it for scoreboards of registers.
  ScoreboardConfig{.kind = ScoreboardKind::kControlCodes, .entries_per_warp = 64}.validate();
  ScoreboardConfig{.kind = ScoreboardKind::kControlCodes}.validate();
}

}  // namespace
}  // namespace heddle::core::scoreboard_ports_test
