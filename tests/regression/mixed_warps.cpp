#include "mixed_warps.h"

#include <array>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace heddle::mixing {
namespace {

using base::GroupId;
using base::kLanes;
using base::LaneMask;
using base::Pc;
using base::WarpId;

class MixedWarps final : public simt::ControlFlow {
 public:
  explicit MixedWarps(std::uint32_t warps)
      : threads_(warps * std::size_t{kLanes}), partner_(warps), groups_(warps) {}

  [[nodiscard]] const char* name() const override { return "mixed_warps"; }
  void register_stats(base::StatGroup& stats) override {
    stats.counter("mixed", "groups", "groups that were made of lanes of two warps", &mixed_);
  }

  void inspect(simt::ControlFlowRequest& request) const override {
    std::map<Pc, LaneMask> runs;
    std::map<Pc, LaneMask> waits;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const Thread& thread = at(request.warp, lane);
      if (thread.state == State::kWaiting) waits[thread.pc] |= LaneMask(1u << lane);
      if (thread.state == State::kPooled || thread.state == State::kGrouped)
        runs[thread.pc] |= LaneMask(1u << lane);
    }
    if (request.runnable != nullptr)
      for (const auto& [pc, lanes] : runs) request.runnable->push_back({pc, lanes});
    if (request.suspended != nullptr)
      for (const auto& [pc, lanes] : waits)
        request.suspended->push_back({lanes, pc, simt::Suspension::kBarrier, {}, false});
    request.digest = ++digest_;  // the set of lanes that run together is never the same again
  }

 protected:
  void launch(simt::ControlFlowRequest& request) override {
    const auto& warps = request.warps;
    for (std::size_t i = 0; i < warps.size(); ++i) {
      const std::size_t other = i % 2 == 0 ? std::min(i + 1, warps.size() - 1) : i - 1;
      partner_[warps[i].warp.value()] = warps[other].warp;
      warps[i].mask.for_each([&](unsigned lane) {
        at(warps[i].warp, lane) = {State::kPooled, request.next};
      });
    }
    for (const simt::WarpLaunch& warp : warps) form(warp.warp);
  }
  void transfer(simt::ControlFlowRequest& request) override {
    settle(request, [&](unsigned lane, Thread& thread) {
      thread.pc = !request.taken.test(lane)        ? request.next
                  : request.lane_target != nullptr ? request.lane_target[lane]
                                                   : request.target;
    });
    request.diverged = request.taken.any() && request.taken != request.mask;
  }
  void exit(simt::ControlFlowRequest& request) override {
    settle(request, [&](unsigned lane, Thread& thread) {
      thread.pc = request.next;
      if (request.mask.test(lane)) thread.state = State::kNone;
    });
  }
  void barrier_arrive(simt::ControlFlowRequest& request) override {
    settle(request, [&](unsigned, Thread& thread) { thread = {State::kWaiting, request.next}; });
  }
  void barrier_release(simt::ControlFlowRequest& request) override {
    request.mask.for_each([&](unsigned lane) {
      if (Thread& thread = at(request.warp, lane); thread.state == State::kWaiting)
        thread.state = State::kPooled;
    });
    form_idle(request.warp);
  }

 private:
  enum class State : std::uint8_t { kNone, kPooled, kGrouped, kWaiting };
  struct Thread {
    State state = State::kNone;
    Pc pc{};
  };
  struct Group {
    bool there = false;
    std::array<simt::Slice, 2> slices{};
    std::size_t count = 0;
  };

  [[nodiscard]] Thread& at(WarpId warp, unsigned lane) {
    return threads_[warp.value() * std::size_t{kLanes} + lane];
  }
  [[nodiscard]] const Thread& at(WarpId warp, unsigned lane) const {
    return threads_[warp.value() * std::size_t{kLanes} + lane];
  }

  /// The group's threads have reached the event: `arrive` sets their states. Then groups are formed again.
  template <class Arrive>
  void settle(simt::ControlFlowRequest& request, Arrive&& arrive) {
    const WarpId slot{request.group.value()};
    Group& group = groups_[slot.value()];
    for (std::size_t i = 0; i < group.count; ++i)
      group.slices[i].lanes.for_each([&](unsigned lane) {
        Thread& thread = at(group.slices[i].home, lane);
        thread.state = State::kPooled;
        arrive(lane, thread);
      });
    group.count = 0;
    form(slot);
    if (const WarpId other = partner_[slot.value()]; other != slot) form_idle(other);
  }

  void form_idle(WarpId slot) {
    for (const WarpId each : {slot, partner_[slot.value()]})
      if (!groups_[each.value()].there) form(each);
  }

  /// Forms a group in the slot from pooled threads with one PC; removes the group if there are none.
  void form(WarpId slot) {
    Group& group = groups_[slot.value()];
    const WarpId other = partner_[slot.value()];
    std::vector<Pc> pcs;
    for (const WarpId warp : {slot, other})
      for (unsigned lane = 0; lane < kLanes; ++lane)
        if (at(warp, lane).state == State::kPooled) pcs.push_back(at(warp, lane).pc);
    if (pcs.empty()) {
      if (group.there) answer({.group = GroupId{slot.value()}, .change = simt::GroupChange::kVanished});
      group.there = false;
      return;
    }
    const Pc pc = pcs[random_() % pcs.size()];
    std::array<LaneMask, 2> chosen;
    const std::array<WarpId, 2> homes{slot, other};
    const bool alone = other == slot;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const std::size_t first = alone ? 0 : random_() % 2;
      for (const std::size_t i : {first, alone ? 0 : 1 - first}) {
        Thread& thread = at(homes[i], lane);
        if (thread.state != State::kPooled || thread.pc != pc) continue;
        thread.state = State::kGrouped;
        chosen[i] |= LaneMask(1u << lane);
        break;
      }
    }
    group.there = true;
    group.count = 0;
    for (std::size_t i = 0; i < homes.size(); ++i)
      if (chosen[i].any()) group.slices[group.count++] = {homes[i], chosen[i]};
    if (group.count == 2) ++mixed_;
    simt::GroupUpdate update;
    update.group = GroupId{slot.value()};
    update.change = simt::GroupChange::kMoved;
    update.pc = pc;
    update.mask = chosen[0] | chosen[1];
    update.slices = {group.slices.data(), group.count};
    answer(update);
  }

  std::vector<Thread> threads_;  ///< by warp slot, then lane
  std::vector<WarpId> partner_;  ///< by warp slot: itself if the CTA has an odd number of warps
  std::vector<Group> groups_;    ///< by warp slot
  std::mt19937 random_{20261123};
  std::uint64_t mixed_ = 0;
  mutable std::uint64_t digest_ = 0;
};

}  // namespace

simt::Mechanism mixed_warps() {
  simt::Mechanism mechanism;
  mechanism.name = "mixed_warps";
  mechanism.doc = "lanes of two warps of a CTA, mixed at random";
  mechanism.make = [](const simt::MechanismSite& site) { return std::make_unique<MixedWarps>(site.warps); };
  mechanism.traits = [](const simt::ControlFlowConfig&) {
    return simt::Traits{.runs_lanes_apart = true, .scope = simt::Scope::kCta};
  };
  return mechanism;
}

}  // namespace heddle::mixing
