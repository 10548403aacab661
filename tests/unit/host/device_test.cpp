#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <span>

#include "base/error.h"
#include "host/device.h"

namespace heddle::host::device_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

isa::Kernel kernel_with_three_params() {
  isa::Kernel kernel;
  kernel.name = "k";
  kernel.params = {{"k_param_0", isa::Type::kU32, 4, 0, 4},
                   {"k_param_1", isa::Type::kU64, 8, 8, 8},
                   {"k_param_2", isa::Type::kB8, 12, 16, 4}};
  kernel.param_bytes = 28;
  return kernel;
}

template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const base::InputError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Args, ArePackedAtTheirParametersOffsets) {
  struct Triple {
    std::uint32_t a = 5, b = 6, c = 7;
  };
  const auto block =
      Args().add(0x01020304u).add(std::uint64_t{9}).add(Triple{}).pack(kernel_with_three_params());
  ASSERT_EQ(block.size(), 28u);
  std::uint32_t first = 0, gap = 1, last = 0;
  std::uint64_t second = 0;
  std::memcpy(&first, block.data(), 4);
  std::memcpy(&gap, block.data() + 4, 4);
  std::memcpy(&second, block.data() + 8, 8);
  std::memcpy(&last, block.data() + 24, 4);
  EXPECT_EQ(first, 0x01020304u);
  EXPECT_EQ(gap, 0u);
  EXPECT_EQ(second, 9u);
  EXPECT_EQ(last, 7u);
}

TEST(Args, WrongCountNamesBothCounts) {
  EXPECT_THAT(error_of([] { (void)Args().add(1).pack(kernel_with_three_params()); }),
              AllOf(HasSubstr("kernel k"), HasSubstr("1 argument given"), HasSubstr("3 parameters"),
                    HasSubstr("its parameters: k_param_0 .")));
}

TEST(Args, WrongSizeNamesTheParameter) {
  EXPECT_THAT(error_of([] { (void)Args().add(1).add(2).add(3).pack(kernel_with_three_params()); }),
              AllOf(HasSubstr("argument 2 is 4 bytes"), HasSubstr("k_param_1"), HasSubstr("8")));
}

TEST(CheckLaunch, TakesWhatFitsExactly) {
  isa::Kernel kernel;
  kernel.static_shared_bytes = 1024;
  kernel.max_threads_per_cta = 512;
  EXPECT_NO_THROW(check_launch(kernel, {{0x7fff'ffff, 65535, 65535}, {8, 1, 64}, 15 * 1024}, 512, 16 * 1024));
}

TEST(CheckLaunch, RefusesShapesByWhatIsWrongWithThem) {
  isa::Kernel kernel;
  kernel.name = "k";
  kernel.static_shared_bytes = 1000;
  const auto refuse = [&](const Launch& shape) {
    return error_of([&] { check_launch(kernel, shape, 512, 16 * 1024); });
  };
  EXPECT_THAT(refuse({{0, 1, 1}, {32, 1, 1}}), HasSubstr("grid 0 x 1 x 1 has a dimension of 0"));
  EXPECT_THAT(refuse({{1, 1, 1}, {32, 0, 1}}), HasSubstr("block 32 x 0 x 1"));
  EXPECT_THAT(refuse({{0x8000'0000u, 1, 1}, {32, 1, 1}}), HasSubstr("grid"));
  EXPECT_THAT(refuse({{1, 65536, 1}, {32, 1, 1}}), HasSubstr("limit"));
  EXPECT_THAT(refuse({{1, 1, 65536}, {32, 1, 1}}), HasSubstr("limit"));
  EXPECT_THAT(refuse({{1, 1, 1}, {1, 1, 65}}), HasSubstr("1024 x 1024 x 64"));
  EXPECT_THAT(refuse({{1, 1, 1}, {65536, 65536, 1}}), HasSubstr("limit"));
  EXPECT_THAT(refuse({{1, 1, 1}, {513, 1, 1}}), AllOf(HasSubstr("513 threads"), HasSubstr("512")));
  EXPECT_THAT(refuse({{1, 1, 1}, {32, 1, 1}, 15'500}),
              AllOf(HasSubstr("16500"), HasSubstr("1000 static + 15500 dynamic")));
  EXPECT_THAT(refuse({{1, 1, 1}, {32, 1, 1}, 0xffff'ffffu}), HasSubstr("dynamic"));
  kernel.max_threads_per_cta = 64;
  EXPECT_THAT(refuse({{1, 1, 1}, {65, 1, 1}}), HasSubstr(".maxntid allows 64"));
  kernel.max_threads_per_cta = 0;
  kernel.required_block = {8, 4, 1};
  EXPECT_THAT(refuse({{1, 1, 1}, {4, 8, 1}}),
              HasSubstr("the block is 4 x 8 x 1, the kernel's .reqntid requires 8 x 4 x 1"));
  EXPECT_NO_THROW(check_launch(kernel, {{1, 1, 1}, {8, 4, 1}}, 512, 16 * 1024));
}

TEST(ModuleBytes, PtxTextIsTakenAsItIsWithoutTheNulOfACString) {
  const std::string text = ".version 7.0\n";
  EXPECT_EQ(ptx_text_of(std::as_bytes(std::span(text)), "m"), text);
  const std::string with_nuls = text + std::string(2, '\0');
  EXPECT_EQ(ptx_text_of(std::as_bytes(std::span(with_nuls)), "m"), text);
  EXPECT_EQ(ptx_text_of({}, "m"), "");
}

TEST(ModuleBytes, MachineCodeIsRefusedByWhatItIs) {
  const auto refuse = [](const std::string& bytes) {
    return error_of([&] { (void)ptx_text_of(std::as_bytes(std::span(bytes)), "a.cubin"); });
  };
  EXPECT_THAT(refuse(std::string("\x7f"
                                 "ELF\x02\x01\x01",
                                 7)),
              AllOf(HasSubstr("a.cubin: this is a cubin or program, and PTX text is needed here"),
                    HasSubstr("nvcc -ptx")));
  EXPECT_THAT(refuse("\x50\xed\x55\xba rest"), HasSubstr("this is a fat binary"));
  EXPECT_THAT(refuse("\x7f"
                     "EL"),
              HasSubstr("no error"))
      << "the parser will say what it is not";
}

/// Records its arguments.
class Listening : public Device {
 public:
  std::uint64_t allocate(std::uint64_t, const std::string&) override { return 0; }
  void free(std::uint64_t) override {}
  void write(std::uint64_t, std::span<const std::byte>) override {}
  void read(std::uint64_t, std::span<std::byte>) override {}
  ModuleHandle load_module(std::span<const std::byte> bytes, const std::string& name) override {
    loaded = name + ": " + ptx_text_of(bytes, name);
    return 7;
  }
  void unload(ModuleHandle) override {}
  std::shared_ptr<const isa::Kernel> kernel(ModuleHandle, const std::string&) override { return nullptr; }
  std::uint64_t symbol(ModuleHandle, const std::string&) override { return 0; }
  void launch(ModuleHandle, const std::string&, const Launch&, const Args&) override {}
  [[nodiscard]] DeviceProperties properties() const override { return {}; }
  std::string loaded;
};

TEST(ModuleBytes, FilesAndTextAreModulesLikeAnyOther) {
  Listening device;
  EXPECT_EQ(device.load_ptx_text("text", "name"), 7u);
  EXPECT_EQ(device.loaded, "name: text");
  const std::string path = ::testing::TempDir() + "module_bytes_test.ptx";
  std::ofstream(path) << "of a file";
  EXPECT_EQ(device.load_ptx_file(path), 7u);
  EXPECT_EQ(device.loaded, path + ": of a file");
  EXPECT_THAT(error_of([&] { device.load_ptx_file("no/such.ptx"); }), HasSubstr("cannot read the PTX file"));
}

}  // namespace
}  // namespace heddle::host::device_test
