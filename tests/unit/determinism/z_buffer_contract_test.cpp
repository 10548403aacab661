// What the Z-buffer unit costs and how long it takes (models/determinism/README.md, contract), and its messages.
#include <gtest/gtest.h>

#include "base/config.h"
#include "base/error.h"
#include "determinism/address_space.h"
#include "determinism/color_update.h"
#include "determinism/z_storage.h"
#include "unit/determinism/z_buffer_rig.h"

namespace heddle::determinism::z_buffer_contract_test {
namespace {

using Op = ZBufferModel::L2Request::Op;
using tb::color_update;
using tb::set_word;

ColorUpdate one_word(std::uint64_t chunk, Depth depth) {
  ColorUpdate update = color_update(chunk, depth);
  set_word(update, 0, 1);
  return update;
}

/// A unit whose L2 takes what it is given at once, and answers reads after `fill_after` clocks.
struct Clocked {
  explicit Clocked(const ZBufferConfig& config, base::Cycle fill_after = 10)
      : model(config), fill_after_(fill_after) {}
  void clock() {
    ++now;
    if (!waiting.empty() && model.can_accept()) {
      accepted.push_back(now);
      model.accept(waiting.front(), now);
      waiting.erase(waiting.begin());
    }
    if (!reads_.empty() && reads_.front().second <= now) {
      DepthLine none;
      none.fill(kNoDepth);
      model.fill(reads_.front().first, none, now);
      filled.push_back(now);
      reads_.erase(reads_.begin());
    }
    model.clock(now);
    if (const auto* request = model.l2_request(now)) {
      left.emplace_back(request->op, now);
      if (request->op == Op::kDepthRead) reads_.emplace_back(request->entry, now + fill_after_);
      if (request->op == Op::kColorWrite) model.accepted(request->entry, now);
      model.l2_sent();
    }
    if (model.acknowledge(now)) acked.push_back(now);
  }
  void run(std::size_t acks) {
    for (unsigned i = 0; i < 10'000 && acked.size() < acks; ++i) clock();
    ASSERT_EQ(acked.size(), acks);
  }
  [[nodiscard]] std::vector<base::Cycle> left_at(Op op) const {
    std::vector<base::Cycle> at;
    for (const auto& [what, when] : left)
      if (what == op) at.push_back(when);
    return at;
  }

  ZBufferModel model;
  base::Cycle now = 0;
  std::vector<ColorUpdate> waiting;
  std::vector<base::Cycle> accepted, filled, acked;
  std::vector<std::pair<Op, base::Cycle>> left;

 private:
  base::Cycle fill_after_;
  std::vector<std::pair<std::uint32_t, base::Cycle>> reads_;
};

class Latency : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(Latency, OfMissesAndHits) {
  const std::uint32_t z = GetParam();
  ZBufferConfig config;
  config.latency_cycles = z;
  Clocked unit(config);
  unit.waiting = {one_word(0, 5)};
  unit.run(1);
  const base::Cycle accept = unit.accepted[0];
  EXPECT_EQ(unit.left_at(Op::kDepthRead)[0], accept + 2);           // probed in the first clock after
  EXPECT_EQ(unit.left_at(Op::kColorWrite)[0], unit.filled[0] + 2);  // compared in the first clock after
  EXPECT_EQ(unit.acked[0], unit.filled[0] + 3);                     // accepted at once

  unit.waiting = {one_word(0, 4)};
  unit.run(2);
  EXPECT_EQ(unit.left_at(Op::kColorWrite)[1], unit.accepted[1] + 2 + z);
  EXPECT_EQ(unit.acked[1], unit.accepted[1] + 3 + z);

  unit.waiting = {one_word(0, 6)};  // loses: acknowledged without L2
  unit.run(3);
  EXPECT_EQ(unit.left.size(), 3u);
  EXPECT_EQ(unit.acked[2], unit.accepted[2] + 2 + z);
}

TEST_P(Latency, IntervalOfHits) {
  const std::uint32_t z = GetParam();
  ZBufferConfig config;
  config.latency_cycles = z;
  Clocked unit(config);
  for (std::uint64_t i = 0; i < 8; ++i) unit.waiting.push_back(one_word(128 * i, 5));
  unit.run(8);
  unit.left.clear();
  // One clock each if they are of different chunks ...
  for (std::uint64_t i = 0; i < 40; ++i) unit.waiting.push_back(one_word(128 * (i % 8), 5));
  if (z > 5) unit.waiting.resize(8);  // otherwise a chunk comes again before its comparison
  const std::size_t count = unit.waiting.size();
  unit.run(8 + count);
  EXPECT_EQ(unit.acked.back() - unit.acked[8], count - 1);
  EXPECT_EQ(unit.model.counters().blocked, 0u);
  // ... and z + 1 if they are of one: released and woken in the clock of the comparison, probed in the next.
  for (std::uint64_t i = 0; i < 6; ++i) unit.waiting.push_back(one_word(0, 5));
  const std::size_t before = unit.acked.size();
  unit.run(before + 6);
  EXPECT_EQ(unit.acked.back() - unit.acked[before], 5 * (z + 1));
}

INSTANTIATE_TEST_SUITE_P(Z, Latency, ::testing::Values(1u, 2u, 7u));

TEST(ZBufferContract, ADirtyVictimTakesAClock) {
  ZBufferConfig config;
  config.cache_kib = 1;
  config.cache_ways = 1;
  Clocked unit(config);
  unit.waiting = {one_word(0, 5)};
  unit.run(1);
  unit.left.clear();
  unit.waiting = {one_word(128 * 8, 5)};
  unit.run(2);
  EXPECT_EQ(unit.left_at(Op::kDepthWrite)[0], unit.accepted[1] + 2);
  EXPECT_EQ(unit.left_at(Op::kDepthRead)[0], unit.accepted[1] + 3);
}

TEST(ZBufferContract, TheComparatorGoesToTheFifoFirst) {
  ZBufferModel model{{}};
  model.accept(one_word(0, 5), 0);
  model.clock(1);  // miss
  EXPECT_EQ(model.l2_queued(), 1u);
  DepthLine none;
  none.fill(kNoDepth);
  model.accept(one_word(128, 5), 4);
  model.fill(0, none, 4);
  model.clock(4);
  EXPECT_EQ(model.l2_queued(), 1u) << "what came in this clock is not seen in it";
  model.clock(5);
  EXPECT_EQ(model.counters().color_writes, 1u);
  EXPECT_EQ(model.counters().misses, 1u);
  EXPECT_EQ(model.counters().stalls[static_cast<unsigned>(ZBufferModel::Stall::kL2Port)], 1u);
  model.clock(6);
  EXPECT_EQ(model.counters().misses, 2u);
  EXPECT_EQ(model.l2_queued(), 3u);
}

TEST(ZBufferContract, SkipGoesOnWithOtherSets) {
  for (const SetFull policy : {SetFull::kStall, SetFull::kSkip}) {
    ZBufferConfig config;
    config.cache_ways = 1;
    config.set_full = policy;
    ZBufferModel model(config);
    const std::uint64_t way = std::uint64_t{128} * config.sets();
    for (const std::uint64_t chunk : {std::uint64_t{128}, way + 128, std::uint64_t{256}})
      model.accept(one_word(chunk, 5), 0);
    for (base::Cycle now = 1; now <= 5; ++now) model.clock(now);
    EXPECT_EQ(model.state(1), ZBufferModel::RequestState::kReady);
    EXPECT_EQ(model.state(2) == ZBufferModel::RequestState::kInService, policy == SetFull::kSkip);
  }
}

TEST(ZBufferContract, StorageIsThatOfTheSpecification) {
  const ZBufferConfig config;
  const ZBufferStorage bits = storage_bits(config, 15, 48);
  EXPECT_EQ(bits.cache_data, 131'072u);
  EXPECT_EQ(bits.cache_tags, 3200u);
  EXPECT_EQ(bits.request_buffer, 19'536u);
  EXPECT_EQ(bits.comparator_buffer, 16'576u);
  EXPECT_EQ(bits.comparators, 32u);
  EXPECT_NEAR(static_cast<double>(bits.total()) / 8e3, 21.3, 0.05);  // kB per unit
  ZBufferConfig full = config;
  full.full_depth_packet = true;
  EXPECT_EQ(storage_bits(full, 15, 48).request_buffer, 16u * 2213);
}

TEST(ZBufferContract, SettlingChargesTheClocksThatNobodyRan) {
  const auto run = [](bool every_clock) {
    ZBufferConfig config;
    config.cache_kib = 1;
    config.request_entries = 5;
    ZBufferModel model(config);
    // Five misses of one set: the last stalls until a line is released.
    for (std::uint64_t i = 0; i < 5; ++i) model.accept(one_word(128 * 2 * i, 5), 1 + i);
    base::Cycle due = 1;
    for (base::Cycle now = 1; now <= 100; ++now)
      if (every_clock || now >= due) {
        bool happened = model.clock(now);
        if (model.l2_request(now) != nullptr) {
          model.l2_sent();
          happened = true;
        }
        due = model.next(now, happened);
      }
    model.settle(100);
    return std::vector<std::uint64_t>{
        model.counters().occupancy_cycles, model.counters().full_cycles,
        model.counters().stalls[static_cast<unsigned>(ZBufferModel::Stall::kSetFull)]};
  };
  const auto all = run(true);
  EXPECT_EQ(run(false), all);
  EXPECT_GT(all[2], 80u);
}

// ---- messages, addresses, keys ----

TEST(GpudetGolden, G7ColorUpdateRequest) {
  ChunkData data{};
  CommitRequest entry;
  entry.op = CommitRequest::Op::kSend;
  entry.chunk = 0x1000'0000;
  entry.data = &data;
  entry.mask.set_word(0);
  entry.mask.set_word(1);
  entry.wave_slot = 47;
  entry.depth = -1023;
  data[0] = std::byte{0xaa};
  data[7] = std::byte{0xbb};
  EXPECT_EQ(entry.mask.half[0], 0xFFu);
  EXPECT_EQ(entry.mask.half[1], 0u);
  EXPECT_EQ(touched_words(entry.mask), 0b11u);

  sim::MemoryPool pool;
  const sim::PacketSizes sizes;
  for (const bool full : {false, true}) {
    sim::MemoryTransaction& message = make_color_update(pool, base::PartitionId{3}, entry, full);
    EXPECT_EQ(message.get_address(), 0x1000'0000u);
    EXPECT_EQ(message.extension.partition, base::PartitionId{3});
    EXPECT_EQ(sizes.request_bytes(message, message.extension), full ? 284u : 160u);
    EXPECT_EQ(sizes.response_bytes(message, message.extension), 8u);  // Z_ACK
    const ColorUpdate update = read_color_update(message);
    EXPECT_EQ(update.chunk, entry.chunk);
    EXPECT_EQ(update.mask, entry.mask);
    EXPECT_EQ(update.depth, -1023);
    EXPECT_EQ(update.color, data);
    EXPECT_EQ(message.extension.tag, 47u);
    message.release();
  }
}

TEST(ZBufferAddresses, DepthsAreInTheirWordsPartition) {
  for (const auto& mapping : {memory::interleaved_mapping(), memory::xor_mapping(), memory::ipoly_mapping()})
    for (const std::uint32_t partitions : {1u, 6u, 8u, 11u, 12u}) {
      const memory::AddressMap map(partitions, 256, mapping.make(partitions));
      const AddressSpace space(map);
      for (std::uint64_t color = 0x1000'0000; color < 0x1000'0000 + 64 * 1024; color += 100) {
        const std::uint64_t depth = space.depth_address(color);
        EXPECT_EQ(map.partition(depth), map.partition(color)) << mapping.name;
        EXPECT_EQ(depth % 256, color % 256);
      }
    }
}

TEST(ZBufferAddresses, MemoryThatNobodyWroteHoldsNoDepth) {
  std::array<unsigned char, kChunkBytes> line{};
  for (const Depth depth : load_depths(line.data())) EXPECT_EQ(depth, kNoDepth);
  DepthLine depths{};
  for (unsigned w = 0; w < kChunkWords; ++w)
    depths[w] = w % 2 == 0 ? kNoDepth : -1024 * static_cast<Depth>(w);
  store_depths(depths, line.data());
  EXPECT_EQ(load_depths(line.data()), depths);
  EXPECT_EQ(line[0], 0);
}

TEST(ZBufferMasks, WordsOfBytes) {
  ByteMask mask;
  mask.set_word(3);
  mask.set_word(31);
  mask.set(4 * 7 + 1);
  EXPECT_EQ(touched_words(mask), 1u << 3 | 1u << 31 | 1u << 7);
  EXPECT_EQ(partial_words(mask), 1u << 7);
  EXPECT_EQ(mask.count(), 9u);
  ZBufferModel model{{}};
  ColorUpdate update = color_update(0, 0);
  update.mask = mask;
  EXPECT_THROW(model.accept(update, 0), std::logic_error);
}

std::string refusal(const std::function<void()>& check) {
  try {
    check();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return {};
}

TEST(ZBufferKeys, WhatDoesNotFitIsRefused) {
  ZBufferConfig config;
  EXPECT_EQ(refusal([&] { config.validate("z"); }), "");
  config.cache_ways = 3;
  EXPECT_NE(refusal([&] {
              config.validate("core.determinism.z_buffer");
            }).find("core.determinism.z_buffer.cache_ways"),
            std::string::npos);
  config.cache_kib = 3;
  EXPECT_EQ(refusal([&] { config.validate("z"); }), "");

  memory::MemoryConfig memory;
  EXPECT_EQ(refusal([&] { AddressSpace::validate(memory); }), "");
  memory.l2.line_bytes = 64;
  EXPECT_NE(refusal([&] { AddressSpace::validate(memory); }).find("memory.l2.line_bytes"), std::string::npos);
  memory.l2.line_bytes = 128;
  memory.partition_interleave_bytes = 64;
  EXPECT_NE(refusal([&] { AddressSpace::validate(memory); }).find("partition_interleave_bytes"),
            std::string::npos);
  memory.partition_interleave_bytes = 256;
  memory.dram.addresses = memory::ChannelAddresses::kDense;
  EXPECT_NE(refusal([&] { AddressSpace::validate(memory); }).find("dram.addresses"), std::string::npos);
}

}  // namespace
}  // namespace heddle::determinism::z_buffer_contract_test
