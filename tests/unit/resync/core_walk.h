// Plays the core for the mechanism resync: random programs of control flow (blocks/simt/walk_program.h) with 32 threads.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "blocks/simt/walk_program.h"
#include "resync/core/resync_control.h"
#include "resync/memory_trace.h"

namespace heddle::resync::test {

using simt::ControlFlowEvent;
using simt::ControlFlowRequest;
using simt::GroupChange;
using simt::WalkInstruction;
using simt::WalkProgram;
using simt::WalkThread;

class CoreWalk final : private simt::ControlFlowPorts {
 public:
  using Kind = WalkInstruction::Kind;
  CoreWalk(const ResyncConfig& keys, const WalkProgram& program)
      : config_({resync_mechanism()}), program_(program), facts_(facts_of(program)) {
    config_.get<ResyncConfig>() = keys;
    control_ = std::make_unique<ResyncControl>(
        simt::MechanismSite{.config = config_, .warps = 1, .ports = *this, .path = "core"});
    for (unsigned lane = 0; lane < base::kLanes; ++lane) threads.emplace_back(program, lane);
    ControlFlowRequest begin;
    begin.event = ControlFlowEvent::kBeginLaunch;
    begin.facts = config_.traits().wants_facts ? &facts_ : nullptr;
    send(begin);
    ControlFlowRequest launch;
    launch.event = ControlFlowEvent::kLaunch;
    launch.mask = live_ = base::LaneMask::all();
    launch.next = base::Pc{0};
    send(launch);
  }

  /// False: nothing can go on, or all lanes have ended.
  bool step() {
    ++cycle_;
    if (due_ <= cycle_) {
      ControlFlowRequest tick;
      tick.event = ControlFlowEvent::kTick;
      send(tick);
    }
    if (!exists_) return false;
    if (at_barrier_.any() && at_barrier_ == live_) {
      ControlFlowRequest release;
      release.event = ControlFlowEvent::kBarrierRelease;
      release.mask = at_barrier_;
      at_barrier_ = {};
      send(release);
      return true;
    }
    if (!runs_) return due_ != simt::kNever;
    issue();
    return true;
  }
  void run(std::size_t most) {
    while (most-- > 0 && step()) {
    }
  }
  [[nodiscard]] bool ended() const { return live_.none() && !exists_; }

  /// What the compiler knows of the program.
  static isa::ProgramFacts facts_of(const WalkProgram& program) {
    const std::size_t size = program.code.size();
    isa::ProgramFacts facts;
    facts.marks.assign(size, 0);
    facts.post_dominator.assign(size, isa::ProgramFacts::kNone);
    facts.is_post_dominator.assign(size, isa::ProgramFacts::kNone);
    facts.block.resize(size);
    const auto begins = [&](std::uint32_t pc) {
      if (pc < size) facts.marks[pc] |= isa::ProgramFacts::kBlockStart;
    };
    begins(0);
    std::set<base::Pc> points;
    for (std::uint32_t pc = 0; pc < size; ++pc) {
      const WalkInstruction& instruction = program.code[pc];
      if (instruction.kind == Kind::kOperation || instruction.kind == Kind::kBarrier) continue;
      begins(pc + 1);
      for (const std::uint32_t target : instruction.targets) begins(target);
      const bool branch = instruction.kind == Kind::kBranch || instruction.kind == Kind::kIndirect;
      if (branch && instruction.rpc != base::kNoPc) points.insert(instruction.rpc);
    }
    facts.post_dominators.assign(points.begin(), points.end());
    for (std::uint32_t id = 0; id < facts.post_dominators.size(); ++id) {
      begins(facts.post_dominators[id].value());
      facts.is_post_dominator[facts.post_dominators[id].value()] = id;
    }
    for (std::uint32_t pc = 0; pc < size; ++pc) {
      const WalkInstruction& instruction = program.code[pc];
      const bool branch = instruction.kind == Kind::kBranch || instruction.kind == Kind::kIndirect;
      if (branch && instruction.rpc != base::kNoPc)
        facts.post_dominator[pc] = facts.is_post_dominator[instruction.rpc.value()];
      if (pc != 0)
        facts.block[pc] = facts.block[pc - 1] + ((facts.marks[pc] & isa::ProgramFacts::kBlockStart) != 0);
    }
    for (std::uint32_t b = 0; b <= facts.block[size - 1]; ++b) facts.order.push_back(b);
    facts.successors.resize(facts.order.size());
    for (std::uint32_t pc = 0; pc < size; ++pc) {
      if (pc + 1 != size && facts.block[pc + 1] == facts.block[pc]) continue;
      const WalkInstruction& last = program.code[pc];
      auto& to = facts.successors[facts.block[pc]];
      const bool jumps = last.kind == Kind::kBranch || last.kind == Kind::kIndirect;
      const bool ends = last.kind == Kind::kReturn || last.kind == Kind::kExit;
      if (jumps)
        for (const std::uint32_t target : last.targets) to.push_back(facts.block[target]);
      if (ends) to.push_back(isa::ProgramFacts::kNone);
      if (last.percent < 100 || (!jumps && !ends)) to.push_back(facts.block[pc + 1]);
    }
    // Frames of different sizes: the second function's is the larger one in every other program.
    facts.frame_bytes.assign(size, 0);
    for (std::size_t f = 1; f < program.functions.size(); ++f)
      for (std::uint32_t pc = program.functions[f]; pc < size; ++pc)
        facts.frame_bytes[pc] = static_cast<std::uint32_t>((f + program.seed) % 2 == 0 ? 48 : 16);
    return facts;
  }

  std::vector<WalkThread> threads;
  std::vector<std::pair<std::uint64_t, ThreadMask>> schedule;
  std::uint64_t waited = 0;  ///< cycles without an instruction

 private:
  base::Pc next_pc(base::GroupId) override { return pc_; }
  bool start(simt::TableEntryTransfer&) override { return false; }

  void send(ControlFlowRequest& request) {
    request.cycle = cycle_;
    control_->serve(request);
    due_ = request.due;
    const bool by_group =
        request.event == ControlFlowEvent::kAdvance || request.event == ControlFlowEvent::kTransfer ||
        request.event == ControlFlowEvent::kExit || request.event == ControlFlowEvent::kBarrierArrive;
    bool moved = false;
    for (const simt::GroupUpdate& update : request.updates) {
      EXPECT_EQ(update.group, base::GroupId{0});
      moved = moved || update.change != GroupChange::kWatches;
      if (update.change == GroupChange::kVanished) {
        exists_ = runs_ = false;
        continue;
      }
      watch_ = update.watch;
      also_watch_ = update.also_watch;
      if (update.change == GroupChange::kWatches) continue;
      exists_ = true;
      pc_ = update.pc;
      mask_ = update.mask;
      runs_ = update.change == GroupChange::kMoved;
    }
    if (by_group && !moved) pc_ = request.next;  // it goes on
  }

  void issue() {
    const std::uint32_t pc = pc_.value();
    const WalkInstruction& instruction = program_.code[pc];
    EXPECT_TRUE(mask_.any());
    EXPECT_TRUE(live_.contains(mask_));
    schedule.emplace_back(pc, mask_.bits());
    std::array<base::Pc, base::kLanes> targets{};
    base::LaneMask taken;
    mask_.for_each([&](unsigned lane) {
      std::uint32_t target = 0;
      if (threads[lane].takes(pc, target)) taken |= base::LaneMask(1u << lane);
      threads[lane].follow(pc, taken.test(lane));
      targets[lane] = base::Pc{target};
    });
    const base::Pc next{pc + 1};
    ControlFlowRequest request;
    request.set(simt::Transfer::kJump);
    request.mask = mask_;
    request.taken = taken;
    request.next = next;
    request.rpc = instruction.rpc;
    if (instruction.targets.size() == 1)
      request.target = targets[taken.any() ? taken.lowest() : 0];
    else
      request.lane_target = targets.data();
    switch (instruction.kind) {
      case Kind::kOperation:
        return go(next);
      case Kind::kBarrier:
        at_barrier_ |= mask_;
        request.event = ControlFlowEvent::kBarrierArrive;
        return send(request);
      case Kind::kBranch:
      case Kind::kIndirect:
        break;
      case Kind::kCall:
        request.set(simt::Transfer::kCall);
        break;
      case Kind::kReturn:
        request.set(simt::Transfer::kReturn);
        request.lane_target = targets.data();
        break;
      case Kind::kExit:
        request.event = ControlFlowEvent::kExit;
        request.mask = taken;
        live_ = base::LaneMask::difference(live_, taken);
        break;
    }
    if (taken.none() && instruction.kind != Kind::kBranch) return go(next);
    send(request);
  }
  void go(base::Pc to) {
    if (to != watch_ && to != also_watch_) {
      pc_ = to;
      return;
    }
    ControlFlowRequest advance;
    advance.event = ControlFlowEvent::kAdvance;
    advance.mask = mask_;
    advance.next = to;
    send(advance);
  }

  simt::ControlFlowConfig config_;
  const WalkProgram& program_;
  isa::ProgramFacts facts_;
  std::unique_ptr<ResyncControl> control_;
  base::Cycle cycle_ = 0, due_ = simt::kNever;
  bool exists_ = false, runs_ = false;
  base::Pc pc_{}, watch_ = base::kNoPc, also_watch_ = base::kNoPc;
  base::LaneMask mask_, live_, at_barrier_;
};

}  // namespace heddle::resync::test
