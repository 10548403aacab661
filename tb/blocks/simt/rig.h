// A branch unit as the core sees it: events in, issue groups out. The test plays the core: it keeps the
// groups and their PCs, and decides which memory answers complete fills.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <systemc>
#include <vector>

#include "blocks/simt/mask_text.h"
#include "simt/aware.h"
#include "simt/clocked_splits.h"
#include "simt/control_flow_unit.h"
#include "simt/multi_path.h"
#include "simt/simt_stack.h"

namespace heddle::simt {

/// The only group that a mechanism with one group per warp has.
inline constexpr GroupId kGroup{0};

/// Blocks have letters: block X starts at PC 100 * (X - 'A').
inline Pc pc(char block, std::uint32_t offset = 0) {
  return block == '-' ? kNoPc : Pc{100u * static_cast<unsigned>(block - 'A') + offset};
}
inline std::string pc_name(Pc at) {
  if (at == kNoPc) return "-";
  const char block = static_cast<char>('A' + at.value() / 100);
  const std::uint32_t offset = at.value() % 100;
  return offset == 0 ? std::string(1, block) : fmt::format("{}+{}", block, offset);
}
inline Pc pc_in(const nlohmann::ordered_json& value) {
  return value.is_string() ? kNoPc : Pc{value.get<std::uint32_t>()};
}

class SimtRig : public sc_core::sc_module {
 public:
  /// The group as the core sees it.
  struct Group {
    Pc pc{};  ///< next instruction; the test moves it
    Pc watch = kNoPc;
    LaneMask mask{};
    bool blocked = false;
    BlockCause cause = BlockCause::kBarrier;
    Hold hold = Hold::kNothing;
  };

  /// All rigs of a process are made before the first event.
  explicit SimtRig(const ControlFlowConfig& config, std::uint32_t warps = 1,
                   const sc_core::sc_module_name& rig_name = "rig", sim::Twins* twins = nullptr,
                   std::uint32_t schedulers = 1)
      : sc_module(rig_name), unit("unit", config.factory(schedulers), warps, stats.child("unit", ""), twins) {
    branch_isock.bind(unit.branch_tsock);
    unit.progress_isock.bind(progress_tsock);
    unit.table_memory_isock.bind(memory_tsock);
  }

  /// Reports an event of `group`'s warp; applies the answer to `groups`.
  ControlFlowRequest send(ControlFlowRequest request) {
    if (sc_core::sc_get_status() < sc_core::SC_END_OF_ELABORATION) sc_core::sc_start(sc_core::SC_ZERO_TIME);
    request.cycle = cycle;
    branch_isock.call(request);
    due = request.due;
    busy = request.busy;
    answered.assign(request.updates.begin(), request.updates.end());
    // Mechanisms here answer for the group of the event; "it continues" is for those that follow.
    if (by_group(request.event) && !may_go_on) {
      EXPECT_TRUE(std::any_of(answered.begin(), answered.end(), [&](const GroupUpdate& update) {
        return update.group == request.group;
      })) << event_name(request);
    }
    for (const GroupUpdate& update : answered) apply(update);
    return request;
  }
  static bool by_group(ControlFlowEvent event) {
    return event == ControlFlowEvent::kAdvance || event == ControlFlowEvent::kTransfer ||
           event == ControlFlowEvent::kExit || event == ControlFlowEvent::kBarrierArrive;
  }
  void apply(const GroupUpdate& update) {
    const GroupId id = update.group;
    switch (update.change) {
      case GroupChange::kMoved:
      case GroupChange::kSchedulable:
        groups[id] = {update.pc, update.watch, update.mask, false, {}, update.hold};
        break;
      case GroupChange::kBlocked:
        groups[id] = {update.pc, update.watch, update.mask, true, update.cause, update.hold};
        break;
      case GroupChange::kVanished:
        EXPECT_EQ(groups.erase(id), 1u) << "a group vanished that did not exist";
        break;
      case GroupChange::kHeld:
        ASSERT_TRUE(groups.contains(id)) << "a group is held that does not exist";
        groups[id].hold = update.hold;
        break;
      case GroupChange::kWatches:
        ASSERT_TRUE(groups.contains(id)) << "a group watches that does not exist";
        groups[id].watch = update.watch;
        break;
      case GroupChange::kJoined:
        ASSERT_TRUE(groups.contains(id)) << "lanes join a group that does not exist";
        groups[id].mask = update.mask;
        break;
    }
  }

  // Events. Without a group: the only one of AWARE.
  void launch(char block, LaneMask lanes, WarpId warp = WarpId{0}) {
    ControlFlowRequest r = event(ControlFlowEvent::kLaunch, GroupId{}, pc(block));
    r.warp = warp;
    r.mask = lanes;
    send(r);
  }
  bool branch(GroupId group, Pc target, LaneMask taken, Pc next, Pc rpc) {
    ControlFlowRequest r = event(Transfer::kJump, group, next);
    r.taken = taken;
    r.target = target;
    r.rpc = rpc;
    return send(r).diverged;
  }
  bool branch(char target, const char* taken, char next, char rpc) {
    return branch(GroupId{0}, pc(target), mask(taken), pc(next), pc(rpc));
  }
  void go(GroupId group, Pc to) {
    if (groups[group].watch == to)
      send(event(ControlFlowEvent::kAdvance, group, to));
    else
      groups[group].pc = to;
  }
  void go(char to) { go(GroupId{0}, pc(to)); }
  void exit(GroupId group, LaneMask lanes, Pc next) {
    ControlFlowRequest r = event(ControlFlowEvent::kExit, group, next);
    r.mask = lanes;
    send(r);
  }
  void barrier(GroupId group, Pc next) { send(event(ControlFlowEvent::kBarrierArrive, group, next)); }
  void release(LaneMask lanes) {
    ControlFlowRequest r = event(ControlFlowEvent::kBarrierRelease, GroupId{}, kNoPc);
    r.mask = lanes;
    send(r);
  }
  ControlFlowRequest call(GroupId group, Pc target, LaneMask taken, Pc next) {
    ControlFlowRequest r = event(Transfer::kCall, group, next);
    r.taken = taken;
    r.target = target;
    return send(r);
  }
  /// Lane l goes to by_lane[l].
  ControlFlowRequest indirect(Transfer kind, GroupId group, const std::vector<Pc>& by_lane, LaneMask taken,
                              Pc next, Pc rpc = kNoPc) {
    std::array<Pc, base::kLanes> targets{};
    std::copy(by_lane.begin(), by_lane.end(), targets.begin());
    ControlFlowRequest r = event(kind, group, next);
    r.taken = taken;
    r.lane_target = targets.data();
    r.rpc = rpc;
    return send(r);
  }
  void leave(GroupId group, Pc to, LaneMask taken, Pc next) {
    indirect(Transfer::kReturn, group, std::vector<Pc>(base::kLanes, to), taken, next);
  }
  /// Serves timers and retries that are due at `now`, as often as the unit wants.
  void tick(Cycle now) {
    cycle = now;
    while (due <= cycle) {
      ControlFlowRequest r = event(ControlFlowEvent::kTick, GroupId{}, kNoPc);
      send(r);
    }
  }
  template <class Kind>
  ControlFlowRequest event(Kind kind, GroupId group, Pc next) {
    ControlFlowRequest r;
    r.set(kind);
    r.group = group;
    r.warp = WarpId{group.value() / unit.traits().groups_per_warp};
    r.next = next;
    if (groups.contains(group)) r.mask = groups[group].mask;
    return r;
  }
  /// The group at that PC.
  GroupId at(Pc where) {
    for (const auto& [id, group] : groups)
      if (group.pc == where) return id;
    ADD_FAILURE() << "no group at " << pc_name(where);
    return GroupId{0};
  }
  GroupId at(char block) { return at(pc(block)); }

  // The tables of warp 0, printed as in the specification.
  nlohmann::ordered_json table(WarpId warp = WarpId{0}) {
    nlohmann::ordered_json json;
    ControlFlowRequest r;
    r.warp = warp;
    r.table = &json;
    branch_isock.inspect(r);
    return json;
  }
  static std::string short_mask(const nlohmann::ordered_json& row, const char* key, unsigned lanes) {
    const std::string text = row.at(key).get<std::string>();
    return text.substr(text.size() - lanes);
  }
  /// "B G 0101 | C G 1010", sorted.
  std::string st(unsigned lanes = 4) {
    const nlohmann::ordered_json json = table();
    std::vector<std::string> rows;
    for (const auto& row : json.at("st"))
      rows.push_back(fmt::format("{} {} {}", pc_name(pc_in(row.at("pc"))), pc_name(pc_in(row.at("rpc"))),
                                 short_mask(row, "mask", lanes)));
    std::sort(rows.begin(), rows.end());
    return fmt::format("{}", fmt::join(rows, " | "));
  }
  /// "G - 1111/1111 | F G 1010/1010", in the order of their numbers.
  std::string rt(unsigned lanes = 4) {
    const nlohmann::ordered_json json = table();
    std::vector<std::string> rows;
    for (const auto& row : json.at("rt"))
      rows.push_back(fmt::format("{} {} {}/{}", pc_name(pc_in(row.at("pc"))), pc_name(pc_in(row.at("rpc"))),
                                 short_mask(row, "rec", lanes), short_mask(row, "pend", lanes)));
    return fmt::format("{}", fmt::join(rows, " | "));
  }
  /// "C1010 B0101", front first; a blocked split is marked with '*'.
  std::string fifo(unsigned lanes = 4) {
    const nlohmann::ordered_json json = table();
    std::vector<std::string> splits;
    for (const auto& id : json.at("fifo"))
      for (const auto& row : json.at("st"))
        if (row.at("id") == id)
          splits.push_back(fmt::format("{}{}{}", pc_name(pc_in(row.at("pc"))), short_mask(row, "mask", lanes),
                                       row.contains("blocked") ? "*" : ""));
    return fmt::format("{}", fmt::join(splits, " "));
  }
  std::vector<SuspendedLanes> suspended() {
    std::vector<SuspendedLanes> list;
    ControlFlowRequest r;
    r.suspended = &list;
    branch_isock.inspect(r);
    return list;
  }
  std::vector<RunnableSplit> runnable() {
    std::vector<RunnableSplit> list;
    ControlFlowRequest r;
    r.runnable = &list;
    branch_isock.inspect(r);
    return list;
  }
  std::uint64_t digest(LaneMask lanes) {
    ControlFlowRequest r;
    r.mask = lanes;
    branch_isock.inspect(r);
    return r.digest;
  }

  void serve_progress(GroupProgress& progress) { progress.next = groups.at(progress.group).pc; }
  void serve_memory(TableEntryTransfer& transfer) {
    transfer.accepted = accept == nullptr || accept();
    if (!transfer.accepted) return;
    const auto key = std::tuple(transfer.warp.value(), transfer.table, transfer.entry);
    if (transfer.op == TableEntryTransfer::Op::kSpill) {
      ++spills;
      EXPECT_EQ(transfer.word_count, transfer.table == TableEntryTransfer::Table::kSplit ? 3u : 4u);
      memory[key] = transfer.words;
    } else {
      EXPECT_TRUE(memory.contains(key)) << "a fill of what was never spilled";
      fills.push_back(transfer);
    }
  }
  /// Completes the oldest fill.
  void fill() {
    TableEntryTransfer transfer = fills.front();
    fills.erase(fills.begin());
    transfer.words = memory.at(std::tuple(transfer.warp.value(), transfer.table, transfer.entry));
    ControlFlowRequest r = event(ControlFlowEvent::kTableFilled, GroupId{}, kNoPc);
    r.warp = transfer.warp;
    r.filled = &transfer;
    send(r);
  }

  base::StatGroup stats;
  ControlFlowUnit unit;
  std::map<GroupId, Group> groups;
  std::vector<GroupUpdate> answered;  ///< by the last event
  Cycle cycle = 0;
  Cycle due = kNever;
  std::uint32_t busy = 0;  ///< bit per scheduler: its latch is taken
  bool may_go_on = false;  ///< the mechanism may leave out that a group goes on
  std::map<std::tuple<std::uint32_t, TableEntryTransfer::Table, std::uint32_t>, std::array<std::uint32_t, 4>>
      memory;
  std::vector<TableEntryTransfer> fills;  ///< on their way
  std::uint64_t spills = 0;
  std::function<bool()> accept;  ///< in flight
  sim::BlockInitiator<ControlFlowProtocol> branch_isock{"branch_isock"};
  sim::BlockTarget<GroupProgressProtocol, SimtRig, &SimtRig::serve_progress> progress_tsock{"progress_tsock",
                                                                                            this};
  sim::BlockTarget<TableMemoryProtocol, SimtRig, &SimtRig::serve_memory> memory_tsock{"memory_tsock", this};
};

inline ControlFlowConfig on(const std::string& mechanism) {
  ControlFlowConfig config({simt_stack_mechanism(), aware_mechanism(), multi_path_mechanism()});
  config.mechanism = mechanism;
  return config;
}
inline ControlFlowConfig aware() { return on(Aware::kName); }
inline ControlFlowConfig multi_path(std::uint32_t paths = 32, bool opportunistic = false) {
  ControlFlowConfig config = on(MultiPath::kName);
  config.get<MultiPathConfig>() = {paths, opportunistic};
  return config;
}

/// Its branch unit as a clocked block.
inline ControlFlowConfig clocked(ControlFlowConfig config, std::uint32_t stall_seed = 0) {
  auto& unit = config.clocked_block(ClockedSplits::kBlock);
  unit.timing = sim::Timing::kContract;
  unit.stall_seed = stall_seed;
  return config;
}

}  // namespace heddle::simt
