// The committed PTX: made by the command it names from the sources beside it, declaring what the host sides
// launch, and with the lock kernels in the form that their workloads promise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "unit/workloads/ptx_cfg.h"
#include "unit/workloads/watched_device.h"
#include "workloads/workload.h"

namespace heddle::workloads::ptx_test {
namespace {

using testing::PtxKernel;
using testing::WatchedDevice;

constexpr std::array kCompilers{Compiler::kNvcc, Compiler::kClang};

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The CRC of POSIX cksum(1).
std::uint32_t cksum(const std::string& text) {
  std::uint32_t crc = 0;
  const auto feed = [&](std::uint8_t byte) {
    crc ^= std::uint32_t{byte} << 24;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000'0000u) != 0 ? (crc << 1) ^ 0x04c1'1db7u : crc << 1;
  };
  for (const char c : text) feed(static_cast<std::uint8_t>(c));
  for (std::size_t n = text.size(); n != 0; n >>= 8) feed(static_cast<std::uint8_t>(n));
  return ~crc;
}

std::string stem_of(const Workload& workload) { return std::filesystem::path(workload.source).stem(); }

TEST(CommittedPtx, StartsWithTheCommandThatMadeIt) {
  for (const Workload& workload : all()) {
    for (const Compiler compiler : kCompilers) {
      const std::filesystem::path path = ptx_path(stem_of(workload), compiler);
      std::istringstream text(read_text(path));
      std::string line;
      std::getline(text, line);
      EXPECT_TRUE(line.starts_with(compiler == Compiler::kNvcc ? "// nvcc " : "// clang-14 ")) << line;
      EXPECT_TRUE(line.ends_with(" " + workload.source + " -o ptx/" + path.filename().string())) << line;
      EXPECT_EQ(line.find(" /"), std::string::npos) << "machine path: " << line;
    }
  }
}

TEST(CommittedPtx, IsUpToDateWithItsSources) {
  for (const Workload& workload : all()) {
    for (const Compiler compiler : kCompilers) {
      const std::filesystem::path path = ptx_path(stem_of(workload), compiler);
      std::istringstream text(read_text(path));
      std::vector<std::string> sources;
      for (std::string line; std::getline(text, line);) {
        if (!line.starts_with("// cksum: ")) continue;
        std::istringstream fields(line.substr(10));
        std::uint32_t recorded = 0;
        std::size_t bytes = 0;
        std::string source;
        fields >> recorded >> bytes >> source;
        const std::string content = read_text(path.parent_path().parent_path() / source);
        EXPECT_EQ(bytes, content.size())
            << path << " is older than " << source << ": run platforms/workloads/compile.sh";
        EXPECT_EQ(recorded, cksum(content))
            << path << " is older than " << source << ": run platforms/workloads/compile.sh";
        sources.push_back(source);
      }
      if (compiler == Compiler::kNvcc) {
        EXPECT_THAT(sources, ::testing::ElementsAre(workload.source)) << path;
      } else {
        EXPECT_THAT(sources, ::testing::ElementsAre(workload.source, "cuda_lite.h")) << path;
      }
    }
  }
}

TEST(CommittedPtx, DeclaresWhatTheHostSidesLaunch) {
  for (const Workload& workload : all()) {
    for (const Compiler compiler : kCompilers) {
      WatchedDevice device;
      device.dead = true;
      (void)workload.run(device, {.compiler = compiler, .size = Size::kTiny, .seed = 1});
      ASSERT_FALSE(device.launched().empty()) << workload.name;
      for (const WatchedDevice::Launched& launched : device.launched()) {
        EXPECT_EQ(launched.ptx_path, ptx_path(stem_of(workload), compiler));
        bool declared = false;
        for (const PtxKernel& kernel : testing::read_ptx(launched.ptx_path)) {
          if (kernel.name != launched.kernel) continue;
          declared = true;
          EXPECT_EQ(kernel.parameter_bytes, launched.argument_bytes)
              << launched.ptx_path << ": " << kernel.name;
        }
        EXPECT_TRUE(declared) << launched.kernel << " in " << launched.ptx_path;
      }
    }
  }
}

TEST(CommittedPtx, CallsWhatIsMeantToBeCalled) {
  const std::set<std::string> with_calls{"queens_recurse",   "dispatch_run",  "hash_insert_tx",
                                         "bank_transfer_tx", "cloth_pull_tx", "cloth_pull_tx_preloaded",
                                         "bh_build_tx",      "cuts_push_tx",  "apriori_tx"};
  for (const Workload& workload : all())
    for (const Compiler compiler : kCompilers)
      for (const PtxKernel& kernel : testing::read_ptx(ptx_path(stem_of(workload), compiler)))
        EXPECT_EQ(!kernel.all_with("call").empty(), with_calls.contains(kernel.name)) << kernel.name;
}

/// For each lock taken: can a lane that got it release it before the point where the SIMT stack makes it wait
/// for the lanes that did not (the immediate post-dominator of the branch on the outcome)?
std::vector<bool> released_before_reconvergence(const PtxKernel& kernel) {
  std::vector<bool> answers;
  for (const std::size_t cas : kernel.all_with(".cas.")) {
    std::size_t branch = cas;
    while (!kernel.conditional(branch)) ++branch;
    const auto before = kernel.reach(branch, kernel.immediate_post_dominator(branch));
    bool released = false;
    for (const std::size_t release : kernel.all_with(".exch.")) released |= before[release];
    answers.push_back(released);
    // A lock loop in either form: a lane may come back to try again.
    EXPECT_TRUE(kernel.reach(branch, kernel.code.size())[cas]) << kernel.name;
  }
  return answers;
}

PtxKernel kernel_of(const std::string& stem, const std::string& name, Compiler compiler) {
  for (PtxKernel& kernel : testing::read_ptx(ptx_path(stem, compiler)))
    if (kernel.name == name) return std::move(kernel);
  ADD_FAILURE() << "no " << name << " in " << stem;
  return {};
}

TEST(LockForm, SimtSafeKernelsReleaseInsideTheLoop) {
  for (const Compiler compiler : kCompilers) {
    EXPECT_THAT(released_before_reconvergence(kernel_of("hashtable", "hash_insert", compiler)),
                ::testing::ElementsAre(true));
    EXPECT_THAT(released_before_reconvergence(kernel_of("atm", "bank_transfer", compiler)),
                ::testing::ElementsAre(true, true));
    for (const char* kernel : {"cloth_solve", "cloth_pull"})
      EXPECT_THAT(released_before_reconvergence(kernel_of("cloth", kernel, compiler)),
                  ::testing::ElementsAre(true, true))
          << kernel;
    for (const auto& [stem, kernel] : {std::pair{"hashtable", "hash_insert_coarse"},
                                       {"atm", "bank_transfer_coarse"},
                                       {"cloth", "cloth_pull_coarse"},
                                       {"cudacuts", "cuts_push_coarse"},
                                       {"apriori", "apriori_fine"},
                                       {"apriori", "apriori_coarse"}})
      EXPECT_THAT(released_before_reconvergence(kernel_of(stem, kernel, compiler)),
                  ::testing::ElementsAre(true))
          << kernel;
  }
}

TEST(LockForm, MimdKernelsReleaseBehindTheLoop) {
  for (const Compiler compiler : kCompilers) {
    EXPECT_THAT(released_before_reconvergence(kernel_of("spinlock", "spin_increment", compiler)),
                ::testing::ElementsAre(false));
    EXPECT_THAT(released_before_reconvergence(kernel_of("hashtable", "hash_insert_mimd", compiler)),
                ::testing::ElementsAre(false));
    EXPECT_THAT(released_before_reconvergence(kernel_of("cloth", "cloth_solve_mimd", compiler)),
                ::testing::ElementsAre(false, false));
    EXPECT_THAT(released_before_reconvergence(kernel_of("atm", "bank_transfer_mimd", compiler)),
                ::testing::ElementsAre(false, false));
    EXPECT_THAT(released_before_reconvergence(kernel_of("early_release", "early_return", compiler)),
                ::testing::ElementsAre(false));
    EXPECT_THAT(released_before_reconvergence(kernel_of("early_release", "early_release", compiler)),
                ::testing::ElementsAre(false, false));
    EXPECT_THAT(released_before_reconvergence(kernel_of("task_queue", "task_drain", compiler)),
                ::testing::ElementsAre(false));
  }
}

// The patterns [SSDE:K0] to [SSDE:K13] that are about where code lies.
TEST(PatternForm, CompilersKeepIt) {
  for (const Compiler compiler : kCompilers) {
    const auto count = [&](const char* stem, const char* name, const char* part) {
      return kernel_of(stem, name, compiler).all_with(part).size();
    };
    EXPECT_EQ(count("early_release", "early_return", ".exch."), 2u) << "K10: one in each arm";
    EXPECT_EQ(count("early_release", "early_release", ".exch."), 4u) << "K10: two in each arm";
    EXPECT_EQ(count("task_queue", "task_drain", ".exch."), 2u) << "K11: one behind each critical section";
    EXPECT_EQ(count("histogram256", "histogram_bytes", "st.volatile.shared"), 5u) << "K12: four, and zeroing";
    EXPECT_EQ(count("barrier_arms", "barrier_divergent", "bar.sync"), 2u) << "G7: one in each arm";
    EXPECT_EQ(count("omp_locks", "omp_lock_test", "%clock"), 2u) << "K7";
    EXPECT_GE(count("omp_locks", "omp_lock_test", ".cas."), 2u) << "K7: given back by an exchange too";
  }
}

TEST(LockForm, SharedDataBypassesL1) {
  // Plain loads of what other CTAs write during the kernel could hit a stale line: L1 is not coherent.
  const auto volatile_loads = [](const std::string& stem, const std::string& name, Compiler compiler) {
    return kernel_of(stem, name, compiler).all_with("ld.volatile.global").size();
  };
  for (const Compiler compiler : kCompilers) {
    EXPECT_EQ(volatile_loads("hashtable", "hash_insert", compiler), 1u);
    EXPECT_EQ(volatile_loads("atm", "bank_transfer", compiler), 2u);
    EXPECT_EQ(volatile_loads("spinlock", "spin_increment", compiler), 1u);
    EXPECT_GE(volatile_loads("bfs", "bfs_level", compiler), 2u);
    EXPECT_EQ(volatile_loads("cloth", "cloth_solve", compiler), 14u) << "positions twice, moves once";
    EXPECT_GE(volatile_loads("bh_build", "bh_build", compiler), 2u);
    EXPECT_GE(volatile_loads("bh_sort", "bh_sort", compiler), 1u);
    EXPECT_GE(volatile_loads("bh_summarize", "bh_summarize", compiler), 5u);
    EXPECT_GE(volatile_loads("nw_rows", "nw_rows", compiler), 2u);
    EXPECT_GE(volatile_loads("nw_tiles", "nw_tiles", compiler), 3u);
    EXPECT_GE(volatile_loads("tsp", "tsp_climb", compiler), 2u);
  }
}

TEST(BenchForm, DivergeBranchesAndSgemmFuses) {
  for (const Compiler compiler : kCompilers) {
    const auto kernels = testing::read_ptx(ptx_path("bench", compiler));
    ASSERT_EQ(kernels.size(), 3u);
    EXPECT_EQ(kernels[1].all_with("fma.rn.f32").size(), 1u);
    EXPECT_EQ(kernels[2].all_with("membar.cta").size(), 2u) << "one in each arm";
  }
}

}  // namespace
}  // namespace heddle::workloads::ptx_test
