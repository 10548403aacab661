#include "core/issue/issue_taps.h"

#include <bit>
#include <cstring>
#include <stdexcept>

#include "core/execute/operands.h"

namespace heddle::core {

namespace {

class GroupOperands final : public OperandReader, public PathReader {
 public:
  GroupOperands(const CoreState& state, PathControl& paths, const IssueTable::Group& group)
      : state_(state), paths_(paths), group_(group) {}
  [[nodiscard]] std::uint32_t runnable_splits(WarpId warp) const override {
    return static_cast<std::uint32_t>(paths_.runnable_splits(warp).size());
  }
  [[nodiscard]] WarpId home(unsigned lane) const override { return state_.home(group_, lane); }
  [[nodiscard]] LaneMask live(WarpId home) const override { return state_.warp(home).live; }
  [[nodiscard]] std::uint32_t homes(LaneMask lanes) const override {
    return state_.formations.homes(group_.formation, lanes);
  }
  [[nodiscard]] std::uint64_t value(const isa::Operand& operand, unsigned lane) const override {
    if (operand.width != isa::RowWidth::kPredicate) return lane_of(state_, group_, operand, lane);
    std::uint32_t lanes = 0;
    std::memcpy(&lanes, row_of(state_, state_.warp(state_.home(group_, lane)), operand), sizeof lanes);
    return lanes >> lane & 1u;
  }

 private:
  const CoreState& state_;
  PathControl& paths_;
  const IssueTable::Group& group_;
};

}  // namespace

void IssueTaps::add(std::vector<sim::BlockInitiator<IssueTapProtocol>*> sockets) {
  if (taps_.size() == kIssueTaps) throw std::length_error("a core has at most 8 issue taps");
  taps_.push_back(std::move(sockets));
}

std::uint8_t IssueTaps::interested(const isa::Instruction& instruction, Pc pc) {
  unsigned bits = 0;
  for (std::size_t tap = 0; tap < taps_.size(); ++tap)
    for (sim::BlockInitiator<IssueTapProtocol>* const socket : taps_[tap]) {
      IssueTapRequest ask;
      ask.op = IssueTapRequest::Op::kInterest;
      ask.instruction = &instruction;
      ask.pc = pc;
      ask.launch = state_.launch;
      socket->call(ask);
      if (ask.wanted) bits |= 1u << tap;
    }
  return static_cast<std::uint8_t>(bits);
}

void IssueTaps::tell(unsigned taps, GroupId id, LaneMask exec) {
  const IssueTable::Group& group = state_.groups[id];
  const GroupOperands operands(state_, paths_, group);
  IssueTapRequest issues;
  issues.instruction = &state_.instruction(group.pc);
  issues.pc = group.pc;
  issues.cycle = state_.now;
  issues.group = id;
  issues.warp = group.warp;
  issues.scheduler = group.scheduler;
  issues.mask = group.mask;
  issues.exec = exec;
  issues.operands = &operands;
  issues.paths = &operands;
  for (; taps != 0; taps &= taps - 1) {
    const auto& sockets = taps_[static_cast<unsigned>(std::countr_zero(taps))];
    sockets[sockets.size() == 1 ? 0 : group.scheduler]->call(issues);
  }
}

}  // namespace heddle::core
