#include "core/execute/member_masks.h"

#include <fmt/format.h>

#include <cstring>

#include "base/error.h"
#include "core/state/operand_rows.h"
#include "isa/convergence.h"
#include "isa/matrix_instruction.h"

namespace heddle::core {
namespace {

/// An exclusive or collective WARPSYNC lets the lanes of each mask go on by themselves: what follows takes those that run with it for
/// those of the mask. Without convergence barriers lanes that came together stay together.
void check_one_mask(const AccessSite& site, LaneMask exec, const std::array<std::uint32_t, kLanes>& members) {
  if (site.instruction->op != isa::Opcode::kWarpSync ||
      static_cast<isa::WarpSyncKind>(site.instruction->barrier) == isa::WarpSyncKind::kPlain)
    return;
  const std::uint32_t first = members[exec.lowest()];
  exec.for_each([&](unsigned lane) {
    if (members[lane] == first) return;
    const isa::Kernel& kernel = *site.launch->kernel;
    throw base::KernelFault(kernel.location(site.pc),
                            fmt::format("lanes that run together name several masks, {:#010x} and {:#010x}, "
                                        "each of which is to go on by itself\n  {}",
                                        first, members[lane], kernel.source_line(site.pc)),
                            "Run it with core.control_flow.mechanism=hanoi, or from its PTX: no other "
                            "mechanism parts lanes there.");
  });
}

}  // namespace

std::array<std::uint32_t, kLanes> members_of(const AccessSite& site, LaneMask exec) {
  const isa::Kernel& kernel = *site.launch->kernel;
  std::array<std::uint32_t, kLanes> members;
  const isa::Operand& mask = site.instruction->src[site.instruction->member_mask];
  std::memcpy(members.data(), row_of(site.launch->constants(), *site.warp, mask), sizeof members);
  exec.for_each([&](unsigned lane) {
    if ((members[lane] >> lane & 1u) != 0) return;
    throw base::KernelFault(
        kernel.location(site.pc),
        fmt::format("{} (lane {}) is not in its own member mask {:#010x}\n  {}", thread_name(site, lane),
                    lane, members[lane], kernel.source_line(site.pc)),
        "a .sync instruction must name every lane that executes it");
  });
  check_one_mask(site, exec, members);
  return members;
}

/// A matrix has elements of every lane.
void check_matrix(const isa::Kernel& kernel, Pc pc, LaneMask lanes) {
  if (lanes == LaneMask::all() || lanes.none() || !isa::takes_whole_warp(kernel.code[pc.value()])) return;
  throw base::KernelFault(kernel.location(pc),
                          fmt::format("an operation on matrices by a part of a warp: lanes {:#010x}\n  {}",
                                      lanes.bits(), kernel.source_line(pc)),
                          "all 32 threads of the warp must execute mma and movmatrix together");
}

void check_matrix_load(const isa::Kernel& kernel, Pc pc, LaneMask lanes) {
  if (lanes == LaneMask::all()) return;
  throw base::KernelFault(kernel.location(pc),
                          "a load of matrices by a part of a warp\n  " + kernel.source_line(pc),
                          "all 32 threads of the warp must execute ldmatrix together");
}

}  // namespace heddle::core
