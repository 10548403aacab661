#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "isa/atomic.h"
#include "memory/l2_slice.h"
#include "memory/sparse_memory.h"

namespace heddle::memory {
namespace {

using sim::MemoryOp;
using sim::MemoryTransaction;

/// A slice with a memory behind it that answers after a fixed or random time, in any order.
struct Rig {
  explicit Rig(const L2Config& c, std::uint64_t seed = 1)
      : config(c), slice(c, map, progress), random(seed) {}

  void step(bool take_responses = true) {
    if (auto* p = take_responses ? slice.response(now) : nullptr) {
      slice.pop_response();
      responses.emplace_back(p, now);
    }
    for (std::size_t i = 0; i < in_flight.size();) {
      if (in_flight[i].done > now) {
        ++i;
        continue;
      }
      const LineTransfer t = in_flight[i].transfer;
      in_flight.erase(in_flight.begin() + static_cast<std::ptrdiff_t>(i));
      if (t.write) {
        dram.write(t.line, t.data.data(), config.line_bytes);
        slice.write_done(t.line);
      } else {
        unsigned char line[sim::kMaxLineBytes];
        dram.read(t.line, line, config.line_bytes);
        slice.fill(t.line, line);
      }
    }
    slice.tick(now);
    if (const LineTransfer* t = dram_stalled() ? nullptr : slice.transfer()) {
      // The ordering rule the slice promises to a memory that keeps no order.
      for (const InFlight& f : in_flight)
        EXPECT_NE(f.transfer.line, t->line) << "two transfers of one line at once";
      in_flight.push_back({*t, now + dram_latency + (random_dram ? random() % 60 : 0)});
      transfers.push_back(*t);
      slice.pop_transfer();
    }
    ++now;
  }
  bool dram_stalled() { return random_dram && random() % 4 == 0; }
  void run_until_idle() {
    for (int i = 0; i < 100'000 && !(slice.idle() && in_flight.empty()); ++i) step();
    EXPECT_TRUE(slice.idle());
  }
  MemoryTransaction& make(MemoryOp op, std::uint64_t address, unsigned bytes = 128) {
    return pool.allocate(op, address, bytes);
  }
  MemoryTransaction& make_write(std::uint64_t address, unsigned first, unsigned count, unsigned char value) {
    MemoryTransaction& t = make(MemoryOp::kWrite, address);
    std::memset(t.enables.data() + first, 0xff, count);
    std::memset(t.data.data() + first, value, count);
    return t;
  }
  MemoryTransaction& make_add(std::uint64_t address, unsigned lanes) {
    MemoryTransaction& t = make(MemoryOp::kAtomic, address);
    t.extension.atomic_count = static_cast<std::uint8_t>(lanes);
    for (unsigned i = 0; i < lanes; ++i)
      t.extension.atomics[i] = {.lane = static_cast<std::uint8_t>(i), .offset = 0, .operand = 1};
    return t;
  }
  /// Accepts and runs until its response; returns the cycle of the response.
  sim::Cycle complete(MemoryTransaction& t) {
    slice.accept(t, now);
    const std::size_t before = responses.size();
    while (responses.size() == before && now < 100'000) step();
    EXPECT_EQ(responses.back().first, &t);
    return responses.back().second;
  }

  struct InFlight {
    LineTransfer transfer;
    sim::Cycle done;
  };
  L2Config config;
  AddressMap map{1, 256};
  sim::ProgressMonitor progress;
  L2Slice slice;
  sim::MemoryPool pool;
  SparseMemory dram;
  std::mt19937_64 random;
  bool random_dram = false;
  sim::Cycle dram_latency = 50;
  sim::Cycle now = 0;
  std::vector<InFlight> in_flight;
  std::vector<LineTransfer> transfers;
  std::vector<std::pair<tlm::tlm_generic_payload*, sim::Cycle>> responses;
};

TEST(L2Slice, HitsAnswerAfterTheLatencyAndMissesAfterTheFetch) {
  Rig rig({.latency_cycles = 10});
  // Miss at 0, handed to the DRAM at 0, back at 50, answered 10 later; nothing else takes time.
  EXPECT_EQ(rig.complete(rig.make(MemoryOp::kRead, 0x400)), 60u);
  const sim::Cycle start = rig.now;
  EXPECT_EQ(rig.complete(rig.make(MemoryOp::kRead, 0x400)), start + 10);
  EXPECT_EQ(rig.slice.counters().hits[0], 1u);
  EXPECT_EQ(rig.slice.counters().misses[0], 1u);
  EXPECT_EQ(rig.slice.counters().service_cycles, 70u);
}

TEST(L2Slice, AFullLineWriteNeedsNoFetchAPartialOneDoes) {
  Rig rig({.latency_cycles = 10});
  rig.complete(rig.make_write(0, 0, 128, 7));
  EXPECT_TRUE(rig.transfers.empty());
  rig.complete(rig.make_write(128, 4, 4, 7));
  ASSERT_EQ(rig.transfers.size(), 1u);
  EXPECT_FALSE(rig.transfers[0].write);
  EXPECT_EQ(rig.transfers[0].line, 128u);
  EXPECT_EQ(rig.slice.counters().writes_without_fetch, 1u);
}

TEST(L2Slice, TheAtomicUnitTakesItsLanesOverItsThroughput) {
  Rig rig({.latency_cycles = 10, .atomic_lanes_per_cycle = 8});
  rig.complete(rig.make(MemoryOp::kRead, 0));
  rig.run_until_idle();
  const sim::Cycle start = rig.now;
  rig.slice.accept(rig.make_add(0, 32), rig.now);
  rig.slice.accept(rig.make(MemoryOp::kRead, 0), rig.now);
  rig.run_until_idle();
  ASSERT_EQ(rig.responses.size(), 3u);
  EXPECT_EQ(rig.responses[1].second, start + 3 + 10);  // 32 lanes at 8 a cycle end in cycle start + 3
  EXPECT_EQ(rig.responses[2].second, start + 4 + 10);
  EXPECT_EQ(rig.slice.counters().stall_cycles[static_cast<unsigned>(L2Stall::kAtomicUnit)], 3u);
  std::uint32_t value = 0;
  std::memcpy(&value, rig.responses[2].first->get_data_ptr(), 4);
  EXPECT_EQ(value, 32u);
}

TEST(L2Slice, LanesOfOneAtomicSeeEachOtherInOrder) {
  Rig rig({.latency_cycles = 1});
  MemoryTransaction& t = rig.make_add(0, 5);
  for (unsigned i = 0; i < 5; ++i) t.extension.atomics[i].operand = i + 1;
  rig.complete(t);
  const std::uint64_t expected[] = {0, 1, 3, 6, 10};
  for (unsigned i = 0; i < 5; ++i) EXPECT_EQ(t.extension.atomics[i].old, expected[i]);
}

TEST(L2Slice, EvictsTheLeastRecentlyUsedLineAndWritesItBack) {
  Rig rig({.size_kib = 1, .ways = 2, .latency_cycles = 1});  // 4 sets
  const std::uint64_t stride = 4 * 128ull;
  rig.complete(rig.make_write(0, 0, 128, 1));
  rig.complete(rig.make_write(stride, 0, 128, 2));
  rig.complete(rig.make(MemoryOp::kRead, 0));  // line 0 is now the younger
  rig.complete(rig.make(MemoryOp::kRead, 2 * stride));
  rig.run_until_idle();
  ASSERT_EQ(rig.transfers.size(), 2u);
  EXPECT_TRUE(rig.transfers[0].write);
  EXPECT_EQ(rig.transfers[0].line, stride);
  EXPECT_EQ(rig.transfers[0].data[5], 2);
  EXPECT_EQ(rig.transfers[1].line, 2 * stride);
  unsigned char byte = 0;
  rig.dram.read(stride, &byte, 1);
  EXPECT_EQ(byte, 2);
}

TEST(L2Slice, AFetchWaitsForTheWriteBackOfItsLine) {
  Rig rig({.size_kib = 1, .ways = 1, .latency_cycles = 1});  // 8 sets
  const std::uint64_t stride = 8 * 128ull;
  rig.complete(rig.make_write(0, 0, 128, 9));
  const sim::Cycle start = rig.now;
  rig.slice.accept(rig.make_write(stride, 0, 128, 8), rig.now);  // evicts line 0: write-back, 50 cycles
  rig.slice.accept(rig.make(MemoryOp::kRead, 0), rig.now);       // evicts again, and wants line 0 back
  rig.run_until_idle();
  ASSERT_EQ(rig.responses.size(), 3u);
  EXPECT_GE(rig.responses[2].second, start + 50 + 50);
  EXPECT_EQ(rig.responses[2].first->get_data_ptr()[3], 9);
}

TEST(L2Slice, FurtherRequestsToALineJoinItsFetchInOrder) {
  Rig rig({.latency_cycles = 1, .mshr_targets = 4});
  MemoryTransaction& r1 = rig.make(MemoryOp::kRead, 0);
  MemoryTransaction& w = rig.make_write(0, 0, 4, 5);
  MemoryTransaction& r2 = rig.make(MemoryOp::kRead, 0);
  for (MemoryTransaction* t : {&r1, &w, &r2}) rig.slice.accept(*t, rig.now);
  rig.run_until_idle();
  EXPECT_EQ(rig.slice.counters().fetches, 1u);
  EXPECT_EQ(rig.slice.counters().merged[0], 1u);
  EXPECT_EQ(rig.slice.counters().merged[1], 1u);
  EXPECT_EQ(r1.data[0], 0);
  EXPECT_EQ(r2.data[0], 5);
  ASSERT_EQ(rig.responses.size(), 3u);
  EXPECT_EQ(rig.responses[0].first, &r1);
  EXPECT_EQ(rig.responses[1].first, &w);
  EXPECT_EQ(rig.responses[2].first, &r2);
}

TEST(L2Slice, StallCausesAreCountedInCycles) {
  Rig rig({.latency_cycles = 1, .mshr_entries = 1, .mshr_targets = 1});
  rig.slice.accept(rig.make(MemoryOp::kRead, 0), 0);
  rig.slice.accept(rig.make(MemoryOp::kRead, 0), 0);  // no target entry, cycles 1..50
  rig.slice.accept(rig.make(MemoryOp::kRead, 1024), 0);
  rig.slice.accept(rig.make(MemoryOp::kRead, 2048), 0);
  rig.run_until_idle();
  const auto& stalls = rig.slice.counters().stall_cycles;
  EXPECT_EQ(stalls[static_cast<unsigned>(L2Stall::kTargets)], 49u);  // served at 51 as a hit, filled at 50
  EXPECT_EQ(stalls[static_cast<unsigned>(L2Stall::kMshrs)], 49u);
}

TEST(L2Slice, OnlyChangesOfValueAreProgress) {
  Rig rig({.latency_cycles = 1});
  rig.complete(rig.make_write(0, 0, 4, 0));  // memory reads 0 already
  EXPECT_EQ(rig.progress.changes(), 0u);
  rig.complete(rig.make_write(0, 0, 4, 1));
  EXPECT_EQ(rig.progress.changes(), 1u);
  rig.complete(rig.make_write(0, 0, 4, 1));
  EXPECT_EQ(rig.progress.changes(), 1u);
  MemoryTransaction& failing = rig.make_add(0, 1);
  failing.extension.atomic_op = isa::AtomicOp::kCas;
  failing.extension.atomics[0].compare = 77;
  rig.complete(failing);
  EXPECT_EQ(rig.progress.changes(), 1u);
  rig.complete(rig.make_add(0, 1));
  EXPECT_EQ(rig.progress.changes(), 2u);
}

TEST(L2Slice, RefusesWhatCrossesALine) {
  Rig rig({.latency_cycles = 1});
  MemoryTransaction& t = rig.make(MemoryOp::kRead, 64);
  rig.complete(t);
  EXPECT_EQ(t.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
  MemoryTransaction& a = rig.make_add(0, 1);
  a.extension.atomics[0].offset = 126;
  rig.complete(a);
  EXPECT_EQ(a.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
}

/// Random requests against a flat memory updated in the order of acceptance, with random stalls on every
/// side.
class L2SliceRandom : public testing::TestWithParam<int> {};

TEST_P(L2SliceRandom, AgreesWithAFlatMemory) {
  std::mt19937_64 random(static_cast<std::uint64_t>(GetParam()));
  L2Config config;
  config.size_kib = 2;
  config.line_bytes = GetParam() % 3 == 0 ? 64 : 128;
  config.ways = GetParam() % 2 == 0 ? 2 : 4;
  config.latency_cycles = static_cast<std::uint32_t>(random() % 20);
  config.mshr_entries = 1 + static_cast<std::uint32_t>(random() % 6);
  config.mshr_targets = 1 + static_cast<std::uint32_t>(random() % 3);
  config.dram_queue = 2 + static_cast<std::uint32_t>(random() % 4);
  config.response_queue = 1 + static_cast<std::uint32_t>(random() % 4);
  Rig rig(config, random());
  rig.random_dram = true;
  const unsigned span = 64 * 128;  // four times the slice

  SparseMemory flat;
  struct Expected {
    std::vector<unsigned char> data;
    std::vector<std::uint64_t> old;
  };
  std::map<tlm::tlm_generic_payload*, Expected> expected;
  std::size_t checked = 0, seen = 0;
  int sent = 0;
  while (sent < 4000 || seen < 4000) {
    if (sent < 4000 && rig.slice.can_accept() && random() % 3 != 0) {
      ++sent;
      const unsigned bytes = random() % 4 == 0 ? 32 : config.line_bytes;
      const std::uint64_t address = random() % (span / bytes) * bytes;
      const auto op = static_cast<MemoryOp>(random() % 3);
      MemoryTransaction& t = rig.make(op, address, bytes);
      Expected& e = expected[&t];
      e = {};
      if (op == MemoryOp::kRead) {
        e.data.resize(bytes);
        flat.read(address, e.data.data(), bytes);
      } else if (op == MemoryOp::kWrite) {
        const bool full = random() % 3 == 0;
        for (unsigned i = 0; i < bytes; ++i) {
          t.data[i] = static_cast<unsigned char>(random());
          t.enables[i] = full || random() % 2 == 0 ? 0xff : 0;
        }
        flat.write_enabled(address, t.data.data(), bytes, t.enables.data(), bytes);
      } else {
        t.extension.atomic_op = static_cast<isa::AtomicOp>(random() % 10);
        t.extension.atomic_type = random() % 2 == 0 ? isa::Type::kU32 : isa::Type::kU64;
        const unsigned width = isa::type_bytes(t.extension.atomic_type);
        const unsigned lanes = 1 + static_cast<unsigned>(random() % 32);
        t.extension.atomic_count = static_cast<std::uint8_t>(lanes);
        for (unsigned i = 0; i < lanes; ++i) {
          sim::LaneAtomic& lane = t.extension.atomics[i];
          lane = {.lane = static_cast<std::uint8_t>(i),
                  .offset = static_cast<std::uint8_t>(random() % (bytes / width) * width),
                  .operand = random() % 5,
                  .compare = random() % 5};
          std::uint64_t old = 0;
          flat.read(address + lane.offset, reinterpret_cast<unsigned char*>(&old), width);
          e.old.push_back(old);
          const std::uint64_t value = isa::apply_atomic(t.extension.atomic_op, t.extension.atomic_type, old,
                                                        lane.operand, lane.compare);
          flat.write(address + lane.offset, reinterpret_cast<const unsigned char*>(&value), width);
        }
      }
      rig.slice.accept(t, rig.now);
    }
    rig.step(random() % 3 != 0);
    for (; seen < rig.responses.size(); ++seen) {
      auto* t = static_cast<MemoryTransaction*>(rig.responses[seen].first);
      const Expected& e = expected.at(t);
      ASSERT_TRUE(t->is_response_ok());
      if (!e.data.empty()) {
        ASSERT_EQ(std::memcmp(e.data.data(), t->data.data(), e.data.size()), 0)
            << "read " << t->get_address();
      }
      for (std::size_t i = 0; i < e.old.size(); ++i) ASSERT_EQ(t->extension.atomics[i].old, e.old[i]);
      ++checked;
      t->release();
    }
    ASSERT_LT(rig.now, 2'000'000u) << "the slice hangs";
  }
  EXPECT_EQ(checked, 4000u);
  // Debug reads are coherent even before the last write-backs have reached the DRAM.
  for (std::uint64_t line = 0; line < span; line += config.line_bytes) {
    unsigned char got[sim::kMaxLineBytes], want[sim::kMaxLineBytes];
    flat.read(line, want, config.line_bytes);
    bool found = rig.slice.debug_read(line, got, config.line_bytes);
    for (const Rig::InFlight& f : rig.in_flight) {
      if (found || !f.transfer.write || f.transfer.line != line) continue;
      std::memcpy(got, f.transfer.data.data(), config.line_bytes);
      found = true;
    }
    if (!found) rig.dram.read(line, got, config.line_bytes);
    ASSERT_EQ(std::memcmp(got, want, config.line_bytes), 0) << "line " << line;
  }
  rig.run_until_idle();
  const L2Counters& c = rig.slice.counters();
  std::uint64_t all = 0;
  for (unsigned k = 0; k < 3; ++k) all += c.hits[k] + c.misses[k] + c.merged[k];
  EXPECT_EQ(all, 4000u);
  EXPECT_EQ(c.merged[0] > 0, config.mshr_targets > 1);
  EXPECT_GT(c.write_backs, 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, L2SliceRandom, testing::Range(1, 13));

}  // namespace
}  // namespace heddle::memory
