// Transactions in odd places: in functions that diverged lanes call from several places, in loops of different lengths, with
// aborts in loops, in CTAs that retire while others begin, under every mechanism and protocol.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "regression/tm/rig.h"

namespace heddle::testing::odd_kernels_test {
namespace {

/// `adds(p, n)`: n times in one transaction each, adds 1 to *p, by a nested transaction in a function of its own.
const char* const kFunctions = R"(
.func bump(.param .b64 p)
{
  .reg .b64 %q;
  .reg .b32 %u;
  ld.param.b64 %q, [p];
  call.uni tx_begin, ();
  ld.global.u32 %u, [%q];
  add.u32 %u, %u, 1;
  st.global.u32 [%q], %u;
  call.uni tx_commit, ();
  ret;
}
.func adds(.param .b64 p, .param .b32 n)
{
  .reg .b64 %q;
  .reg .b32 %n;
  .reg .pred %r;
  ld.param.b64 %q, [p];
  ld.param.b32 %n, [n];
LOOP:
  setp.eq.u32 %r, %n, 0;
  @%r bra DONE;
  call.uni tx_begin, ();
  {
  .param .b64 x;
  st.param.b64 [x], %q;
  call.uni bump, (x);
  }
  call.uni tx_commit, ();
  sub.u32 %n, %n, 1;
  bra LOOP;
DONE:
  ret;
}
)";

std::string call_adds(const std::string& pointer, const std::string& times) {
  return fmt::format(
      "  {{\n  .param .b64 x;\n  .param .b32 y;\n  st.param.b64 [x], {};\n  st.param.b32 [y], {};\n"
      "  call.uni adds, (x, y);\n  }}\n",
      pointer, times);
}

struct Kernel {
  const char* name;
  std::string body;
  bool functions = false;
};
void PrintTo(const Kernel& kernel, std::ostream* out) { *out << kernel.name; }

std::vector<Kernel> kernels() {
  const std::string begin = kTxBegin, commit = kTxCommit, abort = kTxAbort;
  const std::string increment =
      "  ld.global.u32 %r2, [%d3];\n  add.u32 %r2, %r2, 1;\n  st.global.u32 [%d3], %r2;\n";
  // Every now and then, so that it does not happen for ever.
  const auto sometimes = [&](const char* label) {
    return fmt::format(
        "  mov.u32 %r6, %clock;\n  add.u32 %r6, %r6, %t;\n  mul.lo.u32 %r6, %r6, 2654435761;\n"
        "  shr.u32 %r6, %r6, 28;\n  setp.ne.u32 %p4, %r6, 0;\n  @%p4 bra {};\n",
        label);
  };
  return {
      // Lanes call from two places, for different numbers of rounds.
      {"functions_from_two_places",
       "  and.b32 %r3, %t, 1;\n  setp.eq.u32 %p1, %r3, 0;\n  and.b32 %r4, %t, 1;\n  @%p1 bra ELSE;\n" +
           call_adds("%d3", "%r4") + "  bra END;\nELSE:\n  add.u64 %d2, %d3, 4;\n" + call_adds("%d2", "%r4") +
           "END:\n" + call_adds("%d3", "1"),
       true},
      {"loops_of_different_lengths",
       "  and.b32 %r5, %g, 3;\nAGAIN:\n" + begin + increment + commit +
           "  setp.eq.u32 %p1, %r5, 0;\n  sub.u32 %r5, %r5, 1;\n  @!%p1 bra AGAIN;\n"},
      {"aborts_in_loops", begin + "  mov.u32 %r5, 3;\nAGAIN:\n" + increment + sometimes("GO") + abort +
                              "GO:\n  sub.u32 %r5, %r5, 1;\n  setp.ne.u32 %p1, %r5, 0;\n  @%p1 bra AGAIN;\n" +
                              commit},
      {"aborts_of_inner_ones",
       begin + increment + begin + "  ld.global.u32 %r3, [%d3+4];\n" + sometimes("GO") + abort +
           "GO:\n  add.u32 %r3, %r3, 1;\n  st.global.u32 [%d3+4], %r3;\n" + commit + increment + commit},
      {"half_of_the_lanes_begin", "  and.b32 %r3, %t, 5;\n  setp.eq.u32 %p1, %r3, 0;\n  @%p1 bra OUT;\n" +
                                      begin + increment + commit +
                                      "  and.b32 %r3, %t, 2;\n  setp.eq.u32 %p2, %r3, 0;\n  @%p2 bra OUT;\n" +
                                      begin + increment + commit + "OUT:\n" + begin + increment + commit},
      {"words_of_their_own",
       "  mad.wide.u32 %d2, %t, 4, %a;\n" + begin +
           "  st.global.u32 [%d2], %g;\n  st.global.u8 [%d2+1], 9;\n" +
           "  ld.global.u32 %r2, [%d2];\n  add.u32 %r2, %r2, 3;\n  st.global.u32 [%d2], %r2;\n" + commit},
      {"nothing_inside", begin + begin + commit + commit + begin + increment + commit},
      {"exits_between", begin + increment + commit +
                            "  and.b32 %r3, %t, 3;\n  setp.eq.u32 %p1, %r3, 0;\n  @%p1 exit;\n" + begin +
                            increment + commit},
  };
}

class OddKernels : public ::testing::TestWithParam<std::tuple<Kernel, std::string>> {};

TEST_P(OddKernels, AreSerialisable) {
  const auto& [kernel, mechanism] = GetParam();
  const std::vector<std::vector<std::string>> options{
      {},
      {"tm.concurrent_warps=0", "tm.validate_cycles=120", "tm.fence_waits=true"},
      {"tm.protocol=warp", "tm.concurrent_warps=0", "tm.temporal.mode=strict"},
      {"tm.protocol=warp", "tm.concurrent_warps=1", "tm.backoff_cycles=20", "tm.validate_cycles=300"},
      {"tm.commit_unit.set_words=1", "tm.commit_unit.set_buffers=60", "tm.concurrent_warps=3"}};
  for (const std::vector<std::string>& option : options) {
    TxRun run;
    // Sixteen words, so that some conflict.
    run.ptx = tx_kernel_text("  and.b32 %r7, %g, 15;\n  mad.wide.u32 %d3, %r7, 8, %a;\n" + kernel.body);
    if (kernel.functions) {
      const std::size_t at = run.ptx.find(".visible .entry");
      run.ptx = run.ptx.substr(0, at) + kFunctions + run.ptx.substr(at);
    }
    run.settings = option;
    run.settings.push_back("core.control_flow.mechanism=" + mechanism);
    if (mechanism != "simt_stack" && !option.empty() && option.front() == "tm.concurrent_warps=0")
      run.settings.push_back("core.control_flow.timeout.cycles=30");
    run.ctas = 9;  // more than there is room for
    run.words_a = 64;
    run.threads = 43;
    const Json result = run_tx(run);
    ASSERT_EQ(replay_difference(run, result), "") << Json(option).dump();
  }
}

// Sets of more words than a buffer has take little longer than those that fit: they are sent again for all lanes at once.
TEST(LargeSets, AreSentAgainForAllLanesOfAWarp) {
  std::string body = "  mad.wide.u32 %d2, %g, 4, %a;\n" + std::string(kTxBegin);
  for (unsigned word = 0; word < 12; ++word)
    body += fmt::format(
        "  ld.global.u32 %r2, [%d2+{0}];\n  add.u32 %r2, %r2, 1;\n  st.global.u32 [%d2+{0}], %r2;\n",
        4096 * word);
  body += kTxCommit;
  const auto commit_cycles = [&](const char* set_words) {
    TxRun run;
    run.ptx = tx_kernel_text(body);
    run.words_a = 12 * 1024;
    run.threads = 128;
    run.settings = {std::string("tm.commit_unit.set_words=") + set_words, "tm.commit_unit.set_buffers=4000"};
    const Json result = run_tx(run);
    EXPECT_EQ(replay_difference(run, result), "");
    std::uint64_t cycles = 0;
    for (const char* core : {"core0", "core1"})
      cycles +=
          result["statistics"][core]["transactions"]["thread_cycles"]["committing"].get<std::uint64_t>();
    return cycles;
  };
  const std::uint64_t fits = commit_cycles("12");
  const std::uint64_t is_sent_again = commit_cycles("8");
  EXPECT_GT(is_sent_again, fits);
  EXPECT_LT(is_sent_again, 4 * fits) << fits;
}

INSTANTIATE_TEST_SUITE_P(On, OddKernels,
                         ::testing::Combine(::testing::ValuesIn(kernels()),
                                            ::testing::Values("simt_stack", "aware", "multi_path")),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "_" + std::get<1>(test.param);
                         });

}  // namespace
}  // namespace heddle::testing::odd_kernels_test
