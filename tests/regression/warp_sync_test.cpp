// .sync instructions of lanes that run separately: AWARE and Multi-Path give every split its turn, so that
// lanes synchronise with those in their member mask at any distance. The expected results are those of the
// scalar oracle.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "base/error.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "oracle/oracle.h"

namespace heddle {
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

class WarpSync : public testing::TestWithParam<std::tuple<Case, Mechanism>> {};

TEST_P(WarpSync, LanesMeet) {
  const auto& [kernel, mechanism] = GetParam();
  oracle::OracleDevice oracle;
  gpu::GpuDevice gpu(gpu::load_platform("tiny", mechanism.assignments),
                     {.max_cycles = 1'000'000, .shuffle_modules = 0, .on_progress = {}});
  EXPECT_EQ(run(gpu, kernel.body), run(oracle, kernel.body));
}

INSTANTIATE_TEST_SUITE_P(On, WarpSync,
                         testing::Combine(testing::ValuesIn(kCases), testing::ValuesIn(kMechanisms)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + std::get<1>(test.param).name;
                         });

class WarpSyncHang : public testing::TestWithParam<Mechanism> {};

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
                         testing::Values(Mechanism{"Aware", {kAware}}, Mechanism{"MultiPath", {kMultiPath}}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace heddle
