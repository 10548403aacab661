// Operations in flight: when they are complete, in which order, and which loads still wait for data.
#include "core/memory/pending_request_table.h"

#include <gtest/gtest.h>

#include <vector>

#include "instruction.h"

namespace heddle::core::pending_request_table_test {
namespace {

constexpr std::uint32_t kHorizon = 100;

class PendingRequests : public ::testing::Test {
 protected:
  /// An operation of `parts` parts of a warp.
  MemoryInstruction& take(unsigned parts, const isa::Instruction& instruction, unsigned warp = 0,
                          LsuClient client = LsuClient::kCore) {
    MemoryInstruction& op = requests_.allocate();
    op.instruction = &instruction;
    op.client = client;
    op.pending = static_cast<std::uint16_t>(parts);
    op.ready_at = 0;
    const MemorySlice slice{.warp = WarpId{warp}, .lanes = LaneMask(0xf0)};
    op.take({&slice, 1});
    return op;
  }
  /// Indices of those complete at or before `now`.
  std::vector<std::uint32_t> complete(Cycle now) {
    std::vector<std::uint32_t> indices;
    requests_.take_complete(now, [&](MemoryInstruction& op) { indices.push_back(op.index); });
    return indices;
  }
  std::vector<PendingLoad> loads(unsigned warp) {
    std::vector<PendingLoad> found;
    requests_.pending_loads(WarpId{warp}, found);
    return found;
  }
  using Indices = std::vector<std::uint32_t>;
  PendingRequestTable requests_{kHorizon};
  isa::Instruction load_ = instruction({0}, {1}, isa::Opcode::kLoad);
  isa::Instruction store_ = instruction({0}, {}, isa::Opcode::kStore);
};

TEST_F(PendingRequests, the_last_part_completes_an_operation_when_the_latest_data_may_be_used) {
  MemoryInstruction& op = take(3, load_);
  requests_.part_done(op, 30, 10);
  requests_.part_done(op, 20, 11);
  EXPECT_EQ(requests_.next_due(), kNever) << "a part is missing";
  requests_.part_done(op, 15, 12);
  EXPECT_EQ(requests_.next_due(), 30u);
  EXPECT_EQ(complete(29), Indices{});
  EXPECT_EQ(complete(30), Indices{op.index});
  EXPECT_EQ(requests_.next_due(), kNever);
}

TEST_F(PendingRequests, data_that_is_late_completes_in_the_next_cycle) {
  MemoryInstruction& op = take(1, load_);
  requests_.part_done(op, 7, 40);
  EXPECT_EQ(requests_.next_due(), 41u);
}

TEST_F(PendingRequests, operations_of_a_cycle_come_in_the_order_in_which_they_were_completed) {
  MemoryInstruction& first = take(1, load_);
  MemoryInstruction& second = take(1, load_);
  MemoryInstruction& third = take(1, load_);
  requests_.part_done(third, 20, 10);
  requests_.part_done(first, 20, 11);
  requests_.part_done(second, 19, 12);
  EXPECT_EQ(complete(25), (Indices{second.index, third.index, first.index}));
}

TEST_F(PendingRequests, one_that_is_put_off_comes_back) {
  MemoryInstruction& op = take(1, load_);
  requests_.part_done(op, 12, 10);
  unsigned puts_off = 0;
  requests_.take_complete(12, [&](MemoryInstruction& due) {
    ++puts_off;
    requests_.complete_at(due, 15);
  });
  EXPECT_EQ(puts_off, 1u);
  EXPECT_EQ(complete(14), Indices{});
  EXPECT_EQ(complete(15), Indices{op.index});
}

TEST_F(PendingRequests, a_freed_operation_is_used_again_and_none_in_flight_is) {
  MemoryInstruction& first = take(1, load_);
  MemoryInstruction& second = take(1, load_);
  EXPECT_NE(&first, &second);
  requests_.free(first);
  EXPECT_EQ(&take(1, store_), &first);
  EXPECT_NE(&take(1, store_), &second);
  EXPECT_EQ(&requests_[second.index], &second);
}

TEST_F(PendingRequests, loads_wait_until_their_last_part_is_there) {
  const std::vector<PendingLoad> none;
  MemoryInstruction& load = take(2, load_, 3);
  take(1, store_, 3);
  take(1, load_, 3, static_cast<LsuClient>(1));  // a client's rows are no registers
  take(1, load_, 4);
  ASSERT_EQ(loads(3).size(), 1u);
  EXPECT_EQ(loads(3)[0].instruction, &load_);
  EXPECT_EQ(loads(3)[0].lanes, LaneMask(0xf0));
  requests_.part_done(load, 20, 10);
  EXPECT_EQ(loads(3).size(), 1u);
  requests_.part_done(load, 20, 11);
  EXPECT_TRUE(loads(3).empty()) << "its registers have their values";
  EXPECT_EQ(loads(4).size(), 1u);
}

}  // namespace
}  // namespace heddle::core::pending_request_table_test
