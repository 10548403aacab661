// What must hold of the quanta of a core whatever the timing (preconditions.h): looked at while it runs.
#include <fmt/format.h>

#include "determinism/quantum_unit.h"

namespace heddle::determinism {

std::string QuantumUnit::wavefront_name(WarpId warp) const {
  return fmt::format("core {}, warp slot {}", site_.core.value(), warp.value());
}

void QuantumUnit::check_drained() {
  for (std::uint32_t w = 0; w < waves_.size(); ++w)
    if (!ask(WarpId{w}).quiet)
      return preconditions_.broken("[GPUDet:D3]", wavefront_name(WarpId{w}),
                                   "a commit begins with memory operations of its parallel mode under way");
}

void QuantumUnit::check_mapping(const core::CtaContext& cta) {
  const std::uint32_t first = cta.warps.front().value();
  bool fits = first % warps_per_cta_ == 0;
  for (std::uint32_t i = 0; i < cta.warps.size(); ++i) fits = fits && cta.warps[i].value() == first + i;
  if (!fits)
    preconditions_.broken(
        "[GPUDet:D9]", fmt::format("core {}", site_.core.value()),
        fmt::format("CTA {} does not have the {} warp slots of a CTA slot", cta.linear_id, warps_per_cta_));
}

void QuantumUnit::check_serial(const core::IssueTapRequest& issue) {
  if (mode_ == Mode::kSerialAtomics && serial_open_ && serial_[serial_next_ - 1] == issue.warp.value())
    return;
  preconditions_.broken("[GPUDet:D10]", place_of(*launch_, issue.pc),
                        wavefront_name(issue.warp) + " executes when it is not its turn in serial mode");
}

void QuantumUnit::check_issue(const core::IssueTapRequest& issue) {
  const Wave& of = wave(issue.warp);
  const char* what = nullptr;
  if (of.state != State::kParallel)
    what = " executes although its parallel mode has ended";
  else if (takes_turns() && issue.group != of.turn)
    what = " executes lanes whose turn it is not";
  else if ((issue.mask & of.at_barrier).any())
    what = " executes lanes that have not been let past their barrier";
  if (what != nullptr)
    preconditions_.broken("[GPUDet:D12]", place_of(*launch_, issue.pc), wavefront_name(issue.warp) + what);
}

void QuantumUnit::check_end(WarpId warp, EndReason reason) {
  const Wave& of = wave(warp);
  bool holds = of.count <= config_.quantum_size;
  switch (reason) {
    case EndReason::kCount:
      holds = of.count == config_.quantum_size;
      break;
    case EndReason::kExit:
      holds = holds && of.live.none();
      break;
    case EndReason::kLogFull:
      holds = holds && ask(warp).entries + base::kLanes > config_.log.capacity;
      break;
    case EndReason::kBarrier:
      site_.groups.groups(warp, groups_);
      for (const core::GroupState& group : groups_) holds = holds && group.waits;
      break;
    case EndReason::kNone:
      holds = false;
      break;
    case EndReason::kAtomic:
    case EndReason::kFence:
      break;  // the instruction is the reason
  }
  if (!holds)
    preconditions_.broken(
        "[GPUDet:D12]", wavefront_name(warp),
        fmt::format("its parallel mode ends after {} instructions by '{}', which does not hold", of.count,
                    kEndReasonNames.at(static_cast<std::size_t>(reason))));
}

}  // namespace heddle::determinism
