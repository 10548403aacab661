// The host sides of the workloads: their registry, inputs and verdicts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <set>

#include "base/error.h"
#include "unit/workloads/watched_device.h"
#include "workloads/random.h"
#include "workloads/verdict.h"
#include "workloads/workload.h"

namespace heddle::workloads::workloads_test {
namespace {

using ::testing::HasSubstr;
using testing::WatchedDevice;

Options options_of(Size size, std::uint64_t seed = 1) {
  return {.compiler = Compiler::kNvcc, .size = size, .seed = seed};
}

std::vector<std::string> names_of_all() {
  std::vector<std::string> names;
  for (const Workload& w : all()) names.push_back(w.name);
  return names;
}

TEST(Registry, ListsTheWorkloadsWithTheirDescriptions) {
  const std::vector<std::string> names = names_of_all();
  for (const Workload& w : all()) {
    EXPECT_FALSE(w.description.empty()) << w.name;
    EXPECT_EQ(w.description.find('\n'), std::string::npos) << w.name;
    EXPECT_FALSE(w.stresses.empty()) << w.name;
    EXPECT_THAT(w.source, ::testing::EndsWith(".cu"));
    EXPECT_EQ(find(w.name), &w);
  }
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(find("no-such-workload"), nullptr);
  EXPECT_TRUE(find("spinlock")->needs_simt_progress);
  EXPECT_TRUE(find("hashtable")->racy);
}

TEST(Registry, EverySourceHasAWorkload) {
  const std::filesystem::path folder =
      std::filesystem::path(ptx_path("bfs", Compiler::kNvcc)).parent_path().parent_path();
  unsigned sources = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".cu") continue;
    ++sources;
    EXPECT_TRUE(std::any_of(all().begin(), all().end(), [&](const Workload& w) {
      return w.source == entry.path().filename();
    })) << entry.path();
  }
  EXPECT_GT(sources, 9u);
}

TEST(Registry, PtxFolderCanBeMoved) {
  unsetenv("HEDDLE_WORKLOADS_DIR");
  const std::string in_source = ptx_path("bfs", Compiler::kClang);
  EXPECT_THAT(in_source, ::testing::EndsWith("/platforms/workloads/ptx/bfs.clang.ptx"));
  EXPECT_TRUE(std::filesystem::exists(in_source));
  setenv("HEDDLE_WORKLOADS_DIR", "elsewhere", 1);
  EXPECT_EQ(ptx_path("bfs", Compiler::kNvcc), "elsewhere/ptx/bfs.nvcc.ptx");
  WatchedDevice device;
  EXPECT_THROW(find("bfs")->run(device, options_of(Size::kTiny)), base::InputError);
  unsetenv("HEDDLE_WORKLOADS_DIR");
}

class EveryWorkload : public ::testing::TestWithParam<std::string> {
 protected:
  const Workload& workload() const { return *find(GetParam()); }
};

TEST_P(EveryWorkload, SaysWhatItHasCompared) {
  WatchedDevice device(workload());
  const Verdict verdict = workload().run(device, options_of(Size::kTiny, 2));
  EXPECT_TRUE(verdict.passed) << verdict.summary;
  EXPECT_THAT(verdict.summary, ::testing::AnyOf(HasSubstr("match"), HasSubstr("each once")));
}

TEST_P(EveryWorkload, FailsIfTheKernelsDoNothing) {
  WatchedDevice device;
  device.dead = true;
  const Verdict verdict = workload().run(device, options_of(Size::kTiny));
  EXPECT_FALSE(verdict.passed) << verdict.summary;
}

/// The last bits of their floats may be off (compare_near): in them a bit of the exponent is corrupted.
bool is_near(const Workload& workload) {
  static const std::set<std::string> kNear{"bh-force", "coulomb", "libor", "montecarlo", "srad"};
  return kNear.contains(workload.name);
}

TEST_P(EveryWorkload, FailsIfAnyResultIsWrongInABit) {
  WatchedDevice good(workload());
  ASSERT_TRUE(workload().run(good, options_of(Size::kTiny)).passed);
  ASSERT_GT(good.reads(), 0u);
  for (unsigned read = 0; read < good.reads(); ++read) {
    for (const bool last : {false, true}) {
      WatchedDevice device(workload());
      device.corrupt_read = read;
      device.corrupt_last_byte = last;
      if (is_near(workload())) device.first_byte = sizeof(float) - 1;
      const Verdict verdict = workload().run(device, options_of(Size::kTiny));
      EXPECT_FALSE(verdict.passed) << "read " << read << ": " << verdict.summary;
    }
  }
}

TEST_P(EveryWorkload, InputsDependOnTheSeedAlone) {
  const auto inputs = [&](std::uint64_t seed) {
    WatchedDevice device;
    device.dead = true;
    (void)workload().run(device, options_of(Size::kTiny, seed));
    return device.inputs();
  };
  EXPECT_EQ(inputs(5), inputs(5));
  const std::set<std::string> without{"spinlock", "mandelbrot", "bench-diverge", "omp-lock-fine",
                                      "omp-lock-coarse"};  // or in arguments
  const bool has_random_input = !without.contains(GetParam());
  if (has_random_input) {
    EXPECT_NE(inputs(5), inputs(6));
  }
}

INSTANTIATE_TEST_SUITE_P(Workloads, EveryWorkload, ::testing::ValuesIn(names_of_all()), [](const auto& test) {
  std::string name = test.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

TEST(Compare, NamesTheFirstMismatchAndCountsThem) {
  std::vector<float> actual(16, 4.0f), expected(16, 4.0f);
  EXPECT_EQ(compare("c", actual, expected).summary, "16 floats of c match");
  actual[7] = 3.0f;
  actual[9] = 5.0f;
  const Verdict verdict = compare("c", actual, expected);
  EXPECT_FALSE(verdict.passed);
  EXPECT_EQ(verdict.summary, "c[7] = 3, expected 4 (2 of 16 differ)");
}

TEST(Compare, IsBitwise) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(compare("c", std::vector<float>{nan}, std::vector<float>{nan}).passed);
  EXPECT_FALSE(compare("c", std::vector<float>{0.0f}, std::vector<float>{-0.0f}).passed);
  EXPECT_FALSE(compare("c", std::vector<float>{}, std::vector<float>{0.0f}).passed);
}

TEST(Combine, ReportsTheFirstFailureOrEverything) {
  EXPECT_EQ(combine({{true, "a"}, {true, "b"}}).summary, "a, b");
  const Verdict failed = combine({{true, "a"}, {false, "b"}, {false, "c"}});
  EXPECT_FALSE(failed.passed);
  EXPECT_EQ(failed.summary, "b");
}

TEST(Random, IsTheSameEverywhere) {
  // The 10000th output of a default-seeded mt19937_64 is fixed by the standard; the draws on top of it are
  // ours.
  Random random(5489);
  std::uint32_t last = 0;
  for (int i = 0; i < 10'000; ++i) last = random.below(1u << 31);
  EXPECT_EQ(last, static_cast<std::uint32_t>(9981545732273789042ull >> 33));
  for (int i = 0; i < 1000; ++i) {
    EXPECT_LT(random.below(7), 7u);
    const float f = random.signed_unit();
    EXPECT_GE(f, -1.0f);
    EXPECT_LT(f, 1.0f);
  }
}

}  // namespace
}  // namespace heddle::workloads::workloads_test
