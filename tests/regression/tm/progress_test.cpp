// No transaction waits for ever: attempts that loop over what they have read are validated on their way ([KiloTM:E11]),
// whatever never ends is named with its conflict, and a fence waits for older transactions ([KiloTM:E8]).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regression/tm/random_tx.h"
#include "regression/tm/rig.h"

namespace heddle::testing::progress_test {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

std::uint64_t sum(const Json& result, const char* counter) {
  std::uint64_t total = 0;
  for (const char* core : {"core0", "core1"})
    total += result["statistics"][core]["transactions"][counter].get<std::uint64_t>();
  return total;
}

/// CTA 0 loops within a transaction while two words that it has read differ, which are the same in every state of memory:
/// the transactions of CTA 1 change them together. `loop`: how it does.
TxRun doomed_loop(const std::string& loop) {
  TxRun run;
  const std::string delay =
      "  mov.u32 %r4, {};\n{}:\n  sub.u32 %r4, %r4, 1;\n  setp.ne.u32 %p2, %r4, 0;\n  @%p2 bra {};\n";
  const auto wait = [&](unsigned times, const char* label) {
    return fmt::format(fmt::runtime(delay), times, label, label);
  };
  run.ptx =
      tx_kernel_text("  setp.ne.u32 %p0, %r0, 0;\n  @%p0 bra WRITER;\n  mov.u32 %r5, 20;\nREADER:\n" +
                     std::string(kTxBegin) + "  ld.volatile.global.u32 %r2, [%a];\n" + wait(300, "BETWEEN") +
                     "  ld.volatile.global.u32 %r3, [%a+128];\n" + loop + "  st.global.u32 [%a+64], %r3;\n" +
                     std::string(kTxCommit) +
                     "  sub.u32 %r5, %r5, 1;\n  setp.ne.u32 %p3, %r5, 0;\n  @%p3 bra READER;\n  bra OUT;\n"
                     "WRITER:\n  mov.u32 %r5, 40;\nAGAIN:\n" +
                     std::string(kTxBegin) +
                     "  ld.global.u32 %r2, [%a];\n  add.u32 %r2, %r2, 1;\n  st.global.u32 [%a], %r2;\n"
                     "  st.global.u32 [%a+128], %r2;\n" +
                     std::string(kTxCommit) + wait(37, "PAUSE") +
                     "  sub.u32 %r5, %r5, 1;\n  setp.ne.u32 %p3, %r5, 0;\n  @%p3 bra AGAIN;\nOUT:\n");
  run.threads = 3;
  return run;
}
const char* const kPlainLoop = "LOOP:\n  setp.ne.u32 %p1, %r2, %r3;\n  @%p1 bra LOOP;\n";
/// In a function, called by the lane for which it is wrong: two frames above the transaction's.
const char* const kLoopInAFunction =
    "  setp.eq.u32 %p1, %r2, %r3;\n  @%p1 bra FINE;\n  {\n  .param .b32 x; .param .b32 y;\n"
    "  st.param.b32 [x], %r2;\n  st.param.b32 [y], %r3;\n  call.uni outer, (x, y);\n  }\nFINE:\n";
std::string with_functions(const std::string& ptx) {
  const std::string functions = R"(
.func inner(.param .b32 x, .param .b32 y)
{
  .reg .b32 %u, %v;
  .reg .pred %q;
  ld.param.b32 %u, [x];
  ld.param.b32 %v, [y];
LOOP:
  setp.ne.u32 %q, %u, %v;
  @%q bra LOOP;
  ret;
}
.func outer(.param .b32 x, .param .b32 y)
{
  .reg .b32 %u, %v;
  ld.param.b32 %u, [x];
  ld.param.b32 %v, [y];
  {
  .param .b32 a; .param .b32 b;
  st.param.b32 [a], %u;
  st.param.b32 [b], %v;
  call.uni inner, (a, b);
  }
  ret;
}
)";
  const std::size_t at = ptx.find(".visible .entry");
  return ptx.substr(0, at) + functions + ptx.substr(at);
}

class DoomedLoops : public ::testing::TestWithParam<const char*> {};
TEST_P(DoomedLoops, EndByValidation) {
  for (const bool calls : {false, true})
    for (const char* protocol : {"kilo", "warp"}) {
      TxRun run = doomed_loop(calls ? kLoopInAFunction : kPlainLoop);
      if (calls) run.ptx = with_functions(run.ptx);
      run.settings = {std::string("core.control_flow.mechanism=") + GetParam(),
                      std::string("tm.protocol=") + protocol, "tm.validate_cycles=2000"};
      const Json result = run_tx(run);
      ASSERT_EQ(replay_difference(run, result), "") << calls << " " << protocol;
      EXPECT_GT(sum(result, "sent_away"), 0u) << "nobody was doomed: the test tests nothing";
      EXPECT_EQ(sum(result, "committed"), 3u * 60u);
    }
}
TEST_P(DoomedLoops, AreNamedWithoutIt) {
  TxRun run = doomed_loop(kPlainLoop);
  run.settings = {std::string("core.control_flow.mechanism=") + GetParam(), "tm.validate_cycles=0",
                  "tm.hang_cycles=300000"};
  EXPECT_THAT(run_tx(run)["errors"].dump(), HasSubstr("is not over after"));
}
INSTANTIATE_TEST_SUITE_P(On, DoomedLoops, ::testing::Values("simt_stack", "aware", "multi_path"),
                         [](const auto& test) { return std::string(test.param); });

TEST(EndlessTransactions, AreNamedWithAddressAndBothWarps) {
  // Every thread adds to one word, so most attempts fail.
  TxRun run;
  run.ptx = tx_kernel_text(
      std::string(kTxBegin) +
      "  ld.global.u32 %r2, [%a];\n  add.u32 %r2, %r2, 1;\n  st.global.u32 [%a], %r2;\n" + kTxCommit);
  run.settings = {"tm.hang_cycles=5000", "tm.concurrent_warps=0"};
  const std::string error = run_tx(run)["errors"].dump();
  EXPECT_THAT(error, HasSubstr("test.ptx:"));
  EXPECT_THAT(error, HasSubstr("attempts have failed in a row"));
  EXPECT_THAT(error, HasSubstr("which it had read, has changed: transaction"));
  EXPECT_THAT(error, HasSubstr("of warp slot"));
}

// ---- Their names

/// The first line of the diagnosis of a launch of `ctas` CTAs of one thread.
std::string name_of(const std::string& body, unsigned ctas, std::vector<std::string> settings) {
  TxRun run;
  run.ptx = tx_kernel_text(body);
  run.ctas = ctas;
  run.threads = 1;
  run.settings = std::move(settings);
  const Json result = run_tx(run);
  if (!result.contains("errors")) return "it finished";
  const std::string text = result["errors"].at(0).get<std::string>();
  return text.substr(0, text.find('\n'));
}
std::string delay(const std::string& times, const std::string& label) {
  return fmt::format(
      "  mov.u32 %r4, {1};\n{0}:\n  sub.u32 %r4, %r4, 1;\n  setp.ne.u32 %p2, %r4, 0;\n  @%p2 bra {0};\n",
      label, times);
}
const char* const kAddsOne =
    "  ld.global.u32 %r2, [%a];\n  add.u32 %r2, %r2, 1;\n  st.global.u32 [%a], %r2;\n";

// CTA 0 takes long between its read and its commit, and the others write the word again and again meanwhile.
TEST(EndlessTransactions, OneThatStarvesWhileOthersCommitIsCalledThat) {
  for (const char* protocol : {"kilo", "warp", "ideal"}) {
    const std::string name =
        name_of("  setp.ne.u32 %p0, %r0, 0;\n  @%p0 bra OTHERS;\n" + std::string(kTxBegin) +
                    "  ld.global.u32 %r2, [%a];\n" + delay("2000", "LONG") +
                    "  add.u32 %r2, %r2, 1;\n  st.global.u32 [%a], %r2;\n" + kTxCommit +
                    "  bra OUT;\nOTHERS:\n" + kTxBegin + kAddsOne + kTxCommit + "  bra OTHERS;\nOUT:\n",
                3, {"tm.hang_cycles=100000", std::string("tm.protocol=") + protocol});
    EXPECT_EQ(
        name.rfind("kernel test hangs: starvation of a transaction (timed, not proven; diagnosed at cycle ",
                   0),
        0u)
        << protocol << ": " << name;
  }
}

TEST(EndlessTransactions, OneThatAbortsItselfIsCalledThat) {
  const std::string name = name_of(
      std::string(kTxBegin) + "  ld.global.u32 %r2, [%a];\n  setp.ne.u32 %p0, %r2, 0;\n  @%p0 bra FINE;\n" +
          kTxAbort + "FINE:\n" + kTxCommit,
      1, {"tm.hang_cycles=50000"});
  EXPECT_EQ(name.rfind("kernel test hangs: transaction that always aborts itself (timed", 0), 0u) << name;
}

TEST(EndlessTransactions, OneThatLoopsIsCalledThat) {
  for (const char* protocol : {"kilo", "warp"}) {
    const std::string name = name_of(
        std::string(kTxBegin) +
            "  ld.global.u32 %r2, [%a];\nLOOP:\n  add.u32 %r3, %r3, 1;\n"
            "  setp.eq.u32 %p0, %r2, 0;\n  @%p0 bra LOOP;\n" +
            kTxCommit,
        1, {"tm.hang_cycles=50000", "tm.validate_cycles=5000", std::string("tm.protocol=") + protocol});
    EXPECT_EQ(name.rfind("kernel test hangs: transaction that does not come to its end (timed", 0), 0u)
        << name;
  }
}

/// CTA 0 begins first and reads a[0] late, CTA 1 writes it and many more words. In slow commit units CTA 0's commit waits for
/// CTA 1's to retire.
std::string named_after(unsigned hang_cycles) {
  std::string writes;
  for (unsigned i = 0; i < 100; ++i) writes += fmt::format("  st.global.u32 [%a+{}], 7;\n", 4 * i);
  TxRun run;
  run.ptx = tx_kernel_text("  setp.ne.u32 %p0, %r0, 0;\n  @%p0 bra WRITER;\n" + std::string(kTxBegin) +
                           "  mov.u32 %r4, 500;\nDELAY:\n  sub.u32 %r4, %r4, 1;\n"
                           "  setp.ne.u32 %p2, %r4, 0;\n  @%p2 bra DELAY;\n"
                           "  ld.global.u32 %r2, [%a];\n  st.global.u32 [%a+400], %r2;\n" +
                           kTxCommit + "  bra OUT;\nWRITER:\n" + kTxBegin + writes + kTxCommit + "OUT:\n");
  run.threads = 1;
  run.words_a = 128;
  run.settings = {"tm.commit_unit.clock_mhz=60", "tm.hang_cycles=" + std::to_string(hang_cycles)};
  const Json result = run_tx(run);
  return result.contains("errors") ? result["errors"].dump() : "";
}
TEST(EndlessTransactions, AreNamedInsideACommitUnit) {
  unsigned waits = 0, behind = 0;
  for (unsigned hang_cycles = 6000; hang_cycles < 100'000; hang_cycles += 900) {
    const std::string error = named_after(hang_cycles);
    if (error.empty()) break;  // it was over before
    // Before its turn, and when it has found whom it waits for.
    if (error.find("it stands behind transaction") != std::string::npos) {
      ++behind;
      EXPECT_THAT(error, ::testing::ContainsRegex(
                             "in commit unit [0-9]+ it stands behind transaction [0-9]+ of warp slot 0 "
                             "of core 1"));
    }
    if (error.find("to retire, which writes") == std::string::npos) continue;
    ++waits;
    EXPECT_THAT(error, HasSubstr("kernel test hangs: transaction that waits for its commit (timed"));
    EXPECT_THAT(error, HasSubstr("of warp slot 0 of core 0 (warp 0 of the grid)"));
    EXPECT_THAT(error, HasSubstr("waits for outcomes of the commit units"));
    EXPECT_THAT(error, ::testing::ContainsRegex(
                           "it waits for transaction [0-9]+ of warp slot 0 of core 1 to retire, which "
                           "writes 0 bytes into 'a' .*that it has read"));
  }
  EXPECT_GT(waits, 0u) << "nobody has waited: the test tests nothing";
  EXPECT_GT(behind, 0u);
}

TEST(EndlessTransactions, AbortsThatComeAgainForEver) {
  TxRun run;
  run.ptx = tx_kernel_text(std::string(kTxBegin) + "  ld.global.u32 %r2, [%a];\n" + kTxAbort + kTxCommit);
  run.settings = {"tm.hang_cycles=20000"};
  EXPECT_THAT(run_tx(run)["errors"].dump(), HasSubstr("it aborts by itself, or loops"));
}

/// [KiloTM:E8]: thread 0 of CTA 1 makes words private that a transaction of CTA 0, older than its own, still writes. Runs in
/// which it does not see them all.
unsigned unsafe_runs(const char* fence_waits) {
  unsigned bad = 0;
  for (unsigned delay = 1; delay <= 300; delay += 13) {
    std::string writes;
    for (unsigned i = 0; i < 48; ++i) writes += fmt::format("  st.global.u32 [%a+{}], 7;\n", 256 + 4 * i);
    TxRun run;
    run.ptx = tx_kernel_text(
        "  setp.ne.u32 %p0, %r0, 0;\n  @%p0 bra TAKER;\n" + std::string(kTxBegin) +
        "  ld.global.u32 %r2, [%a];\n  setp.ne.u32 %p1, %r2, 0;\n  @%p1 bra TAKEN;\n" + writes + "TAKEN:\n" +
        kTxCommit + "  bra OUT;\nTAKER:\n" +
        fmt::format("  mov.u32 %r4, {};\nDELAY:\n  sub.u32 %r4, %r4, 1;\n  setp.ne.u32 %p2, %r4, 0;\n"
                    "  @%p2 bra DELAY;\n",
                    delay) +
        kTxBegin + "  ld.global.u32 %r2, [%a];\n  st.global.u32 [%a], 1;\n" + kTxCommit +
        "  membar.gl;\n  ld.volatile.global.u32 %r3, [%a+444];\n  st.global.u32 [%b], %r3;\nOUT:\n");
    run.settings = {std::string("tm.fence_waits=") + fence_waits, "tm.commit_unit.clock_mhz=60",
                    "tm.commit_unit.l2_queue=64"};
    run.threads = 1;
    run.words_a = 128;
    run.words_b = 1;
    const Json result = run_tx(run);
    EXPECT_FALSE(result.contains("errors")) << result.dump();
    if (result["b"][0] != result["a"][111]) ++bad;
  }
  return bad;
}
TEST(Fences, WaitForOlderTransactions) {
  EXPECT_GT(unsafe_runs("false"), 0u) << "the test tests nothing";
  EXPECT_EQ(unsafe_runs("true"), 0u);
}

}  // namespace
}  // namespace heddle::testing::progress_test
