// The branch unit of AWARE on the pins of rtl/split_unit, once per core cycle.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include "cosim/pin_driver.h"
#include "cosim/same_codes.h"
#include "cosim/split_unit_codes.h"
#include "sim/twins.h"
#include "simt/split_unit.h"
#include "simt/split_work.h"

namespace heddle::cosim {

static_assert(same_codes<simt::SplitOp, rtl::split_unit::Op, rtl::split_unit::kOpCount>({
    {simt::SplitOp::kLaunch, rtl::split_unit::Op::kLaunch},
    {simt::SplitOp::kAdvance, rtl::split_unit::Op::kAdvance},
    {simt::SplitOp::kJump, rtl::split_unit::Op::kJump},
    {simt::SplitOp::kCall, rtl::split_unit::Op::kCall},
    {simt::SplitOp::kReturn, rtl::split_unit::Op::kReturn},
    {simt::SplitOp::kExit, rtl::split_unit::Op::kExit},
    {simt::SplitOp::kArrive, rtl::split_unit::Op::kArrive},
    {simt::SplitOp::kRelease, rtl::split_unit::Op::kRelease},
}));
/// The latency that the RTL states is the model's.
static_assert(simt::cost(simt::SplitWork{}).answer ==
              static_cast<unsigned>(rtl::split_unit::Latency::kAnswer));

/// Nested calls of VSplitUnit, as in rtl/split_unit/split_unit.cmake.
inline constexpr std::uint32_t kSplitFrames = 96;

/// `V`: a verilated point of rtl/split_unit/split_unit.cmake, of 64 warps and 32 lanes, for 9 requesters.
template <class V>
class SplitUnitRtl final : public simt::SplitUnit {
 public:
  SplitUnitRtl(sim::TwinUse& use, bool rotates) : driver_(use), use_(use) {
    driver_.pins().rotate_i = rotates ? 1 : 0;
  }

  [[nodiscard]] std::uint32_t frames() const override { return kSplitFrames; }
  [[nodiscard]] std::optional<simt::SplitAnswer> answer() const override {
    const V& block = driver_.pins();
    if (block.answer_valid_o == 0) return std::nullopt;
    simt::SplitAnswer answer{.warp = simt::WarpId{block.answer_warp_o},
                             .state = static_cast<simt::SplitAnswer::State>(block.answer_state_o)};
    if (answer.state == simt::SplitAnswer::State::kEnded) return answer;
    answer.split = simt::SplitId{block.answer_split_o};
    if (answer.state != simt::SplitAnswer::State::kRuns) return answer;
    answer.pc = simt::Pc{block.answer_pc_o};
    answer.watch = simt::Pc{block.answer_watch_o};
    answer.mask = simt::LaneMask(block.answer_mask_o);
    return answer;
  }
  [[nodiscard]] std::optional<std::uint32_t> grant(const simt::SplitPins& pins) override {
    drive(pins);
    const std::uint32_t ready = driver_.pins().req_ready_o;
    if (ready == 0) return std::nullopt;
    return static_cast<std::uint32_t>(std::countr_zero(ready));
  }
  void edge(const simt::SplitPins& pins, simt::Cycle cycle) override {
    const auto served = grant(pins);
    if (driver_.pins().side_ready_o != 0) ++side_;
    if (served) ++under_way_;
    const bool busy = under_way_ != 0;
    driver_.edge();
    if (served) {
      use_.ask(rtl::split_unit::kOpNames[static_cast<unsigned>(pins.events[*served]->op)]);
      sides_ = pins.events[*served]->sides;
      side_ = 0;
    }
    const bool answers = driver_.pins().answer_valid_o != 0;
    if (answers && under_way_ != 0) --under_way_;
    use_.step(cycle, answers ? 1 : 0, busy);
  }
  [[nodiscard]] simt::SplitContents read(simt::WarpId warp) const override {
    simt::SplitContents contents;
    V& block = driver_.pins();  // the read-out's inputs change nothing
    block.debug_warp_i = warp.value();
    for (std::uint32_t position = 0;; ++position) {
      show(position);
      if (position >= block.debug_count_o) break;
      const std::uint8_t id = block.debug_queued_o;
      show(id);
      const Bits bits(block.debug_split_o);
      contents.queue.push_back({simt::SplitId{id}, block.debug_blocked_o != 0, split_of(bits)});
    }
    for (std::uint8_t id = 0; id < simt::kTableEntries && !contents.queue.empty(); ++id) {
      show(id);
      if (block.debug_used_o == 0) continue;
      const Bits bits(block.debug_point_o);
      const simt::Split all = split_of(bits);
      contents.points.push_back({simt::ReconvergenceId{id},
                                 {.pc = all.pc,
                                  .frame = all.frame,
                                  .kind = {},
                                  .rpc = all.rpc,
                                  .rec = all.mask,
                                  .pend = simt::LaneMask(bits.at(kSplitBits, simt::kTableEntries))}});
    }
    return contents;
  }

 private:
  static constexpr unsigned kOpBits = 3, kWarpBits = 6, kIdBits = 5, kPcBits = 32, kFrameBits = 7;
  static constexpr unsigned kSplitBits = 2 * kPcBits + 2 * kFrameBits + kIdBits + 2 + simt::kTableEntries;

  /// Of a wide pin.
  class Bits {
   public:
    template <class Wide>
    explicit Bits(const Wide& wide) : words_(&wide[0]) {}
    [[nodiscard]] std::uint32_t at(unsigned from, unsigned count) const {
      std::uint32_t value = 0;
      for (unsigned i = 0; i < count; ++i) value |= (words_[(from + i) / 32] >> (from + i) % 32 & 1u) << i;
      return value;
    }

   private:
    const EData* words_;
  };
  /// The fields of split_t, the last one in the lowest bits.
  static simt::Split split_of(const Bits& bits) {
    unsigned from = 0;
    const auto take = [&](unsigned count) { return bits.at(std::exchange(from, from + count), count); };
    simt::Split split;
    simt::MeetingPoint rpc;
    rpc.frame = take(kFrameBits);
    rpc.pc = simt::Pc{take(kPcBits)};
    rpc.index = simt::ReconvergenceId{static_cast<std::uint8_t>(take(kIdBits))};
    rpc.kind = static_cast<simt::MeetingPoint::Kind>(take(1));
    if (take(1) != 0) split.rpc = rpc;
    split.mask = simt::LaneMask(take(simt::kTableEntries));
    split.frame = take(kFrameBits);
    split.pc = simt::Pc{take(kPcBits)};
    return split;
  }
  void show(std::uint32_t index) const {
    driver_.pins().debug_index_i = index % simt::kTableEntries;
    driver_.settle();
  }
  void drive(const simt::SplitPins& pins) {
    V& block = driver_.pins();
    std::uint32_t valid = 0, ops = 0;
    std::uint64_t warps = 0, splits = 0;
    for (std::uint32_t r = 0; r < pins.events.size(); ++r) {
      const simt::SplitEvent* const event = pins.events[r];
      if (event == nullptr) continue;
      valid |= 1u << r;
      ops |= static_cast<unsigned>(event->op) << (r * kOpBits);
      warps |= std::uint64_t{event->warp.value()} << (r * kWarpBits);
      splits |= std::uint64_t{event->split.value() % simt::kTableEntries} << (r * kIdBits);
      block.req_lanes_i[r] = event->lanes.bits();
      block.req_next_i[r] = event->next.value();
      block.req_rpc_i[r] = event->rpc.value();
    }
    block.req_valid_i = static_cast<decltype(block.req_valid_i + 0)>(valid);
    block.req_op_i = ops;
    block.req_warp_i = warps;
    block.req_split_i = splits;
    const bool there = side_ < sides_.count();
    block.side_lanes_i = there ? sides_.begin()[side_].lanes.bits() : 0;
    block.side_pc_i = there ? sides_.begin()[side_].pc.value() : 0;
    block.side_last_i = side_ + 1 >= sides_.count() ? 1 : 0;
    driver_.settle();
  }
  mutable PinDriver<V> driver_;
  sim::TwinUse& use_;
  simt::Sides sides_;       ///< of the event that was served last
  unsigned side_ = 0;       ///< of these, on the pins
  unsigned under_way_ = 0;  ///< events without an answer yet
};

}  // namespace heddle::cosim
