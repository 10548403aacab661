#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "cli/files.h"
#include "cli/output_dir.h"
#include "cli/output_names.h"
#include "gpu/platform_files.h"

namespace heddle::cli::files_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A separate folder for each test.
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
    } catch (const base::InputError& e) {
      return e.what();
    }
    return "no error";
  }

  fs::path folder_;
};

TEST_F(Files, OutputMakesItsFolderAtOnceAndItsFilesOnCommit) {
  OutputNames used;
  OutputDir out(path("deep/er/out") + "/", {"stats.json", "report.txt"}, used);
  EXPECT_TRUE(fs::is_directory(path("deep/er/out")));
  EXPECT_TRUE(names("deep/er/out").empty()) << "nothing before the commit";
  out.add("stats.json", "{}");
  out.add("report.txt", "fine");
  out.commit();
  EXPECT_THAT(names("deep/er/out"), testing::ElementsAre("report.txt", "stats.json")) << "no temporary files";
  EXPECT_EQ(content(path("deep/er/out/report.txt")), "fine");
}

TEST_F(Files, OutputWithoutCommitLeavesNothing) {
  fs::create_directories(path("there"));
  write_text(path("there/stats.json"), "old", "");
  {
    OutputNames used;
    OutputDir fresh(path("deep/er/out"), {"stats.json"}, used);
    OutputDir again(path("there/in"), {"stats.json"}, used);
    OutputDir old(path("there"), {"stats.json"}, used);
    old.add("stats.json", "new");
  }
  EXPECT_THAT(names(), testing::ElementsAre("there"));
  EXPECT_THAT(names("there"), testing::ElementsAre("stats.json"));
  EXPECT_EQ(content(path("there/stats.json")), "old");
}

TEST_F(Files, OutputReplacesOnlyWhatItWrites) {
  fs::create_directories(path("out"));
  write_text(path("out/stats.json"), "old", "");
  write_text(path("out/thesis.tex"), "x", "");
  OutputNames used;
  OutputDir out(path("out"), {"stats.json"}, used);
  out.add("stats.json", "new");
  EXPECT_EQ(content(path("out/stats.json")), "old") << "kept until the commit";
  out.commit();
  EXPECT_EQ(content(path("out/stats.json")), "new");
  EXPECT_THAT(names("out"), testing::ElementsAre("stats.json", "thesis.tex"));
}

TEST_F(Files, OutputRemovesWhatIsKnownToBeOfAnEarlierRun) {
  fs::create_directories(path("out"));
  write_text(path("out/profile.txt"), "12345", "");
  write_text(path("out/profile.json"), "1234", "");
  write_text(path("out/notes.txt"), "12345", "");
  write_text(path("out/host.json"), R"({"files": {"profile.txt": 5, "profile.json": 5, "notes.txt": 5}})",
             "");
  OutputNames used;
  OutputDir out(path("out"), {"host.json"}, used);
  out.add("host.json", "{}");
  out.commit();
  EXPECT_THAT(names("out"), testing::ElementsAre("host.json", "notes.txt", "profile.json"));
  EXPECT_THAT(out.foreign(), testing::ElementsAre("profile.json")) << "changed since";
}

TEST_F(Files, OutputSaysWhatItCouldNotWrite) {
  OutputNames used;
  OutputDir out(path("out"), {"a", "b", "c"}, used);
  fs::create_directories(path("out/b"));
  for (const char* name : {"a", "b", "c"}) out.add(name, "x");
  EXPECT_THAT(error_of([&] { out.commit(); }),
              testing::AllOf(HasSubstr("b': it is a directory"), HasSubstr("written are: a, c")));
  EXPECT_THAT(names("out"), testing::ElementsAre("a", "b", "c"));
}

TEST_F(Files, OutputRefusesWhatIsNoFolder) {
  OutputNames used;
  const auto open = [&](const std::string& name) {
    return error_of([&] { OutputDir out(name, {"stats.json"}, used); });
  };
  write_text(path("file"), "x", "");
  fs::create_directory_symlink("nowhere", path("link"));
  EXPECT_THAT(open(path("file")), HasSubstr("exists and is not a folder"));
  EXPECT_THAT(open(path("file/out")), HasSubstr("exists and is not a folder"));
  EXPECT_THAT(open(path("link")), HasSubstr("is a link to 'nowhere', which does not exist"));
  EXPECT_THAT(open(""), HasSubstr("--out: no folder given"));
  EXPECT_THAT(names(), testing::ElementsAre("file", "link"));
}

TEST_F(Files, WritingReplacesAtomically) {
  write_text(path("a"), "one", "--dump a");
  fs::permissions(path("a"), fs::perms(0640));
  fs::create_symlink("a", path("link"));
  write_text(path("link"), "two", "--dump a");
  EXPECT_EQ(content(path("a")), "two");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(fs::status(path("a")).permissions(), fs::perms(0640));
  EXPECT_THAT(names(), testing::ElementsAre("a", "link"));
  EXPECT_THAT(error_of([&] { write_text(path("none/a"), "x", "--dump a"); }),
              testing::AllOf(HasSubstr("--dump a: cannot write"), HasSubstr("there is no folder")));
  EXPECT_THAT(error_of([&] { write_text("/dev/full", "x", "--dump a"); }), HasSubstr("No space left"));
}

TEST_F(Files, WritableIsCheckedWithoutLeavingAnything) {
  check_writable(path("a"), "--dump a");
  EXPECT_TRUE(names().empty());
  const auto check = [&](const std::string& name) {
    return error_of([&] { check_writable(name, "--dump x"); });
  };
  EXPECT_THAT(check(path("none/a")), HasSubstr("--dump x: cannot write"));
  EXPECT_THAT(check(path("")), HasSubstr("is the name of a folder"));
  EXPECT_THAT(check(folder_.string()), HasSubstr("is a directory"));
  EXPECT_THAT(check(path(std::string(300, 'x'))), HasSubstr("too long"));
  fs::create_symlink("loop", path("loop"));
  EXPECT_THAT(check(path("loop")), HasSubstr("symbolic links"));
  check_writable(path(std::string(255, 'x')), "the longest name there is");
}

TEST_F(Files, OpenFilesHaveNamesToo) {
  const int file = ::open(path("log").c_str(), O_WRONLY | O_CREAT, 0666);
  ASSERT_GE(file, 0);
  ASSERT_EQ(::write(file, "before ", 7), 7);
  write_text(fmt::format("/dev/fd/{}", file), "after", "");
  EXPECT_EQ(content(path("log")), "before after");
  ::close(file);
  EXPECT_THAT(error_of([&] { write_text(fmt::format("/dev/fd/{}", file), "x", ""); }), HasSubstr("Bad file"));
}

TEST_F(Files, OneFileHasOneOption) {
  fs::create_directories(path("d"));
  fs::create_directory_symlink("d", path("link"));
  fs::create_symlink("d/b", path("b"));
  OutputNames used;
  used.reads("/dev/zero", "--compare y=/dev/zero");
  used.writes("/dev/null", "--dump x=/dev/null");
  used.writes("/dev/null", "--dump y=/dev/null");
  used.writes(path("d/b"), "--dump z=b");
  for (const char* spelling : {"d/b", "d/./b", "link/b", "b", "link/../b"})
    EXPECT_THAT(error_of([&] { used.writes(path(spelling), "--dump w=b"); }),
                HasSubstr("--dump w=b: is the same file as that of --dump z=b"))
        << spelling;
  write_text(path("in"), "x", "");
  used.reads(path("in"), "--compare");
  used.reads(path("in"), "--arg");
  EXPECT_THAT(error_of([&] { used.writes(path("in"), "--dump"); }), HasSubstr("which is read"));
}

TEST_F(Files, ReadingNamesTheFile) {
  const auto read = [](const std::string& name, std::uint64_t bytes) {
    return error_of([&] { (void)read_bytes(name, bytes, "the buffer", "--compare y"); });
  };
  EXPECT_THAT(read(path("none"), 4),
              testing::AllOf(HasSubstr("--compare y: cannot read"), HasSubstr("No such file")));
  EXPECT_THAT(read(folder_.string(), 4), HasSubstr("is a directory"));
  write_text(path("a"), "1234", "");
  EXPECT_THAT(read(path("a"), 3), HasSubstr("has 4 bytes, the buffer has 3"));
  EXPECT_THAT(read(path("a"), 5), HasSubstr("has 4 bytes, the buffer has 5"));
  EXPECT_THAT(read("/dev/zero", 100'000), HasSubstr("has more bytes than that, the buffer has 100000"));
  EXPECT_EQ(read_bytes(path("a"), 4, "", "").size(), 4u);
}

TEST_F(Files, JsonTakesAnyBytes) {
  EXPECT_EQ(json_text({{"name", "caf\xe9"}}), "{\"name\":\"caf\xef\xbf\xbd\"}");
  write_text(path("caf\xe9.yaml"), "", "");
  EXPECT_EQ(gpu::load_platform(path("caf\xe9.yaml"), {}).name, "caf\xef\xbf\xbd");
  EXPECT_THAT(error_of([] { (void)gpu::load_platform("tiny", {"name=caf\xe9"}); }),
              HasSubstr("is not UTF-8"));
  EXPECT_EQ(gpu::load_platform("tiny", {"name=caf\xc3\xa9"}).name, "caf\xc3\xa9");
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
  EXPECT_THAT(
      error_of([] { (void)gpu::load_platform("tiny", {"memory.crossbar.coalesced_reads=4"}); }),
      testing::AllOf(HasSubstr("memory.crossbar.coalesced_reads"), HasSubstr("core.memory_model=scoped")));
}

TEST_F(Files, WhatAPlatformDoesNotSayIsAsOnTheGtx480) {
  write_text(path("mine.yaml"), "", "");
  gpu::GpuConfig mine = gpu::load_platform(path("mine.yaml"), {});
  EXPECT_EQ(mine.name, "mine");
  mine.name = "gtx480";
  EXPECT_EQ(base::write_config(mine), base::write_config(gpu::load_platform("gtx480", {})));
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
  write_text(path("config.yaml"), base::write_config(config), "");
  EXPECT_EQ(base::write_config(gpu::load_platform(path("config.yaml"), {})), base::write_config(config));
}

}  // namespace
}  // namespace heddle::cli::files_test
