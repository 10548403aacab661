// Random traffic on the pins of the pick among warps.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/schedule/pick_model.h"
#include "cosim/coverage.h"

namespace heddle::cosim {

/// Random pins, and what they must have met.
class PickTraffic {
 public:
  using Pins = core::PickPins;

  explicit PickTraffic(bool gto) : gto_(gto) {
    std::vector<std::string> events{"pick from none",      "pick the only one", "pick from all",
                                    "the highest slot",    "wrap around",       "pick the last again",
                                    "grant is not issued", "another issues",    "nothing at all"};
    if (gto)
      for (const char* event : {"greedy although older ones are there",
                                "the oldest, which is not the lowest",
                                "stalled in time",
                                "of no known age",
                                "an age before none",
                                "assign the greedy one",
                                "assign who issues",
                                "assign again",
                                "assign several",
                                "leave of the greedy one",
                                "greedy without an age",
                                "leave without an age",
                                "leave and assign at once",
                                "rotate none",
                                "rotate one",
                                "rotate many",
                                "rotate who leaves",
                                "rotate and assign",
                                "rotate and issue",
                                "all slots there"})
        events.emplace_back(event);
    coverage_.emplace(events);
  }

  /// `stall`: of 256 cycles in which a grant is not taken.
  Pins operator()(core::PickModel& model, std::mt19937& random, unsigned stall) {
    std::uint64_t aged = 0;
    for (const std::uint32_t slot : model.by_age()) aged |= std::uint64_t{1} << slot;
    const std::uint64_t last = std::uint64_t{1} << model.last();
    const auto any_slot = [&] {
      return std::uint64_t{1} << (random() % 8 == 0 ? model.last() : random() % 64);
    };
    const bool many = step_++ / 2048 % 2 == 0;  // alternately many and few warps
    Pins pins;
    if (random() % 8 == 0) return pins;
    if (random() % (many ? 4 : 16) == 0)
      for (unsigned i = 1 + random() % 4; i != 0; --i) pins.assign |= any_slot();
    if (random() % (many ? 64 : 4) == 0) pins.leave = any_slot() | (any_slot() & aged);
    if (!many && random() % 32 == 0) pins.leave = ~std::uint64_t{0};
    if (random() % 32 == 0) pins.leave |= pins.assign;
    pins.rotate = random() % 16 == 0;
    pins.stalled = random() % 16 == 0;
    if (random() % 8 != 0) pins.candidates = candidates(aged, last, random);
    const core::PickGrant grant = model.grant(pins, 0);
    if (grant.valid && random() % 256 >= stall)
      pins.issued = grant.slot;
    else if (random() % 4 == 0)
      pins.issued = random() % 64;  // a grant of an earlier cycle
    cover(pins, grant, model, aged);
    return pins;
  }
  [[nodiscard]] const Coverage& coverage() const { return *coverage_; }

 private:
  static std::uint64_t candidates(std::uint64_t aged, std::uint64_t last, std::mt19937& random) {
    const std::uint64_t any = std::uint64_t{random()} << 32 | random();
    const std::uint64_t some = any & (std::uint64_t{random()} << 32 | random());
    switch (random() % 16) {
      case 0:
        return ~std::uint64_t{0};
      case 1:
      case 2:
        return std::uint64_t{1} << (random() % 64);
      case 3:
        return last;
      case 4:
        return some & ~aged;
      case 5:
        return any & (last | (last - 1));
      case 6:
      case 7:
        return aged | last;
      case 8:
      case 9:
        return (any & aged) | last;
      case 10:
        return some;
      default:
        return any & aged & ~last;
    }
  }

  void cover(const Pins& pins, const core::PickGrant& grant, const core::PickModel& model,
             std::uint64_t aged) {
    const auto hit = [this](const char* event, bool happened = true) { coverage_->hit(event, happened); };
    const std::uint64_t last = std::uint64_t{1} << model.last();
    const std::uint64_t candidates = pins.candidates;
    hit("nothing at all", (pins.assign | pins.leave | candidates) == 0 && !pins.issued);
    hit("pick from none", candidates == 0 && pins.assign != 0);
    hit("grant is not issued", grant.valid && !pins.issued);
    hit("another issues", pins.issued && (!grant.valid || *pins.issued != grant.slot));
    hit("pick the only one", std::has_single_bit(candidates) && candidates != last);
    hit("pick from all", ~candidates == 0);
    const std::uint64_t behind = candidates & ~(last | (last - 1));
    hit("wrap around", candidates != 0 && behind == 0);
    hit("the highest slot", grant.valid && grant.slot == 63);
    hit("pick the last again", grant.valid && grant.slot == model.last());
    if (!gto_) return;
    const auto& order = model.by_age();
    hit("assign the greedy one", (pins.assign & last) != 0 && model.greedy() && !pins.issued);
    hit("assign who issues", pins.issued && (pins.assign >> *pins.issued & 1) != 0);
    hit("assign again", (aged & pins.assign) != 0);
    hit("assign several", std::popcount(pins.assign) > 2);
    hit("leave of the greedy one", (pins.leave & last & aged) != 0 && model.greedy());
    hit("leave without an age", (pins.leave & ~aged) != 0);
    hit("leave and assign at once", (pins.leave & pins.assign & aged) != 0);
    hit("all slots there", std::popcount(aged | pins.assign) == 64);
    if (pins.rotate) {
      hit(order.empty() ? "rotate none" : order.size() == 1 ? "rotate one" : "rotate many");
      hit("rotate who leaves", !order.empty() && (pins.leave >> order.front() & 1) != 0);
      hit("rotate and assign", !order.empty() && pins.assign != 0);
      hit("rotate and issue", pins.issued.has_value());
    }
    if (candidates == 0) return;
    std::uint32_t oldest = 64;
    for (const std::uint32_t slot : order)
      if (oldest == 64 && (candidates >> slot & 1) != 0) oldest = slot;
    const bool could = model.greedy() && (candidates & last) != 0;
    const bool goes_on = could && !pins.stalled;
    hit("stalled in time", could && pins.stalled && oldest != 64 && oldest != model.last());
    hit("greedy although older ones are there", goes_on && oldest != 64 && oldest != model.last());
    hit("greedy without an age", goes_on && (aged & last) == 0);
    if (goes_on) return;
    hit("of no known age", oldest == 64);
    hit("the oldest, which is not the lowest",
        oldest != 64 && (candidates & aged & ((std::uint64_t{1} << oldest) - 1)) != 0);
    hit("an age before none", oldest != 64 && (candidates & ~aged & ((std::uint64_t{1} << oldest) - 1)) != 0);
  }

  bool gto_;
  unsigned step_ = 0;
  std::optional<Coverage> coverage_;
};

}  // namespace heddle::cosim
