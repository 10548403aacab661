// Loads, stores and atomics of machine code, with values and faults.
#include <gtest/gtest.h>

#include <cstring>

#include "one_instruction.h"
#include "oracle/sass/memory_access.h"

namespace heddle::oracle::machine_code {
namespace {

class MachineCodeMemory : public ::testing::Test {
 protected:
  /// Executes the instruction with these bits changed; the answer is the problem.
  std::string run(const std::string& text, std::initializer_list<std::array<std::uint64_t, 3>> changes = {},
                  Arch arch = Arch::kSm90) {
    sass::Word word = word_with(arch, text);
    for (const auto& [at, width, value] : changes)
      word.set(static_cast<unsigned>(at), static_cast<unsigned>(width), value);
    const Op op = op_of(word, arch);
    EXPECT_TRUE(MemoryAccess::performs(op.instruction.op)) << text;
    Values values(op, lane, banks);
    return MemoryAccess(memory, allocations, shared).perform(values);
  }
  void address(unsigned number, std::uint64_t value) {
    lane.registers[number] = static_cast<std::uint32_t>(value);
    lane.registers[number + 1] = static_cast<std::uint32_t>(value >> 32);
  }
  template <class T>
  T at(std::uint64_t where) {
    T value{};
    memory.read(where, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  template <class T>
  void put(std::uint64_t where, T value) {
    memory.write(where, std::as_bytes(std::span(&value, 1)));
  }

  SparseMemory memory;
  host::AllocationTable allocations;
  std::vector<std::byte> shared = std::vector<std::byte>(2048);
  const std::uint64_t buffer = allocations.allocate(256, 256, "buffer");
  Lane lane;
  Banks banks;
};

TEST_F(MachineCodeMemory, SizesAndSigns) {
  put<std::uint64_t>(buffer + 8, 0x8182'8384'8586'8788);
  address(2, buffer + 8);
  EXPECT_EQ(run("LDG.E.U8 R2, desc[UR8][R2.64]", {{16, 8, 20}}), "");
  EXPECT_EQ(lane.registers[20], 0x88u);
  EXPECT_EQ(run("LDG.E.U8 R2, desc[UR8][R2.64]", {{16, 8, 20}, {73, 3, 1}}), "");
  EXPECT_EQ(lane.registers[20], 0xffff'ff88u);
  EXPECT_EQ(run("LDG.E.U8 R2, desc[UR8][R2.64]", {{16, 8, 20}, {73, 3, 3}}), "");
  EXPECT_EQ(lane.registers[20], 0xffff'8788u);
  EXPECT_EQ(run("LDG.E.64 R2, desc[UR6][R2.64]", {{16, 8, 20}}), "");
  EXPECT_EQ(lane.registers[20], 0x8586'8788u);
  EXPECT_EQ(lane.registers[21], 0x8182'8384u);
  lane.registers[7] = 0x1122'3344;
  address(4, buffer + 20);
  EXPECT_EQ(run("STG.E desc[UR8][R4.64], R7", {{40, 24, 0xffffff8}}), "") << "an offset of -8";
  EXPECT_EQ(at<std::uint32_t>(buffer + 12), 0x1122'3344u);
  address(10, buffer + 3);
  lane.registers[15] = 0xabcd;
  EXPECT_EQ(run("STG.E.U8 desc[UR8][R10.64], R15"), "");
  EXPECT_EQ(at<std::uint32_t>(buffer), 0xcd00'0000u);
  address(14, buffer + 32);
  for (unsigned i = 0; i < 4; ++i) lane.registers[8 + i] = i + 1;
  EXPECT_EQ(run("STG.E.128 desc[UR8][R14.64], R8"), "");
  EXPECT_EQ(at<std::uint64_t>(buffer + 40), 0x4'0000'0003u);
}

TEST_F(MachineCodeMemory, FaultsSayWhatIsWrong) {
  address(2, buffer + 2);
  EXPECT_NE(run("LDG.E R2, desc[UR8][R2.64]").find("misaligned"), std::string::npos);
  address(2, buffer + 256);
  EXPECT_NE(run("LDG.E R2, desc[UR8][R2.64]").find("'buffer'"), std::string::npos);
  lane.registers[0] = 2048 - 0x400;
  EXPECT_NE(run("LDS R11, [R0+0x400]").find("2048 bytes of shared memory"), std::string::npos);
  lane.registers[3] = LocalMemory::kBytes;
  EXPECT_NE(run("STL [R3], R0").find("local memory"), std::string::npos);
  address(2, isa::kSharedWindowBase);
  EXPECT_NE(run("LDG.E R2, desc[UR8][R2.64]"), "") << "global accesses see no windows";
}

TEST_F(MachineCodeMemory, SharedAndLocalAddressesHave32Bits) {
  lane.registers[0] = 0x20;
  lane.uniform[5] = 0xffff'fff0;
  shared[0x11] = std::byte{77};
  EXPECT_EQ(run("LDS.U8 R0, [R0+UR5+0x1]"), "");
  EXPECT_EQ(lane.registers[0], 77u);
  lane.registers[3] = 0x100;
  lane.registers[0] = 5;
  EXPECT_EQ(run("STL [R3], R0"), "");
  lane.registers[19] = 0x100;
  EXPECT_EQ(run("LDL R19, [R19]"), "");
  EXPECT_EQ(lane.registers[19], 5u);
  // sm_75 multiplies the register of a shared address.
  std::uint32_t word = 99;
  std::memcpy(shared.data() + 0x40, &word, 4);
  lane.registers[19] = 0x10;
  EXPECT_EQ(run("LDS.U R19, [R19.X4]", {}, Arch::kSm75), "");
  EXPECT_EQ(lane.registers[19], 99u);
}

TEST_F(MachineCodeMemory, GenericAddressesReachEverySpace) {
  std::uint32_t word = 0x5a;
  std::memcpy(shared.data() + 0x404, &word, 4);
  address(14, isa::kSharedWindowBase + 0x404);
  EXPECT_EQ(run("LD.E R3, desc[UR8][R14.64]"), "");
  EXPECT_EQ(lane.registers[3], 0x5au);
  address(8, isa::kLocalWindowBase + 0x10);
  lane.registers[0] = 0x77;
  EXPECT_EQ(run("ST.E desc[UR8][R8.64], R0"), "");
  std::memcpy(&word, lane.local.at(0x10), 4);
  EXPECT_EQ(word, 0x77u);
  address(8, buffer);
  EXPECT_EQ(run("ST.E desc[UR8][R8.64], R0"), "");
  EXPECT_EQ(at<std::uint32_t>(buffer), 0x77u);
}

TEST_F(MachineCodeMemory, IntegerAtomics) {
  const auto add = [&](unsigned operation, unsigned type, std::uint32_t old, std::uint32_t operand) {
    put<std::uint32_t>(buffer, old);
    address(6, buffer);
    lane.registers[9] = operand;
    EXPECT_EQ(run("ATOMG.E.ADD.STRONG.GPU PT, R6, desc[UR6][R6.64], R9",
                  {{16, 8, 20}, {87, 4, operation}, {73, 3, type}}),
              "");
    EXPECT_EQ(lane.registers[20], old);
    return at<std::uint32_t>(buffer);
  };
  EXPECT_EQ(add(0, 0, 0xffff'ffff, 3), 2u);
  EXPECT_EQ(add(1, 0, 0xffff'ffff, 3), 3u) << "MIN";
  EXPECT_EQ(add(1, 1, 0xffff'ffff, 3), 0xffff'ffffu) << "MIN.S32";
  EXPECT_EQ(add(2, 1, 0xffff'ffff, 3), 3u) << "MAX.S32";
  EXPECT_EQ(add(3, 0, 7, 7), 0u) << "INC";
  EXPECT_EQ(add(3, 0, 6, 7), 7u);
  EXPECT_EQ(add(4, 0, 0, 7), 7u) << "DEC";
  EXPECT_EQ(add(4, 0, 8, 7), 7u);
  EXPECT_EQ(add(4, 0, 7, 7), 6u);
  EXPECT_EQ(add(5, 0, 6, 3), 2u) << "AND";
  EXPECT_EQ(add(6, 0, 6, 3), 7u) << "OR";
  EXPECT_EQ(add(7, 0, 6, 3), 5u) << "XOR";
  EXPECT_EQ(add(8, 0, 6, 3), 3u) << "EXCH";
}

TEST_F(MachineCodeMemory, AtomicsOfPairsAndNumbers) {
  put<std::uint64_t>(buffer, 0xffff'ffff);
  address(4, buffer);
  address(18, 1);
  EXPECT_EQ(run("REDG.E.ADD.64.STRONG.GPU desc[UR12][R4.64], R18"), "");
  EXPECT_EQ(at<std::uint64_t>(buffer), 0x1'0000'0000u);
  put<std::uint64_t>(buffer, ~0ull);
  address(20, buffer);
  address(16, 5);
  EXPECT_EQ(run("REDG.E.MAX.64.STRONG.GPU desc[UR12][R20.64], R16"), "");
  EXPECT_EQ(at<std::uint64_t>(buffer), ~0ull) << "unsigned";
  EXPECT_EQ(run("REDG.E.MAX.64.STRONG.GPU desc[UR12][R20.64], R16", {{73, 3, 3}}), "");
  EXPECT_EQ(at<std::uint64_t>(buffer), 5u) << "S64";
  put<std::uint32_t>(buffer, bits(1.5f));
  address(14, buffer);
  lane.registers[27] = bits(2.0f);
  EXPECT_EQ(run("REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR12][R14.64], R27"), "");
  EXPECT_EQ(at<std::uint32_t>(buffer), bits(3.5f));
  put<std::uint32_t>(buffer, 1);
  lane.registers[27] = 1;
  EXPECT_EQ(run("REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR12][R14.64], R27"), "");
  EXPECT_EQ(at<std::uint32_t>(buffer), 0u) << "FTZ";
  put<std::uint64_t>(buffer, bits(1.0));
  address(27, 0x7ff0'0000'0000'0001);
  EXPECT_EQ(run("REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR12][R14.64], R27", {{73, 4, 15}}), "");
  EXPECT_EQ(at<std::uint64_t>(buffer), 0x7ff0'0000'0000'0001u) << "F64: a NaN as it is (measured on an H200)";
}

TEST_F(MachineCodeMemory, CompareAndSwapOf128Bits) {
  const auto swap = [&](std::uint64_t expected_high) {
    address(4, buffer);
    address(12, 1);
    address(14, expected_high);
    address(16, 3);
    address(18, 4);
    EXPECT_EQ(run("ATOMG.E.CAS.64.STRONG.GPU PT, R8, [R4], R8, R10",
                  {{73, 3, 4}, {32, 8, 12}, {64, 8, 16}, {16, 8, 20}}),
              "");
    EXPECT_EQ(lane.registers[20], 1u);
    EXPECT_EQ(lane.registers[22], 2u);
  };
  put<std::uint64_t>(buffer, 1);
  put<std::uint64_t>(buffer + 8, 2);
  swap(std::uint64_t{2} | std::uint64_t{1} << 63);
  EXPECT_EQ(at<std::uint64_t>(buffer), 1u) << "another high word";
  swap(2);
  EXPECT_EQ(at<std::uint64_t>(buffer), 3u);
  EXPECT_EQ(at<std::uint64_t>(buffer + 8), 4u);
}

TEST_F(MachineCodeMemory, CompareAndSwap) {
  put<std::uint32_t>(buffer, 4);
  address(4, buffer);
  lane.registers[8] = 4;
  lane.registers[9] = 6;
  const std::string cas = "ATOMG.E.CAS.STRONG.GPU PT, R4, [R4], R8, R9";
  EXPECT_EQ(run(cas, {{16, 8, 20}}), "");
  EXPECT_EQ(lane.registers[20], 4u);
  EXPECT_EQ(at<std::uint32_t>(buffer), 6u);
  EXPECT_EQ(run(cas, {{16, 8, 20}}), "");
  EXPECT_EQ(lane.registers[20], 6u);
  EXPECT_EQ(at<std::uint32_t>(buffer), 6u);
  // Of shared memory; CAST says whether it has stored.
  lane.registers[17] = 0x10;
  address(8, 0);
  address(10, 0x7'0000'0005);
  EXPECT_EQ(run("ATOMS.CAS.64 RZ, [R17], R8, R10", {{16, 8, 20}, {87, 2, 3}}), "");
  EXPECT_EQ(lane.registers[20], 1u);
  EXPECT_EQ(run("ATOMS.CAS.64 RZ, [R17], R8, R10", {{16, 8, 20}, {87, 2, 3}}), "");
  EXPECT_EQ(lane.registers[20], 0u);
  std::uint64_t stored = 0;
  std::memcpy(&stored, shared.data() + 0x10, 8);
  EXPECT_EQ(stored, 0x7'0000'0005u);
  lane.registers[4] = 0x10;
  EXPECT_EQ(run("ATOMS.POPC.INC.32 RZ, [R4+URZ]", {{16, 8, 20}}), "");
  EXPECT_EQ(lane.registers[20], 5u);
  EXPECT_EQ(run("ATOMS.POPC.INC.32 RZ, [R4+URZ]", {{16, 8, 20}}), "");
  EXPECT_EQ(lane.registers[20], 6u);
}

}  // namespace
}  // namespace heddle::oracle::machine_code
