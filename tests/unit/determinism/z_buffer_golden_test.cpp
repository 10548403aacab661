// The worked examples that concern the Z-buffer unit ([GPUDet:G8] to [GPUDet:G12]), table-exact.
#include <gtest/gtest.h>

#include "unit/determinism/z_buffer_rig.h"

namespace heddle::determinism::z_buffer_golden_test {
namespace {

using tb::color_update;
using tb::LogEntry;
using tb::set_word;
using testing::Rig;
using State = ZBufferModel::RequestState;

constexpr DepthFormat kFormat{10, 32};

ByteMask words(std::initializer_list<unsigned> list) {
  ByteMask mask;
  for (const unsigned w : list) mask.set_word(w);
  return mask;
}

LogEntry entry(std::uint32_t wave, std::uint32_t quantum, std::uint64_t chunk,
               std::initializer_list<std::pair<unsigned, std::uint32_t>> values) {
  LogEntry result{wave, color_update(chunk, kFormat.depth(wave, quantum))};
  for (const auto& [word, value] : values) set_word(result.update, word, value);
  return result;
}

TEST(GpudetGolden, G8DepthArithmetic) {
  struct Row {
    std::uint32_t quantum, gwid;
    Depth depth;
    std::uint32_t bits;
  };
  constexpr Row kRows[] = {{0, 0, 0, 0x00000000},
                           {0, 719, 719, 0x000002CF},
                           {1, 0, -1024, 0xFFFFFC00},
                           {1, 1, -1023, 0xFFFFFC01},
                           {1, 719, -305, 0xFFFFFECF},
                           {2, 0, -2048, 0xFFFFF800},
                           {2, 719, -1329, 0xFFFFFACF},
                           {3, 0, -3072, 0xFFFFF400},
                           {3, 1, -3071, 0xFFFFF401},
                           {3, 719, -2353, 0xFFFFF6CF},
                           {2'097'152, 0, INT32_MIN, 0x80000000},
                           {2'097'152, 719, -2147482929, 0x800002CF}};
  for (const Row& row : kRows) {
    EXPECT_EQ(kFormat.depth(row.gwid, row.quantum), row.depth);
    EXPECT_EQ(static_cast<std::uint32_t>(row.depth), row.bits);
  }
  EXPECT_EQ(wavefront_bits(720), 10u);
  EXPECT_EQ(kFormat.last_quantum(), 2'097'152u);
  EXPECT_EQ(DepthFormat::gwid(14, 48, 47), 719u);

  // A word written by wavefront 0 in quantum 1 and by wavefront 719 in quantum 2 is overwritten.
  Rig rig({});
  rig.arrive(entry(0, 1, 0, {{0, 0xA}}));
  rig.arrive(entry(719, 2, 0, {{0, 0xB}}));
  ASSERT_TRUE(rig.run());
  EXPECT_EQ(rig.memory.word(0, 0), 0xBu);
  EXPECT_EQ(rig.depths(0)[0], -1329);
}

TEST(GpudetGolden, G9EveryOrderOfArrival) {
  struct Row {
    std::vector<unsigned> order;
    std::vector<ByteMask> masks;
    std::uint64_t color_words;
  };
  const Row rows[] = {{{0, 1, 719}, {words({0, 1}), words({2}), words({3})}, 4},
                      {{0, 719, 1}, {words({0, 1}), words({2, 3}), words({2})}, 5},
                      {{1, 0, 719}, {words({1, 2}), words({0, 1}), words({3})}, 5},
                      {{1, 719, 0}, {words({1, 2}), words({0, 3}), words({0, 1})}, 6},
                      {{719, 0, 1}, {words({0, 2, 3}), words({0, 1}), words({2})}, 6},
                      {{719, 1, 0}, {words({0, 2, 3}), words({1, 2}), words({0, 1})}, 7}};
  constexpr std::uint64_t kChunk = 0x1000'0000;
  const std::map<unsigned, LogEntry> logs{{0, entry(0, 3, kChunk, {{0, 0xA0}, {1, 0xA1}})},
                                          {1, entry(1, 3, kChunk, {{1, 0xB1}, {2, 0xB2}})},
                                          {719, entry(719, 3, kChunk, {{0, 0xC0}, {2, 0xC2}, {3, 0xC3}})}};
  for (const Row& row : rows) {
    Rig rig({});
    for (const unsigned wave : row.order) rig.arrive(logs.at(wave));
    ASSERT_TRUE(rig.run());
    EXPECT_EQ(rig.result_masks, row.masks);
    EXPECT_EQ(rig.model.counters().color_words, row.color_words);
    const std::uint32_t values[] = {0xA0, 0xA1, 0xB2, 0xC3};
    const Depth depths[] = {-3072, -3072, -3071, -2353, kNoDepth};
    for (unsigned w = 0; w < 4; ++w) EXPECT_EQ(rig.memory.word(kChunk, w), values[w]);
    for (unsigned w = 0; w < 5; ++w) EXPECT_EQ(rig.depths(kChunk)[w], depths[w]);
    EXPECT_EQ(rig.acks.size(), 3u);
  }
}

// Wavefront 4 stores 0x11, then 0x22 to a word, wavefront 6 stores 0x33 after `position` of these. With wavefront 6 in front
// both wait for its line, with wavefront 6 between them they do not meet.
TEST(GpudetGolden, G10TwoEntriesOfOneWavefront) {
  for (unsigned position = 0; position < 3; ++position) {
    std::vector<LogEntry> order{entry(4, 1, 0, {{7, 0x11}}), entry(4, 1, 0, {{7, 0x22}})};
    order.insert(order.begin() + position, entry(6, 1, 0, {{7, 0x33}}));
    Rig rig({});
    for (const LogEntry& e : order) rig.arrive(e);
    EXPECT_TRUE(rig.run());
    EXPECT_EQ(rig.memory.word(0, 7), 0x22u);
  }
}

/// States of request buffer entries and lines of the table of G11.
struct Trace {
  ZBufferModel model{{}};
  [[nodiscard]] std::string requests() const {
    std::string text;
    for (std::uint32_t e = 0; e < 4; ++e) text += "-RBI"[static_cast<unsigned>(model.state(e))];
    return text;
  }
  [[nodiscard]] std::string line(std::uint64_t chunk) const {
    const std::uint32_t line = model.cache().find(chunk);
    if (line == ZCache::kNone) return "-";
    if (model.cache().state(line) == ZCache::State::kLocked) return "locked";
    return "valid(" + std::to_string(model.cache().depths(line)[0]) + ")";
  }
  /// What leaves to L2 in this step, taken and accepted at once, and the acknowledgements that follow.
  std::string leaves(base::Cycle now) {
    std::string text;
    while (const ZBufferModel::L2Request* request = model.l2_request(now + 1)) {
      const bool read = request->op == ZBufferModel::L2Request::Op::kDepthRead;
      text += std::string(text.empty() ? "" : ", ") + (read ? "read " : "write ") +
              (request->chunk == 0 ? "A" : "B");
      if (!read) text += "=" + std::to_string(std::to_integer<unsigned>(request->color[0]));
      if (!read) model.accepted(request->entry, now);
      model.l2_sent();
    }
    while (const auto entry = model.acknowledge(now + 1)) text += ", ack R" + std::to_string(*entry);
    return text;
  }
};

TEST(GpudetGolden, G11TraceWithLockAndBlock) {
  constexpr std::uint64_t kA = 0, kB = 128;
  Trace t;
  DepthLine none;
  none.fill(kNoDepth);
  const LogEntry requests[] = {entry(5, 1, kA, {{0, 5}}), entry(2, 1, kA, {{0, 2}}),
                               entry(7, 1, kB, {{0, 7}}), entry(9, 1, kA, {{0, 9}})};
  constexpr Depth kDepths[] = {-1019, -1022, -1017, -1015};
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(requests[i].update.depth, kDepths[i]);
    EXPECT_EQ(t.model.accept(requests[i].update, i), i);
  }
  struct Row {
    const char *requests, *a, *b;
    unsigned comparators;
    const char* l2;
  };
  const auto expect = [&t](unsigned step, const Row& row) {
    EXPECT_EQ(t.leaves(step), row.l2) << "step " << step;
    EXPECT_EQ(t.requests(), row.requests) << "step " << step;
    EXPECT_EQ(t.line(kA), row.a) << "step " << step;
    EXPECT_EQ(t.line(kB), row.b) << "step " << step;
    EXPECT_EQ(t.model.comparators_in_use(), row.comparators) << "step " << step;
  };
  expect(10, {"RRRR", "-", "-", 0, ""});
  t.model.schedule(20);
  expect(20, {"IRRR", "locked", "-", 1, "read A"});
  t.model.schedule(30);
  expect(30, {"IBRR", "locked", "-", 1, ""});
  t.model.schedule(40);
  expect(40, {"IBIR", "locked", "locked", 2, "read B"});
  t.model.schedule(50);
  expect(50, {"IBIB", "locked", "locked", 2, ""});
  t.model.fill(1, none, 59);
  t.model.compare(60);
  expect(60, {"IB-B", "locked", "valid(-1017)", 1, "write B=7, ack R2"});
  t.model.fill(0, none, 69);
  t.model.compare(70);
  expect(70, {"-R-R", "valid(-1019)", "valid(-1017)", 0, "write A=5, ack R0"});
  t.model.schedule(80);
  t.model.compare(81);
  expect(81, {"---R", "valid(-1022)", "valid(-1017)", 0, "write A=2, ack R1"});
  t.model.schedule(90);
  t.model.compare(91);
  expect(91, {"----", "valid(-1022)", "valid(-1017)", 0, ", ack R3"});
  EXPECT_EQ(t.model.counters().losers, 1u);
  EXPECT_EQ(t.model.counters().misses, 2u);
  EXPECT_EQ(t.model.counters().hits, 2u);
  EXPECT_EQ(t.model.counters().blocked, 2u);
}

TEST(GpudetGolden, G11AnUnfinishedComparisonBlocksAgain) {
  Trace t;
  DepthLine none;
  none.fill(kNoDepth);
  for (const std::uint32_t wave : {5u, 2u, 9u}) t.model.accept(entry(wave, 1, 0, {{0, wave}}).update, 0);
  for (base::Cycle now = 1; now <= 3; ++now) t.model.schedule(now);
  EXPECT_EQ(t.requests(), "IBB-");
  t.model.fill(0, none, 4);
  t.model.compare(5);
  EXPECT_EQ(t.requests(), "IRR-");  // in service until L2 has accepted the colours
  t.model.schedule(6);
  t.model.schedule(7);  // the comparison of R1 is not finished
  EXPECT_EQ(t.requests(), "IIB-");
  t.model.compare(8);
  EXPECT_EQ(t.requests(), "IIR-");
  t.model.schedule(9);
  t.model.compare(10);
  EXPECT_EQ(t.leaves(11), "read A, write A=5, write A=2, ack R2, ack R0, ack R1");
  EXPECT_EQ(t.line(0), "valid(-1022)");
}

TEST(GpudetGolden, G12SetFull) {
  const ZBufferConfig config;
  ASSERT_EQ(config.sets(), 32u);
  for (const SetFull policy : {SetFull::kStall, SetFull::kSkip}) {
    ZBufferConfig with = config;
    with.set_full = policy;
    Rig rig(with, {.most_fill = 40});
    for (std::uint32_t i = 0; i < 5; ++i)
      rig.arrive(entry(i, 1, std::uint64_t{128} * (32 * i + 5), {{i, i + 1}}));
    EXPECT_TRUE(rig.run());
    for (std::uint32_t i = 0; i < 5; ++i)
      EXPECT_EQ(rig.memory.word(std::uint64_t{128} * (32 * i + 5), i), i + 1);
    EXPECT_EQ(rig.acks.size(), 5u);
    EXPECT_GT(rig.model.counters().stalls[static_cast<unsigned>(ZBufferModel::Stall::kSetFull)], 20u);
  }
}

TEST(GpudetGolden, G19DepthReset) {
  Rig rig({.cache_kib = 1});
  // 20 chunks, so that depths are in memory as well as in the 8 lines of the Z-cache.
  for (std::uint32_t i = 0; i < 20; ++i)
    rig.arrive(entry(3, kFormat.last_quantum(), std::uint64_t{128} * i, {{0, 0x1111}}));
  ASSERT_TRUE(rig.run());
  rig.model.reset_depths();  // write-backs may still be in the FIFO
  ASSERT_TRUE(rig.drain());
  for (std::uint32_t i = 0; i < 20; ++i) rig.arrive(entry(719, 0, std::uint64_t{128} * i, {{0, 0x2222}}));
  ASSERT_TRUE(rig.run());
  for (std::uint32_t i = 0; i < 20; ++i) EXPECT_EQ(rig.memory.word(std::uint64_t{128} * i, 0), 0x2222u);
  EXPECT_EQ(rig.model.counters().resets, 1u);
}

}  // namespace
}  // namespace heddle::determinism::z_buffer_golden_test
