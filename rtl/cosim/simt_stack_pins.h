// The SIMT stack on the pins of rtl/simt_stack: once per core cycle, or in stopped time.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

#include "cosim/pin_driver.h"
#include "cosim/same_codes.h"
#include "cosim/simt_stack_codes.h"
#include "sim/twins.h"
#include "simt/stack_unit.h"

namespace heddle::cosim {

static_assert(same_codes<simt::StackOp, rtl::simt_stack::Op, rtl::simt_stack::kOpCount>({
    {simt::StackOp::kLaunch, rtl::simt_stack::Op::kLaunch},
    {simt::StackOp::kAdvance, rtl::simt_stack::Op::kAdvance},
    {simt::StackOp::kBranch, rtl::simt_stack::Op::kBranch},
    {simt::StackOp::kCall, rtl::simt_stack::Op::kCall},
    {simt::StackOp::kReturn, rtl::simt_stack::Op::kReturn},
    {simt::StackOp::kExit, rtl::simt_stack::Op::kExit},
    {simt::StackOp::kArrive, rtl::simt_stack::Op::kArrive},
    {simt::StackOp::kRelease, rtl::simt_stack::Op::kRelease},
    {simt::StackOp::kSplit, rtl::simt_stack::Op::kSplit},
    {simt::StackOp::kSide, rtl::simt_stack::Op::kSide},
}));
/// The latency that the RTL states is the model's.
static_assert(simt::cost(simt::StackWork{}).answer ==
              static_cast<unsigned>(rtl::simt_stack::Latency::kAnswer));

/// Room of VSimtStack, as in rtl/simt_stack/simt_stack.cmake.
inline constexpr simt::StackLimits kStackLimits{.depth = 128, .frames = 96};

/// `V`: a verilated point of rtl/simt_stack/simt_stack.cmake, of 64 warps and for 9 requesters, with the room that `limits` says.
template <class V>
class StackRtl final : public simt::StackUnit {
 public:
  StackRtl(sim::TwinUse& use, simt::FirstSide first_side, simt::StackLimits limits = kStackLimits)
      : driver_(use), use_(use), limits_(limits) {
    driver_.pins().first_side_i = static_cast<unsigned>(first_side);
  }

  [[nodiscard]] simt::StackLimits limits() const override { return limits_; }
  [[nodiscard]] simt::StackAnswer answer() const override {
    const V& block = driver_.pins();
    return {.valid = block.answer_valid_o != 0,
            .warp = simt::WarpId{block.answer_warp_o},
            .error = static_cast<simt::StackAnswer::Error>(block.answer_error_o),
            .depth = block.answer_depth_o,
            .top = {simt::Pc{block.answer_pc_o}, simt::Pc{block.answer_rpc_o},
                    simt::LaneMask(block.answer_mask_o), block.answer_frame_o},
            .at_barrier = block.answer_barrier_o != 0,
            .diverged = block.answer_diverged_o != 0,
            .reconverged = block.answer_reconverged_o != 0};
  }
  [[nodiscard]] std::optional<std::uint32_t> grant(const simt::StackPins& pins,
                                                   simt::Cycle /*cycle*/) override {
    drive(pins);
    const std::uint32_t ready = driver_.pins().req_ready_o;
    if (ready == 0) return std::nullopt;
    return static_cast<std::uint32_t>(std::countr_zero(ready));
  }
  void edge(const simt::StackPins& pins, simt::Cycle cycle) override {
    const auto served = grant(pins, cycle);
    if (served && pins.requests[*served]) {
      ++under_way_;
      use_.ask(rtl::simt_stack::kOpNames[static_cast<unsigned>(pins.requests[*served]->op)]);
    }
    const bool busy = under_way_ != 0;
    driver_.edge();
    const bool answers = driver_.pins().answer_valid_o != 0;
    if (answers && under_way_ != 0) --under_way_;
    if (use_.timing == sim::Timing::kContract) use_.step(cycle, answers ? 1 : 0, busy);
  }
  [[nodiscard]] simt::StackContents read(simt::WarpId warp) const override {
    simt::StackContents stack;
    V& block = driver_.pins();  // the read-out's inputs change nothing
    block.debug_warp_i = warp.value();
    std::uint32_t position = 0, frame = 0;
    for (;; ++position) {
      block.debug_position_i = position;
      block.debug_frame_i = frame;
      driver_.settle();
      if (position >= block.debug_depth_o) return stack;
      stack.at_barrier = block.debug_barrier_o != 0;
      stack.entries.push_back({simt::Pc{block.debug_pc_o}, simt::Pc{block.debug_rpc_o},
                               simt::LaneMask(block.debug_mask_o), frame});
      frame += block.debug_caller_o;
    }
  }

 private:
  static constexpr unsigned kOpBits = 4, kWarpBits = 6;
  void drive(const simt::StackPins& pins) {
    V& block = driver_.pins();
    std::uint32_t valid = 0;
    std::uint64_t ops = 0, warps = 0;
    for (std::uint32_t r = 0; r < pins.requests.size(); ++r) {
      const auto& request = pins.requests[r];
      if (!request) continue;
      valid |= 1u << r;
      ops |= std::uint64_t{static_cast<unsigned>(request->op)} << (r * kOpBits);
      warps |= std::uint64_t{request->warp.value()} << (r * kWarpBits);
      block.req_lanes_i[r] = request->lanes.bits();
      block.req_target_i[r] = request->target.value();
      block.req_next_i[r] = request->next.value();
      block.req_rpc_i[r] = request->rpc.value();
    }
    block.req_valid_i = static_cast<decltype(block.req_valid_i + 0)>(valid);
    block.req_op_i = ops;
    block.req_warp_i = warps;
    driver_.settle();
  }
  mutable PinDriver<V> driver_;
  sim::TwinUse& use_;
  simt::StackLimits limits_;
  unsigned under_way_ = 0;  ///< requests without an answer yet
};

}  // namespace heddle::cosim
