// Plays the core for a mechanism: groups appear and go as it answers, one instruction issues per slot, chosen by a scheduling
// policy. The program is that of [TBC:G2]: A branches to C or goes on with B; both lead to D, where threads end.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/protocols/scheduler_protocol.h"
#include "core/schedule/scheduling_policy.h"
#include "simt/mechanism.h"

namespace heddle::compaction {

class Player : public core::GroupReader {
 public:
  using Pc = base::Pc;
  struct Group {
    Pc pc{};
    Pc watch = base::kNoPc;
    Pc also_watch = base::kNoPc;
    std::vector<simt::Slice> slices;
    bool blocked = false;
  };
  static constexpr std::uint32_t kA = 0, kB = 1, kC = 2, kD = 3;

  Player(simt::ControlFlow& mechanism, const core::SchedulingPolicy& policy, std::uint32_t warps,
         unsigned lanes)
      : mechanism_(mechanism), policy_(policy.make({}, warps)), warps_(warps), lanes_(lanes) {}

  /// Threads that go to C: warp by warp, lane 0 first, "0010".
  std::string run(const std::vector<std::string>& to_c) {
    for (const std::string& lanes : to_c) {
      base::LaneMask mask;
      for (unsigned lane = 0; lane < lanes.size(); ++lane)
        if (lanes[lane] == '1') mask |= base::LaneMask(1u << lane);
      to_c_.push_back(mask);
    }
    simt::ControlFlowRequest begin;
    begin.set(simt::ControlFlowEvent::kBeginLaunch);
    mechanism_.serve(begin);
    std::vector<simt::WarpLaunch> all;
    for (std::uint32_t w = 0; w < to_c.size(); ++w)
      all.push_back({base::WarpId{w}, base::LaneMask::first_lanes(lanes_)});
    simt::ControlFlowRequest launch;
    launch.set(simt::ControlFlowEvent::kLaunch);
    launch.warps = all;
    launch.next = Pc{kA};
    send(launch);
    std::string slots;
    for (unsigned i = 0; i < 100 && issue(slots); ++i) {
    }
    EXPECT_TRUE(groups_.empty());
    return slots;
  }
  std::vector<std::string> warps_of_d;  ///< whose threads each issue at D had: "0:1101 1:0010"

  [[nodiscard]] base::WarpId warp(base::GroupId group) const override { return base::WarpId{group.value()}; }
  [[nodiscard]] base::LaneMask lanes(base::GroupId group) const override {
    base::LaneMask all;
    for (const simt::Slice& slice : groups_.at(group.value()).slices) all |= slice.lanes;
    return all;
  }
  [[nodiscard]] Pc pc(base::GroupId group) const override { return groups_.at(group.value()).pc; }

 private:
  void apply(const simt::GroupUpdate& update) {
    const std::uint32_t id = update.group.value();
    if (update.change == simt::GroupChange::kVanished) {
      EXPECT_EQ(groups_.erase(id), 1u);
      return;
    }
    Group& group = groups_[id];
    if (update.change != simt::GroupChange::kJoined) group.pc = update.pc;
    group.blocked = update.change == simt::GroupChange::kBlocked;
    group.watch = update.watch;
    group.also_watch = update.also_watch;
    group.slices.assign(update.slices.begin(), update.slices.end());
    if (group.slices.empty() && update.mask.any()) group.slices = {{base::WarpId{id}, update.mask}};
  }
  /// True: the mechanism has said something of the group that asked.
  bool send(simt::ControlFlowRequest& request) {
    mechanism_.serve(request);
    bool moved = false;
    for (const simt::GroupUpdate& update : request.updates) {
      apply(update);
      moved = moved || (update.group == request.group && update.change != simt::GroupChange::kJoined);
    }
    return moved;
  }
  [[nodiscard]] base::LaneMask takers(const Group& group) const {
    base::LaneMask all;
    for (const simt::Slice& slice : group.slices) all |= slice.lanes & to_c_[slice.home.value()];
    return all;
  }
  bool issue(std::string& slots) {
    base::IndexSet candidates(warps_);
    bool any = false;
    for (const auto& [id, group] : groups_)
      if (!group.blocked) candidates.insert(id), any = true;
    if (!any) return false;
    policy_->look(*this);
    const auto chosen = policy_->pick(candidates, slots.size());
    policy_->issued(*chosen, slots.size());
    const std::uint32_t id = chosen->value();
    const Group group = groups_.at(id);
    const std::uint32_t at = group.pc.value();
    slots += (slots.empty() ? "" : " ") + std::string(1, static_cast<char>('A' + at));
    simt::ControlFlowRequest request;
    request.group = base::GroupId{id};
    request.warp = base::WarpId{id};
    request.mask = lanes(request.group);
    request.next = Pc{at + 1};
    switch (at) {
      case kA:
      case kB:
        request.set(simt::Transfer::kJump);
        request.taken = at == kA ? takers(group) : request.mask;
        request.target = Pc{at == kA ? kC : kD};
        request.rpc = Pc{kD};
        send(request);
        break;
      case kC:
        if (request.next != group.watch && request.next != group.also_watch) {
          groups_.at(id).pc = request.next;
          break;
        }
        request.set(simt::ControlFlowEvent::kAdvance);
        if (!send(request)) groups_.at(id).pc = request.next;
        break;
      default: {
        std::string threads;
        for (const simt::Slice& slice : group.slices)
          threads += (threads.empty() ? "" : " ") + std::to_string(slice.home.value()) + ":" +
                     slice.lanes.to_string().substr(base::kLanes - lanes_);
        warps_of_d.push_back(threads);
        request.set(simt::ControlFlowEvent::kExit);
        send(request);
      }
    }
    return true;
  }

  simt::ControlFlow& mechanism_;
  std::unique_ptr<core::WarpSchedulingPolicy> policy_;
  std::uint32_t warps_;
  unsigned lanes_;
  std::vector<base::LaneMask> to_c_;
  std::map<std::uint32_t, Group> groups_;
};

}  // namespace heddle::compaction
