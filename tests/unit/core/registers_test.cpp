// Transfers between memory and register rows, and the calendar of finishing operations.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <vector>

#include "base/ring.h"
#include "core/memory/completion_wheel.h"
#include "core/memory/register_transfer.h"

namespace heddle::core::registers_test {
namespace {

using isa::RowWidth;
using isa::Type;

class RegisterTransfer : public testing::Test {
 protected:
  /// Destination (or source) e is a row of `width` at e * 256.
  isa::Instruction with(Type type, unsigned vector, RowWidth width) const {
    isa::Instruction instruction;
    instruction.type = type;
    instruction.vector = static_cast<std::uint8_t>(vector);
    for (unsigned e = 0; e < vector; ++e) {
      isa::Operand& dst = instruction.dst[e];
      dst.offset = e * 256;
      dst.width = width;
      dst.present = true;
      instruction.src[e] = dst;
    }
    return instruction;
  }
  std::uint64_t value(unsigned e, RowWidth width, unsigned lane) const {
    return lane_value(registers_.data() + std::size_t{e} * 256, width, lane);
  }
  alignas(64) std::array<std::byte, 1024> registers_{};
};

TEST_F(RegisterTransfer, ExtendsElementsToTheirRegisters) {
  isa::Instruction load = with(Type::kS8, 2, RowWidth::k32);
  load.dst[1].width = RowWidth::k64;
  const std::array<unsigned char, 2> bytes{0x7f, 0x80};
  load_lane(load, registers_.data(), 3, 0, 2, bytes.data());
  EXPECT_EQ(value(0, RowWidth::k32, 3), 0x7fu);
  EXPECT_EQ(value(1, RowWidth::k64, 3), 0xffffffffffffff80u);
  EXPECT_EQ(value(0, RowWidth::k32, 2), 0u) << "other lanes keep their value";
  load_registers(load, registers_.data(), {LaneMask(0xfffffff0), Shape::kUniform}, 0, 2, bytes.data());
  EXPECT_EQ(value(1, RowWidth::k64, 31), 0xffffffffffffff80u);
  EXPECT_EQ(value(1, RowWidth::k64, 0), 0u);
}

TEST_F(RegisterTransfer, HalvesOfAnEightByteElementMayComeApart) {
  isa::Instruction load = with(Type::kU64, 2, RowWidth::k64);
  load.dst[0].present = false;  // "_": discarded
  const std::array<unsigned char, 16> bytes{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  load_lane(load, registers_.data(), 7, 12, 4, bytes.data() + 12);
  load_lane(load, registers_.data(), 7, 0, 12, bytes.data());
  EXPECT_EQ(value(1, RowWidth::k64, 7), 0x100f0e0d0c0b0a09u);
  EXPECT_EQ(value(0, RowWidth::k64, 7), 0u);
}

/// load_registers() and store_block() equal a loop over lanes and bytes for random shapes, masks, types and
/// vectors.
TEST_F(RegisterTransfer, EveryShapeEqualsLaneByLane) {
  std::mt19937 random(7);
  const auto below = [&](unsigned n) { return random() % n; };
  std::array<unsigned char, 1024> block;
  for (unsigned char& byte : block) byte = static_cast<unsigned char>(below(256));
  constexpr std::array kTypes{Type::kU8,  Type::kS8,  Type::kU16, Type::kS16, Type::kU32,
                              Type::kF32, Type::kS32, Type::kU64, Type::kF64};
  for (unsigned trial = 0; trial < 3000; ++trial) {
    const Type type = kTypes[below(kTypes.size())];
    const unsigned element = isa::type_bytes(type);
    const unsigned vector = element == 8 ? 1 + below(2) : 1u << below(3);
    const RowWidth width = element == 8 || below(3) == 0 ? RowWidth::k64 : RowWidth::k32;
    const isa::Instruction instruction = with(type, vector, width);
    const unsigned unit = element * vector;
    LaneOffsets offsets;
    offsets.lanes =
        below(2) == 0 ? LaneMask::all() : LaneMask(static_cast<std::uint32_t>(random()) | 1u << below(32));
    if (below(4) == 0) offsets.lanes = LaneMask(1u << below(32));
    offsets.shape = static_cast<Shape>(below(4));
    offsets.first = below(30) * unit;
    std::array<std::uint64_t, kLanes> address;
    for (std::uint64_t& at : address) at = 5000 + std::uint64_t{below(1024 / unit)} * unit;
    offsets.address = address.data();
    offsets.origin = 5000;
    LaneRuns runs;
    runs.count = 4;
    for (unsigned r = 0; r < runs.count; ++r)
      runs.run[r] = {LaneMask(0xffu << r * 8), below(2) == 0, 5000 + std::uint64_t{below(30) * unit}};
    offsets.runs = &runs;

    for (std::byte& byte : registers_) byte = static_cast<std::byte>(below(256));
    std::array<std::byte, 1024> expected = registers_;
    offsets.lanes.for_each([&](unsigned lane) {
      for (unsigned e = 0; e < vector; ++e) {
        std::uint64_t v = 0;
        std::memcpy(&v, &block[offsets.offset(lane, unit) + std::size_t{e} * element], element);
        if (isa::is_signed(type) && element < 8 && (v >> (element * 8 - 1) & 1) != 0)
          v |= ~std::uint64_t{0} << (element * 8);
        const unsigned row = width == RowWidth::k64 ? 8 : 4;
        std::memcpy(&expected[std::size_t{e} * 256 + lane * std::size_t{row}], &v, row);
      }
    });
    load_registers(instruction, registers_.data(), offsets, 0, unit, block.data());
    ASSERT_EQ(registers_, expected) << trial;

    // Back: store what was loaded into an empty block.
    const std::byte* rows[4] = {registers_.data(), registers_.data() + 256, registers_.data() + 512,
                                registers_.data() + 768};
    std::array<unsigned char, std::size_t{kLanes} * 16> data{};
    capture_store(instruction, rows, data.data());
    std::array<unsigned char, 1024> to{};
    std::array<unsigned char, 1024> marks{};
    std::array<unsigned char, 1024> expected_marks{};
    std::array<unsigned char, 1024> expected_to{};
    store_block(offsets, data.data(), unit, 0, unit, to.data());
    mark_block(offsets, unit, marks.data());
    offsets.lanes.for_each([&](unsigned lane) {
      for (unsigned i = 0; i < unit; ++i) {
        expected_to[offsets.offset(lane, unit) + i] = block[offsets.offset(lane, unit) + i];
        expected_marks[offsets.offset(lane, unit) + i] = 0xff;
      }
    });
    ASSERT_EQ(to, expected_to) << trial;
    ASSERT_EQ(marks, expected_marks) << trial;
  }
}

TEST(CompletionWheel, OperationsComeOutInOrderOfCycleThenOfAddition) {
  std::mt19937 random(3);
  constexpr unsigned kHorizon = 150;
  CompletionWheel queue(kHorizon);
  std::vector<std::uint32_t> links(64);
  std::vector<std::uint32_t> free;
  for (std::uint32_t i = 0; i < links.size(); ++i) free.push_back(i);
  std::multimap<Cycle, std::uint32_t> expected;  // keeps the order of insertion
  const auto link_of = [&](std::uint32_t i) -> std::uint32_t& { return links[i]; };
  Cycle now = 1000;
  for (unsigned step = 0; step < 5000; ++step) {
    while (!free.empty() && random() % 3 != 0) {
      const Cycle due = now + 1 + random() % kHorizon;
      queue.add(due, free.back(), link_of);
      expected.emplace(due, free.back());
      free.pop_back();
    }
    ASSERT_EQ(queue.next_due(), expected.empty() ? kNever : expected.begin()->first);
    now += random() % 8 == 0 ? random() % 400 : random() % 20;
    // A caller may be late, but by less than a turn of the calendar, since it sleeps no longer than until
    // next_due().
    if (!expected.empty()) now = std::min(now, expected.begin()->first + random() % 3);
    queue.take(now, link_of, [&](std::uint32_t op) {
      ASSERT_FALSE(expected.empty());
      EXPECT_LE(expected.begin()->first, now);
      EXPECT_EQ(expected.begin()->second, op) << step;
      expected.erase(expected.begin());
      free.push_back(op);
    });
    ASSERT_TRUE(expected.empty() || expected.begin()->first > now);
  }
}

TEST(GrowingRing, IsAFifoWhateverItsLength) {
  base::GrowingRing<unsigned> ring;
  unsigned in = 0;
  unsigned out = 0;
  std::mt19937 random(5);
  for (unsigned step = 0; step < 20000; ++step) {
    if (random() % 40 < (step / 1000 % 2 == 0 ? 22u : 18u)) {
      ring.push_back(in++);
    } else if (!ring.empty()) {
      ASSERT_EQ(ring.front(), out++);
      ring.pop_front();
    }
    ASSERT_EQ(ring.size(), in - out);
  }
  EXPECT_GT(in, 9000u);
}

}  // namespace
}  // namespace heddle::core::registers_test
