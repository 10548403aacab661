// Values in shared memory.
#include "core/memory/shared_memory.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>

namespace heddle::core::shared_memory_test {
namespace {

class SharedMemoryValues : public testing::Test {
 protected:
  SharedMemoryValues() {
    op_.instruction = &instruction_;
    op_.slices[0].registers = registers_.data();
    op_.shared_passes = 1;
    instruction_.dst[0].present = true;
    instruction_.write_count = 1;
  }
  /// One 32-bit access of `lanes` to offsets first + lane * stride.
  void access(isa::Opcode what, std::uint32_t first, std::uint32_t stride, LaneMask lanes = LaneMask::all()) {
    instruction_.op = what;
    instruction_.type = isa::Type::kU32;
    op_.bytes = 4;
    op_.shared_lanes = lanes;
    op_.shared_first = first + lanes.lowest() * stride;
    op_.shared_shape = stride == 0 ? Shape::kUniform : stride == 4 ? Shape::kUnitStride : Shape::kScattered;
    for (unsigned lane = 0; lane < kLanes; ++lane) op_.address[lane] = first + lane * stride;
    SharedMemoryRequest request;
    request.memory_op = &op_;
    memory_.serve(request);
  }
  void store(std::uint32_t first, std::uint32_t stride, std::uint32_t value, std::uint32_t value_step,
             LaneMask lanes = LaneMask::all()) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t word = value + lane * value_step;
      std::memcpy(op_.data.data() + lane * std::size_t{4}, &word, 4);
    }
    access(isa::Opcode::kStore, first, stride, lanes);
  }
  std::uint32_t lane_register(unsigned lane) const {
    std::uint32_t value;
    std::memcpy(&value, registers_.data() + lane * std::size_t{4}, 4);
    return value;
  }
  sim::ProgressMonitor progress_;
  SharedMemoryConfig config_;
  SharedMemoryModel memory_{config_, progress_};
  isa::Instruction instruction_;
  MemoryInstruction op_;
  alignas(64) std::array<std::byte, 128> registers_{};
};

TEST_F(SharedMemoryValues, StoredWordsComeBackInEveryShape) {
  for (const std::uint32_t stride : {4u, 8u, 132u}) {
    store(256, stride, 1000 * stride, 3);
    access(isa::Opcode::kLoad, 256, stride);
    for (unsigned lane = 0; lane < kLanes; ++lane) EXPECT_EQ(lane_register(lane), 1000 * stride + lane * 3);
  }
  store(256, 4, 7, 1, LaneMask(0x0ff0'00f0));
  access(isa::Opcode::kLoad, 256, 4, LaneMask(0x0f00'0030));
  EXPECT_EQ(lane_register(4), 11u);
  EXPECT_EQ(lane_register(24), 31u);
  EXPECT_EQ(lane_register(6), 132'018u) << "not loaded: the value from before";
}

TEST_F(SharedMemoryValues, RunsAreStoredAndLoadedLikeTheirLanes) {
  store(256, 4, 50, 1);
  // Lanes 0-15 access the words of lanes 16-31, and vice versa.
  op_.runs.count = 2;
  op_.runs.run[0] = {LaneMask(0x0000'ffff), false, 256 + 64};
  op_.runs.run[1] = {LaneMask(0xffff'0000), false, 256};
  op_.shared_shape = Shape::kRuns;
  SharedMemoryRequest request;
  request.memory_op = &op_;
  memory_.serve(request);
  access(isa::Opcode::kLoad, 256, 4);
  for (unsigned lane = 0; lane < kLanes; ++lane) EXPECT_EQ(lane_register(lane), 50 + (lane + 16) % 32);
  op_.shared_shape = Shape::kRuns;
  memory_.serve(request);
  for (unsigned lane = 0; lane < kLanes; ++lane) EXPECT_EQ(lane_register(lane), 50 + lane);
}

TEST_F(SharedMemoryValues, OfSeveralLanesWritingOneWordTheHighestWins) {
  store(256, 0, 100, 1);
  access(isa::Opcode::kLoad, 256, 0);
  EXPECT_EQ(lane_register(0), 131u);
  EXPECT_EQ(lane_register(17), 131u);
}

TEST_F(SharedMemoryValues, StoringTheSameValueIsNoProgress) {
  store(512, 4, 5, 0);
  store(1024, 8, 5, 0);
  const std::uint64_t before = progress_.changes();
  store(512, 4, 5, 0);
  store(1024, 8, 5, 0);
  EXPECT_EQ(progress_.changes(), before);
  store(512, 4, 6, 0);
  EXPECT_EQ(progress_.changes(), before + 1);
}

TEST_F(SharedMemoryValues, AtomicsOnOneWordReturnTheOldValuesInLaneOrder) {
  instruction_.atomic_op = isa::AtomicOp::kAdd;
  op_.operand.fill(1);
  const std::uint64_t before = progress_.changes();
  access(isa::Opcode::kAtomic, 64, 0);
  for (unsigned lane = 0; lane < kLanes; ++lane) EXPECT_EQ(lane_register(lane), lane);
  EXPECT_EQ(progress_.changes() - before, 32u);
  access(isa::Opcode::kLoad, 64, 0);
  EXPECT_EQ(lane_register(3), 32u);
}

TEST_F(SharedMemoryValues, ClearedRangeReadsAsZero) {
  store(0, 4, 9, 0);
  SharedMemoryRequest clear;
  clear.op = SharedMemoryRequest::Op::kClear;
  clear.offset = 8;
  clear.bytes = 16;
  memory_.serve(clear);
  access(isa::Opcode::kLoad, 0, 4);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    EXPECT_EQ(lane_register(lane), lane >= 2 && lane < 6 ? 0u : 9u) << lane;
}

}  // namespace
}  // namespace heddle::core::shared_memory_test
