// The scheduling policies behind a request interface like that of the RTL's pins.
#pragma once

#include <bit>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/schedule/gto.h"
#include "core/schedule/lrr.h"
#include "core/schedule/warp_scheduler.h"
#include "cosim/warp_scheduler_pins.h"

namespace heddle::cosim {

class PickModel {
 public:
  static constexpr std::uint32_t kWarps = 64;

  explicit PickModel(const std::string& policy) {
    core::SchedulerConfig config({core::lrr_policy(), core::gto_policy()}, policy);
    config.get<core::GtoConfig>().rotation_cycles = kRotation;
    policy_ = config.make(kWarps);
  }

  void serve(PickRequest& request) {
    switch (request.op) {
      case PickRequest::Op::kAssign:
        policy_->assign(request.warp, now_);
        break;
      case PickRequest::Op::kLeave:
        policy_->leave(request.warp);
        break;
      case PickRequest::Op::kStalled:
        policy_->stalled();
        break;
      case PickRequest::Op::kRotate:
        // The policy rotates on a call after its period has elapsed; a pick that does not issue changes
        // nothing else.
        now_ += kRotation;
        (void)policy_->pick(set_of(1), now_);
        break;
      case PickRequest::Op::kPick: {
        // Policies are not called without candidates.
        request.found = request.candidates != 0;
        if (!request.found) break;
        request.chosen = *policy_->pick(set_of(request.candidates), now_);
        policy_->issued(request.chosen, now_);
        break;
      }
      case PickRequest::Op::kRead:
        read(request);
        break;
    }
    const nlohmann::ordered_json state = policy_->show();
    request.last = base::WarpId{state.at("last").get<std::uint32_t>()};
    request.greedy = state.value("greedy", false);
  }

  /// Warps with an age, the oldest first; LRR: none.
  [[nodiscard]] std::vector<std::uint32_t> by_age() const {
    return policy_->show().value("oldest_first", std::vector<std::uint32_t>{});
  }
  [[nodiscard]] std::uint32_t last() const { return policy_->show().at("last").get<std::uint32_t>(); }
  [[nodiscard]] bool greedy() const { return policy_->show().value("greedy", false); }

 private:
  static constexpr std::uint32_t kRotation = 1000;

  static base::IndexSet set_of(std::uint64_t bits) {
    base::IndexSet set(kWarps);
    for (; bits != 0; bits &= bits - 1) set.insert(static_cast<std::uint32_t>(std::countr_zero(bits)));
    return set;
  }
  void read(PickRequest& request) {
    request.found = request.candidates != 0;
    request.aged = false;
    if (!request.found) return;
    for (const std::uint32_t warp : by_age()) {
      if ((request.candidates >> warp & 1) == 0) continue;
      request.chosen = base::WarpId{warp};
      request.aged = true;
      return;
    }
    request.chosen = policy_->show().contains("oldest_first")
                         ? base::WarpId{static_cast<std::uint32_t>(std::countr_zero(request.candidates))}
                         : *policy_->pick(set_of(request.candidates), now_);
  }

  std::unique_ptr<core::WarpSchedulingPolicy> policy_;
  base::Cycle now_ = 0;
};

/// For LockstepBench.
struct PickBlock {
  using Request = PickRequest;
  using Model = PickModel;
  struct Answer {
    bool found = false;
    base::WarpId chosen{};
    bool aged = false;
    base::WarpId last{};
    bool greedy = false;
    bool operator==(const Answer&) const = default;
  };
  static Answer answer_of(const Request& request) {
    Answer answer{.last = request.last, .greedy = request.greedy};
    if (request.op != Request::Op::kPick && request.op != Request::Op::kRead) return answer;
    answer.found = request.found;
    if (request.found) answer.chosen = request.chosen;
    if (request.op == Request::Op::kRead) answer.aged = request.aged;
    return answer;
  }
  static nlohmann::ordered_json show_request(const Request& request) {
    return {{"op", rtl::warp_scheduler::kOpNames[static_cast<unsigned>(request.op)]},
            {"warp", request.warp.value()},
            {"candidates", request.candidates}};
  }
  static nlohmann::ordered_json show_answer(const Answer& answer) {
    return {{"found", answer.found},
            {"warp", answer.chosen.value()},
            {"aged", answer.aged},
            {"last", answer.last.value()},
            {"greedy", answer.greedy}};
  }
};

}  // namespace heddle::cosim
