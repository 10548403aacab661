#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <random>
#include <utility>
#include <vector>

#include "memory/virtual_output_queues.h"

namespace heddle::memory::virtual_output_queues_test {
namespace {

using Seen = VirtualOutputQueues::Seen;

/// The same by searching: all packets of an input in the order in which they came.
class SearchedQueue {
 public:
  struct Item {
    WaitingPacket packet;
    bool asks = false;
    bool seen = false;
  };
  std::deque<Item> items;

  [[nodiscard]] std::size_t first(std::uint32_t output) const {
    std::size_t i = 0;
    while (i < items.size() && items[i].packet.output != output) ++i;
    return i;
  }
  WaitingPacket take(std::size_t i) {
    const WaitingPacket packet = items[i].packet;
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
    return packet;
  }
};

WaitingPacket packet(std::uint32_t output, std::uint32_t number) { return {nullptr, output, number, 1, 0}; }

/// (number of the packet, whether it has been seen before) of what the queues show, whose answer is `answer(number)`.
template <class Answer>
std::vector<std::pair<std::uint32_t, bool>> look(VirtualOutputQueues& queues, unsigned input, bool& leaves,
                                                 WaitingPacket& left, Answer answer) {
  std::vector<std::pair<std::uint32_t, bool>> shown;
  leaves = queues.look_at_new(input, left, [&](const WaitingPacket& seen, bool again) {
    shown.emplace_back(seen.bytes, again);
    return answer(seen.bytes);
  });
  return shown;
}

TEST(VirtualOutputQueues, OnlyTheFirstPacketOfAQueueIsNew) {
  VirtualOutputQueues queues(2, 3, 4);
  EXPECT_TRUE(queues.push(1, packet(2, 10)));
  EXPECT_FALSE(queues.push(1, packet(2, 11)));
  EXPECT_TRUE(queues.push(1, packet(0, 12)));
  WaitingPacket left;
  bool leaves = false;
  const auto asks = [](std::uint32_t) { return Seen::kAsks; };
  EXPECT_EQ(look(queues, 1, leaves, left, asks),
            (std::vector<std::pair<std::uint32_t, bool>>{{10, false}, {12, false}}));
  EXPECT_TRUE(look(queues, 1, leaves, left, asks).empty()) << "they ask already";
  EXPECT_EQ(queues.take(1, 2).bytes, 10u);
  EXPECT_EQ(look(queues, 1, leaves, left, asks), (std::vector<std::pair<std::uint32_t, bool>>{{11, false}}));
  queues.renew(1, 0);
  EXPECT_EQ(look(queues, 1, leaves, left, asks), (std::vector<std::pair<std::uint32_t, bool>>{{12, true}}));
}

TEST(VirtualOutputQueues, ShowWhatASearchThroughTheBufferFinds) {
  constexpr unsigned kInputs = 3, kOutputs = 5;
  constexpr std::uint32_t kCapacity = 9;
  std::mt19937 random(7);
  VirtualOutputQueues queues(kInputs, kOutputs, kCapacity);
  std::vector<SearchedQueue> searched(kInputs);
  std::uint32_t number = 0;
  for (unsigned step = 0; step < 20'000; ++step) {
    const unsigned input = random() % kInputs;
    SearchedQueue& expected = searched[input];
    switch (random() % 4) {
      case 0:
      case 1:
        if (expected.items.size() < kCapacity) {
          const std::uint32_t output = random() % kOutputs;
          const bool first = expected.first(output) == expected.items.size();
          ASSERT_EQ(queues.push(input, packet(output, number)), first);
          expected.items.push_back({packet(output, number++)});
        }
        break;
      case 2: {  // a look, with answers that depend on the packet
        const std::uint32_t salt = random();
        const auto answer = [salt](std::uint32_t n) {
          const std::uint32_t r = (n ^ salt) % 8;
          return r == 0 ? Seen::kLeaves : r < 3 ? Seen::kLater : Seen::kAsks;
        };
        std::vector<std::pair<std::uint32_t, bool>> wanted;
        std::size_t gone = expected.items.size();
        for (std::size_t i = 0; i < expected.items.size() && gone == expected.items.size(); ++i) {
          SearchedQueue::Item& item = expected.items[i];
          if (item.asks || expected.first(item.packet.output) != i) continue;
          wanted.emplace_back(item.packet.bytes, item.seen);
          const Seen seen = answer(item.packet.bytes);
          if (seen == Seen::kLeaves) gone = i;
          if (seen == Seen::kAsks) item.asks = item.seen = true;
        }
        WaitingPacket left;
        bool leaves = false;
        ASSERT_EQ(look(queues, input, leaves, left, answer), wanted);
        ASSERT_EQ(leaves, gone != expected.items.size());
        if (leaves) {
          ASSERT_EQ(left.bytes, expected.take(gone).bytes);
        }
        break;
      }
      default: {  // an output grants the first packet of its queue, or has it asked for once more
        const std::uint32_t output = random() % kOutputs;
        const std::size_t i = expected.first(output);
        if (i == expected.items.size() || !expected.items[i].asks) break;
        if (random() % 4 == 0) {
          queues.renew(input, output);
          expected.items[i].asks = false;
        } else {
          ASSERT_EQ(queues.take(input, output).bytes, expected.take(i).bytes);
        }
      }
    }
  }
  EXPECT_GT(number, 2'000u);
}

}  // namespace
}  // namespace heddle::memory::virtual_output_queues_test
