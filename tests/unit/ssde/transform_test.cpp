// SSDE on PTX text ([SSDE] §4.2.1, Alg 4, [SSDE:G19]): the graph it makes, that nothing else changes,
// that a second look finds nothing, and that a third party's assembler accepts it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "ssde/ssde.h"
#include "unit/ssde/kernels.h"
#include "unit/ssde/ptxas.h"

namespace heddle::ssde_test::transform_test {
namespace {

struct Pattern {
  const char* name;
  const char* body;
};
const std::vector<Pattern> kPatterns = {{"K0", kSpinLock},
                                        {"K1", kRetry},
                                        {"K1Strided", kRetryInGridStride},
                                        {"K1Mimd", kSpinInGridStride},
                                        {"K2K5", kLaneByLane},
                                        {"K3", kNestedRetry},
                                        {"K4", kTwoLocks},
                                        {"K6", kPollForParent},
                                        {"K6Mimd", kWaitForParent},
                                        {"K7", kLockWithDelay},
                                        {"K8", kMaximum},
                                        {"K9", kRetryWithDelay},
                                        {"K10EarlyReturn", kEarlyRelease},
                                        {"K10", kTwoReleases},
                                        {"K11", kBreakWithLock},
                                        {"K12", kHistogram},
                                        {"K13", kUnstructured},
                                        {"AllLanesAgree", kAllLanesAgree}};

class Ssde : public testing::TestWithParam<Pattern> {};

TEST_P(Ssde, ALookAtTheResultFindsNothing) {
  const Analyzed before = analyze(GetParam().body);
  for (const bool keep_lines : {false, true}) {
    const std::string text = transformed(before, keep_lines);
    const Analyzed after = analyze_text(text);
    EXPECT_EQ(after.flagged(), std::vector<std::uint32_t>{}) << text;
    EXPECT_EQ(transformed(after), text) << "a second transformation changes nothing";
  }
  EXPECT_EQ(transformed(before) == before.text, before.flagged().empty());
}

TEST_P(Ssde, PtxasAcceptsTheResult) {
  if (!has_ptxas()) GTEST_SKIP() << "ptxas is not installed";
  const Analyzed before = analyze(GetParam().body);
  for (const bool keep_lines : {false, true}) {
    EXPECT_EQ(ptxas(GetParam().name, transformed(before, keep_lines)), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Patterns, Ssde, testing::ValuesIn(kPatterns),
                         [](const auto& test) { return std::string(test.param.name); });

// --- the graph

/// Edges between blocks, each named by the line of the original text it begins on; blocks that the
/// transformation has made of a line's instruction by the line and a letter in the order of the code.
std::set<std::string> edges(const Analyzed& kernel) {
  const analysis::ControlFlowGraph& cfg = kernel.code->cfg();
  std::vector<std::string> names;
  std::map<std::uint32_t, char> letters;
  for (analysis::BlockId b = 0; b < cfg.block_count(); ++b) {
    const std::uint32_t line = kernel.line(cfg.block(b).first);
    const std::int64_t body = std::int64_t{line} - kBodyLine + 1;
    const char letter = letters.try_emplace(line, 'a').first->second++;
    names.push_back(body < 1 ? "A" : std::to_string(body) + letter);
  }
  names.emplace_back("end");
  std::set<std::string> out;
  for (analysis::BlockId b = 0; b < cfg.block_count(); ++b)
    for (const analysis::BlockId to : cfg.block(b).successors) out.insert(names[b] + ">" + names[to]);
  return out;
}

TEST(SsdeGraph, G19_TheSpinLocksGraphBecomesThatOfFigure42) {
  const Analyzed before = analyze(kSpinLock);
  EXPECT_EQ(edges(before), (std::set<std::string>{"A>1a", "1a>1a", "1a>4a", "4a>end"}));
  // B: 1a, C1: 4a, S: 9a, C2: 9b.
  const Analyzed after = analyze_text(transformed(before, true));
  EXPECT_EQ(edges(after),
            (std::set<std::string>{"A>1a", "1a>4a", "1a>9a", "4a>9a", "9a>9b", "9a>1a", "9b>end"}));
  // The switch is where the loop's sides meet, and C2 where the switch's do.
  const auto& code = after.kernel->code;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> points;
  for (std::uint32_t i = 0; i < code.size(); ++i)
    if (code[i].op == isa::Opcode::kBranch)
      points.emplace_back(after.line(i) - kBodyLine + 1, code[i].rpc.value());
  ASSERT_EQ(points.size(), 2u);
  const auto first_of = [&](unsigned n) {
    std::uint32_t block = 0;
    for (analysis::BlockId b = 0; b < after.code->cfg().block_count(); ++b)
      if (after.line(after.code->cfg().block(b).first) == kBodyLine + 8 && n-- == 0)
        block = after.code->cfg().block(b).first;
    return block;
  };
  EXPECT_EQ(points[0], (std::pair<std::uint32_t, std::uint32_t>{3, first_of(0)}));
  EXPECT_EQ(points[1], (std::pair<std::uint32_t, std::uint32_t>{9, first_of(1)}));
}

TEST(SsdeGraph, TwoLoopsShareASwitch) {
  const Analyzed after = analyze_text(transformed(analyze(kTwoLocks), true));
  const auto have = edges(after);
  // Threads that return to a header are separated from the others first: both loops reconverge at the switch,
  // not after it.
  for (const char* edge : {"2a>14a", "5a>14a", "8a>14a", "14a>14b", "14a>14d", "14b>2a", "14b>14c", "14c>5a"})
    EXPECT_TRUE(have.contains(edge)) << edge;
  EXPECT_FALSE(have.contains("2a>2a"));
  EXPECT_FALSE(have.contains("5a>5a"));
  // A lane that goes back, on whichever way, meets the others at the switch again.
  std::uint32_t at_switch = 0;
  for (std::uint32_t i = 0; i < after.kernel->code.size(); ++i) {
    if (at_switch == 0 && after.line(i) == kBodyLine + 13) at_switch = i;
  }
  for (std::uint32_t i = at_switch; i < after.kernel->code.size(); ++i) {
    const isa::Instruction& branch = after.kernel->code[i];
    if (branch.op == isa::Opcode::kBranch && branch.guard.present && branch.target.value() < at_switch) {
      EXPECT_EQ(branch.rpc.value(), at_switch);
    }
  }
}

TEST(SsdeGraph, LoopsWithOneHeaderShareAWayBack) {
  // The outer loop's exit depends on what is read in it, so that it is led through the switch as well.
  const Analyzed before = analyze(R"(SPIN: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra SPIN;
ld.volatile.global.u32 %r3, [%rd2];
add.u32 %r4, %r3, 1;
st.volatile.global.u32 [%rd2], %r4;
membar.gl;
atom.global.exch.b32 %r5, [%rd1], 0;
setp.lt.u32 %p2, %r3, %r1;
@%p2 bra SPIN;
mov.u32 %r6, 0;
ret;
)");
  EXPECT_EQ(before.flagged(), (std::vector<std::uint32_t>{1, 1}));
  const std::string text = transformed(before);
  EXPECT_EQ(text.find("setp.eq.u32 %heddle_p0"), text.rfind("setp.eq.u32 %heddle_p0")) << text;
  EXPECT_EQ(analyze_text(text).flagged(), std::vector<std::uint32_t>{}) << text;
}

TEST(SsdeGraph, ReturnsAreLedTogetherButNotThoseOfThreadsThatLeaveEarly) {
  const std::string body = std::string("mov.u32 %r20, %tid.x; setp.ge.u32 %p7, %r20, %r1; @%p7 ret;\n") +
                           "setp.ge.u32 %p8, %r20, 31; @%p8 bra GONE;\n" + kEarlyRelease + "GONE: ret;\n";
  const Analyzed before = analyze(body);
  const std::string text = transformed(before);
  EXPECT_NE(text.find("@%p7 ret;"), std::string::npos) << text;
  EXPECT_NE(text.find("bra $heddle_end0;"), std::string::npos) << text;
  const Analyzed after = analyze_text(text);
  EXPECT_EQ(after.flagged(), std::vector<std::uint32_t>{});
  // Threads that are gone early are not waited for where the others meet.
  for (std::uint32_t i = 0; i < after.kernel->code.size(); ++i) {
    const isa::Instruction& branch = after.kernel->code[i];
    if (branch.op != isa::Opcode::kBranch ||
        after.kernel->source_line(base::Pc(i)).find("%p8") == std::string::npos)
      continue;
    EXPECT_EQ(branch.rpc.value(), i + 1) << text;
  }
}

TEST(SsdeGraph, ThreadsThatOnlyEndDoNotPassASwitchInFrontOfTheEnd) {
  // The release is the last thing before the common return.
  const Analyzed before = analyze(R"(mov.u32 %r6, %tid.x;
setp.ge.u32 %p1, %r6, %r1;
@%p1 bra DONE;
SPIN: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p2, %r2, 0;
@%p2 bra SPIN;
bar.arrive 1, 64;
atom.global.exch.b32 %r3, [%rd1], 0;
DONE: ret;
)");
  EXPECT_EQ(before.safe(4), 9u);
  const std::string text = transformed(before);
  EXPECT_NE(text.find("@%p1 bra $heddle_early0;"), std::string::npos) << text;
  const Analyzed after = analyze_text(text);
  EXPECT_EQ(after.flagged(), std::vector<std::uint32_t>{});
  for (const bool keep : {false, true})
    if (has_ptxas()) {
      EXPECT_EQ(ptxas("early", transformed(before, keep)), "");
    }
}

/// Texts that end, fall and branch in unusual ways.
const std::vector<Pattern> kShapes = {
    {"IndirectLatch", R"(TABLE: .branchtargets SPIN, OUT;
SPIN: atom.global.cas.b32 %r2, [%rd1], 0, 1;
xor.b32 %r3, %r2, 1;
brx.idx %r3, TABLE;
OUT: atom.global.exch.b32 %r4, [%rd1], 0;
mov.u32 %r5, 0;
ret;
)"},
    {"GuardedIndirectLatch", R"(TABLE: .branchtargets SPIN, OUT;
SPIN: atom.global.cas.b32 %r2, [%rd1], 0, 1;
xor.b32 %r3, %r2, 1;
setp.ne.u32 %p1, %r2, 7;
@%p1 brx.idx %r3, TABLE;
OUT: atom.global.exch.b32 %r4, [%rd1], 0;
mov.u32 %r5, 0;
ret;
)"},
    {"RunsOffItsEnd", R"(SPIN: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra SPIN;
atom.global.exch.b32 %r4, [%rd1], 0;
)"},
    {"LabelAtTheEnd", R"(setp.eq.u32 %p2, %r1, 0;
@%p2 bra OUT;
SPIN: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra SPIN;
atom.global.exch.b32 %r4, [%rd1], 0;
OUT:
)"},
    {"FallsIntoItsHeader", R"(bra TEST;
RELEASE: atom.global.exch.b32 %r4, [%rd1], 0;
bra OUT;
AGAIN: mov.u32 %r5, 0;
TEST: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.eq.u32 %p1, %r2, 0;
@%p1 bra RELEASE;
bra AGAIN;
OUT: mov.u32 %r6, 0;
ret;
)"},
    {"NegatedGuard", R"(SPIN: atom.global.cas.b32 %r2, [%rd1], 0, 1; setp.eq.u32 %p1, %r2, 0; @!%p1 bra SPIN;
atom.global.exch.b32 %r4, [%rd1], 0; ret;
)"},
    {"HeaderWithoutLabel", R"(SPIN: { .reg .b32 %inner; mov.u32 %inner, 1;
atom.global.cas.b32 %r2, [%rd1], 0, %inner; }
setp.ne.u32 %p1, %r2, 0; @%p1 bra SPIN;
{ .reg .b32 %other; atom.global.exch.b32 %other, [%rd1], 0; }
mov.u32 %r5, 1;
ret;
)"},
    {"ReleaseEndsAScope", R"(SPIN: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0; @%p1 bra SPIN;
{ .reg .b32 %other; atom.global.exch.b32 %other, [%rd1], 0; mov.u32 %other, 3; add.u32 %r5, %other, 1; }
ret;
)"},
    {"SwitchAtAHeader", R"(SPIN: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra SPIN;
atom.global.exch.b32 %r4, [%rd1], 0;
bar.sync 0;
MORE: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra MORE;
atom.global.exch.b32 %r4, [%rd1], 0;
ret;
)"},
    {"TwoEntries", R"(mov.u32 %r5, %tid.x;
setp.eq.u32 %p2, %r5, 0;
@%p2 bra MIDDLE;
TOP: mov.u32 %r6, 0;
MIDDLE: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra TOP;
atom.global.exch.b32 %r4, [%rd1], 0;
mov.u32 %r7, 0;
ret;
)"},
    {"Acquire", R"(SPIN: atom.acquire.gpu.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra SPIN;
atom.acq_rel.gpu.global.exch.b32 %r4, [%rd1], 0;
ret;
)"}};

class SsdeShapes : public testing::TestWithParam<Pattern> {};

TEST_P(SsdeShapes, AreTransformedAndAccepted) {
  const Analyzed before = analyze(GetParam().body);
  EXPECT_FALSE(before.flagged().empty());
  for (const bool keep_lines : {false, true}) {
    const std::string text = transformed(before, keep_lines);
    EXPECT_NE(text, before.text);
    const Analyzed after = analyze_text(text);
    EXPECT_EQ(after.flagged(), std::vector<std::uint32_t>{}) << text;
    if (has_ptxas()) {
      EXPECT_EQ(ptxas(GetParam().name, text), "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SsdeShapes, testing::ValuesIn(kShapes),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(SsdeText, AnythingElseStaysToTheByte) {
  const Analyzed before = analyze(kSpinLock);
  const std::string text = transformed(before);
  // Taking the inserted lines away and naming the label gives the original.
  std::stringstream lines(text);
  std::string rest;
  for (std::string line; std::getline(lines, line);) {
    const std::string bare = line.substr(std::min(line.find_first_not_of('\t'), line.size()));
    if (bare.find("heddle_") != std::string::npos && bare.find("bra $heddle_sw0") == std::string::npos)
      continue;
    if (bare.starts_with("// SSDE")) continue;
    rest += bare + "\n";
  }
  rest.replace(rest.find("$heddle_sw0"), 11, "SPIN");
  std::string original = before.text;
  EXPECT_NE(rest.find("mov.u32 %r5, 1;\nret;\n"), std::string::npos) << rest;
  EXPECT_NE(rest.find("setp.ne.u32 %p1, %r2, 0;\n@%p1 bra SPIN;\nld.volatile"), std::string::npos) << rest;
  EXPECT_EQ(std::count(rest.begin(), rest.end(), '\n') + 1,
            std::count(original.begin(), original.end(), '\n') + 1)
      << text;
}

TEST(SsdeText, LinesCanStayWhereTheyAre) {
  const Analyzed before = analyze(kBreakWithLock);
  const std::string text = transformed(before, true);
  EXPECT_NE(text, before.text);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'),
            std::count(before.text.begin(), before.text.end(), '\n'));
}

TEST(SsdeText, NamesThatTheTextHasAreNotTaken) {
  const std::string body = std::string(".reg .b32 %heddle_c;\nmov.u32 %heddle_c, 0;\n") + kSpinLock;
  const std::string text = transformed(analyze(body));
  EXPECT_NE(text.find("%heddle2_c0"), std::string::npos) << text;
  EXPECT_EQ(analyze_text(text).flagged(), std::vector<std::uint32_t>{});
}

TEST(SsdeText, APragmaLeavesAKernelAsItIs) {
  for (const char* where : {"head", "body", "module"}) {
    std::string text = module_text(kSpinLock);
    const std::string pragma = ".pragma \"heddle nossde\";\n";
    if (std::string(where) == "head") text.insert(text.find("{"), pragma);
    if (std::string(where) == "body") text.insert(text.find(".reg"), pragma);
    if (std::string(where) == "module") text.insert(text.find(".visible"), pragma);
    const Analyzed kernel = analyze_text(text);
    EXPECT_FALSE(kernel.flagged().empty());
    EXPECT_EQ(transformed(kernel), text) << where;
  }
  const Analyzed kernel = analyze(kSpinLock);
  ssde::SsdeOptions options;
  options.except = {"other", "k"};
  EXPECT_EQ(ssde::eliminate_simt_deadlocks(kernel.text, *kernel.tree, kernel.module, options).text,
            kernel.text);
  // Others mean nothing here.
  std::string text = module_text(kSpinLock);
  text.insert(text.find(".reg"), ".pragma \"nounroll\";\n");
  EXPECT_NE(transformed(analyze_text(text)), text);
}

TEST(SsdeText, ALoopThatBeginsWithinBracesIsRefusedByName) {
  const Analyzed kernel = analyze(R"({ .reg .b32 %inner;
SPIN: atom.global.cas.b32 %inner, [%rd1], 0, 1;
setp.ne.u32 %p1, %inner, 0; @%p1 bra SPIN; }
atom.global.exch.b32 %r4, [%rd1], 0;
ret;
)");
  EXPECT_EQ(kernel.flagged(), std::vector<std::uint32_t>{2});
  const auto result = ssde::eliminate_simt_deadlocks(kernel.text, *kernel.tree, kernel.module);
  ASSERT_EQ(result.refusals.size(), 1u);
  EXPECT_EQ(result.refusals[0].function, "k");
  EXPECT_EQ(result.refusals[0].loop.line, kBodyLine + 1);
  EXPECT_NE(result.refusals[0].reason.find("{ }"), std::string::npos);
  EXPECT_EQ(result.text, kernel.text);
}

TEST(SsdeText, ABarrierBehindTheLoopIsRefusedByName) {
  // The release is after a barrier of some warps, at which threads that hold the lock would wait forever.
  const Analyzed kernel = analyze(R"(SPIN: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra SPIN;
bar.sync 1, 64;
atom.global.exch.b32 %r4, [%rd1], 0;
ret;
)");
  EXPECT_EQ(kernel.flagged(), std::vector<std::uint32_t>{1});
  const auto result = ssde::eliminate_simt_deadlocks(kernel.text, *kernel.tree, kernel.module);
  ASSERT_EQ(result.refusals.size(), 1u);
  EXPECT_NE(result.refusals[0].reason.find("barrier (line 16)"), std::string::npos)
      << result.refusals[0].reason;
  EXPECT_EQ(result.text, kernel.text);
}

TEST(SsdeText, FunctionsAreTransformedToo) {
  const std::string text = R"(.version 7.0
.target sm_75
.address_size 64
.func add_one(.param .b64 lock, .param .b64 data)
{
.reg .b64 %l, %d; .reg .b32 %v; .reg .pred %p;
ld.param.u64 %l, [lock]; ld.param.u64 %d, [data];
SPIN: atom.global.cas.b32 %v, [%l], 0, 1;
setp.ne.u32 %p, %v, 0;
@%p bra SPIN;
ld.volatile.global.u32 %v, [%d];
add.u32 %v, %v, 1;
st.volatile.global.u32 [%d], %v;
membar.gl;
atom.global.exch.b32 %v, [%l], 0;
ret;
}
.visible .entry k(.param .u64 lock, .param .u64 data)
{
.reg .b64 %rd<3>;
ld.param.u64 %rd1, [lock]; ld.param.u64 %rd2, [data];
{ .param .b64 a; .param .b64 b; st.param.b64 [a], %rd1; st.param.b64 [b], %rd2; call.uni add_one, (a, b); }
ret;
}
.visible .entry twice(.param .u64 lock, .param .u64 data)
{
.reg .b64 %rd<3>;
ld.param.u64 %rd1, [lock]; ld.param.u64 %rd2, [data];
{ .param .b64 a; .param .b64 b; st.param.b64 [a], %rd1; st.param.b64 [b], %rd2; call.uni add_one, (a, b); }
ret;
}
)";
  const Analyzed before = analyze_text(text);
  EXPECT_FALSE(before.flagged().empty());
  const std::string after = transformed(before);
  EXPECT_EQ(analyze_text(after).flagged(), std::vector<std::uint32_t>{}) << after;
  EXPECT_EQ(after.find("$heddle_sw0:"), after.rfind("$heddle_sw0:")) << "once, though two kernels call it";
  if (has_ptxas()) {
    EXPECT_EQ(ptxas("function", after), "");
  }
}

}  // namespace
}  // namespace heddle::ssde_test::transform_test
