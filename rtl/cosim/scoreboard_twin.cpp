#include "VScoreboard64.h"
#include "VScoreboard64Masks.h"
#include "VScoreboard8.h"
#include "VScoreboard8Masks.h"
// verilated headers first: pin_driver.h
#include <fmt/format.h>

#include "core/issue/scoreboard.h"
#include "cosim/pin_driver.h"
#include "cosim/same_codes.h"
#include "cosim/scoreboard_pins.h"
#include "cosim/twins.h"

namespace heddle::cosim::scoreboard_twin {
namespace {

using core::Hazard;
using RtlHazard = rtl::scoreboard::Hazard;
static_assert(same_codes<Hazard, RtlHazard, rtl::scoreboard::kHazardCount>({
    {Hazard::kNone, RtlHazard::kNone},
    {Hazard::kAlu, RtlHazard::kAlu},
    {Hazard::kMemory, RtlHazard::kMemory},
    {Hazard::kFull, RtlHazard::kFull},
}));

using core::ScoreboardKind;
using core::ScoreboardRequest;

template <class V>
class ScoreboardTwin final : public sim::Twin<ScoreboardRequest> {
 public:
  ScoreboardTwin(sim::TwinUse& use, std::uint32_t entries) : driver_(use), use_(use), entries_(entries) {}

  void serve(ScoreboardRequest& request) override {
    unsigned clocks = 0;
    for_each_part(request, [&](ScoreboardPart& part) {
      clocks += exchange(part);
      if (request.op == ScoreboardRequest::Op::kCheck) request.hazard = part.hazard;
    });
    use_.count(clocks);
  }
  void inspect(ScoreboardRequest& request) override {
    ScoreboardPart read{.op = ScoreboardPart::Op::kRead, .warp = request.warp};
    for (read.slot = 0; read.slot < entries_; ++read.slot) {
      exchange(read);
      if (read.taken) request.pending->push_back(read.entry);
    }
    std::sort(request.pending->begin(), request.pending->end(),
              [](const auto& left, const auto& right) { return left.reg < right.reg; });
  }

 private:
  unsigned exchange(ScoreboardPart& part) {
    ScoreboardPins::drive(driver_.pins(), part);
    const unsigned clocks = driver_.transact();
    ScoreboardPins::answer(driver_.pins(), part);
    return clocks;
  }
  PinDriver<V> driver_;
  sim::TwinUse& use_;
  std::uint32_t entries_;
};

using Made = std::unique_ptr<sim::Twin<ScoreboardRequest>>;
template <class V>
Made make(sim::TwinUse& use, std::uint32_t entries) {
  return std::make_unique<ScoreboardTwin<V>>(use, entries);
}

/// The parameter points of rtl/scoreboard/scoreboard.cmake.
struct Point {
  std::uint32_t entries;
  ScoreboardKind kind;
  Made (*make)(sim::TwinUse&, std::uint32_t);
};
constexpr Point kPoints[] = {{8, ScoreboardKind::kPerWarp, make<VScoreboard8>},
                             {8, ScoreboardKind::kPerThreadMask, make<VScoreboard8Masks>},
                             {64, ScoreboardKind::kPerWarp, make<VScoreboard64>},
                             {64, ScoreboardKind::kPerThreadMask, make<VScoreboard64Masks>}};

}  // namespace

void provide(sim::Twins& twins) {
  twins.provide<core::ScoreboardBlock>([](const core::ScoreboardBlock::Shape& shape, sim::TwinUse& use) {
    check_warps("scoreboard", use.path, shape.warps);
    std::string built;
    for (const Point& point : kPoints) {
      if (point.kind != shape.config.kind) continue;
      if (point.entries == shape.config.entries_per_warp) return point.make(use, point.entries);
      built += fmt::format("{}{}", built.empty() ? "" : " and ", point.entries);
    }
    throw base::InputError(
        use.path,
        fmt::format("the RTL of scoreboard is built for {} entries of a warp, this core has {}", built,
                    shape.config.entries_per_warp),
        "Use impl: model, or build rtl/scoreboard/scoreboard.cmake with that number too (and list it in "
        "rtl/cosim/scoreboard_twin.cpp).");
  });
}

}  // namespace heddle::cosim::scoreboard_twin
