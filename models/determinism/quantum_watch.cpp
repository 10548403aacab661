#include "determinism/quantum_watch.h"

#include <fmt/format.h>

namespace heddle::determinism {

std::string QuantumWatch::wavefront_name(base::WarpId warp) const {
  return fmt::format("core {}, warp slot {}", core_.value(), warp.value());
}

void QuantumWatch::check_drained(base::WarpId warp, bool quiet) const {
  if (!on() || quiet) return;
  preconditions_.broken("[GPUDet:D3]", wavefront_name(warp),
                        "a commit begins with memory operations of its parallel mode under way");
}

void QuantumWatch::check_mapping(const core::CtaContext& cta, std::uint32_t warps_per_cta) const {
  if (!on()) return;
  const std::uint32_t first = cta.warps.front().value();
  bool fits = first % warps_per_cta == 0;
  for (std::uint32_t i = 0; i < cta.warps.size(); ++i) fits = fits && cta.warps[i].value() == first + i;
  if (!fits)
    preconditions_.broken(
        "[GPUDet:D9]", fmt::format("core {}", core_.value()),
        fmt::format("CTA {} does not have the {} warp slots of a CTA slot", cta.linear_id, warps_per_cta));
}

void QuantumWatch::check_serial(const core::IssueTapRequest& issue, bool its_turn) const {
  if (!on() || its_turn) return;
  preconditions_.broken("[GPUDet:D10]", place_of(*launch_, issue.pc),
                        wavefront_name(issue.warp) + " executes when it is not its turn in serial mode");
}

void QuantumWatch::check_issue(const core::IssueTapRequest& issue, bool parallel, bool its_turn,
                               base::LaneMask waiting) const {
  if (!on()) return;
  const char* what = nullptr;
  if (!parallel)
    what = " executes although its parallel mode has ended";
  else if (!its_turn)
    what = " executes lanes whose turn it is not";
  else if ((issue.mask & waiting).any())
    what = " executes lanes that have not been let past their barrier";
  if (what != nullptr)
    preconditions_.broken("[GPUDet:D12]", place_of(*launch_, issue.pc), wavefront_name(issue.warp) + what);
}

void QuantumWatch::check_end(base::WarpId warp, EndReason reason, std::uint32_t count, bool holds) const {
  if (!on() || holds) return;
  preconditions_.broken(
      "[GPUDet:D12]", wavefront_name(warp),
      fmt::format("its parallel mode ends after {} instructions by '{}', which does not hold", count,
                  kEndReasonNames.at(static_cast<std::size_t>(reason))));
}

}  // namespace heddle::determinism
