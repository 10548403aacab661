// What lanes of a warp that run apart wait for, on every mechanism: .sync instructions whose member masks name lanes that
// come from elsewhere in the code, later, or never, and CTA barriers that others reach when they have returned. Whatever
// the mechanism, the memory is that of threads that run on their own (the oracle's), or the run ends with the diagnosis
// of a hang; never anything else.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "base/error.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "oracle/oracle.h"

namespace heddle::divergent_waits_test {
namespace {

constexpr std::uint32_t kThreads = 64;

/// `k(out)`: thread %n, lane %me, has 8 bytes at %at.
std::string module(const std::string& body) {
  return R"(.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .b32 %me, %n, %r<9>;
  .reg .b64 %at, %off, %l<3>;
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

// By what a mechanism can do with lanes that wait for each other; a bit each, so that a case names those it ends on.
enum : unsigned {
  kStack = 1,         ///< one side of a branch at a time
  kTurns = 2,         ///< sides take turns, and wait for each other behind the branch
  kTimeout = 4,       ///< but not for ever
  kProfileP = 8,      ///< lanes part at .sync instructions, but wait for each other at a BSYNC
  kWarpBarrier = 16,  ///< or at a reconvergence point
  kAlone = 32,        ///< each lane goes on when it can
};
constexpr unsigned kNone = 0;
constexpr unsigned kPart = kProfileP | kWarpBarrier | kAlone;
constexpr unsigned kRunApart = kTurns | kTimeout | kPart;
constexpr unsigned kAll = kStack | kRunApart;
/// A BSYNC in front of what lanes do before they end: P waits there, as published.
constexpr unsigned kNotP = kAll & ~kProfileP;

struct Machine {
  const char* name;
  unsigned kind;
  std::vector<std::string> keys;
};
void PrintTo(const Machine& machine, std::ostream* out) { *out << machine.name; }

const std::string kFlow = "core.control_flow.";
const std::string kOneSubCore = "core.scheduler.sub_cores=1";
const Machine kMachines[] = {
    {"Stack", kStack, {}},
    {"StackNotTakenFirst", kStack, {kFlow + "first_side=not_taken"}},
    {"StackLikelyPoints", kStack, {kFlow + "likely_convergence=loops"}},
    {"Aware", kTurns, {kFlow + "mechanism=aware"}},
    {"AwareTimeout", kTimeout, {kFlow + "mechanism=aware", kFlow + "timeout.cycles=50"}},
    {"MultiPath", kTurns, {kFlow + "mechanism=multi_path"}},
    {"HanoiX", kAlone, {kFlow + "mechanism=hanoi"}},
    {"HanoiP", kProfileP, {kFlow + "mechanism=hanoi", kFlow + "hanoi.profile=P"}},
    {"Resync", kAlone, {kFlow + "mechanism=resync"}},
    {"Tbc", kStack, {kFlow + "mechanism=tbc", kOneSubCore}},
    {"Dwf", kAlone, {kFlow + "mechanism=dwf", kOneSubCore}},
    {"DwfWarpBarrier", kWarpBarrier, {kFlow + "mechanism=dwf", kFlow + "dwf.warp_barrier=true", kOneSubCore}},
};

struct Case {
  const char* name;
  unsigned ends_on;  ///< machines of these kinds finish it
  const char* body;
};
void PrintTo(const Case& kernel, std::ostream* out) { *out << kernel.name; }

// ---- Member masks

const Case kMasks[] = {
    // The same shuffle in both arms: other registers, another predicate, the mask a constant or in a register.
    {"ShflArms", kRunApart, R"(
  setp.lt.u32 %p1, %me, 10;
  mov.u32 %r5, 0;
  @%p1 bra LOW;
  mul.lo.u32 %r1, %me, 3;
  shfl.sync.bfly.b32 %r2|%p2, %r1, 31, 31, -1;
  selp.u32 %r5, 1, 2, %p2;
  bra JOIN;
LOW:
  mul.lo.u32 %r3, %me, 7;
  mov.u32 %r7, -1;
  shfl.sync.bfly.b32 %r2, %r3, 31, 31, %r7;
  add.u32 %r2, %r2, 1000;
JOIN:
  st.global.v2.u32 [%at], {%r2, %r5};
  ret;
)"},
    // Votes, of a predicate and of its complement.
    {"VoteArms", kRunApart, R"(
  setp.lt.u32 %p1, %me, 10;
  and.b32 %r1, %me, 1;
  setp.eq.u32 %p2, %r1, 1;
  @%p1 bra LOW;
  vote.sync.ballot.b32 %r2, !%p2, -1;
  vote.sync.any.pred %p4, %p2, -1;
  bra JOIN;
LOW:
  vote.sync.ballot.b32 %r2, %p2, -1;
  setp.gt.u32 %p3, %me, 100;
  vote.sync.any.pred %p4, %p3, -1;
JOIN:
  selp.u32 %r3, 1, 0, %p4;
  st.global.v2.u32 [%at], {%r2, %r3};
  ret;
)"},
    // Values of 64 bits; a second destination.
    {"MatchArms", kRunApart, R"(
  setp.lt.u32 %p1, %me, 10;
  and.b32 %r1, %me, 3;
  cvt.u64.u32 %l1, %r1;
  shl.b64 %l2, %l1, 33;
  @%p1 bra LOW;
  match.any.sync.b64 %r2, %l2, 0xffffffff;
  match.all.sync.b32 %r3|%p2, %me, 0xffffffff;
  selp.u32 %r3, %r3, 5, %p2;
  bra JOIN;
LOW:
  match.any.sync.b64 %r2, %l2, 0xffffffff;
  match.all.sync.b32 %r3|%p2, 7, 0xffffffff;
  selp.u32 %r3, %r3, 6, %p2;
JOIN:
  st.global.v2.u32 [%at], {%r2, %r3};
  ret;
)"},
    // Reductions.
    {"ReduxArms", kRunApart, R"(
  setp.lt.u32 %p1, %me, 10;
  @%p1 bra LOW;
  redux.sync.add.u32 %r2, %me, 0xffffffff;
  redux.sync.max.s32 %r3, %r2, 0xffffffff;
  bra JOIN;
LOW:
  add.u32 %r4, %me, 100;
  redux.sync.add.u32 %r2, %r4, 0xffffffff;
  redux.sync.max.s32 %r3, %r4, 0xffffffff;
JOIN:
  st.global.v2.u32 [%at], {%r2, %r3};
  ret;
)"},
    // Not the same instruction: nobody ever meets.
    {"DifferentOps", kNone, R"(
  setp.lt.u32 %p1, %me, 10;
  @%p1 bra LOW;
  shfl.sync.up.b32 %r2, %me, 1, 0, -1;
  bra JOIN;
LOW:
  shfl.sync.down.b32 %r2, %me, 1, 31, -1;
JOIN:
  st.global.u32 [%at], %r2;
  ret;
)"},
    // Lanes leave a loop one after the other and meet those in it from behind it.
    {"LoopLeave", kTimeout | kAlone, R"(
  mov.u32 %r1, 0;
  and.b32 %r2, %me, 3;
  mov.u32 %r4, 0;
LAP:
  shfl.sync.bfly.b32 %r3, %me, 1, 31, -1;
  add.u32 %r4, %r4, %r3;
  add.u32 %r1, %r1, 1;
  setp.le.u32 %p1, %r1, %r2;
  @%p1 bra LAP;
MORE:
  setp.gt.u32 %p2, %r1, 4;
  @%p2 bra END;
  shfl.sync.bfly.b32 %r3, %r4, 2, 31, -1;
  add.u32 %r4, %r4, %r3;
  add.u32 %r1, %r1, 1;
  bra MORE;
END:
  st.global.u32 [%at], %r4;
  ret;
)"},
    // Masks of the lanes that are there.
    {"ActiveOnly", kAll, R"(
  setp.lt.u32 %p1, %me, 10;
  mov.u32 %r5, 3;
  @%p1 bra LOW;
  vote.sync.ballot.b32 %r2, 1, 0xfffffc00;
  bra JOIN;
LOW:
  shfl.sync.idx.b32 %r2, %me, 4, 31, 0x3ff;
JOIN:
  st.global.v2.u32 [%at], {%r2, %r5};
  ret;
)"},
    // Masks that name lanes which have exited.
    {"Exited", kRunApart, R"(
  setp.lt.u32 %p1, %me, 10;
  @%p1 exit;
  mov.u32 %r5, 3;
  vote.sync.ballot.b32 %r2, 1, 0xffffffff;
  setp.lt.u32 %p1, %me, 20;
  @%p1 bra LOW;
  redux.sync.add.u32 %r5, %me, 0xffffffff;
  bra JOIN;
LOW:
  bar.warp.sync 0xffc00;
  redux.sync.add.u32 %r5, 1, 0xffffffff;
JOIN:
  st.global.v2.u32 [%at], {%r2, %r5};
  ret;
)"},
    // Lane 0 waits for lanes that do not name it: until they have exited.
    {"Mismatch", kPart, R"(
  setp.eq.u32 %p1, %me, 0;
  selp.u32 %r1, -1, -2, %p1;
  vote.sync.ballot.b32 %r2, 1, %r1;
  st.global.u32 [%at], %r2;
  ret;
)"},
    // Those that never come are done.
    {"OneSide", kNotP, R"(
  setp.lt.u32 %p1, %me, 8;
  @%p1 bra FEW;
  vote.sync.ballot.b32 %r2, 1, -1;
FEW:
  st.global.u32 [%at], %r2;
  ret;
)"},
    // Two guards, one after the other.
    {"Guarded", kPart, R"(
  setp.lt.u32 %p1, %me, 8;
  mov.u32 %r2, 9;
  @%p1 vote.sync.ballot.b32 %r2, 1, -1;
  @!%p1 vote.sync.ballot.b32 %r2, 1, -1;
  st.global.u32 [%at], %r2;
  ret;
)"},
    // CTA barriers for as many threads as half of two warps, and lanes that meet behind them.
    {"HalfCounts", kRunApart, R"(
  setp.lt.u32 %p1, %me, 16;
  mov.u32 %r2, 5;
  @%p1 bra LOW;
  bar.sync 1, 32;
  mov.u32 %r2, 6;
  bar.warp.sync -1;
  bra END;
LOW:
  bar.sync 2, 32;
  bar.warp.sync -1;
END:
  shfl.sync.bfly.b32 %r3, %r2, 16, 31, -1;
  st.global.v2.u32 [%at], {%r2, %r3};
  ret;
)"},
};

// ---- Early returns

const Case kReturns[] = {
    // -O0: all returns are one, and the way there a jump.
    {"SharedReturn", kAll, R"(
  setp.ge.u32 %p1, %n, 40;
  not.pred %p2, %p1;
  @%p2 bra BODY;
  bra OUT;
OUT:
  bra END;
BODY:
  bar.sync 0;
  vote.sync.ballot.b32 %r2, 1, -1;
  st.global.u32 [%at], %r2;
END:
  ret;
)"},
    // A store before the return; the other side is the one that a stack runs first.
    {"EarlyWork", kAll, R"(
  setp.ge.u32 %p1, %n, 40;
  @!%p1 bra BODY;
  st.global.u32 [%at], 77;
  bra END;
BODY:
  bar.sync 0;
  vote.sync.ballot.b32 %r2, 1, -1;
  bar.sync 0;
  st.global.u32 [%at], %r2;
END:
  ret;
)"},
    // Both sides end with the same store.
    {"Tail", kNotP, R"(
  setp.ge.u32 %p1, %n, 40;
  mov.u32 %r2, 5;
  @%p1 bra END;
  bar.sync 0;
  mov.u32 %r2, 6;
END:
  st.global.u32 [%at], %r2;
  ret;
)"},
    // Each side has barriers of its own.
    {"Roles", kRunApart& kNotP, R"(
  setp.ge.u32 %p1, %n, 40;
  mov.u32 %r2, 5;
  @%p1 bra B;
  bar.sync 0;
  mov.u32 %r2, 6;
  bar.sync 0;
  bra END;
B:
  bar.sync 0;
END:
  st.global.u32 [%at], %r2;
  ret;
)"},
    // Lanes return from a loop with a barrier, one after the other.
    {"LoopReturn", kNotP, R"(
  mov.u32 %r1, 0;
  and.b32 %r2, %n, 7;
LAP:
  setp.eq.u32 %p1, %r1, %r2;
  @%p1 bra OUT;
  bar.sync 0;
  add.u32 %r1, %r1, 1;
  bra LAP;
OUT:
  st.global.u32 [%at], %r1;
  ret;
)"},
    // They leave it at its end.
    {"LoopReturn2", kAll, R"(
  mov.u32 %r1, 0;
  and.b32 %r2, %n, 7;
LAP:
  bar.sync 0;
  add.u32 %r1, %r1, 1;
  setp.le.u32 %p1, %r1, %r2;
  @%p1 bra LAP;
  ret;
)"},
};

struct Outcome {
  std::string error;
  std::vector<std::uint64_t> out;
};

Outcome on_gpu(const char* body, const Machine& machine) {
  std::vector<std::string> keys = machine.keys;
  keys.insert(keys.end(), {"core.barrier.counts=threads", "watchdog.check_cycles=64"});
  gpu::GpuDevice gpu(gpu::load_platform("tiny", keys),
                     {.max_cycles = 1'000'000, .shuffle_modules = 0, .on_progress = {}});
  try {
    return {"", run(gpu, body)};
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::kHang) << error.what();
    return {error.what(), {}};
  }
}

class DivergentWaits : public ::testing::TestWithParam<std::tuple<Case, Machine>> {};

TEST_P(DivergentWaits, EndAsOnTheirOwnOrAreDiagnosed) {
  const auto& [kernel, machine] = GetParam();
  const Outcome outcome = on_gpu(kernel.body, machine);
  if ((kernel.ends_on & machine.kind) == 0) {
    EXPECT_NE(outcome.error, "") << "it ends";
    return;
  }
  ASSERT_EQ(outcome.error, "");
  oracle::OracleDevice oracle;
  EXPECT_EQ(outcome.out, run(oracle, kernel.body));
}

const auto kName = [](const auto& test) {
  return std::string(std::get<0>(test.param).name) + std::get<1>(test.param).name;
};
INSTANTIATE_TEST_SUITE_P(Masks, DivergentWaits,
                         ::testing::Combine(::testing::ValuesIn(kMasks), ::testing::ValuesIn(kMachines)),
                         kName);
INSTANTIATE_TEST_SUITE_P(Returns, DivergentWaits,
                         ::testing::Combine(::testing::ValuesIn(kReturns), ::testing::ValuesIn(kMachines)),
                         kName);

// ---- What a diagnosis says

TEST(DivergentWaitsDiagnosis, OnAStackTheDiagnosisNamesMaskAndMissingLanes) {
  const std::string text = on_gpu(kMasks[0].body, kMachines[0]).error;
  for (const char* const part :
       {"SIMT-induced deadlock at a .sync instruction",
        "lanes 0x000003ff wait for lanes 0xfffffc00 of their member "
        "mask 0xffffffff at kernel.ptx:25",
        "shfl.sync.bfly.b32 %r2, %r3, 31, 31, %r7;",
        "lanes 0xfffffc00 have not run their side of a branch, which starts at kernel.ptx:18",
        "core.control_flow.mechanism=hanoi"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(DivergentWaitsDiagnosis, MasksThatDifferAreNamed) {
  const std::string text = on_gpu(R"(
  setp.lt.u32 %p1, %me, 2;
  selp.u32 %r1, 0xf, 0xff, %p1;
  shfl.sync.bfly.b32 %r2, %me, 1, 31, -1;
  setp.ge.u32 %p2, %me, 8;
  @%p2 exit;
  vote.sync.ballot.b32 %r2, 1, %r1;
  bar.sync 0;
  ret;
)",
                                  kMachines[3])
                               .error;
  for (const char* const part :
       {"lanes wait at a .sync instruction for others of their warp",
        "lanes 0x000000ff wait for lanes 0x0000000f of their member mask 0x0000000f or 0x000000ff"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

class MaskWithoutTheLane : public ::testing::TestWithParam<Machine> {};

TEST_P(MaskWithoutTheLane, IsAFault) {
  gpu::GpuDevice gpu(gpu::load_platform("tiny", GetParam().keys), {});
  try {
    (void)run(gpu, "  vote.sync.ballot.b32 %r2, 1, 0xfffffffe;\n  st.global.u32 [%at], %r2;\n  ret;\n");
    FAIL() << "it ends";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::kKernelFault);
    EXPECT_NE(std::string(error.what()).find("(lane 0) is not in its own member mask 0xfffffffe"),
              std::string::npos)
        << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(On, MaskWithoutTheLane, ::testing::ValuesIn(kMachines),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace heddle::divergent_waits_test
