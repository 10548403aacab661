// The load/store unit with its caches and shared memory, cycle by cycle.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>

#include "unit/core/lsu_rig.h"

namespace heddle::core::lsu_test {
namespace {

TEST_F(Lsu, BankPassesAfterTheFirstAreReplaysOfTheirWarp) {
  address(1, 0, 16);  // four words of each bank
  const LsuRequest issued = bench_->issue(shared_load_, 1);
  EXPECT_EQ(issued.transactions, 0u);
  EXPECT_EQ(issued.extra_passes, 3u);
  for (unsigned pass = 0; pass < 6; ++pass) {
    const LsuRequest tick = bench_->tick();
    EXPECT_EQ(tick.replay, pass >= 1 && pass < 4) << pass;
    if (tick.replay) {
      EXPECT_EQ(tick.replay_warp, WarpId{1});
    }
    if (pass < 3) {
      EXPECT_EQ(tick.next_due, bench_->cycle + 1) << "a replay comes";
    }
  }
  EXPECT_EQ(count("lsu.replays.bank_conflict"), 3u);
  while (bench_->finished.empty()) bench_->tick();
  EXPECT_EQ(bench_->finished[0], 100 + config_.shared_memory.latency_cycles + 3);
}

TEST_F(Lsu, FurtherLinesAndConstantsAreReplaysWhenTheyAreServed) {
  address(0, bench_->base, 64);  // 16 lines
  address(2, 0, 8);              // 32 parameters
  const LsuRequest lines = bench_->issue(load_, 0);
  EXPECT_EQ(lines.transactions, 16u);
  EXPECT_EQ(lines.extra_passes, 15u);
  const LsuRequest constants = bench_->issue(param_load_, 2);
  EXPECT_EQ(constants.transactions, 0u);
  EXPECT_EQ(constants.extra_passes, 31u);
  unsigned replays[4] = {};
  for (unsigned cycle = 0; cycle < 200; ++cycle) {
    const LsuRequest tick = bench_->tick();
    if (tick.replay) ++replays[tick.replay_warp.value()];
    if (bench_->sent.size() > 3 || cycle > 100)
      while (!bench_->sent.empty()) bench_->respond(static_cast<unsigned char>(cycle));
  }
  EXPECT_EQ(replays[0], 15u);
  EXPECT_EQ(replays[2], 31u) << "a pass that must wait for an MSHR is replayed when it gets one";
  EXPECT_EQ(count("lsu.replays.uncoalesced"), 15u);
  EXPECT_EQ(count("lsu.replays.constant"), 31u);
  EXPECT_EQ(bench_->finished.size(), 2u);
}

class LsuWithoutReplay : public Lsu {
  void change(CoreConfig& config) override { config.lsu.replay_issue = false; }
};

TEST_F(LsuWithoutReplay, PassesTakeTimeButNoIssueSlots) {
  address(1, 0, 16);
  bench_->issue(shared_load_, 1);
  const LsuRequest first = bench_->tick();
  EXPECT_GT(first.next_due, bench_->cycle + 3) << "nothing to tell the core before the write-back";
  for (unsigned pass = 0; pass < 10; ++pass) EXPECT_FALSE(bench_->tick().replay);
  EXPECT_EQ(count("lsu.replays.bank_conflict"), 3u) << "counted all the same";
}

TEST_F(Lsu, CoalescedAccessesHaveOneTransactionAndNoReplay) {
  address(0, bench_->base + 256, 4);
  const LsuRequest issued = bench_->issue(load_, 0);
  EXPECT_EQ(issued.transactions, 1u);
  EXPECT_EQ(issued.extra_passes, 0u);
  EXPECT_FALSE(bench_->tick().replay);
  ASSERT_EQ(bench_->sent.size(), 1u);
  bench_->respond(3);
  bench_->tick();
  bench_->tick();
  ASSERT_EQ(bench_->finished.size(), 1u);
  EXPECT_EQ(value(0, 31), 0x03030303u);
  EXPECT_EQ(bench_->warps[0].memory_outstanding, 0u);
}

TEST_F(Lsu, AWriteBackPortThatIsTakenPutsTheEndOff) {
  address(0, 0, 0);
  bench_->issue(shared_load_, 0);
  bench_->registers_late = 3;
  for (unsigned i = 0; i < 40; ++i) bench_->tick();
  ASSERT_EQ(bench_->finished.size(), 1u);
  EXPECT_EQ(bench_->finished[0], 100 + config_.shared_memory.latency_cycles + 3);
}

TEST_F(Lsu, QueueFillsUpAndStallsAreChargedWhileSleeping) {
  bench_->room = false;
  address(0, bench_->base, 4);
  for (unsigned i = 0; i < config_.lsu.queue_entries; ++i) bench_->issue(store_, 0);
  EXPECT_TRUE(bench_->full);
  const LsuRequest stalled = bench_->tick();
  EXPECT_TRUE(stalled.wants_port);
  EXPECT_EQ(stalled.next_due, kNever);
  bench_->cycle += 40;  // not evaluated in between
  bench_->room = true;
  const LsuRequest moving = bench_->tick();
  EXPECT_FALSE(moving.full);
  EXPECT_EQ(moving.next_due, bench_->cycle + 1);
  EXPECT_EQ(count("lsu.port_stall_cycles"), 41u);
  EXPECT_EQ(bench_->warps[0].order_outstanding, config_.lsu.queue_entries - 1);
  EXPECT_EQ(bench_->warps[0].memory_outstanding, config_.lsu.queue_entries);
}

class LsuWithSmallL1 : public Lsu {
  void change(CoreConfig& config) override {
    config.l1d.size_kib = 1;
    config.l1d.ways = 2;
  }
};

TEST_F(LsuWithSmallL1, KeptStoresArePerformedAtOnceAndReplacedLinesGoFirst) {
  address(0, 0, 0);
  bench_->issue(local_store_, 0);
  bench_->tick();
  bench_->tick();
  EXPECT_TRUE(bench_->sent.empty());
  EXPECT_EQ(bench_->warps[0].memory_outstanding, 0u) << "performed in L1";
  // Lines 0x200 apart share a set: the third replaces the first, whose write leaves before the read that
  // fetches the line again.
  for (const std::uint64_t offset : {16u, 32u}) {  // 4 words of 128 bytes: lines 0x200 apart
    address(0, offset, 0);
    bench_->issue(local_store_, 0);
    bench_->tick();
  }
  address(0, 0, 0);
  bench_->issue(local_load_, 0);
  for (unsigned i = 0; i < 4; ++i) bench_->tick();
  ASSERT_EQ(bench_->sent.size(), 2u);
  EXPECT_EQ(bench_->sent[0]->extension.op, sim::MemoryOp::kWrite);
  EXPECT_EQ(bench_->sent[0]->get_address(), bench_->launch.local_base);
  EXPECT_EQ(bench_->sent[0]->enables[127], 0xff);
  EXPECT_EQ(bench_->sent[1]->extension.op, sim::MemoryOp::kRead);
  EXPECT_EQ(bench_->sent[1]->get_address(), bench_->launch.local_base);
  EXPECT_EQ(bench_->warps[0].memory_outstanding, 2u) << "the load, and the line on its way";
  bench_->respond(0);
  EXPECT_EQ(bench_->warps[0].memory_outstanding, 1u);
  bench_->respond(0);  // the fill evicts another dirty line
  bench_->tick();
  bench_->tick();
  EXPECT_EQ(bench_->sent.size(), 1u);
  EXPECT_EQ(bench_->warps[0].memory_outstanding, 1u);
  bench_->respond(0);
  EXPECT_EQ(bench_->warps[0].memory_outstanding, 0u);
}

TEST_F(LsuWithSmallL1, AReplacedLineWaitsForRoomAndHoldsBackWhatNeedsThePort) {
  for (const std::uint64_t offset : {0u, 16u}) {
    address(0, offset, 0);
    bench_->issue(local_store_, 0);
    bench_->tick();
  }
  bench_->room = false;
  address(0, 32, 0);
  bench_->issue(local_store_, 0);
  EXPECT_TRUE(bench_->tick().wants_port);
  address(1, bench_->base, 4);
  bench_->issue(load_, 1);
  EXPECT_EQ(bench_->tick().next_due, kNever);
  bench_->room = true;
  bench_->tick();
  ASSERT_EQ(bench_->sent.size(), 2u) << "the line, and then the read, which waited in the same place";
  EXPECT_EQ(bench_->sent[0]->extension.op, sim::MemoryOp::kWrite);
}

TEST_F(LsuWithSmallL1, QuestionsFindBytesWhereverTheyAre) {
  using Ask = LsuInspection::Ask;
  const std::uint64_t first = bench_->launch.local_base;
  const auto finds = [&](Ask ask, std::uint64_t at) { return bench_->ask({.ask = ask, .address = at}); };
  EXPECT_FALSE(finds(Ask::kHeldByte, first).yes);
  std::memset(bench_->warps[0].registers.data() + 256, 0x5a, 128);
  for (const std::uint64_t offset : {0u, 16u}) {
    address(0, offset, 0);
    bench_->issue(local_store_, 0);
    bench_->tick();
  }
  EXPECT_EQ(finds(Ask::kUnwrittenByte, first + 3).value, std::byte{0x5a});
  EXPECT_TRUE(finds(Ask::kHeldByte, first + 3).yes);
  EXPECT_FALSE(finds(Ask::kDisplacedByte, first + 3).yes);
  address(0, 32, 0);
  bench_->issue(local_store_, 0);  // evicts the first line
  bench_->tick();
  EXPECT_FALSE(finds(Ask::kHeldByte, first + 3).yes);
  EXPECT_EQ(finds(Ask::kDisplacedByte, first + 3).value, std::byte{0x5a});
  bench_->tick();
  bench_->respond(0);
  EXPECT_FALSE(finds(Ask::kDisplacedByte, first + 3).yes) << "L2 has it";

  address(1, bench_->base, 4);
  bench_->issue(load_, 1);
  bench_->tick();
  EXPECT_TRUE(finds(Ask::kFetched, bench_->base + 5).yes);
  EXPECT_FALSE(finds(Ask::kFetched, bench_->base + 512).yes);
  std::vector<PendingLoad> pending;
  (void)bench_->ask({.ask = Ask::kPendingLoads, .warp = WarpId{1}, .pending = &pending});
  EXPECT_EQ(pending.size(), 1u);

  address(2, bench_->base + 1024, 4);
  bench_->issue(store_, 2);
  LsuRequest next;
  next.op = LsuRequest::Op::kNextWriteGeneration;
  EXPECT_FALSE(bench_->ask({.ask = Ask::kOldWrites}).yes);
  bench_->lsu_isock.call(next);
  EXPECT_TRUE(bench_->ask({.ask = Ask::kOldWrites}).yes);
  bench_->tick();
  while (!bench_->sent.empty()) bench_->respond(0);
  for (unsigned i = 0; i < 4; ++i) bench_->tick();
  EXPECT_FALSE(bench_->ask({.ask = Ask::kOldWrites}).yes);
}

// core.memory_model=scoped.
class ScopedLsu : public Lsu {
 protected:
  void change(CoreConfig& config) override { config.memory_model = MemoryModel::kScoped; }
  void call(LsuRequest::Op op, bool sends_messages = true) {
    LsuRequest request;
    request.op = op;
    request.sends_messages = sends_messages;
    request.cycle = bench_->cycle;
    bench_->lsu_isock.call(request);
    mark_ = request.mark;
  }
  bool performed() { return bench_->ask({.ask = LsuInspection::Ask::kPerformed, .mark = mark_}).yes; }
  WriteOrder::Mark mark_ = 0;
};

TEST_F(ScopedLsu, AnAcquireHidesWhatWasRequestedBeforeIt) {
  address(0, bench_->base, 4);
  address(1, bench_->base, 4);
  bench_->issue(load_, 0);
  bench_->tick();
  ASSERT_EQ(bench_->sent.size(), 1u);
  call(LsuRequest::Op::kAcquire);
  bench_->issue(load_, 1);  // a hit under the miss, but for the acquire
  bench_->tick();
  EXPECT_EQ(bench_->sent.size(), 1u) << "L1 clears its valid bits";
  bench_->tick();
  ASSERT_EQ(bench_->sent.size(), 2u);
  bench_->respond(1);
  bench_->respond(2);
  for (unsigned i = 0; i < 40; ++i) bench_->tick();
  EXPECT_EQ(value(0, 0), 0x01010101u);
  EXPECT_EQ(value(1, 0), 0x02020202u);
  bench_->issue(load_, 0);
  bench_->tick();
  EXPECT_EQ(bench_->sent.size(), 1u) << "neither was installed";
  EXPECT_EQ(count("lsu.acquires"), 1u);
}

TEST_F(ScopedLsu, AStrongLoadPassesL1UnlessItsScopeIsTheCta) {
  address(0, bench_->base, 4);
  bench_->issue(load_, 0);
  bench_->tick();
  bench_->respond(1);
  for (unsigned i = 0; i < 40; ++i) bench_->tick();
  isa::Instruction strong = load_;
  strong.cache_op = isa::CacheOp::kVolatile;
  strong.scope = isa::MemoryScope::kCta;
  bench_->issue(strong, 0);
  for (unsigned i = 0; i < 40; ++i) bench_->tick();
  EXPECT_TRUE(bench_->sent.empty());
  EXPECT_EQ(value(0, 0), 0x01010101u);
  strong.scope = isa::MemoryScope::kGpu;
  bench_->issue(strong, 0);
  bench_->tick();
  ASSERT_EQ(bench_->sent.size(), 1u);
  bench_->respond(2);
  for (unsigned i = 0; i < 40; ++i) bench_->tick();
  EXPECT_EQ(value(0, 0), 0x02020202u);
  bench_->issue(load_, 0);
  bench_->tick();
  EXPECT_EQ(bench_->sent.size(), 1u) << "a weak load behind it finds nothing older";
}

TEST_F(ScopedLsu, AMarkIsReachedWhenEarlierWritesOfAllWarpsArePerformed) {
  address(0, bench_->base, 4);
  address(1, bench_->base + 512, 4);
  bench_->issue(store_, 0);
  bench_->tick();
  call(LsuRequest::Op::kMarkWrites);
  bench_->issue(store_, 1);
  bench_->tick();
  EXPECT_FALSE(performed());
  bench_->respond(0);
  for (unsigned i = 0; i < 4; ++i) bench_->tick();
  EXPECT_TRUE(performed()) << "the later one does not matter";
}

class FencesWithMessages : public ScopedLsu {
  void change(CoreConfig& config) override {
    ScopedLsu::change(config);
    config.fence.completion_cycles = 1;
  }
};

TEST_F(FencesWithMessages, AMarkIsReachedWhenMessagesBehindAtomicsUnderWayAreAnswered) {
  isa::Instruction atomic = instruction(isa::Opcode::kAtomic, isa::StateSpace::kGlobal);
  atomic.src[0] = store_.src[0];
  address(0, bench_->base, 4);
  address(1, bench_->base + 512, 0);
  bench_->issue(atomic, 0);
  bench_->issue(atomic, 1);
  for (unsigned i = 0; i < 4; ++i) bench_->tick();
  ASSERT_EQ(bench_->sent.size(), 2u);
  call(LsuRequest::Op::kMarkWrites);
  for (unsigned i = 0; i < 4; ++i) bench_->tick();
  ASSERT_EQ(bench_->sent.size(), 4u) << "one for each line";
  for (unsigned i = 0; i < 2; ++i) {
    const sim::MemoryTransaction& message = *bench_->sent[2 + i];
    EXPECT_EQ(message.get_address(), bench_->sent[i]->get_address());
    EXPECT_EQ(message.extension.op, sim::MemoryOp::kRead);
    EXPECT_EQ(message.extension.wanted_sectors, 0u) << "it reads nothing";
  }
  for (unsigned i = 0; i < 3; ++i) bench_->respond(0);
  for (unsigned i = 0; i < 4; ++i) bench_->tick();
  EXPECT_FALSE(performed()) << "the atomics are, and one of the messages";
  bench_->respond(0);
  bench_->tick();
  EXPECT_TRUE(performed());
}

TEST_F(FencesWithMessages, NoMessageGoesWithoutAnAtomicUnderWay) {
  address(0, bench_->base, 4);
  bench_->issue(store_, 0);
  bench_->tick();
  ASSERT_EQ(bench_->sent.size(), 1u);
  call(LsuRequest::Op::kMarkWrites);
  for (unsigned i = 0; i < 4; ++i) bench_->tick();
  EXPECT_EQ(bench_->sent.size(), 1u) << "a store";
}

class FencesWithMessagesToSlices : public ScopedLsu {
  void change(CoreConfig& config) override {
    ScopedLsu::change(config);
    config.fence.completion_cycles = 1;
    config.fence.messages = FenceMessagesTo::kSlices;
    config.fence.slices = 3;
  }
};

TEST_F(FencesWithMessagesToSlices, OneGoesToEachIfTheFenceLeadsItsRound) {
  call(LsuRequest::Op::kMarkWrites, false);
  for (unsigned i = 0; i < 4; ++i) bench_->tick();
  EXPECT_EQ(bench_->sent.size(), 0u);
  call(LsuRequest::Op::kMarkWrites);
  for (unsigned i = 0; i < 6; ++i) bench_->tick();
  ASSERT_EQ(bench_->sent.size(), 3u);
  for (unsigned i = 0; i < 3; ++i) {
    const sim::MemoryExtension& message = bench_->sent[i]->extension;
    EXPECT_TRUE(message.to_partition);
    EXPECT_EQ(message.partition, base::PartitionId{i});
    EXPECT_EQ(message.wanted_sectors, 0u);
  }
  for (unsigned i = 0; i < 2; ++i) bench_->respond(0);
  for (unsigned i = 0; i < 4; ++i) bench_->tick();
  EXPECT_FALSE(performed());
  bench_->respond(0);
  bench_->tick();
  EXPECT_TRUE(performed());
}

// Spilled entries of control-flow tables ([AWARE] §5.5.2).
class Tables : public LsuWithSmallL1 {
 protected:
  using Transfer = simt::TableEntryTransfer;
  void SetUp() override {
    LsuWithSmallL1::SetUp();
    TableTrafficRequest launch;
    launch.base = bench_->base;
    bench_->table_control_isock.call(launch);
  }
  Transfer start(Transfer::Op op, Transfer::Table table, unsigned warp, std::uint32_t entry,
                 std::array<std::uint32_t, 4> words = {}) {
    Transfer transfer{.op = op,
                      .table = table,
                      .warp = WarpId{warp},
                      .entry = entry,
                      .words = words,
                      .word_count = table == Transfer::Table::kSplit ? 3u : 4u,
                      .cycle = bench_->cycle};
    bench_->table_isock.call(transfer);
    return transfer;
  }
  bool quiet(unsigned warp) {
    TableTrafficRequest question;
    question.warp = WarpId{warp};
    bench_->table_control_isock.inspect(question);
    return question.quiet;
  }
};

TEST_F(Tables, AFillBringsBackWhatWasSpilledAndL1KeepsIt) {
  EXPECT_TRUE(start(Transfer::Op::kSpill, Transfer::Table::kSplit, 1, 5, {11, 12, 13}).accepted);
  EXPECT_TRUE(start(Transfer::Op::kSpill, Transfer::Table::kReconvergence, 1, 5, {21, 22, 23, 24}).accepted);
  EXPECT_TRUE(start(Transfer::Op::kSpill, Transfer::Table::kSplit, 2, 5, {31, 32, 33}).accepted);
  EXPECT_FALSE(quiet(1));
  for (unsigned i = 0; i < 8; ++i) bench_->tick();
  EXPECT_TRUE(quiet(1));
  EXPECT_TRUE(bench_->filled.empty());
  for (const auto table : {Transfer::Table::kSplit, Transfer::Table::kReconvergence})
    EXPECT_TRUE(start(Transfer::Op::kFill, table, 1, 5).accepted);
  for (unsigned i = 0; i < 40; ++i) bench_->tick();
  // Of a line that was never read, L1 holds only the stored bytes. As for local memory, it makes no
  // difference whether a fill in between goes to memory.
  while (!bench_->sent.empty()) bench_->respond(0);
  for (unsigned i = 0; i < 40; ++i) bench_->tick();
  ASSERT_EQ(bench_->filled.size(), 2u);
  EXPECT_EQ(bench_->filled[0].table, Transfer::Table::kSplit);
  EXPECT_EQ(bench_->filled[0].warp, WarpId{1});
  EXPECT_EQ(bench_->filled[0].entry, 5u);
  EXPECT_EQ(bench_->filled[0].words, (std::array<std::uint32_t, 4>{11, 12, 13, 0}));
  EXPECT_EQ(bench_->filled[1].words, (std::array<std::uint32_t, 4>{21, 22, 23, 24}));
  EXPECT_TRUE(quiet(1));
  EXPECT_EQ(count("tables.spills"), 3u);
  EXPECT_EQ(count("tables.fills"), 2u);
}

TEST_F(Tables, RefusedWhileTheQueueIsFullOrAFillOfTheKindIsOnItsWay) {
  EXPECT_TRUE(start(Transfer::Op::kFill, Transfer::Table::kSplit, 0, 1).accepted);
  EXPECT_FALSE(start(Transfer::Op::kFill, Transfer::Table::kSplit, 0, 2).accepted) << "one at a time";
  EXPECT_TRUE(start(Transfer::Op::kFill, Transfer::Table::kReconvergence, 0, 2).accepted);
  unsigned accepted = 2;
  while (start(Transfer::Op::kSpill, Transfer::Table::kSplit, 0, 3).accepted) ++accepted;
  EXPECT_EQ(accepted, bench_->config.lsu.queue_entries);
  EXPECT_TRUE(bench_->full) << "the core was told";
  EXPECT_EQ(bench_->woken.due, bench_->cycle + 1);
}

}  // namespace
}  // namespace heddle::core::lsu_test
