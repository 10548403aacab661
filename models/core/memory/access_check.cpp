#include "core/memory/access_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace heddle::core {
namespace {

std::uint32_t special(const WarpContext& warp, isa::SpecialRow row, unsigned lane) {
  std::uint32_t value = 0;
  std::memcpy(&value, warp.special.data() + isa::special_offset(row) + lane * std::size_t{4}, 4);
  return value;
}

const char* verb(isa::Opcode op) {
  return op == isa::Opcode::kLoad ? "load" : op == isa::Opcode::kStore ? "store" : "atomic access";
}

[[noreturn]] void fault(const AccessSite& site, unsigned lane, const std::string& message,
                        const std::string& remedy) {
  const isa::Kernel& kernel = *site.launch->kernel;
  throw base::KernelFault(
      kernel.place(site.pc),
      fmt::format("{}: {}\n  {}", thread_name(site, lane), message, kernel.source_line(site.pc)), remedy);
}

void check_lane(const AccessSite& site, isa::StateSpace space, std::uint64_t at, unsigned lane,
                unsigned bytes, bool inside, std::uint64_t limit, const host::AllocationTable* allocations) {
  if ((at & (bytes - 1)) != 0)
    fault(site, lane,
          fmt::format("misaligned {}-byte {} at {} address 0x{:x}", bytes, verb(site.instruction->op),
                      isa::space_name(space), at),
          fmt::format("the address must be a multiple of {}", bytes));
  if (inside) return;
  if (allocations != nullptr)
    fault(site, lane,
          fmt::format("out-of-bounds {}-byte {} at address 0x{:x}: {}", bytes, verb(site.instruction->op), at,
                      allocations->describe(at)),
          "check the index computation against the buffer sizes of the launch");
  if (space == isa::StateSpace::kParam)
    fault(site, lane, fmt::format("parameter access at offset {} of {} bytes", at, limit),
          "check the index into the parameter");
  const isa::Kernel& kernel = *site.launch->kernel;
  if (space == isa::StateSpace::kLocal && kernel.uses_stack && at >= kernel.local_bytes_per_thread)
    fault(
        site, lane,
        fmt::format("stack overflow: {}-byte {} at stack offset 0x{:x}, but the thread's stack has {} bytes",
                    bytes, verb(site.instruction->op), at - kernel.local_bytes_per_thread,
                    limit - kernel.local_bytes_per_thread),
        "check that the recursion ends, or give threads more (--set stack_bytes_per_thread=...)");
  fault(site, lane,
        fmt::format("out-of-bounds {}-byte {} at {} offset 0x{:x}: the {} has {} bytes of it", bytes,
                    verb(site.instruction->op), isa::space_name(space), at,
                    space == isa::StateSpace::kShared ? "CTA" : "thread", limit),
        space == isa::StateSpace::kShared ? "check the index, or give the launch more dynamic shared memory"
                                          : "check the index computation");
}

}  // namespace

std::string thread_name(const AccessSite& site, unsigned lane) {
  using isa::SpecialRow;
  return fmt::format("thread ({},{},{}) of CTA ({},{},{})", special(*site.warp, SpecialRow::kTidX, lane),
                     special(*site.warp, SpecialRow::kTidY, lane),
                     special(*site.warp, SpecialRow::kTidZ, lane), site.cta->id.x, site.cta->id.y,
                     site.cta->id.z);
}

void check_access(const AccessSite& site, isa::StateSpace space, const MemoryInstruction& op,
                  const AddressPattern& pattern, LaneMask lanes, std::uint64_t limit,
                  const host::AllocationTable* allocations) {
  const unsigned bytes = op.bytes;
  const auto inside = [&](std::uint64_t first, std::uint64_t last) {
    if (allocations != nullptr)
      return last <= last + bytes && allocations->contains(first, last - first + bytes);
    return last < limit && bytes <= limit - last;
  };
  // The common case: many lanes at once. `bits`: one element of a pattern speaks for the alignment of all.
  const auto good = [&](std::uint64_t low, std::uint64_t high, std::uint64_t bits) {
    return (bits & (bytes - 1)) == 0 && low <= high && inside(low, high);
  };
  switch (pattern.shape) {
    case Shape::kUniform:
    case Shape::kUnitStride:
      if (good(pattern.first, pattern.last, pattern.first)) return;
      break;
    case Shape::kRuns: {
      bool all = true;
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
  const LaneOffsets places{lanes, pattern.shape, 0, 0, op.address.data(), &op.runs};
  lanes.for_each([&](unsigned lane) {
    const std::uint64_t at = (simple ? pattern.first : 0) + places.offset(lane, bytes);
    check_lane(site, space, at, lane, bytes, inside(at, at), limit, allocations);
  });
}

}  // namespace heddle::core
