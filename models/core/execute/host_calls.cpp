#include "core/execute/host_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "core/issue/operands.h"
#include "core/memory/coalescer.h"
#include "host/kernel_print.h"
#include "isa/mbarrier.h"

namespace heddle::core {

std::function<void(std::uint64_t, std::span<std::byte>)> HostCalls::thread_memory(const AccessSite& site,
                                                                                  unsigned lane) const {
  return [this, &site, lane](std::uint64_t address, std::span<std::byte> bytes) {
    const LaunchContext& launch = *site.launch;
    const auto fail = [&](const char* why) {
      throw base::KernelFault(
          launch.kernel->location(site.pc),
          fmt::format("{} prints from address 0x{:x}: {}", thread_name(site, lane), address, why),
          "check the pointers given to printf or assert");
    };
    if (launch.services == nullptr) fail("nobody reads what kernels print here");
    if (const std::uint64_t offset = address - isa::kSharedWindowBase; offset < isa::kSharedWindowBytes) {
      if (offset + bytes.size() > launch.shared_bytes_per_cta)
        fail("it lies outside of the CTA's shared memory");
      for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = memory_.shared_byte(site.cta->shared_base + static_cast<std::uint32_t>(offset + i));
      return;
    }
    if (address - isa::kLocalWindowBase >= isa::kLocalWindowBytes) {
      if (!launch.services->read_memory(address, bytes)) fail("it is in no buffer of the program");
      return;
    }
    const std::uint64_t offset = address - isa::kLocalWindowBase;
    if (offset + bytes.size() > launch.local_limit) fail("it lies outside of the thread's memory");
    const std::uint64_t region =
        launch.local_base + site.warp->linear_warp * launch.local_bytes_per_thread * kLanes;
    // Local memory may be newer in the L1 (write_back), which is this thread's own, or on the way from there
    // to L2, if another warp's miss displaced it: a fence waits for the warp's own operations only.
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::uint64_t at = local_address(region, offset + i, lane);
      if (!memory_.newest_of_thread(at, bytes[i])) launch.services->read_local(at, bytes.subspan(i, 1));
    }
  };
}

void HostCalls::print(const IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec) {
  exec.for_each([&](unsigned lane) {
    const WarpId home = state_.home(group, lane);
    WarpContext& warp = state_.warp(home);
    const AccessSite site = site_of(state_, home, group.pc);
    const host::Printed printed =
        host::format_print(thread_memory(site, lane), lane_of(state_, warp, instruction.src[0], lane),
                           lane_of(state_, warp, instruction.src[1], lane));
    state_.launch->services->print(printed.text);
    if (instruction.dst[0].present)
      std::memcpy(warp.registers.data() + instruction.dst[0].offset + lane * std::size_t{4},
                  &printed.arguments, 4);
  });
}

void HostCalls::allocate(const IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec) {
  exec.for_each([&](unsigned lane) {
    WarpContext& warp = state_.warp(state_.home(group, lane));
    const std::uint64_t address =
        services(group, lane).heap_allocate(lane_of(state_, warp, instruction.src[0], lane));
    if (instruction.dst[0].present)
      std::memcpy(warp.registers.data() + instruction.dst[0].offset + lane * sizeof address, &address,
                  sizeof address);
  });
}

void HostCalls::free(const IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec) {
  exec.for_each([&](unsigned lane) {
    const WarpId home = state_.home(group, lane);
    const std::uint64_t address = lane_of(state_, state_.warp(home), instruction.src[0], lane);
    const auto wrong = services(group, lane).heap_free(address);
    if (!wrong) return;
    const AccessSite site = site_of(state_, home, group.pc);
    throw base::KernelFault(state_.kernel().location(group.pc),
                            fmt::format("{} frees 0x{:x}: {}", thread_name(site, lane), address, *wrong),
                            "free what malloc returned, once");
  });
}

KernelServices& HostCalls::services(const IssueTable::Group& group, unsigned lane) const {
  if (state_.launch->services != nullptr) return *state_.launch->services;
  throw base::KernelFault(
      state_.kernel().location(group.pc),
      fmt::format("{} uses the heap, which nobody provides here",
                  thread_name(site_of(state_, state_.home(group, lane), group.pc), lane)));
}

void HostCalls::fail_assertion(const IssueTable::Group& group, const isa::Instruction& instruction,
                               LaneMask exec) const {
  std::string all;
  exec.for_each([&](unsigned lane) {
    const WarpId home = state_.home(group, lane);
    const WarpContext& warp = state_.warp(home);
    const AccessSite site = site_of(state_, home, group.pc);
    const host::ReadBytes read = thread_memory(site, lane);
    const auto text = [&](unsigned i) {
      return host::read_string(read, lane_of(state_, warp, instruction.src[i], lane));
    };
    const auto special = [&](isa::SpecialRow row) {
      std::uint32_t value = 0;
      std::memcpy(&value, warp.special.data() + isa::special_offset(row) + lane * sizeof value, sizeof value);
      return value;
    };
    const host::Dim3& block = site.cta->id;
    all += fmt::format("\n{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.", text(1),
                       lane_of(state_, warp, instruction.src[2], lane), text(3), block.x, block.y, block.z,
                       special(isa::SpecialRow::kTidX), special(isa::SpecialRow::kTidY),
                       special(isa::SpecialRow::kTidZ), text(0));
  });
  throw base::AssertionFailed(state_.kernel().location(group.pc), "an assertion of the kernel failed" + all);
}

namespace {

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

void HostCalls::trap(const IssueTable::Group& group, const isa::Instruction& instruction,
                     LaneMask exec) const {
  const AccessSite site = site_of(state_, state_.home(group, exec.lowest()), group.pc);
  const bool breakpoint = instruction.immediate == isa::kBreakpoint;
  const bool wants_grid = state_.launch->grid_workspace == 0 && reads_grid_workspace(state_.kernel());
  if (instruction.immediate == isa::kBadMBarrierCount)
    throw base::KernelFault(
        state_.kernel().location(group.pc),
        fmt::format("{} begins an mbarrier for no arrivals or for more than it can count",
                    thread_name(site, exec.lowest())),
        fmt::format("mbarrier.init takes a count from 1 to {}", isa::MBarrier::kMaxCount));
  throw base::KernelFault(
      state_.kernel().location(group.pc),
      fmt::format("{} executed {}", thread_name(site, exec.lowest()), breakpoint ? "brkpt" : "trap"),
      breakpoint   ? "there is no debugger to stop in; remove the breakpoint"
      : wants_grid ? "the kernel synchronises its grid (%envreg1, %envreg2), which takes a cooperative "
                     "launch: heddle run "
                     "--ptx ... --cooperative, or Launch::cooperative"
                   : "the kernel itself asked to stop here");
}

}  // namespace heddle::core
