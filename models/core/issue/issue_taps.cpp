#include "core/issue/issue_taps.h"

#include <bit>
#include <cstring>
#include <stdexcept>

#include "core/issue/operands.h"

namespace heddle::core {

namespace {

class GroupOperands final : public OperandReader, public PathReader {
 public:
  GroupOperands(const CoreState& state, simt::ControlFlowPort& control_flow, const IssueTable::Group& group)
      : state_(state), control_flow_(control_flow), group_(group) {}
  [[nodiscard]] std::uint32_t runnable_splits(WarpId warp) const override {
    return static_cast<std::uint32_t>(control_flow_.runnable(warp).size());
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
  simt::ControlFlowPort& control_flow_;
  const IssueTable::Group& group_;
};

}  // namespace

void IssueTaps::add(std::vector<IssueTapPort*> sockets) {
  if (taps_.size() == kIssueTaps) throw std::length_error("a core has at most 8 issue taps");
  taps_.push_back(std::move(sockets));
}

std::uint8_t IssueTaps::interested(const isa::Instruction& instruction, Pc pc) {
  unsigned bits = 0;
  for (std::size_t tap = 0; tap < taps_.size(); ++tap)
    for (IssueTapPort* const socket : taps_[tap])
      if (socket->wants(instruction, pc, state_.launch)) bits |= 1u << tap;
  return static_cast<std::uint8_t>(bits);
}

void IssueTaps::tell(unsigned taps, GroupId id, LaneMask exec) {
  const IssueTable::Group& group = state_.groups[id];
  const GroupOperands operands(state_, control_flow_, group);
  IssueTapRequest issue{.op = IssueTapRequest::Op::kIssue,
                        .instruction = &state_.instruction(group.pc),
                        .pc = group.pc,
                        .cycle = state_.now,
                        .group = id,
                        .warp = group.warp,
                        .scheduler = group.scheduler,
                        .mask = group.mask,
                        .exec = exec,
                        .operands = &operands,
                        .paths = &operands};
  for (; taps != 0; taps &= taps - 1) {
    const auto& sockets = taps_[static_cast<unsigned>(std::countr_zero(taps))];
    sockets[sockets.size() == 1 ? 0 : group.scheduler]->issues(issue);
  }
}

}  // namespace heddle::core
