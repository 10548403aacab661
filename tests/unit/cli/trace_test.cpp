// Control-flow traces: the form of the file, and the distance of two sequences.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "base/error.h"
#include "cli/control_flow_trace.h"
#include "cli/trace_distance.h"

namespace heddle::cli::trace_test {
namespace {

using Sequence = std::vector<std::uint32_t>;
using testing::HasSubstr;

/// The textbook's table.
std::uint64_t by_table(const Sequence& a, const Sequence& b) {
  std::vector<std::uint64_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::uint64_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::uint64_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

TEST(TraceDistance, IdenticalIsZero) {
  const Sequence a{1, 2, 3, 4};
  EXPECT_EQ(edit_distance(a, a), 0u);
  EXPECT_EQ(edit_distance({}, {}), 0u);
}

TEST(TraceDistance, OneChangedTokenIsOne) {
  for (std::size_t size : {1u, 2u, 63u, 64u, 65u, 1000u})
    for (std::size_t at : {std::size_t{0}, size / 2, size - 1}) {
      Sequence a(size);
      for (std::size_t i = 0; i < size; ++i) a[i] = static_cast<std::uint32_t>(i % 17);
      Sequence b = a;
      b[at] = 99;
      EXPECT_EQ(edit_distance(a, b), 1u) << size << " " << at;
    }
}

TEST(TraceDistance, NothingInCommonIsTheLongerLength) {
  EXPECT_EQ(edit_distance(Sequence(100, 1), Sequence(130, 2)), 130u);
  EXPECT_EQ(edit_distance(Sequence(100, 1), {}), 100u);
  EXPECT_EQ(edit_distance({}, Sequence(7, 1)), 7u);
}

TEST(TraceDistance, AgreesWithTheTable) {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t n) { return random() % n; };
  for (int trial = 0; trial < 600; ++trial) {
    const std::uint32_t alphabet = 1 + below(6);
    Sequence a(below(300));
    for (auto& each : a) each = below(alphabet);
    Sequence b = a;
    // From a few edits to another sequence altogether.
    for (std::uint32_t edits = below(trial % 3 == 0 ? 400 : 20); edits > 0; --edits) {
      const std::size_t at = below(static_cast<std::uint32_t>(b.size()) + 1);
      if (below(3) == 0)
        b.insert(b.begin() + static_cast<std::ptrdiff_t>(at), below(alphabet));
      else if (at < b.size() && below(2) == 0)
        b.erase(b.begin() + static_cast<std::ptrdiff_t>(at));
      else if (at < b.size())
        b[at] = below(alphabet);
    }
    const std::uint64_t right = by_table(a, b);
    ASSERT_EQ(edit_distance(a, b), right) << trial;
    ASSERT_EQ(edit_distance(b, a), right) << trial;
    ASSERT_EQ(edit_distance(a, b, right), right) << trial;
    if (right > 0) {
      ASSERT_EQ(edit_distance(a, b, right - 1), std::nullopt) << trial;
    }
  }
}

TEST(TraceDistance, BlocksMovedFarApart) {
  // The way leaves the diagonal by hundreds of rows and comes back.
  Sequence a, b;
  for (std::uint32_t i = 0; i < 3000; ++i) a.push_back(i % 251);
  b.assign(a.begin() + 700, a.end());
  b.insert(b.end(), a.begin(), a.begin() + 900);
  EXPECT_EQ(edit_distance(a, b), by_table(a, b));
}

// ---- The file

ControlFlowTrace read(const std::string& text) {
  std::istringstream stream(text);
  return read_control_flow(stream, "t.cft");
}

std::string refusal(const std::string& text) {
  try {
    (void)read(text);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "accepted";
}

isa::Kernel kernel(std::initializer_list<bool> inserted) {
  isa::Kernel kernel;
  kernel.name = "k";
  for (const bool each : inserted) {
    isa::Instruction instruction;
    instruction.inserted = each;
    kernel.code.push_back(instruction);
  }
  return kernel;
}

class Writing : public testing::Test {
 protected:
  std::string path_ = (std::filesystem::path(testing::TempDir()) /
                       (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".cft"))
                          .string();
  [[nodiscard]] std::string text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_F(Writing, RunsAndRepetitionsAreOneToken) {
  ControlFlowWriter writer(path_, "--trace-control-flow");
  writer.launch_begins(kernel({false, false, false, false}));
  const auto execute = [&](std::uint32_t pc, std::uint32_t mask) {
    writer.executes({3, 1}, base::Pc(pc), base::LaneMask(mask));
  };
  execute(0, 0xffffffff);
  for (int lap = 0; lap < 5; ++lap) execute(1, 0xff), execute(2, 0xff);
  execute(3, 0xff);
  writer.launch_ends();
  writer.file().commit();
  EXPECT_EQ(text(), "heddle-control-flow-trace 1\nlaunch 0 8 k\n3:1 0/ffffffff 8+1/ff*4 8+2\n");
  const ControlFlowTrace trace = read_control_flow(path_);
  const std::vector<TraceRun> expected{{0, 0xffffffff, 0, 1}, {8, 0xff, 1, 4}, {8, 0xff, 2, 1}};
  EXPECT_EQ(trace.launches.at(0).warps.at({3, 1}), expected);
  EXPECT_EQ(trace.launches.at(0).kernel, "k");
}

TEST_F(Writing, InsertedInstructionsAreLeftOutAndMoveNoPc) {
  ControlFlowWriter writer(path_, "--trace-control-flow");
  writer.launch_begins(kernel({true, false, true, true, false}));
  for (std::uint32_t pc = 0; pc < 5; ++pc) writer.executes({0, 0}, base::Pc(pc), base::LaneMask(1));
  writer.launch_ends();
  writer.file().commit();
  EXPECT_EQ(text(), "heddle-control-flow-trace 1\nlaunch 0 8 k\n0:0 0+1/1\n");
}

TEST_F(Writing, LongSequencesAreCutIntoLines) {
  ControlFlowWriter writer(path_, "--trace-control-flow");
  writer.launch_begins(kernel({false, false, false}));
  std::vector<std::pair<std::uint64_t, std::uint32_t>> wanted;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    wanted.emplace_back(i % 3 * 8, 1 + i % 7);
    writer.executes({0, 0}, base::Pc(i % 3), base::LaneMask(1 + i % 7));
  }
  writer.launch_ends();
  writer.file().commit();
  std::vector<std::pair<std::uint64_t, std::uint32_t>> found;
  const ControlFlowTrace trace = read_control_flow(path_);
  for (const TraceRun& run : trace.launches.at(0).warps.at({0, 0}))
    for (std::uint32_t t = 0; t < run.times; ++t)
      for (std::uint32_t i = 0; i <= run.more; ++i) found.emplace_back(run.pc + 8 * i, run.mask);
  EXPECT_EQ(found, wanted);
}

TEST(Reading, OneTokenALineAsATracerOfHardwareWrites) {
  const ControlFlowTrace trace = read(
      "# by a tool\nheddle-control-flow-trace 1\r\n\nlaunch 7 16 _Z1kPf with blanks\n1:0 00/ffffffff\n0:0 "
      "10/F\n1:0 10/ff\n");
  const TracedLaunch& launch = trace.launches.at(7);
  EXPECT_EQ(launch.kernel, "_Z1kPf with blanks");
  EXPECT_EQ(launch.instruction_bytes, 16u);
  EXPECT_EQ(launch.warps.at({1, 0}).size(), 2u);
  EXPECT_EQ(launch.warps.at({0, 0}).at(0).mask, 15u);
}

TEST(Reading, BadFilesAreRefusedWithTheLine) {
  const std::string head = "heddle-control-flow-trace 1\nlaunch 0 8 k\n";
  EXPECT_THAT(refusal(""), HasSubstr("t.cft: is empty"));
  EXPECT_THAT(refusal("{\"launch\": 0}\n"), HasSubstr("t.cft:1: not a control-flow trace"));
  EXPECT_THAT(refusal("heddle-control-flow-trace 2\n"), HasSubstr("a version that is not 1"));
  EXPECT_THAT(refusal("heddle-control-flow-trace\n"), HasSubstr("a version that is not 1"));
  EXPECT_THAT(refusal("heddle-control-flow-trace 1\n0:0 0/1\n"),
              HasSubstr("t.cft:2: a warp before any launch"));
  EXPECT_THAT(refusal("heddle-control-flow-trace 1\nlaunch 0 8\n"),
              HasSubstr("not launch NUMBER BYTES KERNEL"));
  EXPECT_THAT(refusal("heddle-control-flow-trace 1\nlaunch 0 0 k\n"), HasSubstr("not launch NUMBER"));
  EXPECT_THAT(refusal(head + "launch 0 8 k\n"), HasSubstr("t.cft:3: launch 0 has begun before"));
  EXPECT_THAT(refusal(head + "0 0/1\n"), HasSubstr("'0' is neither CTA:WARP nor 'launch'"));
  EXPECT_THAT(refusal(head + "0:x 0/1\n"), HasSubstr("neither CTA:WARP"));
  EXPECT_THAT(refusal(head + "0:0\n"), HasSubstr("nothing behind 0:0"));
  EXPECT_THAT(refusal(head + "0:0 8\n"), HasSubstr("'8' is the first of its line and has no mask"));
  EXPECT_THAT(refusal(head + "0:0 xyz/1\n"), HasSubstr("does not begin with a PC"));
  EXPECT_THAT(refusal(head + "0:0 -8/1\n"), HasSubstr("does not begin with a PC"));
  EXPECT_THAT(refusal(head + "0:0 8/0\n"), HasSubstr("is executed by no lane"));
  EXPECT_THAT(refusal(head + "0:0 8/1ffffffff\n"), HasSubstr("no mask of 32 lanes"));
  EXPECT_THAT(refusal(head + "0:0 8+/1\n"), HasSubstr("no number behind +"));
  EXPECT_THAT(refusal(head + "0:0 8/1*0\n"), HasSubstr("no number of at least 1 behind *"));
  EXPECT_THAT(refusal(head + "0:0 8*2/1\n"), HasSubstr("is the first of its line and has no mask"));
  EXPECT_THAT(refusal(head + "0:0 8/1*2+3\n"), HasSubstr("behind *"));
  EXPECT_THAT(refusal(head + "0:0 0/1*4294967295\n"), HasSubstr("more than 268435456 instructions"));
  EXPECT_THAT(refusal(head + "0:0 0+4294967295/1*4294967295\n"),
              HasSubstr("more than 268435456 instructions"));
}

}  // namespace
}  // namespace heddle::cli::trace_test
