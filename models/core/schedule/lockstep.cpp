#include "core/schedule/lockstep.h"

#include <nlohmann/json.hpp>
#include <utility>

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

}  // namespace

std::unique_ptr<WarpSchedulingPolicy> lockstep_policy(std::string path,
                                                      std::unique_ptr<WarpSchedulingPolicy> model,
                                                      std::unique_ptr<WarpSchedulingPolicy> rtl) {
  return std::make_unique<LockstepPolicy>(std::move(path), std::move(model), std::move(rtl));
}

}  // namespace heddle::core
