// What the benches of the clocked scoreboard share: the block with its user, cycle by cycle.
#pragma once

#include "cosim/lockstep_bench.h"
// verilated headers first: pin_driver.h
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/issue/clocked_scoreboard.h"
#include "cosim/twins.h"

namespace heddle::clocked_scoreboard_bench {

using base::Cycle;
using base::GroupId;
using base::LaneMask;
using base::WarpId;
using core::Hazard;
using core::ScoreboardConfig;
using core::ScoreboardKind;
using core::ScoreboardRequest;
using isa::Opcode;
using isa::RegId;
using sim::Implementation;
using ::testing::HasSubstr;
using Op = ScoreboardRequest::Op;

inline constexpr std::uint32_t kSchedulers = 2;

inline isa::Instruction instruction(const std::vector<RegId>& reads, const std::vector<RegId>& writes,
                                    Opcode op = Opcode::kLane) {
  isa::Instruction i;
  i.op = op;
  for (const RegId r : reads) i.reads.at(i.read_count++) = r;
  for (const RegId w : writes) i.writes.at(i.write_count++) = w;
  return i;
}

inline ScoreboardConfig configured(ScoreboardKind kind, Implementation impl, std::uint8_t stall_seed = 0) {
  ScoreboardConfig config;
  config.kind = kind;
  config.impl = impl;
  config.timing = sim::Timing::kContract;
  config.stall_seed = stall_seed;
  return config;
}

/// The scoreboard and its user. Cycles begin with step(). `besides`: twins of the bench's own.
struct Rig : sc_core::sc_module {
  Rig(const sc_core::sc_module_name& name, const ScoreboardConfig& config, std::uint32_t warps = 16,
      std::uint32_t per_warp = 1, const std::function<void(sim::Twins&)>& besides = {})
      : sc_module(name), groups(per_warp) {
    cosim::provide_twins(twins);
    if (besides) besides(twins);
    scoreboard = std::make_unique<core::ClockedScoreboard>("scoreboard", config, kSchedulers, warps, groups,
                                                           stats, &twins);
    isock.bind(scoreboard->scoreboard_tsock);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  ScoreboardRequest call(ScoreboardRequest request) {
    request.cycle = now;
    isock.call(request);
    return request;
  }
  [[nodiscard]] WarpId warp_of(std::uint32_t group) const { return WarpId{group / groups}; }
  /// The next cycle; groups of which the block knows something new.
  std::vector<GroupId> step(Cycle cycles = 1) {
    now += cycles;
    std::vector<GroupId> changed;
    busy = call({.op = Op::kStep, .changed = &changed}).busy;
    return changed;
  }
  Hazard head(std::uint32_t group, const isa::Instruction& i, LaneMask lanes = LaneMask::all()) {
    return call({.op = Op::kHead,
                 .warp = warp_of(group),
                 .group = GroupId{group},
                 .mask = lanes,
                 .instruction = &i})
        .hazard;
  }
  void issue(std::uint32_t group, const isa::Instruction& i, LaneMask lanes = LaneMask::all()) {
    call({.op = Op::kIssue, .warp = warp_of(group), .group = GroupId{group}, .instruction = &i});
    if (i.write_count != 0) write(Op::kReserve, group, i, lanes);
  }
  void write(Op op, std::uint32_t group, const isa::Instruction& i, LaneMask lanes = LaneMask::all()) {
    call({.op = op, .warp = warp_of(group), .mask = lanes, .instruction = &i});
  }
  void gone(std::uint32_t group) { call({.op = Op::kGone, .warp = warp_of(group), .group = GroupId{group}}); }
  [[nodiscard]] bool sleeps() { return call({.op = Op::kNext}).due == base::kNever; }
  std::string pending(std::uint32_t warp) {
    std::vector<core::PendingRegister> registers;
    ScoreboardRequest request{.warp = WarpId{warp}, .pending = &registers};
    isock.inspect(request);
    std::string text;
    for (const auto& each : registers) text += (text.empty() ? "R" : " R") + std::to_string(each.reg);
    return text;
  }
  std::uint32_t groups;
  Cycle now = 10;
  std::uint32_t busy = 0;
  base::StatGroup stats{"scoreboard"};
  sim::Twins twins;
  std::unique_ptr<core::ClockedScoreboard> scoreboard;
  sim::BlockInitiator<core::ScoreboardProtocol> isock{"isock"};
};

}  // namespace heddle::clocked_scoreboard_bench
