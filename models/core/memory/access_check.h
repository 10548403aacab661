// Bounds and alignment of every access, with the message a kernel author needs.
#pragma once

#include "core/memory/memory_instruction.h"
#include "host/allocation.h"

namespace heddle::core {

/// Where an access happens, for messages.
struct AccessSite {
  const LaunchContext* launch = nullptr;
  const CtaContext* cta = nullptr;
  const WarpContext* warp = nullptr;
  Pc pc{};
  const isa::Instruction* instruction = nullptr;
};

/// Throws base::KernelFault for the lowest lane of `lanes` that is misaligned or outside [0, limit) (shared,
/// local, parameters) or outside every allocation (`allocations` not null). The addresses are those of the
/// pattern, or if that says so of op.runs or op.address.
void check_access(const AccessSite& site, isa::StateSpace space, const MemoryInstruction& op,
                  const AddressPattern& pattern, LaneMask lanes, std::uint64_t limit,
                  const host::AllocationTable* allocations);

/// "thread (3,0,0) of CTA (1,0,0)"
[[nodiscard]] std::string thread_name(const AccessSite& site, unsigned lane);

}  // namespace heddle::core
