// Transactions on the whole GPU: what commits, what is undone, what is refused.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "regression/tm/rig.h"

namespace heddle::testing::transactions_test {
namespace {

using ::testing::HasSubstr;

std::uint64_t sum(const Json& result, const char* counter) {
  std::uint64_t total = 0;
  for (const char* core : {"core0", "core1"})
    total += result["statistics"][core]["transactions"][counter].get<std::uint64_t>();
  return total;
}

TxRun run_of(const std::string& body) {
  TxRun run;
  run.ptx = tx_kernel_text(body);
  return run;
}
std::string begin() { return kTxBegin; }
std::string commit() { return kTxCommit; }

/// a[0] += 1 by every thread.
std::string increment() {
  return begin() + "  ld.global.u32 %r2, [%a];\n  add.u32 %r2, %r2, 1;\n  st.global.u32 [%a], %r2;\n" +
         commit();
}

TEST(Transactions, EveryIncrementCounts) {
  for (const char* protocol : {"kilo", "warp"})
    for (const char* warps : {"1", "2", "0"}) {
      TxRun run = run_of(increment());
      run.settings = {std::string("tm.protocol=") + protocol, std::string("tm.concurrent_warps=") + warps};
      const Json result = run_tx(run);
      ASSERT_EQ(replay_difference(run, result), "") << protocol << " " << warps;
      EXPECT_EQ(result["a"][0], 128);
      EXPECT_EQ(sum(result, "begun"), 128u);
      EXPECT_EQ(sum(result, "committed"), 128u);
      EXPECT_GT(sum(result, "aborted"), 0u);
      EXPECT_EQ(sum(result, "warps"), 4u);
      // What threads did in the meantime ([KiloTM] Fig 4.9): all of it happened.
      std::uint64_t waiting = 0, useful = 0, aborted = 0, committing = 0;
      for (const char* core : {"core0", "core1"}) {
        const Json& time = result["statistics"][core]["transactions"]["thread_cycles"];
        waiting += time["waiting"].get<std::uint64_t>();
        useful += time["useful"].get<std::uint64_t>();
        aborted += time["aborted"].get<std::uint64_t>();
        committing += time["committing"].get<std::uint64_t>();
      }
      EXPECT_GT(waiting, 0u);
      EXPECT_GT(useful, 0u);
      EXPECT_GT(aborted, 0u);
      EXPECT_GT(committing, 0u);
    }
}

TEST(Transactions, ThreadCyclesAndFlitsAddUp) {
  for (const char* mechanism : {"simt_stack", "aware", "multi_path"}) {
    TxRun run = run_of(increment());
    run.settings = {"core.sync_statistics=true", std::string("core.control_flow.mechanism=") + mechanism};
    const Json result = run_tx(run);
    ASSERT_EQ(replay_difference(run, result), "") << mechanism;
    // [KiloTM] Fig 4.9: what the transaction unit divides is what the core's statistics of synchronisation see from a
    // tx_begin until lanes go on behind the tx_commit, but for the cycles that they take to issue there.
    std::uint64_t divided = 0, seen = 0, flits = 0, notices = 0;
    for (const char* core : {"core0", "core1"}) {
      const Json& of = result["statistics"][core]["transactions"];
      for (const char* state : {"committing", "waiting", "aborted", "useful"})
        divided += of["thread_cycles"][state].get<std::uint64_t>();
      seen += result["statistics"][core]["sync"]["thread_cycles"]["transaction"].get<std::uint64_t>();
      for (const auto& [kind, count] : of["message_flits"].items()) flits += count.get<std::uint64_t>();
    }
    EXPECT_NEAR(static_cast<double>(seen), static_cast<double>(divided), 0.03 * static_cast<double>(divided))
        << mechanism;
    // Fig 6.4: every flit of a message is of some kind.
    const Json& crossbar = result["statistics"]["crossbar"];
    EXPECT_EQ(flits, crossbar["requests"]["message_flits"].get<std::uint64_t>()) << mechanism;
    for (const auto& [name, stats] : result["statistics"].items())
      if (name.starts_with("partition"))
        notices +=
            stats["unit"]["notices"].get<std::uint64_t>() + stats["unit"]["answers"].get<std::uint64_t>();
    EXPECT_GE(crossbar["responses"]["message_flits"].get<std::uint64_t>(), notices / 2) << mechanism;
  }
}

TEST(Transactions, RegistersComeBack) {
  // %r3 is a loop counter that the transaction changes: an attempt that fails must not count.
  TxRun run = run_of("  mov.u32 %r3, 7;\n" + begin() +
                     "  ld.global.u32 %r2, [%a];\n  add.u32 %r2, %r2, 1;\n  st.global.u32 [%a], %r2;\n  "
                     "add.u32 %r3, %r3, 1;\n" +
                     commit() + "  mad.wide.u32 %d0, %g, 4, %b;\n  st.global.u32 [%d0], %r3;\n");
  const Json result = run_tx(run);
  ASSERT_EQ(replay_difference(run, result), "");
  EXPECT_GT(sum(result, "aborted"), 0u);
  for (std::size_t i = 0; i < 128; ++i) EXPECT_EQ(result["b"][i], 8) << i;
}

TEST(Transactions, OwnWritesAreSeenAndNested) {
  TxRun run = run_of(begin() + "  mad.wide.u32 %d0, %g, 4, %a;\n  st.global.u32 [%d0], %g;\n" + begin() +
                     "  ld.global.u32 %r2, [%d0];\n  st.global.u8 [%d0+1], %r2;\n" + commit() +
                     "  ld.global.u32 %r3, [%d0];\n" + commit() +
                     "  mad.wide.u32 %d1, %g, 4, %b;\n  st.global.u32 [%d1], %r3;\n");
  run.words_a = 128;
  const Json result = run_tx(run);
  ASSERT_EQ(replay_difference(run, result), "");
  for (std::uint32_t i = 0; i < 128; ++i) EXPECT_EQ(result["b"][i], i | i << 8) << i;
  EXPECT_EQ(sum(result, "begun"), 128u);
  EXPECT_GT(sum(result, "walks"), 0u);
}

TEST(Transactions, LanesThatAbortTryAgain) {
  // The lanes of a warp abort until the clock says otherwise.
  TxRun run = run_of(begin() +
                     "  mad.wide.u32 %d0, %g, 4, %a;\n  st.global.u32 [%d0], 5;\n  mov.u32 %r2, %clock;\n  "
                     "add.u32 %r2, %r2, %t;\n"
                     "  mul.lo.u32 %r2, %r2, 2654435761;\n  shr.u32 %r2, %r2, 30;\n  setp.ne.u32 %p1, %r2, "
                     "0;\n  @%p1 bra GO;\n" +
                     std::string(kTxAbort) + "GO:\n" + commit());
  run.words_a = 128;
  const Json result = run_tx(run);
  ASSERT_EQ(replay_difference(run, result), "");
  EXPECT_GT(sum(result, "self_aborted"), 0u);
  EXPECT_EQ(sum(result, "committed"), 128u);
  for (std::size_t i = 0; i < 128; ++i) EXPECT_EQ(result["a"][i], 5);
}

TEST(Transactions, WithoutConflictsNothingAborts) {
  for (const char* protocol : {"kilo", "warp"}) {
    TxRun run = run_of("  mad.wide.u32 %d0, %g, 4, %a;\n" + begin() +
                       "  ld.global.u32 %r2, [%d0];\n  add.u32 %r2, %r2, 3;\n  st.global.u32 [%d0], %r2;\n" +
                       commit());
    run.settings = {std::string("tm.protocol=") + protocol};
    run.words_a = 128;
    const Json result = run_tx(run);
    ASSERT_EQ(replay_difference(run, result), "");
    EXPECT_EQ(sum(result, "aborted"), 0u);
    // Reads and writes of 32 lanes in neighbouring words: WarpTM merges them, a word an access otherwise.
    const Json& unit = result["statistics"]["partition0"]["unit"];
    if (std::string(protocol) == "kilo") {
      EXPECT_EQ(unit["writes"], unit["write_words"]);
    } else {
      EXPECT_LT(unit["writes"].get<int>() * 8, unit["write_words"].get<int>() + 8);
    }
  }
}

TEST(Transactions, AFaultIsOneIfWhatWasReadIsValid) {
  TxRun run = run_of(
      begin() + "  ld.global.u32 %r2, [%a];\n  add.u64 %d1, %a, 1073741824;\n  ld.global.u32 %r3, [%d1];\n" +
      commit());
  EXPECT_THAT(run_tx(run)["errors"].dump(), HasSubstr("out-of-bounds"));
}

TEST(Transactions, AFullLogIsNamed) {
  TxRun run = run_of(
      begin() + "  ld.global.u32 %r2, [%a];\n  st.global.u32 [%a], %r2;\n  st.global.u32 [%a+4], %r2;\n" +
      commit());
  run.settings = {"tm.log.write_rows=1"};
  EXPECT_THAT(run_tx(run)["errors"].dump(), HasSubstr("write log of the warp is full"));
}

// Asynchronous copies beside transactions have tags of the core's own.
TEST(Transactions, CopiesOutsideOfThemAreTheCores) {
  TxRun run = run_of(
      "  .shared .align 4 .b32 tile[64];\n  mov.u32 %r1, tile;\n  mad.lo.u32 %r1, %t, 4, %r1;\n"
      "  mad.wide.u32 %d0, %g, 4, %a;\n  cp.async.ca.shared.global [%r1], [%d0], 4;\n  cp.async.wait_all;\n"
      "  ld.shared.u32 %r2, [%r1];\n" +
      begin() + "  st.global.u32 [%d0], 77;\n" + commit() +
      "  mad.wide.u32 %d1, %g, 4, %b;\n  st.global.u32 [%d1], %r2;\n");
  run.words_a = 128;
  for (std::uint32_t i = 0; i < 128; ++i) run.initial.push_back(i + 5);
  const Json result = run_tx(run);
  ASSERT_FALSE(result.contains("errors")) << result.dump();
  for (unsigned i = 0; i < 128; ++i) {
    EXPECT_EQ(result["a"][i], 77);
    EXPECT_EQ(result["b"][i], i + 5);
  }
}

// The last write of a launch is in memory when the host looks.
TEST(Transactions, TheEndOfALaunchDrainsTheCommitUnits) {
  for (const char* protocol : {"kilo", "warp"})
    for (std::uint32_t threads : {1u, 5u, 32u, 64u}) {
      TxRun run =
          run_of("  mad.wide.u32 %d0, %g, 512, %a;\n" + begin() + "  st.global.u32 [%d0], 77;\n" + commit());
      run.settings = {std::string("tm.protocol=") + protocol};
      run.threads = threads;
      run.words_a = 128 * 128;
      EXPECT_EQ(replay_difference(run, run_tx(run)), "") << protocol << ", " << threads << " threads";
    }
}

// [KiloTM:E3]: the credits of a commit come back when it has retired in every unit, not when its outcome is known. Every other
// warp writes eight lines a thread, which takes long to retire; the next has only one to send. A core has credits for one warp.
TEST(Transactions, CreditsComeBackWhenTheCommitHasRetired) {
  std::string stores = "  st.global.u32 [%d0], 77;\n";
  for (unsigned i = 1; i < 8; ++i) stores += fmt::format("  @%p0 st.global.u32 [%d0+{}], 77;\n", i * 131072);
  for (const char* protocol : {"kilo", "warp"}) {
    TxRun run =
        run_of("  mad.wide.u32 %d0, %g, 512, %a;\n  and.b32 %r2, %t, 32;\n  setp.eq.u32 %p0, %r2, 0;\n" +
               begin() + stores + commit());
    run.settings = {std::string("tm.protocol=") + protocol, "tm.concurrent_warps=0",
                    "tm.commit_unit.ring_entries=64"};
    run.threads = 128;
    run.words_a = 8 * 32768;
    const Json result = run_tx(run);
    ASSERT_EQ(replay_difference(run, result), "") << protocol;
    EXPECT_GT(sum(result, "credit_waits"), 0u) << protocol;
  }
}

/// Thread-cycles from tx_commits to outcomes.
std::uint64_t committing(const TxRun& run) {
  const Json result = run_tx(run);
  EXPECT_EQ(replay_difference(run, result), "");
  std::uint64_t total = 0;
  for (const char* core : {"core0", "core1"})
    total += result["statistics"][core]["transactions"]["thread_cycles"]["committing"].get<std::uint64_t>();
  return total;
}

TEST(Transactions, StepsOfSequentialResolutionTakeTheirCycles) {
  // 32 lanes, of which each looks up and inserts a word: 31 + 32 + 32 steps, and as many commits as warps.
  TxRun run =
      run_of("  mad.wide.u32 %d0, %g, 4, %a;\n" + begin() +
             "  ld.global.u32 %r2, [%d0];\n  add.u32 %r2, %r2, 3;\n  st.global.u32 [%d0], %r2;\n" + commit());
  run.words_a = 128;
  run.threads = 32;
  const auto with_steps_of = [&run](const char* cycles) {
    run.settings = {"tm.protocol=warp", "tm.intra_warp.resolution=sequential",
                    std::string("tm.intra_warp.step_cycles=") + cycles};
    return committing(run);
  };
  const std::uint64_t one = with_steps_of("1"), eleven = with_steps_of("11");
  const std::uint64_t steps = 31 + 31 + 32;  // the first lane only inserts
  EXPECT_NEAR(static_cast<double>(eleven - one) / (2 * 32), 10.0 * steps, 30);
}

/// Cycles of a fence behind a transaction that writes many lines.
std::uint32_t fence_cycles(const char* writes) {
  std::string stores;
  for (unsigned i = 0; i < 60; ++i) stores += fmt::format("  st.global.u32 [%a+{}], 5;\n", 512 * i);
  TxRun run = run_of(begin() + stores + commit() +
                     "  mov.u32 %r2, %clock;\n  membar.gl;\n  mov.u32 %r3, %clock;\n"
                     "  sub.u32 %r3, %r3, %r2;\n  st.global.u32 [%b], %r3;\n");
  run.ctas = run.threads = 1;
  run.words_a = 16384;
  run.settings = {"tm.protocol=ideal", std::string("tm.ideal.writes=") + writes};
  const Json result = run_tx(run);
  EXPECT_FALSE(result.contains("errors")) << result.dump();
  EXPECT_EQ(result["a"][59 * 128], 5);
  return result["b"][0].get<std::uint32_t>();
}

TEST(Transactions, AFenceWaitsForWhatIdealTransactionsHaveSent) {
  EXPECT_GT(fence_cycles("stores"), fence_cycles("free") + 100);
}

TEST(Transactions, IdealWritesTakeTheirTimeIfTheyAreStores) {
  TxRun run = run_of("  mad.wide.u32 %d0, %g, 256, %a;\n" + begin() +
                     "  st.global.u32 [%d0], 1;\n  st.global.u32 [%d0+4], 2;\n" + commit());
  run.words_a = 128 * 64;
  run.threads = 32;
  run.settings = {"tm.protocol=ideal"};
  const std::uint64_t free = committing(run);
  run.settings.emplace_back("tm.ideal.writes=stores");
  // Two rows of 32 lines each leave the core, a line a cycle at most.
  EXPECT_GE(committing(run), free + 2 * 32 * std::uint64_t{2 * 32});
}

TEST(Transactions, TracesShowThem) {
  TxRun run = run_of(increment());
  run.trace = true;
  run.threads = 4;
  Json result = run_tx(run);
  // The stack has R and T entries (G7), of lanes that try again and of the present attempt.
  bool all = false, fewer = false;
  for (const Json& step : result["traced"]) {
    const Json& stack = step["tables"];
    for (std::size_t i = 0; i + 1 < stack.size(); ++i) {
      if (stack[i].value("type", "") != "R") continue;
      ASSERT_EQ(stack[i + 1].value("type", ""), "T");
      const std::string retry = stack[i]["mask"], attempt = stack[i + 1]["mask"];
      all = all || (attempt.ends_with("1111") && retry.find('1') == std::string::npos);
      fewer = fewer || (attempt.ends_with("1110") && retry.find('1') == std::string::npos);
    }
  }
  EXPECT_TRUE(all) << "the first attempt";
  EXPECT_TRUE(fewer) << "the second, of the lanes that have failed";
  // Tables of splits have the transaction beside them.
  run.settings = {"core.control_flow.mechanism=aware"};
  result = run_tx(run);
  bool seen = false;
  for (const Json& step : result["traced"])
    seen = seen || (step["tables"].contains("transaction") &&
                    step["tables"]["transaction"]["attempt"].get<std::string>().ends_with("1111"));
  EXPECT_TRUE(seen);
}

/// Two words that change together, read one after the other with a pause.
OpacityCount opacity(std::uint32_t ctas, std::uint32_t threads) {
  TxRun run = run_of("  mov.u32 %r5, 4;\nAGAIN:\n" + begin() +
                     "  ld.global.u32 %r2, [%a];\n  mov.u32 %r4, 40;\nPAUSE:\n  sub.u32 %r4, %r4, 1;\n"
                     "  setp.ne.u32 %p2, %r4, 0;\n  @%p2 bra PAUSE;\n  ld.global.u32 %r3, [%a+128];\n"
                     "  add.u32 %r2, %r2, 1;\n  st.global.u32 [%a], %r2;\n  st.global.u32 [%a+128], %r2;\n" +
                     commit() + "  sub.u32 %r5, %r5, 1;\n  setp.ne.u32 %p3, %r5, 0;\n  @%p3 bra AGAIN;\n");
  run.opacity = true;
  run.ctas = ctas;
  run.threads = threads;
  const Json result = run_tx(run);
  EXPECT_EQ(replay_difference(run, result), "");
  return opacity_of(run, result);
}

TEST(Transactions, ViolationsOfOpacityAreCounted) {
  // Alone, a thread reads what its last transaction has left.
  const OpacityCount alone = opacity(1, 1);
  EXPECT_EQ(alone.attempts, 4u);
  EXPECT_EQ(alone.violations, 0u);
  // Kilo TM does not keep attempts from reading halves of two states; those fail, as the replay shows.
  const OpacityCount together = opacity(2, 64);
  EXPECT_GT(together.attempts, 512u);
  EXPECT_GT(together.violations, 0u);
  EXPECT_LE(together.violations, together.attempts - 512u);
}

TEST(Transactions, SameRunTwice) {
  for (const char* mechanism : {"simt_stack", "aware", "multi_path"}) {
    TxRun run = run_of(increment());
    run.settings = {std::string("core.control_flow.mechanism=") + mechanism, "tm.validate_cycles=200",
                    "tm.concurrent_warps=0", "tm.fence_waits=true"};
    EXPECT_EQ(run_tx(run).dump(), run_tx(run).dump()) << mechanism;
  }
}

// ---- the contract

std::string refusal(const std::string& body, const std::vector<std::string>& settings = {}) {
  TxRun run = run_of(body);
  run.settings = settings;
  const Json result = run_tx(run);
  return result.contains("errors") ? result["errors"].dump() : "accepted";
}

TEST(Contract, IsChecked) {
  EXPECT_THAT(refusal(begin() + "  bar.sync 0;\n" + commit()), HasSubstr("a barrier"));
  EXPECT_THAT(refusal(begin() + "  @%p1 exit;\n" + commit()), HasSubstr("an exit"));
  EXPECT_THAT(refusal(commit()), HasSubstr("tx_commit outside of a transaction"));
  EXPECT_THAT(refusal(std::string(kTxAbort)), HasSubstr("tx_abort outside of a transaction"));
  EXPECT_THAT(refusal(begin() + "  @%p1 bra OVER;\n" + commit() + "OVER:\n"),
              HasSubstr("on another outside"));
  EXPECT_THAT(
      refusal(begin() + "  @%p1 bra ELSE;\n" + commit() + "  bra END;\nELSE:\n" + commit() + "END:\n"),
      HasSubstr("the second tx_commit"));
  EXPECT_THAT(refusal(begin() + "  ret;\n"), HasSubstr("test.ptx:"));
  EXPECT_THAT(refusal(increment(), {"core.control_flow.mechanism=tbc"}),
              HasSubstr("simt_stack, aware or multi_path"));
  EXPECT_THAT(refusal(increment(), {"tm.enabled=false"}), HasSubstr("this GPU executes none"));
}

TEST(Configurations, ThatCannotBeAreRefused) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"tm.protocol=warp", "tm.commit_unit.hazard_detection=bf_array"},
       "its entries are single transactions"},
      {{"tm.commit_unit.signature_bits=768"}, "tm.commit_unit.signature_bits: is not a power of two"},
      {{"tm.ideal.signature_arrays=3"}, "tm.ideal.signature_arrays: is not a power of two"},
      {{"tm.ideal.signature_bits=16", "tm.ideal.signature_arrays=16"},
       "16 bits are too few for 16 sub-arrays"},
      {{"core.control_flow.mechanism=hanoi"}, "which core.control_flow.mechanism=hanoi"}};
  for (const auto& [settings, why] : cases) {
    TxRun run = run_of(increment());
    run.settings = settings;
    EXPECT_THAT(run_tx(run)["errors"].dump(), HasSubstr(why)) << settings[0];
  }
}

}  // namespace
}  // namespace heddle::testing::transactions_test
