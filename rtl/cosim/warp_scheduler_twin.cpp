#include "VWarpSchedulerGto.h"
#include "VWarpSchedulerLrr.h"
// verilated headers first: pin_driver.h
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/schedule/gto.h"
#include "cosim/pin_driver.h"
#include "cosim/twins.h"
#include "cosim/warp_scheduler_pins.h"

namespace heddle::cosim::warp_scheduler_twin {
namespace {

using base::Cycle;
using base::WarpId;

/// A policy whose choice is made by the RTL. The time of age rotation is tracked here.
template <class V>
class PolicyTwin final : public core::WarpSchedulingPolicy {
 public:
  /// `rotation`: cycles after which ages rotate; 0: never.
  PolicyTwin(sim::TwinUse& use, Cycle rotation)
      : use_(use), period_(rotation), next_rotation_(rotation == 0 ? ~Cycle{0} : rotation) {}

  void assign(WarpId warp, Cycle) override { serve({.op = PickRequest::Op::kAssign, .warp = warp}); }
  void leave(WarpId warp) override { serve({.op = PickRequest::Op::kLeave, .warp = warp}); }
  void stalled() override { serve({.op = PickRequest::Op::kStalled}); }
  std::optional<WarpId> pick(const base::IndexSet& candidates, Cycle now) override {
    if (now >= next_rotation_) {
      next_rotation_ = (now / period_ + 1) * period_;
      serve({.op = PickRequest::Op::kRotate});
    }
    PickRequest request{.op = PickRequest::Op::kPick};
    candidates.for_each([&](std::uint32_t warp) { request.candidates |= std::uint64_t{1} << warp; });
    request = serve(request);
    if (!request.found) return std::nullopt;
    picked_ = request.chosen;
    return picked_;
  }
  void issued(WarpId warp, Cycle) override {
    if (picked_ == warp) return picked_.reset();
    throw base::Error(
        base::ExitCode::kInternal, use_.path,
        fmt::format("warp {} issued, which the RTL of warp_scheduler had not picked", warp.value()));
  }
  [[nodiscard]] bool may_starve() const override { return kGreedyPolicy && period_ == 0; }
  [[nodiscard]] nlohmann::ordered_json show() const override {
    PickRequest read{.op = PickRequest::Op::kRead, .candidates = ~std::uint64_t{0}};
    nlohmann::ordered_json by_age = nlohmann::ordered_json::array();
    while (exchange(read), read.found && read.aged) {
      by_age.push_back(read.chosen.value());
      read.candidates &= ~(std::uint64_t{1} << read.chosen.value());
    }
    nlohmann::ordered_json json{{"last", read.last.value()}};
    if (!kGreedyPolicy) return json;
    json["greedy"] = read.greedy;
    json["oldest_first"] = by_age;
    return json;
  }

 private:
  static constexpr bool kGreedyPolicy = std::is_same_v<V, VWarpSchedulerGto>;

  PickRequest serve(PickRequest request) {
    use_.count(exchange(request));
    return request;
  }
  unsigned exchange(PickRequest& request) const {
    WarpSchedulerPins::drive(driver_.pins(), request);
    const unsigned clocks = driver_.transact();
    WarpSchedulerPins::answer(driver_.pins(), request);
    return clocks;
  }

  mutable PinDriver<V> driver_;
  sim::TwinUse& use_;
  Cycle period_;
  Cycle next_rotation_;
  std::optional<WarpId> picked_;  ///< and so issued, in the RTL; the user confirms it afterwards
};

}  // namespace

void provide(sim::Twins& twins) {
  using Made = std::unique_ptr<core::WarpSchedulingPolicy>;
  twins.provide<core::WarpSchedulerBlock>([](const core::WarpSchedulerBlock::Shape& shape,
                                             sim::TwinUse& use) -> Made {
    check_warps("warp_scheduler", use.path, shape.warps);
    if (shape.config.policy == "lrr") return std::make_unique<PolicyTwin<VWarpSchedulerLrr>>(use, 0);
    if (shape.config.policy == "gto")
      return std::make_unique<PolicyTwin<VWarpSchedulerGto>>(
          use, shape.config.get<core::GtoConfig>().rotation_cycles);
    throw base::InputError(use.path,
                           fmt::format("the policies lrr and gto have RTL, {} has not", shape.config.policy),
                           "Use impl: model, or policy: lrr or gto.");
  });
}

}  // namespace heddle::cosim::warp_scheduler_twin
