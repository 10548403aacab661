// The duration of atomics in the atomic unit, and that the values do not depend on it.
#include <cstring>

#include "isa/atomic.h"
#include "unit/memory/l2_rig.h"

namespace heddle::memory::l2_atomic_test {
namespace {

constexpr std::uint32_t kLatency = 10;

std::vector<unsigned> words(unsigned count) {
  std::vector<unsigned> offsets;
  for (unsigned i = 0; i < count; ++i) offsets.push_back(4 * i);
  return offsets;
}

/// A rig with lines 0 and 1 (in different banks if there are two) cached and nothing in flight.
struct AtomicRig : L2Rig {
  explicit AtomicRig(L2Config c) : L2Rig(with_latency(c)) {
    complete(make(MemoryOp::kRead, 0));
    complete(make(MemoryOp::kRead, 128));
    run_until_idle();
    responses.clear();
    start = now;
  }
  static L2Config with_latency(L2Config c) {
    c.latency_cycles = kLatency;
    return c;
  }
  /// Cycles from now to the end of the atomic's last operation, counting its first as cycle 1.
  base::Cycle duration(MemoryTransaction& t) {
    const base::Cycle from = now;
    return complete(t) - kLatency - from + 1;
  }
  base::Cycle start = 0;
};

// The data array reads and writes so many sectors a cycle; a request that takes longer keeps its bank.
TEST(L2DataArray, TakesTheTimeOfTheSectors) {
  struct Case {
    std::uint32_t read, write;
    SectorMask first;   // sectors that the first request touches
    bool writes;        // it is a write
    base::Cycle later;  // so much later is the second request, a read of a sector
  };
  for (const Case& of : {Case{0, 0, 0xf, false, 1}, Case{2, 0, 0xf, false, 2}, Case{1, 0, 0xf, false, 4},
                         Case{2, 0, 0x7, false, 2}, Case{2, 0, 0x4, false, 1}, Case{0, 1, 0xf, true, 4},
                         Case{0, 3, 0xf, true, 2}, Case{1, 0, 0xf, true, 1}, Case{0, 1, 0xf, false, 1}}) {
    AtomicRig rig({.banks = 1,
                   .sector_bytes = 32,
                   .read_sectors_per_cycle = of.read,
                   .write_sectors_per_cycle = of.write});
    rig.accept(of.writes ? rig.make_write(0, 0, 128, 1) : rig.make_read(0, of.first));
    rig.accept(rig.make_read(128, 1));
    rig.run_until_idle();
    ASSERT_EQ(rig.responses.size(), 2u);
    EXPECT_EQ(rig.responses[0].second, rig.start + kLatency);
    EXPECT_EQ(rig.responses[1].second, rig.start + of.later + kLatency)
        << of.read << ' ' << of.write << ' ' << of.first << ' ' << of.writes;
    EXPECT_EQ(rig.stalls(L2Stall::kDataArray), of.later - 1);
    EXPECT_EQ(rig.stalls(L2Stall::kAtomicUnit), 0u);
  }
}

TEST(L2Atomics, DifferentAddressesTakeTheUnitsThroughput) {
  AtomicRig rig({.banks = 1, .atomic_lanes_per_cycle = 8});
  rig.accept(rig.make_add(0, 32, words(32)));
  rig.accept(rig.make(MemoryOp::kRead, 0));
  rig.run_until_idle();
  ASSERT_EQ(rig.responses.size(), 2u);
  EXPECT_EQ(rig.responses[0].second, rig.start + 3 + kLatency);  // 32 lanes at 8 a cycle end in the fourth
  EXPECT_EQ(rig.responses[1].second, rig.start + 4 + kLatency);
  EXPECT_EQ(rig.stalls(L2Stall::kAtomicUnit), 3u);
  EXPECT_EQ(rig.slice.counters().atomic_busy_cycles, 4u);
}

TEST(L2Atomics, ResultsThatStreamAreThereWithTheFirstLaneAndTheBankIsTakenAsLong) {
  AtomicRig rig({.banks = 1, .atomic_lanes_per_cycle = 8, .atomic_results_stream = true});
  rig.accept(rig.make_add(0, 32, std::vector<unsigned>(32, 0)));
  rig.accept(rig.make(MemoryOp::kRead, 0));
  rig.run_until_idle();
  ASSERT_EQ(rig.responses.size(), 2u);
  EXPECT_EQ(rig.responses[0].second, rig.start + kLatency);
  EXPECT_EQ(rig.responses[1].second, rig.start + 32 + kLatency);
}

TEST(L2Atomics, LanesOfOneAddressFollowEachOther) {
  // lanes, addresses, cycles per operation on an address: duration
  const unsigned table[][4] = {
      {32, 1, 1, 32},  // one after the other
      {32, 1, 0, 4},   // limited only by the unit's 8 per cycle
      {4, 1, 9, 28},   // operations start in cycles 1, 10, 19 and 28
      {32, 16, 1, 4},  // two lanes at each address: less than 32 / 8
      {32, 4, 1, 8},  {32, 16, 4, 5}, {1, 1, 9, 1}, {3, 3, 9, 1},
  };
  for (const auto& [lanes, addresses, cycles, duration] : table) {
    AtomicRig rig({.banks = 1, .atomic_lanes_per_cycle = 8, .atomic_same_address_cycles = cycles});
    EXPECT_EQ(rig.duration(rig.make_add(0, lanes, words(addresses))), duration)
        << lanes << " lanes, " << addresses << " addresses, " << cycles << " cycles";
  }
}

TEST(L2Atomics, TheNextAtomicOnTheAddressWaitsToo) {
  AtomicRig rig({.banks = 1, .atomic_same_address_cycles = 9});
  for (int i = 0; i < 3; ++i) rig.accept(rig.make_add(0, 2));
  rig.run_until_idle();
  ASSERT_EQ(rig.responses.size(), 3u);
  for (unsigned i = 0; i < 3; ++i)
    EXPECT_EQ(rig.responses[i].second, rig.start + std::uint64_t{18} * i + 9 + kLatency);
}

TEST(L2Atomics, AtomicsOnOneLineBeginApartWhateverTheirWordsAre) {
  // line of each of four atomics, lanes of each: when they are answered
  struct Case {
    std::vector<unsigned> lines, lanes, answers;
  };
  const Case table[] = {
      {{0, 0, 0, 0}, {1, 1, 1, 1}, {0, 5, 10, 15}},
      {{0, 1, 2, 3}, {1, 1, 1, 1}, {0, 1, 2, 3}},
      {{0, 1, 0, 1}, {1, 1, 1, 1}, {0, 1, 5, 6}},  // two lines at a time: each waits for its own
      {{0, 1, 2, 0}, {1, 1, 1, 1}, {0, 1, 2, 5}},
      {{0, 0, 1, 0}, {1, 1, 1, 1}, {0, 5, 6, 10}},   // what comes behind one that waits, waits
      {{0, 0, 0, 0}, {7, 2, 8, 1}, {6, 8, 19, 20}},  // lanes of a word take a cycle each
  };
  for (const Case& c : table) {
    AtomicRig rig({.banks = 1, .atomic_same_line_cycles = 5});
    for (const std::uint64_t line : {2, 3}) rig.complete(rig.make(MemoryOp::kRead, line * 128));
    rig.run_until_idle();
    rig.responses.clear();
    rig.start = rig.now;
    for (unsigned i = 0; i < 4; ++i)
      rig.accept(rig.make_add(c.lines[i] * 128, c.lanes[i], std::vector<unsigned>(c.lanes[i], 4 * i)));
    rig.run_until_idle();
    ASSERT_EQ(rig.responses.size(), 4u);
    for (unsigned i = 0; i < 4; ++i)
      EXPECT_EQ(rig.responses[i].second - rig.start - kLatency, c.answers[i])
          << "atomic " << i << " of case " << &c - table;
  }
}

TEST(L2Atomics, ReadsDoNotWaitForALinesAtomics) {
  AtomicRig rig({.banks = 1, .atomic_same_line_cycles = 5});
  rig.accept(rig.make_add(0, 1));
  rig.accept(rig.make(MemoryOp::kRead, 0));
  rig.run_until_idle();
  EXPECT_EQ(rig.responses[1].second, rig.start + 1 + kLatency);
}

TEST(L2Atomics, CombinedLanesAreOneOperation) {
  struct Case {
    AtomicCombine combine;
    isa::AtomicOp op;
    isa::Type type;
    bool returns;
    base::Cycle duration;
  };
  const Case table[] = {
      {AtomicCombine::kNone, isa::AtomicOp::kAdd, isa::Type::kU32, false, 32},
      {AtomicCombine::kReductions, isa::AtomicOp::kAdd, isa::Type::kU32, false, 1},
      {AtomicCombine::kReductions, isa::AtomicOp::kMax, isa::Type::kS32, false, 1},
      {AtomicCombine::kReductions, isa::AtomicOp::kAdd, isa::Type::kU32, true, 32},
      {AtomicCombine::kAll, isa::AtomicOp::kAdd, isa::Type::kU32, true, 1},
      {AtomicCombine::kAll, isa::AtomicOp::kXor, isa::Type::kU32, true, 1},
      {AtomicCombine::kAll, isa::AtomicOp::kAdd, isa::Type::kF32, false,
       32},  // rounding depends on the order
      {AtomicCombine::kAll, isa::AtomicOp::kCas, isa::Type::kU32, true, 32},
      {AtomicCombine::kAll, isa::AtomicOp::kInc, isa::Type::kU32, true, 32},
      {AtomicCombine::kAll, isa::AtomicOp::kExch, isa::Type::kU32, true, 32},
  };
  for (const Case& c : table) {
    AtomicRig rig({.banks = 1, .atomic_combine = c.combine});
    MemoryTransaction& t = rig.make_add(0, 32);
    t.extension.atomic_op = c.op;
    t.extension.atomic_type = c.type;
    t.extension.atomic_returns = c.returns;
    EXPECT_EQ(rig.duration(t), c.duration) << isa::atomic_name(c.op) << " returns " << c.returns;
    EXPECT_EQ(rig.slice.counters().atomic_operations, c.duration);
    EXPECT_EQ(rig.slice.counters().atomic_lanes, 32u);
  }
}

TEST(L2Atomics, CombinedLanesGetTheValuesOfLaneOrder) {
  AtomicRig rig({.banks = 1, .atomic_combine = AtomicCombine::kAll});
  MemoryTransaction& t = rig.make_add(0, 5);
  for (unsigned i = 0; i < 5; ++i) t.extension.atomics[i].operand = i + 1;
  rig.complete(t);
  const std::uint64_t expected[] = {0, 1, 3, 6, 10};
  for (unsigned i = 0; i < 5; ++i) EXPECT_EQ(t.extension.atomics[i].old, expected[i]);
  std::uint32_t value = 0;
  EXPECT_TRUE(rig.slice.debug_read(0, reinterpret_cast<unsigned char*>(&value), 4));
  EXPECT_EQ(value, 15u);
}

TEST(L2Atomics, BanksShareTheUnitButNotTheChainOfAnAddress) {
  AtomicRig rig({.banks = 2, .atomic_lanes_per_cycle = 8});
  if (rig.start % 2 != 0) rig.step();  // bank 0's turn
  const base::Cycle start = rig.now;
  MemoryTransaction& chain = rig.make_add(0, 32);
  MemoryTransaction& other = rig.make_add(128, 16, words(16));
  MemoryTransaction& read = rig.make(MemoryOp::kRead, 128);
  for (MemoryTransaction* t : {&chain, &other, &read}) rig.accept(*t);
  rig.run_until_idle();
  ASSERT_EQ(rig.responses.size(), 3u);
  // The unit performs the 32 operations of bank 0 in four cycles, then the 16 of bank 1 in two.
  EXPECT_EQ(rig.responses[0],
            (std::pair<tlm::tlm_generic_payload*, base::Cycle>{&other, start + 5 + kLatency}));
  EXPECT_EQ(rig.responses[1],
            (std::pair<tlm::tlm_generic_payload*, base::Cycle>{&read, start + 6 + kLatency}));
  EXPECT_EQ(rig.responses[2],
            (std::pair<tlm::tlm_generic_payload*, base::Cycle>{&chain, start + 31 + kLatency}));
  EXPECT_EQ(rig.slice.counters().atomic_busy_cycles, 6u);
}

}  // namespace
}  // namespace heddle::memory::l2_atomic_test
