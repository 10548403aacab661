// A mechanism whose answers a test reads clock by clock. Its program is that of [TBC:G2]: A branches to C or
// goes on with B; both lead to D. Warps have four lanes, of which masks have lane 0 in the last bit.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compaction/dwf.h"
#include "compaction/tbc.h"
#include "simt/mechanism.h"

namespace heddle::compaction {

class ContractRig : public ::testing::Test {
 protected:
  using Cycle = base::Cycle;
  using Pc = base::Pc;
  static constexpr Pc kA{0}, kB{1}, kC{4}, kD{8};
  static constexpr Cycle kNever = base::kNever;

  void make(const std::string& mechanism, const std::function<void(simt::ControlFlowConfig&)>& choose) {
    simt::ControlFlowConfig config({dwf_mechanism(), tbc_mechanism()});
    config.mechanism = mechanism;
    choose(config);
    flow_ = config.factory()(4, ports_, "unit", nullptr);
    simt::ControlFlowRequest begin;
    begin.set(simt::ControlFlowEvent::kBeginLaunch);
    flow_->serve(begin);
  }
  /// Warps of a CTA start at A.
  std::string launch(Cycle cycle, unsigned first, unsigned count) {
    std::vector<simt::WarpLaunch> all;
    for (unsigned w = first; w < first + count; ++w) all.push_back({base::WarpId{w}, base::LaneMask(0b1111)});
    simt::ControlFlowRequest launch;
    launch.set(simt::ControlFlowEvent::kLaunch);
    launch.cycle = cycle;
    launch.warps = all;
    launch.next = kA;
    return serve(launch);
  }
  std::string branch(Cycle cycle, unsigned group, std::uint32_t mask, std::uint32_t to_c) {
    simt::ControlFlowRequest request = of(cycle, group, mask, kB);
    request.set(simt::Transfer::kJump);
    request.taken = base::LaneMask(to_c);
    request.target = kC;
    request.rpc = kD;
    return serve(request);
  }
  std::string advance(Cycle cycle, unsigned group, std::uint32_t mask, Pc next) {
    simt::ControlFlowRequest request = of(cycle, group, mask, next);
    request.set(simt::ControlFlowEvent::kAdvance);
    return serve(request);
  }
  std::string exit(Cycle cycle, unsigned group, std::uint32_t mask, Pc at) {
    simt::ControlFlowRequest request = of(cycle, group, mask, Pc{at.value() + 1});
    request.set(simt::ControlFlowEvent::kExit);
    return serve(request);
  }
  std::string tick(Cycle cycle) {
    simt::ControlFlowRequest request;
    request.set(simt::ControlFlowEvent::kTick);
    request.cycle = cycle;
    return serve(request);
  }
  Cycle due_ = kNever;  ///< of the last answer

 private:
  class NoPorts final : public simt::ControlFlowPorts {
    Pc next_pc(base::GroupId) override { return {}; }
    bool start(simt::TableEntryTransfer&) override { return false; }
  };
  static simt::ControlFlowRequest of(Cycle cycle, unsigned group, std::uint32_t mask, Pc next) {
    simt::ControlFlowRequest request;
    request.cycle = cycle;
    request.group = base::GroupId{group};
    request.warp = base::WarpId{group};
    request.mask = base::LaneMask(mask);
    request.next = next;
    return request;
  }
  /// What the answer says of groups: "g0 moved 4 1101"; PC and lanes where they count.
  std::string serve(simt::ControlFlowRequest& request) {
    flow_->serve(request);
    due_ = request.due;
    std::string said;
    for (const simt::GroupUpdate& update : request.updates) {
      said += (said.empty() ? "g" : ", g") + std::to_string(update.group.value()) + " " +
              simt::kGroupChangeNames[static_cast<unsigned>(update.change)];
      if (update.hold == simt::Hold::kEverything) said += " back";
      if (update.change == simt::GroupChange::kBlocked && update.cause == simt::BlockCause::kTables)
        said += " by tables";
      if (update.change != simt::GroupChange::kMoved && update.change != simt::GroupChange::kJoined) continue;
      said +=
          " " + std::to_string(update.pc.value()) + " " + update.mask.to_string().substr(base::kLanes - 4);
    }
    return said;
  }

  NoPorts ports_;
  std::unique_ptr<simt::ControlFlow> flow_;
};

}  // namespace heddle::compaction
