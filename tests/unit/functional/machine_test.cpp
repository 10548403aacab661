// Launches without time: which lanes go on, who waits for whom, what ends a launch.
#include "functional/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <vector>

#include "base/error.h"
#include "functional/convergence.h"
#include "unit/ptx/support.h"

namespace heddle::functional {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(MemoryImage, FetchesAPageOnceAndGivesBackWhatWasWritten) {
  std::vector<std::byte> memory(3 * MemoryImage::kPageBytes, std::byte{7});
  std::map<std::uint64_t, int> reads, writes;
  const std::uint64_t end = memory.size() - 100;
  MemoryImage image(
      [&](std::uint64_t address, std::span<std::byte> bytes) {
        ASSERT_LE(address + bytes.size(), end);
        std::memcpy(bytes.data(), &memory[address], bytes.size());
        ++reads[address];
      },
      [&](std::uint64_t address, std::span<const std::byte> bytes) {
        ASSERT_LE(address + bytes.size(), end);
        std::memcpy(&memory[address], bytes.data(), bytes.size());
        ++writes[address];
      },
      end);
  EXPECT_EQ(*image.for_reading(10), 7);
  *image.for_writing(MemoryImage::kPageBytes + 1) = 8;
  std::array<std::byte, 4> over_an_edge{};
  image.read(MemoryImage::kPageBytes - 2, over_an_edge);
  EXPECT_EQ(over_an_edge[3], std::byte{8});
  EXPECT_EQ(*image.for_reading(end), 0) << "behind the end";
  image.write_back();
  image.write_back();
  EXPECT_EQ(memory[MemoryImage::kPageBytes + 1], std::byte{8});
  EXPECT_EQ(reads, (std::map<std::uint64_t, int>{{0, 1}, {4096, 1}, {8192, 1}}));
  EXPECT_EQ(writes, (std::map<std::uint64_t, int>{{4096, 1}})) << "once, and only what was written";
}

const std::vector<std::uint32_t> kOrder = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

Group group(std::uint32_t pc, std::uint32_t lanes, Group::State state = Group::State::kReady,
            std::uint64_t turn = 0) {
  return {.pc = Pc{pc}, .lanes = LaneMask(lanes), .state = state, .turn = turn};
}

TEST(LaneGroups, TheOneFurthestBehindRunsUntilItReachesTheNext) {
  Warp warp;
  warp.groups = {group(9, 1), group(4, 2), group(7, 4), group(2, 8, Group::State::kAtBarrier)};
  const Turn turn = next_turn(warp, kOrder);
  EXPECT_EQ(turn.group, 1u);
  EXPECT_EQ(turn.limit, 7u);
}

TEST(LaneGroups, ThoseAtOnePcAreOne) {
  Warp warp;
  warp.groups = {group(4, 1), group(9, 2), group(4, 4), group(4, 8, Group::State::kAtMeeting)};
  const Turn turn = next_turn(warp, kOrder);
  EXPECT_EQ(warp.groups[turn.group].lanes, LaneMask(5));
  EXPECT_EQ(warp.groups.size(), 3u);
}

TEST(LaneGroups, TheOneInAFunctionComesBackFirst) {
  Warp warp;
  warp.groups = {group(4, 1), group(9, 2), group(9, 4)};
  warp.groups[1].depth = 1;
  const Turn turn = next_turn(warp, kOrder);
  EXPECT_EQ(turn.group, 1u);
  EXPECT_EQ(turn.limit, ~0u) << "those outside of it are no limit";
  EXPECT_EQ(warp.groups.size(), 3u) << "at one PC, but in another call";
}

TEST(LaneGroups, OneThatGivesWayLetsTheOneRunThatHasWaitedLongest) {
  Warp warp;
  warp.groups = {group(1, 1, Group::State::kReady, 8), group(9, 2, Group::State::kReady, 3),
                 group(5, 4, Group::State::kReady, 6)};
  warp.others_first = true;
  EXPECT_EQ(next_turn(warp, kOrder).group, 1u);
  EXPECT_EQ(next_turn(warp, kOrder).group, 0u) << "once";
}

TEST(Convergence, LanesOfARegionLeaveTogetherAndExitedOnesAreNotWaitedFor) {
  Warp warp;
  warp.convergence.assign(4, {});
  warp.context.live = LaneMask(0xf);
  begin_region(warp, 3, LaneMask(0xf));
  warp.groups = {group(8, 0x3, Group::State::kAtConvergence), group(2, 0xc)};
  warp.groups[0].number = 3;
  EXPECT_TRUE(release_complete(warp).none());
  warp.context.live = LaneMask(0x7);  // lane 3 has exited
  warp.groups[1] = group(8, 0x4, Group::State::kAtConvergence);
  warp.groups[1].number = 3;
  EXPECT_EQ(release_complete(warp), LaneMask(0x7));
  EXPECT_EQ(next_turn(warp, kOrder).group, 0u);
  EXPECT_EQ(warp.groups.size(), 1u);
  EXPECT_EQ(warp.groups[0].pc, Pc{9});
}

/// A kernel k(.param .u64 out) on a memory that is one buffer of words; %rd1 is `out`, %r1 %tid.x, %r2 %ctaid.x.
class Machines : public ::testing::Test {
 protected:
  Counts run(const std::string& body, const host::Launch& shape, std::uint64_t resident = 1) {
    core::LaunchContext launch;
    launch.kernel = ptx::testing::kernel(
        "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n" + body, ".param .u64 out");
    launch.shape = shape;
    launch.params.resize(sizeof out_);
    std::memcpy(launch.params.data(), &out_, sizeof out_);
    launch.param_base = allocations_.allocate(launch.params.size(), 256, "parameters", host::Owner::kDevice);
    std::memcpy(at(launch.param_base), &out_, sizeof out_);
    launch.shared_bytes_per_cta = launch.kernel->static_shared_bytes;
    launch.warps_per_cta = static_cast<std::uint32_t>((shape.block.count() + kLanes - 1) / kLanes);
    launch.cores = 1;
    MemoryImage image(
        [&](std::uint64_t address, std::span<std::byte> bytes) {
          std::memcpy(bytes.data(), at(address), bytes.size());
        },
        [&](std::uint64_t address, std::span<const std::byte> bytes) {
          std::memcpy(at(address), bytes.data(), bytes.size());
        },
        isa::kGlobalBase + memory_.size());
    Machine machine({.launch = launch,
                     .core = core_,
                     .allocations = allocations_,
                     .memory = image,
                     .resident_ctas = resident,
                     .quiet_instructions = quiet_});
    const Counts counts = machine.run();
    image.write_back();
    return counts;
  }
  [[nodiscard]] std::uint32_t word(std::size_t i) {
    std::uint32_t value = 0;
    std::memcpy(&value, at(out_ + i * sizeof value), sizeof value);
    return value;
  }
  std::uint64_t quiet_ = 200'000;

  std::string hang_of(const std::string& body, const host::Launch& shape, std::uint64_t resident = 1) {
    try {
      run(body, shape, resident);
    } catch (const base::Error& error) {
      EXPECT_EQ(error.code(), base::ExitCode::kHang);
      return error.what();
    }
    return {};
  }

 private:
  std::byte* at(std::uint64_t address) { return &memory_.at(address - isa::kGlobalBase); }
  std::vector<std::byte> memory_{1 << 16};
  host::AllocationTable allocations_;
  const std::uint64_t out_ = allocations_.allocate(4096, 256, "out");
  core::CoreConfig core_;
};

TEST_F(Machines, ALoopWhoseRegistersComeBackIsAHangSoon) {
  quiet_ = 1'000'000'000'000;
  EXPECT_THAT(hang_of("AGAIN: ld.volatile.global.u32 %r3, [%rd1]; setp.eq.u32 %p1, %r3, 0; @%p1 bra AGAIN;",
                      {{1, 1, 1}, {64, 1, 1}}),
              HasSubstr("all registers are as they were"));
}

TEST_F(Machines, ALoopThatCountsWhileOthersPollIsNone) {
  quiet_ = 1'000'000'000'000;
  run(R"(
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra WAIT;
  mov.u32 %r3, 0;
COUNT: add.u32 %r3, %r3, 1;
  setp.lt.u32 %p2, %r3, 6000000;
  @%p2 bra COUNT;
  st.volatile.global.u32 [%rd1], %r3;
  bra END;
WAIT: ld.volatile.global.u32 %r4, [%rd1];
  setp.eq.u32 %p3, %r4, 0;
  @%p3 bra WAIT;
END: ret;
)",
      {{1, 1, 1}, {32, 1, 1}});
  EXPECT_EQ(word(0), 6'000'000u);
}

TEST_F(Machines, LanesThatSpinLetTheHolderOfTheLockGoOn) {
  const Counts counts = run(R"(
AGAIN: atom.global.cas.b32 %r3, [%rd1], 0, 1;
  setp.ne.u32 %p1, %r3, 0;
  @%p1 bra AGAIN;
  ld.volatile.global.u32 %r4, [%rd1+4];
  add.u32 %r4, %r4, 1;
  st.volatile.global.u32 [%rd1+4], %r4;
  membar.gl;
  atom.global.exch.b32 %r5, [%rd1], 0;
)",
                            {{2, 1, 1}, {64, 1, 1}});
  EXPECT_EQ(word(0), 0u);
  EXPECT_EQ(word(1), 128u);
  EXPECT_LT(counts.warp_instructions, 20'000u) << "the ones that spin have given way";
}

const char* const kChain = R"(
  add.u32 %r3, %r2, 1;
  mov.u32 %r4, %nctaid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd3, %rd1, %rd2;
  setp.ge.u32 %p1, %r3, %r4;
  @%p1 bra STORE;
AGAIN: ld.volatile.global.u32 %r5, [%rd3+4];
  setp.eq.u32 %p2, %r5, 0;
  @%p2 bra AGAIN;
STORE: st.volatile.global.u32 [%rd3], %r3;
)";

TEST_F(Machines, CtasThatWaitForLaterOnesHaveThemAsFarAsTheyFit) {
  run(kChain, {{5, 1, 1}, {1, 1, 1}}, 5);
  EXPECT_EQ(word(0), 1u);
  EXPECT_EQ(word(4), 5u);
}

TEST_F(Machines, ThoseThatWaitCostLittle) {
  const Counts counts = run(kChain, {{256, 1, 1}, {1, 1, 1}}, 256);
  EXPECT_EQ(word(0), 1u);
  EXPECT_LT(counts.warp_instructions, 600'000u) << "each of them in each turn of the others";
}

// Lanes that part and meet in a loop of theirs still give way.
TEST_F(Machines, ALoopWithAMeetingGivesWay) {
  run(R"(
  setp.ge.u32 %p1, %r1, 16;
  @%p1 bra SET;
AGAIN: setp.lt.u32 %p2, %r1, 8;
  @%p2 bra LOW;
  vote.sync.any.pred %p3, 1, 0xffff;
  bra BOTH;
LOW: vote.sync.any.pred %p3, 1, 0xffff;
BOTH: ld.volatile.global.u32 %r5, [%rd1];
  setp.eq.u32 %p4, %r5, 0;
  @%p4 bra AGAIN;
  bra END;
SET: st.volatile.global.u32 [%rd1], %r1;
END:
)",
      {{1, 1, 1}, {32, 1, 1}});
  EXPECT_GE(word(0), 16u);
}

TEST_F(Machines, AKernelThatChangesNothingForLongHangs) {
  EXPECT_THAT(hang_of(kChain, {{5, 1, 1}, {1, 1, 1}}, 4),
              AllOf(HasSubstr("memory has not changed"), HasSubstr("of CTA (0,0,0) run at")));
}

TEST_F(Machines, ThreadsThatAllWaitHang) {
  EXPECT_THAT(hang_of("bar.sync 0, 64;", {{1, 1, 1}, {32, 1, 1}}),
              AllOf(HasSubstr("no thread can go on"), HasSubstr("lanes 0xffffffff of warp 0")));
}

TEST_F(Machines, APartOfAGridIsThePart) {
  host::Launch shape{{8, 1, 1}, {1, 1, 1}};
  shape.first_cta = 3;
  shape.part = 2;
  const Counts counts =
      run("mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r2;", shape);
  EXPECT_EQ(word(2), 0u);
  EXPECT_EQ(word(3), 3u);
  EXPECT_EQ(word(4), 4u);
  EXPECT_EQ(word(5), 0u);
  EXPECT_EQ(counts.thread_instructions, 2 * 7u);
}

// [Fung15] §3: a branch whose sides meet. The side behind runs first, both meet, and what follows runs once.
TEST_F(Machines, SidesOfABranchMeet) {
  const Counts counts = run(R"(
  setp.lt.u32 %p1, %r1, 10;
  @%p1 bra LESS;
  mov.u32 %r3, 1;
  bra MEET;
LESS: mov.u32 %r3, 2;
MEET: mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r3;
)",
                            {{1, 1, 1}, {32, 1, 1}});
  EXPECT_EQ(word(9), 2u);
  EXPECT_EQ(word(10), 1u);
  EXPECT_EQ(counts.warp_instructions, 3u + 2 + 2 + 1 + 3 + 1);
}

// Lanes that poll give way, even if they wait for nobody.
TEST_F(Machines, ALoadOfMatricesWaitsForAllLanes) {
  run(R"(
  .shared .align 16 .b8 tile[128];
  mov.u32 %r3, tile;
  mov.u32 %r6, 0;
  setp.ne.u32 %p1, %r1, 5;
  @%p1 bra MEET;
AGAIN: ld.volatile.global.u32 %r5, [%rd1];
  add.u32 %r6, %r6, 1;
  setp.lt.u32 %p2, %r6, 100;
  @%p2 bra AGAIN;
MEET: ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r3];
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r6;
)",
      {{1, 1, 1}, {32, 1, 1}});
  EXPECT_EQ(word(5), 100u);
}

// A compiler puts a rare block at the end, from where it jumps back: the others wait for its lanes where it joins them.
TEST_F(Machines, ARareBlockAtTheEndMeetsTheOthers) {
  const Counts counts = run(R"(
  setp.eq.u32 %p1, %r1, 10;
  @%p1 bra RARE;
MEET: mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r3;
  exit;
RARE: mov.u32 %r3, 2;
  bra MEET;
)",
                            {{1, 1, 1}, {32, 1, 1}});
  EXPECT_EQ(word(10), 2u);
  EXPECT_EQ(counts.warp_instructions, 3u + 2 + 2 + 4);
}

}  // namespace
}  // namespace heddle::functional
