#include "core/memory/access_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "isa/matrix_instruction.h"

namespace heddle::core {
namespace {

std::string name_of(const std::byte* special, const CtaContext* cta, unsigned lane) {
  using isa::SpecialRow;
  const auto value = [special, lane](SpecialRow row) {
    std::uint32_t of_lane = 0;
    if (special != nullptr)
      std::memcpy(&of_lane, special + isa::special_offset(row) + lane * sizeof of_lane, sizeof of_lane);
    return of_lane;
  };
  const host::Dim3 id = cta != nullptr ? cta->id : host::Dim3{};
  return fmt::format("thread ({},{},{}) of CTA ({},{},{})", value(SpecialRow::kTidX),
                     value(SpecialRow::kTidY), value(SpecialRow::kTidZ), id.x, id.y, id.z);
}

bool checks_stores(const isa::Instruction& instruction) {
  return instruction.op == isa::Opcode::kLoadMatrix && (instruction.immediate & isa::kChecksStores) != 0;
}

const char* verb(const isa::Instruction& instruction) {
  switch (instruction.op) {
    case isa::Opcode::kLoadMatrix:
      return checks_stores(instruction) ? "store" : "load";
    case isa::Opcode::kLoad:
      return "load";
    case isa::Opcode::kStore:
    case isa::Opcode::kSurfaceStore:
      return "store";
    case isa::Opcode::kAsyncCopy:
      return "copy";
    default:
      return "atomic access";
  }
}

/// Of device memory.
bool reads_only(isa::Opcode op) { return op == isa::Opcode::kLoad || op == isa::Opcode::kAsyncCopy; }

/// The lane of an access.
struct AccessLane {
  const AccessContext& context;
  const MemoryInstruction& op;
  unsigned lane;
};

[[noreturn]] void fault(const AccessLane& site, const std::string& message, const std::string& remedy) {
  const isa::Kernel& kernel = *site.context.launch->kernel;
  const MemorySlice& slice = site.op.slice(site.lane);
  const std::string thread =
      name_of(slice.special, slice.cta != nullptr ? slice.cta : site.context.cta, site.lane);
  throw base::KernelFault(kernel.location(site.context.pc),
                          fmt::format("{}: {}\n  {}", thread, message, kernel.source_line(site.context.pc)),
                          remedy);
}

/// What addresses have to be multiples of.
std::uint64_t alignment_of(const MemoryInstruction& op) {
  const isa::Instruction& instruction = *op.instruction;
  const bool plain = instruction.op == isa::Opcode::kLoad || instruction.op == isa::Opcode::kStore ||
                     instruction.op == isa::Opcode::kAtomic;
  return plain ? std::max<std::uint64_t>(op.bytes, instruction.immediate) : op.bytes;
}

void check_lane(const AccessLane& site, isa::StateSpace space, std::uint64_t at, bool inside,
                std::uint64_t limit, const host::AllocationTable* allocations) {
  const unsigned bytes = site.op.bytes;
  const isa::Instruction& instruction = *site.op.instruction;
  if (instruction.op == isa::Opcode::kLoadMatrix && at > 0xffff'ffffu)
    fault(site, fmt::format("generic address 0x{:x} is not in shared memory", at + isa::kSharedWindowBase),
          fmt::format("{} shared memory: give it the address of a .shared variable",
                      checks_stores(instruction) ? "stmatrix writes" : "ldmatrix reads"));
  const std::uint64_t alignment = alignment_of(site.op);
  if ((at & (alignment - 1)) != 0)
    fault(site,
          fmt::format("misaligned {}-byte {} at {} address 0x{:x}", std::max<std::uint64_t>(bytes, alignment),
                      verb(instruction), isa::space_name(space), at),
          fmt::format("the address must be a multiple of {}", alignment));
  if (inside) return;
  if (allocations != nullptr && allocations->tolerates(at, bytes) &&
      site.context.launch->services != nullptr) {
    const auto& kernel = site.context.launch->kernel;
    KernelServices& services = *site.context.launch->services;
    if (services.is_first_stray(kernel, site.context.pc))
      services.tell_stray(kernel->location(site.context.pc),
                          fmt::format("{}-byte {} at address 0x{:x}: {}", bytes, verb(instruction), at,
                                      allocations->describe_refused(at)));
    return;
  }
  if (allocations != nullptr)
    fault(site,
          fmt::format("out-of-bounds {}-byte {} at address 0x{:x}: {}", bytes, verb(instruction), at,
                      allocations->describe_refused(at)),
          "check the index computation against the buffer sizes of the launch");
  if (space == isa::StateSpace::kParam)
    fault(site, fmt::format("parameter access at offset {} of {} bytes", at, limit),
          "check the index into the parameter");
  const isa::Kernel& kernel = *site.context.launch->kernel;
  if (space == isa::StateSpace::kLocal && kernel.uses_stack && at >= kernel.local_bytes_per_thread)
    fault(site,
          fmt::format(
              "stack overflow: {}-byte {} at stack offset 0x{:x}, but the thread's stack has {} bytes", bytes,
              verb(instruction), at - kernel.local_bytes_per_thread, limit - kernel.local_bytes_per_thread),
          "check that the recursion ends, or give threads more (--set stack_bytes_per_thread=...)");
  fault(site,
        fmt::format("out-of-bounds {}-byte {} at {} offset 0x{:x}: the {} has {} bytes of it", bytes,
                    verb(instruction), isa::space_name(space), at,
                    space == isa::StateSpace::kShared ? "CTA" : "thread", limit),
        space == isa::StateSpace::kShared ? "check the index, or give the launch more dynamic shared memory"
                                          : "check the index computation");
}

}  // namespace

void fail_access(const AccessContext& context, const MemoryInstruction& op, unsigned lane,
                 const std::string& message, const std::string& remedy) {
  fault({context, op, lane}, message, remedy);
}

std::string thread_name(const AccessSite& site, unsigned lane) {
  return name_of(site.warp->special.data(), site.cta, lane);
}

void check_access(const AccessContext& context, isa::StateSpace space, const MemoryInstruction& op,
                  const AddressPattern& pattern, LaneMask lanes, std::uint64_t limit,
                  const host::AllocationTable* allocations) {
  const unsigned bytes = op.bytes;
  const std::uint64_t alignment = alignment_of(op);
  // Clients beside the core reach the device's own memory: logs, spilled tables.
  const host::Access access = op.client != LsuClient::kCore    ? host::Access::kDevice
                              : reads_only(op.instruction->op) ? host::Access::kKernelRead
                                                               : host::Access::kKernelWrite;
  const auto inside = [&](std::uint64_t first, std::uint64_t last) {
    if (allocations != nullptr)
      return last <= last + bytes && allocations->allows(access, first, last - first + bytes);
    return last < limit && bytes <= limit - last;
  };
  // The common case: many lanes at once. `bits`: one element of a pattern speaks for the alignment of all, unless that is
  // more than the pattern's step.
  const bool steps_align = alignment == bytes;
  const auto good = [&](std::uint64_t low, std::uint64_t high, std::uint64_t bits) {
    return (bits & (alignment - 1)) == 0 && low <= high && inside(low, high);
  };
  switch (pattern.shape) {
    case Shape::kUniform:
    case Shape::kUnitStride:
      if ((steps_align || pattern.shape == Shape::kUniform) &&
          good(pattern.first, pattern.last, pattern.first))
        return;
      break;
    case Shape::kRuns: {
      bool all = steps_align;
      for (unsigned r = 0; r < op.runs.count && all; ++r) {
        const LaneRun& run = op.runs.run[r];
        all = good(run.first, run.address(highest_lane(run.lanes), bytes), run.first);
      }
      if (all) return;
      break;
    }
    case Shape::kScattered: {
      std::uint64_t low = ~std::uint64_t{0};
      std::uint64_t high = 0;
      std::uint64_t bits = 0;
      lanes.for_each([&](unsigned lane) {
        low = std::min(low, op.address[lane]);
        high = std::max(high, op.address[lane]);
        bits |= op.address[lane];
      });
      if (good(low, high, bits)) return;
      break;
    }
  }
  const bool simple = pattern.shape == Shape::kUniform || pattern.shape == Shape::kUnitStride;
  const LaneOffsets offsets{lanes, pattern.shape, 0, 0, op.address.data(), &op.runs};
  lanes.for_each([&](unsigned lane) {
    const std::uint64_t at = (simple ? pattern.first : 0) + offsets.offset(lane, bytes);
    check_lane({context, op, lane}, space, at, inside(at, at), limit, allocations);
  });
}

}  // namespace heddle::core
