// Cubins on the oracle's host interface: what is loaded, refused, run and reported.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "base/error.h"
#include "oracle/oracle.h"
#include "unit/sass/data.h"

namespace heddle::oracle::machine_code {
namespace {

std::string message(const std::function<void()>& call) {
  try {
    call();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "no error";
}
#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

class MachineCodeLoad : public ::testing::Test {
 protected:
  host::ModuleHandle load(const std::string& module) {
    return device.load_module(sass::cubin_bytes(module), module + ".cubin");
  }
  OracleDevice device;
};

TEST_F(MachineCodeLoad, AKernelHasItsParametersAndNeeds) {
  const auto kernel = device.kernel(load("vecadd"), "vector_add");
  ASSERT_EQ(kernel->params.size(), 4u);
  EXPECT_EQ(kernel->params[2].offset, 16u);
  EXPECT_EQ(kernel->params[3].bytes, 4u);
  EXPECT_EQ(kernel->param_bytes, 28u);
  EXPECT_GT(kernel->registers_per_thread, 0u);
}

TEST_F(MachineCodeLoad, AKernelRunsWithTheThreadsOfItsShape) {
  const auto module = load("vecadd");
  std::vector<float> a(100), b(100, 0.5f);
  std::iota(a.begin(), a.end(), 0.0f);
  const auto a_d = device.upload(a, "a"), b_d = device.upload(b, "b"), c_d = device.allocate(400, "c");
  device.launch(module, "vector_add", {.grid = {2}, .block = {48}},
                host::Args().add(a_d).add(b_d).add(c_d).add(100));
  std::vector<float> expected(100);
  for (int i = 0; i < 96; ++i) expected[static_cast<std::size_t>(i)] = static_cast<float>(i) + 0.5f;
  EXPECT_EQ(device.download<float>(c_d, 100), expected);
  EXPECT_GT(device.thread_instructions(), 96u * 10);
}

TEST_F(MachineCodeLoad, UnknownNamesAreAnsweredWithTheKnownOnes) {
  const auto module = load("vecadd");
  EXPECT_SAYS(message([&] { (void)device.kernel(module, "vector_ad"); }), "did you mean 'vector_add'?");
  EXPECT_SAYS(message([&] { (void)device.kernel(module, "vector_ad"); }), "vector_add4");
  EXPECT_SAYS(message([&] { (void)device.symbol(module, "table"); }), "no module-scope variable 'table'");
  EXPECT_SAYS(message([&] {
                device.launch(module, "vector_add", {.grid = {1}, .block = {32}}, host::Args().add(1u));
              }),
              "1 argument given, but it has 4 parameters");
}

TEST_F(MachineCodeLoad, VariablesHaveAddressesThatOnlyUnloadFrees) {
  const auto module = load("aes");
  const auto symbols = device.symbols(module);
  const auto keys = std::find_if(symbols.begin(), symbols.end(),
                                 [](const auto& each) { return each.name == "aes_round_keys"; });
  ASSERT_NE(keys, symbols.end());
  EXPECT_EQ(device.symbol(module, "aes_round_keys"), keys->address);
  std::vector<std::uint32_t> values(4, 7);
  device.write(keys->address, std::as_bytes(std::span(values)));
  EXPECT_EQ(device.download<std::uint32_t>(keys->address, 4), values);
  EXPECT_SAYS(message([&] { device.free(keys->address); }), "memory of module aes.cubin");
  device.unload(module);
  EXPECT_SAYS(message([&] { device.read(keys->address, std::as_writable_bytes(std::span(values))); }),
              "no allocation");
  EXPECT_SAYS(message([&] { (void)device.kernel(module, "aes_encrypt"); }), "has been unloaded");
}

TEST_F(MachineCodeLoad, AWordThatIsNotKnownRefusesItsKernelOnly) {
  std::vector<std::byte> bytes = sass::cubin_bytes("vecadd");
  // LDG.E.128 is in vector_add4 only; 0x00 is no operation.
  const sass::Word load = [] {
    for (const sass::TextOfWord& each : sass::words_of(Arch::kSm90))
      if (each.text.starts_with("LDG.E.128")) return each.word;
    return sass::Word{};
  }();
  constexpr std::uint64_t kSizeOf128 = 0xe00;  // bits 73 to 75
  unsigned damaged = 0;
  for (std::size_t at = 0; at + 16 <= bytes.size(); at += 16) {
    sass::Word word;
    std::memcpy(&word.low, bytes.data() + at, 8);
    std::memcpy(&word.high, bytes.data() + at + 8, 8);
    if ((word.low & 0xfff) != (load.low & 0xfff) || (word.high & kSizeOf128) != (load.high & kSizeOf128))
      continue;
    word.set(0, 12, 0);
    std::memcpy(bytes.data() + at, &word.low, 8);
    ++damaged;
  }
  ASSERT_EQ(damaged, 2u);
  const auto module = device.load_module(bytes, "damaged.cubin");
  EXPECT_EQ(device.kernel(module, "vector_add")->name, "vector_add");
  const std::string why = message([&] { (void)device.kernel(module, "vector_add4"); });
  EXPECT_SAYS(why, "damaged.cubin, kernel vector_add4, 0x0100");
  EXPECT_SAYS(message([&] { (void)device.kernel(module, "other"); }), "vector_add4 (refused)");
}

TEST_F(MachineCodeLoad, DamagedFilesLeaveNothingBehind) {
  std::vector<std::byte> bytes = sass::cubin_bytes("aes");
  bytes.resize(bytes.size() / 2);
  EXPECT_SAYS(message([&] { (void)device.load_module(bytes, "half.cubin"); }), "half.cubin");
  EXPECT_EQ(load("aes"), 0u) << "the first module";
}

TEST_F(MachineCodeLoad, AFaultNamesTheInstructionAndTheThread) {
  const auto module = load("vecadd");
  const auto a = device.allocate(64, "a"), b = device.allocate(64, "b"), c = device.allocate(64, "c");
  const std::string why = message([&] {
    device.launch(module, "vector_add", {.grid = {1}, .block = {32}},
                  host::Args().add(a).add(b).add(c).add(32));
  });
  EXPECT_SAYS(why, "kernel vector_add, 0x");
  EXPECT_SAYS(why, "LDG.E ");
  EXPECT_SAYS(why, "thread (16, 0, 0) of CTA (0, 0, 0)");
  EXPECT_SAYS(why, "past the end of 'a'");
  EXPECT_SAYS(message([&] { device.synchronize(); }), "nothing can run on the device after it");
}

TEST(MachineCodeLimits, AnEndlessKernelIsReportedAsAHang) {
  OracleDevice device({.max_thread_instructions = 1000});
  const auto module = device.load_module(sass::cubin_bytes("vecadd"), "vecadd.cubin");
  const auto a = device.allocate(4096, "a");
  EXPECT_SAYS(message([&] {
                device.launch(module, "vector_add", {.grid = {4}, .block = {256}},
                              host::Args().add(a).add(a).add(a).add(1024));
              }),
              "the oracle ran 1000 thread instructions");
}

class NoTap : public InstructionTap {
 public:
  void begin_launch(const std::string&, const host::Launch&) override {}
  bool wants(std::uint64_t, std::uint32_t) override { return false; }
  void executed(const ExecutedInstruction&) override {}
  void end_launch() override {}
};

TEST(MachineCodeLimits, TracesOfInstructionsArePtxOnly) {
  NoTap tap;
  OracleDevice device({.tap = &tap});
  const auto module = device.load_module(sass::cubin_bytes("vecadd"), "vecadd.cubin");
  EXPECT_SAYS(message([&] {
                device.launch(module, "vector_add", {.grid = {1}, .block = {32}},
                              host::Args().add(0ull).add(0ull).add(0ull).add(0));
              }),
              "recorded of PTX only");
}

}  // namespace
}  // namespace heddle::oracle::machine_code
