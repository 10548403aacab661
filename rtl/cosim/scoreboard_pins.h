// The scoreboard of a scheduler on the pins of rtl/scoreboard: once per core cycle, or in stopped time.
#pragma once

#include <cstdint>
#include <vector>

#include "core/issue/scoreboard_unit.h"
#include "cosim/pin_driver.h"
#include "cosim/scoreboard_codes.h"
#include "sim/twins.h"

namespace heddle::cosim {

/// The latency that the RTL states is the model's.
static_assert(core::cost(1, 1).answer == static_cast<unsigned>(rtl::scoreboard::Latency::kLook) &&
              core::cost(1, 1).interval == core::cost(1, 1).answer);

/// A field of a port, as one word or as several of 32 bits. `width` at most 32.
template <class Port>
void put_field(Port& port, unsigned offset, unsigned width, std::uint64_t value) {
  if constexpr (requires { port[0]; }) {
    for (unsigned i = 0; i < width; ++i) {
      const unsigned at = offset + i;
      const std::uint32_t bit = 1u << (at % 32);
      port[at / 32] = (value >> i & 1u) != 0 ? port[at / 32] | bit : port[at / 32] & ~bit;
    }
  } else {
    const std::uint64_t mask = ((std::uint64_t{1} << width) - 1) << offset;
    port = static_cast<Port>((std::uint64_t{port} & ~mask) | (value << offset & mask));
  }
}
template <class Port>
[[nodiscard]] std::uint32_t field_of(const Port& port, unsigned offset, unsigned width) {
  std::uint64_t value = 0;
  if constexpr (requires { port[0]; }) {
    for (unsigned i = 0; i < width; ++i)
      value |= std::uint64_t{port[(offset + i) / 32] >> ((offset + i) % 32) & 1u} << i;
  } else {
    value = std::uint64_t{port} >> offset;
  }
  return static_cast<std::uint32_t>(value & ((std::uint64_t{1} << width) - 1));
}

/// `V`: a verilated point of rtl/scoreboard/scoreboard.cmake, with `groups` of each warp.
template <class V, unsigned groups>
class ScoreboardRtl final : public core::ScoreboardUnit {
 public:
  static constexpr unsigned kReadPorts = 6, kWritePorts = 3, kEntries = 8;  ///< of the verilated points

  explicit ScoreboardRtl(sim::TwinUse& use) : driver_(use), use_(use) {}

  [[nodiscard]] core::ScoreboardHeads heads() const override {
    const V& block = driver_.pins();
    return {.looked = block.looked_o, .ready = block.ready_o, .memory = block.memory_o, .alu = block.alu_o};
  }
  [[nodiscard]] core::ScoreboardGrants grants(const core::ScoreboardPins& pins, Cycle /*cycle*/) override {
    drive(pins);
    const V& block = driver_.pins();
    core::ScoreboardGrants grants;
    if (block.look_grant_valid_o != 0) grants.look = block.look_grant_o;
    for (unsigned i = 0; i < core::ScoreboardPins::kSources; ++i)
      if ((block.release_ready_o >> i & 1u) != 0) grants.release = i;
    return grants;
  }
  void edge(const core::ScoreboardPins& pins, Cycle cycle) override {
    drive(pins);
    const bool answers =
        pins.look.valid || pins.issued || pins.reserve.valid || driver_.pins().release_ready_o != 0;
    if (pins.look.valid) use_.ask("look");
    if (pins.issued) use_.ask("issue");
    if (pins.reserve.valid) use_.ask("reserve");
    if (driver_.pins().release_ready_o != 0) use_.ask("release");
    driver_.edge();
    if (use_.timing == sim::Timing::kContract) use_.step(cycle, answers ? 1 : 0, answers);
  }
  [[nodiscard]] std::vector<core::PendingEntry> entries_of(std::uint32_t warp) {
    V& block = driver_.pins();
    block.debug_warp_i = warp;
    driver_.settle();
    std::vector<core::PendingEntry> set(kEntries);
    for (unsigned e = 0; e < kEntries; ++e)
      if (field_of(block.debug_valid_o, e, 1) != 0)
        set[e] = {static_cast<isa::RegId>(field_of(block.debug_reg_o, 16 * e, 16)),
                  field_of(block.debug_memory_o, e, 1) != 0,
                  base::LaneMask(field_of(block.debug_lanes_o, 32 * e, 32))};
    return set;
  }
  [[nodiscard]] std::vector<core::PendingEntry> entries(std::uint32_t warp) const override {
    return const_cast<ScoreboardRtl*>(this)->entries_of(warp);  // the read-out's input changes nothing
  }

 private:
  static constexpr unsigned kWarpW = groups == 1 ? 5 : 4;
  static_assert(groups == 1 || groups == 4);

  static std::uint32_t used(const std::array<isa::RegId, core::ScoreboardPins::kMostPorts>& registers) {
    std::uint32_t set = 0;
    for (unsigned p = 0; p < registers.size(); ++p) set |= std::uint32_t{registers[p] != isa::kNoReg} << p;
    return set;
  }
  template <class Port>
  static void put_registers(Port& port, unsigned offset, unsigned count,
                            const std::array<isa::RegId, core::ScoreboardPins::kMostPorts>& registers) {
    for (unsigned p = 0; p < count; ++p) put_field(port, offset + 16 * p, 16, registers[p]);
  }
  void drive(const core::ScoreboardPins& pins) {
    V& block = driver_.pins();
    block.head_i = static_cast<decltype(block.head_i + 0)>(pins.heads);
    block.drop_i = static_cast<decltype(block.drop_i + 0)>(pins.drop);
    block.clear_i = static_cast<decltype(block.clear_i + 0)>(pins.clear);
    block.look_valid_i = pins.look.valid;
    block.look_first_i = pins.first;
    block.look_last_i = pins.last;
    block.look_lanes_i = pins.look.lanes.bits();
    block.look_used_i = used(pins.look.registers);
    block.look_write_i = pins.look.written;
    put_registers(block.look_reg_i, 0, kReadPorts, pins.look.registers);
    block.issue_valid_i = pins.issued.has_value();
    block.issue_i = pins.issued.value_or(0);
    block.next_valid_i = pins.next.valid;
    block.next_lanes_i = pins.next.lanes.bits();
    block.next_used_i = used(pins.next.registers);
    block.next_write_i = pins.next.written;
    put_registers(block.next_reg_i, 0, kReadPorts, pins.next.registers);
    block.reserve_valid_i = pins.reserve.valid;
    block.reserve_warp_i = pins.reserve.warp;
    block.reserve_lanes_i = pins.reserve.lanes.bits();
    block.reserve_memory_i = pins.memory;
    block.reserve_used_i = used(pins.reserve.registers);
    put_registers(block.reserve_reg_i, 0, kWritePorts, pins.reserve.registers);
    for (unsigned i = 0; i < core::ScoreboardPins::kSources; ++i) {
      const core::ScoreboardPins::Write& release = pins.release[i];
      put_field(block.release_valid_i, i, 1, release.valid);
      put_field(block.release_warp_i, i * kWarpW, kWarpW, release.warp);
      put_field(block.release_lanes_i, i * 32, 32, release.lanes.bits());
      put_field(block.release_used_i, i * kWritePorts, kWritePorts, used(release.registers));
      put_registers(block.release_reg_i, i * kWritePorts * 16, kWritePorts, release.registers);
    }
    driver_.settle();
  }
  PinDriver<V> driver_;
  sim::TwinUse& use_;
};

}  // namespace heddle::cosim
