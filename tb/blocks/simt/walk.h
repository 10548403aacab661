// Runs random programs of control flow on a branch unit: every thread takes the path it takes alone, and the
// tables account for every lane at all times.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <random>

#include "blocks/simt/rig.h"
#include "blocks/simt/walk_program.h"

namespace heddle::simt {

struct WalkCase {
  const char* label;
  ControlFlowConfig config;
  bool slow_memory = false;  ///< transfers are sometimes refused and fills take time
  bool barriers = true;      ///< Multi-Path with few paths may block all of them
};

inline void PrintTo(const WalkCase& which, std::ostream* out) { *out << which.label; }

/// Runs programs on one branch unit with two warps.
class Walk {
 public:
  explicit Walk(const WalkCase& which, sim::Twins* twins = nullptr)
      : which_(which), rig_(which.config, kWarps, "rig", twins), random_(7) {
    if (which.slow_memory) rig_.accept = [this] { return random_() % 3 != 0; };
  }

  void run(std::uint64_t seed) {
    const WalkOptions options{.barriers = which_.barriers && seed % 2 == 0, .any_rpc = seed % 2 == 1};
    const WalkProgram program(seed, options);
    program_ = &program;
    threads_.assign(kWarps, {});
    std::vector<std::vector<WalkThread>> alone(kWarps);
    for (unsigned w = 0; w < kWarps; ++w) {
      for (unsigned lane = 0; lane < base::kLanes; ++lane) {
        alone[w].emplace_back(program, w * base::kLanes + lane);
        if (!alone[w].back().run(kMostSteps)) return;  // too long a walk
        threads_[w].emplace_back(program, w * base::kLanes + lane);
      }
      live_[w] = seed % 3 == 0 ? LaneMask(static_cast<std::uint32_t>(random_()) | 1u) : LaneMask::all();
      launched_[w] = live_[w];
      at_barrier_[w] = {};
      rig_.launch('A', live_[w], WarpId{w});
    }
    ++programs;
    std::size_t steps = 0;
    while (!rig_.groups.empty()) {
      if (!step()) {
        ADD_FAILURE() << which_.label << ": nothing can go on, program " << seed << "\n"
                      << rig_.table(WarpId{0}).dump() << "\n"
                      << rig_.table(WarpId{1}).dump();
        return;
      }
      if (++steps % 32 == 0) check();
      if (::testing::Test::HasFailure()) {
        ADD_FAILURE() << which_.label << ": program " << seed << " after " << steps << " steps";
        return;
      }
    }
    while (rig_.unit.traits().clocked && rig_.due != kNever) rig_.tick(rig_.due);  // the last exits
    for (unsigned w = 0; w < kWarps; ++w) {
      EXPECT_TRUE(live_[w].none());
      const nlohmann::ordered_json table = rig_.table(WarpId{w});
      EXPECT_TRUE(table.at("st").empty() && table.at("rt").empty()) << table.dump();
      launched_[w].for_each([&, w](unsigned lane) {
        EXPECT_EQ(threads_[w][lane].trace(), alone[w][lane].trace())
            << which_.label << ": program " << seed << ", lane " << lane;
      });
    }
    EXPECT_TRUE(rig_.fills.empty());
  }

  [[nodiscard]] std::uint64_t count(const char* statistic) const {
    return rig_.stats.count(std::string("unit.") + statistic);
  }
  [[nodiscard]] nlohmann::ordered_json statistics() const { return rig_.stats.to_json(); }

  unsigned programs = 0;

 private:
  using Kind = WalkInstruction::Kind;
  static constexpr unsigned kWarps = 2;
  static constexpr std::size_t kMostSteps = 1500;
  static constexpr Cycle kMostClocks = 16;  ///< of a clocked unit's event, about

  /// One instruction of some group, or an event that affects one.
  bool step() {
    ++rig_.cycle;
    rig_.tick(rig_.cycle);
    if (!rig_.fills.empty() && (!which_.slow_memory || random_() % 8 == 0)) rig_.fill();
    for (unsigned w = 0; w < kWarps; ++w)
      if (at_barrier_[w].any() && at_barrier_[w] == live_[w]) {
        ControlFlowRequest r = rig_.event(ControlFlowEvent::kBarrierRelease, GroupId{}, kNoPc);
        r.warp = WarpId{w};
        r.mask = at_barrier_[w];
        at_barrier_[w] = {};
        rig_.send(r);
        return true;
      }
    if (rig_.busy != 0) return true;
    std::vector<GroupId> able;
    for (const auto& [id, group] : rig_.groups) {
      if (group.blocked || group.hold == Hold::kEverything) continue;
      if (group.hold == Hold::kBranches && program_->code[group.pc.value()].kind != Kind::kOperation)
        continue;
      able.push_back(id);
    }
    if (!able.empty()) {
      issue(able[random_() % able.size()]);
      return true;
    }
    if (!rig_.fills.empty()) {
      rig_.fill();
      return true;
    }
    if (rig_.due == kNever) return false;
    rig_.tick(rig_.due);
    return true;
  }

  void issue(GroupId id) {
    const unsigned w = id.value() / rig_.unit.traits().groups_per_warp;
    const SimtRig::Group group = rig_.groups.at(id);
    const std::uint32_t pc = group.pc.value();
    const WalkInstruction& instruction = program_->code[pc];
    std::array<Pc, base::kLanes> targets{};
    LaneMask taken;
    group.mask.for_each([&](unsigned lane) {
      std::uint32_t target = 0;
      if (threads_[w][lane].takes(pc, target)) taken |= LaneMask(1u << lane);
      threads_[w][lane].follow(pc, taken.test(lane));
      targets[lane] = Pc{target};
    });
    const Pc next{pc + 1};
    ControlFlowRequest r = rig_.event(Transfer::kJump, id, next);
    r.taken = taken;
    r.rpc = instruction.rpc;
    if (instruction.targets.size() == 1)
      r.target = Pc{targets[taken.any() ? taken.lowest() : 0]};
    else
      r.lane_target = targets.data();
    switch (instruction.kind) {
      case Kind::kOperation:
        rig_.go(id, next);
        return;
      case Kind::kBarrier:
        at_barrier_[w] |= group.mask;
        rig_.barrier(id, next);
        return;
      case Kind::kBranch:
      case Kind::kIndirect:
        break;
      case Kind::kCall:
        r.set(Transfer::kCall);
        break;
      case Kind::kReturn:
        r.set(Transfer::kReturn);
        r.lane_target = targets.data();
        break;
      case Kind::kExit:
        r.event = ControlFlowEvent::kExit;
        r.mask = taken;
        live_[w] = LaneMask::difference(live_[w], taken);
        break;
    }
    // The core does not report events without lanes.
    if (taken.none() && instruction.kind != Kind::kBranch)
      rig_.go(id, next);
    else
      rig_.send(r);
  }

  LaneMask mask_in(const nlohmann::ordered_json& row, const char* key) { return mask(row.at(key)); }

  void check() {
    for (unsigned w = 0; w < kWarps; ++w) check(WarpId{w});
  }
  void check(WarpId warp) {
    const bool clocked = rig_.unit.traits().clocked;
    bool there = false;
    for (const auto& [id, group] : rig_.groups) {
      if (id.value() / rig_.unit.traits().groups_per_warp != warp.value()) continue;
      there = true;
      // Lanes may be in buffers; an event may wait to be served.
      if (group.hold == Hold::kEverything || (group.blocked && group.cause != BlockCause::kBarrier)) return;
    }
    if (clocked && !there) return;  // the exit of the last lanes may wait
    // Spilled tables: what the unit has done by itself may have put lanes into buffers, which the core hears of with the answer.
    const bool spills = rig_.unit.traits().spill_bytes_per_warp != 0;
    if (clocked && spills && rig_.due <= rig_.cycle + kMostClocks) return;
    const nlohmann::ordered_json table = rig_.table(warp);
    LaneMask seen;
    const auto once = [&](LaneMask lanes) {
      EXPECT_TRUE((seen & lanes).none()) << "a lane is in two places\n" << table.dump();
      seen |= lanes;
    };
    std::map<std::uint32_t, LaneMask> below;  // by point: the lanes that will reach it
    unsigned physical = 0;
    for (const auto& row : table.at("st")) {
      EXPECT_TRUE(mask_in(row, "mask").any());
      once(mask_in(row, "mask"));
      if (row.at("rindex").is_number()) below[row.at("rindex").get<std::uint32_t>()] |= mask_in(row, "mask");
      if (!row.contains("virtual")) ++physical;
    }
    EXPECT_LE(physical,
              which_.config.mechanism == Aware::kName ? which_.config.get<AwareConfig>().st_entries : 32u);
    physical = 0;
    for (const auto& row : table.at("rt")) {
      const LaneMask rec = mask_in(row, "rec");
      const LaneMask pend = mask_in(row, "pend");
      EXPECT_TRUE(rec.contains(pend) && pend.any()) << table.dump();
      once(LaneMask::difference(rec, pend));
      if (row.at("rindex").is_number()) below[row.at("rindex").get<std::uint32_t>()] |= rec;
      if (!row.contains("virtual")) ++physical;
    }
    EXPECT_LE(physical,
              which_.config.mechanism == Aware::kName ? which_.config.get<AwareConfig>().rt_entries : 32u);
    for (const auto& row : table.at("rt"))
      EXPECT_EQ(below[row.at("id").get<std::uint32_t>()], mask_in(row, "pend"))
          << "lanes that are expected and those that come differ\n"
          << table.dump();
    EXPECT_EQ(below.size(), table.at("rt").size()) << table.dump();
    EXPECT_EQ(seen, live_[warp.value()]) << table.dump();
    if (table.contains("fifo")) {
      EXPECT_EQ(table.at("fifo").size(), table.at("st").size());
    }
    for (const auto& [id, group] : rig_.groups) {
      if (id.value() / rig_.unit.traits().groups_per_warp != warp.value()) continue;
      if (clocked && group.blocked) continue;  // may have been let go on
      const LaneMask lanes = group.mask;       // Clang before 16 captures no structured binding
      EXPECT_TRUE(std::any_of(table.at("st").begin(), table.at("st").end(), [&](const auto& row) {
        return mask_in(row, "mask") == lanes;
      })) << "a group that is no split";
    }
  }

  WalkCase which_;
  SimtRig rig_;
  std::mt19937_64 random_;
  const WalkProgram* program_ = nullptr;
  std::vector<std::vector<WalkThread>> threads_;  ///< by warp and lane
  std::array<LaneMask, kWarps> live_;
  std::array<LaneMask, kWarps> launched_;
  std::array<LaneMask, kWarps> at_barrier_;
};

inline WalkCase aware_case(const char* label, std::uint32_t splits, std::uint32_t points,
                           std::uint32_t timeout, bool slow = true, FirstSide first = FirstSide::kAuto,
                           TableVictim victim = TableVictim::kLeastRecent) {
  WalkCase result{label, aware(), slow, true};
  result.config.get<AwareConfig>().st_entries = splits;
  result.config.get<AwareConfig>().rt_entries = points;
  result.config.get<AwareConfig>().rt_victim = victim;
  result.config.get<TimeoutConfig>() = {timeout, timeout == 0 ? 1u : 7u};
  result.config.first_side = first;
  return result;
}
inline WalkCase path_case(const char* label, std::uint32_t paths, bool opportunistic,
                          std::uint32_t timeout = 0, FirstSide first = FirstSide::kAuto) {
  WalkCase result{label, multi_path(paths, opportunistic), false, paths == 32};
  result.config.get<TimeoutConfig>() = {timeout, 1};
  result.config.first_side = first;
  return result;
}

}  // namespace heddle::simt
