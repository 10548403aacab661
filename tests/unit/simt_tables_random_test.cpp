// Random programs through AWARE and Multi-Path: every thread takes the path it takes alone, and the tables
// account for every lane at all times.
#include <gtest/gtest.h>

#include <ostream>
#include <random>

#include "simt_rig.h"
#include "simt_walk_program.h"

namespace heddle::simt {
namespace {

using Kind = WalkInstruction::Kind;

struct Case {
  const char* label;
  ControlFlowConfig config;
  bool slow_memory = false;  ///< transfers are refused at times and fills take their time
  bool barriers = true;      ///< Multi-Path with few paths may block all of them
};

void PrintTo(const Case& which, std::ostream* out) { *out << which.label; }

/// Runs programs on one branch unit with two warps.
class Walk {
 public:
  explicit Walk(const Case& which) : which_(which), rig_(which.config, kWarps, "rig"), random_(7) {
    if (which.slow_memory) rig_.accept = [this] { return random_() % 3 != 0; };
  }

  void run(std::uint64_t seed) {
    const WalkOptions options{.barriers = which_.barriers && seed % 2 == 0, .any_rpc = seed % 2 == 1};
    const WalkProgram program(seed, options);
    program_ = &program;
    threads_.assign(kWarps, {});
    std::vector<std::vector<WalkThread>> alone(kWarps);
    for (unsigned w = 0; w < kWarps; ++w) {
      for (unsigned lane = 0; lane < sim::kLanes; ++lane) {
        alone[w].emplace_back(program, w * sim::kLanes + lane);
        if (!alone[w].back().run(kMostSteps)) return;  // too long a walk
        threads_[w].emplace_back(program, w * sim::kLanes + lane);
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

  unsigned programs = 0;

 private:
  static constexpr unsigned kWarps = 2;
  static constexpr std::size_t kMostSteps = 1500;

  /// One instruction of some group, or something that happens to one.
  bool step() {
    ++rig_.cycle;
    rig_.tick(rig_.cycle);
    if (!rig_.fills.empty() && (!which_.slow_memory || random_() % 8 == 0)) rig_.fill();
    for (unsigned w = 0; w < kWarps; ++w)
      if (at_barrier_[w].any() && at_barrier_[w] == live_[w]) {
        BranchRequest r = rig_.event(BranchEvent::kBarrierRelease, GroupId{}, kNoPc);
        r.warp = WarpId{w};
        r.mask = at_barrier_[w];
        at_barrier_[w] = {};
        rig_.send(r);
        return true;
      }
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
    if (rig_.due == kNeverDue) return false;
    rig_.tick(rig_.due);
    return true;
  }

  void issue(GroupId id) {
    const unsigned w = id.value() / rig_.unit.groups_per_warp();
    const SimtRig::Group group = rig_.groups.at(id);
    const std::uint32_t pc = group.pc.value();
    const WalkInstruction& instruction = program_->code[pc];
    std::array<Pc, sim::kLanes> targets{};
    LaneMask taken;
    group.mask.for_each([&](unsigned lane) {
      std::uint32_t target = 0;
      if (threads_[w][lane].takes(pc, target)) taken |= LaneMask(1u << lane);
      threads_[w][lane].follow(pc, taken.test(lane));
      targets[lane] = Pc{target};
    });
    const Pc next{pc + 1};
    BranchRequest r = rig_.event(BranchEvent::kBranch, id, next);
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
        break;
      case Kind::kIndirect:
        break;
      case Kind::kCall:
        r.event = BranchEvent::kCall;
        break;
      case Kind::kReturn:
        r.event = BranchEvent::kReturn;
        r.lane_target = targets.data();
        break;
      case Kind::kExit:
        r.event = BranchEvent::kExit;
        r.mask = taken;
        live_[w] = LaneMask::difference(live_[w], taken);
        break;
    }
    // The core does not report what nobody does.
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
    for (const auto& [id, group] : rig_.groups)
      if (id.value() / rig_.unit.groups_per_warp() == warp.value() &&
          (group.hold == Hold::kEverything || (group.blocked && group.cause == BlockCause::kTables)))
        return;  // lanes may be in buffers
    const nlohmann::ordered_json table = rig_.table(warp);
    LaneMask seen;
    const auto once = [&](LaneMask lanes) {
      EXPECT_TRUE((seen & lanes).none()) << "a lane is in two places\n" << table.dump();
      seen |= lanes;
    };
    std::map<std::uint32_t, LaneMask> below;  // by point, the lanes that are on the way to it
    unsigned physical = 0;
    for (const auto& row : table.at("st")) {
      EXPECT_TRUE(mask_in(row, "mask").any());
      once(mask_in(row, "mask"));
      if (row.at("rindex").is_number()) below[row.at("rindex").get<std::uint32_t>()] |= mask_in(row, "mask");
      if (!row.contains("virtual")) ++physical;
    }
    EXPECT_LE(physical, which_.config.mechanism == Mechanism::kAware ? which_.config.aware.st_entries : 32u);
    physical = 0;
    for (const auto& row : table.at("rt")) {
      const LaneMask rec = mask_in(row, "rec");
      const LaneMask pend = mask_in(row, "pend");
      EXPECT_TRUE(rec.contains(pend) && pend.any()) << table.dump();
      once(LaneMask::difference(rec, pend));
      if (row.at("rindex").is_number()) below[row.at("rindex").get<std::uint32_t>()] |= rec;
      if (!row.contains("virtual")) ++physical;
    }
    EXPECT_LE(physical, which_.config.mechanism == Mechanism::kAware ? which_.config.aware.rt_entries : 32u);
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
      if (id.value() / rig_.unit.groups_per_warp() != warp.value()) continue;
      EXPECT_TRUE(std::any_of(table.at("st").begin(), table.at("st").end(), [&](const auto& row) {
        return mask_in(row, "mask") == group.mask;
      })) << "a group that is no split";
    }
  }

  Case which_;
  SimtRig rig_;
  std::mt19937_64 random_;
  const WalkProgram* program_ = nullptr;
  std::vector<std::vector<WalkThread>> threads_;  ///< by warp and lane
  std::array<LaneMask, kWarps> live_;
  std::array<LaneMask, kWarps> launched_;
  std::array<LaneMask, kWarps> at_barrier_;
};

Case aware_case(const char* label, std::uint32_t splits, std::uint32_t points, std::uint32_t timeout,
                bool slow = true, FirstSide first = FirstSide::kAuto,
                TableVictim victim = TableVictim::kLeastRecent) {
  Case result{label, aware(), slow, true};
  result.config.aware.st_entries = splits;
  result.config.aware.rt_entries = points;
  result.config.aware.rt_victim = victim;
  result.config.timeout = {timeout, timeout == 0 ? 1u : 7u};
  result.config.first_side = first;
  return result;
}
Case path_case(const char* label, std::uint32_t paths, bool opportunistic, std::uint32_t timeout = 0,
               FirstSide first = FirstSide::kAuto) {
  Case result{label, multi_path(paths, opportunistic), false, paths == 32};
  result.config.timeout = {timeout, 1};
  result.config.first_side = first;
  return result;
}

class RandomWalk : public ::testing::TestWithParam<Case> {};

TEST_P(RandomWalk, EveryThreadTakesItsOwnPath) {
  constexpr std::uint64_t kPrograms = 100;
  Walk walk(GetParam());
  for (std::uint64_t seed = 1; seed <= kPrograms && !HasFailure(); ++seed) walk.run(seed);
  EXPECT_GT(walk.programs, kPrograms / 2) << "the generator makes too many long walks";
  // What the case is there for has happened.
  EXPECT_GT(walk.count("divergences"), kPrograms);
  EXPECT_GT(walk.count("reconvergences"), kPrograms);
  EXPECT_GT(walk.count("calls"), kPrograms);
  const ControlFlowConfig& config = GetParam().config;
  if (config.timeout.cycles != 0) {
    EXPECT_GT(walk.count("timeouts"), kPrograms);
  }
  if (config.mechanism == Mechanism::kAware && config.aware.st_entries < 32) {
    EXPECT_GT(walk.count("spills.split"), kPrograms);
  }
  if (config.mechanism == Mechanism::kAware && config.aware.rt_entries < 32) {
    EXPECT_GT(walk.count("spills.reconvergence"), kPrograms);
  }
  if (config.mechanism == Mechanism::kMultiPath && config.multi_path.opportunistic_reconvergence &&
      config.multi_path.paths > 1) {
    EXPECT_GT(walk.count("early_points"), 0u);
    EXPECT_GT(walk.count("merged_splits"), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    On, RandomWalk,
    ::testing::Values(
        aware_case("aware", 32, 32, 0), aware_case("aware_taken_first", 32, 32, 0, false, FirstSide::kTaken),
        aware_case("aware_smaller_first", 32, 32, 0, false, FirstSide::kSmaller),
        aware_case("aware_timeout", 32, 32, 20), aware_case("aware_virtual_1_1", 1, 1, 0),
        aware_case("aware_virtual_1_1_fast", 1, 1, 0, false), aware_case("aware_virtual_4_2", 4, 2, 0),
        aware_case("aware_virtual_6_4", 6, 4, 0), aware_case("aware_virtual_32_1", 32, 1, 0),
        aware_case("aware_virtual_1_32", 1, 32, 0),
        aware_case("aware_virtual_4_2_mru", 4, 2, 0, true, FirstSide::kAuto, TableVictim::kMostRecent),
        aware_case("aware_virtual_1_1_timeout", 1, 1, 15), aware_case("aware_virtual_4_2_timeout", 4, 2, 30),
        path_case("multi_path_1", 1, false), path_case("multi_path_2", 2, false),
        path_case("multi_path_4", 4, false), path_case("multi_path_6", 6, false),
        path_case("multi_path_8", 8, false), path_case("multi_path_32", 32, false),
        path_case("multi_path_1_orec", 1, true), path_case("multi_path_2_orec", 2, true),
        path_case("multi_path_4_orec", 4, true), path_case("multi_path_6_orec", 6, true),
        path_case("multi_path_8_orec", 8, true), path_case("multi_path_32_orec", 32, true),
        path_case("multi_path_32_timeout", 32, false, 20),
        path_case("multi_path_32_orec_timeout", 32, true, 20),
        path_case("multi_path_4_orec_timeout", 4, true, 10, FirstSide::kSmaller)),
    [](const auto& each) { return std::string(each.param.label); });

}  // namespace
}  // namespace heddle::simt
