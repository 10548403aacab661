#include "VScoreboard.h"
#include "VScoreboardGroups.h"
#include "VScoreboardMasks.h"
#include "VScoreboardMasksGroups.h"
// verilated headers first: pin_driver.h
#include <fmt/format.h>

#include <algorithm>

#include "core/issue/scoreboard.h"
#include "cosim/scoreboard_pins.h"
#include "cosim/twins.h"

namespace heddle::cosim::scoreboard_twin {
namespace {

constexpr std::uint32_t kReadPorts = 6, kWritePorts = 3, kEntries = 8;  ///< of all points
constexpr std::uint32_t kWarpsOfUnit = 32;                              ///< with one issue group of a warp

using core::Hazard;
using core::ScoreboardKind;
using core::ScoreboardPins;
using core::ScoreboardRequest;

/// RTL in the place of a scoreboard that answers at once: the unit is clocked at each request. A warp has one slot, whose head is
/// looked up anew by each check.
class SteppedScoreboard final : public sim::Twin<ScoreboardRequest> {
 public:
  SteppedScoreboard(std::vector<std::unique_ptr<core::ScoreboardUnit>> units, sim::TwinUse& use)
      : units_(std::move(units)), use_(use) {}

  void serve(ScoreboardRequest& request) override {
    clocks_ = 0;
    unit_ = units_.at(request.warp.value() / kWarpsOfUnit).get();
    using Op = ScoreboardRequest::Op;
    switch (request.op) {
      case Op::kCheck:
        request.hazard = check(request);
        break;
      case Op::kReserve:
      case Op::kRelease:
        write(request);
        break;
      case Op::kClear:
        clock({.clear = std::uint64_t{1} << slot_of(request)});
        break;
      default:
        throw std::logic_error("scoreboard: a request of control codes, of ports or of a clocked block");
    }
    use_.count(clocks_);
  }
  void inspect(ScoreboardRequest& request) override {
    for (const core::PendingEntry& entry :
         units_.at(request.warp.value() / kWarpsOfUnit)->entries(slot_of(request)))
      if (entry.reg != isa::kNoReg) request.pending->push_back({entry.reg, entry.lanes});
    std::ranges::sort(*request.pending, {}, &core::PendingRegister::reg);
  }

 private:
  static std::uint32_t slot_of(const ScoreboardRequest& request) {
    return request.warp.value() % kWarpsOfUnit;
  }
  void clock(const ScoreboardPins& pins) {
    unit_->edge(pins, 0);
    ++clocks_;
  }
  Hazard check(const ScoreboardRequest& request) {
    const std::uint32_t slot = slot_of(request);
    ScoreboardPins::Look look;
    const std::uint32_t parts = core::look_part(*request.instruction, request.mask, 0, kReadPorts, look);
    if (parts == 1) {
      clock({.issued = slot, .next = look});
    } else {
      clock({.drop = std::uint64_t{1} << slot});
      for (std::uint32_t i = 0; i < parts; ++i) {
        core::look_part(*request.instruction, request.mask, i, kReadPorts, look);
        clock({.heads = std::uint64_t{1} << slot, .look = look, .first = i == 0, .last = i + 1 == parts});
      }
    }
    const core::ScoreboardHeads heads = unit_->heads();
    const auto of = [slot](std::uint64_t set) { return (set >> slot & 1u) != 0; };
    if (of(heads.ready)) return Hazard::kNone;
    if (of(heads.memory)) return Hazard::kMemory;
    return of(heads.alu) ? Hazard::kAlu : Hazard::kFull;
  }
  void write(const ScoreboardRequest& request) {
    for (std::uint32_t i = 0, parts = 1; i < parts; ++i) {
      ScoreboardPins::Write part{.valid = true, .warp = slot_of(request), .lanes = request.mask};
      parts = core::write_part(*request.instruction, i, kWritePorts, part);
      ScoreboardPins pins;
      if (request.op == ScoreboardRequest::Op::kReserve) {
        pins.reserve = part;
        pins.memory = core::by_memory(*request.instruction);
      } else {
        pins.release[0] = part;
      }
      clock(pins);
    }
  }
  std::vector<std::unique_ptr<core::ScoreboardUnit>> units_;
  core::ScoreboardUnit* unit_ = nullptr;  ///< of the request's warp
  sim::TwinUse& use_;
  unsigned clocks_ = 0;
};

using Made = std::unique_ptr<core::ScoreboardUnit>;
template <class V, unsigned groups>
Made make(sim::TwinUse& use) {
  return std::make_unique<ScoreboardRtl<V, groups>>(use);
}

/// The parameter points of rtl/scoreboard/scoreboard.cmake.
struct Point {
  std::uint32_t groups;
  ScoreboardKind kind;
  Made (*make)(sim::TwinUse&);
};
constexpr Point kPoints[] = {{1, ScoreboardKind::kPerWarp, make<VScoreboard, 1>},
                             {1, ScoreboardKind::kPerThreadMask, make<VScoreboardMasks, 1>},
                             {4, ScoreboardKind::kPerWarp, make<VScoreboardGroups, 4>},
                             {4, ScoreboardKind::kPerThreadMask, make<VScoreboardMasksGroups, 4>}};

Made make_unit(const core::ScoreboardShape& shape, sim::TwinUse& use) {
  constexpr const char* kRemedy =
      ", or build rtl/scoreboard/scoreboard.cmake with that number too (and list it in "
      "rtl/cosim/scoreboard_twin.cpp).";
  const auto refuse = [&](const std::string& built, std::uint32_t has, const std::string& or_else) {
    throw base::InputError(use.path,
                           fmt::format("the RTL of scoreboard is built for {}, this core has {}", built, has),
                           "Use impl: model" + or_else + kRemedy);
  };
  if (shape.config.entries_per_warp != kEntries)
    refuse(fmt::format("{} entries of a warp", kEntries), shape.config.entries_per_warp,
           fmt::format(", or core.scoreboard.entries_per_warp={}", kEntries));
  for (const Point& point : kPoints)
    if (point.kind == shape.config.kind && point.groups == shape.groups) return point.make(use);
  refuse("1 and 4 issue groups of a warp", shape.groups, ", or core.control_flow.multi_path.paths=4");
  return nullptr;
}

}  // namespace

void provide(sim::Twins& twins) {
  twins.provide<core::ScoreboardBlock>([](const core::ScoreboardBlock::Shape& shape, sim::TwinUse& use) {
    check_warps("scoreboard", use.path, shape.warps);
    std::vector<Made> units;
    sim::WaveWindow waves = use.waves;
    for (std::uint32_t warps = 0; warps < shape.warps; warps += kWarpsOfUnit) {
      units.push_back(make_unit({kWarpsOfUnit, 1, shape.config}, use));
      use.waves = {};  // a waveform is of one unit: of the first 32 warps
    }
    use.waves = std::move(waves);
    return std::make_unique<SteppedScoreboard>(std::move(units), use);
  });
  twins.provide<core::ClockedScoreboardBlock>([](const core::ScoreboardShape& shape, sim::TwinUse& use) {
    use.block = core::ScoreboardBlock::kName;
    use.timing = sim::Timing::kContract;
    const auto refuse = [&](const char* what, const char* key, std::uint32_t ports, std::uint32_t built) {
      if (ports != built)
        throw base::InputError(
            use.path,
            fmt::format("the RTL of scoreboard is built with {} {}, this core has {}", built, what, ports),
            fmt::format("Use impl: model, or core.scoreboard.{}={}.", key, built));
    };
    refuse("read ports", "read_ports", shape.config.resolved_read_ports(), kReadPorts);
    refuse("write ports", "write_ports", shape.config.resolved_write_ports(), kWritePorts);
    if (shape.warps > kWarpsOfUnit)
      throw base::InputError(
          use.path,
          fmt::format("the RTL of scoreboard is built for {} warps of a scheduler, this core has {}",
                      kWarpsOfUnit, shape.warps),
          "Use impl: model, or more schedulers (core.scheduler.count).");
    return make_unit(shape, use);
  });
}

}  // namespace heddle::cosim::scoreboard_twin
