#include "core/execute/host_calls.h"

#include "core/execute/kernel_calls.h"
#include "core/issue/operands.h"
#include "core/memory/coalescer.h"

namespace heddle::core {

std::function<void(std::uint64_t, std::span<std::byte>)> HostCalls::thread_memory(const AccessSite& site,
                                                                                  unsigned lane) const {
  return [this, &site, lane](std::uint64_t address, std::span<std::byte> bytes) {
    const LaunchContext& launch = *site.launch;
    const auto fail = [&](const char* why) { fail_print(site, lane, address, why); };
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

void HostCalls::print(const IssueTable::Group& group, LaneMask exec) {
  exec.for_each([&](unsigned lane) {
    const AccessSite site = site_of(state_, state_.home(group, lane), group.pc);
    core::print(site, state_.warp(state_.home(group, lane)), lane, thread_memory(site, lane));
  });
}

void HostCalls::allocate(const IssueTable::Group& group, LaneMask exec) {
  exec.for_each([&](unsigned lane) {
    const WarpId home = state_.home(group, lane);
    core::allocate(site_of(state_, home, group.pc), state_.warp(home), lane);
  });
}

void HostCalls::free(const IssueTable::Group& group, LaneMask exec) {
  exec.for_each(
      [&](unsigned lane) { core::free(site_of(state_, state_.home(group, lane), group.pc), lane); });
}

void HostCalls::fail_assertion(const IssueTable::Group& group, LaneMask exec) const {
  std::string all;
  exec.for_each([&](unsigned lane) {
    const AccessSite site = site_of(state_, state_.home(group, lane), group.pc);
    all += assertion_text(site, lane, thread_memory(site, lane));
  });
  core::fail_assertion(site_of(state_, state_.home(group, exec.lowest()), group.pc), all);
}

void HostCalls::trap(const IssueTable::Group& group, LaneMask exec) const {
  core::trap(site_of(state_, state_.home(group, exec.lowest()), group.pc), exec.lowest());
}

}  // namespace heddle::core
