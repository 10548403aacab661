// Instructions after which lanes of a warp go to different places - indirect branches, calls, returns - and
// what kernels ask of the host: printf and assertions.
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "base/error.h"
#include "core/core.h"
#include "core/execute/kernel_print.h"
#include "core/memory/access_check.h"
#include "core/memory/coalescer.h"

namespace heddle::core {

std::uint64_t Core::lane_of(const WarpContext& warp, const isa::Operand& operand, unsigned lane) const {
  const std::size_t bytes = operand.width == isa::RowWidth::k64 ? 8 : 4;
  std::uint64_t value = 0;
  std::memcpy(&value, row(warp, operand) + lane * bytes, bytes);
  return value;
}

AccessSite Core::site_of(const IssueTable::Group& group, const isa::Instruction& instruction) const {
  const WarpContext& warp = warps_[group.warp.value()];
  return {launch_, &ctas_[warp.cta.value()], &warp, group.pc, &instruction};
}

void Core::count_divergence(Pc pc) {
  if (launch_->profile != nullptr) ++launch_->profile->at(pc).divergences;
}

namespace {

simt::ControlFlowRequest event(simt::ControlFlowEvent kind, GroupId id, const IssueTable::Group& group,
                               LaneMask taken, const Pc* lane_target) {
  simt::ControlFlowRequest request;
  request.event = kind;
  request.warp = group.warp;
  request.group = id;
  request.mask = group.mask;
  request.taken = taken;
  request.lane_target = lane_target;
  request.next = Pc{group.pc.value() + 1};
  return request;
}

constexpr std::uint32_t kMostCallDepth = 1u << 16;  ///< more than the largest stack has frames
using LaneTargets = std::array<Pc, kLanes>;

}  // namespace

void Core::issue_indirect(GroupId id, const isa::Instruction& instruction, LaneMask exec) {
  const IssueTable::Group& group = groups_[id];
  const WarpContext& warp = warps_[group.warp.value()];
  LaneTargets target{};
  exec.for_each([&](unsigned lane) {
    const std::uint64_t index = lane_of(warp, instruction.src[0], lane);
    if (index >= instruction.table_count)
      throw base::KernelFault(
          launch_->kernel->place(group.pc),
          fmt::format("{} branches to target {} of {}\n  {}", thread_name(site_of(group, instruction), lane),
                      index, instruction.table_count, launch_->kernel->source_line(group.pc)),
          "check the index of brx.idx");
    target[lane] = launch_->kernel->targets[instruction.table_first + index];
  });
  simt::ControlFlowRequest branch = event(simt::ControlFlowEvent::kBranch, id, group, exec, target.data());
  branch.rpc = instruction.rpc;
  const Pc pc = group.pc;
  decide(branch);
  if (branch.diverged) count_divergence(pc);
}

void Core::issue_call(GroupId id, const isa::Instruction& instruction, LaneMask exec) {
  const IssueTable::Group& group = groups_[id];
  LaneTargets target{};
  const bool indirect = instruction.src[0].present;
  if (indirect) {
    const isa::Kernel& kernel = *launch_->kernel;
    const WarpContext& warp = warps_[group.warp.value()];
    exec.for_each([&](unsigned lane) {
      const std::uint64_t address = lane_of(warp, instruction.src[0], lane);
      const auto found = kernel.function_addresses.find(address);
      Pc entry = found == kernel.function_addresses.end() ? kNoPc : found->second.entry;
      // A function that another call may reach need not be one of this call's.
      bool callable = false;
      for (std::uint32_t i = 0; i < instruction.table_count; ++i)
        callable = callable || kernel.targets[instruction.table_first + i] == entry;
      if (entry != kNoPc && callable) {
        target[lane] = entry;
        return;
      }
      const std::string what = found == kernel.function_addresses.end()
                                   ? fmt::format("address 0x{:x}, where no function is", address)
                                   : fmt::format("function {}, but {}", found->second.name,
                                                 entry != kNoPc ? "its parameters are not those of the call"
                                                                : found->second.reason);
      throw base::KernelFault(kernel.place(group.pc),
                              fmt::format("{} calls {}\n  {}", thread_name(site_of(group, instruction), lane),
                                          what, kernel.source_line(group.pc)),
                              "check the function pointer and the prototype");
    });
  }
  simt::ControlFlowRequest call =
      event(simt::ControlFlowEvent::kCall, id, group, exec, indirect ? target.data() : nullptr);
  call.target = instruction.target;
  const Pc pc = group.pc;
  decide(call);
  // Recursion normally ends at the end of the thread's stack, but a function that never returns keeps nothing
  // there.
  if (call.call_depth > kMostCallDepth)
    throw base::KernelFault(
        launch_->kernel->place(pc),
        fmt::format("calls nest more than {} deep\n  {}", kMostCallDepth, launch_->kernel->source_line(pc)),
        "check that the recursion ends");
  if (call.diverged) count_divergence(pc);
}

void Core::issue_return(GroupId id, const isa::Instruction& instruction, LaneMask exec) {
  const IssueTable::Group& group = groups_[id];
  const WarpContext& warp = warps_[group.warp.value()];
  LaneTargets target{};
  exec.for_each([&](unsigned lane) {
    target[lane] = Pc{static_cast<std::uint32_t>(lane_of(warp, instruction.src[0], lane))};
  });
  simt::ControlFlowRequest back = event(simt::ControlFlowEvent::kReturn, id, group, exec, target.data());
  decide(back);
}

std::function<void(std::uint64_t, std::span<std::byte>)> Core::thread_memory(const AccessSite& site,
                                                                             unsigned lane) const {
  return [this, &site, lane](std::uint64_t address, std::span<std::byte> bytes) {
    const LaunchContext& launch = *site.launch;
    const auto fail = [&](const char* why) {
      throw base::KernelFault(
          launch.kernel->place(site.pc),
          fmt::format("{} prints from address 0x{:x}: {}", thread_name(site, lane), address, why),
          "check the pointers given to printf or assert");
    };
    if (launch.services == nullptr) fail("nobody reads what kernels print here");
    if (const std::uint64_t offset = address - isa::kSharedWindowBase; offset < isa::kSharedWindowBytes) {
      if (offset + bytes.size() > launch.shared_bytes_per_cta)
        fail("it lies outside of the CTA's shared memory");
      for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = shared_memory_.byte_at(site.cta->shared_base + static_cast<std::uint32_t>(offset + i));
      return;
    }
    if (address - isa::kLocalWindowBase >= isa::kLocalWindowBytes) {
      if (!launch.services->read_memory(address, bytes)) fail("it is in no allocation");
      return;
    }
    const std::uint64_t offset = address - isa::kLocalWindowBase;
    if (offset + bytes.size() > launch.local_bytes_per_thread) fail("it lies outside of the thread's memory");
    const std::uint64_t region =
        launch.local_base + site.warp->linear_warp * launch.local_bytes_per_thread * kLanes;
    // Local memory may be newer in the L1 (write_back), which is this thread's own, or on the way from there
    // to L2, if another warp's miss displaced it: a fence waits for the warp's own operations only.
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::uint64_t at = local_place(region, offset + i, lane);
      if (!l1d_.unwritten(at, bytes[i]) && !lsu_.on_its_way(at, bytes[i]) &&
          !launch.services->read_memory(at, bytes.subspan(i, 1)))
        fail("it is in no allocation");
    }
  };
}

void Core::issue_print(const IssueTable::Group& group, const isa::Instruction& instruction, LaneMask exec) {
  WarpContext& warp = warps_[group.warp.value()];
  const AccessSite site = site_of(group, instruction);
  exec.for_each([&](unsigned lane) {
    const Printed printed = format_print(thread_memory(site, lane), lane_of(warp, instruction.src[0], lane),
                                         lane_of(warp, instruction.src[1], lane));
    launch_->services->print(printed.text);
    if (instruction.dst[0].present)
      std::memcpy(warp.registers.data() + instruction.dst[0].offset + lane * std::size_t{4},
                  &printed.arguments, 4);
  });
}

void Core::fail_assertion(const IssueTable::Group& group, const isa::Instruction& instruction,
                          LaneMask exec) const {
  const WarpContext& warp = warps_[group.warp.value()];
  const AccessSite site = site_of(group, instruction);
  const unsigned lane = exec.lowest();
  const ReadBytes read = thread_memory(site, lane);
  const auto text = [&](unsigned i) { return read_string(read, lane_of(warp, instruction.src[i], lane)); };
  throw base::KernelFault(
      launch_->kernel->place(group.pc),
      fmt::format("{}:{}: {}: {}: assertion `{}' failed", text(1), lane_of(warp, instruction.src[2], lane),
                  text(3), thread_name(site, lane), text(0)),
      "the kernel itself asked to stop here");
}

}  // namespace heddle::core
