// Kernels made to slip past the check for warps in lockstep (models/compaction/warp_synchrony.h): each is right on a stack and must
// be named where lanes of a warp are in several; with __syncwarp() it is right everywhere. And kernels that look like them, but are right in
// any order.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "oracle/oracle.h"

namespace heddle::lockstep_attack_test {
namespace {

constexpr std::uint32_t kThreads = 64;

/// In the arm are the lanes of warp 0 with bit 1 clear and all of warp 1, so that lanes 0 and 2 of warp 1 come into different
/// warps. Each gives the other its thread number by `exchange` (from %r1, to %r5), after a `meet`. Lanes of warp 1 that go into the
/// second of these wait for memory first, and come late.
std::string module(const std::string& exchange, const std::string& meet) {
  std::string text = R"(.version 7.5
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out)
{
  .shared .align 4 .b32 tile[64];
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  .reg .pred %p<5>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  mov.u32 %r2, tile;
  shl.b32 %r3, %r1, 2;
  add.u32 %r3, %r3, %r2;
  xor.b32 %r4, %r1, 2;
  shl.b32 %r4, %r4, 2;
  add.u32 %r4, %r4, %r2;
  and.b32 %r6, %r1, 34;
  setp.eq.u32 %p1, %r6, 2;
  @%p1 bra OUT;
  setp.ge.u32 %p2, %r1, 32;
  mov.u32 %r0, 0;
  setp.eq.u32 %p0, %r6, 32;
  @%p0 ld.volatile.global.u32 %r0, [%rd1+1020];
  cvt.u64.u32 %rd8, %r0;
  add.u64 %rd8, %rd1, %rd8;
  @%p0 ld.volatile.global.u32 %r0, [%rd8+1020];
  add.u32 %r3, %r3, %r0;
  cvt.u64.u32 %rd8, %r0;
  add.u64 %rd3, %rd3, %rd8;
)" + exchange + R"(
  @%p2 st.global.u32 [%rd3], %r5;
OUT:
  ret;
}
)";
  for (std::size_t at = text.find("MEET"); at != std::string::npos; at = text.find("MEET"))
    text.replace(at, 4, meet);
  return text;
}

struct Attack {
  const char* name;
  std::string exchange;
  const char* named;          ///< in the message
  bool right_on_tbc = false;  ///< the block's stack puts its accesses into order
};
/// To %rd4: the other lane's word of 64 behind the results; the own one is [%rd3+256].
const std::string kOther =
    "xor.b32 %r7, %r1, 2;\n  mul.wide.u32 %rd4, %r7, 4;\n  add.u64 %rd4, %rd1, %rd4;\n  ";
/// Lanes with bit 1 clear, which are the second warp that tbc makes, write; the others, its first, read.
const std::string kOneWay = kOther +
                            "and.b32 %r8, %r1, 2;\n  setp.ne.u32 %p3, %r8, 0;\n  mov.u32 %r5, %r7;\n  "
                            "@!%p3 st.ORDERglobal.u32 [%rd3+256], %r1;\n  MEET\n  "
                            "@%p3 ld.ORDERglobal.u32 %r5, [%rd4+256];";
std::string ordered(std::string text, const std::string& order) {
  for (std::size_t at = text.find("ORDER"); at != std::string::npos; at = text.find("ORDER"))
    text.replace(at, 5, order);
  return text;
}
const std::vector<Attack> kAttacks{
    {"Shared", "st.volatile.shared.u32 [%r3], %r1;\n  MEET\n  ld.volatile.shared.u32 %r5, [%r4];",
     "relies on warps in lockstep"},
    {"ByGenericAddress",
     "cvt.u64.u32 %rd4, %r3;\n  cvta.shared.u64 %rd4, %rd4;\n  cvt.u64.u32 %rd5, %r4;\n  cvta.shared.u64 "
     "%rd5, %rd5;\n"
     "  st.volatile.u32 [%rd4], %r1;\n  MEET\n  ld.volatile.u32 %r5, [%rd5];",
     "relies on warps in lockstep"},
    {"InHalfWords",
     "st.volatile.shared.u16 [%r3], %r1;\n  st.volatile.shared.u16 [%r3+2], 0;\n  MEET\n  "
     "ld.volatile.shared.u32 %r5, [%r4];",
     "relies on warps in lockstep"},
    {"Global",
     "st.global.u32 [%rd3+256], %r1;\n  MEET\n  xor.b32 %r7, %r1, 2;\n  mul.wide.u32 %rd4, %r7, 4;\n  "
     "add.u64 "
     "%rd4, "
     "%rd1, %rd4;\n  ld.global.u32 %r5, [%rd4+256];\n  MEET",
     "relies on warps in lockstep"},
    // The reader looks first where its own warp's other lanes have not run yet.
    {"WriteBehindRead",
     "ld.volatile.shared.u32 %r5, [%r4];\n  MEET\n  st.volatile.shared.u32 [%r3], %r1;\n  MEET\n  "
     "ld.volatile.shared.u32 %r5, [%r4];",
     "relies on warps in lockstep"},
    {"GlobalVolatile",
     kOther + "st.volatile.global.u32 [%rd3+256], %r1;\n  MEET\n  ld.volatile.global.u32 %r5, [%rd4+256];",
     "relies on warps in lockstep"},
    {"GlobalVolatileByGenericAddress",
     kOther + "st.volatile.u32 [%rd3+256], %r1;\n  MEET\n  ld.volatile.u32 %r5, [%rd4+256];",
     "relies on warps in lockstep"},
    // A fence orders the writer's accesses, and tells nobody that it has written.
    {"GlobalVolatileWithAFence",
     kOther + "st.volatile.global.u32 [%rd3+256], %r1;\n  membar.gl;\n  MEET\n  "
              "ld.volatile.global.u32 %r5, [%rd4+256];",
     "relies on warps in lockstep"},
    {"GlobalWithAFence",
     kOther + "st.global.u32 [%rd3+256], %r1;\n  membar.gl;\n  MEET\n  "
              "ld.global.u32 %r5, [%rd4+256];",
     "relies on warps in lockstep"},
    {"GlobalVolatileWithAnAtomic",
     kOther + "st.volatile.global.u32 [%rd3+256], %r1;\n  red.global.add.u32 [%rd1+768], 1;\n  MEET\n  "
              "ld.volatile.global.u32 %r5, [%rd4+256];",
     "relies on warps in lockstep"},
    // An input decides who writes: that asks nobody.
    {"GlobalBehindAnInput",
     kOther + "ld.global.nc.u32 %r8, [%rd1+1016];\n  setp.eq.u32 %p3, %r8, 0;\n  "
              "@%p3 st.volatile.global.u32 [%rd3+256], %r1;\n  MEET\n  "
              "ld.volatile.global.u32 %r5, [%rd4+256];",
     "relies on warps in lockstep"},
    {"GlobalOneWayVolatile", ordered(kOneWay, "volatile."), "relies on warps in lockstep"},
    {"GlobalOneWay", ordered(kOneWay, ""), "relies on warps in lockstep"},
    {"GlobalOneWayHalfVolatile",
     kOther + "and.b32 %r8, %r1, 2;\n  setp.ne.u32 %p3, %r8, 0;\n  mov.u32 %r5, %r7;\n  "
              "@!%p3 st.global.u32 [%rd3+256], %r1;\n  MEET\n  @%p3 ld.volatile.global.u32 %r5, [%rd4+256];",
     "relies on warps in lockstep"},
    // A sum over the warp: each round reads what the one before wrote.
    {"GlobalSum",
     R"(mov.u32 %r7, 1;
  st.volatile.global.u32 [%rd3+256], %r7;
  MEET
  mov.u32 %r8, 16;
ROUND:
  xor.b32 %r7, %r1, %r8;
  mul.wide.u32 %rd4, %r7, 4;
  add.u64 %rd4, %rd1, %rd4;
  ld.volatile.global.u32 %r5, [%rd4+256];
  ld.volatile.global.u32 %r7, [%rd3+256];
  MEET
  add.u32 %r5, %r5, %r7;
  st.volatile.global.u32 [%rd3+256], %r5;
  MEET
  shr.u32 %r8, %r8, 1;
  setp.ne.u32 %p4, %r8, 0;
  @%p4 bra ROUND;
  xor.b32 %r7, %r1, 2;
  sub.u32 %r5, %r5, 32;
  add.u32 %r5, %r5, %r7;)",
     "relies on warps in lockstep"},
    // Written in one arm, read in the next one: between them a warp in lockstep meets.
    {"GlobalInArms",
     R"(xor.b32 %r5, %r1, 2;
  and.b32 %r7, %r1, 1;
  setp.eq.u32 %p3, %r7, 0;
  @%p3 bra EVEN;
  st.volatile.global.u32 [%rd3+256], %r1;
EVEN:
  MEET
  @!%p3 bra ODD;
  ld.volatile.global.u32 %r5, [%rd3+260];
  xor.b32 %r5, %r5, 3;
ODD:
  MEET)",
     "relies on warps in lockstep", true},
};
/// Those that have no .sync twin in the module above.
const std::vector<Attack> kLaneAttacks{
    {"Shuffle", "shfl.bfly.b32 %r5, %r1, 2, 31;", "which ones take part is up to the warp"},
    {"Vote", "vote.ballot.b32 %r5, %p2;", "which ones take part is up to the warp"},
    {"ActiveMask", "activemask.b32 %r5;", "which ones take part is up to the warp"},
};

std::vector<std::uint32_t> run(host::Device& device, const std::string& text) {
  const auto handle = device.load_ptx_text(text, "attack.ptx");
  const std::uint64_t out = device.upload(std::vector<std::uint32_t>(4 * kThreads, 0), "out");
  device.launch(handle, "k", {{1, 1, 1}, {kThreads, 1, 1}, 0}, host::Args{}.add(out));
  return device.download<std::uint32_t>(out, kThreads);
}

std::vector<std::uint32_t> wanted() {
  std::vector<std::uint32_t> out(kThreads, 0);
  for (std::uint32_t t = 32; t < kThreads; ++t) out[t] = t ^ 2;
  return out;
}

gpu::GpuDevice device_of(const std::string& mechanism, std::vector<std::string> more = {}) {
  more.push_back("core.control_flow.mechanism=" + mechanism);
  // Warps with lanes of one static warp do not wait for each other's registers.
  if (mechanism != "simt_stack") more.emplace_back("core.scoreboard.kind=per_thread_mask");
  if (mechanism == "dwf") more.insert(more.begin(), "core.scheduler.policy=majority");
  return {gpu::load_platform("tiny", more), {.on_progress = {}}};
}

using Where = std::tuple<std::size_t, std::string>;
std::string name_of(const ::testing::TestParamInfo<Where>& test) {
  return std::string(kAttacks[std::get<0>(test.param)].name) + "_" + std::get<1>(test.param);
}

class Lockstep : public ::testing::TestWithParam<Where> {};

// dwf leaves warp 1, of which all lanes go the same way, together: there the kernel may be right.
TEST_P(Lockstep, IsNotWrongInSilence) {
  const auto& [index, mechanism] = GetParam();
  auto device = device_of(mechanism);
  try {
    EXPECT_EQ(run(device, module(kAttacks[index].exchange, "")), wanted()) << "wrong in silence";
    EXPECT_TRUE(mechanism != "tbc" || kAttacks[index].right_on_tbc)
        << "lanes of one warp are in two, and nobody says so";
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find(kAttacks[index].named), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(All, Lockstep,
                         ::testing::Combine(::testing::Range<std::size_t>(0, kAttacks.size()),
                                            ::testing::Values("tbc", "dwf")),
                         name_of);

// Bytes of one word that only their own threads access: no lane looks at another.
class LockstepOfBytes : public ::testing::TestWithParam<const char*> {};

TEST_P(LockstepOfBytes, AreNotNamedIfTheirOwn) {
  const std::string own = R"(sub.u32 %r7, %r3, %r2;
  shr.u32 %r7, %r7, 2;
  add.u32 %r7, %r7, %r2;
  st.shared.u8 [%r7], %r1;
  ld.shared.u8 %r5, [%r7];
  xor.b32 %r5, %r5, 2;
  st.shared.u8 [%r7], %r5;
  ld.shared.u8 %r5, [%r7];)";
  auto device = device_of(GetParam());
  EXPECT_EQ(run(device, module(own, "")), wanted());
}

INSTANTIATE_TEST_SUITE_P(All, LockstepOfBytes, ::testing::Values("simt_stack", "tbc", "dwf"),
                         [](const auto& test) { return std::string(test.param); });

/// Right in any order, and on a stack.
const std::vector<Attack> kHandedOver{
    // Each says that it has come, and waits for another one: lanes of warp 1 for one that tbc puts into another warp.
    {"MeetsByFlags",
     R"(selp.u32 %r7, 2, 1, %p2;
  xor.b32 %r7, %r1, %r7;
  mul.wide.u32 %rd4, %r7, 4;
  add.u64 %rd4, %rd1, %rd4;
  add.u32 %r8, %r1, 1;
  st.volatile.global.u32 [%rd3+256], %r8;
WAIT:
  ld.volatile.global.u32 %r5, [%rd4+256];
  setp.eq.u32 %p3, %r5, 0;
  @%p3 bra WAIT;
  sub.u32 %r5, %r5, 1;)",
     ""},
    // A value goes with the flag, by which it is ordered.
    {"ValueBehindAFlag",
     R"(selp.u32 %r7, 2, 1, %p2;
  xor.b32 %r7, %r1, %r7;
  mul.wide.u32 %rd4, %r7, 4;
  add.u64 %rd4, %rd1, %rd4;
  st.volatile.global.u32 [%rd3+512], %r1;
  membar.gl;
  mov.u32 %r8, 1;
  st.volatile.global.u32 [%rd3+256], %r8;
WAIT:
  ld.volatile.global.u32 %r5, [%rd4+256];
  setp.eq.u32 %p3, %r5, 0;
  @%p3 bra WAIT;
  ld.volatile.global.u32 %r5, [%rd4+512];)",
     ""},
    {"WeakValueBehindAFlag",
     R"(selp.u32 %r7, 2, 1, %p2;
  xor.b32 %r7, %r1, %r7;
  mul.wide.u32 %rd4, %r7, 4;
  add.u64 %rd4, %rd1, %rd4;
  st.global.u32 [%rd3+512], %r1;
  membar.gl;
  mov.u32 %r8, 1;
  st.volatile.global.u32 [%rd3+256], %r8;
WAIT:
  ld.volatile.global.u32 %r5, [%rd4+256];
  setp.eq.u32 %p3, %r5, 0;
  @%p3 bra WAIT;
  ld.global.u32 %r5, [%rd4+512];)",
     ""},
    // Words of their own.
    {"Own",
     R"(st.volatile.global.u32 [%rd3+256], %r1;
  ld.volatile.global.u32 %r5, [%rd3+256];
  xor.b32 %r5, %r5, 2;
  st.volatile.global.u32 [%rd3+256], %r5;
  ld.volatile.global.u32 %r5, [%rd3+256];)",
     ""},
    // All write the same, and look whether somebody has.
    {"AllTheSame",
     R"(mov.u32 %r8, 1;
  st.volatile.global.u32 [%rd1+256], %r8;
  ld.volatile.global.u32 %r5, [%rd1+256];
  add.u32 %r5, %r5, 1;
  xor.b32 %r5, %r5, %r1;
  st.volatile.global.u32 [%rd1+256], %r8;)",
     ""},
    // Who has written ends, and so has arrived at the barrier in front of the reader's access.
    {"EndsBeforeABarrier",
     R"(st.shared.u32 [%r3], %r1;
  setp.eq.u32 %p3, %r6, 34;
  xor.b32 %r5, %r1, 2;
  @%p3 st.global.u32 [%rd3], %r5;
  @%p3 exit;
  bar.sync 0;
  ld.shared.u32 %r5, [%r4];)",
     ""},
    // What a thread reads decides whether it writes: the first one, whichever it is.
    {"AsksBeforeItWrites",
     R"(ld.volatile.global.u32 %r7, [%rd1+256];
  setp.ne.u32 %p3, %r7, 0;
  @%p3 bra SET;
  add.u32 %r8, %r1, 1;
  st.volatile.global.u32 [%rd1+256], %r8;
SET:
  xor.b32 %r5, %r1, 2;)",
     ""},
};
class LockstepNot : public ::testing::TestWithParam<Where> {};
std::string name_of_handed_over(const ::testing::TestParamInfo<Where>& test) {
  return std::string(kHandedOver[std::get<0>(test.param)].name) + "_" + std::get<1>(test.param);
}

TEST_P(LockstepNot, IsNotNamed) {
  const auto& [index, mechanism] = GetParam();
  auto device = device_of(mechanism, {"core.scheduler.policy=lrr", "core.warp_synchrony=stop"});
  EXPECT_EQ(run(device, module(kHandedOver[index].exchange, "")), wanted());
}

INSTANTIATE_TEST_SUITE_P(All, LockstepNot,
                         ::testing::Combine(::testing::Range<std::size_t>(0, kHandedOver.size()),
                                            ::testing::Values("simt_stack", "tbc", "dwf")),
                         name_of_handed_over);

// A sum goes from lane to lane of warp 1, against the order of the text: each reads first, when the one before has written. No
// stack finishes it, and free threads do, whatever order they come in.
TEST(LockstepLine, OfThreadsIsNotNamed) {
  const std::string line = R"(@!%p2 bra LAST;
  mov.u32 %r5, 0;
  setp.eq.u32 %p3, %r1, 32;
  @%p3 bra FIRST;
WAIT:
  ld.volatile.global.u32 %r7, [%rd3+252];
  setp.eq.u32 %p4, %r7, 0;
  @%p4 bra WAIT;
  ld.volatile.global.u32 %r5, [%rd3+508];
FIRST:
  add.u32 %r5, %r5, 1;
  st.volatile.global.u32 [%rd3+512], %r5;
  membar.gl;
  mov.u32 %r7, 1;
  st.volatile.global.u32 [%rd3+256], %r7;
  sub.u32 %r7, %r1, 31;
  sub.u32 %r5, %r5, %r7;
  xor.b32 %r7, %r1, 2;
  add.u32 %r5, %r5, %r7;
LAST:)";
  auto device = device_of("dwf", {"core.scheduler.policy=lrr"});
  EXPECT_EQ(run(device, module(line, "")), wanted());
}

// One that another lane of the warp reads is.
TEST(LockstepByte, OfAnotherLaneIsNamed) {
  const std::string others = R"(sub.u32 %r7, %r3, %r2;
  shr.u32 %r7, %r7, 2;
  add.u32 %r7, %r7, %r2;
  st.volatile.shared.u8 [%r7], %r1;
  sub.u32 %r7, %r4, %r2;
  shr.u32 %r7, %r7, 2;
  add.u32 %r7, %r7, %r2;
  ld.volatile.shared.u8 %r5, [%r7];)";
  auto device = device_of("tbc");
  EXPECT_THROW((void)run(device, module(others, "")), base::Error);
}

// The attacks are some: nothing is wrong with them on a stack, and they are wrong on tbc if nobody checks.
class LockstepAttack : public ::testing::TestWithParam<std::size_t> {};

TEST_P(LockstepAttack, IsRightOnAStack) {
  auto device = device_of("simt_stack");
  EXPECT_EQ(run(device, module(kAttacks[GetParam()].exchange, "")), wanted());
}

TEST_P(LockstepAttack, IsWrongIfNobodyChecks) {
  auto device = device_of("tbc", {"core.warp_synchrony=off"});
  EXPECT_EQ(run(device, module(kAttacks[GetParam()].exchange, "")) == wanted(),
            kAttacks[GetParam()].right_on_tbc);
}

INSTANTIATE_TEST_SUITE_P(All, LockstepAttack, ::testing::Range<std::size_t>(0, kAttacks.size()),
                         [](const auto& test) { return std::string(kAttacks[test.param].name); });

class LockstepOfLanes : public ::testing::TestWithParam<std::size_t> {};

TEST_P(LockstepOfLanes, IsNamed) {
  auto device = device_of("tbc");
  try {
    (void)run(device, module(kLaneAttacks[GetParam()].exchange, ""));
    FAIL() << "not named";
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find(kLaneAttacks[GetParam()].named), std::string::npos)
        << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(All, LockstepOfLanes, ::testing::Range<std::size_t>(0, kLaneAttacks.size()),
                         [](const auto& test) { return std::string(kLaneAttacks[test.param].name); });

// Lanes of warp 1 meet; those of warp 0 that are in the arm name each other, too.
class LockstepMet : public ::testing::TestWithParam<Where> {};

TEST_P(LockstepMet, IsRightWithSyncwarp) {
  const auto& [index, mechanism] = GetParam();
  auto device = device_of(mechanism);
  const std::string meet = "@%p2 bar.warp.sync 0xffffffff;\n  @!%p2 bar.warp.sync 0x33333333;";
  EXPECT_EQ(run(device, module(kAttacks[index].exchange, meet)), wanted());
}

INSTANTIATE_TEST_SUITE_P(All, LockstepMet,
                         ::testing::Combine(::testing::Range<std::size_t>(0, kAttacks.size()),
                                            ::testing::Values("simt_stack", "tbc", "dwf")),
                         name_of);

}  // namespace
}  // namespace heddle::lockstep_attack_test
