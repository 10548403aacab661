#include "core/execute/kernel_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "core/state/operand_rows.h"
#include "isa/mbarrier.h"

namespace heddle::core {
namespace {

std::uint64_t source_of(const AccessSite& site, unsigned source, unsigned lane) {
  return lane_of(site.launch->constants(), *site.warp, site.instruction->src[source], lane);
}

/// Of the launch; throws if there are none.
KernelServices& services(const AccessSite& site, unsigned lane) {
  if (site.launch->services != nullptr) return *site.launch->services;
  throw base::KernelFault(
      site.launch->kernel->location(site.pc),
      fmt::format("{} uses the heap, which nobody provides here", thread_name(site, lane)));
}

/// Whether the kernel reads the address of a cooperative launch's workspace.
bool reads_grid_workspace(const isa::Kernel& kernel) {
  const auto is_workspace = [](const isa::Operand& operand) {
    return operand.present && operand.space == isa::RowSpace::kSpecial &&
           (operand.offset == isa::special_offset(isa::SpecialRow::kGridWorkspaceLow) ||
            operand.offset == isa::special_offset(isa::SpecialRow::kGridWorkspaceHigh));
  };
  return std::any_of(kernel.code.begin(), kernel.code.end(), [&](const isa::Instruction& instruction) {
    return std::any_of(instruction.src.begin(), instruction.src.end(), is_workspace);
  });
}

}  // namespace

void fail_print(const AccessSite& site, unsigned lane, std::uint64_t address, const char* why) {
  throw base::KernelFault(
      site.launch->kernel->location(site.pc),
      fmt::format("{} prints from address 0x{:x}: {}", thread_name(site, lane), address, why),
      "check the pointers given to printf or assert");
}

void print(const AccessSite& site, WarpContext& warp, unsigned lane, const host::ReadBytes& read) {
  const host::Printed printed = host::format_print(read, source_of(site, 0, lane), source_of(site, 1, lane));
  site.launch->services->print(printed.text);
  const isa::Operand& dst = site.instruction->dst[0];
  if (dst.present)
    std::memcpy(warp.registers.data() + dst.offset + lane * std::size_t{4}, &printed.arguments, 4);
}

void allocate(const AccessSite& site, WarpContext& warp, unsigned lane) {
  const std::uint64_t address = services(site, lane).heap_allocate(source_of(site, 0, lane));
  const isa::Operand& dst = site.instruction->dst[0];
  if (dst.present)
    std::memcpy(warp.registers.data() + dst.offset + lane * sizeof address, &address, sizeof address);
}

void free(const AccessSite& site, unsigned lane) {
  const std::uint64_t address = source_of(site, 0, lane);
  if (const auto wrong = services(site, lane).heap_free(address))
    throw base::KernelFault(site.launch->kernel->location(site.pc),
                            fmt::format("{} frees 0x{:x}: {}", thread_name(site, lane), address, *wrong),
                            "free what malloc returned, once");
}

std::string assertion_text(const AccessSite& site, unsigned lane, const host::ReadBytes& read) {
  const auto text = [&](unsigned i) { return host::read_string(read, source_of(site, i, lane)); };
  const auto special = [&](isa::SpecialRow row) {
    std::uint32_t value = 0;
    std::memcpy(&value, site.warp->special.data() + isa::special_offset(row) + lane * sizeof value,
                sizeof value);
    return value;
  };
  const host::Dim3& block = site.cta->id;
  return fmt::format("\n{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.", text(1),
                     source_of(site, 2, lane), text(3), block.x, block.y, block.z,
                     special(isa::SpecialRow::kTidX), special(isa::SpecialRow::kTidY),
                     special(isa::SpecialRow::kTidZ), text(0));
}

void fail_assertion(const AccessSite& site, const std::string& texts) {
  throw base::AssertionFailed(site.launch->kernel->location(site.pc),
                              "an assertion of the kernel failed" + texts);
}

void trap(const AccessSite& site, unsigned lane) {
  const isa::Kernel& kernel = *site.launch->kernel;
  const bool breakpoint = site.instruction->immediate == isa::kBreakpoint;
  const bool wants_grid = site.launch->grid_workspace == 0 && reads_grid_workspace(kernel);
  if (site.instruction->immediate == isa::kBadMBarrierCount)
    throw base::KernelFault(
        kernel.location(site.pc),
        fmt::format("{} begins an mbarrier for no arrivals or for more than it can count",
                    thread_name(site, lane)),
        fmt::format("mbarrier.init takes a count from 1 to {}", isa::MBarrier::kMaxCount));
  throw base::KernelFault(
      kernel.location(site.pc),
      fmt::format("{} executed {}", thread_name(site, lane), breakpoint ? "brkpt" : "trap"),
      breakpoint   ? "there is no debugger to stop in; remove the breakpoint"
      : wants_grid ? "the kernel synchronises its grid (%envreg1, %envreg2), which takes a cooperative "
                     "launch: heddle run "
                     "--ptx ... --cooperative, or Launch::cooperative"
                   : "the kernel itself asked to stop here");
}

}  // namespace heddle::core
