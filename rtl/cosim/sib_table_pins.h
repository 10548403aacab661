// The SIB table on the pins of rtl/sib_table: once per core cycle, or in stopped time.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "cosim/pin_driver.h"
#include "cosim/sib_table_codes.h"
#include "sim/twins.h"
#include "spin/sib_unit.h"

namespace heddle::cosim {

/// The latency that the RTL states is the model's.
static_assert(spin::cost({}).answer == static_cast<unsigned>(rtl::sib_table::Latency::kAnswer) &&
              spin::cost({}).interval == 1);

/// `V`: a verilated point of rtl/sib_table/sib_table.cmake, with `slots` entries for 8 schedulers.
template <class V, std::uint32_t slots>
class SibTableRtl final : public spin::SibUnit {
 public:
  explicit SibTableRtl(sim::TwinUse& use) : driver_(use), use_(use) {}

  [[nodiscard]] spin::SibAnswer answer() const override {
    const V& block = driver_.pins();
    return {.valid = block.answer_valid_o != 0,
            .requester = block.answer_requester_o,
            .predicted = block.answer_predicted_o != 0,
            .confirmed = block.answer_confirmed_o != 0,
            .full = block.answer_full_o != 0};
  }
  [[nodiscard]] std::optional<std::uint32_t> grant(const spin::SibPins& pins,
                                                   spin::Cycle /*cycle*/) override {
    drive(pins);
    const std::uint32_t ready = driver_.pins().look_ready_o;
    if (ready == 0) return std::nullopt;
    return static_cast<std::uint32_t>(std::countr_zero(ready));
  }
  void edge(const spin::SibPins& pins, spin::Cycle cycle) override {
    const auto served = grant(pins, cycle);
    if (served) use_.ask(pins.looks[*served].spinning ? "look_spinning" : "look");
    if (pins.flush) use_.ask("flush");
    driver_.edge();
    if (use_.timing == sim::Timing::kContract)
      use_.step(cycle, driver_.pins().answer_valid_o != 0 ? 1 : 0, served.has_value());
    else
      use_.count(1);
  }
  [[nodiscard]] std::uint32_t entries() const override { return driver_.pins().debug_count_o; }
  [[nodiscard]] spin::SibEntry entry(std::uint32_t slot) const override {
    if (slot >= slots) return {};
    V& block = driver_.pins();  // the read-out's input changes nothing
    block.debug_slot_i = slot;
    driver_.settle();
    if (block.debug_valid_o == 0) return {};
    const bool predicted = block.debug_predicted_o != 0;
    return {true, base::Pc{block.debug_pc_o}, predicted ? 0 : std::uint32_t{block.debug_confidence_o},
            predicted};
  }

 private:
  void drive(const spin::SibPins& pins) {
    V& block = driver_.pins();
    std::uint32_t valid = 0, spinning = 0;
    for (std::uint32_t r = 0; r < pins.looks.size(); ++r) {
      valid |= std::uint32_t{pins.looks[r].valid} << r;
      spinning |= std::uint32_t{pins.looks[r].spinning} << r;
      block.look_pc_i[r] = pins.looks[r].pc.value();
    }
    block.look_valid_i = static_cast<decltype(block.look_valid_i + 0)>(valid);
    block.look_spinning_i = static_cast<decltype(block.look_spinning_i + 0)>(spinning);
    block.flush_i = pins.flush;
    driver_.settle();
  }
  mutable PinDriver<V> driver_;
  sim::TwinUse& use_;
};

/// RTL in the place of a table that answers at once: the unit is clocked at each look-up, the first requester's.
class SteppedSibTable final : public sim::Twin<spin::SibRequest> {
 public:
  explicit SteppedSibTable(std::unique_ptr<spin::SibUnit> unit) : unit_(std::move(unit)) {}
  void serve(spin::SibRequest& request) override {
    using Asked = spin::SibRequest::Op;
    spin::SibPins pins;
    switch (request.op) {
      case Asked::kLookUp: {
        pins.looks[0] = {.valid = true, .pc = request.pc, .spinning = request.spinning};
        unit_->edge(pins, 0);
        const spin::SibAnswer answer = unit_->answer();
        if (!answer.valid) throw std::logic_error("sib_table: the RTL does not answer in the next clock");
        request.predicted = answer.predicted;
        request.confirmed = answer.confirmed;
        request.full = answer.full;
        request.entries = unit_->entries();
        break;
      }
      case Asked::kFlush:
        pins.flush = true;
        unit_->edge(pins, 0);
        request.entries = unit_->entries();
        break;
      case Asked::kRead:
        inspect(request);
        break;
      case Asked::kPost:
      case Asked::kStep:
      case Asked::kForget:
        throw std::logic_error("sib_table: a request of timing: contract");
    }
  }
  void inspect(spin::SibRequest& request) override {
    request.entry = unit_->entry(request.slot);
    request.entries = unit_->entries();
  }

 private:
  std::unique_ptr<spin::SibUnit> unit_;
};

}  // namespace heddle::cosim
