// Hanoi as the tables of the worked examples [Hanoi:G1] to [Hanoi:G13b] show it: instructions by name, the state
// after each as one line. X is the first instruction of block X, X' the one behind its BSYNC or WARPSYNC; masks
// are written MSB..LSB, tops are rightmost.
#pragma once

#include <set>

#include "blocks/simt/rig.h"
#include "simt/hanoi/hanoi.h"

namespace heddle::simt {

inline ControlFlowConfig hanoi(HanoiConfig options = {}, FirstSide first = FirstSide::kTaken) {
  ControlFlowConfig config({hanoi_mechanism()});
  config.mechanism = Hanoi::kName;
  config.first_side = first;
  config.get<HanoiConfig>() = options;
  return config;
}
inline HanoiConfig profile(HanoiProfile of) {
  HanoiConfig config;
  config.profile = of;
  return config;
}

class HanoiRig : public SimtRig {
 public:
  explicit HanoiRig(const ControlFlowConfig& config, unsigned lanes = 4) : SimtRig(config), lanes_(lanes) {
    may_go_on = true;
  }

  void start(char block, const std::string& lanes) { launch(block, mask(lanes)); }
  /// X', `behind` instructions into block X.
  static Pc behind(char block, std::uint32_t instructions = 1) { return pc(block, instructions); }

  void bssy(std::uint32_t b, Pc resume) {
    primes_.insert(resume.value());
    ConvergenceOperation op{.op = ConvergenceOp::kSet, .barrier = b, .point = resume};
    converge(op);
  }
  /// `lanes`: for which the guard holds; empty: all.
  void bsync(std::uint32_t b, const std::string& lanes = "") {
    ConvergenceOperation op{.op = ConvergenceOp::kSync, .barrier = b};
    converge(op, lanes);
  }
  void break_from(std::uint32_t b, const std::string& lanes) {
    ConvergenceOperation op{.op = ConvergenceOp::kBreak, .barrier = b};
    converge(op, lanes);
  }
  /// BMOV Rx,Bx as published: the register is invalid afterwards.
  std::string spill(std::uint32_t b) {
    ConvergenceOperation op{.op = ConvergenceOp::kReadClear, .barrier = b};
    converge(op);
    return op.value.to_string(lanes_);
  }
  void restore(std::uint32_t b, const std::string& lanes) {
    ConvergenceOperation op{.op = ConvergenceOp::kWrite, .barrier = b, .value = mask(lanes)};
    converge(op);
  }
  void warpsync(const std::string& members, const std::string& lanes = "", const std::string& again = "",
                isa::WarpSyncKind kind = isa::WarpSyncKind::kPlain) {
    primes_.insert(here().pc.value() + 1);
    ConvergenceOperation op{
        .op = ConvergenceOp::kWarpSync, .barrier = static_cast<std::uint32_t>(kind), .value = mask(members)};
    converge(op, lanes, again);
  }
  /// Each of the running lanes names its own, lane 0 first.
  void warpsync_each(const std::vector<std::string>& of_lanes) {
    primes_.insert(here().pc.value() + 1);
    std::array<std::uint32_t, base::kLanes> members{};
    for (std::size_t lane = 0; lane < of_lanes.size(); ++lane) members[lane] = mask(of_lanes[lane]).bits();
    ConvergenceOperation op{.op = ConvergenceOp::kWarpSync, .members = members.data()};
    converge(op);
  }
  void yield() {
    ConvergenceOperation op{.op = ConvergenceOp::kYield};
    converge(op);
  }
  /// `taken` go to `target`, the others to `other`.
  void bra(char target, const std::string& taken, char other) {
    ControlFlowRequest r = event(Transfer::kJump, kGroup, pc(other));
    r.taken = mask(taken);
    r.target = pc(target);
    send_on(r);
  }
  /// These of the running lanes wait at a .sync instruction.
  void barrier_of(const std::string& lanes, Pc next) {
    ControlFlowRequest r = event(ControlFlowEvent::kBarrierArrive, kGroup, next);
    r.mask = mask(lanes);
    send(r);
  }
  void jump(Pc target) {
    ControlFlowRequest r = event(Transfer::kJump, kGroup, next());
    r.taken = here().mask;
    r.target = target;
    send_on(r);
  }
  void jump(char target) { jump(pc(target)); }
  void ret(const std::vector<Pc>& to) {
    std::array<Pc, base::kLanes> targets{};
    std::copy(to.begin(), to.end(), targets.begin());
    ControlFlowRequest r = event(Transfer::kReturn, kGroup, next());
    r.taken = here().mask;
    r.lane_target = targets.data();
    send_on(r);
  }
  void quit(const std::string& lanes) {
    ControlFlowRequest r = event(ControlFlowEvent::kExit, kGroup, next());
    r.mask = mask(lanes);
    send_on(r);
  }
  /// Another instruction.
  void step() {
    if (here().watch == next())
      send_on(event(ControlFlowEvent::kAdvance, kGroup, next()));
    else
      groups[kGroup].pc = next();
  }

  /// "F 0011 | B 1100"
  std::string ws() {
    return rows("ws", [&](const auto& row) { return name(row.at("pc")) + " " + low(row.at("mask")); });
  }
  /// "F' | E'"; dead entries have a +.
  std::string rec() {
    return rows("rec",
                [&](const auto& row) { return name(row.at("pc")) + (row.contains("dead") ? "+" : ""); });
  }
  std::string b(std::uint32_t number) {
    const nlohmann::ordered_json json = table();
    for (const auto& row : json.at("b"))
      if (row.at("barrier") == number) return low(row.at("mask"));
    return "inv";
  }
  std::string waiting() { return low(table().at("waiting")); }
  std::string finished() { return low(table().at("finished")); }
  /// A row of the specification's tables.
  void expect(const std::string& paths, const std::string& entries, const std::string& waits) {
    EXPECT_EQ(ws(), paths);
    EXPECT_EQ(rec(), entries);
    EXPECT_EQ(waiting(), waits);
  }

  std::string fault;  ///< of the last event

 private:
  Group& here() { return groups.at(kGroup); }
  Pc next() { return Pc{here().pc.value() + 1}; }

  void send_on(const ControlFlowRequest& request) {
    const char* const broken = send(request).fault;
    fault = broken == nullptr ? "" : broken;
    const bool moved = std::any_of(answered.begin(), answered.end(), [](const GroupUpdate& update) {
      return update.group == kGroup && update.change != GroupChange::kWatches;
    });
    if (!moved) groups[kGroup].pc = request.next;
  }
  void converge(ConvergenceOperation& op, const std::string& lanes = "", const std::string& again = "") {
    ControlFlowRequest r = event(ControlFlowEvent::kConvergence, kGroup, next());
    if (!lanes.empty()) r.mask = mask(lanes);
    if (!again.empty()) r.again = mask(again);
    r.convergence = &op;
    send_on(r);
  }

  std::string name(std::uint32_t at) const {
    return std::string(1, static_cast<char>('A' + at / 100)) + (primes_.contains(at) ? "'" : "");
  }
  [[nodiscard]] std::string low(const std::string& text) const { return text.substr(text.size() - lanes_); }
  template <class Show>
  std::string rows(const char* key, Show show) {
    const nlohmann::ordered_json json = table();
    std::vector<std::string> shown;
    for (const auto& row : json.at(key)) shown.push_back(show(row));
    return shown.empty() ? "-" : fmt::format("{}", fmt::join(shown, " | "));
  }

  unsigned lanes_;
  std::set<std::uint32_t> primes_;
};

}  // namespace heddle::simt
