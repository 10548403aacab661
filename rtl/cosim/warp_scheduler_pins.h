// A scheduler's pick on the pins of rtl/warp_scheduler: once per core cycle, or in stopped time.
#pragma once

#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/schedule/pick_unit.h"
#include "cosim/pin_driver.h"
#include "cosim/warp_scheduler_codes.h"
#include "sim/twins.h"

namespace heddle::cosim {

/// The latency that the RTL states is the model's.
static_assert(core::cost(core::PickPins{}).answer ==
                  static_cast<unsigned>(rtl::warp_scheduler::Latency::kGrant) &&
              core::cost(core::PickPins{}).interval ==
                  static_cast<unsigned>(rtl::warp_scheduler::Latency::kState));

/// What a policy's show() has besides the last warp.
struct PickShown {
  bool greedy = false;
  bool ages = false;
};

/// `V`: the verilated block, with 64 slots.
template <class V>
class PickRtl final : public core::PickUnit {
 public:
  static constexpr std::uint32_t kSlots = core::PickPins::kMostSlots;

  PickRtl(sim::TwinUse& use, PickShown shown) : driver_(use), use_(use), shown_(shown) {}

  [[nodiscard]] core::PickGrant grant(const core::PickPins& pins, Cycle /*cycle*/) override {
    drive(pins);
    V& block = driver_.pins();
    return {.valid = block.grant_valid_o != 0,
            .slot = block.grant_o,
            .last = static_cast<std::uint32_t>(std::countr_zero(std::uint64_t{block.debug_last_o})),
            .greedy = block.debug_greedy_o != 0};
  }
  void edge(const core::PickPins& pins, Cycle cycle) override {
    drive(pins);
    if (driver_.pins().grant_valid_o != 0) use_.ask("grant");
    if (pins.issued) use_.ask("issue");
    if (pins.assign != 0) use_.ask("assign");
    if (pins.leave != 0) use_.ask("leave");
    if (pins.rotate) use_.ask("rotate");
    driver_.edge();
    if (use_.timing == sim::Timing::kContract)
      use_.step(cycle, pins.issued ? 1 : 0, pins.candidates != 0);
    else
      use_.count(1);
  }
  [[nodiscard]] nlohmann::ordered_json show() const override {
    const V& block = driver_.pins();
    nlohmann::ordered_json json{{"last", std::countr_zero(std::uint64_t{block.debug_last_o})}};
    if (shown_.greedy) json["greedy"] = block.debug_greedy_o != 0;
    if (!shown_.ages) return json;
    // The number of those that are older is the place in the order of age.
    const std::uint64_t there = block.debug_there_o;
    std::vector<std::uint32_t> order(static_cast<std::size_t>(std::popcount(there)));
    for (std::uint64_t rest = there; rest != 0; rest &= rest - 1) {
      const auto slot = static_cast<std::uint32_t>(std::countr_zero(rest));
      const std::uint64_t older =
          std::uint64_t{block.debug_older_o[2 * slot + 1]} << 32 | block.debug_older_o[2 * slot];
      order.at(static_cast<std::size_t>(std::popcount(older & there))) = slot;
    }
    json["oldest_first"] = order;
    return json;
  }

 private:
  void drive(const core::PickPins& pins) {
    V& block = driver_.pins();
    block.assign_i = pins.assign;
    block.leave_i = pins.leave;
    block.rotate_i = pins.rotate;
    block.stalled_i = pins.stalled;
    block.candidates_i = pins.candidates;
    block.issued_valid_i = pins.issued.has_value();
    block.issued_i = pins.issued.value_or(0);
    driver_.settle();
  }
  mutable PinDriver<V> driver_;
  sim::TwinUse& use_;
  PickShown shown_;
};

}  // namespace heddle::cosim
