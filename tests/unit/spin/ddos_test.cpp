// DDOS' history of a warp: worked examples [DDOS/BOWS:G12] to [DDOS/BOWS:G14], and what [DDOS/BOWS:S3] to
// [DDOS/BOWS:S7] add.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "sim/block_socket.h"
#include "spin/spin_hash.h"
#include "spin/warp_history.h"

namespace heddle::spin::ddos_test {
namespace {

using ::testing::ElementsAre;

DdosConfig config_of(HashFunction function, std::uint32_t bits, std::uint32_t length = 8) {
  DdosConfig config;
  config.hash = function;
  config.path_bits = bits;
  config.value_bits = bits;
  config.length = length;
  return config;
}

/// A history that is given what a lane compares, hashed as configured.
class Lane {
 public:
  explicit Lane(const DdosConfig& config) : config_(config), history_(config) {}
  Lane& setp(std::uint32_t pc, std::uint64_t a, std::uint64_t b) {
    history_.insert(hash(config_.hash, pc, config_.path_bits),
                    {hash(config_.hash, a, config_.value_bits), hash(config_.hash, b, config_.value_bits)});
    if (history_.state() == SpinState::kSpin) ++spins;
    return *this;
  }
  [[nodiscard]] bool spinning() const { return history_.state() == SpinState::kSpin; }
  /// "2 7 | 00 10 | MP 1 | search": paths, values, match pointer, and state or remaining count.
  [[nodiscard]] std::string show() const {
    std::string paths, values;
    const auto digit = [](std::uint32_t value) { return "0123456789ABCDEF"[value & 15]; };
    for (const WarpHistory::Entry& entry : history_.entries()) {
      paths += std::string(paths.empty() ? "" : " ") + digit(entry.path);
      values += std::string(values.empty() ? "" : " ") + digit(entry.values[0]) + digit(entry.values[1]);
    }
    const char* const state = history_.state() == SpinState::kSpin      ? "SPIN"
                              : history_.state() == SpinState::kConfirm ? "match"
                                                                        : "search";
    const std::string remaining =
        history_.remaining() == WarpHistory::kNoCount ? "-" : std::to_string(history_.remaining());
    return paths + " | " + values + " | MP " + std::to_string(history_.match_pointer()) + " | " + remaining +
           " | " + state;
  }
  unsigned spins = 0;

 private:
  DdosConfig config_;
  WarpHistory history_;
};

// The lock loop of Fig 6.6a: setps at 0x038 and 0x090, start 0x000, 8 bytes an instruction.
constexpr std::uint32_t kLockSetp = 0x038 / 8;
constexpr std::uint32_t kLoopSetp = 0x090 / 8;

TEST(Golden, G12_BusyWait) {
  Lane lane(config_of(HashFunction::kModulo, 4));
  EXPECT_EQ(lane.setp(kLockSetp, 1, 0).show(), "7 | 10 | MP 0 | - | search");
  EXPECT_EQ(lane.setp(kLoopSetp, 0, 0).show(), "2 7 | 00 10 | MP 1 | - | search");
  EXPECT_EQ(lane.setp(kLockSetp, 1, 0).show(), "7 2 7 | 10 00 10 | MP 2 | 1 | match");
  EXPECT_EQ(lane.setp(kLoopSetp, 0, 0).show(), "2 7 2 7 | 00 10 00 10 | MP 2 | 0 | SPIN");
  EXPECT_EQ(lane.setp(kLockSetp, 0, 0).show(), "7 2 7 2 7 | 00 00 10 00 10 | MP 0 | - | search");
}

TEST(Golden, G12_BusyWaitByXor) {
  EXPECT_EQ(hash(HashFunction::kXor, kLockSetp, 8), 0x07u);
  EXPECT_EQ(hash(HashFunction::kXor, kLoopSetp, 8), 0x12u);
  Lane lane(config_of(HashFunction::kXor, 8));
  lane.setp(kLockSetp, 1, 0).setp(kLoopSetp, 0, 0).setp(kLockSetp, 1, 0);
  EXPECT_FALSE(lane.spinning());
  EXPECT_TRUE(lane.setp(kLoopSetp, 0, 0).spinning());
  EXPECT_FALSE(lane.setp(kLockSetp, 0, 0).spinning());
}

TEST(Golden, G12_ResetByTheThesisFindsTheLoopOneSetpEarlier) {
  const auto setps_until_spin = [](std::uint32_t front_after_mismatch) {
    DdosConfig config = config_of(HashFunction::kXor, 8);
    config.front_after_mismatch = front_after_mismatch;
    Lane lane(config);
    for (int i = 0; i < 4; ++i) lane.setp(1 + i % 2, 5, 0);
    EXPECT_TRUE(lane.spinning());
    lane.setp(1, 9, 0);  // mismatch: the loop goes on with another value
    unsigned count = 0;
    do lane.setp(1 + ++count % 2, 9, 0);
    while (!lane.spinning());
    return count;
  };
  EXPECT_EQ(setps_until_spin(0), setps_until_spin(1) + 1);
}

TEST(Golden, G13_RegularLoop) {
  // k-means' copy loop: r20 rises before the setp at 0x058, the bound is 14.
  EXPECT_EQ(hash(HashFunction::kModulo, 0x058 / 8, 4), 0xBu);
  Lane lane(config_of(HashFunction::kModulo, 4));
  EXPECT_EQ(lane.setp(0x058 / 8, 1, 14).show(), "B | 1E | MP 0 | - | search");
  EXPECT_EQ(lane.setp(0x058 / 8, 2, 14).show(), "B B | 2E 1E | MP 1 | - | search");
  EXPECT_EQ(lane.setp(0x058 / 8, 3, 14).show(), "B B B | 3E 2E 1E | MP 2 | - | search");
  for (unsigned i = 4; i < 1000; ++i) lane.setp(0x058 / 8, i, 14);
  EXPECT_EQ(lane.spins, 0u);  // wraps every 16 setps, and the match pointer never stands at 16
}

TEST(Golden, G14_StepOf256) {
  Lane modulo(config_of(HashFunction::kModulo, 8));
  modulo.setp(1, 0, 1u << 30).setp(1, 256, 1u << 30);
  EXPECT_TRUE(modulo.spinning());
  Lane folded(config_of(HashFunction::kXor, 8));
  for (std::uint32_t i = 0; i < 20000; ++i) folded.setp(1, i * 256, 1u << 30);
  EXPECT_EQ(folded.spins, 0u);
}

TEST(Ddos, XorHasBlindSpotsOfItsOwn) {
  const auto spins = [](std::uint32_t step) {
    Lane lane(config_of(HashFunction::kXor, 8));
    for (std::uint32_t i = 0; i < 20000; ++i) lane.setp(1, static_cast<std::uint32_t>(i * step), 0x7fffffff);
    return lane.spins;
  };
  EXPECT_EQ(spins(255), 3724u);
  EXPECT_EQ(spins(257), 2812u);
  EXPECT_EQ(spins(65792), 2812u);
  EXPECT_EQ(spins(0x01010101), 2776u);
}

TEST(Ddos, FindsLoopsOfUpToLengthMinusTwoSetps) {
  for (const std::uint32_t length : {1u, 2u, 3u, 4u, 8u, 12u})
    for (std::uint32_t period = 1; period <= length + 2; ++period) {
      Lane lane(config_of(HashFunction::kXor, 8, length));
      std::uint32_t first = 0;
      for (std::uint32_t i = 1; i <= 40 * length && first == 0; ++i)
        if (lane.setp(i % period, 3, 4).spinning()) first = i;
      if (length >= 3 && period <= length - 2)
        EXPECT_EQ(first, 2 * period) << "length " << length;
      else
        EXPECT_EQ(first, 0u) << "length " << length << " period " << period;
    }
}

TEST(Ddos, FindsALoopFromAnyAlignment) {
  // A loop of six setps is found after at most 2 * 6 + 7 of them, whatever came before.
  std::mt19937 random(11);
  for (unsigned before = 0; before < 200; ++before) {
    Lane lane(config_of(HashFunction::kXor, 8));
    for (unsigned i = 0; i < before; ++i) lane.setp(100 + i % 3, random() % 4096, 9);
    unsigned setps = 0;
    while (!lane.setp(setps % 6, 1, 2).spinning()) ASSERT_LT(++setps, 2u * 6 + 7) << before;
  }
}

TEST(Ddos, ReducedConditionsLookLikeSpinning) {
  Lane lane(config_of(HashFunction::kXor, 8));
  for (unsigned i = 0; i < 100; ++i) lane.setp(1, i % 10 == 0 ? 1 : 0, 0);
  EXPECT_GT(lane.spins, 0u);  // [DDOS/BOWS] §6.5.2: the known blind spot of any hash
}

// ---- The unit: lanes, sharing, what is visible when

class Unit : public sc_core::sc_module {
 public:
  Unit(const DdosConfig& config, Timing timing, std::uint32_t warps = 4,
       const sc_core::sc_module_name& name = "bench")
      : sc_module(name), unit_("unit", config, timing, warps, stats) {
    isock_.bind(unit_.history_tsock);
    reset_isock_.bind(unit_.reset_tsock);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  /// A setp of lanes `exec`, whose values are the lane's number and `value`; the lane that was recorded.
  unsigned setp(std::uint32_t warp, LaneMask exec, Cycle cycle, std::uint32_t pc = 1,
                std::uint64_t value = 0) {
    HistoryRequest request;
    request.op = HistoryRequest::Op::kLane;
    request.warp = WarpId{warp};
    request.exec = exec;
    request.cycle = cycle;
    isock_.call(request);
    if (request.lane == HistoryRequest::kNoLane) return request.lane;
    request.op = HistoryRequest::Op::kInsert;
    request.pc = Pc{pc};
    request.values = {request.lane, value};
    isock_.call(request);
    return request.lane;
  }
  bool spins(std::uint32_t warp, Cycle cycle) {
    HistoryRequest look;
    look.op = HistoryRequest::Op::kLook;
    look.warp = WarpId{warp};
    look.cycle = cycle;
    isock_.call(look);
    return look.spinning;
  }
  void reset(std::uint32_t warp) {
    HistoryRequest request;
    request.op = HistoryRequest::Op::kReset;
    request.warp = WarpId{warp};
    reset_isock_.call(request);
  }
  base::StatGroup stats;

 private:
  WarpHistoryUnit unit_;
  sim::BlockInitiator<HistoryProtocol> isock_{"isock"};
  sim::BlockInitiator<HistoryProtocol> reset_isock_{"reset_isock"};
};

TEST(WarpHistoryUnit, TwoDisjointSetsOfLanesHideALoopFromAStickyLane) {
  Unit unit(DdosConfig{}, Timing::kIdeal);
  unsigned detected = 0;
  for (Cycle i = 0; i < 200; ++i) {
    unit.setp(0, LaneMask(0x0000ffff), 2 * i);
    unit.setp(0, LaneMask(0xffff0000), 2 * i + 1);
    detected += unit.spins(0, 2 * i + 1) ? 1 : 0;
  }
  EXPECT_EQ(detected, 0u);
}

TEST(WarpHistoryUnit, TheFirstLaneOfEachSetpShowsIt) {
  DdosConfig config;
  config.profile = Profile::kFirst;
  Unit unit(config, Timing::kIdeal);
  unsigned detected = 0;
  for (Cycle i = 0; i < 200; ++i) {
    unit.setp(0, LaneMask(0x0000ffff), 2 * i);
    unit.setp(0, LaneMask(0xffff0000), 2 * i + 1);
    detected += unit.spins(0, 2 * i + 1) ? 1 : 0;
  }
  EXPECT_EQ(detected, 199u);
}

TEST(WarpHistoryUnit, AStickyLaneThatIsInactiveClearsTheHistory) {
  Unit unit(DdosConfig{}, Timing::kIdeal);
  EXPECT_EQ(unit.setp(1, LaneMask(0xc), 0), 2u);
  EXPECT_EQ(unit.setp(1, LaneMask(0x6), 1), 2u);
  EXPECT_TRUE(unit.spins(1, 1));
  EXPECT_EQ(unit.setp(1, LaneMask(0x8), 2), 3u);
  EXPECT_FALSE(unit.spins(1, 2));
  EXPECT_EQ(unit.stats.count("lane_changes"), 1u);
}

TEST(WarpHistoryUnit, ALaneForGoodSkipsWhatItDoesNotTakePartIn) {
  DdosConfig config;
  config.profile = Profile::kSkip;
  Unit unit(config, Timing::kIdeal);
  EXPECT_EQ(unit.setp(0, LaneMask(0x4), 0), 2u);
  EXPECT_EQ(unit.setp(0, LaneMask(0x2), 1), HistoryRequest::kNoLane);
  EXPECT_EQ(unit.setp(0, LaneMask(0x6), 2), 2u);
  EXPECT_TRUE(unit.spins(0, 2));
  EXPECT_EQ(unit.stats.count("not_recorded"), 1u);
}

TEST(WarpHistoryUnit, WarpsDoNotSeeEachOtherAndStartEmpty) {
  Unit unit(DdosConfig{}, Timing::kIdeal);
  unit.setp(0, LaneMask::all(), 0);
  unit.setp(1, LaneMask::all(), 1);
  unit.setp(0, LaneMask::all(), 2);
  EXPECT_TRUE(unit.spins(0, 2));
  EXPECT_FALSE(unit.spins(1, 2));
  unit.reset(0);
  EXPECT_FALSE(unit.spins(0, 3));
  unit.setp(0, LaneMask::all(), 4);
  EXPECT_FALSE(unit.spins(0, 4));
}

TEST(WarpHistoryUnit, UnderContractTheStateShowsTwoClocksLater) {
  Unit unit(DdosConfig{}, Timing::kContract);
  unit.setp(0, LaneMask::all(), 10);
  unit.setp(0, LaneMask::all(), 11);  // spinning
  EXPECT_FALSE(unit.spins(0, 11));
  EXPECT_FALSE(unit.spins(0, 12));
  EXPECT_TRUE(unit.spins(0, 13));
  unit.setp(0, LaneMask::all(), 20, 1, 5);  // not any longer
  EXPECT_TRUE(unit.spins(0, 21));
  EXPECT_FALSE(unit.spins(0, 22));
}

TEST(WarpHistoryUnit, ASharedHistoryMovesOnToAnotherWarp) {
  DdosConfig config;
  config.time_share_cycles = 100;
  Unit unit(config, Timing::kIdeal);
  unit.setp(0, LaneMask::all(), 0);
  unit.setp(0, LaneMask::all(), 1);
  EXPECT_TRUE(unit.spins(0, 1));
  EXPECT_FALSE(unit.spins(1, 1));
  EXPECT_EQ(unit.setp(1, LaneMask::all(), 99), HistoryRequest::kNoLane);
  EXPECT_TRUE(unit.spins(0, 99));
  EXPECT_EQ(unit.setp(1, LaneMask::all(), 100), 0u);  // takes it over, empty
  EXPECT_FALSE(unit.spins(0, 100));
  EXPECT_FALSE(unit.spins(1, 100));
  unit.setp(1, LaneMask::all(), 101);
  EXPECT_TRUE(unit.spins(1, 101));
  EXPECT_EQ(unit.setp(0, LaneMask::all(), 150), HistoryRequest::kNoLane);
}

TEST(WarpHistoryUnit, WideValuesAreFoldedOrCut) {
  for (const WideValues wide : {WideValues::kFold, WideValues::kLow}) {
    DdosConfig config;
    config.wide_values = wide;
    // Two values that differ above bit 31 only.
    const std::uint64_t first = 1, second = (std::uint64_t{5} << 32) | 1;
    const auto hashed = [&](std::uint64_t value) {
      return hash(config.hash, wide == WideValues::kLow ? value & 0xffffffffu : value, 8);
    };
    EXPECT_EQ(hashed(first) == hashed(second), wide == WideValues::kLow);
  }
}

TEST(SpinHash, FoldsAllSlices) {
  EXPECT_EQ(hash(HashFunction::kXor, 0x12345678, 8), 0x12u ^ 0x34 ^ 0x56 ^ 0x78);
  EXPECT_EQ(hash(HashFunction::kXor, 0x12345678, 3), 0u ^ 7 ^ 1 ^ 3 ^ 5 ^ 0 ^ 5 ^ 1 ^ 2 ^ 2);
  EXPECT_EQ(hash(HashFunction::kModulo, 0x12345678, 4), 8u);
  EXPECT_EQ(hash(HashFunction::kXor, 0xffffffff, 32), 0xffffffffu);
}

}  // namespace
}  // namespace heddle::spin::ddos_test
