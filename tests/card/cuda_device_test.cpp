// The device on a card, with the stub driver: what host programs see of memory, modules and failed launches.
#include "cuda/cuda_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"

namespace heddle::cuda::cuda_device_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

const std::string kModule = R"(.version 7.0
.target sm_75
.address_size 64
.global .align 4 .u32 counter = 5;
.const .align 4 .u32 step = 2;
.visible .entry count(.param .u64 x, .param .u32 wild)
{
  .reg .b64 %a, %s; .reg .b32 %v, %w, %t;
  ld.param.u64 %a, [x];
  ld.param.u32 %w, [wild];
  mov.u64 %s, counter;
  ld.const.u32 %t, [step];
  atom.global.add.u32 %v, [%s], %t;
  mul.wide.u32 %s, %w, 4;
  add.u64 %a, %a, %s;
  st.global.u32 [%a], %v;
  ret;
}
)";

class OnCard : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("HEDDLE_CUDA_LIBRARY", HEDDLE_STUB_DRIVER_FILE, 1);
    ::setenv("HEDDLE_STUB_DRIVER", "", 1);
  }
  static base::ExitCode code_of(const std::function<void()>& step) {
    try {
      step();
    } catch (const base::Error& error) {
      return error.code();
    }
    return base::ExitCode::kOk;
  }
  static std::string error_of(const std::function<void()>& step) {
    try {
      step();
    } catch (const base::Error& error) {
      return error.what();
    }
    return {};
  }
  static void count(CudaDevice& device, host::ModuleHandle module, std::uint64_t x, std::uint32_t index) {
    device.launch(module, "count", {{1, 1, 1}, {1, 1, 1}}, host::Args().add(x).add(index));
  }
};

TEST_F(OnCard, MemoryIsZeroFilledAndChecked) {
  CudaDevice device;
  const std::uint64_t x = device.allocate(16, "x");
  EXPECT_EQ(x % 256, 0u);
  EXPECT_THAT(device.download<std::uint32_t>(x, 4), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(error_of([&] { (void)device.download<std::uint32_t>(x, 5); }),
              HasSubstr("host read of 20 bytes"));
  EXPECT_THAT(error_of([&] { (void)device.download<std::uint32_t>(x + 16, 1); }),
              HasSubstr("past the end of 'x'"));
  EXPECT_THAT(error_of([&] { (void)device.allocate(0, "y"); }), HasSubstr("a device buffer of 0 bytes"));
  device.free(x);
  EXPECT_THAT(error_of([&] { device.free(x); }), HasSubstr("is not the start of an allocation"));
}

TEST_F(OnCard, LaunchesSeeVariablesAndLeaveTimes) {
  CudaDevice device;
  const auto module = device.load_ptx_text(kModule, "count.ptx");
  const std::uint64_t x = device.allocate(16, "x");
  count(device, module, x, 0);
  count(device, module, x, 1);
  EXPECT_THAT(device.download<std::uint32_t>(x, 2), ElementsAre(5, 7));
  EXPECT_THAT(device.download<std::uint32_t>(device.symbol(module, "counter"), 1), ElementsAre(9));
  EXPECT_NEAR(device.microseconds(), 12.5, 0.01);
  EXPECT_EQ(device.kernel(module, "count")->params.size(), 2u);
  EXPECT_EQ(device.symbols(module).size(), 2u);
  EXPECT_THAT(error_of([&] { (void)device.symbol(module, "none"); }),
              HasSubstr("no module-scope variable 'none'"));
  EXPECT_THAT(error_of([&] { device.free(device.symbol(module, "counter")); }),
              HasSubstr("variable 'counter' of module count.ptx"));
  device.unload(module);
  EXPECT_THAT(error_of([&] { count(device, module, x, 0); }), HasSubstr("has been unloaded"));
}

// Addresses of functions are as kernels see them; those that no kernel comes to have none.
TEST_F(OnCard, FunctionsHaveTheAddressesThatKernelsSee) {
  const std::string text = R"(.version 7.0
.target sm_75
.address_size 64
.func (.param .b32 r) twice(.param .b32 a);
.func (.param .b32 r) named(.param .b32 a);
.global .align 8 .u64 table[1] = {twice};
.func (.param .b32 r) twice(.param .b32 a)
{ .reg .b32 %v; ld.param.u32 %v, [a]; add.u32 %v, %v, %v; st.param.b32 [r], %v; ret; }
.func (.param .b32 r) once(.param .b32 a)
{ .reg .b32 %v; ld.param.u32 %v, [a]; st.param.b32 [r], %v; ret; }
.func (.param .b32 r) named(.param .b32 a)
{ .reg .b32 %v; ld.param.u32 %v, [a]; st.param.b32 [r], %v; ret; }
.visible .entry k(.param .u64 x)
{
  .reg .b64 %a, %f, %t; .reg .b32 %v; .param .b32 given; .param .b32 result;
  ld.param.u64 %a, [x];
  mov.u64 %f, once;
  st.global.u64 [%a], %f;
  mov.u64 %t, table;
  ld.global.u64 %f, [%t];
  st.global.u64 [%a+8], %f;
  st.param.b32 [given], 1;
  call (result), named, (given);
  ld.param.b32 %v, [result];
  st.global.u32 [%a+16], %v;
  ret;
})";
  CudaDevice device;
  const auto module = device.load_ptx_text(text, "functions.ptx");
  const std::uint64_t x = device.allocate(24, "x");
  device.launch(module, "k", {{1, 1, 1}, {1, 1, 1}}, host::Args().add(x));
  std::map<std::string, std::uint64_t> functions;
  for (const host::ModuleSymbol& symbol : device.symbols(module))
    if (symbol.kind == host::ModuleSymbol::Kind::kFunction) functions[symbol.name] = symbol.address;
  const auto seen = device.download<std::uint64_t>(x, 2);
  EXPECT_THAT(functions, ElementsAre(Pair("once", seen[0]), Pair("twice", seen[1])));
  EXPECT_EQ(device.symbols(module).size(), 3u) << "the table of addresses is not the module's";
}

TEST_F(OnCard, AFaultEndsTheDevice) {
  CudaDevice device;
  const auto module = device.load_ptx_text(kModule, "count.ptx");
  const std::uint64_t x = device.allocate(16, "x");
  EXPECT_EQ(code_of([&] { count(device, module, x, 1u << 30); }), base::ExitCode::kKernelFault);
  EXPECT_EQ(code_of([&] { count(device, module, x, 0); }), base::ExitCode::kDeviceFailed);
  EXPECT_EQ(code_of([&] { device.synchronize(); }), base::ExitCode::kDeviceFailed);
  EXPECT_EQ(code_of([&] { (void)device.download<std::uint32_t>(x, 1); }), base::ExitCode::kDeviceFailed);
  EXPECT_THAT(error_of([&] { (void)device.download<std::uint32_t>(x, 1); }),
              HasSubstr("the card has lost its memory"));
}

TEST_F(OnCard, ALaunchThatIsRefusedLeavesTheDeviceAsItIs) {
  CudaDevice device;
  const auto module = device.load_ptx_text(kModule, "count.ptx");
  const std::uint64_t x = device.allocate(16, "x");
  EXPECT_EQ(code_of([&] {
              device.launch(module, "count", {{1, 1, 1}, {2000, 1, 1}}, host::Args().add(x));
            }),
            base::ExitCode::kBadInput);
  EXPECT_EQ(code_of([&] {
              device.launch(module, "count", {{1, 1, 1}, {1, 1, 1}}, host::Args().add(x));
            }),
            base::ExitCode::kBadInput);
  EXPECT_EQ(code_of([&] { count(device, module, x, 0); }), base::ExitCode::kOk);
}

TEST_F(OnCard, WhatWaitsCanLeaveALaunch) {
  ::setenv("HEDDLE_STUB_DRIVER", "never_ends", 1);
  Options options;
  unsigned calls = 0;
  options.on_wait = [&] {
    if (++calls == 5) throw base::Error(base::ExitCode::kInterrupted, "", "enough");
  };
  CudaDevice device(options);
  const auto module = device.load_ptx_text(kModule, "count.ptx");
  const std::uint64_t x = device.allocate(16, "x");
  EXPECT_EQ(code_of([&] { count(device, module, x, 0); }), base::ExitCode::kInterrupted);
  EXPECT_EQ(code_of([&] { (void)device.download<std::uint32_t>(x, 1); }), base::ExitCode::kDeviceFailed);
}

TEST_F(OnCard, PropertiesAreTheDrivers) {
  const CudaDevice device;
  const host::DeviceProperties properties = device.properties();
  EXPECT_EQ(properties.name, "Stub card");
  EXPECT_EQ(properties.multiprocessors, 2u);
  EXPECT_EQ(properties.max_threads_per_multiprocessor, 2048u);
  EXPECT_EQ(properties.clock_mhz, 1000.0);
  EXPECT_EQ(device.driver_version(), "13.0");
  EXPECT_EQ(device.compute_capability(), "9.0");
}

}  // namespace
}  // namespace heddle::cuda::cuda_device_test
