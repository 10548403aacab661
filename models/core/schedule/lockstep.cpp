#include "core/schedule/lockstep.h"

#include <bit>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/schedule/pick_unit.h"
#include "sim/twin_difference.h"

namespace heddle::core {
namespace {

/// A policy's pick as a request of sim::ask_both.
struct PolicyPick {
  const base::IndexSet& candidates;
  Cycle now;
  std::optional<WarpId> picked;
  nlohmann::ordered_json* table = nullptr;  ///< of inspect()
};
struct PolicySide {
  WarpSchedulingPolicy& policy;
  void serve(PolicyPick& request) const { request.picked = policy.pick(request.candidates, request.now); }
  void inspect(PolicyPick& request) const { *request.table = policy.show(); }
};
struct PolicyLockstep {
  using Request = PolicyPick;
  using Answer = std::optional<WarpId>;
  static Answer answer_of(const Request& answered) { return answered.picked; }
  static nlohmann::ordered_json show_request(const Request& request) {
    nlohmann::ordered_json ready = nlohmann::ordered_json::array();
    request.candidates.for_each([&](std::uint32_t warp) { ready.push_back(warp); });
    return {{"op", "pick"}, {"candidates", ready}};
  }
  static nlohmann::ordered_json show_answer(const Answer& answer) {
    if (!answer) return nullptr;
    return {{"warp", answer->value()}};
  }
  template <class Inspect>
  static nlohmann::ordered_json show_tables(Request request, Inspect inspect) {
    nlohmann::ordered_json tables;
    request.table = &tables;
    inspect(request);
    return tables;
  }
};

class LockstepPolicy final : public WarpSchedulingPolicy {
 public:
  LockstepPolicy(std::string path, std::unique_ptr<WarpSchedulingPolicy> model,
                 std::unique_ptr<WarpSchedulingPolicy> rtl)
      : path_(std::move(path)), model_(std::move(model)), rtl_(std::move(rtl)) {}
  void begin(const isa::Kernel& kernel) override { model_->begin(kernel), rtl_->begin(kernel); }
  void assign(WarpId warp, Cycle now) override { model_->assign(warp, now), rtl_->assign(warp, now); }
  void leave(WarpId warp) override { model_->leave(warp), rtl_->leave(warp); }
  std::optional<WarpId> pick(const base::IndexSet& candidates, Cycle now) override {
    PolicyPick pick{candidates, now, {}};
    PolicySide model{*model_}, rtl{*rtl_};
    sim::ask_both<PolicyLockstep>(model, rtl, pick, {WarpSchedulerBlock::kName, path_, now});
    return pick.picked;
  }
  void issued(WarpId warp, Cycle now) override { model_->issued(warp, now), rtl_->issued(warp, now); }
  [[nodiscard]] bool taps(const isa::Instruction& instruction) const override {
    return model_->taps(instruction);
  }
  void tapped(const IssueTapRequest& issue) override { model_->tapped(issue), rtl_->tapped(issue); }
  void long_latency(WarpId warp) override { model_->long_latency(warp), rtl_->long_latency(warp); }
  void stalled() override { model_->stalled(), rtl_->stalled(); }
  [[nodiscard]] Cycle due(const base::IndexSet& candidates, Cycle now) const override {
    return model_->due(candidates, now);
  }
  [[nodiscard]] bool may_starve() const override { return model_->may_starve(); }
  [[nodiscard]] nlohmann::ordered_json show() const override { return model_->show(); }

 private:
  std::string path_;
  std::unique_ptr<WarpSchedulingPolicy> model_;
  std::unique_ptr<WarpSchedulingPolicy> rtl_;
};

// ---- Clock by clock

nlohmann::ordered_json slots(std::uint64_t set) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (; set != 0; set &= set - 1) list.push_back(std::countr_zero(set));
  return list;
}
nlohmann::ordered_json show_pins(const PickPins& pins) {
  nlohmann::ordered_json json{{"candidates", slots(pins.candidates)}};
  if (pins.assign != 0) json["assign"] = slots(pins.assign);
  if (pins.leave != 0) json["leave"] = slots(pins.leave);
  if (pins.rotate) json["rotate"] = true;
  if (pins.stalled) json["stalled"] = true;
  if (pins.issued) json["issued"] = *pins.issued;
  return json;
}
nlohmann::ordered_json show_grant(const PickGrant& grant) {
  nlohmann::ordered_json json{{"valid", grant.valid}};
  if (grant.valid) json["slot"] = grant.slot;
  json["last"] = grant.last;
  json["greedy"] = grant.greedy;
  return json;
}

class LockstepPick final : public PickUnit {
 public:
  LockstepPick(std::string path, std::unique_ptr<PickUnit> model, std::unique_ptr<PickUnit> rtl)
      : path_(std::move(path)), model_(std::move(model)), rtl_(std::move(rtl)) {}
  [[nodiscard]] PickGrant grant(const PickPins& pins, Cycle cycle) override {
    const PickGrant right = model_->grant(pins, cycle);
    const PickGrant other = rtl_->grant(pins, cycle);
    if (!(right == other))
      sim::report_difference({WarpSchedulerBlock::kName, path_, cycle, show_pins(pins), show_grant(right),
                              show_grant(other), model_->show(), rtl_->show()});
    return right;
  }
  void edge(const PickPins& pins, Cycle cycle) override {
    (void)grant(pins, cycle);
    model_->edge(pins, cycle);
    rtl_->edge(pins, cycle);
  }
  [[nodiscard]] nlohmann::ordered_json show() const override { return model_->show(); }

 private:
  std::string path_;
  std::unique_ptr<PickUnit> model_;
  std::unique_ptr<PickUnit> rtl_;
};

}  // namespace

std::unique_ptr<PickUnit> lockstep_pick(std::string path, std::unique_ptr<PickUnit> model,
                                        std::unique_ptr<PickUnit> rtl) {
  return std::make_unique<LockstepPick>(std::move(path), std::move(model), std::move(rtl));
}

std::unique_ptr<WarpSchedulingPolicy> lockstep_policy(std::string path,
                                                      std::unique_ptr<WarpSchedulingPolicy> model,
                                                      std::unique_ptr<WarpSchedulingPolicy> rtl) {
  return std::make_unique<LockstepPolicy>(std::move(path), std::move(model), std::move(rtl));
}

}  // namespace heddle::core
