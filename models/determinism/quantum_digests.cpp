#include "determinism/quantum_digests.h"

namespace heddle::determinism {
namespace {

/// What a lane writes, and where.
void add_write(core::Hash& writes, const core::IssueTapRequest& issue, unsigned lane) {
  const auto add = [&](const isa::Operand& row) {
    if (row.present) writes.add(issue.operands->value(row, lane));
  };
  writes.add(lane);
  for (const isa::Operand& row : issue.instruction->memory.rows()) add(row);
  for (const isa::Operand& source : issue.instruction->src) add(source);
}

}  // namespace

void QuantumDigests::issued(const core::IssueTapRequest& issue) {
  Wave& of = waves_[issue.warp.value()];
  if (of.entered == 0) of.entered = groups_.digest(issue.warp);
  of.path.add(issue.pc.value());
  of.path.add(issue.exec.bits());
  const isa::Instruction& instruction = *issue.instruction;
  if (instruction.op != isa::Opcode::kStore && instruction.op != isa::Opcode::kAtomic) return;
  of.writes.add(issue.pc.value());
  issue.exec.for_each([&](unsigned lane) { add_write(of.writes, issue, lane); });
}

std::uint64_t QuantumDigests::states(const std::vector<End>& ends) const {
  core::Hash hash;
  for (std::uint32_t w = 0; w < waves_.size(); ++w) {
    const End& end = ends[w];
    hash.add(waves_[w].writes.value());
    if (!end.runs) continue;
    hash.add(w);
    hash.add(static_cast<std::uint64_t>(end.reason));
    hash.add(end.count);
    hash.add(end.kept.bits());
    hash.add(end.turn.value());
    hash.add(groups_.digest(base::WarpId{w}));
  }
  return hash.value();
}

std::uint64_t QuantumDigests::paths(const std::vector<End>& ends) const {
  core::Hash hash;
  for (std::uint32_t w = 0; w < waves_.size(); ++w) {
    const Wave& of = waves_[w];
    const End& end = ends[w];
    hash.add(of.writes.value());
    hash.add(of.path.value());
    hash.add(of.entered);
    if (!end.runs) continue;
    hash.add(w);
    hash.add(end.live.bits());
    hash.add(end.kept.bits());
    hash.add(end.turn.value());
    // When the writes before a fence are performed decides when its lanes go on; where they are then, `entered` of the
    // next quantum says.
    if (end.reason != EndReason::kFence) hash.add(groups_.digest(base::WarpId{w}));
  }
  return hash.value();
}

}  // namespace heddle::determinism
