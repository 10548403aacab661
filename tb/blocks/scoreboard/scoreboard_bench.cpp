// The scoreboard through its socket, as model, as RTL and as both.
#include "cosim/lockstep_bench.h"
// verilated headers first: pin_driver.h
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/issue/scoreboard.h"
#include "cosim/twins.h"

namespace heddle::scoreboard_bench {
namespace {

using base::LaneMask;
using base::WarpId;
using core::Hazard;
using core::ScoreboardConfig;
using core::ScoreboardKind;
using core::ScoreboardRequest;
using isa::Opcode;
using sim::Implementation;
using ::testing::HasSubstr;
using Op = ScoreboardRequest::Op;
using Registers = std::initializer_list<isa::RegId>;

constexpr std::uint32_t kWarps = 48;

isa::Instruction instruction(Registers reads, Registers writes, Opcode op = Opcode::kLane) {
  isa::Instruction i;
  i.op = op;
  i.register_signature = 0;
  for (const isa::RegId r : reads) i.reads.at(i.read_count++) = r;
  for (const isa::RegId w : writes) i.writes.at(i.write_count++) = w;
  for (const auto* list : {&reads, &writes})
    for (const isa::RegId r : *list) i.register_signature |= std::uint64_t{1} << (r % 64);
  return i;
}

/// Lanes, MSB first; the rightmost is lane 0.
LaneMask mask(const char* lanes) {
  return LaneMask(static_cast<std::uint32_t>(std::strtoul(lanes, nullptr, 2)));
}

/// The scoreboard and its user.
struct Rig : sc_core::sc_module {
  Rig(const sc_core::sc_module_name& name, const ScoreboardConfig& config, std::uint32_t warps = kWarps)
      : sc_module(name) {
    cosim::provide_twins(twins);
    scoreboard = std::make_unique<core::Scoreboard>("scoreboard", config, warps, stats, &twins);
    isock.bind(scoreboard->scoreboard_tsock);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  Hazard call(Op op, WarpId of, const isa::Instruction& i, LaneMask lanes) {
    ScoreboardRequest request{.op = op, .warp = of, .mask = lanes, .instruction = &i};
    isock.call(request);
    return request.hazard;
  }
  Hazard check(const isa::Instruction& i, LaneMask lanes = LaneMask::all()) {
    return call(Op::kCheck, warp, i, lanes);
  }
  void reserve(const isa::Instruction& i, LaneMask lanes = LaneMask::all()) {
    call(Op::kReserve, warp, i, lanes);
  }
  void release(const isa::Instruction& i, LaneMask lanes = LaneMask::all()) {
    call(Op::kRelease, warp, i, lanes);
  }
  void clear() { call(Op::kClear, warp, {}, {}); }
  /// "R0=1111 R1=0101", the lanes as `width` digits.
  std::string pending(unsigned width = 4) {
    std::vector<core::PendingRegister> registers;
    ScoreboardRequest request{.warp = warp, .pending = &registers};
    isock.inspect(request);
    std::string text;
    for (const auto& each : registers) {
      text += text.empty() ? "R" : " R";
      text += std::to_string(each.reg) + "=" + each.lanes.to_string(width);
    }
    return text;
  }
  /// {R1, R0}, as Fig 7.6 shows an I-buffer entry's dependence bits.
  std::string dependences(const isa::Instruction& i, const char* lanes) {
    std::string bits;
    for (const isa::RegId reg : {1, 0}) {
      const auto names = [reg](const auto& list, unsigned count) {
        return std::find(list.begin(), list.begin() + count, reg) != list.begin() + count;
      };
      const bool named = names(i.reads, i.read_count) || names(i.writes, i.write_count);
      bits += named && check(instruction({reg}, {}), mask(lanes)) != Hazard::kNone ? '1' : '0';
    }
    EXPECT_EQ(bits != "00", check(i, mask(lanes)) != Hazard::kNone);
    return bits;
  }
  WarpId warp{5};
  base::StatGroup stats{"scoreboard"};
  sim::Twins twins;
  std::unique_ptr<core::Scoreboard> scoreboard;
  sim::BlockInitiator<core::ScoreboardProtocol> isock{"isock"};
};

ScoreboardConfig configured(ScoreboardKind kind, std::uint32_t entries, Implementation impl) {
  ScoreboardConfig config;
  config.kind = kind;
  config.entries_per_warp = entries;
  config.impl = impl;
  return config;
}

class ScoreboardBench : public ::testing::TestWithParam<Implementation> {
 protected:
  static constexpr auto kPerWarp = ScoreboardKind::kPerWarp;
  static constexpr auto kMasks = ScoreboardKind::kPerThreadMask;
  static ScoreboardConfig of(ScoreboardKind kind, std::uint32_t entries = 8) {
    return configured(kind, entries, GetParam());
  }
};

// [MultiPath:G10] (Fig 7.6); the reserve mask of I1 as in the table ([MultiPath:A22]).
TEST_P(ScoreboardBench, MimdG10) {
  Rig rig("rig", of(kMasks));
  const isa::Instruction i0 = instruction({5}, {0}, Opcode::kLoad);
  const isa::Instruction i1 = instruction({0}, {1}, Opcode::kLoad);
  const isa::Instruction i2 = instruction({4}, {1}, Opcode::kLoad);
  const isa::Instruction i3 = instruction({0, 1}, {4});
  EXPECT_EQ(rig.pending(), "");  // 0
  EXPECT_EQ(rig.dependences(i0, "1111"), "00");
  rig.reserve(i0, mask("1111"));  // 1: I0 issues; I1, I2 decoded
  EXPECT_EQ(rig.pending(), "R0=1111");
  EXPECT_EQ(rig.dependences(i1, "0101"), "01");
  EXPECT_EQ(rig.dependences(i2, "1010"), "00");
  rig.reserve(i2, mask("1010"));  // 2: I2 issues
  EXPECT_EQ(rig.pending(), "R0=1111 R1=1010");
  EXPECT_EQ(rig.dependences(i1, "0101"), "01");
  EXPECT_EQ(rig.dependences(i3, "1010"), "11");  // 3: I3 decoded
  rig.release(i0, mask("1111"));                 // 4: I0 writes back
  EXPECT_EQ(rig.pending(), "R1=1010");
  EXPECT_EQ(rig.dependences(i1, "0101"), "00");
  EXPECT_EQ(rig.dependences(i3, "1010"), "10");
  rig.reserve(i1, mask("0101"));  // 5: I1 issues
  EXPECT_EQ(rig.pending(), "R1=1111");
  EXPECT_EQ(rig.dependences(i3, "1010"), "10");
  rig.release(i2, mask("1010"));  // 6: I2 writes back
  EXPECT_EQ(rig.pending(), "R1=0101");
  EXPECT_EQ(rig.dependences(i3, "1010"), "00") << "ready";
}

// The baseline has one bit per register: I1's lanes wait for I2's.
TEST_P(ScoreboardBench, WithoutMasksLanesWaitForEachOther) {
  Rig rig("rig", of(kPerWarp));
  rig.reserve(instruction({4}, {1}, Opcode::kLoad), mask("1010"));
  EXPECT_EQ(rig.pending(), "R1=1111");
  EXPECT_EQ(rig.check(instruction({0}, {1}, Opcode::kLoad), mask("0101")), Hazard::kMemory);
  rig.release(instruction({4}, {1}, Opcode::kLoad), mask("1010"));
  EXPECT_EQ(rig.pending(), "");
}

TEST_P(ScoreboardBench, BlocksRawAndWawUntilTheWriteIsBack) {
  Rig rig("rig", of(kPerWarp));
  const auto producer = instruction({1}, {2});
  EXPECT_EQ(rig.check(producer), Hazard::kNone);
  rig.reserve(producer);
  EXPECT_EQ(rig.check(instruction({2}, {})), Hazard::kAlu) << "read after write";
  EXPECT_EQ(rig.check(instruction({}, {2})), Hazard::kAlu) << "write after write";
  EXPECT_EQ(rig.check(instruction({1}, {3})), Hazard::kNone) << "write after read";
  EXPECT_EQ(rig.check(instruction({66}, {})), Hazard::kNone) << "another register of the same signature";
  EXPECT_EQ(rig.call(Op::kCheck, WarpId{6}, instruction({2}, {}), LaneMask::all()), Hazard::kNone)
      << "other warps have their own set";
  rig.release(producer);
  EXPECT_EQ(rig.check(instruction({2}, {2})), Hazard::kNone);
}

TEST_P(ScoreboardBench, MemoryCountsBeforeArithmeticAndBothBeforeFull) {
  Rig rig("rig", of(kPerWarp));
  rig.reserve(instruction({}, {5}, Opcode::kAtomic));
  rig.reserve(instruction({}, {6}));
  EXPECT_EQ(rig.check(instruction({6}, {})), Hazard::kAlu);
  EXPECT_EQ(rig.check(instruction({6, 5}, {})), Hazard::kMemory);
  rig.reserve(instruction({}, {1, 2, 3, 4}, Opcode::kLoad));
  EXPECT_EQ(rig.check(instruction({6}, {10, 11, 12, 13})), Hazard::kAlu);
  EXPECT_EQ(rig.check(instruction({7}, {10, 11, 12})), Hazard::kFull);
  EXPECT_EQ(rig.check(instruction({7}, {10, 11})), Hazard::kNone);
}

TEST_P(ScoreboardBench, RefusesDestinationsWithoutAFreeEntry) {
  Rig rig("rig", of(kPerWarp));
  const auto vector_load = instruction({}, {1, 2, 3, 4}, Opcode::kLoad);
  const auto another = instruction({}, {5, 6, 7, 8}, Opcode::kLoad);
  rig.reserve(vector_load);
  rig.reserve(another);
  EXPECT_EQ(rig.check(instruction({9}, {10})), Hazard::kFull);
  EXPECT_EQ(rig.check(instruction({9}, {})), Hazard::kNone) << "no destination, no entry";
  rig.release(vector_load);
  EXPECT_EQ(rig.pending(1), "R5=1 R6=1 R7=1 R8=1");
  EXPECT_EQ(rig.check(instruction({9}, {10})), Hazard::kNone);
  rig.clear();
  EXPECT_EQ(rig.pending(), "");
  EXPECT_EQ(rig.check(another), Hazard::kNone);
}

TEST_P(ScoreboardBench, WithMasksARegisterTakesOneEntryForAllItsLanes) {
  Rig rig("rig", of(kMasks));
  for (isa::RegId reg : {11, 12, 13, 14, 15, 16, 17}) rig.reserve(instruction({}, {reg}), mask("1111"));
  const auto load = instruction({4}, {1}, Opcode::kLoad);
  rig.reserve(load, mask("1010"));
  EXPECT_EQ(rig.check(load, mask("0101")), Hazard::kNone) << "its entry is there";
  EXPECT_EQ(rig.check(instruction({}, {2}), mask("0101")), Hazard::kFull);
  EXPECT_EQ(rig.check(instruction({}, {1, 2}), mask("0101")), Hazard::kFull) << "one of them has none";
  rig.reserve(instruction({4}, {1}), mask("0101"));
  EXPECT_EQ(rig.check(instruction({1}, {}), mask("0001")), Hazard::kMemory)
      << "an entry remembers that a memory instruction is among its writers";
  rig.release(load, mask("1010"));
  EXPECT_EQ(rig.check(instruction({1}, {}), mask("1010")), Hazard::kNone);
  rig.release(instruction({4}, {1}), mask("0101"));
  EXPECT_EQ(rig.check(instruction({}, {2}), mask("0101")), Hazard::kNone) << "an entry is free";
}

TEST_P(ScoreboardBench, AnInstructionMayHaveMoreRegistersThanThereArePorts) {
  Rig rig("rig", of(kMasks));
  const auto wide = instruction({21, 22, 23, 24, 25, 26, 27, 28}, {1, 2, 3, 4}, Opcode::kLoad);
  EXPECT_EQ(rig.check(wide), Hazard::kNone);
  rig.reserve(wide, mask("0110"));
  EXPECT_EQ(rig.pending(), "R1=0110 R2=0110 R3=0110 R4=0110");
  for (isa::RegId reg : {21, 28, 4}) {
    rig.clear();
    rig.reserve(instruction({}, {reg}));
    EXPECT_EQ(rig.check(wide), Hazard::kAlu) << "register " << reg;
  }
  rig.clear();
  rig.reserve(instruction({}, {31, 32, 33, 34}));
  EXPECT_EQ(rig.check(wide), Hazard::kNone);
  rig.reserve(instruction({}, {35}));
  EXPECT_EQ(rig.check(wide), Hazard::kFull) << "four more do not fit, whatever the second part says";
  EXPECT_EQ(rig.check(instruction({1, 2, 21, 22, 23}, {1, 2, 3}, Opcode::kLoad)), Hazard::kNone)
      << "read and written is looked up once";
}

/// Random instructions of all sizes; `both` compares every answer.
void run_random(Rig& rig) {
  constexpr std::uint32_t kEntries = 8;
  std::mt19937 random(3);
  const auto number = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
  std::vector<std::pair<isa::Instruction, LaneMask>> in_flight;
  std::array<unsigned, 4> seen{};
  for (unsigned step = 0; step < 4000; ++step) {
    isa::Instruction i;
    i.op = number(2) != 0 ? Opcode::kLoad : Opcode::kLane;
    const auto add = [&](auto& list, std::uint8_t& count, unsigned wanted) {
      for (unsigned n = 0; n < wanted; ++n) {
        const auto reg = static_cast<isa::RegId>(number(kEntries * 4) * 37);
        if (std::find(list.begin(), list.begin() + count, reg) == list.begin() + count) list[count++] = reg;
      }
    };
    add(i.reads, i.read_count, number(3) != 0 ? number(4) : number(9));
    add(i.writes, i.write_count, number(3) != 0 ? number(2) : number(5));
    const LaneMask lanes(random() | random());
    const Hazard hazard = rig.check(i, lanes);
    ++seen.at(static_cast<unsigned>(hazard));
    if (hazard == Hazard::kNone && i.write_count != 0) {
      const LaneMask exec = number(16) == 0 ? LaneMask{} : lanes & LaneMask(random() | random());
      rig.reserve(i, exec);
      in_flight.emplace_back(i, exec);
    }
    const bool drain = step / 512 % 2 != 0;
    while (!in_flight.empty() && number(drain ? 2 : 8) == 0) {
      const auto which = in_flight.begin() + number(static_cast<unsigned>(in_flight.size()));
      rig.release(which->first, which->second);
      in_flight.erase(which);
    }
  }
  for (const unsigned count : seen) EXPECT_GT(count, 0u);
  for (const auto& [i, lanes] : in_flight) rig.release(i, lanes);
  EXPECT_EQ(rig.pending(), "") << "everything has been written back";
}

TEST_P(ScoreboardBench, RandomInstructionsPerWarp) {
  Rig rig("rig", of(kPerWarp));
  run_random(rig);
}
TEST_P(ScoreboardBench, RandomInstructionsWithMasks) {
  Rig rig("rig", of(kMasks));
  run_random(rig);
}
INSTANTIATE_TEST_SUITE_P(As, ScoreboardBench, cosim::every_implementation(), cosim::name_implementation);

// ---- Shapes

template <class Fn>
std::string input_error_of(Fn&& fn) {
  try {
    fn();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ScoreboardTwin, SetsThatWereNotBuiltAreRefused) {
  const std::string error = input_error_of(
      [] { Rig("rig", configured(ScoreboardKind::kPerThreadMask, 16, Implementation::kRtl)); });
  EXPECT_THAT(error, HasSubstr("rig.scoreboard: the RTL of scoreboard is built for 8 entries of a warp"));
  EXPECT_THAT(error, HasSubstr("this core has 16"));
  EXPECT_THAT(error, HasSubstr("rtl/scoreboard/scoreboard.cmake"));
}

TEST(ScoreboardTwin, MoreWarpsThanTheRtlHasAreRefused) {
  EXPECT_THAT(
      input_error_of([] { Rig("rig", configured(ScoreboardKind::kPerWarp, 8, Implementation::kBoth), 65); }),
      HasSubstr("built for 64 warps, this core has 65"));
}

TEST(ScoreboardTwin, CountsAClockForEveryPart) {
  Rig rig("rig", configured(ScoreboardKind::kPerThreadMask, 8, Implementation::kRtl));
  const auto wide = instruction({21, 22, 23}, {1, 2, 3, 4}, Opcode::kLoad);
  rig.check(wide);
  rig.reserve(wide);
  rig.check(instruction({1, 2, 3, 4}, {1, 2}));
  EXPECT_EQ(rig.pending(1), "R1=1 R2=1 R3=1 R4=1");
  EXPECT_EQ(rig.twins.uses().front().requests, 3u);
  EXPECT_EQ(rig.twins.uses().front().clocks, 6u)
      << "a check in parts takes one to drop the last one; to look is free";
}

}  // namespace
}  // namespace heddle::scoreboard_bench
