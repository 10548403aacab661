// Modules that are unloaded, on both devices, and the addresses that their code had.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "gpu/code_space.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "gpu_device_support.h"
#include "oracle/oracle.h"

namespace heddle::device_tests::device_unload_test {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

template <class Check>
void on_both_devices(const Check& check) {
  gpu::GpuDevice gpu(gpu::load_platform("tiny", {}), {});
  oracle::OracleDevice oracle;
  for (host::Device* device : {static_cast<host::Device*>(&gpu), static_cast<host::Device*>(&oracle)}) {
    SCOPED_TRACE(device->properties().name);
    check(*device);
  }
}

TEST(Unload, HandlesAreGoodUntilThen) {
  on_both_devices([](host::Device& device) {
    const auto module = device.load_ptx_text(kKernels, "kernels");
    EXPECT_THAT(text_of([&] { device.unload(module + 1); }), HasSubstr("there is no module number"));
    const std::uint64_t variable = device.symbol(module, "table");
    device.unload(module);
    for (const std::string& text :
         {text_of([&] { device.unload(module); }), text_of([&] { device.launch(module, "nothing", {}, {}); }),
          text_of([&] { (void)device.kernel(module, "nothing"); }),
          text_of([&] { (void)device.symbol(module, "table"); })})
      EXPECT_THAT(text, HasSubstr("module number 0 has been unloaded"));
    EXPECT_THAT(text_of([&] { (void)device.download<std::uint32_t>(variable, 1); }),
                AnyOf(HasSubstr("leaves its allocation"), HasSubstr("host read of 4 bytes")));
    const auto again = device.load_ptx_text(kKernels, "kernels");
    EXPECT_NE(again, module) << "handles are not given again";
    EXPECT_EQ(device.symbol(again, "table"), variable) << "its memory is";
    EXPECT_EQ(device.download<std::uint32_t>(variable, 4), (std::vector<std::uint32_t>{5, 6, 0, 0}));
    device.launch(again, "nothing", {}, {});
  });
}

TEST(Unload, IsWhatFreesVariables) {
  on_both_devices([](host::Device& device) {
    const auto module = device.load_ptx_text(kKernels, "kernels");
    const std::uint64_t buffer = device.allocate(64, "buffer");
    const std::uint64_t variable = device.symbol(module, "table");
    EXPECT_THAT(text_of([&] { device.free(variable); }),
                AllOf(HasSubstr("is the address of variable 'table' of module kernels, not of a buffer"),
                      HasSubstr("unload()")));
    EXPECT_EQ(device.download<std::uint32_t>(variable, 2), (std::vector<std::uint32_t>{5, 6}));
    EXPECT_THAT(text_of([&] { device.free(variable + 4); }), HasSubstr("is not the start of an allocation"));
    device.free(buffer);
    device.unload(module);
    EXPECT_THAT(text_of([&] { device.free(variable); }), HasSubstr("is not the start of an allocation"));
  });
}

TEST(Unload, IsWhatFreesFunctions) {
  gpu::GpuDevice gpu(gpu::load_platform("tiny", {}), {});
  const auto module = gpu.load_ptx_text(kHeader + ".func f { ret; }\n.global .u64 pointer = f;", "module");
  const auto pointer = gpu.download<std::uint64_t>(gpu.symbol(module, "pointer"), 1).front();
  EXPECT_THAT(text_of([&] { gpu.free(pointer); }),
              HasSubstr("is the address of a function of module module"));
}

TEST(Unload, NeitherFreesWhatTheGpuKeepsForItself) {
  gpu::GpuDevice gpu(gpu::load_platform("tiny", {"tm.enabled=true"}), {});
  const auto module = gpu.load_ptx_text(kHeader + R"(.extern .func tx_begin();
.extern .func tx_commit();
.visible .entry k(.param .u64 out)
{
  .reg .b64 %o; .reg .b32 %v;
  ld.param.u64 %o, [out];
  call.uni tx_begin, ();
  ld.global.u32 %v, [%o]; add.u32 %v, %v, 1; st.global.u32 [%o], %v;
  call.uni tx_commit, ();
  ret;
}
)",
                                        "transaction");
  const std::uint64_t out = gpu.allocate(4, "out");
  gpu.launch(module, "k", {}, host::Args().add(out));
  std::uint64_t logs = 0;
  for (const auto& [address, allocation] : gpu.allocations().all())
    if (allocation.name.starts_with("logs of transactions")) logs = address;
  ASSERT_NE(logs, 0u);
  EXPECT_THAT(text_of([&] { gpu.free(logs); }),
              HasSubstr("'logs of transactions (tm)', which is the device's own memory"));
  gpu.launch(module, "k", {}, host::Args().add(out));
  EXPECT_EQ(gpu.download<std::uint32_t>(out, 1).front(), 2u);
  gpu.free(out);
}

TEST(Unload, NotWhatAnotherModuleRefersTo) {
  on_both_devices([](host::Device& device) {
    const auto functions = device.load_ptx_text(
        kHeader + ".visible .func (.reg .b32 r) five() { mov.u32 r, 5; ret; }\n", "functions");
    const auto variables =
        device.load_ptx_text(kHeader + ".visible .global .b32 shared_value = 37;\n", "variables");
    const auto user = device.load_ptx_text(
        kHeader +
            ".extern .func (.reg .b32 r) five();\n.extern .global .b32 shared_value;\n"
            ".visible .entry k(.param .u64 out) { .reg .b32 %a, %b; .reg .b64 %o;\n"
            "ld.param.u64 %o, [out]; call (%a), five; ld.global.b32 %b, [shared_value];\n"
            "add.u32 %a, %a, %b; st.global.b32 [%o], %a; ret; }\n",
        "user");
    EXPECT_THAT(text_of([&] { device.unload(functions); }),
                AllOf(HasSubstr("functions: cannot be unloaded: module user refers to its 'five'")));
    EXPECT_THAT(text_of([&] { device.unload(variables); }),
                HasSubstr("variables: cannot be unloaded: module user refers to its 'shared_value'"));
    const std::uint64_t out = device.allocate(4, "out");
    device.launch(user, "k", {}, host::Args().add(out));
    EXPECT_EQ(device.download<std::uint32_t>(out, 1).front(), 42u) << "a refusal changes nothing";
    device.unload(user);
    device.unload(functions);
    device.unload(variables);
  });
}

// A kernel that calls through pointers refers to functions by their addresses, so addresses of unloaded
// modules must not be reused for other functions.
TEST(Unload, AddressesOfFunctionsStayTakenWhileKernelsKnowThem) {
  const auto module = [](const std::string& name, const char* value) {
    return kHeader + ".visible .func (.param .b32 r) " + name + "() { .reg .b32 %v; mov.u32 %v, " + value +
           "; st.param.b32 [r], %v; ret; }\n.visible .global .u64 pointer_" + name + " = " + name + ";\n";
  };
  const std::string caller =
      kHeader +
      ".visible .entry k(.param .u64 out, .param .u64 f) {\n.reg .b64 %o, %f; .reg .b32 %v;\n"
      "ld.param.u64 %o, [out]; ld.param.u64 %f, [f];\n"
      "{ .param .b32 r; prototype: .callprototype (.param .b32 _) _ (); call (r), %f, (), prototype;\n"
      "ld.param.b32 %v, [r]; }\nst.global.b32 [%o], %v; ret; }\n";
  on_both_devices([&](host::Device& device) {
    const auto pointer = [&](host::ModuleHandle handle, const std::string& name) {
      return device.download<std::uint64_t>(device.symbol(handle, "pointer_" + name), 1).front();
    };
    const auto one = device.load_ptx_text(module("one", "1"), "one");
    const auto first = device.load_ptx_text(caller, "caller");
    const std::uint64_t address = pointer(one, "one");
    const std::uint64_t out = device.allocate(4, "out");
    device.launch(first, "k", {}, host::Args().add(out).add(address));
    EXPECT_EQ(device.download<std::uint32_t>(out, 1).front(), 1u);
    device.unload(one);
    const auto two = device.load_ptx_text(module("two", "2"), "two");
    EXPECT_NE(pointer(two, "two"), address);
    const auto second = device.load_ptx_text(caller, "caller");
    device.launch(second, "k", {}, host::Args().add(out).add(pointer(two, "two")));
    EXPECT_EQ(device.download<std::uint32_t>(out, 1).front(), 2u);
  });
}

// Nor does the time: the work of loading must not grow.
TEST(Unload, AThousandTimesCostsNothing) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer keeps what is freed";
  on_both_devices([](host::Device& device) {
    const std::uint64_t out = device.allocate(4, "out");
    const auto cycle = [&](unsigned times) {
      for (unsigned i = 0; i < times; ++i) {
        const auto module = device.load_ptx_text(kKernels, "kernels");
        device.launch(module, "add", {}, host::Args().add(out).add(1u));
        device.unload(module);
      }
    };
    cycle(200);
    const std::uint64_t before = resident_bytes();
    cycle(800);
    EXPECT_LT(resident_bytes(), before + kSlackBytes);
    EXPECT_EQ(device.download<std::uint32_t>(out, 1).front(), 1000u);
    if (const auto* gpu = dynamic_cast<gpu::GpuDevice*>(&device)) {
      ASSERT_EQ(gpu->kernels().size(), 1u) << "the same text is the same kernel";
      EXPECT_EQ(gpu->kernels().front().launches, 1000u);
    }
  });
}

TEST(CodeSpace, KernelsLieOneBehindTheOtherAndFreedPlacesAreGivenAgain) {
  std::vector<isa::Kernel> kernels(5);
  for (std::size_t i = 0; i < kernels.size(); ++i) kernels[i].code.resize(i == 3 ? 32 : 33);  // of 8 bytes
  gpu::CodeSpace space;
  const auto at = [&](std::size_t i) { return space.address(kernels[i], 8) - isa::kCodeWindowBase; };
  EXPECT_EQ(at(0), 0u);
  EXPECT_EQ(at(1), 512u) << "at multiples of 256 bytes, and never next to each other";
  EXPECT_EQ(at(2), 1024u);
  EXPECT_EQ(at(1), 512u) << "for as long as it is loaded";
  space.free(kernels[1]);
  space.free(kernels[1]);
  EXPECT_EQ(at(3), 512u);
  EXPECT_EQ(at(4), 1536u) << "behind all others if it fits nowhere else";
  EXPECT_EQ(at(1), 2048u);
  space.free(kernels[0]);
  kernels[0].code.resize(100);
  EXPECT_EQ(at(0), 2560u) << "the gap is too small";
}

// A kernel that uses a texture is refused when it is requested; its module loads and unloads like any other.
TEST(Unload, ModulesWithTextures) {
  on_both_devices([](host::Device& device) {
    const auto textures = device.load_ptx_text(
        kHeader + ".visible .global .texref image;\n.visible .entry k() { ret; }\n", "textures");
    const auto user = device.load_ptx_text(
        kHeader + ".visible .global .b32 image;\n.visible .entry k() { ret; }\n", "user");
    device.unload(textures);
    device.launch(user, "k", {}, {});
    device.unload(user);
  });
}

TEST(Unload, AFailedLoadLeavesNothing) {
  on_both_devices([](host::Device& device) {
    const std::string bad =
        kHeader + ".visible .global .b32 seen;\n.visible .global .u64 pointer = nowhere;\n";
    EXPECT_THROW((void)device.load_ptx_text(bad, "bad"), base::InputError);
    const auto module = device.load_ptx_text(kKernels, "kernels");
    const std::uint64_t first = device.symbol(module, "table");
    device.unload(module);
    for (int i = 0; i < 3; ++i) EXPECT_THROW((void)device.load_ptx_text(bad, "bad"), base::InputError);
    EXPECT_EQ(device.symbol(device.load_ptx_text(kKernels, "kernels"), "table"), first);
  });
}

}  // namespace
}  // namespace heddle::device_tests::device_unload_test
