// Worked example [KiloTM:G7]: the stack of a warp through a transaction, as the core drives it.
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "simt/simt_stack.h"
#include "tm/transaction_stack.h"

namespace heddle::tm::testing::tx_stack_test {
namespace {

using base::GroupId;
using base::kNoPc;
using base::LaneMask;
using base::Pc;
using base::WarpId;
using simt::ControlFlowEvent;
using simt::ControlFlowRequest;
using simt::Transfer;

// Lanes 0 to 7, mask left to right in the figure: 11110011 are lanes 0-3, 6, 7.
constexpr LaneMask left_to_right(const char* text) {
  std::uint32_t bits = 0;
  for (unsigned lane = 0; text[lane] != 0; ++lane)
    if (text[lane] == '1') bits |= 1u << lane;
  return LaneMask(bits);
}
constexpr Pc kA{0}, kB{1}, kC{2}, kD{3}, kE{4}, kF{5}, kG{6}, kAtH{7};

class Stack {
 public:
  Stack() : stack_(1, simt::FirstSide::kTaken) {
    ControlFlowRequest launch;
    launch.event = ControlFlowEvent::kLaunch;
    launch.mask = left_to_right("11111111");
    launch.next = kA;
    stack_.serve(launch);
  }
  void jump(Pc at, LaneMask taken, Pc target, Pc rpc) {
    ControlFlowRequest request = of(Transfer::kJump, taken, Pc{at.value() + 1});
    request.target = target;
    request.rpc = rpc;
    stack_.serve(request);
  }
  void enter(LaneMask lanes) {
    ControlFlowRequest request = of(Transfer::kCall, lanes, kF);
    request.target = kC;
    stack_.serve(request);
  }
  void leave(LaneMask lanes) {
    ControlFlowRequest request = of(Transfer::kReturn, lanes, Pc{kF.value() + 1});
    std::array<Pc, base::kLanes> behind{};
    behind.fill(kF);
    request.lane_target = behind.data();
    stack_.serve(request);
  }
  void advance(Pc next) {
    ControlFlowRequest request;
    request.event = ControlFlowEvent::kAdvance;
    request.next = next;
    stack_.serve(request);
  }
  /// "type PC mask" by entry, bottom first, above the kernel's own.
  [[nodiscard]] std::string text(const TransactionEntries* transaction) const {
    nlohmann::ordered_json table;
    ControlFlowRequest look;
    look.table = &table;
    stack_.inspect(look);
    if (transaction != nullptr) splice_transaction(*transaction, table);
    std::string text;
    for (const auto& entry : table) {
      const auto pc = entry["pc"].get<std::uint32_t>();
      std::string mask = entry["mask"].get<std::string>();
      mask = std::string(mask.rbegin(), mask.rbegin() + 8);
      text += (text.empty() ? "" : ", ") + entry.value("type", "N") + " " +
              std::string(1, static_cast<char>('A' + pc)) + " " + mask;
    }
    return text;
  }

 private:
  ControlFlowRequest of(Transfer kind, LaneMask taken, Pc next) {
    ControlFlowRequest request;
    request.set(kind);
    request.mask = stack_.entries(WarpId{0}).back().mask;
    request.taken = taken;
    request.next = next;
    return request;
  }
  simt::SimtStack stack_;
};

TEST(KiloGolden, G7TransactionOnTheStack) {
  Stack stack;
  const LaneMask all = left_to_right("11110011");
  stack.jump(kA, LaneMask::difference(left_to_right("11111111"), all), kAtH, kAtH);
  EXPECT_EQ(stack.text(nullptr), "N H 11111111, N B 11110011");
  const std::string below = "N H 11111111, N B 11110011, ";
  // 1) begin
  stack.enter(all);
  TransactionEntries tx{kB, kF, all, {}};
  EXPECT_EQ(stack.text(&tx), below + "R C 00000000, T C 11110011");
  // 2) branch D: threads 3, 6, 7 to E
  stack.advance(kD);
  stack.jump(kD, LaneMask::difference(all, left_to_right("00010011")), kF, kF);
  EXPECT_EQ(stack.text(&tx), below + "R C 00000000, T F 11110011, N E 00010011");
  // 3) commit; threads 6, 7 fail
  stack.advance(kF);
  tx.attempt = {};
  tx.retry = left_to_right("00000011");
  EXPECT_EQ(stack.text(&tx), below + "R C 00000011, T F 00000000");
  // 4) restart
  stack.leave(all);
  stack.enter(left_to_right("00000011"));
  tx.attempt = left_to_right("00000011");
  tx.retry = {};
  EXPECT_EQ(stack.text(&tx), below + "R C 00000000, T C 00000011");
  // 5) all committed
  stack.advance(kF);
  stack.leave(left_to_right("00000011"));
  stack.advance(kG);
  EXPECT_EQ(stack.text(nullptr), "N H 11111111, N G 11110011");
}

}  // namespace
}  // namespace heddle::tm::testing::tx_stack_test
