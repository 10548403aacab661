#include "core/issue/issue_gate.h"

#include <bit>
#include <stdexcept>

#include "core/issue/guards.h"

namespace heddle::core {

std::uint32_t IssueGates::add(IssueGate& gate) {
  if (gates_.size() == kIssueGates) throw std::length_error("a core has at most 8 issue gates");
  gates_.push_back(&gate);
  return static_cast<std::uint32_t>(gates_.size() - 1);
}

std::uint8_t IssueGates::interested(const isa::Instruction& instruction, Pc pc) {
  std::uint8_t bits = 0;
  for (std::uint32_t gate = 0; gate < gates_.size(); ++gate) {
    IssueGateRequest ask{
        .op = IssueGateRequest::Op::kInterest, .gate = gate, .instruction = &instruction, .pc = pc};
    gates_[gate]->serve(ask);
    if (ask.closed) bits |= bit(gate);
  }
  return bits;
}

void IssueGates::close(std::uint32_t gate, WarpId warp) {
  state_.gates_of_warp[warp.value()] |= bit(gate);
  for (const GroupId id : state_.groups_of_warp[warp.value()]) state_.groups[id].gates |= bit(gate);
}

void IssueGates::open(std::uint32_t gate, WarpId warp) {
  state_.gates_of_warp[warp.value()] &= static_cast<std::uint8_t>(~bit(gate));
  for (const GroupId id : state_.groups_of_warp[warp.value()]) arm(state_.groups[id]);
}

void IssueGates::hold(IssueTable::Group& group, simt::Hold hold) const {
  group.hold = hold;
  arm(group);
}

void IssueGates::arm(IssueTable::Group& group) const {
  unsigned gates = group.hold == simt::Hold::kNothing ? 0 : bit(kHoldGate);
  state_.for_each_slice(group, LaneMask::all(),
                        [&](WarpId home, LaneMask) { gates |= state_.gates_of_warp[home.value()]; });
  group.gates = static_cast<std::uint8_t>(gates);
}

std::optional<std::uint32_t> IssueGates::closed(GroupId id) {
  const IssueTable::Group& group = state_.groups[id];
  for (unsigned asked = state_.facts[group.pc.value()].gates & group.gates; asked != 0; asked &= asked - 1) {
    const auto gate = static_cast<std::uint32_t>(std::countr_zero(asked));
    const isa::Instruction& head = state_.instruction(group.pc);
    IssueGateRequest ask{.op = IssueGateRequest::Op::kAsk,
                         .gate = gate,
                         .instruction = &head,
                         .pc = group.pc,
                         .group = id,
                         .warp = group.warp,
                         .mask = group.mask,
                         .exec = guarded(state_, group, head)};
    gates_[gate]->serve(ask);
    if (ask.closed) return gate;
  }
  return std::nullopt;
}

void HoldGate::serve(IssueGateRequest& request) {
  if (request.op == IssueGateRequest::Op::kInterest) {
    request.closed = true;
    return;
  }
  const simt::Hold hold = state_.groups[request.group].hold;
  request.closed = hold == simt::Hold::kEverything ||
                   (hold == simt::Hold::kBranches && request.instruction->transfer != isa::Transfer::kNone);
}

}  // namespace heddle::core
