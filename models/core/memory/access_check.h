// Bounds and alignment of every access, with the message a kernel author needs.
#pragma once

#include "core/memory/memory_instruction.h"
#include "host/allocation.h"

namespace heddle::core {

/// An instruction of a warp, for messages.
struct AccessSite {
  const LaunchContext* launch = nullptr;
  const CtaContext* cta = nullptr;
  const WarpContext* warp = nullptr;
  Pc pc{};
  const isa::Instruction* instruction = nullptr;
};

/// Where the unit takes an operation, for messages.
struct AccessContext {
  const LaunchContext* launch = nullptr;
  const CtaContext* cta = nullptr;
  Pc pc{};
};

/// Throws base::KernelFault for the lowest lane of `lanes` that is misaligned or outside [0, limit) (shared,
/// local, parameters) or outside every allocation that kernels may access so (`allocations` not null). The addresses are those of the
/// pattern, or if that says so of op.runs or op.address. The message names the lane's own thread.
void check_access(const AccessContext& context, isa::StateSpace space, const MemoryInstruction& op,
                  const AddressPattern& pattern, LaneMask lanes, std::uint64_t limit,
                  const host::AllocationTable* allocations);

/// Throws base::KernelFault for a lane of the operation.
[[noreturn]] void fail_access(const AccessContext& context, const MemoryInstruction& op, unsigned lane,
                              const std::string& message, const std::string& remedy);

/// "thread (3,0,0) of CTA (1,0,0)"
[[nodiscard]] std::string thread_name(const AccessSite& site, unsigned lane);

}  // namespace heddle::core
