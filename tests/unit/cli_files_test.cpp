#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/files.h"
#include "cli/output_dir.h"
#include "gpu/platform_files.h"
#include "sim/error.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A folder of its own for each test.
class Files : public testing::Test {
 protected:
  Files()
      : folder_(fs::path(testing::TempDir()) /
                ("heddle_" + std::string(test_name()) + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Files() override { fs::remove_all(folder_); }

  static const char* test_name() { return testing::UnitTest::GetInstance()->current_test_info()->name(); }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::vector<std::string> names(const std::string& below = "") const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_ / below))
      found.push_back(entry.path().filename());
    std::sort(found.begin(), found.end());
    return found;
  }
  static std::string content(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  template <class Body>
  static std::string error_of(const Body& body) {
    try {
      body();
    } catch (const sim::InputError& e) {
      return e.what();
    }
    return "no error";
  }

  fs::path folder_;
};

TEST_F(Files, OutputAppearsAsAWholeOnCommit) {
  OutputDir out(path("deep/er/out"));
  EXPECT_TRUE(names().empty()) << "nothing before the commit";
  out.add("stats.json", "{}");
  out.add("report.txt", "fine");
  out.commit();
  EXPECT_THAT(names("deep/er/out"), testing::ElementsAre("report.txt", "stats.json"));
  EXPECT_THAT(names("deep/er"), testing::ElementsAre("out")) << "no temporary siblings";
  EXPECT_EQ(content(path("deep/er/out/report.txt")), "fine");
}

TEST_F(Files, OutputReplacesEarlierResultsWhole) {
  fs::create_directories(path("out"));
  write_text(path("out/stats.json"), "old", "");
  write_text(path("out/old.txt"), "old", "");
  OutputDir out(path("out") + "/");
  out.add("stats.json", "new");
  EXPECT_EQ(content(path("out/stats.json")), "old") << "kept until the commit";
  out.commit();
  EXPECT_THAT(names("out"), testing::ElementsAre("stats.json"));
  EXPECT_EQ(content(path("out/stats.json")), "new");
  EXPECT_THAT(names(), testing::ElementsAre("out"));
}

TEST_F(Files, OutputTakesAnEmptyFolder) {
  fs::create_directories(path("out"));
  OutputDir out(path("out"));
  out.add("stats.json", "{}");
  out.commit();
  EXPECT_THAT(names("out"), testing::ElementsAre("stats.json"));
}

TEST_F(Files, OutputRefusesSomebodyElsesFiles) {
  fs::create_directories(path("out"));
  write_text(path("out/thesis.tex"), "x", "");
  EXPECT_THAT(error_of([&] { OutputDir out(path("out")); }), HasSubstr("holds something else than results"));
  write_text(path("file"), "x", "");
  EXPECT_THAT(error_of([&] { OutputDir out(path("file")); }), HasSubstr("exists and is not a folder"));
  EXPECT_THAT(error_of([&] { OutputDir out(path("file/out")); }), HasSubstr("cannot create the folder"));
  EXPECT_THAT(error_of([&] { OutputDir out(""); }), HasSubstr("--out: no folder given"));
  EXPECT_THAT(names(), testing::ElementsAre("file", "out"));
}

TEST_F(Files, WritingReplacesAtomically) {
  write_text(path("a"), "one", "--dump a");
  write_text(path("a"), "two", "--dump a");
  EXPECT_EQ(content(path("a")), "two");
  EXPECT_THAT(names(), testing::ElementsAre("a"));
  EXPECT_THAT(error_of([&] { write_text(path("none/a"), "x", "--dump a"); }),
              testing::AllOf(HasSubstr("--dump a: cannot write"), HasSubstr("No such file")));
}

TEST_F(Files, WritableIsCheckedWithoutLeavingAnything) {
  check_writable(path("a"), "--dump a");
  EXPECT_TRUE(names().empty());
  EXPECT_THAT(error_of([&] { check_writable(path("none/a"), "--dump x"); }),
              HasSubstr("--dump x: cannot write"));
  EXPECT_THAT(error_of([&] { check_writable(path(""), "--dump x"); }), HasSubstr("is a directory"));
}

TEST_F(Files, ReadingNamesTheFile) {
  EXPECT_THAT(
      error_of([&] { (void)read_bytes(path("none"), "--compare y"); }),
      testing::AllOf(HasSubstr("--compare y: cannot read"), HasSubstr("none"), HasSubstr("No such file")));
  EXPECT_THAT(error_of([&] { (void)read_bytes(folder_.string(), ""); }), HasSubstr("is a directory"));
}

TEST_F(Files, PlatformsComeFromTheFolderOfConfigurations) {
  std::vector<std::string> found;
  for (const gpu::Platform& platform : gpu::platforms()) {
    found.push_back(platform.name);
    EXPECT_FALSE(platform.description.empty()) << platform.name;
  }
  EXPECT_THAT(found, testing::IsSupersetOf({"gtx480", "tiny"}));
  EXPECT_THAT(error_of([&] { (void)gpu::platform_path("gtx408"); }),
              testing::AllOf(HasSubstr("did you mean 'gtx480'?"), HasSubstr("tiny")));
  EXPECT_EQ(gpu::platform_path("./mine.yaml"), "./mine.yaml");
  EXPECT_EQ(gpu::platform_path("mine.yaml"), "mine.yaml");
}

TEST_F(Files, EveryPlatformLoads) {
  for (const gpu::Platform& platform : gpu::platforms())
    EXPECT_EQ(gpu::load_platform(platform.name, {}).name, platform.name);
  EXPECT_EQ(gpu::load_platform("gtx480", {}).cores, 15u);
  EXPECT_EQ(gpu::load_platform("tiny", {"cores=3"}).cores, 3u);
  EXPECT_EQ(error_of([] { (void)gpu::load_platform("tiny", {"core.l1d.way=3"}); }),
            "--set core.l1d.way: unknown key 'core.l1d.way'; did you mean 'core.l1d.ways'?");
}

TEST_F(Files, WhatAPlatformDoesNotSayIsAsOnTheGtx480) {
  write_text(path("mine.yaml"), "", "");
  gpu::GpuConfig mine = gpu::load_platform(path("mine.yaml"), {});
  EXPECT_EQ(mine.name, "mine");
  mine.name = "gtx480";
  EXPECT_EQ(sim::write_config(mine), sim::write_config(gpu::load_platform("gtx480", {})));
}

TEST_F(Files, PlatformFolderCanBeMoved) {
  write_text(path("mine.yaml"), "# My machine\ncores: 7\n", "");
  write_text(path("notes.txt"), "not a platform", "");
  ::setenv("HEDDLE_PLATFORMS_DIR", folder_.c_str(), 1);
  ASSERT_EQ(gpu::platforms().size(), 1u);
  EXPECT_EQ(gpu::platforms()[0].description, "My machine");
  EXPECT_EQ(gpu::load_platform("mine", {}).cores, 7u);
  ::setenv("HEDDLE_PLATFORMS_DIR", path("none").c_str(), 1);
  EXPECT_THAT(error_of([] { (void)gpu::platforms(); }), HasSubstr("HEDDLE_PLATFORMS_DIR"));
  ::unsetenv("HEDDLE_PLATFORMS_DIR");
}

TEST_F(Files, WrittenPlatformReadsBackTheSame) {
  const gpu::GpuConfig config = gpu::load_platform("tiny", {"clocks.core_mhz=1234.5"});
  write_text(path("config.yaml"), sim::write_config(config), "");
  EXPECT_EQ(sim::write_config(gpu::load_platform(path("config.yaml"), {})), sim::write_config(config));
}

}  // namespace
}  // namespace heddle::cli
