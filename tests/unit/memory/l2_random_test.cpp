// Random requests compared with a flat memory updated in order of acceptance, with random stalls on every
// side.
#include <map>
#include <random>
#include <vector>

#include "isa/atomic.h"
#include "unit/memory/l2_rig.h"

namespace heddle::memory::l2_random_test {
namespace {

constexpr int kRequests = 4000;
constexpr unsigned kSpan = 64 * 128;  // four times the slice

L2Config random_config(int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  L2Config config;
  config.size_kib = 2;
  config.line_bytes = seed % 3 == 0 ? 64 : 128;
  config.banks = 1u << (random() % 3);
  const std::uint32_t sectors[] = {0, 32, 64};
  config.sector_bytes = sectors[random() % 3];
  if (config.sector_bytes != 0 && seed % 2 == 0)
    config.dram_access_bytes = config.sector_bytes << (seed / 2 % 2);
  if (config.dram_access_bytes > config.line_bytes) config.dram_access_bytes = config.line_bytes;
  config.ways = seed % 2 == 0 ? 2 : 4;
  config.latency_cycles = static_cast<std::uint32_t>(random() % 20);
  config.mshr_entries = 1 + static_cast<std::uint32_t>(random() % 6);
  config.mshr_targets = 1 + static_cast<std::uint32_t>(random() % 3);
  config.dram_queue = 2 + static_cast<std::uint32_t>(random() % 4);
  config.response_queue = 1 + static_cast<std::uint32_t>(random() % 4);
  config.atomic_same_address_cycles = static_cast<std::uint32_t>(random() % 4);
  config.atomic_combine = static_cast<AtomicCombine>(random() % 3);
  config.write_miss = random() % 2 == 0 ? WriteMiss::kFetch : WriteMiss::kByteMask;
  if (random() % 2 == 0) {
    config.halves = 2;
    config.far_cycles = 1 + static_cast<std::uint32_t>(random() % 20);
    config.await_invalidation = random() % 2 == 0;
    config.copies_take_ways = random() % 3 != 0;
    config.far_turns = random() % 2 == 0;
  }
  return config;
}

class Checker {
 public:
  Checker(const L2Config& config, std::uint64_t seed, bool sleeps)
      : rig(config, seed), config_(config), random_(seed) {
    rig.random_dram = true;
    rig.sleeps = sleeps;
  }

  void run() {
    std::size_t seen = 0;
    for (int sent = 0; sent < kRequests || seen < kRequests;) {
      if (sent < kRequests && random_() % 3 != 0) sent += try_send();
      rig.step(random_() % 3 != 0);
      for (; seen < rig.responses.size(); ++seen) check(seen);
      ASSERT_FALSE(testing::Test::HasFailure());
      ASSERT_LT(rig.now, 2'000'000u) << "the slice hangs";
    }
    compare_memory();
    rig.run_until_idle();
  }

  L2Rig rig;

 private:
  struct Expected {
    std::vector<unsigned char> data;
    std::vector<std::uint64_t> old;
  };

  /// A request of random kind, if its bank has a free entry.
  bool try_send() {
    const unsigned bytes = random_() % 4 == 0 ? 32 : config_.line_bytes;
    const std::uint64_t address = random_() % (kSpan / bytes) * bytes;
    const auto op = static_cast<MemoryOp>(random_() % 3);
    MemoryTransaction& t = rig.make(op, address, bytes);
    if (!rig.can_accept(t)) {
      t.release();
      return false;
    }
    if (config_.halves > 1) t.extension.core = base::CoreId{static_cast<std::uint32_t>(random_() % 4)};
    Expected& e = expected_[&t];
    e = {};
    if (op == MemoryOp::kRead)
      make_read(t, e);
    else if (op == MemoryOp::kWrite)
      make_write(t);
    else
      make_atomic(t, e);
    rig.accept(t);
    return true;
  }

  void make_read(MemoryTransaction& t, Expected& e) {
    const unsigned bytes = t.get_data_length();
    if (random_() % 2 == 0) t.extension.wanted_sectors = static_cast<SectorMask>(1 + random_() % 15);
    e.data.resize(bytes);
    flat_.read(t.get_address(), e.data.data(), bytes);
    for (unsigned i = 0; i < bytes; ++i) {
      t.data[i] = 0xa5;
      if ((t.extension.wanted_sectors >> (i / 32) & 1u) == 0) e.data[i] = 0xa5;  // not filled in
    }
  }

  void make_write(MemoryTransaction& t) {
    const unsigned bytes = t.get_data_length();
    const auto style = random_() % 3;  // everything; whole sectors; any bytes
    const auto sectors = random_();
    for (unsigned i = 0; i < bytes; ++i) {
      t.data[i] = static_cast<unsigned char>(random_());
      const bool on = style == 0 || (style == 1 ? (sectors >> (i / 32) & 1u) != 0 : random_() % 2 == 0);
      t.enables[i] = on ? 0xff : 0;
    }
    flat_.write_enabled(t.get_address(), t.data.data(), bytes, t.enables.data(), bytes);
  }

  void make_atomic(MemoryTransaction& t, Expected& e) {
    sim::MemoryExtension& ext = t.extension;
    ext.atomic_op = static_cast<isa::AtomicOp>(random_() % 10);
    ext.atomic_type = random_() % 2 == 0 ? isa::Type::kU32 : isa::Type::kU64;
    ext.atomic_returns = random_() % 2 == 0;
    const unsigned width = isa::type_bytes(ext.atomic_type);
    const unsigned lanes = 1 + static_cast<unsigned>(random_() % 32);
    ext.atomic_count = static_cast<std::uint8_t>(lanes);
    for (unsigned i = 0; i < lanes; ++i) {
      sim::LaneAtomic& lane = ext.atomics[i];
      lane = {.lane = static_cast<std::uint8_t>(i),
              .offset = static_cast<std::uint8_t>(random_() % (t.get_data_length() / width) * width),
              .operand = random_() % 5,
              .compare = random_() % 5};
      const std::uint64_t address = t.get_address() + lane.offset;
      std::uint64_t old = 0;
      flat_.read(address, reinterpret_cast<unsigned char*>(&old), width);
      const bool cast = ext.atomic_op == isa::AtomicOp::kCast;  // which says whether it has written
      e.old.push_back(!cast ? old : old == lane.compare ? 1 : 0);
      const std::uint64_t value =
          isa::apply_atomic(ext.atomic_op, ext.atomic_type, old, lane.operand, lane.compare);
      flat_.write(address, reinterpret_cast<const unsigned char*>(&value), width);
    }
  }

  void check(std::size_t i) {
    auto* t = static_cast<MemoryTransaction*>(rig.responses[i].first);
    const Expected& e = expected_.at(t);
    ASSERT_TRUE(t->is_response_ok());
    if (!e.data.empty()) {
      ASSERT_EQ(std::memcmp(e.data.data(), t->data.data(), e.data.size()), 0) << "read " << t->get_address();
    }
    for (std::size_t k = 0; k < e.old.size(); ++k) ASSERT_EQ(t->extension.atomics[k].old, e.old[k]);
    t->release();
  }

  /// Debug reads are coherent even before the last write-backs have reached the DRAM.
  void compare_memory() {
    const unsigned sector = rig.slice.sector_bytes();
    for (std::uint64_t at = 0; at < kSpan; at += sector) {
      unsigned char got[sim::kMaxLineBytes], want[sim::kMaxLineBytes];
      flat_.read(at, want, sector);
      if (!rig.slice.debug_read(at, got, sector)) {
        rig.dram.read(at, got, sector);
        for (const L2Rig::InFlight& f : rig.in_flight) {
          const std::uint64_t first = f.transfer.address;
          if (!f.transfer.write || at < first || at >= first + f.transfer.bytes) continue;
          for (unsigned i = 0; i < sector; ++i)
            if (f.enables[at - first + i] != 0) got[i] = f.data[at - first + i];
        }
        rig.slice.debug_overlay(at, got, sector);
      }
      ASSERT_EQ(std::memcmp(got, want, sector), 0) << "sector at " << at;
    }
  }

  L2Config config_;
  std::mt19937_64 random_;
  SparseMemory flat_;
  std::map<tlm::tlm_generic_payload*, Expected> expected_;
};

class L2SliceRandom : public testing::TestWithParam<int> {};

TEST_P(L2SliceRandom, AgreesWithAFlatMemory) {
  const L2Config config = random_config(GetParam());
  Checker checker(config, static_cast<std::uint64_t>(GetParam()), false);
  checker.run();
  const L2Counters& c = checker.rig.slice.counters();
  std::uint64_t all = 0, sector_misses = 0;
  for (unsigned k = 0; k < 3; ++k) {
    all += c.hits[k] + c.misses[k] + c.merged[k];
    sector_misses += c.sector_misses[k];
  }
  EXPECT_EQ(all + c.sectorless_reads, std::uint64_t{kRequests});
  EXPECT_EQ(c.merged[0] > 0, config.mshr_targets > 1);
  EXPECT_GT(c.write_backs, 0u);
  EXPECT_EQ(c.masked_write_backs > 0, config.write_miss == WriteMiss::kByteMask);
  const bool sectored = config.sector_bytes != 0 && config.sector_bytes != config.line_bytes;
  // With byte masks lines are there in part, too.
  EXPECT_EQ(sector_misses > 0, sectored || config.write_miss == WriteMiss::kByteMask);
  if (config.atomic_combine == AtomicCombine::kNone) {
    EXPECT_EQ(c.atomic_operations, c.atomic_lanes);
  } else {
    EXPECT_LT(c.atomic_operations, c.atomic_lanes);
  }
}

TEST_P(L2SliceRandom, SleepingChangesNothing) {
  const L2Config config = random_config(GetParam());
  Checker every(config, static_cast<std::uint64_t>(GetParam()), false);
  Checker asleep(config, static_cast<std::uint64_t>(GetParam()), true);
  every.run();
  asleep.run();
  EXPECT_LT(asleep.rig.ticks, every.rig.ticks);
  ASSERT_EQ(every.rig.responses.size(), asleep.rig.responses.size());
  for (std::size_t i = 0; i < every.rig.responses.size(); ++i)
    ASSERT_EQ(every.rig.responses[i].second, asleep.rig.responses[i].second) << "response " << i;
  const L2Counters &a = every.rig.slice.counters(), &b = asleep.rig.slice.counters();
  EXPECT_EQ(a.stall_cycles, b.stall_cycles);
  EXPECT_EQ(a.service_cycles, b.service_cycles);
  EXPECT_EQ(a.bank_wait_cycles, b.bank_wait_cycles);
  EXPECT_EQ(a.bank_conflicts, b.bank_conflicts);
}

INSTANTIATE_TEST_SUITE_P(Seeds, L2SliceRandom, testing::Range(1, 25));

}  // namespace
}  // namespace heddle::memory::l2_random_test
