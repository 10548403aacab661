// Small kernels on a GPU whose watchdog looks often.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "gpu/gpu_device.h"

namespace heddle::hang_tests {

/// One kernel `k(flag, out)` from its declarations and body.
inline std::string module(const std::string& body) {
  return R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 flag_ptr, .param .u64 out_ptr)
{
  .reg .b32 %r<20>;
  .reg .b64 %rd<8>;
  .reg .pred %p<8>;
  ld.param.u64 %rd1, [flag_ptr];
  ld.param.u64 %rd2, [out_ptr];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
)" + body +
         "}\n";
}

class Hangs : public ::testing::Test {
 protected:
  void SetUp() override {
    config_.cores = 2;
    config_.memory.partitions = 2;
    config_.watchdog.check_cycles = 64;
  }
  /// The error the launch ends with; none if it finishes.
  std::optional<base::Error> run(const std::string& body, host::Launch shape,
                                 std::uint64_t max_cycles = 3'000'000) {
    gpu::GpuDevice device(config_, {.max_cycles = max_cycles, .shuffle_modules = 0, .on_progress = {}});
    const auto handle = device.load_ptx_text(module(body), "kernel.ptx");
    const std::uint64_t flag = device.allocate(256, "flag");
    const std::uint64_t out = device.allocate(4096, "out");
    try {
      device.launch(handle, "k", shape, host::Args{}.add(flag).add(out));
    } catch (const base::Error& error) {
      return error;
    }
    out_ = device.download<std::uint32_t>(out, 1024);
    return std::nullopt;
  }
  void expect_hang(const std::string& body, host::Launch shape, const std::vector<std::string>& words) {
    const auto error = run(body, shape);
    ASSERT_TRUE(error.has_value()) << "the kernel finished";
    EXPECT_EQ(error->code(), base::ExitCode::kHang) << error->what();
    for (const std::string& word : words)
      EXPECT_NE(std::string(error->what()).find(word), std::string::npos) << word << " not in:\n"
                                                                          << error->what();
  }
  gpu::GpuConfig config_;
  std::vector<std::uint32_t> out_;
};

inline host::Launch shape(std::uint32_t grid, std::uint32_t block) {
  return {{grid, 1, 1}, {block, 1, 1}, 0};
}

}  // namespace heddle::hang_tests
