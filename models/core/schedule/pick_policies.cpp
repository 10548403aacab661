#include "core/schedule/pick_policies.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"

namespace heddle::core {
namespace {

[[nodiscard]] Cycle first_rotation(Cycle period) { return period == 0 ? kNever : period; }
/// Once, however long nobody asked.
[[nodiscard]] bool rotates(Cycle now, Cycle period, Cycle& next) {
  if (now < next) return false;
  next = (now / period + 1) * period;
  return true;
}

class SteppedPolicy final : public WarpSchedulingPolicy {
 public:
  SteppedPolicy(std::string path, std::unique_ptr<PickUnit> unit, Cycle rotation, bool may_starve)
      : path_(std::move(path)),
        unit_(std::move(unit)),
        period_(rotation),
        next_rotation_(first_rotation(rotation)),
        may_starve_(may_starve) {}

  void assign(WarpId warp, Cycle now) override { unit_->edge({.assign = bit(warp)}, now); }
  void leave(WarpId warp) override { unit_->edge({.leave = bit(warp)}, kNever); }
  void stalled() override { unit_->edge({.stalled = true}, kNever); }
  std::optional<WarpId> pick(const base::IndexSet& candidates, Cycle now) override {
    if (rotates(now, period_, next_rotation_)) unit_->edge({.rotate = true}, now);
    PickPins pins;
    candidates.for_each([&](std::uint32_t warp) { pins.candidates |= bit(WarpId{warp}); });
    const PickGrant grant = unit_->grant(pins, now);
    if (!grant.valid) return std::nullopt;
    picked_ = WarpId{grant.slot};
    return picked_;
  }
  void issued(WarpId warp, Cycle now) override {
    if (picked_ != warp)
      throw base::Error(
          base::ExitCode::kInternal, path_,
          fmt::format("warp {} issued, which the RTL of warp_scheduler had not picked", warp.value()));
    picked_.reset();
    unit_->edge({.issued = warp.value()}, now);
  }
  [[nodiscard]] bool may_starve() const override { return may_starve_; }
  [[nodiscard]] nlohmann::ordered_json show() const override { return unit_->show(); }

 private:
  static std::uint64_t bit(WarpId warp) { return std::uint64_t{1} << warp.value(); }

  std::string path_;
  std::unique_ptr<PickUnit> unit_;
  Cycle period_;
  Cycle next_rotation_;
  bool may_starve_;
  std::optional<WarpId> picked_;
};

}  // namespace

std::unique_ptr<WarpSchedulingPolicy> stepped_policy(std::string path, std::unique_ptr<PickUnit> unit,
                                                     Cycle rotation, bool may_starve) {
  return std::make_unique<SteppedPolicy>(std::move(path), std::move(unit), rotation, may_starve);
}

ClockedPolicy::ClockedPolicy(PickContract contract, std::unique_ptr<PickUnit> unit, std::uint32_t schedulers,
                             base::Perturbation stalls)
    : contract_(std::move(contract)),
      unit_(std::move(unit)),
      schedulers_(schedulers),
      stalls_(stalls),
      next_rotation_(first_rotation(contract_.rotation)) {}

void ClockedPolicy::advance(Cycle now) {
  if (now <= cycle_) return;
  unit_->edge(std::exchange(pins_, {}), cycle_);
  // Without input the state stays as it is (rtl/warp_scheduler/formal).
  const Cycle idle = std::min(now - cycle_ - 1, kIdleEdges);
  for (Cycle each = now - idle; each < now; ++each) unit_->edge(pins_, each);
  cycle_ = now;
  asked_ = false;
}

void ClockedPolicy::assign(WarpId warp, Cycle now) {
  advance(now);
  pins_.assign |= bit(warp);
}

void ClockedPolicy::commit(WarpId warp, Cycle now) {
  advance(now);
  pins_.issued = warp.value() / schedulers_;
}

std::optional<WarpId> ClockedPolicy::pick(const base::IndexSet& candidates, Cycle now) {
  advance(now);
  if (std::exchange(asked_, true)) return std::nullopt;
  pins_.rotate = rotates(now, contract_.rotation, next_rotation_);
  candidates.for_each([&](std::uint32_t warp) { pins_.candidates |= bit(WarpId{warp}); });
  const PickGrant grant = unit_->grant(pins_, now);
  if (!grant.valid || (pins_.candidates >> grant.slot & 1u) == 0) return std::nullopt;
  if (stalls_.on() && stalls_.below(kGrantsPerStall) == 0) return std::nullopt;
  return WarpId{grant.slot * schedulers_ + residue_};
}

nlohmann::ordered_json ClockedPolicy::show() const { return unit_->show(); }

}  // namespace heddle::core
