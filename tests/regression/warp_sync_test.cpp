// .sync instructions of lanes that run separately: AWARE, Multi-Path and Hanoi give every split its turn, so that
// lanes synchronise with those in their member mask at any distance. On Hanoi lanes also go on one by one. The expected
// results are those of the scalar oracle.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "base/error.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "oracle/oracle.h"

namespace heddle::warp_sync_test {
namespace {

constexpr std::uint32_t kThreads = 64;

/// `k(out)`: thread i has 8 bytes at %at; %me is its lane.
std::string module(const std::string& body) {
  return R"(.version 7.5
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .b32 %me, %n, %r<9>;
  .reg .b64 %at, %off;
  .reg .pred %p<5>;
  ld.param.u64 %at, [out];
  mov.u32 %n, %tid.x;
  mul.wide.u32 %off, %n, 8;
  add.u64 %at, %at, %off;
  mov.u32 %me, %laneid;
)" + body +
         "}\n";
}

std::vector<std::uint64_t> run(host::Device& device, const std::string& body) {
  const host::ModuleHandle handle = device.load_ptx_text(module(body), "kernel.ptx");
  const std::uint64_t out = device.upload(std::vector<std::uint64_t>(kThreads, 0), "out");
  device.launch(handle, "k", {{1, 1, 1}, {kThreads, 1, 1}, 0}, host::Args{}.add(out));
  return device.download<std::uint64_t>(out, kThreads);
}

struct Case {
  const char* name;
  const char* body;
};

void PrintTo(const Case& kernel, std::ostream* out) { *out << kernel.name; }

const Case kCases[] = {
    // What the lower half stores before it waits is visible to the upper half after its own wait, and vice
    // versa.
    {"BothSidesOfABranch", R"(
  setp.lt.u32 %p1, %me, 16;
  @%p1 bra LOW;
  add.u32 %r1, %me, 100;
  st.global.u32 [%at], %r1;
  bar.warp.sync -1;
  ld.global.cv.u32 %r2, [%at-128];
  st.global.u32 [%at+4], %r2;
  ret;
LOW:
  mul.lo.u32 %r1, %me, 7;
  st.global.u32 [%at], %r1;
  bar.warp.sync 0xffffffff;
  ld.global.cv.u32 %r2, [%at+128];
  st.global.u32 [%at+4], %r2;
  ret;
)"},
    // One instruction that the lanes reach one iteration after another, with a value that the others need.
    {"ShuffleBehindALoop", R"(
  mov.u32 %r1, 0;
LAP:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p1, %r1, %me;
  @%p1 bra LAP;
  shfl.sync.bfly.b32 %r2, %r1, 31, 31, -1;
  vote.sync.ballot.b32 %r3, %p1, -1;
  add.u32 %r2, %r2, %r3;
  st.global.v2.u32 [%at], {%r1, %r2};
  ret;
)"},
    // Masks of four lanes each; groups of four diverge and reconverge independently.
    {"MasksOfFourLanes", R"(
  and.b32 %r1, %me, 28;
  mov.u32 %r2, 15;
  shl.b32 %r2, %r2, %r1;
  and.b32 %r3, %me, 3;
  setp.eq.u32 %p1, %r3, 0;
  mul.lo.u32 %r4, %me, 3;
  @%p1 bra MEET;
  add.u32 %r4, %r4, 1000;
  setp.eq.u32 %p2, %r3, 1;
  @%p2 bra MEET;
  add.u32 %r4, %r4, 1000;
MEET:
  redux.sync.add.u32 %r5, %r4, %r2;
  shfl.sync.idx.b32 %r6, %r4, 2, 0x1c1f, %r2;
  st.global.v2.u32 [%at], {%r5, %r6};
  ret;
)"},
    // Lanes that exit are not waited for: the last ones exit while the others wait.
    {"TheOthersExit", R"(
  setp.lt.u32 %p1, %me, 8;
  @%p1 bra STAY;
  mov.u32 %r1, 0;
DELAY:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p2, %r1, 50;
  @%p2 bra DELAY;
  st.global.u32 [%at], %r1;
  exit;
STAY:
  shfl.sync.down.b32 %r2, %me, 1, 31, -1;
  mul.lo.u32 %r3, %r2, 5;
  st.global.v2.u32 [%at], {%r2, %r3};
  ret;
)"},
    // The same with one of their loads pending, with a per-warp scoreboard to the shuffle's own register: the
    // synchronisation is deferred until it is written.
    {"TheOthersExitWithALoadPending", R"(
  setp.lt.u32 %p1, %me, 8;
  @%p1 bra STAY;
  mov.u32 %r1, 0;
DELAY:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p2, %r1, 50;
  @%p2 bra DELAY;
  ld.global.u32 %r2, [%at];
  ld.global.u32 %r5, [%at+4];
  ld.global.u32 %r6, [%at];
  exit;
STAY:
  shfl.sync.down.b32 %r2|%p3, %me, 1, 31, -1;
  selp.u32 %r3, %r2, 99, %p3;
  st.global.v2.u32 [%at], {%r2, %r3};
  ret;
)"},
    // Two masks and a second destination at one instruction, which the halves reach separately.
    {"TwoMasksAtOnePlace", R"(
  setp.lt.u32 %p1, %me, 16;
  mov.u32 %r1, 0xffff;
  mov.u32 %r4, %me;
  @%p1 bra MEET;
  shl.b32 %r1, %r1, 16;
  and.b32 %r2, %me, 7;
LAP:
  add.u32 %r4, %r4, 10;
  sub.u32 %r2, %r2, 1;
  setp.gt.s32 %p2, %r2, 0;
  @%p2 bra LAP;
MEET:
  shfl.sync.up.b32 %r5|%p3, %r4, 3, 0x1000, %r1;
  selp.u32 %r6, 1, 0, %p3;
  st.global.v2.u32 [%at], {%r5, %r6};
  ret;
)"},
    // A guard: lanes whose guard is false neither take part nor are waited for, but continue with their
    // split.
    {"UnderAGuard", R"(
  and.b32 %r1, %me, 1;
  setp.eq.u32 %p1, %r1, 1;
  setp.lt.u32 %p2, %me, 20;
  mov.u32 %r4, 0;
  @%p2 bra LOW;
  mov.u32 %r4, 500;
LOW:
  add.u32 %r4, %r4, %me;
  mov.u32 %r5, 77;
  @%p1 shfl.sync.up.b32 %r5, %r4, 2, 0, 0xaaaaaaaa;
  st.global.v2.u32 [%at], {%r4, %r5};
  ret;
)"},
    // Both sides of a branch in a loop, then the whole warp, in every iteration.
    {"MeetingsInALoop", R"(
  mov.u32 %r1, 0;
  mov.u32 %r5, %me;
  setp.lt.u32 %p1, %me, 5;
LAP:
  @%p1 bra FEW;
  add.u32 %r5, %r5, 3;
  bar.warp.sync -1;
  bra NEXT;
FEW:
  mul.lo.u32 %r5, %r5, 3;
  bar.warp.sync -1;
NEXT:
  shfl.sync.bfly.b32 %r6, %r5, 1, 31, -1;
  xor.b32 %r5, %r5, %r6;
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p2, %r1, 6;
  @%p2 bra LAP;
  st.global.v2.u32 [%at], {%r5, %r6};
  ret;
)"},
};

// What waits for lanes one by one ([Hanoi:S8]): a lane goes on when it has met those that it names itself,
// whatever others came with it.
const Case kByLane[] = {
    // Lane 31 comes when lane 0 has stored something behind the instruction; 0 to 7 do not wait for it, 8 to 30 do.
    {"MasksOfLanesThatComeTogether", R"(
  mul.wide.u32 %off, %me, 8;
  sub.u64 %off, %at, %off;
  setp.eq.u32 %p1, %me, 31;
  setp.lt.u32 %p2, %me, 8;
  selp.u32 %r1, 0xff, 0xffffff00, %p2;
  @%p1 bra LAST;
  bar.warp.sync %r1;
  setp.ne.u32 %p3, %me, 0;
  @%p3 bra DONE;
  st.volatile.global.u32 [%off+4], 1;
  bra DONE;
LAST:
  ld.volatile.global.u32 %r2, [%off+4];
  setp.eq.u32 %p4, %r2, 0;
  @%p4 bra LAST;
  bar.warp.sync %r1;
DONE:
  st.global.u32 [%at], %r1;
  ret;
)"},
    // Lane 0 is kept away by the guard and stores what lane 31 waits for; the others need lane 31.
    {"LanesThatTheGuardKeepsAway", R"(
  mul.wide.u32 %off, %me, 8;
  sub.u64 %off, %at, %off;
  setp.ne.u32 %p1, %me, 0;
  setp.eq.u32 %p2, %me, 31;
  mov.u32 %r1, 7;
  @%p2 bra LAST;
MEET:
  @%p1 shfl.sync.bfly.b32 %r1, %me, 30, 0x1f, 0xfffffffe;
  @%p1 bra DONE;
  st.volatile.global.u32 [%off+4], 1;
  bra DONE;
LAST:
  ld.volatile.global.u32 %r2, [%off+4];
  setp.eq.u32 %p4, %r2, 0;
  @%p4 bra LAST;
  bra MEET;
DONE:
  st.global.u32 [%at], %r1;
  ret;
)"},
    // Pairs that meet in turn, each pair for itself: pair i spins until pair i-1 has passed.
    {"AChainOfPairs", R"(
  mul.wide.u32 %off, %me, 8;
  sub.u64 %off, %at, %off;
  mov.u32 %r1, 3;
  and.b32 %r2, %me, 30;
  shl.b32 %r1, %r1, %r2;
  shr.u32 %r2, %me, 1;
  and.b32 %r5, %me, 1;
  setp.eq.u32 %p1, %r5, 0;
  @%p1 bra MEET;
TURN:
  ld.volatile.global.u32 %r3, [%off+4];
  setp.ne.u32 %p2, %r3, %r2;
  @%p2 bra TURN;
MEET:
  shfl.sync.bfly.b32 %r4, %me, 1, 0x1f, %r1;
  @%p1 bra DONE;
  add.u32 %r3, %r2, 1;
  st.volatile.global.u32 [%off+4], %r3;
DONE:
  st.global.u32 [%at], %r4;
  ret;
)"},
};

/// Lanes that meet in different iterations of a loop: those that come late have gone past the others, which wait in an
/// arm of the first iteration.
const Case kOtherIterations{"OtherIterations", R"(
  mov.u32 %r1, 0;
  mov.u32 %r4, 0;
  and.b32 %r2, %me, 1;
LAP:
  setp.ne.u32 %p1, %r1, %r2;
  @%p1 bra NEXT;
  shfl.sync.bfly.b32 %r4, %me, 1, 0x1f, -1;
NEXT:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p2, %r1, 2;
  @%p2 bra LAP;
  st.global.u32 [%at], %r4;
  ret;
)"};

struct Mechanism {
  const char* name;
  std::vector<std::string> assignments;
};
void PrintTo(const Mechanism& mechanism, std::ostream* out) { *out << mechanism.name; }

const std::string kFlow = "core.control_flow.";
const std::string kAware = kFlow + "mechanism=aware";
const std::string kMultiPath = kFlow + "mechanism=multi_path";
const std::string kMasks = "core.scoreboard.kind=per_thread_mask";
const std::string kTimeout = kFlow + "timeout.cycles=10";
const Mechanism kMechanisms[] = {
    {"Aware", {kAware}},
    {"AwareTimeout", {kAware, kTimeout}},
    {"AwareVirtualTimeout", {kAware, kTimeout, kFlow + "aware.st_entries=4", kFlow + "aware.rt_entries=2"}},
    {"AwareTimeoutFewEntries", {kAware, kTimeout, "core.scoreboard.entries_per_warp=4"}},
    {"MultiPath", {kMultiPath}},
    {"MultiPathTimeout", {kMultiPath, kTimeout, kMasks}},
    {"MultiPathTimeoutPerWarpScoreboard", {kMultiPath, kTimeout}},
    {"MultiPathTimeoutFewEntries", {kMultiPath, kTimeout, kMasks, "core.scoreboard.entries_per_warp=4"}},
    {"MultiPathEarlyTimeout",
     {kMultiPath, kTimeout, kMasks, kFlow + "multi_path.opportunistic_reconvergence=true"}},
};

const std::string kHanoi = kFlow + "mechanism=hanoi";
const std::string kP = kFlow + "hanoi.profile=P";
const Mechanism kHanois[] = {
    {"HanoiX", {kHanoi}},
    {"HanoiP", {kHanoi, kP}},
    {"HanoiPOneRegister", {kHanoi, kP, "core.convergence.barrier_registers=1"}},
    {"HanoiXContract", {kHanoi, kFlow + "hanoi.timing=contract", "core.scoreboard.entries_per_warp=4"}},
    {"HanoiXNoRegions", {kHanoi, "core.convergence.placement=off"}},
};

std::vector<std::uint64_t> on_gpu(const Case& kernel, const Mechanism& mechanism) {
  gpu::GpuConfig config = gpu::load_platform("tiny", mechanism.assignments);
  config.watchdog.check_cycles = 64;  // any alarm would be false
  gpu::GpuDevice gpu(config, {.max_cycles = 1'000'000, .shuffle_modules = 0, .on_progress = {}});
  return run(gpu, kernel.body);
}

std::vector<std::uint64_t> on_oracle(const Case& kernel) {
  oracle::OracleDevice oracle;
  return run(oracle, kernel.body);
}

class WarpSync : public ::testing::TestWithParam<std::tuple<Case, Mechanism>> {};

TEST_P(WarpSync, LanesMeet) {
  const auto& [kernel, mechanism] = GetParam();
  EXPECT_EQ(on_gpu(kernel, mechanism), on_oracle(kernel));
}

const auto kName = [](const auto& test) {
  return std::string(std::get<0>(test.param).name) + std::get<1>(test.param).name;
};

INSTANTIATE_TEST_SUITE_P(On, WarpSync,
                         ::testing::Combine(::testing::ValuesIn(kCases), ::testing::ValuesIn(kMechanisms)),
                         kName);
INSTANTIATE_TEST_SUITE_P(OnHanoi, WarpSync,
                         ::testing::Combine(::testing::ValuesIn(kCases), ::testing::ValuesIn(kHanois)),
                         kName);
// They spin, which needs a YIELD, which only the placement puts in.
INSTANTIATE_TEST_SUITE_P(ByLane, WarpSync,
                         ::testing::Combine(::testing::ValuesIn(kByLane),
                                            ::testing::ValuesIn(std::begin(kHanois), std::end(kHanois) - 1)),
                         kName);
// In X lanes that wait at a BSYNC go on if nothing else can: nobody starves.
INSTANTIATE_TEST_SUITE_P(Late, WarpSync,
                         ::testing::Values(std::tuple{kOtherIterations, kHanois[0]},
                                           std::tuple{kOtherIterations, kHanois[3]},
                                           std::tuple{kOtherIterations, kHanois[4]}),
                         kName);

// What other machines do with it, as their pages say: a split of AWARE and Multi-Path goes on as a whole, and lanes of P
// wait at a BSYNC for ever, as published.
class WarpSyncLimit : public ::testing::TestWithParam<std::tuple<Case, Mechanism>> {};

TEST_P(WarpSyncLimit, Hangs) {
  const auto& [kernel, mechanism] = GetParam();
  try {
    (void)on_gpu(kernel, mechanism);
    FAIL() << "it ends";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::kHang) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Together, WarpSyncLimit,
                         ::testing::Combine(::testing::Values(kByLane[0], kByLane[1]),
                                            ::testing::Values(kMechanisms[0], kMechanisms[4])),
                         kName);
INSTANTIATE_TEST_SUITE_P(Late, WarpSyncLimit,
                         ::testing::Combine(::testing::Values(kOtherIterations),
                                            ::testing::Values(kMechanisms[0], kMechanisms[4], kHanois[1])),
                         kName);

class WarpSyncHang : public ::testing::TestWithParam<Mechanism> {};

TEST_P(WarpSyncHang, SaysWhichLanesAreMissing) {
  gpu::GpuConfig config = gpu::load_platform("tiny", GetParam().assignments);
  config.watchdog.check_cycles = 64;
  gpu::GpuDevice gpu(config, {.max_cycles = 1'000'000, .shuffle_modules = 0, .on_progress = {}});
  try {
    run(gpu, R"(
  setp.lt.u32 %p1, %me, 8;
  @%p1 bra FEW;
  bar.warp.sync -1;
FEW:
  bar.sync 0;
  ret;
)");
    FAIL() << "lanes 0 to 7 never come to the bar.warp.sync";
  } catch (const base::Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.code(), base::ExitCode::kHang) << text;
    EXPECT_NE(text.find("lanes wait at a .sync instruction for others of their warp"), std::string::npos)
        << text;
    EXPECT_NE(text.find("wait for lanes 0x000000ff of their member mask"), std::string::npos) << text;
    EXPECT_NE(text.find("bar.warp.sync -1;"), std::string::npos) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(On, WarpSyncHang,
                         ::testing::Values(Mechanism{"Aware", {kAware}}, Mechanism{"MultiPath", {kMultiPath}},
                                           kHanois[0], kHanois[1]),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace heddle::warp_sync_test
