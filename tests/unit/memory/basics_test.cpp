#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/divisor.h"
#include "base/error.h"
#include "memory/address_map.h"
#include "memory/arrival_queue.h"
#include "memory/channel_map.h"
#include "memory/config.h"
#include "memory/l2_shared.h"
#include "sim/memory_payload.h"

namespace heddle::memory::basics_test {
namespace {

TEST(Divisor, DividesEveryNumber) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t value =
        i < 300 ? static_cast<std::uint64_t>(i) + 1 : (random() >> (random() % 64)) | 1;
    const base::Divisor divisor(value);
    const auto check = [&](std::uint64_t x) {
      ASSERT_EQ(divisor.quotient(x), x / value) << x << " / " << value;
      ASSERT_EQ(divisor.remainder(x), x % value) << x << " % " << value;
    };
    for (const std::uint64_t x :
         {std::uint64_t{0}, std::uint64_t{1}, value - 1, value, value + 1, ~std::uint64_t{0}})
      check(x);
    for (int k = 0; k < 100; ++k) check(random() >> (random() % 64));
    for (int k = 0; k < 20; ++k) check(random() / value * value - random() % 2);  // at a multiple
  }
}

TEST(AddressMap, IsInvertibleForAnyNumberOfPartitions) {
  std::mt19937_64 random(1);
  for (std::uint32_t partitions = 1; partitions <= 40; ++partitions) {
    for (const std::uint32_t interleave : {128u, 256u, 4096u}) {
      const AddressMap map(partitions, interleave);
      for (int i = 0; i < 500; ++i) {
        const std::uint64_t address = random() >> (random() % 40);
        const auto partition = map.partition(address);
        EXPECT_EQ(partition.value(), address / interleave % partitions);
        EXPECT_EQ(map.global(partition, map.local(address)), address);
      }
    }
  }
}

TEST(AddressMap, FillsEachChannelWithoutHoles) {
  for (const std::uint32_t partitions : {1u, 3u, 6u, 8u, 11u}) {
    const AddressMap map(partitions, 256);
    std::map<std::uint32_t, std::set<std::uint64_t>> chunks;
    for (std::uint64_t chunk = 0; chunk < std::uint64_t{partitions} * 50; ++chunk) {
      const auto where = map.partition(chunk * 256 + 77);
      EXPECT_EQ(map.local(chunk * 256 + 77) % 256, 77u);
      chunks[where.value()].insert(map.local(chunk * 256 + 77) / 256);
    }
    ASSERT_EQ(chunks.size(), partitions);
    for (const auto& [partition, locals] : chunks) {
      EXPECT_EQ(locals.size(), 50u);
      EXPECT_EQ(*locals.begin(), 0u);
      EXPECT_EQ(*locals.rbegin(), 49u);
    }
  }
}

const std::vector<AddressMapping>& mappings() {
  static const std::vector<AddressMapping> all{interleaved_mapping(), xor_mapping(), ipoly_mapping()};
  return all;
}

TEST(AddressMap, EveryMappingGivesEachPartitionOneChunkOfARound) {
  std::mt19937_64 random(4);
  for (const AddressMapping& mapping : mappings()) {
    for (std::uint32_t partitions : {1u, 2u, 3u, 4u, 6u, 8u, 11u, 12u, 16u, 40u, 64u, 1024u}) {
      const AddressMap map(partitions, 256, mapping.make(partitions));
      for (int i = 0; i < 20; ++i) {
        const std::uint64_t round = random() >> (20 + random() % 40);
        std::set<std::uint32_t> seen;
        for (std::uint32_t position = 0; position < partitions; ++position) {
          const std::uint64_t address = (round * partitions + position) * 256 + random() % 256;
          const auto partition = map.partition(address);
          ASSERT_LT(partition.value(), partitions) << mapping.name;
          seen.insert(partition.value());
          ASSERT_EQ(map.local(address) / 256, round) << mapping.name;
          ASSERT_EQ(map.global(partition, map.local(address)), address) << mapping.name << " " << partitions;
        }
        ASSERT_EQ(seen.size(), partitions) << mapping.name;
      }
    }
  }
}

TEST(AddressMap, XorIsTheParityOfEveryNthBit) {
  std::mt19937_64 random(5);
  for (const unsigned bits : {1u, 2u, 3u, 5u, 10u}) {
    const AddressMap map(1u << bits, 128, xor_mapping().make(1u << bits));
    for (int i = 0; i < 500; ++i) {
      const std::uint64_t address = random() >> (random() % 40);
      std::uint32_t expected = 0;
      for (unsigned b = 0; b < bits; ++b)
        for (unsigned at = 7 + b; at < 64; at += bits)
          expected ^= static_cast<std::uint32_t>(address >> at & 1) << b;
      EXPECT_EQ(map.partition(address).value(), expected);
    }
  }
}

/// dividend modulo divisor, polynomials over GF(2): long division.
std::uint64_t polynomial_remainder(std::uint64_t dividend, std::uint64_t divisor) {
  const int degree = std::bit_width(divisor) - 1;
  for (int at = std::bit_width(dividend) - 1; at >= degree; --at)
    if ((dividend >> at & 1) != 0) dividend ^= divisor << (at - degree);
  return dividend;
}

TEST(AddressMap, IpolyIsTheRemainderOfAnIrreduciblePolynomial) {
  const std::vector<std::vector<unsigned>> exponents{{1, 0},    {2, 1, 0}, {3, 1, 0}, {4, 1, 0},
                                                     {5, 2, 0}, {6, 1, 0}, {7, 1, 0}, {8, 4, 3, 2, 0},
                                                     {9, 4, 0}, {10, 3, 0}};
  std::mt19937_64 random(6);
  for (const auto& terms : exponents) {
    std::uint64_t polynomial = 0;
    for (const unsigned term : terms) polynomial |= std::uint64_t{1} << term;
    const unsigned bits = terms.front();
    for (std::uint64_t factor = 2; factor < std::uint64_t{1} << (bits / 2 + 1); ++factor) {
      if (bits > 1) {
        EXPECT_NE(polynomial_remainder(polynomial, factor), 0u) << "it is reducible";
      }
    }
    const AddressMap map(1u << bits, 128, ipoly_mapping().make(1u << bits));
    for (int i = 0; i < 500; ++i) {
      const std::uint64_t address = random() >> (random() % 40);
      EXPECT_EQ(map.partition(address).value(), polynomial_remainder(address >> 7, polynomial)) << bits;
    }
  }
}

// What they are for: accesses at a distance of whole rounds do not meet in one partition.
TEST(AddressMap, HashedMappingsSpreadStridesOfWholeRounds) {
  for (const std::uint32_t partitions : {4u, 6u, 12u, 16u}) {
    for (const AddressMapping& mapping : mappings()) {
      const AddressMap map(partitions, 256, mapping.make(partitions));
      for (const std::uint64_t rounds : {1u, 2u, 4u, 64u}) {
        std::map<std::uint32_t, unsigned> counts;
        constexpr unsigned kAccesses = 4096;
        for (std::uint64_t i = 0; i < kAccesses; ++i)
          ++counts[map.partition(i * rounds * partitions * 256).value()];
        if (mapping.name == "interleaved") {
          EXPECT_EQ(counts.size(), 1u);
          continue;
        }
        ASSERT_EQ(counts.size(), partitions) << mapping.name << ", " << rounds << " rounds";
        for (const auto& [partition, count] : counts) {
          EXPECT_GT(count, kAccesses / partitions / 2) << mapping.name << " " << partition;
          EXPECT_LT(count, kAccesses / partitions * 2) << mapping.name << " " << partition;
        }
      }
    }
  }
}

TEST(ChannelMap, DenseAddressesAreBelowTheCapacityAndNeverMeet) {
  for (const std::uint32_t partitions : {1u, 2u, 6u, 11u, 1024u}) {
    for (const std::uint32_t interleave : {128u, 256u, 1'048'576u}) {
      const AddressMap map(partitions, interleave);
      const std::uint64_t bytes = 2 << 20;
      const ChannelMap dense(map, bytes);
      // Fills the capacity with chunks of data and code, and adds one more.
      const std::uint64_t chunks = bytes / interleave * partitions - 2 * partitions;
      const std::uint64_t code_chunks = std::min<std::uint64_t>(chunks / 3, 500);
      const std::uint64_t data_end = isa::kGlobalBase + (chunks - code_chunks) * interleave;
      const std::uint64_t code_end = isa::kCodeWindowBase + code_chunks * interleave;
      EXPECT_TRUE(dense.fits(map, data_end, code_end));
      EXPECT_FALSE(dense.fits(map, data_end + 3 * std::uint64_t{partitions} * interleave, code_end));
      EXPECT_FALSE(dense.fits(map, data_end, code_end + 3 * std::uint64_t{partitions} * interleave));
      EXPECT_FALSE(dense.fits(map, std::uint64_t{1} << 40, code_end));
      std::set<std::pair<std::uint32_t, std::uint64_t>> taken;  // chunks, by channel
      const auto take = [&](std::uint64_t global) {
        const std::uint64_t channel = dense.channel(map.local(global));
        ASSERT_LT(channel + interleave - 1, bytes);
        ASSERT_EQ(channel % interleave, 0u);
        ASSERT_EQ(dense.channel(map.local(global + 100)), channel + 100) << "a chunk in pieces";
        ASSERT_TRUE(taken.emplace(map.partition(global).value(), channel).second) << global;
      };
      for (std::uint64_t at = isa::kCodeWindowBase; at < code_end; at += interleave) take(at);
      // The last chunks of data are closest to the code.
      const std::uint64_t some = std::min<std::uint64_t>(chunks - code_chunks, 5000);
      for (std::uint64_t i = 1; i <= some; ++i) take(data_end - i * interleave);
      const ChannelMap sparse;
      EXPECT_EQ(sparse.channel(map.local(isa::kCodeWindowBase)), map.local(isa::kCodeWindowBase));
      EXPECT_TRUE(sparse.fits(map, std::uint64_t{1} << 40, code_end));
    }
  }
}

TEST(HeldLines, ARegionIsFreeWhenAllItsLinesAreGone) {
  HeldLines held;
  held.add(0x3000);
  held.add(0x3f80);
  EXPECT_FALSE(held.none(0x3abc));
  EXPECT_TRUE(held.none(0x2fff));
  EXPECT_TRUE(held.none(0x4000));
  held.remove(0x3000);
  EXPECT_FALSE(held.none(0x3000));
  held.remove(0x3f80);
  EXPECT_TRUE(held.none(0x3abc));
}

TEST(MemoryConfig, DefaultsAreValid) { EXPECT_NO_THROW(MemoryConfig{}.validate()); }

TEST(MemoryConfig, CrossFieldErrorsNameTheKey) {
  const auto place_of = [](auto change) {
    MemoryConfig config;
    change(config);
    try {
      config.validate();
    } catch (const base::InputError& error) {
      EXPECT_FALSE(error.remedy().empty());
      return error.where();
    }
    return std::string("no error");
  };
  for (const std::uint32_t bytes : {64u, 300u})
    EXPECT_EQ(place_of([&](MemoryConfig& c) { c.partition_interleave_bytes = bytes; }),
              "memory.partition_interleave_bytes");
  EXPECT_EQ(place_of([](MemoryConfig& c) { c.l2.ways = 7; }), "memory.l2.size_kib");
  EXPECT_EQ(place_of([](MemoryConfig& c) { c.l2.line_bytes = 96; }), "memory.l2.line_bytes");
  EXPECT_EQ(place_of([](MemoryConfig& c) { c.l2.banks = 3; }), "memory.l2.size_kib");
  EXPECT_EQ(place_of([](MemoryConfig& c) { c.l2.sector_bytes = 16; }), "memory.l2.sector_bytes");
  EXPECT_EQ(place_of([](MemoryConfig& c) { c.l2.sector_bytes = 96; }), "memory.l2.sector_bytes");
  for (const std::uint32_t bytes : {32u, 96u, 256u})  // of whole lines
    EXPECT_EQ(place_of([&](MemoryConfig& c) { c.l2.dram_access_bytes = bytes; }),
              "memory.l2.dram_access_bytes");
  EXPECT_EQ(place_of([](MemoryConfig& c) {
              c.l2.sector_bytes = 32;
              c.l2.dram_access_bytes = 32;
            }),
            "no error");
  for (const auto& [halves, far, place] : {std::tuple{1u, 7u, "memory.l2.await_invalidation"},
                                           {2u, 0u, "memory.l2.await_invalidation"},
                                           {2u, 7u, "no error"}})
    EXPECT_EQ(place_of([&](MemoryConfig& c) {
                c.l2.await_invalidation = true;
                c.l2.halves = halves;
                c.l2.far_cycles = far;
              }),
              place);
  EXPECT_EQ(place_of([](MemoryConfig& c) { c.l2.copies_take_ways = true; }), "memory.l2.copies_take_ways");
  EXPECT_EQ(place_of([](MemoryConfig& c) { c.l2.far_turns = true; }), "memory.l2.far_turns");
  EXPECT_EQ(place_of([](MemoryConfig& c) {
              c.crossbar.coalesced_reads = 4;
              c.crossbar.cluster_cores = 3;
            }),
            "memory.crossbar.coalesced_reads");
  EXPECT_EQ(place_of([](MemoryConfig& c) { c.dram.row_bytes = 3000; }), "memory.dram.row_bytes");
  EXPECT_EQ(place_of([](MemoryConfig& c) { c.dram.bank_interleave_bytes = 64; }),
            "memory.dram.bank_interleave_bytes");
  EXPECT_EQ(place_of([](MemoryConfig& c) { c.dram.t_rc = 20; }), "memory.dram.tRC");
  EXPECT_EQ(place_of([](MemoryConfig& c) { c.dram.t_wl = 40; }), "memory.dram.tWL");
  EXPECT_EQ(place_of([](MemoryConfig& c) { c.dram.t_rtw = 9; }), "memory.dram.tRTW");
  EXPECT_EQ(place_of([](MemoryConfig& c) { c.dram.t_refi = 100; }), "memory.dram.tREFI");
  EXPECT_EQ(place_of([](MemoryConfig& c) { c.dram.t_rcd = 4000; }), "memory.dram.tREFI")
      << "a refresh would close every row before its column command";
  EXPECT_EQ(place_of([](MemoryConfig& c) { c.dram.t_rcdwr = 4000; }), "memory.dram.tREFI");
  EXPECT_EQ(place_of([](MemoryConfig& c) { c.dram.bank_groups = 17; }), "memory.dram.bank_groups");
  EXPECT_EQ(place_of([](MemoryConfig& c) {
              c.partitions = 7;
              c.dram.banks = 11;
              c.dram.row_bytes = 3 * 128;
              c.dram.bank_interleave_bytes = 5 * 128;
              c.dram.burst_bytes = 48;
            }),
            "no error");
}

TEST(MemoryConfig, LoadsFromTextAndRejectsUnknownKeys) {
  base::ConfigSource source;
  source.add_text("partitions: 5\ndram:\n  tCL: 9\nl2:\n  ways: 16\n", "test.yaml");
  MemoryConfig config;
  base::load_config(source, config);
  EXPECT_EQ(config.partitions, 5u);
  EXPECT_EQ(config.dram.t_cl, 9u);
  EXPECT_EQ(config.l2.sets(), 64u);
  source.add_text("dram:\n  tCLL: 9\n", "typo.yaml");
  EXPECT_THROW(base::load_config(source, config), base::InputError);
}

TEST(MemoryPool, ReusesTransactionsAndCountsThem) {
  sim::MemoryPool pool;
  sim::MemoryTransaction& first = pool.allocate(sim::MemoryOp::kWrite, 0x100, 128);
  EXPECT_EQ(first.get_extension<sim::MemoryExtension>(), &first.extension);
  EXPECT_EQ(pool.in_use(), 1u);
  first.enables[5] = 0xff;
  first.acquire();
  first.release();
  EXPECT_EQ(pool.in_use(), 1u);
  first.release();
  EXPECT_EQ(pool.in_use(), 0u);
  sim::MemoryTransaction& again = pool.allocate(sim::MemoryOp::kWrite, 0x200, 128);
  EXPECT_EQ(&again, &first);
  EXPECT_EQ(again.enables[5], 0);
  EXPECT_EQ(again.get_address(), 0x200u);
  EXPECT_EQ(again.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
  EXPECT_EQ(pool.created(), 1u);
  EXPECT_THROW(pool.allocate(sim::MemoryOp::kRead, 0, sim::kMaxLineBytes + 1), std::length_error);
  again.release();
}

TEST(MemoryPool, ReusesTransactionsForMessages) {
  constexpr auto kOwner = sim::message_owner("KTM1");
  EXPECT_EQ(sim::name_of(kOwner), "KTM1");
  sim::MemoryPool pool;
  sim::MemoryTransaction& message = pool.allocate_message(base::PartitionId{3}, kOwner, 7);
  EXPECT_EQ(message.extension.op, sim::MemoryOp::kMessage);
  EXPECT_EQ(message.get_command(), tlm::TLM_IGNORE_COMMAND);
  EXPECT_EQ(message.extension.partition, base::PartitionId{3});
  EXPECT_EQ(message.extension.message.owner, kOwner);
  EXPECT_EQ(message.extension.message.kind, 7);
  message.extension.message.posted = true;
  message.extension.message.word_count = 5;
  message.extension.message.request_bytes = message.extension.message.answer_bytes = 99;
  EXPECT_TRUE(message.extension.posted());
  message.release();
  // Fields left by an earlier message must not affect other transactions.
  sim::MemoryTransaction& read = pool.allocate(sim::MemoryOp::kRead, 0, 128);
  EXPECT_EQ(&read, &message);
  EXPECT_FALSE(read.extension.posted());
  read.release();
  sim::MemoryTransaction& image = pool.allocate(sim::MemoryOp::kMessage, 0x100, 128);
  EXPECT_EQ(&image, &message);
  EXPECT_FALSE(image.extension.posted());
  EXPECT_EQ(image.extension.message.word_count, 0);
  EXPECT_EQ(image.get_byte_enable_length(), 128u) << "a line image has byte enables";
  EXPECT_EQ(image.enables[127], 0);
  const sim::PacketSizes sizes{8};
  EXPECT_EQ(sizes.request_bytes(image, image.extension), 8u);
  image.extension.message.request_bytes = 152;
  image.extension.message.answer_bytes = 3;
  EXPECT_EQ(sizes.request_bytes(image, image.extension), 160u) << "as its sender says";
  EXPECT_EQ(sizes.response_bytes(image, image.extension), 11u);
  image.release();
}

TEST(ArrivalQueue, IsInOrderOfTimeThenOfAnnouncement) {
  // Any targets: most of a channel that announces in order, some late ones in between.
  std::mt19937 random(5);
  std::vector<std::unique_ptr<DramTransaction>> made;
  std::multimap<base::Cycle, DramTransaction*> expected;  // equal keys stay in order of insertion
  ArrivalQueue queue;
  EXPECT_EQ(queue.next(), base::kNever);
  base::Cycle now = 100;
  for (unsigned step = 0; step < 3000; ++step) {
    if (random() % 3 != 0) {
      DramTransaction& t = *made.emplace_back(std::make_unique<DramTransaction>(nullptr));
      const base::Cycle cycle = now + (random() % 4 == 0 ? random() % 30 : 30);
      queue.push(t, cycle);
      expected.emplace(cycle, &t);
    } else if (!expected.empty()) {
      EXPECT_EQ(&queue.pop(), expected.begin()->second);
      expected.erase(expected.begin());
    }
    EXPECT_EQ(queue.next(), expected.empty() ? base::kNever : expected.begin()->first);
    now += random() % 2;
  }
  EXPECT_GT(expected.size(), 100u);  // it has grown, and gone round
}

TEST(PacketSizes, CountHeaderDataSectorsAndLanes) {
  sim::MemoryPool pool;
  const sim::PacketSizes sizes{8};
  sim::MemoryTransaction& read = pool.allocate(sim::MemoryOp::kRead, 0, 128);
  EXPECT_EQ(sizes.request_bytes(read, read.extension), 8u);
  EXPECT_EQ(sizes.response_bytes(read, read.extension), 136u);
  read.extension.wanted_sectors = 0b0101;
  EXPECT_EQ(sizes.request_bytes(read, read.extension), 8u);
  EXPECT_EQ(sizes.response_bytes(read, read.extension), 8u + 64);
  read.extension.wanted_sectors = 0b1000'0000;  // not in the payload
  EXPECT_EQ(sizes.response_bytes(read, read.extension), 8u);
  sim::MemoryTransaction& write = pool.allocate(sim::MemoryOp::kWrite, 0, 128);
  write.enables[3] = write.enables[4] = 0xff;
  EXPECT_EQ(sizes.request_bytes(write, write.extension), 40u);
  write.enables[127] = 0xff;
  EXPECT_EQ(sizes.request_bytes(write, write.extension), 72u);
  EXPECT_EQ(sizes.response_bytes(write, write.extension), 8u);
  sim::MemoryTransaction& atomic = pool.allocate(sim::MemoryOp::kAtomic, 0, 128);
  atomic.extension.atomic_op = isa::AtomicOp::kCas;
  atomic.extension.atomic_type = isa::Type::kU64;
  atomic.extension.atomic_count = 3;
  EXPECT_EQ(sizes.request_bytes(atomic, atomic.extension), 8u + 2 * 3 * 8);
  EXPECT_EQ(sizes.response_bytes(atomic, atomic.extension), 8u + 3 * 8);
  atomic.extension.atomic_returns = false;
  EXPECT_EQ(sizes.response_bytes(atomic, atomic.extension), 8u);
  for (sim::MemoryTransaction* t : {&read, &write, &atomic}) t->release();
}

}  // namespace
}  // namespace heddle::memory::basics_test
